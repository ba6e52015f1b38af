// Where in the program we were called.
#pragma once

namespace einkorn::runtime {

// Where the program called an entry point. Tools need both the return address and the frame
// (ompt_frame_t::enter_frame). Converts to the address.
#if defined(__x86_64__)
// The place of the return address on the stack, which costs nothing to make. It stays where an entry point ends by a
// jump.
inline constexpr const void* kNowhere = nullptr;
struct Caller {
  const void* const* slot;
  constexpr explicit Caller(const void* const* s) : slot(s) {}
  constexpr Caller(decltype(nullptr)) : slot(&kNowhere) {}  // not known
  operator const void*() const { return *slot; }
  void* frame() const { return const_cast<void*>(static_cast<const void*>(slot + 1)); }
};
#else
// Elsewhere a call leaves it in a register. On the stack it is only as long as the entry point has its frame: not when
// that has jumped to what comes next.
struct Caller {
  const void* address;
  void* top;  // of the entry point's frame
  constexpr Caller(const void* a, void* t) : address(a), top(t) {}
  explicit Caller(const void* const* kept) : address(*kept), top(const_cast<const void**>(kept + 1)) {}
  constexpr Caller(decltype(nullptr)) : address(nullptr), top(nullptr) {}  // not known
  operator const void*() const { return address; }
  void* frame() const { return top; }
};
#endif

}  // namespace einkorn::runtime

// In an entry point itself, not in what it calls.
#if defined(__x86_64__)
#define EK_CALLER (::einkorn::runtime::Caller{static_cast<const void* const*>(__builtin_dwarf_cfa()) - 1})
#else
#define EK_CALLER (::einkorn::runtime::Caller{__builtin_return_address(0), __builtin_dwarf_cfa()})
#endif
