// Two OpenMP libraries in one process share nothing: half of a program's calls may go to one, half to the other (which
// is what LD_PRELOAD and a mixed link give). Said once, because nothing that follows can be trusted then.
#include <cstring>
#include <initializer_list>
#include <link.h>

#include "runtime/settings/other_runtime.h"
#include "base/objects.h"
#include "base/platform.h"

namespace einkorn::runtime {

namespace {

// libgomp.so.1, libgomp-a34b3233.so.1.0.0, libomp.so.5, libiomp5.so; not libgomp-plugin-nvptx.so.1 or libomptarget.so.
bool is_openmp_library(const char* path) {
  const char* name = base::without_folder(path);
  if (!strncmp(name, "libgomp-plugin", 14)) return false;
  for (const char* stem : {"libgomp", "libomp", "libiomp5"}) {
    size_t n = strlen(stem);
    if (!strncmp(name, stem, n) && (name[n] == '.' || name[n] == '-')) return true;
  }
  return false;
}

int look_at(dl_phdr_info* object, size_t, void* found) {
  if (base::holds(*object, reinterpret_cast<uintptr_t>(&look_at))) return 0;  // ourselves
  bool has_code = false;  // else it is only a name of ours, as wheels have them (python/tool.cmake)
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X)) has_code = true;
  }
  if (!has_code || !object->dlpi_name || !is_openmp_library(object->dlpi_name)) return 0;
  *static_cast<const char**>(found) = object->dlpi_name;
  return 1;
}

}  // namespace

void warn_of_other_runtime() {
  static std::atomic<bool> looked{false};
  if (looked.exchange(true, std::memory_order_relaxed)) return;
  const char* found = nullptr;
  dl_iterate_phdr(look_at, &found);
  if (found)
    warn(
        "a second OpenMP library is in this process (%s): results and recordings may be wrong. Start the program with "
        "`einkorn run` or `einkorn record`, which put one library in the place of all",
        found);
}

}  // namespace einkorn::runtime
