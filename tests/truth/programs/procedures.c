/* Procedures that give way for their children, that find none left, and that would in a region; a task and a lock in
 * one of them; and regions of instances. */
#include <einkorn/codelet.h>
#include <omp.h>
#include <stdio.h>
#include "busy.h"

struct tree { int depth; double ms; };
static const ek_proc tree;
static ek_next run_tree(ek_self *me) {
  struct tree *f = (struct tree *)me->frame;
  switch (me->at) { case 1: goto c1; case 2: goto c2; case 3: goto c3; case 4: goto c4; }
  busy_ms(f->ms);
  if (f->depth == 0) return EK_END;
  for (int i = 0; i < 2; ++i) {
    struct tree below = {f->depth - 1, f->ms};
    ek_invoke(me, &tree, &below);
    busy_ms(0.01);
  }
  EK_YIELD(me, 1, EK_WAIT);
c1:
  busy_ms(0.02);
  #pragma omp task
  busy_ms(0.03);
  #pragma omp critical
  busy_ms(0.01);
  EK_YIELD(me, 2, EK_WAIT);
c2:
  if (f->depth > 1) EK_YIELD(me, 3, EK_WAIT);  /* nobody is left to wait for */
c3:
  busy_ms(0.02);
  EK_YIELD(me, 4, EK_SYNC);
c4:
  return EK_END;
}
static const ek_cbb places[] = {{13, 0, 0}, {22, 0, 0}, {28, 0, 0}, {30, 0, 0}};
static const ek_proc tree = {"tree", __FILE__, run_tree, sizeof(struct tree), 0, places, 4, 0};

struct leaf { int x; };
static ek_next run_leaf(ek_self *me) { return (void)me, busy_ms(0.03), EK_END; }
static const ek_proc leaf = {"leaf", NULL, run_leaf, sizeof(struct leaf), 0, NULL, 0, 0};

struct band { double ms; };
static ek_next run_band(ek_self *me) {
  struct band *f = (struct band *)me->frame;
  struct leaf below = {0};
  switch (me->at) { case 1: goto c1; case 2: goto c2; }
  busy_ms(f->ms * (me->id + 1));
  EK_YIELD(me, 1, EK_SYNC);
c1:
  busy_ms(f->ms);
  ek_invoke(me, &leaf, &below);
  EK_YIELD(me, 2, EK_WAIT);
c2:
  busy_ms(f->ms);
  return EK_END;
}
static const ek_proc band = {"band", __FILE__, run_band, sizeof(struct band), 0, NULL, 0, EK_FREE};

/* Instances that wait for those beside them; every other time they say before that these need not wait. The first goes
 * through one step more, for which nobody is left. */
static ek_next run_row(ek_self *me) {
  struct band *f = (struct band *)me->frame;
  int *step = (int *)me->own;
  switch (me->at) { case 1: goto c1; }
  for (*step = 0; *step < 6 + (me->id == 0); ++*step) {
    busy_ms(f->ms * ((*step + me->id) % 3 + 1));
    if (*step % 2) {
      ek_post(me);
      busy_ms(f->ms);
    }
    EK_YIELD(me, 1, EK_NEAR);
  c1:;
  }
  return EK_END;
}
static const ek_proc row = {"row", __FILE__, run_row, sizeof(struct band), sizeof(int), NULL, 0, EK_BESIDE};
static const ek_proc circle = {"circle", __FILE__, run_row, sizeof(struct band), sizeof(int), NULL, 0, EK_RING};

int main(void) {
  struct tree t = {4, 0.02};
  struct band b = {0.05};
  if (!ek_on()) return printf("no codelets\n"), 1;
  ek_launch(&tree, &t);
  for (int i = 0; i < 3; ++i) ek_run(&band, &b, 0);
  ek_run(&row, &b, 0);
  ek_run(&circle, &b, 3);
  #pragma omp parallel
  #pragma omp single
  {
    for (int i = 0; i < 5; ++i) ek_invoke(NULL, &tree, &t);
    #pragma omp taskwait
    ek_invoke(NULL, &tree, &t);
  }
  ek_invoke(NULL, &tree, &t);  /* outside of regions */
  return 0;
}
