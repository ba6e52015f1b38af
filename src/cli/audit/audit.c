/* The dynamic linker's audit library (rtld-audit(7)): puts our runtime in the place of every OpenMP library that a process
   looks for, by whatever name and way: DT_NEEDED, DT_RPATH, dlopen with a name or a path, and the hashed names of Python
   wheels (libgomp-a34b3233.so.1.0.0).

   Where the request is answered matters. glibc (2.36, elf/dl-load.c) first asks with LA_SER_ORIG and then *replaces* the
   requested name by the answer, which would lose the name that version needs refer to. So plain names pass there, and the
   candidates of the path search that follows are redirected: open_verify() asks for each before it opens it, and the
   object keeps the requested name among its own. Only names with a slash, which are not searched for, are answered at once.

   This file is loaded into every process under `einkorn run`: no libc state, no allocation, nothing per call. */
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>
#include <string.h>

static const char *runtime_path; /* EINKORN_RUNTIME, from the environment block: lives as long as the process */

unsigned int la_version(unsigned int version) {
  (void)version;
  runtime_path = getenv("EINKORN_RUNTIME");
  if (runtime_path && !*runtime_path) runtime_path = NULL;
  return LAV_CURRENT;
}

/* libgomp.so.1, libgomp-a34b3233.so.1.0.0, libomp.so.5, libomp-1a2b.so, libiomp5.so. Not libgomp-plugin-*.so (offloading of
   the real libgomp), libomptarget, libompd, libompstub. */
static int is_openmp_library(const char *path) {
  static const char *const stems[] = {"libgomp", "libomp", "libiomp5"};
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  if (strncmp(name, "libgomp-plugin", 14) == 0) return 0;
  for (unsigned i = 0; i < sizeof stems / sizeof stems[0]; ++i) {
    size_t n = strlen(stems[i]);
    if (strncmp(name, stems[i], n) == 0 && (name[n] == '.' || name[n] == '-') && strstr(name + n, "so")) return 1;
  }
  return 0;
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag) {
  (void)cookie;
  if (!runtime_path || !is_openmp_library(name)) return (char *)name;
  if (flag == LA_SER_ORIG && !strchr(name, '/')) return (char *)name;
  return (char *)runtime_path;
}

/* The object now bears the name of the candidate whose place it took, which debuggers, dladdr() and LD_DEBUG would show and
   open. Give it its own; the requested name stays in the linker's private list. The string is never freed: the runtime is
   linked with -z nodelete. 0: no symbol binding of this object is reported to us. */
unsigned int la_objopen(struct link_map *map, Lmid_t lmid, uintptr_t *cookie) {
  (void)lmid, (void)cookie;
  if (runtime_path && map->l_name && is_openmp_library(map->l_name)) map->l_name = (char *)runtime_path;
  return 0;
}
