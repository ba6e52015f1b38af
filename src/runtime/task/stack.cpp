#include "runtime/task/stack.h"

#include "base/leaks.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

// Of ld.so: the top of the first thread's stack. pthread_getattr_np() would read /proc/self/maps for it.
extern "C" void* __libc_stack_end __attribute__((weak));

namespace einkorn::runtime {

namespace {

constexpr size_t kDefaultBytes = 8 << 20;
constexpr size_t kGuard = 64 << 10;
constexpr int kKept = 2;  // stacks that a thread keeps for the next time

// What is left when a stack counts as low: enough for a task with large local data, and for the C library below it.
size_t reserve_of(size_t bytes) { return bytes / 4; }

size_t bytes_of_new() { return g_config.stack_bytes > kDefaultBytes ? g_config.stack_bytes : kDefaultBytes; }

#if defined(__x86_64__) || defined(__aarch64__)
// The stack pointer = top, call fn(arg), the stack pointer as before: an ordinary call, so that fn itself keeps all
// other registers that a call keeps (aarch64: x19-x28, d8-d15, the control of floating point). The frame is described
// through the frame pointer, so debuggers and unwinders pass it.
extern "C" void einkorn_switch_stack(void* top, void (*fn)(void*), void* arg) __attribute__((visibility("hidden")));
#endif
#if defined(__x86_64__)
__asm__(R"(
  .text
  .globl einkorn_switch_stack
  .hidden einkorn_switch_stack
  .type einkorn_switch_stack,@function
einkorn_switch_stack:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  movq %rdi, %rsp
  movq %rdx, %rdi
  callq *%rsi
  movq %rbp, %rsp
  popq %rbp
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
  .size einkorn_switch_stack,.-einkorn_switch_stack
)");
constexpr bool kCanSwitch = true;
#elif defined(__aarch64__)
__asm__(R"(
  .text
  .globl einkorn_switch_stack
  .hidden einkorn_switch_stack
  .type einkorn_switch_stack,@function
einkorn_switch_stack:
  .cfi_startproc
  hint #34                  // bti c: in programs whose indirect calls are checked
  stp x29, x30, [sp, #-16]!
  .cfi_def_cfa_offset 16
  .cfi_offset x29, -16
  .cfi_offset x30, -8
  mov x29, sp
  .cfi_def_cfa_register x29
  mov sp, x0
  mov x0, x2
  blr x1
  mov sp, x29
  .cfi_def_cfa_register sp
  ldp x29, x30, [sp], #16
  .cfi_def_cfa_offset 0
  .cfi_restore x29
  .cfi_restore x30
  ret
  .cfi_endproc
  .size einkorn_switch_stack,.-einkorn_switch_stack
)");
constexpr bool kCanSwitch = true;
#else
void einkorn_switch_stack(void*, void (*fn)(void*), void* arg) { fn(arg); }
constexpr bool kCanSwitch = false;
#endif

}  // namespace

void find_stack(Worker* w, bool initial) {
  w->stack_low = nullptr;
  if (!kCanSwitch) return;
  rlimit limit;
  if (initial && &__libc_stack_end && __libc_stack_end && getrlimit(RLIMIT_STACK, &limit) == 0) {
    if (limit.rlim_cur == RLIM_INFINITY) return;  // it grows as far as memory goes
    w->stack_low = static_cast<char*>(__libc_stack_end) - limit.rlim_cur + reserve_of(limit.rlim_cur);
    return;
  }
  pthread_attr_t attr;
  if (pthread_getattr_np(pthread_self(), &attr) != 0) return;
  void* low;
  size_t bytes;
  if (pthread_attr_getstack(&attr, &low, &bytes) == 0) w->stack_low = static_cast<char*>(low) + reserve_of(bytes);
  pthread_attr_destroy(&attr);
}

void call_on_new_stack(Worker* w, void (*fn)(void*), void* arg) {
  char* before = w->stack_low;
  size_t bytes = bytes_of_new();
  char* base = w->spare_stacks;
  if (base) {
    // The link to the next one lies at the top end.
    w->spare_stacks = *reinterpret_cast<char**>(base + kGuard + bytes - sizeof(char*));
    --w->spare_stack_count;
  } else {
    void* p = mmap(nullptr, kGuard + bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (p == MAP_FAILED) {
      static std::atomic<bool> said{false};
      if (!said.exchange(true, std::memory_order_relaxed))
        warn("no memory for a further stack: a deep recursion of tasks may overflow");
      // Not asked again below here: what is left may be just enough.
      w->stack_low = nullptr;
      fn(arg);
      w->stack_low = before;
      return;
    }
    base = static_cast<char*>(p);
    mprotect(base, kGuard, PROT_NONE);
    base::leaks_look_in(base + kGuard, bytes);
  }
  w->stack_low = base + kGuard + reserve_of(bytes);
  einkorn_switch_stack(base + kGuard + bytes - 64, fn, arg);  // 16-byte aligned, as before any call
  w->stack_low = before;
  if (w->spare_stack_count < kKept) {
    *reinterpret_cast<char**>(base + kGuard + bytes - sizeof(char*)) = w->spare_stacks;
    w->spare_stacks = base;
    ++w->spare_stack_count;
  } else {
    base::leaks_look_no_more_in(base + kGuard, bytes);
    munmap(base, kGuard + bytes);
  }
}

}  // namespace einkorn::runtime
