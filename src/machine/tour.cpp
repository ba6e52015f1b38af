#include "machine/tour.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "machine/near.h"

namespace einkorn::machine {

namespace {

using Pairs = std::vector<std::pair<int, int>>;

// The mean of both directions: these algorithms need symmetric distances.
std::vector<double> symmetric(const std::vector<float>& d, int n) {
  std::vector<double> out(d.size());
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      out[size_t(a * n + b)] = (double(d[size_t(a * n + b)]) + double(d[size_t(b * n + a)])) / 2;
  return out;
}

// Prim's: the nodes join one by one, each by the shortest edge to a node of the tree.
Pairs spanning_tree(const std::vector<double>& d, int n) {
  std::vector<int> by(size_t(n), 0);
  std::vector<bool> in(static_cast<size_t>(n));
  Pairs edges;
  in[0] = true;
  for (int k = 1; k < n; ++k) {
    int next = -1;
    auto cost = [&](int v) { return d[size_t(by[size_t(v)] * n + v)]; };
    for (int v = 0; v < n; ++v)
      if (!in[size_t(v)] && (next < 0 || cost(v) < cost(next))) next = v;
    in[size_t(next)] = true;
    edges.push_back({by[size_t(next)], next});
    for (int v = 0; v < n; ++v)
      if (!in[size_t(v)] && d[size_t(next * n + v)] < cost(v)) by[size_t(v)] = next;
  }
  return edges;
}

// The cheapest way to pair all of `odd`. best[set] is the cheapest for the members of that set; it pairs the first
// member with each other one in turn.
Pairs exact_matching(const std::vector<double>& d, int n, const std::vector<int>& odd) {
  const size_t sets = size_t(1) << odd.size();
  std::vector<double> best(sets, std::numeric_limits<double>::infinity());
  std::vector<int8_t> with(sets, -1);
  best[0] = 0;
  for (size_t set = 3; set < sets; ++set) {
    if (__builtin_popcountl(set) % 2) continue;
    int first = __builtin_ctzl(set);
    for (size_t rest = set & (set - 1); rest; rest &= rest - 1) {
      int other = __builtin_ctzl(rest);
      double cost = best[set & ~(size_t(1) << first) & ~(size_t(1) << other)] +
                    d[size_t(odd[size_t(first)] * n + odd[size_t(other)])];
      if (cost < best[set]) best[set] = cost, with[set] = int8_t(other);
    }
  }
  Pairs pairs;
  for (size_t set = sets - 1; set;) {
    int first = __builtin_ctzl(set), other = with[set];
    pairs.push_back({odd[size_t(first)], odd[size_t(other)]});
    set &= ~(size_t(1) << first) & ~(size_t(1) << other);
  }
  return pairs;
}

// Pairs each with the nearest that is left; then pairs exchange partners while that is cheaper.
Pairs greedy_matching(const std::vector<double>& d, int n, std::vector<int> odd) {
  Pairs pairs;
  auto cost = [&](int a, int b) { return d[size_t(a * n + b)]; };
  while (!odd.empty()) {
    int a = odd.back();
    odd.pop_back();
    auto b = std::min_element(odd.begin(), odd.end(), [&](int x, int y) { return cost(a, x) < cost(a, y); });
    pairs.push_back({a, *b});
    odd.erase(b);
  }
  for (bool better = true; better;) {
    better = false;
    for (auto& p : pairs)
      for (auto& q : pairs) {
        if (&p == &q) continue;
        double now = cost(p.first, p.second) + cost(q.first, q.second);
        // Cheaper by a margin: rounding must not make this go on for ever.
        if (cost(p.first, q.first) + cost(p.second, q.second) < now - 1e-6) std::swap(p.second, q.first), better = true;
        else if (cost(p.first, q.second) + cost(p.second, q.first) < now - 1e-6)
          std::swap(p.second, q.second), better = true;
      }
  }
  return pairs;
}

// Walks every edge once (Hierholzer) and takes each node where it is first met.
std::vector<int> round_trip(const Pairs& edges, int n) {
  std::vector<std::vector<int>> at(static_cast<size_t>(n));  // indices of edges
  for (size_t e = 0; e < edges.size(); ++e) {
    at[size_t(edges[e].first)].push_back(int(e));
    at[size_t(edges[e].second)].push_back(int(e));
  }
  std::vector<bool> used(edges.size()), met(static_cast<size_t>(n));
  std::vector<int> stack{0}, trip, order;
  while (!stack.empty()) {
    int v = stack.back();
    auto& list = at[size_t(v)];
    while (!list.empty() && used[size_t(list.back())]) list.pop_back();
    if (list.empty()) {
      trip.push_back(v);
      stack.pop_back();
      continue;
    }
    int e = list.back();
    used[size_t(e)] = true;
    stack.push_back(edges[size_t(e)].first == v ? edges[size_t(e)].second : edges[size_t(e)].first);
  }
  for (int v : trip)
    if (!met[size_t(v)]) met[size_t(v)] = true, order.push_back(v);
  return order;
}

// The same cycle from node 0 on, in the direction that is shorter.
std::vector<int> best_direction(const std::vector<float>& d, std::vector<int> order) {
  std::vector<int> back(order.rbegin(), order.rend());
  if (tour_length(d, back) < tour_length(d, order)) order = std::move(back);
  std::rotate(order.begin(), std::find(order.begin(), order.end(), 0), order.end());
  return order;
}

}  // namespace

double tour_length(const std::vector<float>& d, const std::vector<int>& order) {
  size_t n = 1;
  while (n * n < d.size()) ++n;
  double sum = 0;
  for (size_t i = 0; order.size() > 1 && i < order.size(); ++i)
    sum += double(d[size_t(order[i]) * n + size_t(order[(i + 1) % order.size()])]);
  return sum;
}

std::vector<int> greedy_tour(const std::vector<float>& d, int n) {
  std::vector<int> order{0};
  std::vector<bool> in(static_cast<size_t>(n));
  in[0] = true;
  for (int at = 0, next; int(order.size()) < n; at = next) {
    next = -1;
    for (int v = 0; v < n; ++v)
      if (!in[size_t(v)] && (next < 0 || d[size_t(at * n + v)] < d[size_t(at * n + next)])) next = v;
    in[size_t(next)] = true;
    order.push_back(next);
  }
  return order;
}

std::vector<int> christofides_tour(const std::vector<float>& d, int n, bool* matched, int exact) {
  if (matched) *matched = true;
  if (n < 3) return greedy_tour(d, n);
  std::vector<double> s = symmetric(d, n);
  Pairs edges = spanning_tree(s, n);
  std::vector<int> degree(size_t(n), 0), odd;
  for (auto& [a, b] : edges) ++degree[size_t(a)], ++degree[size_t(b)];
  for (int v = 0; v < n; ++v)
    if (degree[size_t(v)] % 2) odd.push_back(v);
  bool small = int(odd.size()) <= exact;
  if (matched) *matched = small;
  Pairs pairs = small ? exact_matching(s, n, odd) : greedy_matching(s, n, odd);
  edges.insert(edges.end(), pairs.begin(), pairs.end());
  return best_direction(d, round_trip(edges, n));
}

std::vector<int> shortest_tour(const std::vector<float>& d, int n) {
  if (n < 3 || n > kMostExact) return greedy_tour(d, n);
  // Paths from node 0 through the members of a set (of nodes 1 to n-1) that end at one of them.
  const int m = n - 1;
  const size_t sets = size_t(1) << m;
  std::vector<float> best(sets * size_t(m), std::numeric_limits<float>::infinity());
  std::vector<int8_t> before(sets * size_t(m), -1);
  auto cost = [&](int a, int b) { return d[size_t(a * n + b)]; };
  for (int v = 0; v < m; ++v) best[(size_t(1) << v) * size_t(m) + size_t(v)] = cost(0, v + 1);
  for (size_t set = 1; set < sets; ++set)
    for (int last = 0; last < m; ++last) {
      float so_far = best[set * size_t(m) + size_t(last)];
      if (!(set >> last & 1) || so_far == std::numeric_limits<float>::infinity()) continue;
      for (int next = 0; next < m; ++next) {
        if (set >> next & 1) continue;
        size_t at = (set | size_t(1) << next) * size_t(m) + size_t(next);
        float length = so_far + cost(last + 1, next + 1);
        if (length < best[at]) best[at] = length, before[at] = int8_t(last);
      }
    }
  const size_t all = sets - 1;
  int last = 0;
  for (int v = 1; v < m; ++v)
    if (best[all * size_t(m) + size_t(v)] + cost(v + 1, 0) < best[all * size_t(m) + size_t(last)] + cost(last + 1, 0))
      last = v;
  std::vector<int> order;
  for (size_t set = all; last >= 0;) {
    order.push_back(last + 1);
    int previous = before[set * size_t(m) + size_t(last)];
    set &= ~(size_t(1) << last);
    last = previous;
  }
  order.push_back(0);
  std::reverse(order.begin(), order.end());
  return order;
}

Tour place_tour(const Machine& m) {
  std::vector<int> with = nodes_with_cpus(m);
  const int n = int(with.size());
  std::vector<float> d(size_t(n) * size_t(n));
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) d[size_t(a * n + b)] = m.distance_between(with[size_t(a)], with[size_t(b)]);
  std::vector<int> own(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) own[size_t(i)] = i;
  Tour best{own, tour_length(d, own), "machine's order"};
  // No tour is shorter than the sum of the shortest steps from each node.
  double bound = 0;
  for (int a = 0; a < n && n > 1; ++a) {
    float least = std::numeric_limits<float>::infinity();
    for (int b = 0; b < n; ++b)
      if (a != b) least = std::min(least, d[size_t(a * n + b)]);
    bound += double(least);
  }
  if (best.length > bound) {
    if (auto t = greedy_tour(d, n); tour_length(d, t) < best.length) best = {t, tour_length(d, t), "greedy"};
    if (auto t = christofides_tour(d, n); tour_length(d, t) < best.length)
      best = {t, tour_length(d, t), "Christofides"};
  }
  best.shortest = best.length <= bound || n <= kMostExact;
  if (best.length > bound && n <= kMostExact)
    if (auto t = shortest_tour(d, n); tour_length(d, t) < best.length) best = {t, tour_length(d, t), "exact", true};
  for (int& node : best.nodes) node = with[size_t(node)];
  return best;
}

}  // namespace einkorn::machine
