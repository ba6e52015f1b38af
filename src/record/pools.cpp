#include "record/pools.h"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unwind.h>

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

struct Offsets {
  ptrdiff_t call, callers_call;
};
std::atomic<ptrdiff_t> g_call{0}, g_callers_call{0};

std::atomic<const void*>& known(const void* caller) {
  constexpr size_t kKnown = 256;
  static std::atomic<const void*> table[kKnown];
  return table[(uintptr_t(caller) >> 4 ^ uintptr_t(caller) >> 12) % kKnown];
}

struct Found {
  const void* return_address;
  const void* caller;
  char *call, *callers_call;  // where the two are on the stack, if a call puts them there
  bool met = false;           // the frame that has made the call
};

decltype(&_Unwind_GetIP) g_ip = nullptr;
decltype(&_Unwind_GetCFA) g_frame = nullptr;
decltype(&_Unwind_Backtrace) g_backtrace = nullptr;

_Unwind_Reason_Code on_frame(_Unwind_Context* context, void* out) {
  auto& f = *static_cast<Found*>(out);
  const auto ip = reinterpret_cast<const void*>(g_ip(context));
#ifdef __x86_64__
  char* const slot = reinterpret_cast<char*>(g_frame(context)) - sizeof(void*);
#else
  char* const slot = nullptr;
#endif
  if (f.met) {
    f.caller = ip;
    f.callers_call = slot;
    return _URC_END_OF_STACK;
  }
  if (ip == f.return_address) {
    f.met = true;
    f.call = slot;
  }
  return _URC_NO_REASON;
}

// By the unwinder that the program has, which knows of code that was made at run time.
void unwind(Found& f) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] {
    void* const library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!library) return;
    g_ip = reinterpret_cast<decltype(g_ip)>(dlsym(library, "_Unwind_GetIP"));
    g_frame = reinterpret_cast<decltype(g_frame)>(dlsym(library, "_Unwind_GetCFA"));
    g_backtrace = reinterpret_cast<decltype(g_backtrace)>(dlsym(library, "_Unwind_Backtrace"));
  });
  if (!g_ip || !g_frame || !g_backtrace) return;
  g_backtrace(on_frame, &f);
}

#ifdef __SANITIZE_ADDRESS__
#define EK_READS_STACK __attribute__((no_sanitize_address))
#else
#define EK_READS_STACK
#endif

EK_READS_STACK const void* at_slot(const char* slot) {
  const void* value;
  memcpy(&value, slot, sizeof value);
  return value;
}

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

// To unwind the stack takes 10 us where compilers have registered much code, and more than all else that is recorded of
// a region. So it is done once for each caller. From then on it is enough to look where the two return addresses were
// on the stack: that is as far from this function's frame as it was, if the runtime came the same way. If not, or if
// what is there is no caller that is known, the stack is unwound again.
__attribute__((noinline)) const void* caller_of_pool(const void* return_address) {
  using std::memory_order_relaxed;
  char* const here = static_cast<char*>(__builtin_frame_address(0));
  Found f{return_address, nullptr, nullptr, nullptr};
  const Offsets at{g_call.load(memory_order_relaxed), g_callers_call.load(memory_order_relaxed)};
  if (at.call && at.callers_call) {
    const void* const caller = at_slot(here + at.callers_call);
    if (at_slot(here + at.call) == return_address && known(caller).load(memory_order_relaxed) == caller) return caller;
  }
  unwind(f);
  if (f.caller && f.call && f.callers_call && at_slot(f.call) == return_address &&
      at_slot(f.callers_call) == f.caller) {
    g_call.store(f.call - here, memory_order_relaxed);
    g_callers_call.store(f.callers_call - here, memory_order_relaxed);
    known(f.caller).store(f.caller, memory_order_relaxed);
  }
  return f.caller;
}

}  // namespace einkorn::record
