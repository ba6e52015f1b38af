/* After 376.kdtree: a sweep over a tree whose recursion forgets to increment the depth, so that its cut-off never cuts. The
   tree fits into a cache: with tasks, nodes are visited in another order, whose cost a report cannot know. */
#include "seeded.h"

typedef struct Node { struct Node *left, *right; double value; } Node;

static int step = 0;  /* the increment of the depth: the mistake is that it is 0 */
enum { kCutOff = 6, kLevels = 12 };

static Node *build(int levels) {
  if (levels == 0) return NULL;
  Node *n = malloc(sizeof *n);
  n->left = build(levels - 1);
  n->right = build(levels - 1);
  n->value = levels;
  return n;
}

static void sweep(Node *n, int depth) {
  if (!n) return;
  n->value = spin(120, n->value);
  if (depth < kCutOff) {
    #pragma omp task /* PROBLEM */
    sweep(n->left, depth + step);
    sweep(n->right, depth + step);
    #pragma omp taskwait
  } else {
    sweep(n->left, depth + step);
    sweep(n->right, depth + step);
  }
}

static double sum(const Node *n) { return n ? n->value + sum(n->left) + sum(n->right) : 0; }

int main(int argc, char **argv) {
  step = is_fixed(argc, argv);
  Node *root = build(kLevels);
  double begin = omp_get_wtime();
  for (int i = 0; i < fewer(argc, argv, 128); ++i) {
    #pragma omp parallel
    #pragma omp single
    sweep(root, 0);
  }
  double end = omp_get_wtime();
  printf("%.6f %.10g\n", end - begin, sum(root));
  return 0;
}
