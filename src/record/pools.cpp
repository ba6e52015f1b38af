#include "record/pools.h"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
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

// From caller_of_pool()'s frame to where the two return addresses are, on the stack. Only together do they mean
// anything.
struct Offsets {
  int32_t call, callers_call;
};
std::atomic<Offsets> g_offsets{Offsets{0, 0}};
static_assert(std::atomic<Offsets>::is_always_lock_free);

std::atomic<const void*>& known(const void* caller) {
  constexpr size_t kKnown = 256;
  static std::atomic<const void*> table[kKnown];
  return table[(uintptr_t(caller) >> 4 ^ uintptr_t(caller) >> 12) % kKnown];
}

struct Found {
  const void* return_address;
  const void* caller;
  char *call, *callers_call;  // where the two are on the stack, if that is known
  char* below;                // the end of the frame before
  bool met = false;           // the frame that has made the call
};

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

// Where the return address is, in the frame from f.below to `end` of the function that returns there; nullptr: not
// known.
char* slot_of(const void* return_address, const Found& f, char* end) {
#ifdef __x86_64__
  (void)return_address, (void)f;
  return end - sizeof(void*);  // a call puts it there
#else
  // The function itself puts it somewhere, behind its caller's frame pointer: that tells it from the same address as
  // an argument. Not found if the address is signed.
  constexpr ptrdiff_t kMost = 32 << 10;
  for (char* p = f.below + sizeof(void*); p < end && p - f.below < kMost; p += sizeof(void*))
    if (at_slot(p) == return_address && at_slot(p - sizeof(void*)) >= end) return p;
  return nullptr;
#endif
}

decltype(&_Unwind_GetIP) g_ip = nullptr;
decltype(&_Unwind_GetCFA) g_frame = nullptr;
decltype(&_Unwind_Backtrace) g_backtrace = nullptr;

_Unwind_Reason_Code on_frame(_Unwind_Context* context, void* out) {
  auto& f = *static_cast<Found*>(out);
  const auto ip = reinterpret_cast<const void*>(g_ip(context));
  char* const end = reinterpret_cast<char*>(g_frame(context));
  if (f.met) {
    f.caller = ip;
    f.callers_call = slot_of(ip, f, end);
    return _URC_END_OF_STACK;
  }
  if (ip == f.return_address) {
    f.met = true;
    f.call = slot_of(ip, f, end);
  }
  f.below = end;
  return _URC_NO_REASON;
}

// The unwinder that the program has, or would have: it knows of code that was made at run time.
bool find_unwinder() {
  void* const library = dlopen("libgcc_s.so.1", RTLD_NOW);
  if (!library) return false;
  g_ip = reinterpret_cast<decltype(g_ip)>(dlsym(library, "_Unwind_GetIP"));
  g_frame = reinterpret_cast<decltype(g_frame)>(dlsym(library, "_Unwind_GetCFA"));
  g_backtrace = reinterpret_cast<decltype(g_backtrace)>(dlsym(library, "_Unwind_Backtrace"));
  return g_ip && g_frame && g_backtrace;
}

std::atomic<int> g_unwound{0};

}  // namespace

void prepare_pools() {
  // Not by its name alone: this library is to load on older systems.
  auto* const find = reinterpret_cast<int (*)(void*, FoundObject*)>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
  if (!g_find_object && find && find_unwinder()) g_find_object = find;
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
  Found f{return_address, nullptr, nullptr, nullptr, here};
  const Offsets at = g_offsets.load(memory_order_relaxed);
  // In this order: only if our call's return address is there, its caller's is certain to be on this stack.
  if (at.call && at_slot(here + at.call) == return_address) {
    const void* const caller = at_slot(here + at.callers_call);
    if (known(caller).load(memory_order_relaxed) == caller) return caller;
  }
  if (!g_backtrace) return nullptr;
  g_unwound.fetch_add(1, memory_order_relaxed);
  g_backtrace(on_frame, &f);
  if (f.caller && f.call && f.callers_call && at_slot(f.call) == return_address &&
      at_slot(f.callers_call) == f.caller) {
    const ptrdiff_t call = f.call - here, callers_call = f.callers_call - here;
    if (call > 0 && callers_call > call && callers_call <= INT32_MAX)
      g_offsets.store({int32_t(call), int32_t(callers_call)}, memory_order_relaxed);
    known(f.caller).store(f.caller, memory_order_relaxed);
  }
  return f.caller;
}

int times_unwound_for_test() { return g_unwound.load(std::memory_order_relaxed); }

}  // namespace einkorn::record
