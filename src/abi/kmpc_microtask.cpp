// The call of a function that clang outlined, with as many arguments as it has.
#include "abi/kmpc.h"
#include "runtime/observe/tool.h"
#include "runtime/team/worker.h"

// Calls microtask(gtid, btid, argv[0], ..., argv[argc-1]) with any number of arguments. argv has room for kArgvRoom
// at least. frame: nullptr, or where its frame's address goes (a tool's exit_frame).
extern "C" void einkorn_invoke_microtask(void* microtask, int32_t* gtid, int32_t* btid, int argc, void** argv,
                                         void** frame);

#if defined(__x86_64__)
asm(R"(
.text
.globl einkorn_invoke_microtask
.hidden einkorn_invoke_microtask
.type einkorn_invoke_microtask,@function
einkorn_invoke_microtask:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  testq %r9, %r9
  jz 3f
  movq %rbp, (%r9)
3:
  movq %rdi, %rax
  movq %rsi, %rdi
  movq %rdx, %rsi
  movq %r8, %r10
  subl $4, %ecx
  jle 2f
  testl $1, %ecx
  jz 1f
  subq $8, %rsp           # the stack is 16-byte aligned at the call
1:
  pushq 24(%r10,%rcx,8)   # argv[3 + ecx], the last one first
  decl %ecx
  jnz 1b
2:
  movq (%r10), %rdx
  movq 8(%r10), %rcx
  movq 16(%r10), %r8
  movq 24(%r10), %r9
  call *%rax
  leave
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
  .size einkorn_invoke_microtask, .-einkorn_invoke_microtask
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl einkorn_invoke_microtask
.hidden einkorn_invoke_microtask
.type einkorn_invoke_microtask,@function
einkorn_invoke_microtask:
  .cfi_startproc
  hint #34                       // bti c
  stp x29, x30, [sp, #-16]!
  .cfi_def_cfa_offset 16
  .cfi_offset x29, -16
  .cfi_offset x30, -8
  mov x29, sp
  .cfi_def_cfa_register x29
  cbz x5, 3f
  str x29, [x5]
3:
  mov x16, x0
  mov x17, x4                    // argv
  subs w9, w3, #6                // those of argv that are on the stack
  b.le 2f
  add w10, w9, #1
  and w10, w10, #-2              // the stack is 16-byte aligned at the call
  sub sp, sp, w10, uxtw #3
  add x11, x17, #48
  mov x12, sp
1:
  ldr x13, [x11], #8
  str x13, [x12], #8
  subs w9, w9, #1
  b.ne 1b
2:
  mov x0, x1
  mov x1, x2
  ldp x2, x3, [x17]
  ldp x4, x5, [x17, #16]
  ldp x6, x7, [x17, #32]
  blr x16
  mov sp, x29
  .cfi_def_cfa_register sp
  ldp x29, x30, [sp], #16
  .cfi_def_cfa_offset 0
  .cfi_restore x29
  .cfi_restore x30
  ret
  .cfi_endproc
  .size einkorn_invoke_microtask, .-einkorn_invoke_microtask
)");
#endif

namespace einkorn::abi {

void run_microtask(void* data) {
  auto* m = static_cast<Microtask*>(data);
  Worker* w = self();
  int32_t gtid = w->id, btid = w->thread_num;
  void** frame = EK_UNLIKELY(w->tool != nullptr) ? &w->tool->task->frame.exit_frame.ptr : nullptr;
  einkorn_invoke_microtask(m->fn, &gtid, &btid, m->argc, m->argv, frame);
}

}  // namespace einkorn::abi
