// Pages that move to whoever touches them next: taken out of reach with mprotect(2), so that the first access faults; the
// handler for SIGSEGV moves the page to the node of the thread that faulted and lets it go on.
//
// The page map's word says how far a page is: kArming, kArmed; kMoving while one thread moves it, on which others that faulted on the
// same page sleep (futex on the word); neither: done. A fault on a page that is none of these and can be read or written by
// now was ours, only late. Every other fault is the program's, and so is its handler: whatever sigaction() and signal() were
// told, before or after, is kept here and called as the kernel would have.
#pragma once
#include <csignal>
#include <cstddef>

namespace einkorn::memory {

// Pages that lie wholly in the range. 0, or EINVAL, ENOMEM, EPERM (ompx_locality.h).
int next_touch(void* p, size_t bytes);

// The same on a machine of one node as well, where there is nothing to gain: for tests.
int arm_pages(void* p, size_t bytes);

// sigaction() and signal() of the program. For other signals, and until the first page is armed, they are the system's.
int programs_sigaction(int signal, const struct sigaction* wanted, struct sigaction* before);
sighandler_t programs_signal(int signal, sighandler_t wanted);

void next_touch_reset_lock();  // in the child of a fork

}  // namespace einkorn::memory
