#include "schedule/select.h"

#include "schedule/visits.h"

namespace einkorn::schedule {

int all_places(const Context& c, Round& r) {
  if (r.asked == 0) r.sweep.begin(0, int(c.layout.places.size()), next_random(c.state.random));
  return r.sweep.next();
}

int round_robin(const Context& c, Round& r) {
  if (r.asked == 0) r.sweep.begin(0, int(c.layout.places.size()), c.state.last_victim);
  const int place = r.sweep.next();
  if (place >= 0) c.state.last_victim = uint32_t(place);
  return place;
}

int up(const Context& c, Round& r) {
  const Layout& l = c.layout;
  const auto clusters = int(l.clusters.size());
  for (;;) {
    if (int place = r.sweep.next(); place >= 0) return place;
    if (r.step == clusters) return -1;
    const Layout::Cluster& k = l.clusters[size_t(l.up[size_t(c.self().cluster) * size_t(clusters) + size_t(r.step++)])];
    r.sweep.begin(k.first, k.places, k.places > 1 ? next_random(c.state.random) : 0);
  }
}

int most_loaded(const Context& c, Round& r) {
  if (r.asked > 0) return -1;
  const Layout::Worker& self = c.self();
  int best = -1;
  uint32_t longest = 0;
  for (int i = 0; i < int(c.layout.places.size()); ++i) {
    const uint32_t length = c.view.length(i);
    if (length > longest && i != self.own[0] && i != self.own[1] && may_take(c.schedule, c.layout, c.worker, i, length))
      best = i, longest = length;
  }
  return best;
}

// The own node is first, its cores from a random one on.
int node_by_node(const Context& c, Round& r) {
  const Layout& l = c.layout;
  const Select select = c.schedule.select;
  const auto nodes = int(l.populated.size());
  const int own = c.self().node;
  for (;;) {
    if (r.node >= 0) {
      const Layout::Node& n = l.nodes[size_t(r.node)];
      const bool cores = n.cores > 0, whole = n.whole >= 0;  // of one kind alone: may_take() says
      const bool node_first = select == Select::node_then_core || select == Select::random_node;
      while (r.part < 2) {
        if (r.part == int(node_first)) {
          if (cores) {
            if (r.sweep.count == 0) r.sweep.begin(n.first, n.cores, n.cores > 1 ? next_random(c.state.random) : 0);
            if (int place = r.sweep.next(); place >= 0) return place;
          }
          ++r.part;
        } else {
          ++r.part;
          if (whole) return n.whole;
        }
      }
      r.node = -1;
    }
    if (r.step == 0) {
      r.node = own;
      r.start = nodes > 1 ? int(next_random(c.state.random) % uint32_t(nodes)) : 0;
    } else {
      const int k = r.step - 1;
      if (k >= nodes) return -1;
      const int node = select == Select::near_first ? l.near[size_t(own) * l.nodes.size() + size_t(k)]
                                                    : l.populated[size_t((r.start + k) % nodes)];
      r.node = node == own ? -1 : node;
    }
    ++r.step;
    r.part = 0;
    r.sweep = Sweep{};
  }
}

}  // namespace einkorn::schedule
