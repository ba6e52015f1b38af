#include "schedule/push.h"

#include "schedule/visits.h"

namespace einkorn::schedule {

int local_place(const Context& c) { return c.self().own[0]; }

int own_node_place(const Context& c) {
  int whole = c.layout.nodes[size_t(c.self().node)].whole;
  return whole >= 0 ? whole : local_place(c);
}

namespace {

// The shortest of these queues, from a random one on.
int shortest_of(const Context& c, int first, int count) {
  int best = first, at = count > 1 ? int(next_random(c.state.random) % uint32_t(count)) : 0;
  uint32_t least = ~0u;
  for (int i = 0; i < count; ++i) {
    int place = first + (at + i) % count;
    if (uint32_t length = c.view.length(place); length < least) best = place, least = length;
  }
  return best;
}

// Of the clusters with workers on that node, the one whose procedures' queue is shortest; from a random one on.
int cluster_on_node(const Context& c, int node) {
  const Layout& l = c.layout;
  const auto clusters = uint32_t(l.clusters.size());
  const uint32_t at = clusters > 1 ? next_random(c.state.random) % clusters : 0;
  int best = -1;
  uint32_t least = 0;
  for (uint32_t i = 0; i < clusters; ++i) {
    const auto k = int((at + i) % clusters);
    const Layout::Cluster& cluster = l.clusters[size_t(k)];
    bool there = cluster.node == node;
    for (int r = 0; cluster.node < 0 && r < cluster.units && !there; ++r)
      there = l.workers[size_t(l.order[size_t(cluster.first_rank + r)])].node == node;
    if (!there) continue;
    const uint32_t length = cluster.procedures >= 0 ? c.view.length(cluster.procedures) : 0;
    if (best < 0 || length < least) best = k, least = length;
  }
  return best < 0 ? c.self().cluster : best;
}

}  // namespace

int place_in_cluster(const Context& c, int cluster) {
  const Layout::Cluster& k = c.layout.clusters[size_t(cluster)];
  if (c.schedule.places == Places::tree) return k.first + k.places - 1;
  return k.procedures >= 0 ? k.procedures : shortest_of(c, k.first, k.places);
}

int place_on_node(const Context& c, int node) {
  node = c.layout.populated_near(node);
  if (node < 0 || c.schedule.places == Places::machine) return local_place(c);
  if (!c.layout.clusters.empty()) return place_in_cluster(c, cluster_on_node(c, node));
  const Layout::Node& n = c.layout.nodes[size_t(node)];
  return n.whole >= 0 ? n.whole : shortest_of(c, n.first, n.cores);
}

int node_with_most(const Layout& l, const uint64_t* bytes) {
  int best = -1;
  for (int i = 0; bytes && i < l.node_count(); ++i)
    if (bytes[i] > 0 && (best < 0 || bytes[i] > bytes[best])) best = i;
  return best;
}

namespace {

int writer_node(const Context& c, const TaskFacts& t) {
  int node = node_with_most(c.layout, t.written);
  return node >= 0 ? node : node_with_most(c.layout, t.read);
}

// Muddukrishna 2016, 3.4.2. Alg. 1: least cost where the footprint is worth it and does not lie evenly; else the local
// queue. Alg. 3: where the data is dealt out coarsely, to the home of what the task uses most; without that least cost
// where the footprint is worth it; else the local queue.
int least_cost(const Context& c, const TaskFacts& t) {
  const Layout& l = c.layout;
  uint64_t total = 0, first = 0;
  bool even = true;
  const bool alg3 = c.schedule.data == Data::coarse;
  if (alg3 && t.intense >= 0) return place_on_node(c, t.intense);
  auto bytes = [&](int i) {
    if (alg3) return t.coarse ? t.coarse[i] : 0;
    return (t.read ? t.read[i] : 0) + (t.written ? t.written[i] : 0);
  };
  for (int i = 0; i < l.node_count(); ++i) {
    uint64_t b = bytes(i);
    if (i == 0) first = b;
    even &= b == first;
    total += b;
  }
  const uint64_t cache = c.schedule.cache == Cache::l1 ? l.l1_bytes : l.llc_share;
  if (total == 0 || (even && !alg3) || float(total) <= c.schedule.least_cost_share * float(cache))
    return local_place(c);
  int best = -1;
  float least = 0;
  // From the own node on, so that of equal ones the nearest wins.
  const int16_t* near = &l.near[size_t(c.self().node) * l.nodes.size()];
  for (size_t k = 0; k < l.populated.size(); ++k) {
    float cost = 0;
    for (int i = 0; i < l.node_count(); ++i) cost += l.distance_between(near[k], i) * float(bytes(i));
    if (best < 0 || cost < least) best = near[k], least = cost;
  }
  return place_on_node(c, best);
}

int source_place(const Context& c) {
  const auto& nodes = c.layout.populated;
  switch (c.schedule.init) {
    case Init::cyclic_node: return place_on_node(c, nodes[c.view.ticket() % nodes.size()]);
    case Init::random_node: return place_on_node(c, nodes[next_random(c.state.random) % nodes.size()]);
    default: return local_place(c);
  }
}

bool runs_now(const Context& c, const TaskFacts& t, int place) {
  const Schedule& s = c.schedule;
  auto limit = uint64_t(s.defer_limit);
  switch (s.defer) {
    case Defer::count: return c.view.queued() >= limit * c.layout.workers.size();
    case Defer::queue_full: return c.view.length(place) >= limit;
    case Defer::depth: return t.depth > limit;
    default: return false;
  }
}

// A codelet: into its cluster, where its cores have it in turn, if the schedule wants that; else the asking core, or of
// another cluster the one with least. Each cluster has turns of its own: nobody may ever put right what is dealt badly.
int place_of_codelet(const Context& c, const TaskFacts& t) {
  const Layout& l = c.layout;
  const int own = c.self().cluster, in = t.cluster < 0 ? own : int(uint32_t(t.cluster) % l.clusters.size());
  const Layout::Cluster& k = l.clusters[size_t(in)];
  const int cores = c.schedule.places == Places::cluster ? 1 : k.units;
  if (c.schedule.push == Push::round_robin) return k.first + int(c.view.ticket(k.first) % uint32_t(cores));
  if (in == own) return local_place(c);
  return c.schedule.places == Places::tree ? place_in_cluster(c, in) : shortest_of(c, k.first, cores);
}

// To all cores.
int in_turn(const Context& c) {
  const Layout& l = c.layout;
  return l.workers[size_t(l.order[c.view.ticket() % l.order.size()])].own[0];
}

int place_of(const Context& c, const TaskFacts& t) {
  const Schedule& s = c.schedule;
  if (t.codelet && has_two_levels(s)) return place_of_codelet(c, t);
  if (t.domain >= 0) return place_on_node(c, t.domain);
  const auto clusters = uint32_t(c.layout.clusters.size());
  if (t.cluster >= 0 && clusters > 0) {
    if (t.codelet) return place_of_codelet(c, t);
    if (s.tp_push == TpPush::named) return place_in_cluster(c, int(uint32_t(t.cluster) % clusters));
  }
  if (has_two_levels(s))
    return place_in_cluster(c, s.tp_push == TpPush::round_robin ? int(c.view.ticket() % clusters) : c.self().cluster);
  if (t.source && s.init != Init::as_push) return source_place(c);
  if (s.place_task) return s.place_task(c, t);
  switch (s.push) {
    case Push::local: return local_place(c);
    case Push::local_node: return own_node_place(c);
    case Push::round_robin:
      if (s.places == Places::tree) return in_turn(c);
      return int(c.view.ticket() % c.layout.places.size());
    case Push::writer_node: {
      int node = writer_node(c, t);
      return node < 0 ? own_node_place(c) : place_on_node(c, node);
    }
    case Push::writer_node_or_local: {
      int node = c.layout.populated_near(writer_node(c, t));
      return node < 0 || node == c.self().node ? local_place(c) : place_on_node(c, node);
    }
    case Push::least_cost: return least_cost(c, t);
  }
  return local_place(c);
}

}  // namespace

int choose_place(const Context& c, const TaskFacts& t) {
  const Schedule& s = c.schedule;
  const int place = place_of(c, t);
  const bool at_once = s.defer != Defer::always && !t.must_queue && runs_now(c, t, place);
  return at_once && may_run_instead(s, c.layout, c.worker, place, t) ? kRunNow : place;
}

}  // namespace einkorn::schedule
