// sigaction() and signal() of the program, for the sake of one signal: once ompx_next_touch() is used, SIGSEGV is
// handled by src/memory/next_touch.cpp, and what the program asks for there is kept and called by it. A handler that
// the program installs later would else take the faults of pages that wait for their next touch. Everything else goes
// on to the C library.
//
// Under the C library's own version (EINKORN_GLIBC_NODE, by architecture), and not as the default one: what is loaded
// together with us finds these first; what is linked against us does not take them for ours.
#include "abi/abi.h"
#include "memory/next_touch.h"

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
EK_EXPORT int einkorn_sigaction(int signal, const struct sigaction* wanted, struct sigaction* before) {
  return einkorn::memory::programs_sigaction(signal, wanted, before);
}
EK_EXPORT sighandler_t einkorn_signal(int signal, sighandler_t wanted) {
  return einkorn::memory::programs_signal(signal, wanted);
}
__asm__(".symver einkorn_sigaction, sigaction@" EINKORN_GLIBC_NODE);
__asm__(".symver einkorn_signal, signal@" EINKORN_GLIBC_NODE);
#endif
