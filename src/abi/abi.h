// What the entry points share. The files of this folder translate arguments, nothing else.
#pragma once
#include "base/platform.h"
#include "runtime/types.h"

// The frame pointer of the entry point's caller, where it has one: a tool's exit_frame where the program itself calls
// the code that it outlined.
#define EK_CALLERS_FRAME (*static_cast<void**>(__builtin_frame_address(0)))

namespace einkorn::abi {

using namespace einkorn::base;
using namespace einkorn::runtime;

// gcc's flags of a parallel region: the proc_bind clause in the low three bits.
inline void push_bind(Worker* w, unsigned flags) {
  if (EK_UNLIKELY(flags & 7)) w->pushed_bind = ProcBind(flags & 7);
}

// Stops the program with a message that names the construct, for what this version does not serve.
[[noreturn]] void unsupported(const char* construct, const char* symbol);

}  // namespace einkorn::abi
