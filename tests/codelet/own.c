/* Memory of their own that procedures have apart (own_bytes), from their first stretch to their last: it stays theirs while they wait,
 * and is there again for others afterwards, whoever ran them. Usage: own [SEED [RUNS]] */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <einkorn/codelet.h>

#define CHECK(what) \
  do { if (!(what)) { printf("line %d: %s does not hold\n", __LINE__, #what); exit(1); } } while (0)

/* Frames of two sizes, and own memory behind them, apart, and larger than the runtime's blocks. */
struct fib { int n, kind; long x, y, *result; };
struct wide { struct fib f; char more[100]; };
enum { kKinds = 6 };
static ek_next run_fib(ek_self *me);
#define FIB(frame, own) {"fib", __FILE__, run_fib, sizeof(frame), own, NULL, 0, EK_FREE}
static const ek_proc fibs[kKinds] = {FIB(struct fib, 16),  FIB(struct fib, 600),  FIB(struct wide, 24),
                                     FIB(struct wide, 900), FIB(struct fib, 3000), FIB(struct fib, 6000)};
static unsigned char mark_of(const struct fib *f) { return (unsigned char)(f->n * 7 + f->kind + 1); }

static ek_next run_fib(ek_self *me) {
  struct fib *f = (struct fib *)me->frame;
  unsigned char *own = (unsigned char *)me->own;
  const size_t size = me->proc->own_bytes;
  if (me->at == 0) {
    memset(own, mark_of(f), size);
    if (f->n < 2) {
      *f->result = f->n;
      return EK_END;
    }
    for (int k = 1; k <= 2; k++) {
      struct wide next = {{f->n - k, (f->kind + k) % kKinds, 0, 0, k == 1 ? &f->x : &f->y}, {0}};
      ek_invoke(me, &fibs[next.f.kind], &next);
    }
    EK_YIELD(me, 1, EK_WAIT);
  }
  for (size_t i = 0; i < size; i++) CHECK(own[i] == mark_of(f));
  *f->result = f->x + f->y;
  return EK_END;
}

static long resident_kb(void) {
  long all = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%ld %ld", &all, &resident) == 2);
  fclose(file);
  return resident * 4;
}

int main(int argc, char **argv) {
  const int seed = argc > 1 ? atoi(argv[1]) : 1, runs = argc > 2 ? atoi(argv[2]) : 200;
  if (!ek_on()) return puts("another runtime"), 0;
  long before = 0, most = 0;
  for (int i = 0; i < runs; i++) {
    long result = 0;
    struct wide root = {{13, (seed + i) % kKinds, 0, 0, &result}, {0}};
    if (i % 2) {
      ek_launch(&fibs[root.f.kind], &root);
    } else {
      #pragma omp parallel
      #pragma omp single
      ek_invoke(NULL, &fibs[root.f.kind], &root);
    }
    CHECK(result == 233);
    if (i < runs / 3) before = resident_kb();
    else if (resident_kb() > most) most = resident_kb();
  }
  /* What is lost in each run would be 200 kB and more, 26 MB in all; large blocks that are kept are 12 MB at most. Sanitizers keep what was freed, and recordings are kept in memory. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  if (!getenv("EINKORN_RECORD") && !getenv("EINKORN_TOOL_RECORD") && runs >= 100 && most > before + 16384) {
    printf("resident: %ld kB after a third of the runs, then %ld\n", before, most);
    return 1;
  }
#endif
  return 0;
}
