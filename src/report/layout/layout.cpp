#include "report/layout/layout.h"
#include <algorithm>
#include <cmath>

namespace einkorn::report {
namespace {

using profile::EdgeKind;
using profile::kNone;
using profile::NodeKind;

constexpr int32_t kBoxWidth = kLengths.box * kUnitsPerPixel;
constexpr int32_t kRoundSize = kLengths.round * kUnitsPerPixel;
constexpr int32_t kFloor = kLengths.floor * kUnitsPerPixel;
constexpr int32_t kLinearSpan = kLengths.linear * kUnitsPerPixel;
constexpr int32_t kOctave = kLengths.octave * kUnitsPerPixel;
constexpr int32_t kStep = kLengths.step * kUnitsPerPixel;
constexpr int32_t kFan = kLengths.fan * kUnitsPerPixel;
constexpr int32_t kMargin = kLengths.margin * kUnitsPerPixel;
constexpr int32_t kAside = kLengths.aside * kUnitsPerPixel;

bool is_box(NodeKind k) { return k == NodeKind::fragment || k == NodeKind::chunk || k == NodeKind::bookkeeping; }

// The linear stretch covers 19 of 20 fragments and chunks.
int64_t linear_stretch(const profile::Graph& graph) {
  std::vector<int64_t> times;
  for (const auto& n : graph.nodes)
    if ((n.kind == NodeKind::fragment || n.kind == NodeKind::chunk) && n.weight > 0) times.push_back(n.weight);
  if (times.empty()) return 1;
  const size_t at = std::min(times.size() - 1, times.size() * 19 / 20);
  std::nth_element(times.begin(), times.begin() + at, times.end());
  return times[at];
}

int32_t box_height(int64_t weight, int64_t linear) {
  if (weight <= 0) return kFloor;
  const double r = double(weight) / double(linear);
  const double span = r <= 1 ? kLinearSpan * r : kLinearSpan + kOctave * std::log2(r);
  return kFloor + int32_t(std::lround(span));
}

// Lists threaded through arrays: chains by the node they hang at, and by the node that joins them.
struct Lists {
  std::vector<uint32_t> head, next;
  Lists(size_t heads, const std::vector<uint32_t>& key) : head(heads, kNone), next(key.size(), kNone) {
    for (uint32_t i = uint32_t(key.size()); i-- > 0;) {
      if (key[i] == kNone) continue;
      next[i] = head[key[i]];
      head[key[i]] = i;
    }
  }
};

// Per chain, the chains at the same fork-join level whose last nodes it follows, as ranges of `chain`.
struct Predecessors {
  std::vector<uint32_t> begin, chain;
  Predecessors(const profile::Graph& graph, const Chains& chains) : begin(chains.count() + 1, 0) {
    auto each = [&](auto&& use) {
      for (const auto& e : graph.edges) {
        const uint32_t from = chains.chain_of[e.from], to = chains.chain_of[e.to];
        if (e.kind == EdgeKind::dependence && from < to && chains.parent[from] == chains.parent[to] &&
            chains.first[to] == e.to)
          use(from, to);
      }
    };
    each([&](uint32_t, uint32_t to) { ++begin[to + 1]; });
    for (uint32_t c = 0; c < chains.count(); ++c) begin[c + 1] += begin[c];
    std::vector<uint32_t> cursor(begin.begin(), begin.end() - 1);
    chain.resize(begin.back());
    each([&](uint32_t from, uint32_t to) { chain[cursor[to]++] = from; });
  }
};

class Placer {
 public:
  Placer(const profile::Graph& graph, Layout& out)
      : graph_(graph),
        out_(out),
        chains_(out.chains),
        forked_(graph.nodes.size(), chains_.fork),
        joined_(graph.nodes.size(), chains_.first_join),
        freed_(graph.nodes.size(), chains_.last_join),
        before_(graph, chains_),
        dx_(chains_.count(), 0),
        dy_(chains_.count(), 0),
        extent_(chains_.count()),
        size_(chains_.count(), 0),
        offset_(chains_.count(), 0),
        kid_of_(chains_.count(), kNone) {}

  void run() {
    for (uint32_t c = chains_.count(); c-- > 0;) measure(c);
    arrange_roots();
    for (uint32_t c = 0; c < chains_.count(); ++c) position(c);
    out_.work += chains_.work;
  }

 private:
  struct Kid {
    uint32_t chain;
    uint32_t last;        // kids up to this one are forked before this one is joined: they stand inside of it
    int8_t side;          // -1 left, 1 right, 0 free
    int64_t left, right;  // how far this one and those inside of it reach to either side
  };

  // Up: heights along the chain, then columns of what it forks, then its extent. Relative to (column, top) of the
  // chain.
  void measure(uint32_t c) {
    kids_.clear();
    int64_t y = 0, bottom = 0;
    uint32_t own = 0;
    for (uint32_t n = chains_.first[c]; n != kNone; n = chains_.next[n]) {
      for (uint32_t d = joined_.head[n]; d != kNone; d = joined_.next[d]) {
        ++out_.work;
        y = std::max(y, dy_[d] + extent_[d].bottom + kFan);
      }
      for (uint32_t d = freed_.head[n]; d != kNone; d = freed_.next[d]) {
        ++out_.work;
        if (kid_of_[d] != kNone && !chains_.outlives[d]) kids_[kid_of_[d]].last = uint32_t(kids_.size()) - 1;
      }
      out_.y[n] = y;
      y += out_.height[n];
      bottom = y;
      fork(n, y + kFan);
      y += graph_.nodes[n].kind == NodeKind::join && forked_.head[n] != kNone ? kFan : kStep;
      ++own;
      ++out_.work;
    }
    Box box{-kBoxWidth / 2 - kMargin, kBoxWidth / 2 + kMargin, 0, bottom};
    spread(box);
    uint32_t size = own;
    for (const int side : {-1, 1})
      for (const Kid& k : kids_) {
        if (k.side != side) continue;
        offset_[k.chain] = size;
        size += size_[k.chain];
        box.bottom = std::max(box.bottom, dy_[k.chain] + extent_[k.chain].bottom);
      }
    size_[c] = size;
    extent_[c] = box;
  }

  // Notes the chains that node n forks. Several at once are a team: left half to the left, right half to the right.
  void fork(uint32_t n, int64_t top) {
    const size_t begin = kids_.size();
    for (uint32_t d = forked_.head[n]; d != kNone; d = forked_.next[d]) {
      kids_.push_back({d, kNone, 0, 0, 0});
      dy_[d] = top;
      for (uint32_t i = before_.begin[d]; i < before_.begin[d + 1]; ++i) {
        const uint32_t p = before_.chain[i], last = chains_.last[p];
        dy_[d] = std::max(dy_[d], dy_[p] + out_.y[last] + out_.height[last] + kFan);
        ++out_.work;
      }
      ++out_.work;
    }
    const size_t members = kids_.size() - begin;
    if (members > 1) {
      const size_t half = begin + (members + 1) / 2;
      for (size_t i = begin; i < kids_.size(); ++i) kids_[i].side = i < half ? -1 : 1;
      std::reverse(kids_.begin() + half, kids_.end());
    }
    for (size_t i = begin; i < kids_.size(); ++i) kid_of_[kids_[i].chain] = uint32_t(i);
  }

  // Gives every kid a side and a column. From the last forked to the first: each stands outside of those that are
  // forked during its life, on the side where these reach less far. Linear: a kid is looked at by the innermost one
  // around it only.
  void spread(Box& box) {
    const int64_t left0 = box.left, right0 = box.right;
    for (uint32_t i = uint32_t(kids_.size()); i-- > 0;) {
      Kid& k = kids_[i];
      if (k.last == kNone) k.last = uint32_t(kids_.size()) - 1;
      k.left = left0;
      k.right = right0;
      uint32_t last = std::max(k.last, i);
      for (uint32_t j = i + 1; j <= k.last; j = kids_[j].last + 1) {
        ++out_.work;
        k.left = std::min(k.left, kids_[j].left);
        k.right = std::max(k.right, kids_[j].right);
        last = std::max(last, kids_[j].last);
      }
      k.last = last;
      const Box& e = extent_[k.chain];
      if (k.side == 0) k.side = k.right <= -k.left ? 1 : -1;
      if (k.side > 0) {
        dx_[k.chain] = k.right - e.left;
        k.right += e.right - e.left;
      } else {
        dx_[k.chain] = k.left - e.right;
        k.left -= e.right - e.left;
      }
      box.left = std::min(box.left, k.left);
      box.right = std::max(box.right, k.right);
    }
  }

  // Usually one root; a damaged recording has more, side by side.
  void arrange_roots() {
    int64_t x = 0;
    uint32_t at = 0;
    for (uint32_t c = 0; c < chains_.count(); ++c) {
      if (chains_.parent[c] != kNone) continue;
      dx_[c] = x - extent_[c].left;
      dy_[c] = 0;
      x += extent_[c].right - extent_[c].left + kFan;
      offset_[c] = at;
      at += size_[c];
    }
  }

  // Down: from relative to absolute.
  void position(uint32_t c) {
    const uint32_t parent = chains_.parent[c];
    if (parent != kNone) {
      dx_[c] += dx_[parent];
      dy_[c] += dy_[parent];
      offset_[c] += offset_[parent];
    }
    uint32_t at = offset_[c];
    for (uint32_t n = chains_.first[c]; n != kNone; n = chains_.next[n]) {
      out_.x[n] = dx_[c];
      out_.y[n] += dy_[c];
      out_.order[at++] = n;
      ++out_.work;
    }
    const Box& e = extent_[c];
    out_.subtree[c] = {e.left + dx_[c], e.right + dx_[c], e.top + dy_[c], e.bottom + dy_[c]};
    if (parent == kNone) {
      out_.extent.left = std::min(out_.extent.left, out_.subtree[c].left);
      out_.extent.right = std::max(out_.extent.right, out_.subtree[c].right);
      out_.extent.bottom = std::max(out_.extent.bottom, out_.subtree[c].bottom);
    }
  }

  const profile::Graph& graph_;
  Layout& out_;
  const Chains& chains_;
  const Lists forked_, joined_, freed_;
  const Predecessors before_;
  std::vector<int64_t> dx_, dy_;  // per chain: from its parent's column and top; after position() absolute
  std::vector<Box> extent_;       // per chain: of its subtree, relative to its own column and top
  std::vector<uint32_t> size_;    // per chain: nodes in its subtree
  std::vector<uint32_t> offset_;  // per chain: place in the order, relative to its parent's; then absolute
  std::vector<uint32_t> kid_of_;  // per chain: its place in kids_ while its parent is measured
  std::vector<Kid> kids_;
};

}  // namespace

Layout compute_layout(const profile::Graph& graph) {
  Layout out;
  const size_t n = graph.nodes.size();
  out.chains = find_chains(graph);
  out.linear_up_to_ns = linear_stretch(graph);
  out.x.assign(n, 0);
  out.y.assign(n, 0);
  out.width.resize(n);
  out.height.resize(n);
  out.order.assign(n, 0);
  out.subtree.resize(out.chains.count());
  for (size_t i = 0; i < n; ++i) {
    const auto& node = graph.nodes[i];
    out.width[i] = is_box(node.kind) ? kBoxWidth : kRoundSize;
    out.height[i] = is_box(node.kind) ? box_height(node.weight, out.linear_up_to_ns) : kRoundSize;
  }
  Placer(graph, out).run();
  return out;
}

Route edge_route(const profile::Graph& graph, const Layout& l, const profile::Edge& e) {
  const uint32_t from_depth = l.chains.depth[l.chains.chain_of[e.from]],
                 to_depth = l.chains.depth[l.chains.chain_of[e.to]];
  Route r{Route::straight, l.x[e.from], l.y[e.from] + l.height[e.from], l.x[e.to], l.y[e.to], l.y[e.to], l.x[e.from]};
  if (e.kind == EdgeKind::dependence) {
    r.kind = Route::dependence;
    r.run = std::min(r.from_y + kFan / 2, r.to_y);
    r.from_x += kAside;
    r.column = r.to_x = r.to_x + kAside;
    return r;
  }
  if (r.from_x == r.to_x) return r;
  if (e.kind == EdgeKind::join || from_depth > to_depth) {
    r.kind = Route::into_join;  // down at the child's column, then along into the join's middle
    r.run = l.y[e.to] + l.height[e.to] / 2;
  } else {
    r.kind = Route::out_of_fork;  // from a fork's middle; from below a team's join, where no joining edge runs
    r.run = graph.nodes[e.from].kind == NodeKind::join ? r.from_y + kFan / 2 : l.y[e.from] + l.height[e.from] / 2;
    r.column = r.to_x;
  }
  return r;
}

}  // namespace einkorn::report
