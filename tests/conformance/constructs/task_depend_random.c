// Dependences at random: each task knows how many writers of its addresses come before it, and finds just their values, also
// where tasks leave children behind, have tasks with dependences of their own, or exclude each other.
#include "check.h"

enum { kAddresses = 24 };
static int value[kAddresses];
static uint64_t state = 88172645463325252u;

static unsigned draw(unsigned below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state >> 11) % below;
}

static void work(unsigned n) {
  for (volatile unsigned i = 0; i < n; ++i) continue;
}
static void reads(int a, int expected) { CHECK_EQUAL(__atomic_load_n(&value[a], __ATOMIC_RELAXED), expected); }
static void writes(int a, int expected) {
  CHECK_EQUAL(value[a], expected);
  value[a] = expected + 1;
}
static void leave_child(void) {
#pragma omp task
  work(50);
}
static void chain_of_its_own(void) {
  char link;
  (void)link;
  int steps = 0;
  for (int i = 0; i < 4; ++i) {
#pragma omp task depend(inout : link) shared(steps)
    ++steps;
  }
#pragma omp taskwait
  CHECK_EQUAL(steps, 4);
}

static void some_tasks(int tasks) {
  int writers[kAddresses] = {0};
  memset(value, 0, sizeof value);
  for (int i = 0; i < tasks; ++i) {
    int a = (int)draw(kAddresses), b = (a + 1 + (int)draw(kAddresses / 2)) % kAddresses, c = (b + 5) % kAddresses;
    if (c == a) c = (a + 3) % kAddresses;
    if (c == b) c = (b + 1) % kAddresses;
    int va = writers[a], vb = writers[b], vc = writers[c];
    unsigned n = draw(200);
    switch (draw(8)) {
      case 0:
#pragma omp task depend(out : value[a]) firstprivate(a, va, n)
        {
          work(n);
          writes(a, va);
        }
        writers[a]++;
        break;
      case 1:
      case 2:
      case 3:
#pragma omp task depend(in : value[a]) firstprivate(a, va, n)
        {
          reads(a, va);
          work(n);
          reads(a, va);
        }
        break;
      case 4:
#pragma omp task depend(in : value[a], value[b]) depend(inout : value[c]) firstprivate(a, b, c, va, vb, vc, n)
        {
          reads(a, va);
          work(n);
          writes(c, vc);
          leave_child();
          reads(b, vb);
        }
        writers[c]++;
        break;
      case 5:
#pragma omp task depend(inout : value[a], value[b], value[c]) firstprivate(a, b, c, va, vb, vc, n)
        {
          writes(a, va);
          writes(b, vb);
          leave_child();
          chain_of_its_own();
          work(n);
          writes(c, vc);
        }
        writers[a]++, writers[b]++, writers[c]++;
        break;
      case 6:
        for (unsigned j = 1 + draw(4); j > 0; --j) {
#pragma omp task depend(mutexinoutset : value[a], value[b]) firstprivate(a, b, n)
          {
            int x = value[a], y = value[b];
            work(n);
            value[a] = x + 1;
            value[b] = y + 1;
          }
          writers[a]++, writers[b]++;
        }
        break;
      default:
#pragma omp task depend(inout : value[a]) if (0)
        writes(a, va);
        writers[a]++;
    }
  }
#pragma omp taskwait
  for (int i = 0; i < kAddresses; ++i) CHECK_EQUAL(value[i], writers[i]);
}

int main(void) {
  for (int round = 0; round < 30; ++round) {
#pragma omp parallel
#pragma omp single
    some_tasks(50 + (int)draw(1000));
  }
  return check_end();
}
