// Codelets by hand in the grain graph: whose signals are a firing's, where memory is used again, records are missing or
// a file is damaged.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <tuple>
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
  void fire(uint64_t codelet, uint64_t at, uint32_t number = 0, uint32_t line = 0) {
    tasks.push_back(a.at(at).create(firing, 1));
    a.fired(codelet, number, line);
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
  t.a.fired(kX);
  t.tasks = {task};
  EXPECT_EQ(signals_before(t.load()), (Told{{1, 100, 1}}));
}

// The firing was not recorded, or never began; or who signals is not known: counts are right, and there is no edge.
TEST(ByHand, WhatIsMissing) {
  Team t;
  t.b.at(150).signal(kX, 3).cut();
  t.b.at(160).signal(kX, 2).lose();
  t.c.at(170).signal(kX, 1).at(300).signal(kY, 1);
  t.a.at(200).fired_task(kX, record::make_id(2, 77)).fired(kX);  // nobody knows it, and there is none
  t.a.at(400).create(t.firing, 1);
  t.a.fired(kY);
  const profile::Profile p = t.load();
  EXPECT_EQ(signals_before(p), Told{});
  EXPECT_EQ(p.totals.tasks, 1u);
}

// Nonsense: firings before what signals them in their own code, the same firing twice, signals where nothing runs.
TEST(ByHand, Hostile) {
  Team t;
  t.fire(kX, 200);
  t.a.fired(kX, 1, 2).fired_task(kX, t.tasks[0]).fired(0).signal(kX, 0).put(Kind::edge, 5, {kX, 1});
  for (const uint64_t task : {t.tasks[0], uint64_t(record::make_id(2, 77)), uint64_t(~0ull)})
    t.a.put(Kind::edge, ~0u, {task, ~0ull}).put(Kind::edge, record::kEdgeNamed, {task, 0});
  t.b.at(150).wait_begin(t.end).signal(kX, 1).wait_end().at(160).signal(~0ull, ~0ull).signal(kX, 7);
  t.a.at(900).wait_begin(t.end).start(t.tasks[0]).at(905).signal(kX, 1).fired_task(kX, t.tasks[0]).end().wait_end();
  t.tasks.clear();
  t.now = 910;
  const profile::Profile p = t.load();
  for (const profile::Edge& e : p.graph.edges) EXPECT_LT(e.from, e.to);
}

// Two codelets, each signalled by both threads and made at one line; a firing creates a task, and so does thread 0
// before and behind. `last`: the thread that comes last to either.
Names names_where(uint32_t last, uint64_t x, uint64_t y) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                 end = file.site(Construct::barrier_parallel, 0x1000), firing = file.site(Construct::task, 0x3000),
                 task = file.site(Construct::task, 0x4000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  Script *early = last == 0 ? &b : &a, *late = last == 0 ? &a : &b;
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2).implicit_begin(0, region);
  b.at(100).implicit_begin(1, region);
  const uint64_t before = a.at(110).create(task, 1);
  early->at(120).signal(x, 1).at(130).signal(y, 1);
  std::vector<uint64_t> made;
  made.push_back(late->at(150).create(firing, 1)), late->fired(x, 1, 20);
  made.push_back(late->at(160).create(firing, 1)), late->fired(y, 2, 20);
  const uint64_t behind = a.at(170).create(task, 1);
  a.at(180).wait_begin(end), b.at(180).wait_begin(end);
  a.start(before).at(190).end().start(behind).at(200).end();
  for (uint64_t now = 300; const uint64_t f : made) {
    const uint64_t child = late->at(now).start(f).at(now + 10).create(task, 1);
    late->at(now + 20).end().start(child).at(now + 30).end();
    now += 40;
  }
  a.at(900).wait_end().implicit_end().region_end().thread_end();
  b.at(900).wait_end().implicit_end();
  const Loaded l = load_file(file);
  EXPECT_TRUE(l.ok) << l.error.message;
  EXPECT_EQ(broken_invariant(l.profile), "");
  return names_of_tasks(l.profile);
}

TEST(ByHand, NamesDoNotDependOnWhoSignalsLast) {
  const Names all = names_where(0, kX, kY);
  EXPECT_EQ(all.size(), 6u);
  EXPECT_EQ(names_where(1, kX, kY), all);
  EXPECT_EQ(names_where(1, kY + 64, kX - 64), all);  // nor on where they lie
}

// A hostile file's: as many names as tasks.
TEST(ByHand, OneNameForTwo) {
  Team t;
  for (const uint64_t at : {200, 210, 220}) t.fire(kX + at, at, 1, 20);
  for (const uint64_t task : t.tasks) t.a.put(Kind::edge, record::kEdgeNamed, {task, record::fired_as(1, 20)});
  EXPECT_EQ(names_of_tasks(t.load()).size(), 3u);
}

// One that fires again has another name. Where two have one number nothing tells which is which.
TEST(ByHand, SeveralFirings) {
  Team t;
  t.fire(kX, 200, 1, 20);
  t.fire(kX, 300, 1, 20);
  t.fire(kX, 400, 2, 20);
  t.fire(kX, 500, 3, 20);
  t.fire(kY, 510, 3, 20);
  t.fire(kY, 520);
  t.fire(kY, 530, 0, 21);  // not numbered, and memory that is used again, or not
  t.fire(kY, 540, 0, 21);
  t.fire(kY, 550, 0, 22);  // nor is this one: there is no other
  const profile::Profile p = t.load();
  EXPECT_EQ(names_of_tasks(p).size(), 9u);
  std::vector<std::pair<int64_t, uint32_t>> named;
  for (const profile::HandFiring& f : p.hand_firings)
    if (f.nth != profile::kNone) named.emplace_back(p.grains[f.grain].first_iteration, f.nth);
  EXPECT_EQ(named, (std::vector<std::pair<int64_t, uint32_t>>{{1, 0}, {1, 1}, {2, 0}, {0, 0}}));
}

// As files of version 9 say it.
TEST(ByHand, FiringsThatNameTheirTask) {
  Team t;
  t.b.at(150).signal(kX, 1);
  t.tasks.push_back(t.a.at(200).create(t.firing, 1));
  t.a.fired_task(kX, t.tasks[0]);
  const profile::Profile p = t.load();
  EXPECT_EQ(signals_before(p), (Told{{1, 100, 0}}));
  ASSERT_EQ(p.hand_firings.size(), 1u);
  EXPECT_EQ(p.hand_firings[0].nth, profile::kNone);
}

}  // namespace einkorn
