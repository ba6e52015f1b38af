#include <fmt/format.h>

#include <cmath>

#include "sha1.h"  // of programs/: the same hash, so the same trees
#include "simulate/builder.h"
#include "simulate/synthetic.h"

namespace einkorn::simulate {

namespace {

struct TreeNode {
  unsigned char state[kSha1Bytes];
  uint32_t depth;
};

void put_big_endian(unsigned char* to, uint32_t value) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<unsigned char>(value >> (24 - 8 * i));
}

TreeNode root_of(const UtsTree& tree) {
  unsigned char message[20] = {};
  TreeNode node{{}, 0};
  put_big_endian(message + 16, tree.seed);
  sha1_short(message, sizeof message, node.state);
  return node;
}

TreeNode child_of(const TreeNode& parent, uint32_t i) {
  unsigned char message[kSha1Bytes + 4];
  TreeNode node{{}, parent.depth + 1};
  memcpy(message, parent.state, kSha1Bytes);
  put_big_endian(message + kSha1Bytes, i);
  sha1_short(message, sizeof message, node.state);
  return node;
}

// Uniform in [0, 1), in steps of 2^-31.
double random_of(const TreeNode& node) {
  const unsigned char* s = node.state + 16;
  const uint32_t value = (uint32_t(s[0]) << 24 | uint32_t(s[1]) << 16 | uint32_t(s[2]) << 8 | s[3]) & 0x7fffffff;
  return double(value) / 2147483648.0;
}

uint32_t geometric_children(const UtsTree& tree, const TreeNode& node) {
  constexpr double kMost = 100;  // in the published generator
  const double depth = node.depth, deepest = tree.depth;
  double expected = tree.b0;
  if (node.depth > 0) switch (tree.shape) {
      case UtsTree::linear: expected *= 1 - depth / deepest; break;
      case UtsTree::cyclic:
        expected = depth > 5 * deepest ? 0 : std::pow(tree.b0, std::sin(2.0 * 3.141592653589793 * depth / deepest));
        break;
      case UtsTree::fixed: expected = depth < deepest ? tree.b0 : 0; break;
    }
  if (!(expected > 0)) return 0;
  const double p = 1 / (1 + expected);
  return uint32_t(std::min(kMost, std::floor(std::log(1 - random_of(node)) / std::log(1 - p))));
}

uint32_t children_of(const UtsTree& tree, const TreeNode& node) {
  if (tree.kind == UtsTree::geometric || (tree.kind == UtsTree::hybrid && node.depth < tree.shift * tree.depth))
    return geometric_children(tree, node);
  if (node.depth == 0) return uint32_t(tree.b0);
  return random_of(node) < tree.q ? tree.m : 0;
}

}  // namespace

bool uts_tree(const std::string& name, UtsTree& out) {
  static const struct {
    const char* name;
    UtsTree tree;
  } kTrees[] = {
      {"small", {UtsTree::binomial, UtsTree::linear, 2000, 0.1245, 8, 0, 42, 0}},
      {"t1", {UtsTree::geometric, UtsTree::fixed, 4, 0, 0, 10, 19, 0}},
      {"t2", {UtsTree::geometric, UtsTree::cyclic, 6, 0, 0, 16, 502, 0}},
      {"t3", {UtsTree::binomial, UtsTree::linear, 2000, 0.124875, 8, 0, 42, 0}},
      {"t4", {UtsTree::hybrid, UtsTree::linear, 6, 0.234375, 4, 16, 1, 0.5}},
      {"t5", {UtsTree::geometric, UtsTree::linear, 4, 0, 0, 20, 34, 0}},
  };
  for (const auto& t : kTrees)
    if (name == t.name) return out = t.tree, true;
  return false;
}

bool walk_uts(const UtsTree& tree, uint32_t cutoff, uint64_t most, UtsNodes& out) {
  struct Open {
    TreeNode node;
    uint32_t next, children;
  };
  std::vector<Open> path;
  uint32_t task = 0;  // that walks what is now below the cut-off
  auto meet = [&](const TreeNode& node) {
    const uint32_t children = children_of(tree, node);
    ++out.all;
    out.leaves += children == 0;
    out.deepest = std::max(out.deepest, node.depth);
    if (node.depth <= cutoff) {
      task = uint32_t(out.nodes.size());
      out.nodes.push_back({node.depth < cutoff ? children : 0, 1});
    } else {
      ++out.nodes[task].walked;
    }
    if (children > 0) path.push_back({node, 0, children});
  };
  meet(root_of(tree));
  while (!path.empty()) {
    if (out.all > most) return false;
    Open& top = path.back();
    if (top.next == top.children) path.pop_back();
    else meet(child_of(top.node, top.next++));
  }
  return true;
}

Program uts(uint32_t members, const UtsNodes& nodes, double ns_per_node) {
  Builder b(fmt::format("uts {}", nodes.all));
  struct Open {
    uint32_t task, children;
  };
  std::vector<Open> path;
  auto meet = [&](uint32_t task, const UtsNodes::Node& n) {
    b.compute(task, n.walked * ns_per_node);
    if (n.children > 0) path.push_back({task, n.children});
  };
  meet(b.region(Builder::kInitial, members), nodes.nodes[0]);
  for (size_t i = 1; !path.empty();) {
    const uint32_t parent = path.back().task;
    if (path.back().children-- > 0) {
      meet(b.fork(parent), nodes.nodes[i++]);
      continue;
    }
    b.wait(parent);
    path.pop_back();
  }
  return b.finish();
}

}  // namespace einkorn::simulate
