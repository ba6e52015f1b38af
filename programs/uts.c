/* Unbalanced tree search: counts the nodes of a tree in which every node's children follow from a SHA-1 hash, so that
   nothing about a subtree is known before it is walked. After Olivier, Huan, Liu, Prins, Dinan, Sadayappan, Tseng: UTS:
   An Unbalanced Tree Search Benchmark (LCPC 2006). One task per node.

   A node is 20 bytes: the root SHA-1 of 16 zero bytes and the seed as 4 bytes big-endian; child i SHA-1 of the
   parent's 20 bytes and i as 4 bytes big-endian. Its random number is the last 4 bytes, big-endian, less the top bit. */
#include <math.h>

#include "common.h"
#include "sha1.h"

enum { kBinomial, kGeometric, kHybrid };
enum { kLinear, kExponential, kCyclic, kFixed };
enum { kMostChildren = 100 }; /* of a geometric node, in the published generator */

typedef struct {
  unsigned char state[kSha1Bytes];
  int depth;
} Node;

typedef struct {
  long nodes, leaves, depth, tasks;
} Count;

typedef struct {
  const char *name;
  long type, shape;
  double b0;      /* root's children (binomial), expected children (geometric) */
  double q;       /* chance of a binomial node to have children */
  long m;         /* and how many then */
  long max_depth; /* of a geometric tree's shape */
  long seed;
  double shift;   /* hybrid: geometric above shift * max_depth, binomial below */
  Count published;
} Tree;

/* T1-T5: the sample trees that the authors publish with their counts. `small` is T3 cut down for a quick run; it has
   no published count and is checked by a sequential traversal, as is every tree given by its own parameters. */
static const Tree kTrees[] = {
    {"small", kBinomial, 0, 2000, 0.1245, 8, 0, 42, 0, {0, 0, 0, 0}},
    {"t1", kGeometric, kFixed, 4, 0, 0, 10, 19, 0, {4130071, 3305118, 10, 0}},
    {"t2", kGeometric, kCyclic, 6, 0, 0, 16, 502, 0, {4117769, 2342762, 81, 0}},
    {"t3", kBinomial, 0, 2000, 0.124875, 8, 0, 42, 0, {4112897, 3599034, 1572, 0}},
    {"t4", kHybrid, kLinear, 6, 0.234375, 4, 16, 1, 0.5, {4132453, 3108986, 134, 0}},
    {"t5", kGeometric, kLinear, 4, 0, 0, 20, 34, 0, {4147582, 2181318, 20, 0}},
};

static Tree tree;
static long cutoff = NO_CUTOFF;

static void put_big_endian(unsigned char *to, uint32_t value) {
  for (int i = 0; i < 4; i++) to[i] = (unsigned char)(value >> (24 - 8 * i));
}

static Node root_node(void) {
  unsigned char message[20] = {0};
  Node node = {{0}, 0};
  put_big_endian(message + 16, (uint32_t)tree.seed);
  sha1_short(message, sizeof message, node.state);
  return node;
}

static Node child_node(const Node *parent, uint32_t i) {
  unsigned char message[kSha1Bytes + 4];
  Node node;
  memcpy(message, parent->state, kSha1Bytes);
  put_big_endian(message + kSha1Bytes, i);
  sha1_short(message, sizeof message, node.state);
  node.depth = parent->depth + 1;
  return node;
}

/* Uniform in [0, 1), in steps of 2^-31. */
static double node_random(const Node *node) {
  const unsigned char *s = node->state + 16;
  uint32_t value = ((uint32_t)s[0] << 24 | (uint32_t)s[1] << 16 | (uint32_t)s[2] << 8 | s[3]) & 0x7fffffff;
  return (double)value / 2147483648.0;
}

static long binomial_children(const Node *node) {
  if (node->depth == 0) return (long)floor(tree.b0);
  return node_random(node) < tree.q ? tree.m : 0;
}

static long geometric_children(const Node *node) {
  double expected = tree.b0, depth = node->depth, deepest = (double)tree.max_depth;
  if (depth > 0) {
    switch (tree.shape) {
      case kExponential: expected *= pow(depth, -log(tree.b0) / log(deepest)); break;
      case kCyclic:
        expected = depth > 5 * deepest ? 0 : pow(tree.b0, sin(2.0 * 3.141592653589793 * depth / deepest));
        break;
      case kFixed: expected = depth < deepest ? tree.b0 : 0; break;
      default: expected *= 1.0 - depth / deepest;
    }
  }
  if (!(expected > 0)) return 0;
  double p = 1.0 / (1.0 + expected);
  long children = (long)floor(log(1 - node_random(node)) / log(1 - p));
  return children > kMostChildren ? kMostChildren : children;
}

static long children_of(const Node *node) {
  if (tree.type == kBinomial) return binomial_children(node);
  if (tree.type == kGeometric) return geometric_children(node);
  return node->depth < tree.shift * (double)tree.max_depth ? geometric_children(node) : binomial_children(node);
}

static void add_count(Count *total, const Count *part) {
  total->nodes += part->nodes;
  total->leaves += part->leaves;
  total->tasks += part->tasks;
  if (part->depth > total->depth) total->depth = part->depth;
}

static Count walk_sequential(const Node *node) {
  long children = children_of(node);
  Count total = {1, children == 0, node->depth, 0};
  for (long i = 0; i < children; i++) {
    Node child = child_node(node, (uint32_t)i);
    Count part = walk_sequential(&child);
    add_count(&total, &part);
  }
  return total;
}

static Count walk(const Node *node) {
  if (node->depth >= cutoff) return walk_sequential(node);
  long children = children_of(node);
  Count total = {1, children == 0, node->depth, children};
  if (children == 0) return total;
  /* Most nodes have few children: their counts are on the stack, but not those of a wide root. */
  Count few[16], *parts = children <= 16 ? few : allocate((size_t)children * sizeof *parts);
  for (long i = 0; i < children; i++) {
    Count *part = &parts[i];
#pragma omp task UNTIED firstprivate(i, node, part)
    {
      Node child = child_node(node, (uint32_t)i);
      *part = walk(&child);
    }
  }
#pragma omp taskwait
  for (long i = 0; i < children; i++) add_count(&total, &parts[i]);
  if (parts != few) free(parts);
  return total;
}

/* Which preset `--tree` names, found before the other options so that these can change it. */
static long find_tree(int argc, char **argv, const char *names) {
  for (int i = 1; i < argc; i++) {
    const char *value = strncmp(argv[i], "--tree=", 7) == 0 ? argv[i] + 7 : NULL;
    if (strcmp(argv[i], "--tree") == 0 && i + 1 < argc) value = argv[i + 1];
    if (value && find_choice(names, value) >= 0) return find_choice(names, value);
  }
  return 0;
}

static int same_parameters(const Tree *a, const Tree *b) {
  return a->type == b->type && a->shape == b->shape && a->b0 == b->b0 && a->q == b->q && a->m == b->m &&
         a->max_depth == b->max_depth && a->seed == b->seed;
}

int main(int argc, char **argv) {
  static const char kNames[] = "small|t1|t2|t3|t4|t5";
  long preset = find_tree(argc, argv, kNames);
  tree = kTrees[preset];
  const Option options[] = {
      {"--tree", kChoice, kNames, &preset, 0, 0, "start from this tree; the options below change it"},
      {"--type", kChoice, "binomial|geometric|hybrid", &tree.type, 0, 0, "kind of tree"},
      {"--shape", kChoice, "linear|exponential|cyclic|fixed", &tree.shape, 0, 0, "of a geometric tree"},
      {"--size", kDouble, "B0", &tree.b0, 1, 1e6, "children of the root, or expected children"},
      {"--q", kDouble, "Q", &tree.q, 0, 1, "chance that a binomial node has children"},
      {"--m", kLong, "M", &tree.m, 0, 1e6, "how many children it then has; keep Q x M below 1"},
      {"--depth", kLong, "D", &tree.max_depth, 0, 1e6, "depth of a geometric tree"},
      {"--seed", kLong, "R", &tree.seed, 0, 2147483647, "of the root"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e6, "no tasks below depth N"},
      {"--no-cutoff", kSwitch, "", &cutoff, (double)NO_CUTOFF, 0, "a task for every node"},
  };
  parse_options(argc, argv, "uts", "Unbalanced tree search: counts a tree's nodes, one task per node.", options,
                OPTION_COUNT(options));
  if (tree.type != kGeometric && tree.q * (double)tree.m >= 1)
    bad_option("uts", "--q, --m", "Q x M must be below 1, or the tree has no end");

  Count found = {0, 0, 0, 0};
  Node root = root_node();
  double start = begin_timed_part();
#pragma omp parallel
#pragma omp single
  found = walk(&root);
  double seconds = end_timed_part(start);

  Count expected = kTrees[preset].published;
  if (expected.nodes == 0 || !same_parameters(&tree, &kTrees[preset])) expected = walk_sequential(&root);
  int ok = found.nodes == expected.nodes && found.leaves == expected.leaves && found.depth == expected.depth;
  char size[48], text[64];
  snprintf(size, sizeof size, "%s%s", kTrees[preset].name, same_parameters(&tree, &kTrees[preset]) ? "" : "-changed");
  snprintf(text, sizeof text, "%ld/%ld/%ld", found.nodes, found.leaves, found.depth);
  return finish("uts", size, text, found.tasks, seconds, ok);
}
