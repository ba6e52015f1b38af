// Whose call is an allocation?
#pragma once

namespace einkorn::runtime {

// The return address of the innermost call that is not from a library of the compiler's or the C library, given that of
// the call of malloc() itself: operator new and Fortran's runtime call it for the program. Where the stack cannot be
// followed so far, the one given. Any thread may ask, also one that a constructor of a library waits for: it does not
// take the lock that dlopen() holds meanwhile, which dladdr() and dlsym() do.
const void* who_calls(const void* return_address);

}  // namespace einkorn::runtime
