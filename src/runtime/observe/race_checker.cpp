#include "runtime/observe/race_checker.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

#include "base/environment.h"
#include "runtime/settings/config.h"
#include "runtime/team/placed.h"

namespace einkorn::runtime::tool {

namespace {

// Opens NAME in the folder.
void* open_in(const char* folder, const char* name) {
  char path[PATH_MAX];
  const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
  return length > 0 && size_t(length) < sizeof path ? dlopen(path, RTLD_LAZY) : nullptr;
}

// Archer lies beside LLVM's runtime, and the folder may have only a link to that one, as /usr/lib has in Debian.
void* open_beside_libomp(const char* folder) {
  for (const char* runtime : {"libomp.so.5", "libomp.so"}) {
    char path[PATH_MAX], real[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, runtime);
    if (length <= 0 || size_t(length) >= sizeof path || !realpath(path, real)) continue;
    *strrchr(real, '/') = 0;
    if (void* found = open_in(real, kArcher)) return found;
  }
  return nullptr;
}

}  // namespace

bool has_thread_sanitizer() {
#if defined(__SANITIZE_THREAD__)
  return false;  // of this library's own tests, which are about the default schedule
#else
  // The first is in programs that are made for valgrind's tools, too; the second is in our hooks for accesses.
  return dlsym(RTLD_DEFAULT, "RunningOnValgrind") && dlsym(RTLD_DEFAULT, "__tsan_func_entry");
#endif
}

void* open_archer() {
  // The folders that the program names (DT_RUNPATH) may be somebody else's.
  if (base::is_privileged()) return nullptr;
  if (void* found = dlopen(kArcher, RTLD_LAZY)) return found;
  // dlopen() looks into this library's DT_RUNPATH. LLVM's runtime would have been found by the program's.
  void* const program = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size;
  if (!program || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return nullptr;
  auto* const all = static_cast<Dl_serinfo*>(malloc(size.dls_size));
  void* found = nullptr;
  if (all && dlinfo(program, RTLD_DI_SERINFOSIZE, all) == 0 && dlinfo(program, RTLD_DI_SERINFO, all) == 0) {
    const Dl_serpath* const folders = all->dls_serpath;
    for (unsigned i = 0; i < all->dls_cnt && !found; ++i) found = open_in(folders[i].dls_name, kArcher);
    for (unsigned i = 0; i < all->dls_cnt && !found; ++i) found = open_beside_libomp(folders[i].dls_name);
  }
  free(all);
  return found;
}

void hand_out_tasks() {
  if (is_set_or_hinted("EINKORN_SCHEDULE") || is_set_or_hinted("EINKORN_AMM")) return;
  g_config.schedule = schedule::find_preset("deferred");
  placed_init();
}

}  // namespace einkorn::runtime::tool
