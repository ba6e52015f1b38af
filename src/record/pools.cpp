#include "record/pools.h"
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

namespace einkorn::record {

namespace {

// As <dlfcn.h> of glibc 2.35 has it.
struct FoundObject {
  unsigned long long flags;
  void *begin, *end;
  link_map* map;
  void* unwinding;
  unsigned long long reserved[7];
};
int (*g_find_object)(void*, FoundObject*) = nullptr;

}  // namespace

void prepare_pools() {
  // Not by its name alone: this library is to load on older systems.
  if (!g_find_object)
    g_find_object = reinterpret_cast<int (*)(void*, FoundObject*)>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
}

bool is_of_pool(const void* function) {
  FoundObject found{};
  if (!function || !g_find_object || g_find_object(const_cast<void*>(function), &found) != 0 || !found.map ||
      !found.map->l_name)
    return false;
  const char* slash = strrchr(found.map->l_name, '/');
  return slash && strncmp(slash, "/omppool.", strlen("/omppool.")) == 0;
}

const void* caller_of_pool(const void* return_address) {
  void* frames[16];  // the recorder's own and the runtime's are the first
  const int n = backtrace(frames, int(sizeof frames / sizeof *frames));
  for (int i = 0; i + 1 < n; ++i)
    if (frames[i] == return_address) return frames[i + 1];
  return nullptr;
}

}  // namespace einkorn::record
