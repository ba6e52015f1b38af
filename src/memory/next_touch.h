// Pages that move to the node of the thread that touches them next. mprotect(2) makes them inaccessible, so that the
// first access faults; the handler for SIGSEGV moves the page to the node of the faulting thread and lets it go on.
//
// The page map's word holds the state of a page: kArming, kArmed, or kMoving while one thread moves it; other threads
// that faulted on the same page sleep meanwhile (futex on the word). None of these: done. A fault on a page that has no
// such state, and by now can be read or written, was ours and is served already. Every other fault is the program's:
// the handler that it installed by sigaction() or signal(), before or after, is kept here and called as the kernel
// would have called it.
#pragma once
#include <csignal>
#include <cstddef>

namespace einkorn::memory {

// Arms the pages that lie wholly in the range. Returns 0, or EINVAL, ENOMEM, EPERM (ompx_locality.h).
int next_touch(void* p, size_t bytes);

// The same on a machine of one node as well, where there is nothing to gain: for tests.
int arm_pages(void* p, size_t bytes);

// The program's sigaction() and signal(). For other signals, and until the first page is armed, they call the system's.
int programs_sigaction(int signal, const struct sigaction* wanted, struct sigaction* before);
sighandler_t programs_signal(int signal, sighandler_t wanted);

void next_touch_reset_lock();  // in the child of a fork

}  // namespace einkorn::memory
