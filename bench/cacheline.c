/* How long the machine itself takes to pass a cache line between two cores: the yardstick for regions and barriers. Two
 * threads, pinned to the first two CPUs that the process may use; no OpenMP.
 *
 *   cacheline round-trip   a word handed there and back: the least a fork and join can take
 *   cacheline one-way      from the store on one core to the load that sees it on the other: time stamps of both cores,
 *                          mean of the two directions, so that an offset between the clocks drops out
 *   cacheline exchange     both write their own line and wait for the other's: the least two threads can meet in
 *
 * The waiting loops have no pause instruction: on some processors it takes longer than what is measured here. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include "measure.h"
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { kRounds = 20000 };

/* 128 bytes apart: processors fetch lines in pairs. */
static struct { _Alignas(128) _Atomic uint64_t word; } line[2];
static double delay_ns[2]; /* one-way: median seen by each thread */

static uint64_t ticks(void) {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return (uint64_t)now_ns();
#endif
}

static uint64_t wait_for_change(int which, uint64_t old) {
  uint64_t seen;
  while ((seen = atomic_load_explicit(&line[which].word, memory_order_acquire)) == old) continue;
  return seen;
}

static void round_trips(int me) {
  for (uint64_t i = 0; i < kRounds; i++) {
    if (me == 0) {
      atomic_store_explicit(&line[0].word, 2 * i + 1, memory_order_release);
      wait_for_change(0, 2 * i + 1);
    } else {
      wait_for_change(0, 2 * i);
      atomic_store_explicit(&line[0].word, 2 * i + 2, memory_order_release);
    }
  }
}

static void exchanges(int me) {
  for (uint64_t i = 0; i < kRounds; i++) {
    atomic_store_explicit(&line[me].word, i + 1, memory_order_release);
    while (atomic_load_explicit(&line[1 - me].word, memory_order_acquire) < i + 1) continue;
  }
}

/* Each thread in turn stores the time into its line; the other takes the time when it sees it. A difference may be
 * negative if the cores' counters differ. */
static void one_ways(int me) {
  static double seen[2][kRounds];
  uint64_t before = ticks();
  double before_ns = now_ns();
  uint64_t last = 0;
  for (int i = 0; i < kRounds; i++) {
    if (me == 0) atomic_store_explicit(&line[0].word, ticks(), memory_order_release);
    uint64_t sent = wait_for_change(1 - me, last);
    seen[me][i] = (double)(int64_t)(ticks() - sent);
    last = sent;
    if (me == 1) atomic_store_explicit(&line[1].word, ticks(), memory_order_release);
  }
  double ns_per_tick = (now_ns() - before_ns) / (double)(ticks() - before);
  qsort(seen[me], kRounds, sizeof(double), compare_doubles);
  delay_ns[me] = seen[me][kRounds / 2] * ns_per_tick;
}

static void (*body)(int);
static int cpu_of[2];

static void pin(int me) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu_of[me], &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static pthread_barrier_t ready;

static void *second_thread(void *unused) {
  (void)unused;
  pin(1);
  pthread_barrier_wait(&ready);
  body(1);
  return NULL;
}

static double once(void) {
  pthread_t other;
  line[0].word = line[1].word = 0;
  pthread_barrier_init(&ready, NULL, 2);
  if (pthread_create(&other, NULL, second_thread, NULL) != 0) {
    fprintf(stderr, "no second thread could be started\n");
    exit(1);
  }
  pthread_barrier_wait(&ready);
  double start = now_ns();
  body(0);
  double elapsed = now_ns() - start;
  pthread_join(other, NULL);
  pthread_barrier_destroy(&ready);
  return body == one_ways ? (delay_ns[0] + delay_ns[1]) / 2 : elapsed / kRounds;
}

int main(int argc, char **argv) {
  const char *what = argc == 2 ? argv[1] : "";
  if (!strcmp(what, "round-trip")) body = round_trips;
  if (!strcmp(what, "one-way")) body = one_ways;
  if (!strcmp(what, "exchange")) body = exchanges;
  if (!body) {
    fprintf(stderr, "usage: cacheline round-trip|one-way|exchange\n");
    return 2;
  }
  cpu_set_t allowed;
  int found = 0;
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
    if (CPU_ISSET((size_t)cpu, &allowed)) cpu_of[found++] = cpu;
  if (found < 2) {
    fprintf(stderr, "cacheline needs two CPUs; this process may use one\n");
    return 1;
  }
  pin(0);
  return measure(once, "ns");
}
