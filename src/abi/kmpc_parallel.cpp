// clang's parallel regions and thread queries. LLVM 19: kmp_csupport.cpp.
#include <cstdarg>

#include "abi/kmpc.h"
#include "runtime/team/team.h"
#include "runtime/observe/tool.h"
#include "runtime/team/worker.h"

using namespace einkorn::abi;

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

// num_threads(strict: list) for the next region; the list follows.
struct einkorn::runtime::PushedThreads {
  bool strict;
  int severity;
  const char* message;
  int count;
  int* values() { return reinterpret_cast<int*>(this + 1); }
};

namespace {

int pushed_threads(Worker* w) {
  int n = w->pushed_threads;
  w->pushed_threads = 0;
  return n;
}

void push(uint32_t count, const int32_t* values, bool strict, int severity, const char* message) {
  Worker* w = self();
  free(w->pushed_list);
  auto* p = static_cast<PushedThreads*>(malloc(sizeof(PushedThreads) + sizeof(int) * count));
  if (!p) fatal("out of memory: num_threads");
  p->strict = strict;
  p->severity = severity;
  p->message = message;
  p->count = int(count);
  for (uint32_t i = 0; i < count; ++i) p->values()[i] = values[i] > 0 ? values[i] : 1;
  w->pushed_list = p;
}

EK_NOINLINE void fork_with_list(Worker* w, void* microtask, Microtask* m, bool cond, Caller ra) {
  PushedThreads* p = w->pushed_list;
  w->pushed_list = nullptr;
  int asked = p->count > 0 ? p->values()[0] : 0;
  w->nested = p->values() + 1;
  w->nested_count = p->count - 1;
  Region r;
  region_begin(w, &r, run_microtask, m, cond ? asked : 1, microtask, ra, einkorn::record::kSiteClang);
  int got = r.team->n;
  if (cond && p->strict && got < asked) {
    const char* text = p->message ? p->message : "num_threads(strict) asks for more threads than there are";
    if (p->severity == 2) fatal("%s (%d asked for, %d given)", text, asked, got);
    warn("%s (%d asked for, %d given)", text, asked, got);
  }
  run_microtask(m);
  region_end(w, &r);
  free(p);
}

void fork(Worker* w, void* microtask, int argc, void** argv, bool cond, Caller ra) {
  Microtask m{microtask, argc, argv};
  int threads = pushed_threads(w);
  if (EK_UNLIKELY(w->pushed_list != nullptr)) return fork_with_list(w, microtask, &m, cond, ra);
  parallel(w, run_microtask, &m, cond ? threads : 1, microtask, ra, einkorn::record::kSiteClang);
}

}  // namespace

EK_EXPORT void __kmpc_fork_call(const Ident*, int32_t argc, void* microtask, ...) {
  auto** argv = static_cast<void**>(__builtin_alloca(sizeof(void*) * size_t(argc < kArgvRoom ? kArgvRoom : argc)));
  va_list args;
  va_start(args, microtask);
  for (int i = 0; i < argc; ++i) argv[i] = va_arg(args, void*);
  va_end(args);
  fork(self(), microtask, argc, argv, true, EK_CALLER);
}

// args is the region's only argument.
EK_EXPORT void __kmpc_fork_call_if(const Ident*, int32_t argc, void* microtask, int32_t cond, void* args) {
  void* argv[kArgvRoom] = {args};
  fork(self(), microtask, argc < 1 ? argc : 1, argv, cond != 0, EK_CALLER);
}

EK_EXPORT void __kmpc_push_num_threads(const Ident*, int32_t, int32_t n) { self()->pushed_threads = n > 0 ? n : 0; }
EK_EXPORT void __kmpc_push_num_threads_strict(const Ident*, int32_t, int32_t n, int severity, const char* message) {
  push(1, &n, true, severity, message);
}
EK_EXPORT void __kmpc_push_num_threads_list(const Ident*, int32_t, uint32_t count, const int32_t* list) {
  push(count, list, false, 0, nullptr);
}
EK_EXPORT void __kmpc_push_num_threads_list_strict(const Ident*, int32_t, uint32_t count, const int32_t* list,
                                                   int severity, const char* message) {
  push(count, list, true, severity, message);
}
EK_EXPORT void __kmpc_pop_num_threads(const Ident*, int32_t) {}
// clang's numbers: 2 master, 3 close, 4 spread, 5 primary; others say nothing.
EK_EXPORT void __kmpc_push_proc_bind(const Ident*, int32_t, int policy) {
  if (policy == 5) policy = 2;
  self()->pushed_bind = policy >= 2 && policy <= 4 ? ProcBind(policy) : ProcBind::off;
}

// if(false): the compiler calls the outlined function itself between these two.
EK_EXPORT void __kmpc_serialized_parallel(const Ident*, int32_t) {
  Worker* w = self();
  w->pushed_threads = 0;
  free(w->pushed_list);
  w->pushed_list = nullptr;
  region_begin(w, push_region(w), nullptr, nullptr, 1, nullptr, EK_CALLER, einkorn::record::kSiteClang);
  if (EK_UNLIKELY(w->tool != nullptr)) tool::set_exit_frame(w, EK_CALLERS_FRAME);
}
EK_EXPORT void __kmpc_end_serialized_parallel(const Ident*, int32_t) {
  Worker* w = self();
  region_end(w, w->open_regions);
  pop_region(w);
}

EK_EXPORT int32_t __kmpc_global_thread_num(const Ident*) { return self()->id; }
EK_EXPORT int32_t __kmpc_global_num_threads(const Ident*) { return 1 + g_busy_threads.load(std::memory_order_relaxed); }
EK_EXPORT int32_t __kmpc_bound_thread_num(const Ident*) { return self()->thread_num; }
EK_EXPORT int32_t __kmpc_bound_num_threads(const Ident*) { return self()->team->n; }
EK_EXPORT int32_t __kmpc_in_parallel(const Ident*) { return self()->team->active_level > 0; }
EK_EXPORT int32_t __kmpc_ok_to_fork(const Ident*) { return 1; }
EK_EXPORT void __kmpc_begin(const Ident*, int32_t) {}
EK_EXPORT void __kmpc_end(const Ident*) {}
