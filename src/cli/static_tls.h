// Thread-local storage that a program's libraries must have in each thread's static block.
#pragma once
#include <string>
#include <vector>

namespace einkorn::cli {

// The value that GLIBC_TUNABLES needs for the program to start under LD_AUDIT; "": leave it as it is. Under LD_AUDIT
// glibc lays out the static block before it has loaded the libraries. All libraries that need some of it
// (ThreadSanitizer's, LeakSanitizer's, jemalloc) must then share the 1.6 KB that glibc reserves for
// libraries opened later; if that is not enough, the program ends before it has begun. Without LD_AUDIT the block is as
// large as its libraries require. This makes it as large here, and no larger: it is taken off each thread's stack.
// libraries: the program's (libraries.h). `replaced`: those whose file name begins so are not loaded (empty: none).
std::string tunables_for(const std::vector<std::string>& libraries, const std::string& replaced);

}  // namespace einkorn::cli
