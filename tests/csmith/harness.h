/* What the generated programs of a file share. The same text is compiled with -fopenmp, and without as the reference:
 * then main() calls a case once for each id, in order, and a region's body is what one thread does. A case is written
 * so that both give the same sums (README.md says how). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#define ME omp_get_thread_num()
#define KEPT(before, now) (now)
#define ASK_FOR(n) omp_set_num_threads(n)
#else
#define ME serial_id
#define KEPT(before, now) (before) /* what a region has a copy of: here it works with the variable itself */
#define ASK_FOR(n) (void)(n)
#endif

typedef uint64_t sum_t;
typedef void (*case_function)(int n, sum_t *out, sum_t *total);

static int serial_id;
static int own_first, own_step = 1; /* iteration i of a loop of n with these is done by thread i % n */
static int once = 1;                /* 0 for all ids but 0 in the reference: what all threads do once together */
static int zero, one = 1, two = 2, three = 3; /* numbers that stay what they are */
static const char *const texts[] = {"barrier", "single", "taskwait", "sections", "codelet", "instance"};

static __attribute__((unused)) int asked(int n) { return n; }

static inline sum_t mix(sum_t s, uint64_t value) {
  s = (s ^ value) * 0x9e3779b97f4a7c15u;
  return s ^ s >> 29;
}

#define OF_TYPE(name, type, value, back)                                    \
  static __attribute__((unused)) void set_##name(type *p, int count, unsigned v) { \
    for (int k = 0; k < count; k++, v += 3) p[k] = (type)(value);           \
  }                                                                         \
  static __attribute__((unused)) unsigned get_##name(const type *p, int count) { \
    unsigned all = 0;                                                       \
    for (int k = 0; k < count; k++) all = all * 5 + (unsigned)(back)p[k];   \
    return all;                                                             \
  }

OF_TYPE(char, char, v & 127, int)
OF_TYPE(schar, signed char, v & 127, int)
OF_TYPE(uchar, unsigned char, v & 255, int)
OF_TYPE(short, short, v & 32767, int)
OF_TYPE(ushort, unsigned short, v & 65535, int)
OF_TYPE(int, int, v & 0x7fffffff, int)
OF_TYPE(unsigned, unsigned, v, unsigned)
OF_TYPE(long, long, v, long)
OF_TYPE(ulong, unsigned long, v, unsigned long)
OF_TYPE(llong, long long, v, long long)
OF_TYPE(bool, _Bool, v & 1, int)
OF_TYPE(float, float, v & 1023, int)
OF_TYPE(double, double, v & 1023, int)
OF_TYPE(ldouble, long double, v & 1023, int)

enum color { red, green, blue, black };
OF_TYPE(color, enum color, v & 3, int)
typedef unsigned word;
typedef int (*function)(int);
static int twice(int v) { return (v & 0xffff) * 2; }
static int thrice(int v) { return (v & 0xffff) * 3; }
static __attribute__((unused)) function functions(unsigned which) { return which & 1 ? twice : thrice; }
