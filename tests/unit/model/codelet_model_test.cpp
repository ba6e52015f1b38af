// Runs of small graphs by two and three threads, in all interleavings within the bounds: each codelet is fired once,
// after all that it waits for; a thread leaves with an empty queue, so that all has been fired when all have left; and
// a run leaves the counters as it found them, so that the next one is like it.
#include <gtest/gtest.h>

#include <vector>

#include "codelet/run.h"

namespace {

using namespace einkorn::codelet;

// Who looks for work gives up soon: threads come and go. asked: the others wait until they are.
struct Crew {
  int looks;
  model::Atomic<int>* asked = nullptr;
  bool wants(const Run&) const { return asked != nullptr; }
  void invite(Run&) const { asked->store(1); }
  bool stops(const Run&) const { return false; }
  int rounds() const { return looks; }
};

struct Fired {
  int times[8] = {};
  std::vector<uint32_t> before[8];
};
Fired* g_fired;  // of the execution

void fire(void* base, uint32_t i) {
  const uint32_t n = uint32_t(uintptr_t(base)) + i;
  ++g_fired->times[n];
  for (uint32_t p : g_fired->before[n])
    model::check(g_fired->times[p] == g_fired->times[n], "a codelet was fired before one that it waits for, or again");
}

// Arcs from, to; ...
struct Shape {
  uint32_t nodes;
  std::vector<std::pair<uint32_t, uint32_t>> arcs;
};

// How the others come to take part: all from the beginning, or when they are asked; wrong: and who asks them goes on as
// if it were alone.
enum class Others { there, asked, wrong };

// early: of this node's counter one is missing from the beginning.
model::Result explore(const Shape& shape, int threads, model::Options options, int looks = 2, int early = -1,
                      Others others = Others::there) {
  model::keep(true);  // built once: what a run leaves in it is what the next execution finds
  static std::vector<std::unique_ptr<Graph>> graphs;
  Graph& graph = *graphs.emplace_back(std::make_unique<Graph>("model"));
  graph.add_class(fire, nullptr, shape.nodes, 1);
  for (auto [from, to] : shape.arcs) graph.add_arc(0, from, 0, to);
  std::string why;
  EXPECT_EQ(graph.close(&why), 0) << why;
  model::keep(false);
  return model::explore(options, [=, &graph] {
    g_fired = new (model::arena(sizeof(Fired))) Fired;
    for (auto [from, to] : shape.arcs) g_fired->before[to].push_back(from);
    auto* seats = static_cast<Seat**>(model::arena(sizeof(Seat*) * size_t(threads)));
    for (int t = 0; t < threads; ++t) {
      seats[t] = new (model::arena(sizeof(Seat))) Seat;
      seats[t]->queue.init();
    }
    if (early >= 0) graph.arcs().counters[early].waits.fetch_sub(1, std::memory_order_relaxed);
    auto* run = new (model::arena(sizeof(Run))) Run(graph, seats, threads);
    begin(*run, 0);
    model::Program p;
    auto* asked = new (model::arena(sizeof(model::Atomic<int>))) model::Atomic<int>(0);
    for (int t = 0; t < threads; ++t)
      p.threads.push_back([=] {
        if (others == Others::there) return void(work(*run, t, false, Crew{looks}));
        while (t > 0 && asked->load() == 0) model::pause();
        work(*run, t, t == 0 || others == Others::wrong, Crew{looks, t == 0 ? asked : nullptr});
        if (t == 0) asked->store(1);  // nobody was asked: they find nothing
      });
    p.at_end = [=, &graph] {
      auto all = [&](int times, const Run& r) {
        model::check(r.is_over(), "all have left before all was fired");
        for (uint32_t n = 0; n < shape.nodes; ++n)
          model::check(g_fired->times[n] == times, "a codelet was not fired once a run");
        for (uint32_t n = 0; n < shape.nodes; ++n) {
          const Counter& c = graph.arcs().counters[n];
          model::check(c.waits.load(std::memory_order_relaxed) == c.predecessors, "a counter is not as before the run");
        }
      };
      all(1, *run);
      Run again(graph, seats, 1);
      begin(again, 0);
      work(again, 0, true, Crew{0});
      all(2, again);
    };
    return p;
  });
}

const Shape kDiamond{4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}}, kLoose{3, {}}, kJoin{4, {{0, 3}, {1, 3}, {2, 3}}},
    kFan{5, {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {3, 4}}}, kTwoJoins{6, {{0, 4}, {1, 4}, {2, 4}, {3, 5}, {0, 5}, {1, 5}}};

TEST(CodeletModel, TwoThreads) {
  for (const Shape* shape : {&kDiamond, &kLoose, &kJoin, &kFan}) {
    const model::Result r = explore(*shape, 2, {.preemptions = 2, .delays = 1});
    EXPECT_FALSE(r.failed) << r.message;
    EXPECT_TRUE(r.exhausted) << r.executions;
  }
}

TEST(CodeletModel, ThreeThreads) {
  const model::Result r = explore(kJoin, 3, {.preemptions = 1, .delays = 1, .executions = 1'000'000}, 1);
  EXPECT_FALSE(r.failed) << r.message;
}

// Who runs the graph counts without atomic updates until it asks another thread.
TEST(CodeletModel, OneIsAsked) {
  for (const Shape* shape : {&kLoose, &kJoin, &kFan, &kTwoJoins}) {
    const model::Result r = explore(*shape, 2, {.preemptions = 2, .delays = 1}, 2, -1, Others::asked);
    EXPECT_FALSE(r.failed) << r.message;
    EXPECT_TRUE(r.exhausted) << r.executions;
  }
}

// That the checks can fail. With so few preemptions it takes a store that is late: TSO has these.
TEST(CodeletModel, OneThatIsNotAloneIsCaught) {
  const model::Options options{.preemptions = 3, .delays = 1, .memory = model::Memory::tso};
  const model::Result r = explore(kTwoJoins, 2, options, 2, -1, Others::wrong);
  EXPECT_TRUE(r.failed);
}
TEST(CodeletModel, AnEarlyCodeletIsCaught) {
  const model::Result r = explore(kJoin, 2, {.preemptions = 2, .delays = 1}, 2, 3);
  EXPECT_TRUE(r.failed);
}

}  // namespace
