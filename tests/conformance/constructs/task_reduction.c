// taskgroup task_reduction and task in_reduction: recursion, groups within groups, variables of an outer group, arrays,
// user-defined operators, if(false), tasks that suspend, groups of several threads at once.
#include "check.h"

typedef struct {
  long sum, count;
} Pair;
static void combine_pair(Pair *to, const Pair *from) {
  to->sum += from->sum;
  to->count += from->count;
}
#pragma omp declare reduction(pair : Pair : combine_pair(&omp_out, &omp_in)) initializer(omp_priv = (Pair){0, 0})
// The copies start from the original: 2 x factor.
typedef struct {
  long factor, total;
} Scaled;
static void init_scaled(Scaled *priv, const Scaled *orig) {
  priv->factor = orig->factor;
  priv->total = 0;
}
static void add_scaled(Scaled *to, const Scaled *from) {
  CHECK_EQUAL(from->factor, to->factor);
  to->total += from->total;
}
#pragma omp declare reduction(scaled : Scaled : add_scaled(&omp_out, &omp_in)) initializer(init_scaled(&omp_priv, &omp_orig))

static long counted;
static void tree(int depth) {
#pragma omp task in_reduction(+ : counted)
  {
    counted += depth;
    if (depth % 3 == 0) nap_us(1);
  }
  if (depth == 0) return;
  for (int i = 0; i < 2; ++i) {
#pragma omp task firstprivate(depth)
    tree(depth - 1);
  }
#pragma omp taskwait
}

// Sum over all nodes of their depth, counting from the leaves.
static long tree_sum(int depth) { return depth == 0 ? 0 : depth + 2 * tree_sum(depth - 1); }

// Each level has a group of its own, over the copy of the level above.
static void levels(long *x, int depth) {
  if (depth == 0) return;
#pragma omp taskgroup task_reduction(+ : x[0])
  {
    for (int i = 0; i < 2; ++i) {
#pragma omp task in_reduction(+ : x[0]) firstprivate(depth)
      {
        x[0] += 1;
        levels(&x[0], depth - 1);
      }
    }
  }
}

static void operators(int tasks) {
  long sum = 5, product = 3, least = 1000000, mask = 0;
  double big = -1;
  Pair pair = {7, 1};
  Scaled scaled = {4, 100};
  long array[6] = {1, 1, 1, 1, 1, 1};
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(* : product) task_reduction(min : least)                       \
    task_reduction(| : mask) task_reduction(max : big) task_reduction(pair : pair) task_reduction(scaled : scaled)          \
    task_reduction(+ : array[1 : 4])
  {
    for (int i = 0; i < tasks; ++i) {
#pragma omp task in_reduction(+ : sum, array[1 : 4]) in_reduction(min : least) in_reduction(max : big) firstprivate(i)
      {
        sum += i;
        if (least > 100 + i) least = 100 + i;
        if (big < i) big = i;
        array[1 + i % 4] += i;
      }
#pragma omp task in_reduction(* : product) in_reduction(| : mask) firstprivate(i) if (i % 2)
      {
        if (i < 5) product *= 2;
        mask |= 1L << i % 40;
      }
#pragma omp task in_reduction(pair : pair) in_reduction(scaled : scaled) firstprivate(i)
      {
        pair.sum += i;
        // A task that waits: others of its thread may use the same copy meanwhile.
#pragma omp task in_reduction(pair : pair)
        pair.count += 1;
#pragma omp taskwait
        scaled.total += scaled.factor * i;
      }
    }
  }
  long n = tasks, all = n * (n - 1) / 2, bits = 0;
  for (int i = 0; i < tasks; ++i) bits |= 1L << i % 40;
  CHECK_EQUAL(sum, 5 + all);
  CHECK_EQUAL(product, 3 * 32);
  CHECK_EQUAL(least, 100);
  CHECK_EQUAL(mask, bits);
  CHECK_EQUAL((long)big, tasks - 1);
  CHECK_EQUAL(pair.sum, 7 + all);
  CHECK_EQUAL(pair.count, 1 + n);
  CHECK_EQUAL(scaled.total, 100 + 4 * all);
  CHECK_EQUAL(array[0], 1);
  CHECK_EQUAL(array[5], 1);
  CHECK_EQUAL(array[1] + array[2] + array[3] + array[4], 4 + all);
}

int main(void) {
  long together = 0;
#pragma omp parallel reduction(+ : together)
  {
#pragma omp single
    {
      counted = 10;
#pragma omp taskgroup task_reduction(+ : counted)
      tree(7);
      CHECK_EQUAL(counted, 10 + tree_sum(7));
      long deep = 0;
      levels(&deep, 6);
      CHECK_EQUAL(deep, 126);
    }
    // A group on each thread, and its tasks on all.
    for (int round = 0; round < 5; ++round) operators(60);
    long outer = 0, inner = 0;
#pragma omp taskgroup task_reduction(+ : outer)
    {
      for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : outer) shared(inner)
        {
          outer += 1;
          long own = 0;
#pragma omp taskgroup task_reduction(+ : own)
          {
            for (int k = 0; k < 5; ++k) {
#pragma omp task in_reduction(+ : own) in_reduction(+ : outer)
              {
                own += 1;
                outer += 10;
              }
            }
          }
          CHECK_EQUAL(own, 5);
#pragma omp atomic
          inner += own;
        }
      }
    }
    CHECK_EQUAL(inner, 50);
    CHECK_EQUAL(outer, 10 + 500);
    together += outer;
  }
  CHECK_EQUAL(together, 510L * omp_get_max_threads());
  // Outside all regions.
  operators(20);
  return check_end();
}
