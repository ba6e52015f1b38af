#include "profile/critical_path.h"
#include <algorithm>

namespace einkorn::profile {

namespace {

// The longest paths up to a point: by execution, by execution with its burden, and by the number of tasks. `last` is
// the last node of the first.
struct Path {
  int64_t span = 0, burdened = 0;
  uint32_t last = kNone, tasks = 0;
  void take(const Path& p) {
    if (p.span > span || last == kNone) {
      span = p.span;
      last = p.last;
    }
    burdened = std::max(burdened, p.burdened);
    tasks = std::max(tasks, p.tasks);
  }
};

struct Chain {
  uint32_t first = kNone;  // its first book-keeping node
  Path begin;              // up to the loop's begin
  Path longest;            // up to the end of the chunk that ends last
};

// Tasks that were counted, and not recorded one by one: that of a grain which took longest is over when nobody waits
// for the grain any more, and began behind the grain. That is all that is known of their order.
class CountedTasks {
 public:
  explicit CountedTasks(const Profile& p) : p_(p) {
    if (p.aggregates.empty()) return;
    most_.assign(p.grains.size(), 0);
    for (const Aggregate& a : p.aggregates)
      if (a.grain < most_.size()) {
        // Only a damaged file says more than its own length.
        const int64_t exec = std::clamp<int64_t>(a.exec, 0, int64_t(1) << 50);
        most_[a.grain] = std::max(most_[a.grain], std::min({a.most, exec, std::max<int64_t>(0, p.wall_ns)}));
        all_ += exec;
      }
    begin_.assign(p.grains.size(), -1);
    last_.assign(p.grains.size(), kNone);
    for (uint32_t n = 0; n < p.graph.nodes.size(); ++n)
      if (const uint32_t g = its(n); g != kNone) last_[g] = n;
  }
  int64_t work() const { return all_; }
  void begins(uint32_t n, int64_t span) {
    if (const uint32_t g = its(n); g != kNone && begin_[g] < 0) begin_[g] = span;
  }
  // 0: the node is not the last one of such a grain.
  int64_t ends(uint32_t n) const {
    const uint32_t g = its(n);
    return g != kNone && last_[g] == n ? begin_[g] + most_[g] : 0;
  }

 private:
  uint32_t its(uint32_t n) const {
    if (most_.empty()) return kNone;
    const uint32_t g = context_of(p_, p_.graph.nodes[n].grain);
    return g != kNone && most_[g] > 0 ? g : kNone;
  }
  const Profile& p_;
  int64_t all_ = 0;
  std::vector<int64_t> most_, begin_;  // by grain
  std::vector<uint32_t> last_;         // by grain: node
};

}  // namespace

void critical_path(const std::vector<ChainLink>& chains, Profile& out) {
  auto& nodes = out.graph.nodes;
  const auto& edges = out.graph.edges;
  std::vector<Path> before(nodes.size());  // longest path that ends before each node
  uint32_t chain_count = 0;
  for (const ChainLink& c : chains) chain_count = std::max(chain_count, c.chain + 1);
  std::vector<Chain> open(chain_count);
  // Chain of a book-keeping node: both lists are in node order.
  size_t link = 0, e = 0;
  int64_t work = 0;
  Path end;
  std::vector<bool> seen(out.grains.size(), false);
  auto begins_task = [&](const Node& node) {
    if (node.kind != NodeKind::fragment || node.grain >= seen.size() || seen[node.grain]) return false;
    seen[node.grain] = true;
    const Grain& g = out.grains[node.grain];
    return g.kind == GrainKind::task && !waited_for(g);
  };
  CountedTasks beside(out);
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    bool executes = node.kind == NodeKind::fragment || node.kind == NodeKind::chunk;
    if (executes) work += node.weight;
    Chain* chain = nullptr;
    while (link < chains.size() && chains[link].node < n) ++link;
    if (link < chains.size() && chains[link].node == n) chain = &open[chains[link].chain];
    Path path = before[n];
    beside.begins(n, path.span);
    if (chain) {
      if (chain->first == kNone) {
        chain->first = n;
        chain->begin = chain->longest = path;
      } else {
        chain->longest.take(path);
        before[n].last = chain->longest.last;
      }
      path = chain->longest;
    }
    path.span += executes ? node.weight : 0;
    path.burdened += node.weight;
    path.last = n;
    if (const int64_t span = beside.ends(n); span > path.span) path.span = span;
    path.burdened = std::max(path.burdened, path.span);
    if (begins_task(node)) ++path.tasks, ++out.chained_tasks;
    end.take(path);
    for (; e < edges.size() && edges[e].from == n; ++e) {
      uint32_t to = edges[e].to;
      if (chain && nodes[to].kind == NodeKind::chunk) {
        Path begun = chain->begin;
        begun.burdened += node.weight;
        begun.last = n;
        before[to].take(begun);
      } else {
        before[to].take(path);
      }
    }
  }
  out.critical_path_ns = end.span;
  out.burdened_path_ns = end.burdened;
  out.longest_chain = end.tasks;
  out.parallelism = end.span > 0 ? double(work + beside.work()) / double(end.span) : 0;

  // Walks back from the end. From a chunk the path leads to its loop's begin, past the chunks before it.
  bool from_chunk = false;
  for (uint32_t n = end.last; n != kNone;) {
    nodes[n].critical = true;
    uint32_t previous = before[n].last;
    if (nodes[n].kind == NodeKind::bookkeeping && from_chunk) {
      auto it =
          std::lower_bound(chains.begin(), chains.end(), n, [](const ChainLink& c, uint32_t v) { return c.node < v; });
      uint32_t first = open[it->chain].first;
      nodes[first].critical = true;
      previous = before[first].last;
    }
    from_chunk = nodes[n].kind == NodeKind::chunk;
    n = previous;
  }
}

}  // namespace einkorn::profile
