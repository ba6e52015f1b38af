// Both compilers' OpenMP entry points as far as program.cc needs them: runs everything at once, by one thread, and
// writes down what a runtime gets to see. One line a call: construct, function, return address, text.
#define _GNU_SOURCE
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE* out;
static void* current;  // outlined function that runs

static int program(struct dl_phdr_info* i, size_t n, void* p) {
  (void)n;
  *(unsigned long*)p = i->dlpi_addr;
  return 1;
}
static void site(const char* construct, void* function, void* ra, const char* text) {
  if (!out) {
    unsigned long base = 0;
    out = fopen(getenv("SITES"), "w");
    if (!out) abort();
    dl_iterate_phdr(program, &base);
    fprintf(out, "base %lx 0 ;\n", base);
  }
  fprintf(out, "%s %lx %lx %s\n", construct, (unsigned long)function, (unsigned long)ra, text ? text : ";");
  fflush(out);
}
#define RA __builtin_return_address(0)

static void run(void (*f)(void*), void* data) {
  void* outer = current;
  current = (void*)f;
  f(data);
  current = outer;
}

// ---- gcc
void GOMP_parallel(void (*f)(void*), void* data, unsigned n, unsigned flags) {
  (void)n, (void)flags;
  site("parallel", (void*)f, RA, 0);
  run(f, data);
}
void GOMP_task(void (*f)(void*), void* data, void (*copy)(void*, void*), long size, long align, _Bool iff, unsigned flags,
               void** depend, int priority, void* detach) {
  (void)align, (void)iff, (void)flags, (void)depend, (void)priority, (void)detach;
  char memory[256] __attribute__((aligned(64)));
  site("task", (void*)f, RA, 0);
  if (copy) copy(memory, data);
  else memcpy(memory, data, size);
  run(f, memory);
}
void GOMP_taskwait(void) { site("taskwait", current, RA, 0); }
void GOMP_barrier(void) { site("barrier", current, RA, 0); }
void GOMP_critical_name_start(void** p) { (void)p, site("critical", current, RA, 0); }
void GOMP_critical_name_end(void** p) { (void)p; }
_Bool GOMP_single_start(void) { return 1; }
static long next_, end_;
_Bool GOMP_loop_nonmonotonic_dynamic_start(long a, long b, long step, long chunk, long* lo, long* hi) {
  (void)step, (void)chunk;
  site("loop", current, RA, 0);
  *lo = a, *hi = b;
  return a < b;
}
_Bool GOMP_loop_nonmonotonic_dynamic_next(long* lo, long* hi) { return (void)lo, (void)hi, 0; }
void GOMP_loop_end_nowait(void) {}

// ---- clang
typedef struct { int reserved1, flags, reserved2, reserved3; const char* source; } ident;
typedef struct { void* shareds; int (*entry)(int, void*); int part; void* data[2]; } task;
int __kmpc_global_thread_num(ident* l) { return (void)l, 0; }
void __kmpc_fork_call(ident* l, int argc, void (*f)(int*, int*, ...), ...) {
  int zero = 0;
  void* a[4] = {0};
  void* outer = current;
  va_list v;
  va_start(v, f);
  for (int i = 0; i < argc && i < 4; ++i) a[i] = va_arg(v, void*);
  va_end(v);
  site("parallel", (void*)f, RA, l->source);
  current = (void*)f;
  f(&zero, &zero, a[0], a[1], a[2], a[3]);
  current = outer;
}
task* __kmpc_omp_task_alloc(ident* l, int gtid, int flags, size_t size, size_t shareds, int (*entry)(int, void*)) {
  (void)l, (void)gtid, (void)flags;
  size = (size + 15) & ~15ul;
  task* t = calloc(1, size + shareds + 16);
  t->entry = entry;
  t->shareds = shareds ? (char*)t + size : 0;
  return t;
}
int __kmpc_omp_task(ident* l, int gtid, task* t) {
  site("task", (void*)t->entry, RA, l->source);
  void* outer = current;
  current = (void*)t->entry;
  t->entry(gtid, t);
  current = outer;
  free(t);
  return 0;
}
int __kmpc_omp_taskwait(ident* l, int g) { return (void)g, site("taskwait", current, RA, l->source), 0; }
void __kmpc_barrier(ident* l, int g) { (void)g, site(l->flags & 0x20 ? "barrier" : "implicit", current, RA, l->source); }
void __kmpc_critical(ident* l, int g, void* p) { (void)g, (void)p, site("critical", current, RA, l->source); }
void __kmpc_end_critical(ident* l, int g, void* p) { (void)l, (void)g, (void)p; }
int __kmpc_single(ident* l, int g) { return (void)l, (void)g, 1; }
void __kmpc_end_single(ident* l, int g) { (void)l, (void)g; }
void __kmpc_dispatch_init_4(ident* l, int g, int schedule, int lo, int hi, int step, int chunk) {
  (void)g, (void)schedule, (void)step, (void)chunk;
  site("loop", current, RA, l->source);
  next_ = lo, end_ = hi;
}
int __kmpc_dispatch_next_4(ident* l, int g, int* last, int* lo, int* hi, int* step) {
  (void)l, (void)g;
  if (next_ > end_) return 0;
  *last = 1, *lo = (int)next_, *hi = (int)end_, *step = 1;
  next_ = end_ + 1;
  return 1;
}
void __kmpc_dispatch_deinit(ident* l, int g) { (void)l, (void)g; }
