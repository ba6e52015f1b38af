/* Procedures that are called as functions are (ek_call(), EK_GO_ON): by instances that are invoked, and by those of a region,
 * which wait in what they call for their children and for each other. Usage: calls [SEED [RUNS]] */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include <einkorn/codelet.h>

#define CHECK(what) \
  do { if (!(what)) { printf("line %d: %s does not hold\n", __LINE__, #what); exit(1); } } while (0)

/* Twice n, by a child for each unit: in an instance of its own, or as a part of the caller's. */
struct twice { int n; long *to; uint32_t at; };
struct unit { long *to; };
static ek_next unit_run(ek_self *me) {
#pragma omp atomic
  *((struct unit *)me->frame)->to += 2;
  return EK_END;
}
static const ek_proc unit = {"unit", __FILE__, unit_run, sizeof(struct unit), 0, NULL, 0, 0};
static ek_next twice_run(ek_self *me) {
  struct twice *f = (struct twice *)me->frame;
  int *left = (int *)me->own;
  switch (me->at) { case 1: goto c1; case 2: goto c2; }
  *f->to = 0;
  for (*left = f->n; *left > 0; --*left) {
    struct unit u = {f->to};
    ek_invoke(me, &unit, &u);
    if (*left % 3 == 0) EK_YIELD(me, 1, EK_WAIT);
  c1:;
  }
  EK_YIELD(me, 2, EK_WAIT);
c2:
  return EK_END;
}
static const ek_proc twice = {"twice", __FILE__, twice_run, sizeof(struct twice), sizeof(int), NULL, 0, 0};

/* The sum of two of them, one after the other, by calls: two deep. */
struct sum { int a, b; long x, y, *to; struct twice call; int own; uint32_t at; };
static ek_next sum_run(ek_self *me) {
  struct sum *f = (struct sum *)me->frame;
  switch (me->at) { case 1: goto c1; case 2: goto c2; }
  f->call.n = f->a, f->call.to = &f->x, f->call.at = 0;
c1:
  EK_GO_ON(me, 1, &twice, &f->call, &f->own, &f->call.at);
  CHECK(me->frame == f);
  f->call.n = f->b, f->call.to = &f->y, f->call.at = 0;
c2:
  EK_GO_ON(me, 2, &twice, &f->call, &f->own, &f->call.at);
  *f->to = f->x + f->y;
  return EK_END;
}
static const ek_proc sum = {"sum", __FILE__, sum_run, sizeof(struct sum), 0, NULL, 0, 0};

/* An instance of a region: it calls sum, and a procedure in which all instances wait for each other. */
struct meet { int *come, n; uint32_t at; };
static ek_next meet_run(ek_self *me) {
  struct meet *f = (struct meet *)me->frame;
  switch (me->at) { case 1: goto c1; }
#pragma omp atomic
  ++*f->come;
  EK_YIELD(me, 1, EK_SYNC);
c1:
  CHECK(*f->come == f->n);
  return EK_END;
}
static const ek_proc meet = {"meet", __FILE__, meet_run, sizeof(struct meet), 0, NULL, 0, 0};
struct all { int a, come; long got[64]; };
struct all_own { struct sum sum; struct meet meet; };
static ek_next all_run(ek_self *me) {
  struct all *f = (struct all *)me->frame;
  struct all_own *own = (struct all_own *)me->own;
  switch (me->at) { case 1: goto c1; case 2: goto c2; }
  own->sum.a = f->a, own->sum.b = (int)me->id, own->sum.to = &f->got[me->id], own->sum.at = 0;
c1:
  EK_GO_ON(me, 1, &sum, &own->sum, NULL, &own->sum.at);
  own->meet.come = &f->come, own->meet.n = (int)me->n, own->meet.at = 0;
c2:
  EK_GO_ON(me, 2, &meet, &own->meet, NULL, &own->meet.at);
  CHECK(me->own == own && f->got[me->id] == 2 * (f->a + (long)me->id));
  return EK_END;
}
static const ek_proc pinned = {"all", __FILE__, all_run, sizeof(struct all), sizeof(struct all_own), NULL, 0, EK_PINNED};
static const ek_proc free_ = {"all", __FILE__, all_run, sizeof(struct all), sizeof(struct all_own), NULL, 0, EK_FREE};

/* Invoked by a task that runs at once within another one: each waits for its own, and for no other's. The instance gives
 * way until its event is fulfilled, by who has invoked it or by that one's creator. */
#define KEEP() __asm__ volatile("" ::: "memory")
struct gives_way { omp_event_handle_t *event; int *done, *late; };
static ek_next gives_way_run(ek_self *me) {
  struct gives_way *f = (struct gives_way *)me->frame;
  omp_event_handle_t its;
  switch (me->at) { case 1: goto c1; }
  if (*f->late) return *f->done = 1, EK_END; /* it was not run at once */
#pragma omp task detach(its) /* gcc makes none of one that does nothing */
  KEEP();
  *f->event = its;
  EK_YIELD(me, 1, EK_WAIT);
c1:
  *f->done = 1;
  return EK_END;
}
static const ek_proc gives_way = {"gives_way", __FILE__, gives_way_run, sizeof(struct gives_way), 0, NULL, 0, EK_FREE};
static omp_event_handle_t event;
static int done, late;
static void by_tasks(void) {
#pragma omp parallel num_threads(1)
  for (int group = 0; group < 2; group++) {
    event = (omp_event_handle_t)0;
    done = late = 0;
#pragma omp task if (0) firstprivate(group)
    {
      struct gives_way f = {&event, &done, &late};
      ek_invoke(NULL, &gives_way, &f);
      CHECK(!done);
      late = !event;
      if (group) {
#pragma omp taskgroup
        { }
      }
      if (!late) omp_fulfill_event(event);
#pragma omp taskwait
      CHECK(done);
    }
    event = (omp_event_handle_t)0;
    done = late = 0;
#pragma omp task if (0)
    {
#pragma omp task if (0)
      {
        struct gives_way f = {&event, &done, &late};
        ek_invoke(NULL, &gives_way, &f);
      }
      late = !event;
#pragma omp taskwait /* not for its child's */
      CHECK(!done || late);
      if (!late) omp_fulfill_event(event);
    }
#pragma omp barrier
    CHECK(done);
  }
}

int main(int argc, char **argv) {
  if (!ek_on()) return puts("another runtime"), 0;
  srand(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
  for (int i = argc > 2 ? atoi(argv[2]) : 200; i > 0; i--) {
    long got = -1;
    struct sum s = {0};
    s.a = rand() % 20, s.b = rand() % 20, s.to = &got;
    ek_launch(&sum, &s);
    CHECK(got == 2 * (s.a + s.b));
    struct all f = {0};
    f.a = rand() % 10;
    ek_run(i % 2 ? &pinned : &free_, &f, 1 + rand() % 6);
    by_tasks();
  }
  puts("ok");
}
