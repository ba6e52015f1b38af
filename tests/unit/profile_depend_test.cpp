// Dependences among tasks: rules that the golden programs do not cover, and faulty records.
#include <algorithm>

#include "profile_support.h"

namespace einkorn {
namespace {

using namespace test;
using record::kDependAllMemory;
using record::kDependIn;
using record::kDependInOutSet;
using record::kDependMutexInOutSet;
using record::kDependOut;

constexpr uint64_t x = 0x7000, y = 0x7008, z = 0x7010;

// Thread a of a team of two creates tasks, one every 10 ticks, that all run at the end: task n for 10 * (n + 1) ticks.
struct Tasks {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t task = file.site(Construct::task, 0x2000, 0, record::kSiteHasDepend);
  uint32_t at_once = file.site(Construct::task, 0x3000, 0, record::kSiteHasDepend | record::kSiteUndeferred);
  uint32_t wait = file.site(Construct::taskwait, 0, 0x1100), barrier = file.site(Construct::barrier, 0, 0x1200);
  uint32_t wait_depend = file.site(Construct::taskwait, 0, 0x1300, record::kSiteHasDepend);
  uint32_t nowait = file.site(Construct::taskwait, 0, 0x1400, record::kSiteHasDepend | record::kSiteNowait);
  Script &a = file.thread(Script::kInitial), &b = file.thread(Script::kWorker, 5);
  uint64_t region = a.new_region(), now = 20;
  std::vector<uint64_t> tasks;
  Tasks() {
    a.at(10).region_begin(parallel, region, 2).at(20).implicit_begin(0, region);
    b.at(21).implicit_begin(1, region);
  }
  struct Item {
    uint64_t address;
    uint64_t mode;
  };
  uint64_t after(uint64_t ticks) { return now += ticks; }
  void create(std::vector<Item> items) {
    tasks.push_back(a.at(after(10)).create(task, 1));
    for (Item i : items) a.depend(i.address, i.mode);
  }
  void wait_for(uint32_t site, std::vector<Item> items) {
    a.at(after(10)).wait_begin(site);
    for (Item i : items) a.depend(i.address, i.mode);
    a.at(after(10)).wait_end();
  }
  // `unstarted`: a task that the recording does not see run.
  Loaded finish(size_t unstarted = ~size_t(0)) {
    a.at(after(10)).wait_begin(end);
    for (size_t i = 0; i < tasks.size(); ++i) {
      if (i == unstarted) continue;
      a.at(after(1)).start(tasks[i]);
      a.at(after(10 * (i + 1))).end();
    }
    b.at(after(10)).wait_begin(end).at(after(10)).wait_end().implicit_end();
    a.at(after(10)).wait_end().implicit_end().at(now + 1).region_end().at(now + 5).thread_end();
    return load_file(file);
  }
};

// Dependence edges, and joins but those of the region's end, with tasks by number.
std::vector<std::string> edges(const Loaded& l) {
  std::vector<std::string> out;
  for (std::string line : describe(l.profile)) {
    bool join = line.starts_with("join: ") && line.find("-> team") == std::string::npos;
    if (!line.starts_with("dependence: ") && !join) continue;
    line = std::regex_replace(line, std::regex("r0\\.t0/([0-9]+)#[0-9]+"), "$1");
    out.push_back(std::regex_replace(line, std::regex("r0\\.t0\\.s[0-9]+#([0-9]+)"), "$1"));
  }
  std::sort(out.begin(), out.end());
  return out;
}

using Edges = std::vector<std::string>;

TEST(Depend, TasksOfDifferentAddressesAreIndependent) {
  Tasks t;
  t.create({{x, kDependOut}});
  t.create({{y, kDependOut}});
  t.create({{x, kDependIn}, {y, kDependIn}, {z, kDependOut}});
  t.create({{x, kDependIn}});
  t.create({{z, kDependIn}});
  Loaded l = t.finish();
  EXPECT_EQ(edges(l), lines_of("dependence: 0 -> 2\n dependence: 1 -> 2\n dependence: 0 -> 3\n dependence: 2 -> 4"));
  EXPECT_EQ(l.details.unmatched, 0u);
  EXPECT_EQ(l.profile.totals.dependences, 7u);
}

TEST(Depend, OneEdgeWhereSeveralAddressesSaySo) {
  Tasks t;
  t.create({{x, kDependOut}, {y, kDependOut}});
  t.create({{y, kDependOut}, {x, kDependOut}, {x, kDependOut}});
  EXPECT_EQ(edges(t.finish()), Edges{"dependence: 0 -> 1"});
}

TEST(Depend, OnlySiblings) {
  Tasks t;
  t.create({{x, kDependOut}});
  // The child of a task without dependences, of the same address.
  uint64_t parent = t.a.at(t.after(10)).create(t.task, 1);
  t.a.at(t.after(10)).wait_begin(t.wait).start(parent);
  uint64_t child = t.a.at(t.after(10)).create(t.task, 1);
  t.a.depend(x, kDependOut).at(t.after(10)).end().start(child).at(t.after(10)).end();
  t.a.at(t.after(10)).wait_end();
  for (const std::string& e : edges(t.finish())) EXPECT_EQ(e.find("dependence"), std::string::npos) << e;
}

TEST(Depend, SetsAreFollowedThroughAJoint) {
  Tasks t;
  for (int i = 0; i < 3; ++i) t.create({{x, kDependIn}});
  for (int i = 0; i < 2; ++i) t.create({{x, kDependInOutSet}});
  for (int i = 0; i < 2; ++i) t.create({{x, kDependMutexInOutSet}});
  t.create({{x, kDependIn}, {x, kDependInOutSet}});  // both at once
  t.create({{x, kDependInOutSet}});
  EXPECT_EQ(edges(t.finish()), lines_of(R"(
    dependence: 0 -> joint 0
    dependence: 1 -> joint 0
    dependence: 2 -> joint 0
    dependence: joint 0 -> 3
    dependence: joint 0 -> 4
    dependence: 3 -> joint 1
    dependence: 4 -> joint 1
    dependence: joint 1 -> 5
    dependence: joint 1 -> 6
    dependence: 5 -> joint 2
    dependence: 6 -> joint 2
    dependence: joint 2 -> 7
    dependence: 7 -> 8
  )"));
}

TEST(Depend, ManyReadersAndManyWritersInAnyOrderStaySparse) {
  Tasks t;
  constexpr int n = 20000;
  for (int i = 0; i < n; ++i) t.create({{x, kDependIn}});
  for (int i = 0; i < n; ++i) t.create({{x, kDependInOutSet}});
  t.create({{x, kDependOut}});
  for (int i = 0; i < 1000; ++i) t.wait_for(t.wait_depend, {{x, kDependIn}});
  EXPECT_LT(t.finish().profile.graph.edges.size(), 20u * n);
}

TEST(Depend, AllMemory) {
  Tasks t;
  t.create({{x, kDependIn}});
  t.create({{y, kDependOut}});
  t.create({{0, kDependAllMemory}});
  t.create({{x, kDependOut}});
  t.create({{z, kDependIn}});
  t.create({{0, kDependAllMemory}});
  EXPECT_EQ(edges(t.finish()), lines_of(R"(
    dependence: 0 -> 2
    dependence: 1 -> 2
    dependence: 2 -> 3
    dependence: 2 -> 4
    dependence: 2 -> 5
    dependence: 3 -> 5
    dependence: 4 -> 5
  )"));
}

TEST(Depend, NothingNeedsAnEdgeOverATaskwaitOrBarrier) {
  Tasks t;
  t.create({{x, kDependOut}});
  t.wait_for(t.wait, {});
  t.create({{x, kDependOut}});
  t.a.at(t.after(10)).wait_begin(t.barrier);
  t.b.at(t.now).wait_begin(t.barrier).at(t.now + 5).wait_end();
  t.a.at(t.after(10)).wait_end();
  t.create({{x, kDependOut}});
  EXPECT_EQ(edges(t.finish()), Edges{"join: 0 -> join 0"});
}

TEST(Depend, TaskwaitDependJoinsWhatItNames) {
  Tasks t;
  t.create({{x, kDependOut}});
  t.create({{x, kDependIn}});
  t.create({{y, kDependOut}});
  t.wait_for(t.wait_depend, {{x, kDependIn}});   // a reader waits for the writer
  t.wait_for(t.wait_depend, {{x, kDependOut}});  // and a writer for the reader
  t.create({{x, kDependOut}});                   // comes after both
  t.create({{y, kDependOut}});
  EXPECT_EQ(edges(t.finish()),
            lines_of("dependence: 0 -> 1\n join: 0 -> join 0\n join: 1 -> join 0\n dependence: 2 -> 4"));
}

TEST(Depend, NowaitIsATaskWithoutABody) {
  Tasks t;
  t.create({{x, kDependOut}});
  t.create({{y, kDependOut}});
  t.wait_for(t.nowait, {{x, kDependIn}, {y, kDependMutexInOutSet}});
  t.create({{y, kDependMutexInOutSet}});
  Loaded l = t.finish();
  EXPECT_EQ(edges(l), lines_of("dependence: 0 -> joint 0\n dependence: 1 -> joint 0\n dependence: joint 0 -> 2"));
  for (const profile::WaitUse& w : l.profile.waits) EXPECT_NE(l.profile.sources[w.source].construct, "taskwait");
}

TEST(Depend, UndeferredTasksSayItAtTheirEnd) {
  Tasks t;
  for (int i = 0; i < 2; ++i) {
    uint64_t id = t.a.at(t.after(10)).create(t.at_once, 0);
    t.a.start(id);
    uint64_t child = t.a.at(t.after(5)).create(t.task, 1);
    t.a.at(t.after(5)).wait_begin(t.wait).start(child).at(t.after(5)).end().wait_end();
    t.a.at(t.after(5)).end().depend(x, kDependOut);
  }
  Loaded l = t.finish();
  EXPECT_EQ(l.details.unmatched, 0u);
  EXPECT_EQ(l.profile.totals.dependences, 2u);
  size_t n = 0;
  for (const profile::Edge& e : l.profile.graph.edges) n += e.kind == profile::EdgeKind::dependence;
  EXPECT_EQ(n, 1u);
}

TEST(Depend, ATaskThatNeverStartedStillStandsBetween) {
  Tasks t;
  for (int i = 0; i < 3; ++i) t.create({{x, kDependOut}});
  EXPECT_EQ(edges(t.finish(1)), lines_of("dependence: 0 -> joint 0\n dependence: joint 0 -> 2"));
}

TEST(Depend, AListMayReachOverABlockAndTheRecordersOwnRecords) {
  Tasks t;
  t.create({{x, kDependOut}});
  t.create({{y, kDependOut}});
  t.create({{x, kDependIn}});
  t.a.recorder(1).cut().depend(y, kDependIn);
  Loaded l = t.finish();
  EXPECT_EQ(edges(l), lines_of("dependence: 0 -> 2\n dependence: 1 -> 2"));
  EXPECT_EQ(l.details.unmatched, 0u);
}

TEST(Depend, OneRecordMayHoldSeveral) {
  Tasks t;
  t.create({{x, kDependOut}});
  t.create({{y, kDependOut}});
  t.create({});
  t.a.put(Kind::depend, 2, {x, 8, kDependIn, y, 8, kDependIn});
  EXPECT_EQ(edges(t.finish()), lines_of("dependence: 0 -> 2\n dependence: 1 -> 2"));
}

TEST(Depend, RecordsThatBelongToNothing) {
  Tasks t;
  t.a.depend(x, kDependOut);
  t.create({{x, kDependOut}});
  t.a.at(t.after(10)).wait_begin(t.wait).depend(x, kDependOut).at(t.after(10)).wait_end();  // not a taskwait depend
  t.a.depend(x, kDependOut);
  t.create({{x, 77}});  // read as out
  t.create({{x, kDependIn}});
  Loaded l = t.finish();
  EXPECT_EQ(l.details.unmatched, 3u);
  EXPECT_EQ(edges(l), lines_of("join: 0 -> join 0\n dependence: 1 -> 2"));
}

}  // namespace
}  // namespace einkorn
