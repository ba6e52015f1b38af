// libeinkorn-audit.so: replaces every OpenMP runtime that a process asks for by ours.
//
// Loaded by glibc's dynamic linker through LD_AUDIT (man 7 rtld-audit), in this process and, as the variable is
// inherited, in its children. It redirects every search for libgomp, libomp or libiomp5, whatever asks for it
// (DT_NEEDED, dlopen, LD_PRELOAD) and wherever it would be found (DT_RPATH, LD_LIBRARY_PATH, the cache, an absolute
// path), to the one file that EINKORN_RUNTIME names; and, where EINKORN_ACCESSES names one, every search for libtsan to that; likewise
// EINKORN_ALLOCATIONS, which LD_PRELOAD asks for by its name alone where its path has a space.
// glibc identifies an object by device and inode, so a process gets one runtime, however many names it asks for.
//
// It is loaded into every process, so it is small: no libc (which would be loaded a second time, into the audit
// namespace: measured on /bin/true, that would cost 0.19 ms per process instead of 0.05), no allocation, no la_symbind
// and no la_pltenter (either would put code into the path of calls; since glibc 2.35 an audit library without them
// leaves calls as they are).
#define _GNU_SOURCE  // LAV_CURRENT and the LA_ constants
#include <elf.h>
#include <link.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

static const char* runtime_path;   // EINKORN_RUNTIME; NULL: nothing to redirect to
static const char* accesses_path;  // EINKORN_ACCESSES; NULL: ThreadSanitizer's library stays what it is
static const char* allocations_path;  // EINKORN_ALLOCATIONS, for LD_PRELOAD's libeinkorn-allocations.so

// The text of `s` after `prefix`, or NULL if it does not begin with that.
static const char* after(const char* s, const char* prefix) {
  while (*prefix)
    if (*s++ != *prefix++) return NULL;
  return s;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

// Is `base` a file name of an OpenMP runtime? These are:
//   libgomp.so.1 libgomp.so.1.0.0 libomp.so libomp.so.5 libiomp5.so     as installed
//   libomp-19.so.5                                                      as Debian names LLVM's
//   libgomp-a34b3233.so.1.0.0 libomp-b8e5bcfb.so libiomp5-1e2b1f3d.so   as vendored in PyPI wheels, with a hash
// and these are not: libgomp-plugin-nvptx.so.1 (belongs to the real libgomp), libomptarget.so, libompd.so,
// libompstub.so, libiomp5_db.so, libgomp.a, libgomp.spec, libomp.so.debug.
static int names_openmp_runtime(const char* base) {
  const char* p = after(base, "libgomp");
  if (!p) p = after(base, "libomp");
  if (!p) p = after(base, "libiomp5");
  if (!p) return 0;
  if (*p == '-') {
    const char* hash = ++p;
    while (is_digit(*p) || (*p >= 'a' && *p <= 'f')) ++p;
    if (p == hash) return 0;
  }
  p = after(p, ".so");
  if (!p) return 0;
  while (*p == '.') {
    if (!is_digit(*++p)) return 0;
    while (is_digit(*p)) ++p;
  }
  return *p == 0;
}

// libtsan.so, libtsan.so.2, libtsan.so.2.0.0; or our own library in its place.
static int names_access_hooks(const char* base) {
  const char* p = after(base, "libtsan.so");
  if (!p) p = after(base, "libeinkorn-accesses.so");
  if (!p) return 0;
  while (*p == '.') {
    if (!is_digit(*++p)) return 0;
    while (is_digit(*p)) ++p;
  }
  return *p == 0;
}

static int names_allocations(const char* base) {
  const char* p = after(base, "libeinkorn-allocations.so");
  return p && *p == 0;
}

static const char* base_name(const char* path) {
  const char* base = path;
  for (; *path; ++path)
    if (*path == '/') base = path + 1;
  return base;
}

// The string is the process's own environment block, which a program may overwrite with another title (setproctitle); a
// search after that must still find the path, so keep a copy. NULL if it is not an absolute path.
static const char* keep(const char* value, char* copy, size_t room) {
  if (value[0] != '/') return NULL;
  size_t n = 0;
  while (n < room - 1 && value[n]) {
    copy[n] = value[n];
    ++n;
  }
  return value[n] == 0 ? copy : NULL;
}

// The dynamic linker calls constructors with the program's arguments and environment, before la_version().
__attribute__((constructor)) static void read_environment(int argc, char** argv, char** environment) {
  (void)argc;
  (void)argv;
  for (char** e = environment; e && *e; ++e) {
    const char* value = after(*e, "EINKORN_RUNTIME=");
    const char* hooks = after(*e, "EINKORN_ACCESSES=");
    const char* allocations = after(*e, "EINKORN_ALLOCATIONS=");
    static char runtime[4096], accesses[4096], before_malloc[4096];
    if (value) runtime_path = keep(value, runtime, sizeof runtime);
    if (hooks) accesses_path = keep(hooks, accesses, sizeof accesses);
    if (allocations) allocations_path = keep(allocations, before_malloc, sizeof before_malloc);
  }
}

// 0 tells the dynamic linker that we are not interested: it unloads us.
EXPORT unsigned int la_version(unsigned int version) {
  if (!runtime_path) return 0;
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

// A name without a slash is left alone when it is first asked for (LA_SER_ORIG). The candidates that the search tries
// for it are redirected; each of them comes here with its full path before it is opened. So the name asked for remains
// one of the object's names, by which the dynamic linker finds the object again when it checks the symbol versions that
// DT_VERNEED requires of it. If it were redirected at once, a second name for the already mapped runtime would not be
// among them (glibc adds the name that it opened, not the one it was asked for), and `needed != NULL` would fail.
//
// For a name with a slash there is no search, so it is redirected at once. One case remains impossible: a DT_NEEDED
// that contains a slash and needs versions, while the runtime was already loaded under another name. Linkers write such
// a DT_NEEDED only for a library without a DT_SONAME, which no OpenMP runtime is.
EXPORT char* la_objsearch(const char* name, uintptr_t* cookie, unsigned int flag) {
  (void)cookie;
  const char* base = base_name(name);
  if (flag == LA_SER_ORIG && base == name) return (char*)name;
  if (names_openmp_runtime(base)) return (char*)runtime_path;
  if (accesses_path && names_access_hooks(base)) return (char*)accesses_path;
  if (allocations_path && names_allocations(base)) return (char*)allocations_path;
  return (char*)name;
}

// A redirected candidate's link map has the path of the library that was not opened; debuggers, dladdr() and
// dl_iterate_phdr() would show it and look for its symbols. It may be replaced: only unloading releases l_name, and our
// runtime is linked with -z nodelete.
EXPORT unsigned int la_objopen(struct link_map* map, Lmid_t lmid, uintptr_t* cookie) {
  (void)lmid;
  (void)cookie;
  const char* base = base_name(map->l_name);
  if (names_openmp_runtime(base)) map->l_name = (char*)runtime_path;
  else if (accesses_path && names_access_hooks(base)) map->l_name = (char*)accesses_path;
  else if (allocations_path && names_allocations(base)) map->l_name = (char*)allocations_path;
  return 0;  // no symbol bindings to or from it are of interest
}
