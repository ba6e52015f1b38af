// memcpy, memmove and memset, which the compilers call for copies that they do not hook. The program's own calls are
// counted; those of libraries (the C library, the OpenMP runtime) are not. gcc calls them by name, clang by __tsan_
// names.
#include <dlfcn.h>
#include "accesses/library.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

using namespace einkorn::accesses;

namespace {

using Copy = void* (*)(void*, const void*, size_t);
using Fill = void* (*)(void*, int, size_t);
Copy g_memcpy = nullptr, g_memmove = nullptr;
Fill g_memset = nullptr;

// Used while the process is being loaded, until the C library's functions are known.
void* copy_forward(void* to, const void* from, size_t n) {
  void* d = to;
  asm volatile("rep movsb" : "+D"(d), "+S"(from), "+c"(n) : : "memory");
  return to;
}
void* move_by_hand(void* to, const void* from, size_t n) {
  if (address_of(to) - address_of(from) >= n) return copy_forward(to, from, n);
  auto* d = static_cast<volatile char*>(to);
  auto* s = static_cast<const volatile char*>(from);
  while (n-- > 0) d[n] = s[n];
  return to;
}
void* fill_by_hand(void* to, int value, size_t n) {
  void* d = to;
  asm volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(value) : "memory");
  return to;
}

void tell(void* to, const void* from, size_t n, const void* caller, bool surely_ours) {
  Table* t = t_table;
  if (!t || n == 0 || !(surely_ours || is_ours(caller))) return;
  const uint64_t pc = address_of(caller);
  if (t->copied_to == address_of(to) && t->copied_bytes == n) {  // gcc hooks a large assignment, and then calls
    t->copied_to = 0;
    return;
  }
  if (from) t->range(address_of(from), n, kLoad, pc);
  t->range(address_of(to), n, kStore, pc);
}

void* copied(void* to, const void* from, size_t n) {
  return g_memcpy ? g_memcpy(to, from, n) : copy_forward(to, from, n);
}
void* moved(void* to, const void* from, size_t n) {
  return g_memmove ? g_memmove(to, from, n) : move_by_hand(to, from, n);
}
void* filled(void* to, int value, size_t n) { return g_memset ? g_memset(to, value, n) : fill_by_hand(to, value, n); }

__attribute__((constructor)) void find_originals() {
  g_memcpy = reinterpret_cast<Copy>(dlsym(RTLD_NEXT, "memcpy"));
  g_memmove = reinterpret_cast<Copy>(dlsym(RTLD_NEXT, "memmove"));
  g_memset = reinterpret_cast<Fill>(dlsym(RTLD_NEXT, "memset"));
}

}  // namespace

EXPORT void* memcpy(void* to, const void* from, size_t n) {
  tell(to, from, n, __builtin_return_address(0), false);
  return copied(to, from, n);
}
EXPORT void* memmove(void* to, const void* from, size_t n) {
  tell(to, from, n, __builtin_return_address(0), false);
  return moved(to, from, n);
}
EXPORT void* memset(void* to, int value, size_t n) {
  tell(to, nullptr, n, __builtin_return_address(0), false);
  return filled(to, value, n);
}
EXPORT void* __tsan_memcpy(void* to, const void* from, size_t n) {
  tell(to, from, n, __builtin_return_address(0), true);
  return copied(to, from, n);
}
EXPORT void* __tsan_memmove(void* to, const void* from, size_t n) {
  tell(to, from, n, __builtin_return_address(0), true);
  return moved(to, from, n);
}
EXPORT void* __tsan_memset(void* to, int value, size_t n) {
  tell(to, nullptr, n, __builtin_return_address(0), true);
  return filled(to, value, n);
}
