/* Spins, sleeps, waits and holds a lock, measures each by its own clocks, and prints what every state's time over both
   threads should be, in ns. Two threads; about 2 s. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

static long long clock_ns(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static long long wall(void) { return clock_ns(CLOCK_MONOTONIC); }
static long long cpu(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

/* Per thread, apart from each other: no false sharing to slow the spinning. */
struct Sums { long long work, offcpu, idle, blocked; char pad[96]; };
static struct Sums sums[2];
static long long task_wall;
static int task_thread = -1;

/* Code of the program's own, from here on: on the CPU it is work, off it off-CPU time. */
struct Stretch { long long wall, cpu; };
static struct Stretch begin(void) { struct Stretch s = {wall(), cpu()}; return s; }
static void end(struct Stretch s, struct Sums *to) {
  long long used = cpu() - s.cpu;
  to->work += used;
  to->offcpu += wall() - s.wall - used;
}

static void spin(long long ms) {
  long long until = wall() + ms * 1000000;
  while (wall() < until) {}
}

static void sleep_ms(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&t, 0);
}

int main(void) {
  long long start = wall(), serial;
  spin(200);
  serial = wall() - start;
#pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num();
    struct Sums *mine = &sums[me];
    struct Stretch s = begin();
    spin(200);
    if (me == 1) spin(250); /* the other waits for us at the barrier */
    end(s, mine);
    long long t = wall();
#pragma omp barrier
    mine->idle += wall() - t;

    s = begin();
    if (me == 1) spin(50); /* so that the other has the lock */
    end(s, mine);
    t = wall();
#pragma omp critical
    {
      if (me == 1) mine->blocked += wall() - t;
      s = begin();
      spin(250);
      end(s, mine);
    }
    t = wall();
#pragma omp barrier
    mine->idle += wall() - t;

    if (me == 0) {
#pragma omp task
      {
        long long began = wall();
        struct Stretch in_task = begin();
        sleep_ms(300);
        end(in_task, &sums[omp_get_thread_num()]);
        task_thread = omp_get_thread_num();
        task_wall = wall() - began;
      }
    }
    t = wall();
#pragma omp barrier
    mine->idle += wall() - t;
  }
  if (task_thread >= 0) sums[task_thread].idle -= task_wall; /* it ran inside a barrier */
  long long after = wall();
  spin(200);
  serial += wall() - after;
  printf("work %lld\nidle %lld\nblocked %lld\noffcpu %lld\nserial %lld\n", sums[0].work + sums[1].work,
         sums[0].idle + sums[1].idle, sums[0].blocked + sums[1].blocked, sums[0].offcpu + sums[1].offcpu, serial);
  return 0;
}
