// What the companion (companion.h) may do. It shares the program's memory, so whoever takes over the program can make
// the companion do anything that the kernel lets it do. It writes to one descriptor and reads files, and needs nothing
// else: no capability, no user that is root, no other system call.
#pragma once
#include <sys/types.h>

namespace einkorn::record {

// Both are for the companion alone, and call nothing of the C library's.
// Gives up all capabilities and the right to get any. Where it is root, it becomes nobody. This unsets the signal of
// the parent's death.
void drop_privileges();
// Forbids all system calls but those of a writer, with EPERM. Where the kernel takes no filter there is none.
void forbid_system_calls();

}  // namespace einkorn::record
