/* Runs the programs of a file, each with each number of threads, and compares their sums with what the generator says.

   FILE [--only NUMBER] [--from NUMBER] [--threads 1,2,4,7] [--repeat N] [--leave NUMBER,NUMBER,...] [--list] [--plain-end]

   --plain-end: main returns, without an exit() elsewhere. Prints a line for each difference, and "ok COUNT" at the end.
   RANDOM_PROGRESS names a file in which it notes what it runs, so that a watcher knows which program hung or
   crashed. */
#include "harness.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

int zero = 0, one = 1;
u64 kept;

static const int kCounts[4] = {1, 2, 4, 7};
static u64 sums[kSums];
static omp_lock_t lock, tried, hinted;
static omp_nest_lock_t nest;

static void plain_add(int k, u64 value) { /* not one step: without exclusion updates are lost */
  u64 old = *(volatile u64*)&sums[k];
  if (value % 61 == 0) sched_yield();
  *(volatile u64*)&sums[k] = old + value;
}

void add(unsigned site, u64 e) {
#pragma omp atomic
  sums[site & 3] += mix(site, e);
}
void add_captured(unsigned site, u64 e) {
  u64 value = mix(site, e), after, before;
#pragma omp atomic capture
  {
    before = sums[4];
    sums[4] += value;
  }
#pragma omp atomic capture seq_cst
  after = sums[5] += value;
  (void)before, (void)after;
}
void add_xor(unsigned site, u64 e) {
#pragma omp atomic relaxed
  sums[6] ^= mix(site, e);
}
void add_unnamed(unsigned site, u64 e) {
#pragma omp critical
  plain_add(7, mix(site, e));
}
void add_named(unsigned site, u64 e) {
#pragma omp critical(name)
  plain_add(8, mix(site, e));
}
void add_hinted(unsigned site, u64 e) {
#pragma omp critical(hinted) hint(omp_sync_hint_contended)
  plain_add(9, mix(site, e));
}
void add_locked(unsigned site, u64 e) {
  omp_set_lock(&lock);
  plain_add(10, mix(site, e));
  omp_unset_lock(&lock);
}
void add_tested(unsigned site, u64 e) {
  while (!omp_test_lock(&tried)) sched_yield();
  plain_add(11, mix(site, e));
  omp_unset_lock(&tried);
}
void add_nested(unsigned site, u64 e) {
  omp_set_nest_lock(&nest);
  int deep = omp_test_nest_lock(&nest);
  plain_add(12, mix(site, e) + (u64)deep);
  omp_unset_nest_lock(&nest);
  omp_unset_nest_lock(&nest);
}
void add_hint_lock(unsigned site, u64 e) {
  omp_set_lock(&hinted);
  plain_add(13, mix(site, e));
  omp_unset_lock(&hinted);
}

void ask(unsigned site, int what) {
  int answer = what == kThreads     ? omp_get_num_threads()
               : what == kLevel     ? omp_get_level()
               : what == kActive    ? omp_get_active_level()
               : what == kFinal     ? omp_in_final()
               : what == kTeamSize  ? omp_get_team_size(omp_get_level())
               : what == kMaxLevels ? omp_get_max_active_levels()
                                    : -1;
#pragma omp atomic
  sums[14] += mix(site, (u64)answer);
}

static pthread_t foreign[64];
static int number_of_foreign;

static void* fulfil(void* event) {
  omp_fulfill_event((omp_event_handle_t)(size_t)event);
  return NULL;
}
void fulfil_elsewhere(omp_event_handle_t event) {
  int mine;
#pragma omp atomic capture
  mine = number_of_foreign++;
  if (mine >= 64 || pthread_create(&foreign[mine], NULL, fulfil, (void*)(size_t)event) != 0) {
    if (mine < 64) foreign[mine] = 0;
    fulfil((void*)(size_t)event);
  }
}
static void finish_foreign(void) {
  for (int i = 0; i < number_of_foreign && i < 64; ++i)
    if (foreign[i]) pthread_join(foreign[i], NULL);
  number_of_foreign = 0;
  memset(foreign, 0, sizeof foreign);
}

struct progress {
  int program, threads, count, done;
};
static struct progress nowhere, *progress = &nowhere;

static u64 run(const struct program* p, int threads) {
  progress->program = p->number;
  progress->threads = threads;
  memset(sums, 0, sizeof sums);
  omp_set_dynamic(0);
  omp_set_max_active_levels(8);
  omp_set_num_threads(threads);
  omp_set_schedule(omp_sched_dynamic, 2);
  p->run();
  finish_foreign();
  progress->count++;
  u64 total = 0;
  for (unsigned k = 0; k < kSums; ++k) total = mix(k, total + sums[k]);
  return total;
}

/* The end of the process is a test of its own: at the end of main, or by exit() from where it is least expected. */
static void leave(int status) {
  fflush(stdout);
  switch (last_words) {
    case 0: exit(status);
    case 1: {
#pragma omp parallel num_threads(3)
      {
#pragma omp single
        exit(status);
      }
      break;
    }
    case 2: {
#pragma omp parallel num_threads(2)
      {
#pragma omp masked filter(1)
#pragma omp task
#pragma omp parallel num_threads(2)
        {
#pragma omp master
          exit(status);
        }
      }
      break;
    }
    case 3: {
#pragma omp parallel num_threads(4)
      {
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < 100; ++i) {
          if (i == 50) {
#pragma omp critical(last)
            exit(status);
          }
        }
#pragma omp task untied
        add(1, 1);
      }
      break;
    }
    case 4: {
#pragma omp task
#pragma omp taskgroup
#pragma omp task
      exit(status);
#pragma omp taskwait
      break;
    }
    default: return;
  }
  abort(); /* exit() has been called, and all threads of the region end */
}

/* Is it one of these, which are separated by commas? */
static int listed(const char* list, int number) {
  while (*list) {
    char* end;
    if (strtol(list, &end, 10) == number && end != list) return 1;
    list = *end ? end + 1 : end;
  }
  return 0;
}

int main(int count, char** words) {
  int only = -1, from = -1, repeat = 1, wrong = 0, plain_end = 0;
  const char* left_out = "";
  const char* asked = "1,2,4,7";
  for (int i = 1; i < count; ++i) {
    if (!strcmp(words[i], "--only") && i + 1 < count) only = atoi(words[++i]);
    else if (!strcmp(words[i], "--from") && i + 1 < count) from = atoi(words[++i]);
    else if (!strcmp(words[i], "--repeat") && i + 1 < count) repeat = atoi(words[++i]);
    else if (!strcmp(words[i], "--leave") && i + 1 < count) left_out = words[++i];
    else if (!strcmp(words[i], "--threads") && i + 1 < count) asked = words[++i];
    else if (!strcmp(words[i], "--plain-end")) plain_end = 1;
    else if (!strcmp(words[i], "--list")) {
      for (int k = 0; k < number_of_programs; ++k) printf("%d\n", programs[k].number);
      return 0;
    } else {
      fprintf(stderr, "%s: what is '%s'?\n", words[0], words[i]);
      return 2;
    }
  }
  if (getenv("RANDOM_PROGRESS")) {
    int file = open(getenv("RANDOM_PROGRESS"), O_RDWR | O_CREAT, 0600);
    void* page = MAP_FAILED;
    if (file >= 0 && ftruncate(file, 4096) == 0) page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) {
      perror(getenv("RANDOM_PROGRESS"));
      return 2;
    }
    progress = page;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a hung process does not outlive its watcher */
    memset(progress, 0, sizeof *progress);
  }
  omp_init_lock(&lock);
  omp_init_lock(&tried);
  omp_init_nest_lock(&nest);
#ifdef __clang__
  omp_init_lock_with_hint(&hinted, omp_sync_hint_uncontended);
#else
  omp_init_lock(&hinted); /* libgomp 12 declares the other, but does not define it */
#endif
  int ran = 0;
  for (int t = 0; t < 4; ++t) {
    if (!listed(asked, kCounts[t])) continue;
    for (int k = 0; k < number_of_programs; ++k) {
      if (programs[k].number < from || listed(left_out, programs[k].number) || (only >= 0 && programs[k].number != only)) continue;
      for (int r = 0; r < repeat; ++r) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        u64 got = run(&programs[k], kCounts[t]);
        clock_gettime(CLOCK_MONOTONIC, &end);
        double took = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
        if (took > 1) printf("slow program %d threads %d: %.1f s\n", programs[k].number, kCounts[t], took);
        ++ran;
        if (got != programs[k].expected[t]) {
          printf("wrong program %d threads %d: %016llx instead of %016llx\n", programs[k].number, kCounts[t], got,
                 programs[k].expected[t]);
          ++wrong;
        }
      }
    }
  }
  printf("ok %d\n", ran);
  progress->done = 1;
  if (!plain_end) leave(wrong ? 1 : 0);
  return wrong ? 1 : 0;
}
