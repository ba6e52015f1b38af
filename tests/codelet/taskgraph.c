/* Taskgraphs by calls, as a program uses them: values against a sequential execution, in regions and outside, the first time and in
 * replays, and what cannot be replayed. On another OpenMP library the tasks are ordinary ones, with the same values.
 * Usage: taskgraph [SEED [GRAPHS]] */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <einkorn/taskgraph.h>

#define CHECK(what) \
  do { if (!(what)) { printf("line %d: %s does not hold\n", __LINE__, #what); exit(1); } } while (0)

/* Debug builds of the library take the tasks down each time: OMPX_TASKGRAPH_CHECK. */
#ifdef LIBRARY_CHECKS
static const int checks = 1;
#else
static const int checks = 0;
#endif
static int replays; /* is this the library with graphs, and does it replay here? */
static const char *why(ompx_taskgraph *g) { const char *w = ompx_taskgraph_why_not(g, 0); return w ? w : ""; }
static int is_refused(ompx_taskgraph *g, const char *what) { return !replays || strstr(why(g), what) != NULL; }
static int is_kept(ompx_taskgraph *g) { return !replays || *why(g) == 0; }

/* By one thread of a region, or outside. */
static void everywhere(void (*test)(void)) {
  test();
  #pragma omp parallel
  #pragma omp single
  test();
  #pragma omp parallel
  #pragma omp single nowait
  #pragma omp task
  test();
}

/* Data: shared is read again, firstprivate is saved and each replay's own, the code between runs once. */
static int shared_value, firstprivate_sum, body_runs;
static void data(void) {
  ompx_taskgraph g = {"data", NULL};
  int seen[4] = {0}, local = 0;
  int *volatile elsewhere = &local; /* else gcc copies it: nobody could see the difference but a replay */
  firstprivate_sum = body_runs = 0;
  for (int step = 0; step < 5; ++step) {
    shared_value = 10 * step;
    *elsewhere = step;
    OMPX_TASKGRAPH(&g, 0, 0) {
      ++body_runs;
      for (int i = 0; i < 4; ++i) {
        int saved = 100 * (step + 1) + i;
        #pragma omp task firstprivate(i, saved) shared(seen, local, shared_value, firstprivate_sum)
        {
          saved += 1; /* of this execution */
          seen[i] = shared_value + local;
          #pragma omp atomic
          firstprivate_sum += saved;
        }
      }
    }
    for (int i = 0; i < 4; ++i) CHECK(seen[i] == 11 * step);
  }
  CHECK(body_runs == (replays && !checks ? 1 : 5));
  CHECK(firstprivate_sum == (replays ? 5 * (4 * 101 + 6) : 5 * 6 + 4 * (101 + 201 + 301 + 401 + 501)));
  ompx_taskgraph_free(&g);
}

/* graph_id, graph_reset, if. */
static void clauses(void) {
  ompx_taskgraph g = {"clauses", NULL};
  int sum = 0, runs = 0;
  for (int step = 0; step < 12; ++step)
    OMPX_TASKGRAPH(&g, step % 3, 0) {
      ++runs;
      #pragma omp task firstprivate(step) shared(sum)
      {
        #pragma omp atomic
        sum += 1 + step % 3;
      }
    }
  CHECK(sum == 24 && runs == (replays && !checks ? 3 : 12));
  CHECK(is_kept(&g));
  for (int reset = 0; reset < 2; ++reset) {
    OMPX_TASKGRAPH(&g, 0, reset ? OMPX_TASKGRAPH_RESET : OMPX_TASKGRAPH_OFF) {
      #pragma omp task shared(sum)
      sum = 1000;
    }
    CHECK(sum == 1000);
    OMPX_TASKGRAPH(&g, 0, 0) {
      #pragma omp task shared(sum)
      sum = 2000;
    }
    CHECK(sum == (!replays || checks ? 2000 : reset ? 1000 : 1001));
  }
  ompx_taskgraph_free(&g);
  CHECK(!replays || ompx_taskgraph_why_not(&g, 0) != NULL);
}

/* Tasks in tasks end before the construct does; with nogroup they are anybody's who waits for them. */
static void children(void) {
  ompx_taskgraph g = {"children", NULL}, n = {"nogroup", NULL};
  int count = 0, at_wait[2] = {0}, ended;
  for (int step = 1; step <= 4; ++step) {
    OMPX_TASKGRAPH(&g, 0, 0)
      for (int i = 0; i < 10; ++i) {
        #pragma omp task shared(count, at_wait) depend(inout : at_wait[0])
        {
          int mine = 0;
          for (int k = 0; k < 3; ++k) {
            #pragma omp task shared(mine, count) depend(inout : mine)
            {
              ++mine;
              #pragma omp task shared(count)
              {
                #pragma omp atomic
                ++count;
              }
            }
          }
          #pragma omp taskwait
          at_wait[mine == 3] += 1;
        }
      }
    CHECK(count == 30 * step && at_wait[1] == 10 * step && at_wait[0] == 0);
  }
  count = 0;
  #pragma omp taskgroup
  for (int step = 1; step <= 4; ++step) {
    ended = 0;
    OMPX_TASKGRAPH(&n, 0, OMPX_TASKGRAPH_NOGROUP)
      for (int i = 0; i < 10; ++i) {
        #pragma omp task shared(count, ended)
        {
          #pragma omp task shared(count)
          {
            #pragma omp atomic
            ++count;
          }
          #pragma omp atomic
          ++ended;
        }
      }
    #pragma omp taskwait
    CHECK(ended == 10);
  }
  CHECK(count == 40);
  CHECK(is_kept(&n));
  ompx_taskgraph_free(&g);
  ompx_taskgraph_free(&n);
}

/* Tasks before the construct that write what its tasks read, and tasks behind it that read what they wrote. */
static void around(void) {
  ompx_taskgraph g = {"around", NULL};
  int x = 0, y = 0, z = 0, other = 0;
  for (int step = 1; step < 20; ++step) {
    #pragma omp task shared(x) depend(out : x)
    x = step;
    #pragma omp task shared(other) depend(inout : other)
    ++other;
    OMPX_TASKGRAPH(&g, 0, 0) {
      #pragma omp task shared(x, y) depend(in : x) depend(inout : y)
      y += x;
    }
    #pragma omp task shared(x, y, z) depend(in : x, y) depend(out : z)
    z = x + y;
    #pragma omp taskwait depend(in : z)
    CHECK(y == step * (step + 1) / 2 && z == y + step);
  }
  #pragma omp taskwait
  CHECK(is_kept(&g));
  ompx_taskgraph_free(&g);
}

static void kinds(void) {
  ompx_taskgraph g = {"kinds", NULL};
  int in_final = 0, parts = 0, many = 0, sum = 0, threads = 0;
  omp_depend_t object;
  #pragma omp depobj(object) depend(inout : sum)
  for (int step = 1; step <= 3; ++step) {
    OMPX_TASKGRAPH(&g, 0, 0) {
      #pragma omp task final(1) shared(in_final) priority(3)
      in_final += omp_in_final();
      #pragma omp task untied shared(parts)
      {
        for (int i = 0; i < 5; ++i) {
          #pragma omp task shared(parts)
          {
            #pragma omp atomic
            ++parts;
          }
          #pragma omp taskyield
        }
      }
      #pragma omp taskloop nogroup num_tasks(7) shared(many)
      for (int i = 0; i < 100; ++i) {
        #pragma omp atomic
        many += i;
      }
      for (int i = 0; i < 4; ++i) {
        #pragma omp task shared(sum) depend(depobj : object) firstprivate(i)
        sum = 3 * sum % 1009 + i;
      }
      #pragma omp task shared(threads)
      threads = omp_get_num_threads();
    }
    CHECK(in_final == step && parts == 5 * step && many == 4950 * step);
    CHECK(threads == omp_get_num_threads());
  }
  int want = 0;
  for (int i = 0; i < 12; ++i) want = 3 * want % 1009 + i % 4;
  CHECK(sum == want);
  CHECK(getenv("EINKORN_RECORD") || is_kept(&g)); /* recorded a taskloop is one */
  #pragma omp depobj(object) destroy
  ompx_taskgraph_free(&g);
}

/* What is not replayed: as without the construct, each time. */
static void refused(void) {
  ompx_taskgraph g[6] = {{"undeferred", NULL}, {"detached", NULL}, {"wait", NULL}, {"group", NULL}, {"inside", NULL}, {"wait depend", NULL}};
  static ompx_taskgraph inner = {"inner", NULL};
  int x = 0, y = 0;
  for (int step = 1; step <= 3; ++step) {
    OMPX_TASKGRAPH(&g[0], 0, 0) {
      #pragma omp task shared(x) depend(inout : x)
      x = step;
      #pragma omp task shared(x, y) depend(inout : x) if (0)
      y = x;
      CHECK(y == step);
      #pragma omp task shared(x) depend(inout : x)
      x += 10;
    }
    CHECK(x == step + 10);
    OMPX_TASKGRAPH(&g[1], 0, 0) {
      omp_event_handle_t event = (omp_event_handle_t)0;
      #pragma omp task shared(x) depend(inout : x) detach(event)
      { x = step; omp_fulfill_event(event); }
      #pragma omp task shared(x, y) depend(inout : x)
      y = 2 * x;
    }
    CHECK(y == 2 * step);
    OMPX_TASKGRAPH(&g[2], 0, 0) {
      #pragma omp task shared(x)
      x = 5 * step;
      #pragma omp taskwait
      CHECK(x == 5 * step);
      #pragma omp task shared(x)
      x = 6 * step;
    }
    CHECK(x == 6 * step);
    OMPX_TASKGRAPH(&g[3], 0, 0) {
      #pragma omp task shared(y)
      y = step;
      #pragma omp taskgroup
      {
        #pragma omp task shared(x)
        x = 7 * step;
      }
      CHECK(x == 7 * step);
    }
    CHECK(y == step);
    OMPX_TASKGRAPH(&g[4], 0, 0) {
      #pragma omp task shared(y)
      y = 2 * step;
      OMPX_TASKGRAPH(&inner, 0, OMPX_TASKGRAPH_RESET) {
        #pragma omp task shared(x) firstprivate(step)
        x = step;
      }
      CHECK(x == step);
    }
    CHECK(y == 2 * step);
    OMPX_TASKGRAPH(&g[5], 0, 0) {
      #pragma omp task shared(x) depend(out : x)
      x = 8 * step;
      #pragma omp taskwait depend(in : x)
      CHECK(x == 8 * step);
    }
  }
  CHECK(is_refused(&g[0], "if clause that is false"));
  CHECK(is_refused(&g[1], "detach"));
  CHECK(is_refused(&g[2], "taskwait"));
  CHECK(is_refused(&g[3], "taskgroup"));
  CHECK(is_refused(&g[4], "taskgraph"));
  CHECK(is_refused(&g[5], "wait"));
  for (int i = 0; i < 6; ++i) ompx_taskgraph_free(&g[i]);
}

/* A taskgraph in a graph's task; the same one in itself, and by several threads at once. */
static ompx_taskgraph nested, in_nested, by_all;
static int leaves;
static void recursive(int depth) {
  OMPX_TASKGRAPH(&nested, 0, 0)
    for (int i = 0; i < 2; ++i) {
      #pragma omp task firstprivate(depth)
      {
        OMPX_TASKGRAPH(&in_nested, depth, 0) {
          #pragma omp task
          {
            #pragma omp atomic
            ++leaves;
          }
        }
        if (depth > 0) recursive(depth - 1);
      }
    }
}
static void nests(void) {
  leaves = 0;
  for (int step = 1; step <= 3; ++step) {
    recursive(2);
    CHECK(leaves == step * (2 + 4 + 8));
  }
  ompx_taskgraph_free(&nested);
  ompx_taskgraph_free(&in_nested);
}
static void all_at_once(void) {
  static int sum;
  int threads = 0;
  sum = 0;
  #pragma omp parallel reduction(+ : threads)
  {
    threads = 1;
    for (int step = 0; step < 50; ++step)
      OMPX_TASKGRAPH(&by_all, 0, 0)
        for (int i = 0; i < 5; ++i) {
          #pragma omp task
          {
            #pragma omp atomic
            ++sum;
          }
        }
  }
  CHECK(sum == threads * 250);
  ompx_taskgraph_free(&by_all);
}

/* Random tasks with random dependences on some cells: each writes what it makes of what it reads. */
enum { kCells = 12, kMostTasks = 150, kMostDeps = 5 };
typedef struct { int ins, outs, mode, in[kMostDeps], out[kMostDeps], spin; } random_task;
static random_task tasks[kMostTasks];
static unsigned long cells[kCells], want[kCells], step_number;
static void work(unsigned long *on, const random_task *t, int n, int atomic) {
  unsigned long v = (unsigned long)n * 2654435761u + step_number;
  for (volatile int k = 0; k < t->spin; ++k) ;
  for (int k = 0; k < t->ins; ++k) v = v * 31 + on[t->in[k]];
  for (int k = 0; k < t->outs; ++k) {
    unsigned long *to = &on[t->out[k]];
    if (t->mode == 0) *to = v + (unsigned long)k;
    else if (t->mode == 1) *to = *to * 17 + v;
    else if (!atomic) *to += (unsigned long)n; /* any order gives the same */
    else {
      #pragma omp atomic
      *to += (unsigned long)n;
    }
  }
}
static int choose(int *to, int most, const int *not_these, int count) {
  int n = 0, wanted = rand() % (most + 1);
  for (int tries = 0; tries < 20 && n < wanted; ++tries) {
    int c = rand() % kCells, again = 0;
    for (int k = 0; k < n; ++k) again |= to[k] == c;
    for (int k = 0; k < count; ++k) again |= not_these[k] == c;
    if (!again) to[n++] = c;
  }
  return n;
}
static void create_random(int n) {
  for (int i = 0; i < n; ++i) {
    __attribute__((unused)) random_task *t = &tasks[i];
    switch (t->mode) {
      case 0:
        #pragma omp task firstprivate(t, i) depend(iterator(k = 0 : t->ins), in : cells[t->in[k]]) depend(iterator(k = 0 : t->outs), out : cells[t->out[k]])
        work(cells, t, i, 0);
        break;
      case 1:
        #pragma omp task firstprivate(t, i) depend(iterator(k = 0 : t->ins), in : cells[t->in[k]]) depend(iterator(k = 0 : t->outs), inout : cells[t->out[k]])
        work(cells, t, i, 0);
        break;
      case 2:
        #pragma omp task firstprivate(t, i) depend(iterator(k = 0 : t->ins), in : cells[t->in[k]]) depend(iterator(k = 0 : t->outs), mutexinoutset : cells[t->out[k]])
        work(cells, t, i, 0);
        break;
#if defined(__clang__) || __GNUC__ > 12
      case 3:
        #pragma omp task firstprivate(t, i) depend(iterator(k = 0 : t->ins), in : cells[t->in[k]]) depend(iterator(k = 0 : t->outs), inoutset : cells[t->out[k]])
        work(cells, t, i, 1);
        break;
#endif
    }
  }
}
static void one_random(int n) {
  ompx_taskgraph g = {"random", NULL};
  memset(cells, 0, sizeof cells);
  memset(want, 0, sizeof want);
  for (step_number = 1; step_number <= 3; ++step_number) {
    for (int i = 0; i < n; ++i) work(want, &tasks[i], i, 0);
    if (step_number == 2) {
      OMPX_TASKGRAPH(&g, 0, 0) create_random(n);
    } else {
      #pragma omp parallel
      #pragma omp single
      OMPX_TASKGRAPH(&g, 0, 0) create_random(n);
    }
    CHECK(memcmp(cells, want, sizeof cells) == 0);
  }
  CHECK(is_kept(&g));
  ompx_taskgraph_free(&g);
}
static void random_tasks(unsigned seed, int graphs) {
#if defined(__clang__) || __GNUC__ > 12
  const int modes = 4;
#else
  const int modes = 3;
#endif
  srand(seed);
  for (int g = 0; g < graphs; ++g) {
    int n = 1 + rand() % kMostTasks;
    for (int i = 0; i < n; ++i) {
      random_task *t = &tasks[i];
      t->mode = rand() % modes;
      t->spin = rand() % 8 == 0 ? 1000 : 0;
      t->outs = choose(t->out, kMostDeps, NULL, 0);
      t->ins = choose(t->in, kMostDeps, t->out, t->outs);
    }
    one_random(n);
  }
}

/* Other tasks than before: said, and taken down anew. */
static void misfits(void) {
  ompx_taskgraph g = {"misfit", NULL}, same = {"same", NULL};
  int x[3] = {0}, y[2] = {0};
  for (int step = 0; step < 8; ++step) {
    int last = step / 2 % 3;
    OMPX_TASKGRAPH(&g, 0, OMPX_TASKGRAPH_CHECK)
      for (int i = 0; i <= last; ++i) {
        #pragma omp task shared(x) firstprivate(i) depend(inout : x[i])
        ++x[i];
      }
    OMPX_TASKGRAPH(&same, 0, OMPX_TASKGRAPH_CHECK) {
      int *to = step < 4 ? y : y + 1;
      #pragma omp task firstprivate(to) depend(inout : to[0])
      ++*to;
    }
  }
  CHECK(x[0] == 8 && x[1] == 4 && x[2] == 2 && y[0] == 4 && y[1] == 4);
  ompx_taskgraph_free(&g);
  ompx_taskgraph_free(&same);
}

int main(int argc, char **argv) {
  const char *cancellation = getenv("OMP_CANCELLATION"), *tool = getenv("OMP_TOOL_LIBRARIES");
  replays = ek_on() && !(cancellation && strcmp(cancellation, "true") == 0) && !tool;
  #pragma omp parallel /* a tool is there from here on */
  {}
  CHECK(ek_on() || ompx_taskgraph_why_not(&by_all, 0) != NULL);
  everywhere(data);
  everywhere(clauses);
  everywhere(children);
  everywhere(around);
  everywhere(kinds);
  everywhere(refused);
  everywhere(nests);
  for (int i = 0; i < 5; ++i) all_at_once();
  random_tasks(argc > 1 ? (unsigned)atoi(argv[1]) : 1, argc > 2 ? atoi(argv[2]) : 100);
  everywhere(misfits);
  puts(ek_on() ? "ok" : "another runtime");
}
