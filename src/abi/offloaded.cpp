#include "abi/offloaded.h"

#include <atomic>
#include <dlfcn.h>

namespace einkorn::abi {

void* offloaded(const char* name) {
  static std::atomic<void*> library{nullptr};  // release and acquire: what dlopen() did for the handle
  void* handle = library.load(std::memory_order_acquire);
  if (!handle) {
    void* there = dlsym(RTLD_DEFAULT, "__tgt_register_lib");
    Dl_info info;
    if (!there || !dladdr(there, &info) || !info.dli_fname) return nullptr;
    handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (!handle) return nullptr;
    library.store(handle, std::memory_order_release);
  }
  void* f = dlsym(handle, name);
  // libomptarget depends on us: what it does not define itself is found here.
  Dl_info ours, theirs;
  if (f && dladdr(f, &theirs) && dladdr(&library, &ours) && theirs.dli_fbase == ours.dli_fbase) return nullptr;
  return f;
}

}  // namespace einkorn::abi
