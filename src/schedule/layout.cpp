#include "schedule/layout.h"

#include <algorithm>
#include <numeric>

namespace einkorn::schedule {

namespace {

// Places for the workers order[first, first + count) of a node, one for each run of equal `key`s.
template <class Key>
void add_places(Layout& l, PlaceKind kind, int node, int first, int count, Key&& key) {
  for (int i = first, begin = first; i < first + count; ++i) {
    bool last = i + 1 == first + count || key(l.order[size_t(i)]) != key(l.order[size_t(i + 1)]);
    if (!last) continue;
    for (int j = begin; j <= i; ++j) {
      Layout::Worker& w = l.workers[size_t(l.order[size_t(j)])];
      w.own[w.own_count++] = int(l.places.size());
    }
    l.places.push_back({kind, int16_t(node), begin, i + 1 - begin});
    begin = i + 1;
  }
}

void add_distances(Layout& l, const machine::Machine& m) {
  const size_t n = size_t(m.node_count());
  l.distance.resize(n * n);
  for (size_t i = 0; i < n * n; ++i) l.distance[i] = m.distance[i] / 10;
  l.near.assign(n * n, -1);
  for (size_t from = 0; from < n; ++from) {
    std::vector<int16_t> order = l.populated;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      // The own node first, whatever a measured table says.
      auto key = [&](int to) { return size_t(to) == from ? -1.f : l.distance[from * n + size_t(to)]; };
      return key(a) < key(b);
    });
    std::copy(order.begin(), order.end(), l.near.begin() + long(from * n));
  }
}

}  // namespace

Layout make_layout(const Schedule& s, const machine::Machine& m, const std::vector<int>& pus) {
  Layout l;
  const int n = int(pus.size());
  l.workers.resize(size_t(n));
  l.order.resize(size_t(n));
  l.nodes.resize(size_t(m.node_count()));
  std::iota(l.order.begin(), l.order.end(), 0);
  auto pu = [&](int worker) -> const machine::Pu& { return m.pus[size_t(pus[size_t(worker)])]; };
  std::stable_sort(l.order.begin(), l.order.end(), [&](int a, int b) {
    return pu(a).node != pu(b).node ? pu(a).node < pu(b).node : pus[size_t(a)] < pus[size_t(b)];
  });
  for (int i = 0; i < n; ++i) {
    Layout::Worker& w = l.workers[size_t(l.order[size_t(i)])];
    w.rank = i;
    w.node = int16_t(pu(l.order[size_t(i)]).node);
    Layout::Node& node = l.nodes[size_t(w.node)];
    if (node.workers++ == 0) node.first_rank = i;
  }
  for (int i = 0; i < m.node_count(); ++i) {
    Layout::Node& node = l.nodes[size_t(i)];
    node.first = int(l.places.size());
    if (node.workers == 0) continue;
    l.populated.push_back(int16_t(i));
    bool cores = s.places == Places::core || s.places == Places::core_node;
    if (cores) add_places(l, PlaceKind::core, i, node.first_rank, node.workers, [](int w) { return w; });
    if (s.places == Places::llc)
      add_places(l, PlaceKind::llc, i, node.first_rank, node.workers, [&](int w) { return pu(w).llc; });
    node.cores = int(l.places.size()) - node.first;
    if (s.places != Places::node && s.places != Places::core_node) continue;
    node.whole = int(l.places.size());
    add_places(l, PlaceKind::node, i, node.first_rank, node.workers, [](int) { return 0; });
  }
  if (s.places == Places::machine) {
    for (Layout::Worker& w : l.workers) w.own[w.own_count++] = 0;
    l.places.push_back({PlaceKind::machine, -1, 0, n});
  }
  add_distances(l, m);
  int sharing = m.llcs > 0 ? (m.pu_count() + m.llcs - 1) / m.llcs : 1;
  l.l1_bytes = m.l1_bytes;
  l.llc_share = m.llc_bytes / uint64_t(sharing > 0 ? sharing : 1);
  return l;
}

}  // namespace einkorn::schedule
