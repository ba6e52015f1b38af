// Rules of the grain graph that the golden programs do not cover.
#include <ctime>
#include "profile_support.h"

namespace einkorn {
namespace {

using namespace test;

// The part of a description that names `what`.
std::vector<std::string> edges_at(const profile::Profile& p, const std::string& what) {
  std::vector<std::string> out;
  for (const std::string& line : describe(p))
    if (line.find(": ") != std::string::npos && line.find(what) != std::string::npos) out.push_back(line);
  return out;
}

struct Region {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t task = file.site(Construct::task, 0x2000), barrier = file.site(Construct::barrier, 0, 0x1100);
  uint32_t workshare = file.site(Construct::barrier_workshare, 0, 0x1150), loop = file.site(Construct::loop, 0, 0x1200);
  uint32_t wait = file.site(Construct::taskwait, 0, 0x1300), group = file.site(Construct::taskgroup, 0, 0x1400);
  Script &a = file.thread(Script::kInitial), &b = file.thread(Script::kWorker, 5);
  uint64_t region = a.new_region();
  Region() {
    a.at(10).region_begin(parallel, region, 2).at(20).implicit_begin(0, region);
    b.at(21).implicit_begin(1, region);
  }
  profile::Profile finish(uint64_t at = 1000) {
    a.at(at).wait_begin(end).at(at + 10).wait_end().implicit_end().at(at + 11).region_end().at(at + 20).thread_end();
    b.at(at).wait_begin(end).at(at + 10).wait_end().implicit_end();
    Loaded l = load_file(file);
    EXPECT_TRUE(l.ok);
    EXPECT_EQ(l.details.unmatched, 0u);
    return l.profile;
  }
};

TEST(Graph, ABarrierJoinsTheWholeTeamAndItsTasks) {
  Region r;
  uint64_t task = r.a.at(30).create(r.task, 2);
  r.a.at(40).wait_begin(r.barrier);
  r.b.at(41).wait_begin(r.barrier).at(42).start(task).at(50).end().at(60).wait_end();
  r.a.at(61).wait_end();
  EXPECT_EQ(edges_at(r.finish(), "team r0#0"), lines_of(R"(
    continuation: r0.t0.s0#1 -> team r0#0
    continuation: r0.t1.s0#0 -> team r0#0
    join: r0.t0/0#0 -> team r0#0
    continuation: team r0#0 -> r0.t0.s1#0
    continuation: team r0#0 -> r0.t1.s1#0
  )"));
}

TEST(Graph, ALoopWithoutBarrierGoesOn) {
  Region r;
  for (Script* s : {&r.a, &r.b}) {
    s->at(30).loop_begin(r.loop, 8, 4).at(32).chunk(s == &r.a ? 0 : 4).at(40).chunk_end().at(42).loop_end();
    s->at(50).loop_begin(r.loop, 2, 1).at(52).chunk(s == &r.a ? 1 : 0).at(60).chunk_end().at(62).loop_end();
  }
  profile::Profile p = r.finish();
  EXPECT_EQ(p.loops.size(), 2u);  // one instance each, whoever ran it
  EXPECT_EQ(edges_at(p, "r0.t0.s1"), lines_of(R"(
    continuation: book r0.t0#1 -> r0.t0.s1#0
    continuation: r0.t0.s1#0 -> book r0.t0#2
  )"));
}

// gcc's GOMP_loop_end is one call; so is any runtime's that gives both one stamp.
TEST(Graph, NoShareBetweenALoopAndItsOwnBarrier) {
  for (bool same_stamp : {false, true}) {
    Region r;
    for (Script* s : {&r.a, &r.b}) {
      s->at(30).loop_begin(r.loop, 8, 4).at(32).chunk(s == &r.a ? 0 : 4).at(40).chunk_end().at(42).loop_end();
      s->at(same_stamp ? 42 : 43).wait_begin(same_stamp ? r.barrier : r.workshare).at(50).wait_end();
    }
    EXPECT_EQ(edges_at(r.finish(), "team r0#0"), lines_of(R"(
      continuation: book r0.t0#1 -> team r0#0
      continuation: book r0.t1#1 -> team r0#0
      continuation: team r0#0 -> r0.t0.s2#0
      continuation: team r0#0 -> r0.t1.s2#0
    )"));
  }
}

TEST(Graph, TasksOfAChunkAreItsChildren) {
  Region r;
  r.a.at(30).loop_begin(r.loop, 4, 4).at(32).chunk(0);
  uint64_t task = r.a.at(35).create(r.task, 2);
  r.a.at(40).chunk_end().at(42).loop_end();
  r.b.at(30)
      .loop_begin(r.loop, 4, 4)
      .at(42)
      .loop_end()
      .at(50)
      .yield(r.wait)
      .at(51)
      .start(task)
      .at(55)
      .end()
      .at(56)
      .yield_end();
  profile::Profile p = r.finish();
  EXPECT_EQ(edges_at(p, "r0[0-3]"), lines_of(R"(
    continuation: book r0.t0#0 -> r0[0-3]#0
    continuation: r0[0-3]#0 -> fork r0[0-3]/0
    continuation: fork r0[0-3]/0 -> r0[0-3]#1
    continuation: r0[0-3]#1 -> book r0.t0#1
    creation: fork r0[0-3]/0 -> r0[0-3]/0#0
    join: r0[0-3]/0#0 -> team r0#0
  )"));
}

// taskwait joins the children only, of all groups; the end of a group what was created in it, with descendants.
TEST(Graph, WaitsJoinWhatTheyWaitFor) {
  Region r;
  Script& a = r.a;
  uint64_t before = a.at(30).create(r.task, 1);
  a.at(32).group_begin(r.group);
  uint64_t in_outer = a.at(34).create(r.task, 1);
  a.at(36).group_begin(r.group);
  uint64_t in_inner = a.at(38).create(r.task, 1);
  a.at(40).wait_begin(r.group).at(41).start(in_inner);
  uint64_t grandchild = a.at(42).create(r.task, 1);
  a.at(44).end().at(45).start(grandchild).at(46).end().at(47).wait_end();
  a.at(48).wait_begin(r.wait).at(49).start(in_outer);
  uint64_t rogue = a.at(50).create(r.task, 1);
  a.at(51).end().at(52).start(before).at(53).end().at(54).wait_end();
  a.at(56).wait_begin(r.group).at(57).start(rogue).at(58).end().at(59).wait_end();
  profile::Profile p = r.finish();
  EXPECT_EQ(edges_at(p, "-> join"), lines_of(R"(
    join: r0.t0/2#1 -> join r0.t0.s0#0
    join: r0.t0/2/0#0 -> join r0.t0.s0#0
    continuation: r0.t0.s0#3 -> join r0.t0.s0#0
    join: r0.t0/0#0 -> join r0.t0.s1#0
    join: r0.t0/1#1 -> join r0.t0.s1#0
    continuation: r0.t0.s1#0 -> join r0.t0.s1#0
    join: r0.t0/1/0#0 -> join r0.t0.s2#0
    continuation: r0.t0.s2#0 -> join r0.t0.s2#0
  )"));
}

TEST(Graph, PiecesOfATaskloopAreForksInARow) {
  Region r;
  uint32_t taskloop = r.file.site(Construct::taskloop, 0x3000);
  r.a.at(30).group_begin(r.group).taskloop_begin(taskloop, 10, 2);
  uint64_t p0 = r.a.at(32).create(taskloop, 2);
  r.a.range(0, 5);
  uint64_t p1 = r.a.at(36).create(taskloop, 2);
  r.a.range(5, 5)
      .at(40)
      .taskloop_end()
      .wait_begin(r.group)
      .at(42)
      .start(p1)
      .at(50)
      .end()
      .at(51)
      .start(p0)
      .at(60)
      .end()
      .at(61)
      .wait_end();
  profile::Profile p = r.finish();
  EXPECT_EQ(edges_at(p, "fork r0.t0/"), lines_of(R"(
    continuation: r0.t0.s0#0 -> fork r0.t0/0
    creation: fork r0.t0/0 -> r0.t0/0#0
    continuation: fork r0.t0/0 -> fork r0.t0/1
    creation: fork r0.t0/1 -> r0.t0/1#0
    continuation: fork r0.t0/1 -> join r0.t0.s0#0
  )"));
  for (const profile::Grain& g : p.grains) {
    if (g.kind != profile::GrainKind::task) continue;
    EXPECT_EQ(g.first_iteration, g.ordinal * 5);
    EXPECT_EQ(g.iterations, 5);
  }
}

// An undeferred piece announces its range after it has run, and its body may have created tasks.
TEST(Graph, RangeOfAnUndeferredPiece) {
  Region r;
  uint32_t taskloop = r.file.site(Construct::taskloop, 0x3000);
  r.a.at(30).taskloop_begin(taskloop, 5, 1);
  uint64_t piece = r.a.at(32).create(taskloop, 0);
  r.a.start(piece);
  uint64_t inner = r.a.at(34).create(r.task, 1);
  r.a.at(36).start(inner).at(37).end().at(38).end().range(0, 5).at(40).taskloop_end();
  profile::Profile p = r.finish();
  for (const profile::Grain& g : p.grains)
    if (g.kind == profile::GrainKind::task) {
      EXPECT_EQ(g.iterations, g.depth == 0 ? 5 : -1);
    }
}

TEST(Graph, AnUntiedTaskGoesOnElsewhere) {
  Region r;
  uint64_t task = r.a.at(30).create(r.task, 1);
  r.a.at(32).start(task);
  uint64_t child = r.a.at(35).create(r.task, 1);
  r.a.at(40).wait_begin(r.wait).at(41).wait_end().at(42).suspend();
  r.b.at(45).start(child).at(50).end().at(52).start(task).at(60).end();
  profile::Profile p = r.finish();
  EXPECT_EQ(edges_at(p, "r0.t0/0#"), lines_of(R"(
    creation: fork r0.t0/0 -> r0.t0/0#0
    continuation: r0.t0/0#0 -> fork r0.t0/0/0
    continuation: fork r0.t0/0/0 -> r0.t0/0#1
    continuation: join r0.t0/0#0 -> r0.t0/0#2
    continuation: r0.t0/0#1 -> join r0.t0/0#0
    continuation: r0.t0/0#2 -> r0.t0/0#3
    join: r0.t0/0#3 -> team r0#0
    join: r0.t0/0/0#0 -> join r0.t0/0#0
  )"));
}

// ---- what is missing -----------------------------------------------------------------------------------------------

TEST(Graph, AnOrphanHangsOffItsRegion) {
  Region r;
  r.b.at(30).yield(r.wait).at(31).start(record::make_id(0, 999)).at(50).end().at(51).yield_end();
  profile::Profile p = r.finish();
  EXPECT_EQ(edges_at(p, "r0.t1/"), lines_of(R"(
    creation: fork r0 -> r0.t1/1#0
    join: r0.t1/1#0 -> team r0#0
  )"));
  for (const profile::Grain& g : p.grains)
    if (g.kind == profile::GrainKind::task) {
      EXPECT_TRUE(g.flags & profile::kEstimated);
      EXPECT_EQ(g.create_begin, -1);
    }
}

TEST(Graph, ARegionWithoutItsPrimaryThreadIsKept) {
  GrainFile file;
  file.site(Construct::parallel, 0x1000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 5);
  a.at(500).thread_end();
  b.at(20).implicit_begin(1, record::make_id(0, 1)).at(80).implicit_end();
  Loaded l = load_file(file);
  EXPECT_EQ(l.profile.regions.size(), 1u);
  EXPECT_EQ(l.profile.grains.size(), 3u);
  EXPECT_EQ(time_in(l.profile.threads[1], profile::State::work), 60);
}

TEST(Graph, ThreadsOfTheProgramsOwnMeetRegions) {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 5);
  uint64_t region = b.new_region();
  b.at(20)
      .region_begin(parallel, region, 1)
      .at(22)
      .implicit_begin(0, region)
      .at(80)
      .implicit_end()
      .at(85)
      .region_end()
      .at(90)
      .thread_end();
  a.at(500).thread_end();
  Loaded l = load_file(file);
  ASSERT_EQ(l.profile.regions.size(), 1u);
  EXPECT_EQ(l.profile.regions[0].parent_grain, 0u);
  EXPECT_EQ(l.profile.threads[1].in_team, 58);
  EXPECT_EQ(l.profile.grains[1].kind, profile::GrainKind::implicit);
}

TEST(Graph, RingsOfADamagedFileAreCut) {
  GrainFile file;
  uint32_t task = file.site(Construct::task, 0x2000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 5);
  // Each is created by the other.
  a.at(10).start(record::make_id(1, 1));
  a.at(20).create(task, 1);
  a.at(30).end();
  b.at(10).start(record::make_id(0, 1));
  b.at(20).create(task, 1);
  b.at(30).end();
  Loaded l = load_file(file);
  EXPECT_EQ(l.profile.totals.tasks, 2u);
}

// Chains of 1,000 nested tasks; and each level creates one more, which is never waited for. CPU time to load them, in
// s.
double load_nested(int chains) {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), task = file.site(Construct::task, 0x2000);
  uint32_t end = file.site(Construct::barrier_parallel, 0x1000);
  Script& a = file.thread(Script::kInitial);
  uint64_t region = a.new_region();
  a.at(10).region_begin(parallel, region, 1).at(20).implicit_begin(0, region);
  uint64_t t = 20;
  for (int outer = 0; outer < chains; ++outer) {
    for (int depth = 0; depth < 1000; ++depth) {
      a.at(t + 1).create(task, 1);
      uint64_t child = a.at(t + 3).create(task, 1);
      a.at(t += 5).start(child);
    }
    for (int depth = 0; depth < 1000; ++depth) {
      ++t;
      a.at(t).end();
    }
    a.cut();
  }
  a.at(t + 10).wait_begin(end).at(t + 20).wait_end().implicit_end().region_end().thread_end();
  const std::clock_t start = std::clock();
  Loaded l = load_file(file);
  EXPECT_EQ(l.profile.totals.tasks, uint64_t(chains) * 2000);
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

// However fast the machine is: ten times as many grains take some ten times as long, not a hundred times.
TEST(Graph, AMillionGrainsLoadInLinearTime) {
  const double some = load_nested(50), all = load_nested(500);
  EXPECT_LT(all, 40 * some) << some << " s for a tenth";
}

}  // namespace
}  // namespace einkorn
