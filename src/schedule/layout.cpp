#include "schedule/layout.h"

#include <algorithm>
#include <numeric>

#include "schedule/shape.h"

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

// Of two clusters: that of their first workers.
float distance_of(const Layout& l, int from, int to) {
  auto node = [&](int c) { return l.workers[size_t(l.order[size_t(l.clusters[size_t(c)].first_rank)])].node; };
  return node(from) == node(to) ? 0 : l.distance_between(node(from), node(to));
}

// Places by cluster, and which clusters are near which: of equally near ones those come first that follow in number, so
// that not all look into the same one first.
void add_clusters(Layout& l, const Schedule& s, const std::vector<int>& cluster) {
  const auto n = int(l.order.size());
  for (int i = 0; i < n;) {
    Layout::Cluster c;
    const int number = cluster[size_t(l.order[size_t(i)])];
    c.first_rank = i;
    c.first = int(l.places.size());
    c.node = l.workers[size_t(l.order[size_t(i)])].node;
    for (; i < n && cluster[size_t(l.order[size_t(i)])] == number; ++i, ++c.units) {
      const Layout::Worker& w = l.workers[size_t(l.order[size_t(i)])];
      if (w.node != c.node) c.node = -1;
    }
    const auto me = int32_t(l.clusters.size());
    auto add = [&](PlaceKind kind, int16_t node, int first, int count) {
      const auto place = int32_t(l.places.size());
      l.places.push_back({kind, node, first, count, me});
      for (int j = first; j < first + count; ++j) {
        Layout::Worker& w = l.workers[size_t(l.order[size_t(j)])];
        w.cluster = me;
        w.own[w.own_count++] = place;
      }
    };
    if (s.places != Places::cluster)
      for (int j = c.first_rank; j < i; ++j) add(PlaceKind::core, l.workers[size_t(l.order[size_t(j)])].node, j, 1);
    if (s.places == Places::cluster || s.places == Places::tree) add(PlaceKind::cluster, c.node, c.first_rank, c.units);
    if (has_two_levels(s)) {
      c.procedures = int32_t(l.places.size());
      add(PlaceKind::procedures, c.node, c.first_rank, c.units);
    }
    c.places = int32_t(l.places.size()) - c.first;
    l.clusters.push_back(c);
  }
  const auto clusters = int(l.clusters.size());
  for (int from = 0; from < clusters; ++from) {
    std::vector<int32_t> order(size_t(clusters), 0);
    for (int k = 0; k < clusters; ++k) order[size_t(k)] = (from + k) % clusters;
    std::stable_sort(order.begin() + 1, order.end(),
                     [&](int a, int b) { return distance_of(l, from, a) < distance_of(l, from, b); });
    l.up.insert(l.up.end(), order.begin(), order.end());
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
  const std::vector<int> cluster = has_clusters(s) ? clusters_of(s.shape, m, pus) : std::vector<int>(size_t(n), 0);
  std::stable_sort(l.order.begin(), l.order.end(), [&](int a, int b) {
    if (cluster[size_t(a)] != cluster[size_t(b)]) return cluster[size_t(a)] < cluster[size_t(b)];
    if (has_clusters(s)) return pus[size_t(a)] < pus[size_t(b)];
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
    if (has_clusters(s)) {
      node.first = 0;
      continue;
    }
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
  if (has_clusters(s)) add_clusters(l, s, cluster);
  int sharing = m.llcs > 0 ? (m.pu_count() + m.llcs - 1) / m.llcs : 1;
  l.l1_bytes = m.l1_bytes;
  l.llc_share = m.llc_bytes / uint64_t(sharing > 0 ? sharing : 1);
  return l;
}

}  // namespace einkorn::schedule
