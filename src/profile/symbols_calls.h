// Examines the code before a return address: was it a call into the OpenMP runtime at all? x86-64 and aarch64,
// whichever the file is for.
#pragma once
#include <cstdint>
#include <initializer_list>
#include "profile/symbols_module.h"

namespace einkorn::profile {

enum class CallKind {
  runtime,     // a call of a runtime entry: the return address is the construct's
  other,       // a call of another function, which must have jumped into the runtime at its end
  unknowable,  // no code at hand, or of another architecture
};
struct Call {
  CallKind kind = CallKind::unknowable;
  uint64_t target = 0;  // other: the function called; 0: the code does not tell
};
Call call_before(ModuleFile&, uint64_t return_address);

// An address in the next call, in the function of `from` and behind it, with which a loop asks for its next chunk (or
// section). 0: there is none.
uint64_t next_chunk_call_after(ModuleFile&, uint64_t from);

// Does the address follow a call whose target the code tells?
bool follows_a_call(ModuleFile&, uint64_t address);

// The address of the jump to a runtime entry whose name contains one of `parts`, in the function that begins at
// `entry`. 0: there is none, or there are several.
uint64_t runtime_jump_in(ModuleFile&, uint64_t entry, std::initializer_list<const char*> parts);

}  // namespace einkorn::profile
