// The simulator, compared with results worked out by hand: work, span, bounds, list schedules, shared bandwidth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "schedule/text.h"
#include "simulate/builder.h"
#include "simulate/engine.h"
#include "simulate/from_profile.h"
#include "simulate/sweep.h"
#include "simulate/synthetic.h"
#include "simulate/traffic.h"

using namespace einkorn::simulate;
namespace machine = einkorn::machine;
namespace schedule = einkorn::schedule;

namespace {

// nodes x cores; bandwidth: so many bytes a ns of all cores of a node from its own memory, half of it from others', and
// one core at most a quarter of either.
machine::Machine grid(int nodes, int cores, double bandwidth = 0) {
  machine::Machine m;
  const auto pairs = size_t(nodes) * size_t(nodes);
  m.distance.assign(pairs, 20);
  if (bandwidth > 0)
    m.bandwidth.assign(pairs, float(bandwidth / 2 * 1e9)), m.bandwidth_one.assign(pairs, float(bandwidth / 8 * 1e9));
  for (int a = 0; a < nodes; ++a) {
    m.nodes.push_back({a, a, 0});
    for (int c = 0; c < cores; ++c) m.pus.push_back({a * cores + c, a * cores + c, a, a, a});
    m.distance[size_t(a) * size_t(nodes) + size_t(a)] = 10;
    if (bandwidth > 0) {
      m.bandwidth[size_t(a) * size_t(nodes) + size_t(a)] = float(bandwidth * 1e9);
      m.bandwidth_one[size_t(a) * size_t(nodes) + size_t(a)] = float(bandwidth / 4 * 1e9);
    }
  }
  m.cores = nodes * cores;
  m.llcs = m.sockets = nodes;
  m.llc_bytes = 1 << 20;
  return m;
}

Costs some_costs() {
  Costs c;
  c.create = 10, c.create_depend = 5, c.fetch = 5, c.steal = 100, c.wake = 300, c.chunk = 9, c.region = 500,
  c.barrier = 100;
  c.short_task = 4000, c.line = 50, c.queue = 15, c.pause = 40;
  return c;
}

struct Rig {
  machine::Machine m;
  Setup setup;
  Rig(const char* text, int nodes, int cores, int workers = 0, double bandwidth = 0)
      : m(grid(nodes, cores, bandwidth)) {
    std::string why;
    EXPECT_TRUE(schedule::parse_schedule(text, &setup.schedule, &why)) << why;
    for (int i = 0; i < (workers ? workers : nodes * cores); ++i) setup.pus.push_back(i % (nodes * cores));
    setup.machine = &m;
  }
  Outcome operator()(const Program& p, bool stays = false) {
    EXPECT_EQ(check(p), "");
    Outcome o = simulate(p, setup, stays);
    EXPECT_FALSE(o.stuck);
    double work = 0;
    for (const WorkerTime& w : o.workers) work += w.work;
    EXPECT_NEAR(work, p.work(), 1e-9 * p.work() + 1e-6);
    return o;
  }
};

// Nobody idles while there is a task that may run.
const char* const kGreedy[] = {"ws",     "central", "mts",      "domains",     "deal",
                               "xkaapi", "balance", "codelets", "darts-steal", "swarm"};
// With queues of their own that nobody else looks into, the work is done all the same.
const char* const kAll[] = {"ws",
                            "central",
                            "rr-fifo",
                            "rr-lifo",
                            "mts",
                            "domains",
                            "domains-strict",
                            "deal",
                            "vicinity:4",
                            "xkaapi",
                            "balance",
                            "codelets",
                            "codelets,tp-push=round-robin",
                            "darts-standard",
                            "darts-steal",
                            "swarm"};

}  // namespace

TEST(Simulate, OneWorkerTakesTheWork) {
  for (const char* name : kAll) {
    Rig run(name, 1, 1);
    Program tree = fork_join_tree(1, 3, 5, 7, 11), chol = cholesky(1, 8, 16, 1);
    EXPECT_DOUBLE_EQ(run(tree).makespan, tree.work()) << name;
    EXPECT_DOUBLE_EQ(run(chol).makespan, chol.work()) << name;
  }
}

TEST(Simulate, EnoughWorkersTakeTheSpan) {
  for (const char* name : kGreedy) {
    Rig run(name, 1, 243);
    // Down the tree and into a leaf; all leaves have a worker of their own.
    EXPECT_DOUBLE_EQ(run(fork_join_tree(243, 3, 5, 7, 11)).makespan, 4 * 7 + 11) << name;
    Program chol = cholesky(243, 8, 16, 1);
    EXPECT_DOUBLE_EQ(run(chol).makespan, chol.span()) << name;
  }
}

// So many tasks by one: those of its cluster run them, unless other clusters may take them or get them in turn.
TEST(Simulate, ClustersShareWhatMayLeave) {
  for (const int clusters : {1, 2, 4, 8})
    for (const char* over : {"", ",spread"}) {
      const std::string amm = ",amm=" + std::to_string(clusters) + "x" + std::to_string(8 / clusters) + over;
      const Program p = flat(8, 64, 5);
      auto makespan = [&](const std::string& name) { return Rig((name + amm).c_str(), 2, 4)(p).makespan; };
      EXPECT_DOUBLE_EQ(makespan("darts-standard"), 64. * 5 / (8. / clusters)) << amm;
      EXPECT_DOUBLE_EQ(makespan("codelets,tp-reach=cluster"), 64. * 5 / (8. / clusters)) << amm;
      EXPECT_DOUBLE_EQ(makespan("darts-standard,tp-push=round-robin"), 64. * 5 / 8) << amm;
      for (const char* name : {"codelets,take=one", "darts-steal,backoff=none", "swarm"})
        EXPECT_DOUBLE_EQ(makespan(name), 64. * 5 / 8) << name << amm;
    }
}

// As the runtime places them: cli.schedules.
TEST(Simulate, MoreWorkersThanTheShapeHas) {
  const machine::Machine m = grid(2, 4);
  schedule::Schedule s;
  std::string why;
  ASSERT_TRUE(schedule::parse_schedule("codelets,amm=2x2,5,1,0,3", &s, &why)) << why;
  EXPECT_EQ(setup_of(m, {}, s, 6).pus, (std::vector<int>{5, 1, 0, 3, 2, 4}));
  EXPECT_EQ(setup_of(m, {}, s, 3).pus, (std::vector<int>{5, 1, 0}));
}

TEST(Simulate, EverythingRunsUnderEverySchedule) {
  for (const char* name : kAll) {
    Rig run(name, 2, 4);
    run.setup.costs = some_costs();
    for (const Program& p : {fork_join_tree(8, 3, 5, 7, 11), cholesky(8, 8, 16, 1), flat(8, 100, 5)}) {
      const Outcome o = run(p, true);
      uint64_t tasks = 0;
      for (const WorkerTime& w : o.workers) tasks += w.tasks;
      EXPECT_EQ(tasks, p.tasks.size() - 9) << name << " " << p.name;
      EXPECT_EQ(o.stays.size(), p.tasks.size()) << name << " " << p.name;
    }
  }
}

// potrf, trsm and syrk of each column but the last, whose potrf ends it: 3 t - 2 kernels of 16^3 operations.
TEST(Simulate, SpansByHand) {
  EXPECT_DOUBLE_EQ(cholesky(4, 8, 16, 1).span(), (3 * 8 - 2) * 16. * 16 * 16);
  EXPECT_DOUBLE_EQ(fork_join_tree(4, 3, 5, 7, 11).span(), 4 * 7 + 11);
  EXPECT_DOUBLE_EQ(flat(4, 10, 5).span(), 5);
  Builder b("phases");
  const uint32_t first = b.region(Builder::kInitial, 2);
  b.compute(first, 10);
  b.compute(b.fork(first + 1), 30);  // ends in the first barrier
  b.barrier(first), b.barrier(first + 1);
  b.compute(first + 1, 5);
  b.compute(Builder::kInitial, 100);
  EXPECT_DOUBLE_EQ(b.finish().span(), 30 + 5 + 100);
}

TEST(Simulate, OtherTeamSizes) {
  Builder b("static loop and single");
  const uint32_t first = b.region(Builder::kInitial, 2);
  b.compute(first, 30), b.compute(first + 1, 10);  // a loop that nobody saw: denser in its first half
  b.barrier(first), b.barrier(first + 1);
  b.compute(first, 50);  // a single construct
  b.barrier(first), b.barrier(first + 1);
  b.compute(b.fork(first + 1), 7);  // a creator
  Program two = b.finish();
  Program four = with_members(two, 4);
  EXPECT_EQ(check(four), "");
  EXPECT_DOUBLE_EQ(four.work(), two.work());
  EXPECT_DOUBLE_EQ(four.span(), 15 + 50 + 7);
  EXPECT_DOUBLE_EQ(Rig("ws", 1, 4)(four).makespan, 15 + 50 + 7);
  EXPECT_DOUBLE_EQ(with_members(two, 1).span(), 40 + 50 + 7);
  EXPECT_DOUBLE_EQ(with_members(two, 2).span(), 30 + 50 + 7);
}

TEST(Simulate, GreedyBound) {
  for (const char* name : kGreedy)
    for (int workers : {2, 3, 8, 24}) {
      Rig run(name, 1, workers);
      Program p = cholesky(uint32_t(workers), 10, 16, 1);
      const double time = run(p).makespan, span = p.span(), share = p.work() / workers;
      EXPECT_LE(time, share + span * (workers - 1) / workers + 1e-6) << name << " " << workers;
      EXPECT_GE(time, std::max(share, span) - 1e-6) << name << " " << workers;
    }
}

// Tasks of 3, 3, 2, 2, 2 in the order of their creation: 3 and 3 at 0, 2 and 2 at 3, the last at 5.
TEST(Simulate, ListScheduleByHand) {
  Builder b("five");
  const uint32_t maker = b.region(Builder::kInitial, 2);
  for (double ns : {3., 3., 2., 2., 2.}) b.compute(b.fork(maker), ns);
  Rig run("places=machine,order=fifo,select=random", 1, 2);
  Outcome o = run(b.finish(), true);
  EXPECT_DOUBLE_EQ(o.makespan, 7);
  std::vector<double> begins(5);
  for (const Stay& s : o.stays)
    if (s.task >= 3) begins[s.task - 3] = s.begin;
  EXPECT_EQ(begins, (std::vector<double>{0, 0, 3, 3, 5}));
}

TEST(Simulate, CostsAddUp) {
  Builder b("one task");
  const uint32_t maker = b.region(Builder::kInitial, 1);
  b.compute(b.fork(maker), 100);
  b.wait(maker);
  Rig run("ws", 1, 1);
  run.setup.costs.create = 7;
  run.setup.costs.fetch = 3;
  run.setup.costs.region = 11;
  run.setup.costs.barrier = 1000;  // not for a team of one
  Outcome o = run(b.finish());
  EXPECT_DOUBLE_EQ(o.makespan, 100 + 7 + 3);
}

TEST(Simulate, AWokenThiefIsLate) {
  Builder b("two tasks");
  const uint32_t maker = b.region(Builder::kInitial, 2);
  b.compute(maker, 1);  // the other one is asleep by then
  b.compute(b.fork(maker), 100);
  b.compute(b.fork(maker), 100);
  Rig run("ws,take=one", 1, 2);
  run.setup.costs.wake = 30;
  run.setup.costs.line = 10;  // two lines: the queue's and the slot's
  EXPECT_DOUBLE_EQ(run(b.finish()).makespan, 1 + 30 + 20 + 100);
}

TEST(Simulate, BarriersHoldAllMembers) {
  Builder b("phases");
  const uint32_t first = b.region(Builder::kInitial, 3);
  for (uint32_t m = 0; m < 3; ++m) {
    b.compute(first + m, 10 * (m + 1));
    b.barrier(first + m);
    b.compute(first + m, 10 * (3 - m));
  }
  EXPECT_DOUBLE_EQ(Rig("ws", 1, 3)(b.finish()).makespan, 30 + 30);
}

TEST(Simulate, LoopsByTheirSchedules) {
  for (auto [kind, victim, expected] : {std::tuple{LoopSchedule::fixed, schedule::LoopVictim::none, 22.0},
                                        {LoopSchedule::on_demand, schedule::LoopVictim::none, 21.0},
                                        {LoopSchedule::fixed, schedule::LoopVictim::most_loaded, 20.0}}) {
    Builder b("triangle");  // chunks of 1, 2, ..., 8 on two workers: 36 in all
    const uint32_t first = b.region(Builder::kInitial, 2), loop = b.loop(kind);
    for (int i = 1; i <= 8; ++i) b.chunk(i);
    for (uint32_t m = 0; m < 2; ++m) b.run_loop(first + m, loop);
    Rig run("ws", 1, 2);
    run.setup.loop_victim = victim;
    const double time = run(b.finish()).makespan;
    // static: 5 + 6 + 7 + 8 = 26; dynamic: 1 3 5 7 | 2 4 6 8 = 20; static, then steal: the first is done at 10, takes
    // 8; 5 6 7 = 18
    EXPECT_DOUBLE_EQ(time, kind == LoopSchedule::on_demand        ? 20.0
                           : victim == schedule::LoopVictim::none ? 26.0
                                                                  : 18.0)
        << expected;
  }
}

// One thread gets all of a guided loop at once. Two get halves of what is left: 512, 256, ..., so of time that is
// spread evenly one half each.
TEST(Simulate, AGuidedLoopOfOneThreadIsCutForMore) {
  Builder b("guided");
  const uint32_t first = b.region(Builder::kInitial, 1), loop = b.loop(LoopSchedule::by_rule);
  b.latest_loop().members = 1;
  b.latest_loop().least = 8;
  b.chunk(102400, 0, 1024);
  b.run_loop(first, loop);
  const Program one = b.finish();
  for (const uint32_t n : {2u, 4u}) {
    const Program p = with_members(one, n);
    ASSERT_EQ(check(p), "");
    EXPECT_EQ(p.chunks[0].iterations, 1024 / n);
    EXPECT_EQ(p.chunks[1].iterations, (1024 - 1024 / n) / n);
    EXPECT_LE(p.chunks.back().iterations, 8u);
    EXPECT_DOUBLE_EQ(p.work(), 102400);
    const double time = Rig("ws", 1, int(n))(p).makespan;
    EXPECT_GE(time, 102400 / n);
    EXPECT_LE(time, 102400 / n + 8 * 100);
    EXPECT_DOUBLE_EQ(Rig("ws", 1, 1)(with_members(p, 1)).makespan, 102400);
  }
}

// Chunks of 1, 2, ..., 8 in rounds: 1 3 5 7 | 2 4 6 8.
TEST(Simulate, StaticChunksGoRoundByRound) {
  Builder b("rounds");
  const uint32_t first = b.region(Builder::kInitial, 2), loop = b.loop(LoopSchedule::rounds);
  for (int i = 1; i <= 8; ++i) b.chunk(i);
  for (uint32_t m = 0; m < 2; ++m) b.run_loop(first + m, loop);
  EXPECT_DOUBLE_EQ(Rig("ws", 1, 2)(b.finish()).makespan, 20);
}

// Of short chunks a thread takes up to 256 at once, of long ones one: as the runtime.
TEST(Simulate, ShortChunksAreTakenInBatches) {
  auto steals = [](double ns) {
    Builder b("batches");
    const uint32_t first = b.region(Builder::kInitial, 2), loop = b.loop(LoopSchedule::on_demand);
    b.latest_loop().batched = true;
    for (int i = 0; i < 4000; ++i)
      b.chunk(i == 1000 ? 10000 * ns : ns);  // meanwhile the other takes all else, and what was taken with it
    for (uint32_t m = 0; m < 2; ++m) b.run_loop(first + m, loop);
    Rig run("ws", 1, 2);
    run.setup.costs.short_batch = 410;
    const Outcome o = run(b.finish());
    EXPECT_LE(o.makespan, (1000 + 10000) * ns);
    return o.workers[0].steals + o.workers[1].steals;
  };
  EXPECT_GT(steals(1), 0u);
  EXPECT_EQ(steals(10000), 0u);
}

TEST(Simulate, ALoopIsCutByItsOwnRule) {
  for (auto [rule, expected] :
       {std::pair{schedule::kGuidedRule, 512u}, {schedule::kTrapezoidalRule, 256u}, {schedule::kFirstOwnRule, 256u}}) {
    Builder b("rule");
    const uint32_t first = b.region(Builder::kInitial, 1), loop = b.loop(LoopSchedule::by_rule);
    b.latest_loop().members = 1, b.latest_loop().rule = uint8_t(rule);
    b.chunk(102400, 0, 1024);
    b.run_loop(first, loop);
    EXPECT_EQ(with_members(b.finish(), 2).chunks[0].iterations, expected) << schedule::kLoopRules[rule].name;
  }
}

// As the runtime: a quarter of a queue, at most 32; of each worker's part of it while nobody knows that tasks are
// short.
TEST(Simulate, AThiefTakesAtMostThirtyTwo) {
  auto stolen = [](double ns, int tasks = 1000) {
    Rig run("ws", 1, 2);
    run.setup.costs.short_task = 4000;
    run.setup.costs.create = 1;
    Builder b("many");
    const uint32_t maker = b.region(Builder::kInitial, 2);
    for (int i = 0; i < tasks; ++i) b.compute(b.fork(maker), ns);
    const Outcome o = run(b.finish());
    EXPECT_GT(int(o.workers[1].tasks), tasks * 3 / 10);
    return double(o.workers[1].stolen) / double(o.workers[1].steals);
  };
  EXPECT_LE(stolen(100), 32);
  EXPECT_GE(stolen(100), 8);
  EXPECT_LE(stolen(10000), 32);
  EXPECT_DOUBLE_EQ(stolen(10000, 14), 1);
}

TEST(Simulate, StrictNeverLeavesItsNode) {
  Builder b("sent");
  const uint32_t maker = b.region(Builder::kInitial, 8);
  for (int i = 0; i < 8; ++i) {
    const uint32_t t = b.fork(maker);
    b.task(t).domain = 1;
    b.compute(t, 10);
  }
  Program p = b.finish();
  EXPECT_DOUBLE_EQ(Rig("domains-strict", 2, 4)(p).makespan, 20);  // four workers there
  EXPECT_DOUBLE_EQ(Rig("domains", 2, 4)(p).makespan, 10);         // the others steal
}

TEST(Simulate, StreamsShareBandwidth) {
  for (int k : {1, 2, 4, 8}) {
    Rig run("ws", 1, 8, 0, 40);  // 40 bytes a ns for all, 10 for one
    Builder b("streams");
    const uint32_t first = b.region(Builder::kInitial, 8);
    for (int i = 0; i < k; ++i) b.compute(first + uint32_t(i), 0, {{b.data(1000, 0), 1000, false}});
    EXPECT_DOUBLE_EQ(run(b.finish()).makespan, 1000 / std::min(10.0, 40.0 / k)) << k;
  }
}

// Node 0's memory gives 40 in all; four workers elsewhere are limited by their link to 20 together, so its own four get
// 5 each too: fair is 40 / 8. With two own ones these have their 10, and the four get what the link lets through.
TEST(Simulate, StreamsAreMaxMinFair) {
  for (auto [own, expected] : {std::pair{4, 1000 / 5.0}, {2, 1000 / 5.0}}) {
    Rig run("ws", 2, 4, 0, 40);
    Builder b("streams");
    const uint32_t first = b.region(Builder::kInitial, 8), data = b.data(1000, 0);
    for (int i = 0; i < own; ++i) b.compute(first + uint32_t(i), 0, {{data, 1000, false}});
    for (int i = 4; i < 8; ++i) b.compute(first + uint32_t(i), 0, {{data, 1000, false}});
    EXPECT_DOUBLE_EQ(run(b.finish()).makespan, expected) << own;
  }
}

TEST(Simulate, RemoteBytesAreCounted) {
  Builder b("first touch");
  const uint32_t first = b.region(Builder::kInitial, 8);
  for (uint32_t m = 0; m < 8; ++m) {
    const uint32_t data = b.data(100);
    b.compute(first + m, 1, {{data, 100, true}});
    b.barrier(first + m);
    if (m > 0) b.compute(first + m, 1, {{data - 1, 100, false}});  // the neighbour's
  }
  Program p = b.finish();
  Rig run("ws", 2, 4);
  EXPECT_EQ(run(p).remote_bytes, 100u);  // worker 4's neighbour is on the other node
  run.setup.placement.node = 0;
  EXPECT_EQ(run(p).remote_bytes,
            500u);  // what workers 4 to 7 touch first; the neighbours' is then in their node's cache, but for 4's
}

TEST(Simulate, TheSameSeedIsTheSameRun) {
  Program p = fork_join_tree(16, 4, 6, 50, 80);
  Rig run("ws", 2, 8);
  run.setup.costs = some_costs();
  const Outcome a = run(p, true), b = run(p, true);
  EXPECT_EQ(a.makespan, b.makespan);
  ASSERT_EQ(a.stays.size(), b.stays.size());
  for (size_t i = 0; i < a.stays.size(); ++i) EXPECT_EQ(a.stays[i].worker, b.stays[i].worker);
  run.setup.seed = 2;
  EXPECT_NE(run(p).makespan, a.makespan);
}

TEST(Simulate, ProgramsAreChecked) {
  Program p = flat(2, 3, 5);
  EXPECT_EQ(check(p), "");
  Program q = p;
  q.steps[0].ref = 9;
  EXPECT_NE(check(q), "");
  q = p;
  q.tasks.back().parent = 0;
  EXPECT_NE(check(q), "");
  q = p;
  q.successors.push_back(3);
  q.tasks[4].first_successor = 0;
  q.tasks[4].successors = 1;
  EXPECT_NE(check(q), "");
}

// Tasks outside of regions, each with a region inside: outermost regions, too, which get the new size, one after the
// other.
TEST(Simulate, RegionsInTasksOfTheSequentialPart) {
  Builder b("regions in tasks");
  std::vector<uint32_t> tasks;
  const uint32_t group = b.group();
  for (int i = 0; i < 3; ++i) {
    const uint32_t t = b.fork(Builder::kInitial, i == 0);
    if (i > 0) b.task(t).group = group;
    b.compute(t, 10);
    const uint32_t first = b.region(t, 4);
    for (uint32_t m = 0; m < 4; ++m) {
      b.compute(first + m, 100);
      b.compute(b.fork(first + m), 50);
    }
    tasks.push_back(t);
  }
  b.wait_group(Builder::kInitial, group);
  const Program p = b.finish();
  ASSERT_EQ(check(p), "");
  for (uint32_t members : {1u, 2u, 4u, 8u}) {
    const Program q = with_members(p, members);
    ASSERT_EQ(check(q), "");
    for (const Region& r : q.regions) EXPECT_EQ(r.members, members);
    EXPECT_DOUBLE_EQ(q.work(), p.work());
    for (const char* name : kAll) {
      Rig run(name, 2, 4, int(members));
      const Outcome o = run(q);
      EXPECT_GE(o.makespan, 3 * 10 + 3 * 600 / double(members) - 1e-6) << name;
      EXPECT_LE(o.makespan, p.work() + 1e-6) << name;
    }
  }
}
