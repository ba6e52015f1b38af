// Programs without a recording, from the literature: what `einkorn simulate --program` offers.
//
//   synthetic.cpp  trees, flat, packages    synthetic_tiles.cpp  Cholesky, QR, stencils    synthetic_uts.cpp  unbalanced trees
//   program_text.h  all of them by their text
#pragma once
#include <string>
#include <vector>

#include "simulate/types.h"

namespace einkorn::simulate {

// A tree of tasks that wait for their children: `fan` children each down to `depth` levels of tasks, node_ns in an
// inner one before it forks, leaf_ns in a leaf. One region of `members`, the first makes the root's children.
Program fork_join_tree(uint32_t members, uint32_t fan, uint32_t depth, double node_ns, double leaf_ns);

// So many tasks of `ns`, made by one.
Program flat(uint32_t members, uint32_t tasks, double ns);

// Schmidl 2016, 4.1.1: packages of linearly growing size, the last of `largest_bytes`; bytes as STREAM counts them,
// each moved once. They lie on the nodes in order: the first on node 0, the last on the last, as many on each (first
// touch by a static loop whose time is not part of this). tasks: one thread creates them; owner_tasks: who has touched
// a package's data first does.
enum class Packages : uint8_t { static_loop, dynamic_loop, tasks, owner_tasks };
Program load_balance(uint32_t members, int nodes, uint32_t packages, uint64_t largest_bytes, double ns_per_byte,
                     Packages how);

// Factorisations of a matrix of t x t tiles of b x b doubles (Virouleau et al. 2016; the versions of programs/ with
// depend), kernels at `gflops` of one core. A tile is a datum: what a task touches comes from memory. First a task for
// each tile writes it, and all of these are waited for: so the schedule's rule for first tasks is what distributes the
// data.
//   Cholesky   t (t + 1) / 2 tiles, t (t + 1) (t + 2) / 6 kernels; potrf at a third of the speed, as it is measured to be:
//              potrf, trsm and syrk take b^3 / gflops, gemm twice that. Longest path (3 t - 2) b^3 / gflops.
//   QR         t^2 tiles, t (t + 1) (2 t + 1) / 6 kernels of 4/3, 2, 2 and 4 b^3 operations (geqrt, unmqr, tsqrt, tsmqr), all at
//              `gflops`. Longest path, t > 1: (30 t - 34) b^3 / 3 / gflops (a column's tiles are a chain).
Program cholesky(uint32_t members, uint32_t tiles, uint32_t block, double gflops);
Program qr(uint32_t members, uint32_t tiles, uint32_t block, double gflops);

// Jacobi's five-point stencil: t x t tiles of b x b doubles in two arrays, `steps` times from one to the other, ns for
// a cell. A tile's update reads the tile and the edges of its four neighbours, and writes the tile of the other array.
// First every tile of both arrays is written, which distributes them. With tasks that depend on each other, or a static
// loop a step. jitter: an update takes up to so much of its time more or less, each another, whatever the number of
// members.
enum class Stencil : uint8_t { tasks, loops };
Program stencil(uint32_t members, uint32_t tiles, uint32_t block, uint32_t steps, double ns_per_cell, Stencil how,
                double jitter = 0);

// The trees of UTS (programs/uts.c has the definition, and the same hash): every node's children follow from its hash.
struct UtsTree {
  enum Kind : uint8_t { binomial, geometric, hybrid } kind = binomial;
  enum Shape : uint8_t { linear, cyclic, fixed } shape = linear;  // of a geometric tree
  double b0 = 0;       // root's children (binomial), expected children (geometric)
  double q = 0;        // binomial: the chance of children
  uint32_t m = 0;      // and how many then
  uint32_t depth = 0;  // of a geometric tree's shape
  uint32_t seed = 0;
  double shift = 0;  // hybrid: geometric above shift * depth, binomial below
};
// "small", "t1" to "t5" (the authors' sample trees); false: there is no such tree.
bool uts_tree(const std::string& name, UtsTree& out);

// Its nodes down to depth `cutoff` in the order of a walk, depth first: what a task for each of them needs to know.
struct UtsNodes {
  struct Node {
    uint32_t children;  // that are tasks
    uint32_t walked;    // nodes that its task walks itself: 1 above the cut-off
  };
  std::vector<Node> nodes;  // [0] is the root
  uint64_t all = 0, leaves = 0;
  uint32_t deepest = 0;
};
// False: there are more than `most` nodes in all.
bool walk_uts(const UtsTree& tree, uint32_t cutoff, uint64_t most, UtsNodes& out);
// A task for each node but the root, which the first member is; each waits for its children.
Program uts(uint32_t members, const UtsNodes& nodes, double ns_per_node);

}  // namespace einkorn::simulate
