// Thread-local storage that a program's libraries must have in each thread's static block.
#pragma once
#include <string>

#include "cli/target.h"

namespace einkorn::cli {

// What GLIBC_TUNABLES has to be for the program to start under LD_AUDIT, or "": as it is. There glibc lays out the static
// block before it has loaded the libraries, so that all which need some (DF_STATIC_TLS: ThreadSanitizer's, LeakSanitizer's,
// jemalloc) must do with the 1.6 KB that it keeps for what is opened later, and the program ends before it has begun. Without
// LD_AUDIT the block is as large as its libraries want; this makes it as large here, and no larger: it is taken off each
// thread's stack. `replaced`: libraries whose file name begins so are not loaded (empty: none).
std::string tunables_for(const Target& target, const std::string& replaced);

}  // namespace einkorn::cli
