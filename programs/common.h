/* What the programs of this folder share: options, timing, task counting and the one line of result.
   Each program is one translation unit, so everything here is static. */
#ifndef EINKORN_PROGRAMS_COMMON_H
#define EINKORN_PROGRAMS_COMMON_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A clause of every task that may create tasks of its own. The recursive programs are built twice: NAME-untied-gcc and
   NAME-untied-clang with -DUNTIED=untied. */
#ifndef UNTIED
#define UNTIED
#endif

/* A depth cut-off that no recursion reaches: every call creates its tasks. Exact in a double, see Option. */
#define NO_CUTOFF (1L << 40)

/* --roi: tells a tool when the timed part starts and ends, so that it can ignore the making of the input and the check
   of the result. By OpenMP's own call, if the library has it (libgomp 12 does not). */
static int only_timed_part;
extern int omp_control_tool(int command, int modifier, void *argument) __attribute__((weak));

static inline void record_only(int now) {
  enum { kStart = 1, kPause = 2 };  /* omp_control_tool_t */
  if (only_timed_part && omp_control_tool) omp_control_tool(now ? kStart : kPause, 0, NULL);
}

typedef enum { kLong, kDouble, kSwitch, kChoice } OptionKind;

typedef struct {
  const char *name; /* "--size" */
  OptionKind kind;
  const char *argument; /* shown by --help: "N"; for kChoice the choices themselves: "static|dynamic" */
  void *target;         /* long for kLong, kSwitch and kChoice (index of the choice); double for kDouble */
  double low, high;     /* accepted range of kLong and kDouble; kSwitch stores (long)low */
  const char *help;
} Option;

#define OPTION_COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

static void print_help(const char *program, const char *about, const Option *options, int count) {
  printf("Usage: %s [options]\n\n%s\n\nOptions:\n", program, about);
  for (int i = 0; i < count; i++) {
    const Option *o = &options[i];
    char left[80], standard[48] = "";
    snprintf(left, sizeof left, "%s %s", o->name, o->kind == kSwitch ? "" : o->argument);
    if (o->kind == kLong && *(long *)o->target != NO_CUTOFF)
      snprintf(standard, sizeof standard, " (default %ld)", *(long *)o->target);
    if (o->kind == kLong && *(long *)o->target == NO_CUTOFF) snprintf(standard, sizeof standard, " (default: none)");
    if (o->kind == kDouble) snprintf(standard, sizeof standard, " (default %g)", *(double *)o->target);
    printf("  %-34s %s%s\n", left, o->help, standard);
  }
  printf("  %-34s %s\n", "--roi", "for einkorn record --roi: record only the timed part");
  printf("  %-34s %s\n", "--help", "this text");
  printf("\nThreads: OMP_NUM_THREADS. Exit status: 0 result right, 1 result wrong, 2 bad option.\n");
}

static _Noreturn void bad_option(const char *program, const char *text, const char *why) {
  fprintf(stderr, "%s: %s: %s (try --help)\n", program, text, why);
  exit(2);
}

/* Index of `text` among "a|b|c", or -1. */
static long find_choice(const char *choices, const char *text) {
  long index = 0;
  for (const char *p = choices; *p; index++) {
    size_t length = strcspn(p, "|");
    if (strlen(text) == length && strncmp(p, text, length) == 0) return index;
    p += length + (p[length] == '|');
  }
  return -1;
}

static void set_option(const char *program, const Option *o, const char *text) {
  char *end = NULL;
  errno = 0;
  if (o->kind == kChoice) {
    long index = find_choice(o->argument, text);
    if (index < 0) bad_option(program, text, "not one of the choices");
    *(long *)o->target = index;
  } else if (o->kind == kDouble) {
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= o->low && value <= o->high)) bad_option(program, text, "number out of range");
    *(double *)o->target = value;
  } else {
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end) bad_option(program, text, "not a whole number");
    if ((double)value < o->low || (double)value > o->high) bad_option(program, text, "number out of range");
    *(long *)o->target = value;
  }
}

/* Accepts `--name value` and `--name=value`. */
static void parse_options(int argc, char **argv, const char *program, const char *about, const Option *options,
                          int count) {
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      print_help(program, about, options, count);
      exit(0);
    }
    if (strcmp(word, "--roi") == 0) {
      only_timed_part = 1;
      continue;
    }
    size_t length = strcspn(word, "=");
    const Option *found = NULL;
    for (int k = 0; k < count; k++)
      if (strlen(options[k].name) == length && strncmp(options[k].name, word, length) == 0) found = &options[k];
    if (!found) bad_option(program, word, "unknown option");
    if (found->kind == kSwitch) {
      if (word[length]) bad_option(program, word, "takes no value");
      *(long *)found->target = (long)found->low;
    } else if (word[length]) {
      set_option(program, found, word + length + 1);
    } else if (i + 1 < argc) {
      set_option(program, found, argv[++i]);
    } else {
      bad_option(program, word, "needs a value");
    }
  }
}

static inline double now_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double begin_timed_part(void) {
  record_only(1);
  return now_seconds();
}

static inline double end_timed_part(double begin) {
  double seconds = now_seconds() - begin;
  record_only(0);
  return seconds;
}

/* Tasks created, for comparison with what a recorder saw. A plain increment of a thread-local variable (about 1 ns) at
   each task construct; every thread of the team calls flush_task_count() once the tasks are done. No call of the OpenMP
   runtime is involved, so the count is independent of what it checks. */
static _Thread_local long my_tasks_ __attribute__((unused));
static long tasks_made __attribute__((unused));

static inline void count_tasks(long n) { my_tasks_ += n; }

static inline void flush_task_count(void) {
  __atomic_fetch_add(&tasks_made, my_tasks_, __ATOMIC_RELAXED);
  my_tasks_ = 0;
}

static inline void *allocate(size_t bytes) {
  void *p = malloc(bytes);
  if (!p) {
    fprintf(stderr, "out of memory: %zu bytes\n", bytes);
    exit(2);
  }
  return p;
}

/* xorshift64*: the programs' own generator, so that inputs are the same on every machine. */
static inline uint64_t random_next(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545F4914F6CDD1DULL;
}

static inline double random_unit(uint64_t *state) { return (double)(random_next(state) >> 11) * 0x1p-53; }

/* Spreads seeds 1, 2, 3... over the state space (splitmix64's finaliser); never returns 0. */
static inline uint64_t random_seed(uint64_t n) {
  n += 0x9E3779B97F4A7C15ULL;
  n = (n ^ (n >> 30)) * 0xBF58476D1CE4E5B9ULL;
  n = (n ^ (n >> 27)) * 0x94D049BB133111EBULL;
  n ^= n >> 31;
  return n ? n : 1;
}

/* The one line a program prints; returns its exit status. `tasks` below 0: not a task program. */
static int finish(const char *program, const char *size, const char *result, long tasks, double seconds, int ok) {
  printf("%s size=%s result=%s ", program, size, result);
  if (tasks >= 0) printf("tasks=%ld ", tasks);
  printf("seconds=%.6f check=%s\n", seconds, ok ? "ok" : "FAILED");
  return ok ? 0 : 1;
}

#endif
