// System calls without the C library, for the companion (companion.h). The C library's functions are not always the C
// library's: a sanitizer that is in the process replaces clone(), close(), sigaction() and others. It would take the
// companion for the child of a fork, and the companion's descriptors and signal actions for the program's.
#pragma once
#include <csignal>
#include <cstdint>
#include <sys/syscall.h>

namespace einkorn::record {

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
constexpr bool kCompanionPossible = true;

// Leaves the calling thread's state alone: no errno, no cancellation. Returns the negative error number on failure.
inline long bare(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory");
  return result;
}

// Makes a process that runs f() on the stack that ends at `stack_end`, and exits with what f() returns.
inline long bare_clone(long flags, void* stack_end, void* child_word, int (*f)()) {
  register void* r10 __asm__("r10") = child_word;
  register int (*r12)() __asm__("r12") = f;
  long result;
  __asm__ volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xorl %%ebp, %%ebp\n\t"
      "callq *%%r12\n\t"
      "movl %%eax, %%edi\n\t"
      "movl %[exit], %%eax\n\t"
      "syscall\n\t"
      "hlt\n"
      "1:"
      : "=a"(result)
      : "a"(SYS_clone), "D"(flags), "S"(stack_end), "d"(0), "r"(r10), "r"(r12), [exit] "i"(SYS_exit)
      : "rcx", "r11", "memory", "cc");
  return result;
}

// The kernel returns from a signal handler to this code, which the C library would have brought.
__attribute__((naked, noinline)) inline void return_from_signal() {
  __asm__ volatile("movl %0, %%eax\n\tsyscall" : : "i"(SYS_rt_sigreturn));
}
constexpr uint64_t kRestorer = 0x04000000;  // SA_RESTORER, which only the kernel's headers have

// Valgrind does not support this kind of clone() and would end the program. This asks whether it is there, as
// valgrind.h does: by rotations that cancel out.
inline bool under_valgrind() {
  volatile unsigned long question[6] = {0x1001, 0, 0, 0, 0, 0};
  unsigned long answer = 0;
  __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                   : "=d"(answer)
                   : "a"(&question[0]), "0"(answer)
                   : "cc", "memory");
  return answer != 0;
}
#elif defined(__aarch64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
constexpr bool kCompanionPossible = true;

// As above.
inline long bare(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory", "cc");
  return x0;
}

// As above. The order of the arguments is this architecture's.
inline long bare_clone(long flags, void* stack_end, void* child_word, int (*f)()) {
  register long x8 __asm__("x8") = SYS_clone;
  register long x0 __asm__("x0") = flags;
  register void* x1 __asm__("x1") = stack_end;
  register long x2 __asm__("x2") = 0;
  register long x3 __asm__("x3") = 0;
  register void* x4 __asm__("x4") = child_word;
  register int (*x19)() __asm__("x19") = f;
  __asm__ volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, xzr\n\t"
      "blr x19\n\t"
      "mov x8, %[exit]\n\t"
      "svc #0\n\t"
      "brk #1\n"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x19), [exit] "i"(SYS_exit)
      : "memory", "cc");
  return x0;
}

inline void return_from_signal() {}
constexpr uint64_t kRestorer = 0;  // the kernel brings the code itself

// As above, in the words of this architecture.
inline bool under_valgrind() {
  volatile unsigned long question[6] = {0x1001, 0, 0, 0, 0, 0};
  register unsigned long x3 __asm__("x3") = 0;
  register volatile unsigned long* x4 __asm__("x4") = question;
  __asm__ volatile("ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61; orr x10, x10, x10"
                   : "+r"(x3)
                   : "r"(x4)
                   : "cc", "memory", "x12");
  return x3 != 0;
}
#else
constexpr bool kCompanionPossible = false;
inline long bare(long, long = 0, long = 0, long = 0, long = 0, long = 0) { return -1; }
inline long bare_clone(long, void*, void*, int (*)()) { return -1; }
inline void return_from_signal() {}
constexpr uint64_t kRestorer = 0;
inline bool under_valgrind() { return true; }
#endif

// Sets the action of a signal in the calling process. With SA_RESTART.
inline void bare_sigaction(int signal, void (*handler)(int)) {
  struct {  // as the kernel has it
    void (*handler)(int);
    uint64_t flags;
    void (*restorer)();
    uint64_t mask;
  } action = {handler, uint64_t(SA_RESTART) | kRestorer, return_from_signal, 0};
  bare(SYS_rt_sigaction, signal, reinterpret_cast<long>(&action), 0, sizeof action.mask);
}

inline void bare_unblock(uint64_t signals) {
  bare(SYS_rt_sigprocmask, SIG_UNBLOCK, reinterpret_cast<long>(&signals), 0, sizeof signals);
}

}  // namespace einkorn::record
