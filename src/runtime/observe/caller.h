// Where in the program we were called.
#pragma once

namespace einkorn::runtime {

// Where the program called an entry point: the place of the return address on the stack. Costs nothing to make, and
// tools need both the address and the frame (ompt_frame_t::enter_frame). Converts to the address.
inline constexpr const void* kNowhere = nullptr;
struct Caller {
  const void* const* slot;
  constexpr explicit Caller(const void* const* s) : slot(s) {}
  constexpr Caller(decltype(nullptr)) : slot(&kNowhere) {}  // not known
  operator const void*() const { return *slot; }
  void* frame() const { return const_cast<void*>(static_cast<const void*>(slot + 1)); }
};

}  // namespace einkorn::runtime

// In an entry point itself, not in what it calls.
#define EK_CALLER (::einkorn::runtime::Caller{static_cast<const void* const*>(__builtin_dwarf_cfa()) - 1})
