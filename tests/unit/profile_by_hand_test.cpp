// Codelets by hand in the grain graph: whose signals are a firing's, where memory is used again, records are missing or
// a file is damaged.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <tuple>
#include "../golden/invariants.h"
#include "profile_support.h"

namespace einkorn {
namespace {

using namespace test;
using profile::EdgeKind;

constexpr uint64_t kX = 0x7000, kY = 0x7040;

// A team of three, whose threads signal, and a firing or more that thread 0 makes.
struct Team {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t firing = file.site(Construct::task, 0x3000);
  Script &a = file.thread(Script::kInitial), &b = file.thread(Script::kWorker, 50),
         &c = file.thread(Script::kWorker, 50);

  Team() {
    const uint64_t region = a.new_region();
    a.at(100).region_begin(parallel, region, 3).implicit_begin(0, region);
    b.at(100).implicit_begin(1, region);
    c.at(100).implicit_begin(2, region);
  }
  // By thread 0, which also runs it.
  void fire(uint64_t codelet, uint64_t at) {
    const uint64_t task = a.at(at).create(firing, 1);
    a.fired(codelet, task);
    tasks.push_back(task);
  }
  profile::Profile load() {
    a.at(900).wait_begin(end);
    for (const uint64_t t : tasks) a.start(t).at(now += 10).end();
    a.at(1000).wait_end().implicit_end().region_end().thread_end();
    for (Script* s : {&b, &c}) s->at(900).wait_begin(end).at(1000).wait_end().implicit_end();
    const Loaded l = load_file(file);
    EXPECT_TRUE(l.ok) << l.error.message;
    EXPECT_EQ(broken_invariant(l.profile), "");
    return l.profile;
  }
  std::vector<uint64_t> tasks;
  uint64_t now = 900;
};

// Thread, begin of the fragment, and how many firings, in the order of their creation, are before the one that follows.
using Told = std::set<std::tuple<uint32_t, int64_t, uint32_t>>;
Told signals_before(const profile::Profile& p) {
  Told out;
  for (const profile::Edge& e : p.graph.edges)
    if (e.kind == EdgeKind::dependence) {
      const profile::Node &from = p.graph.nodes[e.from], &to = p.graph.nodes[e.to];
      out.insert({from.thread, from.begin, p.grains[to.grain].ordinal});
    }
  return out;
}

}  // namespace

TEST(ByHand, EachFiringHasItsOwnSignals) {
  Team t;
  t.b.at(150).signal(kX, 2).at(160).signal(kY, 1).at(400).signal(kX, 1);
  t.c.at(170).signal(kX, 1).at(390).signal(kX, 2);
  t.fire(kX, 200);
  t.fire(kY, 210);
  t.fire(kX, 500);
  EXPECT_EQ(signals_before(t.load()), (Told{{1, 100, 0}, {2, 100, 0}, {1, 150, 1}, {1, 160, 2}, {2, 170, 2}}));
}

// A codelet that never fired, whose memory is another's by then: of two signals that left as many the later one counts.
TEST(ByHand, OfAnEarlierCodeletInThatMemory) {
  Team t;
  t.b.at(150).signal(kX, 2).at(160).signal(kX, 1);
  t.c.at(250).signal(kX, 2).at(260).signal(kX, 1);
  t.fire(kX, 300);
  EXPECT_EQ(signals_before(t.load()), (Told{{2, 100, 0}, {2, 250, 0}}));
}

// What came at the time of a firing was before it.
TEST(ByHand, OfOneTime) {
  Team t;
  t.b.at(200).signal(kX, 1);
  t.c.at(201).signal(kX, 1);
  t.fire(kX, 200);
  EXPECT_EQ(signals_before(t.load()), (Told{{1, 100, 0}}));
}

// A creation that is not timed has its stamp at its end: a signal between the time that it is taken for, and that,
// counts.
TEST(ByHand, OfACreationThatIsNotTimed) {
  Team t;
  t.a.at(110).create(t.firing, 40);  // so long the next one is taken to last
  t.b.at(185).signal(kX, 1);
  t.a.at(200).put(Kind::task_create_brief, t.firing);
  const uint64_t task = record::make_id(0, 2);
  t.a.fired(kX, task);
  t.tasks = {task};
  EXPECT_EQ(signals_before(t.load()), (Told{{1, 100, 1}}));
}

// The firing was not recorded, or never began; or who signals is not known: counts are right, and there is no edge.
TEST(ByHand, WhatIsMissing) {
  Team t;
  t.b.at(150).signal(kX, 3).cut();
  t.b.at(160).signal(kX, 2).lose();
  t.c.at(170).signal(kX, 1).at(300).signal(kY, 1);
  t.a.at(200).fired(kX, record::make_id(2, 77));  // nobody knows it
  const uint64_t never = t.a.at(400).create(t.firing, 1);
  t.a.fired(kY, never);
  const profile::Profile p = t.load();
  EXPECT_EQ(signals_before(p), Told{});
  EXPECT_EQ(p.totals.tasks, 1u);
}

// Nonsense: firings before what signals them in their own code, the same firing twice, signals where nothing runs.
TEST(ByHand, Hostile) {
  Team t;
  t.fire(kX, 200);
  t.a.fired(kX, t.tasks[0]).fired(0, 0).signal(kX, 0).put(Kind::edge, 5, {kX, 1});
  t.b.at(150).wait_begin(t.end).signal(kX, 1).wait_end().at(160).signal(~0ull, ~0ull).signal(kX, 7);
  t.a.at(900).wait_begin(t.end).start(t.tasks[0]).at(905).signal(kX, 1).fired(kX, t.tasks[0]).end().wait_end();
  t.tasks.clear();
  t.now = 910;
  const profile::Profile p = t.load();
  for (const profile::Edge& e : p.graph.edges) EXPECT_LT(e.from, e.to);
}

}  // namespace einkorn
