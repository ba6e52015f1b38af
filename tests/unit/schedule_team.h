// A team that asks src/schedule: a view that holds still, on a ring of nodes.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "schedule/push.h"
#include "schedule/text.h"
#include "schedule/visits.h"

namespace schedule_team {

using namespace einkorn::schedule;
namespace machine = einkorn::machine;

// nodes x cores, one cache a node; distance 10 within a node, 10 + 5 x hops on a ring of nodes elsewhere.
inline machine::Machine ring(int nodes, int cores) {
  machine::Machine m;
  m.distance.resize(size_t(nodes) * size_t(nodes));
  for (int a = 0; a < nodes; ++a) {
    m.nodes.push_back({a, a, 0});
    for (int c = 0; c < cores; ++c) m.pus.push_back({a * cores + c, a * cores + c, a, a, a});
    for (int b = 0; b < nodes; ++b) {
      int hops = std::min((a - b + nodes) % nodes, (b - a + nodes) % nodes);
      m.distance[size_t(a) * size_t(nodes) + size_t(b)] = float(10 + 5 * hops);
    }
  }
  m.cores = nodes * cores;
  m.llcs = m.sockets = nodes;
  m.llc_bytes = 1 << 20;
  return m;
}

struct Still final : View {
  std::vector<uint32_t> lengths;
  std::map<int, uint32_t> tickets;
  uint32_t length(int place) const override { return lengths[size_t(place)]; }
  uint64_t queued() const override {
    uint64_t sum = 0;
    for (uint32_t n : lengths) sum += n;
    return sum;
  }
  uint32_t ticket(int place) override { return tickets[place]++; }
};

struct Team {
  Schedule schedule;
  machine::Machine m;
  Layout layout;
  Still view;
  WorkerState state;

  explicit Team(const char* text, int nodes = 4, int cores = 8, int workers = 0) : m(ring(nodes, cores)) {
    std::string why;
    EXPECT_TRUE(parse_schedule(text, &schedule, &why)) << why;
    std::vector<int> pus;
    for (int i = 0; i < (workers ? workers : nodes * cores); ++i) pus.push_back(i % (nodes * cores));
    layout = make_layout(schedule, m, pus);
    view.lengths.resize(layout.places.size());
  }
  Context ask(int worker) { return {schedule, layout, view, state, worker}; }
  int push(int worker, const TaskFacts& facts = {}) { return choose_place(ask(worker), facts); }
  std::vector<int> visits(int worker, bool all = false, Search::Who who = Search::Who::idle) {
    Context c = ask(worker);
    Search search(c, who, all);
    std::vector<int> places;
    for (Visit v; search.next(&v);) places.push_back(v.place);
    return places;
  }
  void fill(uint32_t length) { std::fill(view.lengths.begin(), view.lengths.end(), length); }
  int node_of(int place) const { return layout.places[size_t(place)].node; }
};

}  // namespace schedule_team

using namespace schedule_team;
