#include "machine/hwloc_library.h"

#include <dlfcn.h>

#include "base/environment.h"

namespace einkorn::machine {

const Hwloc* hwloc() {
  static Hwloc functions;
  static const bool there = [] {
    // hwloc reads environment variables of its own, among them HWLOC_PLUGINS_PATH and HWLOC_XMLFILE.
    if (is_privileged()) return false;
    void* library = dlopen("libhwloc.so.15", RTLD_LAZY | RTLD_LOCAL);
    if (!library) return false;
#define EK_FUNCTION(name)                                                                     \
  functions.name = reinterpret_cast<decltype(&hwloc_##name)>(dlsym(library, "hwloc_" #name)); \
  if (!functions.name) return false;
    EK_HWLOC_FUNCTIONS(EK_FUNCTION)
#undef EK_FUNCTION
#define EK_FUNCTION(name) functions.name = reinterpret_cast<decltype(&hwloc_##name)>(dlsym(library, "hwloc_" #name));
    EK_HWLOC_NEWER(EK_FUNCTION)
#undef EK_FUNCTION
    return true;
  }();
  return there ? &functions : nullptr;
}

}  // namespace einkorn::machine
