// Constructs in which one waits for another without a barrier, a taskwait or a dependence, and regions that do not have
// as many threads as a replay: recorded by hand, in the grain graph, replayed, and dealt out to other numbers of
// threads.
#include <gtest/gtest.h>

#include "profile_support.h"
#include "profile/metrics.h"
#include "simulate/builder.h"
#include "simulate/engine.h"
#include "simulate/from_profile.h"
#include "simulate_support.h"

using namespace einkorn::simulate;
namespace profile = einkorn::profile;
namespace record = einkorn::record;
using einkorn::test::GrainFile;
using einkorn::test::Replay;
using einkorn::test::Script;
using Construct = einkorn::record::Construct;

namespace {

Outcome replayed(const Program& p, uint32_t workers) { return Replay(workers).run(p); }

Program taken_from(const profile::Profile& p) {
  std::string error;
  Program out = from_profile(p, {}, error);
  EXPECT_EQ(error, "");
  return out;
}

profile::Profile loaded_of(const GrainFile& file) {
  const einkorn::test::Loaded l = einkorn::test::load_file(file);
  EXPECT_TRUE(l.ok) << l.error.message;
  EXPECT_EQ(l.details.unmatched, 0u);
  return l.profile;
}

constexpr uint64_t kX = 0x100;

// Three tasks of 100 in a region of two, which may exclude each other.
profile::Profile three_of_a_set(uint64_t mode) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                 end = file.site(Construct::barrier_parallel, 0x1000);
  const uint32_t task = file.site(Construct::task, 0x2000, 0x1000, record::kSiteHasDepend);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 0);
  const uint64_t region = a.new_region();
  a.at(0).region_begin(parallel, region, 2).implicit_begin(0, region);
  b.at(0).implicit_begin(1, region).wait_begin(end);
  uint64_t t[3];
  for (uint64_t& id : t) id = a.at(0).create(task, 0), a.depend(kX, mode);
  a.wait_begin(end);
  for (const uint64_t id : t) b.start(id).at(100 * (id - t[0] + 1)).end();
  a.at(300).wait_end().implicit_end();
  b.at(300).wait_end().implicit_end();
  a.region_end().thread_end();
  return loaded_of(file);
}

// Two threads, 4 iterations of 100 in rounds, each of which waits for the one before.
profile::Profile four_iterations() {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                 end = file.site(Construct::barrier_parallel, 0x1000);
  const uint32_t loop = file.site(Construct::loop, 0x1000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 0);
  const uint64_t region = a.new_region();
  a.at(0).region_begin(parallel, region, 2).implicit_begin(0, region);
  b.at(0).implicit_begin(1, region);
  for (Script* s : {&a, &b})
    s->put(record::Kind::loop_begin, loop, {0, 4, 1, 1 | uint64_t(record::Schedule::static_chunked) << 32});
  for (uint64_t i = 0; i < 4; ++i) {
    Script& s = i % 2 ? b : a;
    s.at(100 * i).put(record::Kind::chunk_begin, uint32_t(i));
    if (i > 0) s.awaited(i - 1);
    s.at(100 * (i + 1)).iteration(i).put(record::Kind::chunk_end);
  }
  for (Script* s : {&a, &b}) s->at(s == &a ? 300 : 400).put(record::Kind::loop_end).wait_begin(end);
  for (Script* s : {&a, &b}) s->at(400).wait_end().implicit_end();
  a.region_end().thread_end();
  return loaded_of(file);
}

// A task of 10, whose event another one of 100 fulfills at its end; a third one of 50 depends on it. `who`: with that
// one, else nobody has told.
profile::Profile detached(bool who) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                 end = file.site(Construct::barrier_parallel, 0x1000);
  const uint32_t task = file.site(Construct::task, 0x2000, 0x1000, record::kSiteHasDepend | record::kSiteDetach);
  const uint32_t other = file.site(Construct::task, 0x3000, 0x1000),
                 last = file.site(Construct::task, 0x4000, 0x1000, record::kSiteHasDepend);
  Script& a = file.thread(Script::kInitial);
  const uint64_t region = a.new_region();
  a.at(0).region_begin(parallel, region, 1).implicit_begin(0, region);
  const uint64_t t = a.create(task, 0);
  a.depend(kX, record::kDependOut);
  const uint64_t o = a.create(other, 0), l = a.create(last, 0);
  a.depend(kX, record::kDependIn);
  a.wait_begin(end).start(t).at(10).end().start(o).at(110);
  if (who) a.fulfill(t);
  a.end().start(l).at(160).end().wait_end().implicit_end().region_end().thread_end();
  return loaded_of(file);
}

// A region of as many, in each of which all threads work for 100. not_asked: record::kAskedBoth.
profile::Profile one_plain(uint32_t threads, uint32_t not_asked, uint16_t flags = 0) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000, 0, flags);
  const uint32_t end = file.site(Construct::barrier_parallel, 0x1000);
  std::vector<Script*> all;
  uint64_t region = 0;
  for (uint32_t t = 0; t < threads; ++t) {
    all.push_back(&file.thread(t == 0 ? Script::kInitial : Script::kWorker, 0));
    if (t == 0) region = all[0]->new_region(), all[0]->at(0).region_begin(parallel, region, threads);
    all[t]->at(0).implicit_begin(t, region).at(100).wait_begin(end).wait_end();
    all[t]->put(record::Kind::implicit_end, not_asked);
  }
  all[0]->region_end().thread_end();
  return loaded_of(file);
}

}  // namespace

TEST(SimulateConstructs, TasksOfASetRunOneAtATime) {
  const profile::Profile taken = three_of_a_set(record::kDependMutexInOutSet);
  ASSERT_EQ(taken.exclusive.size(), 1u);
  EXPECT_EQ(taken.exclusive[0].held, 300);
  EXPECT_EQ(taken.critical_path_ns, 100);  // in no order
  const Program p = taken_from(taken);
  EXPECT_DOUBLE_EQ(p.longest_hold(), 300);
  for (const uint32_t workers : {1u, 2u, 3u, 8u})
    EXPECT_DOUBLE_EQ(replayed(with_members(p, workers), workers).makespan, 300) << workers;
  const profile::Profile free = three_of_a_set(record::kDependInOutSet);
  EXPECT_TRUE(free.exclusive.empty());
  EXPECT_DOUBLE_EQ(replayed(with_members(taken_from(free), 3), 3).makespan, 100);
  const profile::Metrics m = profile::compute_metrics(taken);
  EXPECT_DOUBLE_EQ(m[profile::Metric::time_bound], 300);
  EXPECT_LE(m[profile::Metric::brent_speedup], m[profile::Metric::speedup_bound]);
}

TEST(SimulateConstructs, ATaskOfTwoSetsNeedsBoth) {
  Builder b("sets");
  const uint32_t first = b.region(Builder::kInitial, 2), one = b.set(), two = b.set();
  for (int i = 0; i < 6; ++i) {
    const uint32_t t = b.fork(first);
    b.compute(t, 100);
    if (i % 3 != 1) b.exclude(t, one);
    if (i % 3 != 0) b.exclude(t, two);
  }
  const Program p = b.finish();
  EXPECT_DOUBLE_EQ(p.longest_hold(), 400);
  EXPECT_GE(replayed(p, 2).makespan, 400);
  EXPECT_LE(replayed(p, 2).makespan, 600);
}

TEST(SimulateConstructs, IterationsWaitForEachOther) {
  const profile::Profile taken = four_iterations();
  EXPECT_EQ(taken.critical_path_ns, 400);
  const Program p = taken_from(taken);
  EXPECT_DOUBLE_EQ(p.span(), 400);
  for (const uint32_t workers : {1u, 2u, 4u}) {
    const Program its = with_members(p, workers);
    EXPECT_DOUBLE_EQ(replayed(its, workers).makespan, 400) << workers;
    EXPECT_DOUBLE_EQ(its.span(), 400) << workers;
  }
}

TEST(SimulateConstructs, ADetachedTaskEndsWithItsEvent) {
  const profile::Profile taken = detached(true);
  EXPECT_EQ(taken.critical_path_ns, 150);  // not 60
  const Program p = taken_from(taken);
  EXPECT_DOUBLE_EQ(replayed(with_members(p, 1), 1).makespan, 160);
  EXPECT_DOUBLE_EQ(replayed(with_members(p, 2), 2).makespan, 150);
  std::string error;
  from_profile(detached(false), {}, error);
  EXPECT_NE(error.find("1 detached tasks"), std::string::npos) << error;
}

TEST(SimulateConstructs, WhatAllDoIsNotDivided) {
  const Program all = taken_from(one_plain(1, record::kAskedBoth)), shared = taken_from(one_plain(1, 0)),
                either = taken_from(one_plain(1, record::kAskedThreads));
  EXPECT_DOUBLE_EQ(replayed(with_members(all, 4), 4).makespan, 100);
  EXPECT_DOUBLE_EQ(replayed(with_members(shared, 4), 4).makespan, 25);
  EXPECT_DOUBLE_EQ(replayed(with_members(either, 4), 4).makespan, 25);
  EXPECT_DOUBLE_EQ(replayed(with_members(either, 4, true), 4).makespan, 100);
  EXPECT_DOUBLE_EQ(replayed(with_members(taken_from(one_plain(4, record::kAskedBoth)), 1), 1).makespan, 100);
}

TEST(SimulateConstructs, ANamedTeamKeepsItsSize) {
  const Program p = taken_from(one_plain(1, 0, record::kSiteTeamAsked));
  EXPECT_DOUBLE_EQ(replayed(with_members(p, 4), 4).makespan, 100);
  EXPECT_EQ(with_members(p, 4).regions[0].members, 1u);
}

// The release comes behind the barrier: whoever waits for the lock does so until then.
TEST(SimulateConstructs, ALockIsHeldOverABarrier) {
  Builder b("lock");
  const uint32_t first = b.region(Builder::kInitial, 2), lock = b.lock();
  b.compute(first, 10);
  b.lock_point(5, lock, true);
  b.compute(first + 1, 10);
  for (uint32_t m : {first, first + 1}) b.barrier(m);
  b.compute(first, 100);
  b.lock_point(100, lock, false);
  b.compute(first + 1, 50);
  b.lock_point(0, lock, true);
  b.lock_point(50, lock, false);
  const Program p = b.finish();
  EXPECT_DOUBLE_EQ(replayed(with_members(p, 2), 2).makespan, 160);
}

// Outer chunks of 100, all of it in inner regions of one thread.
TEST(SimulateConstructs, InactiveRegionsAreTheirCallersCode) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                 end = file.site(Construct::barrier_parallel, 0x1000);
  const uint32_t loop = file.site(Construct::loop, 0x1000), inner = file.site(Construct::parallel, 0x5000);
  const uint32_t inner_end = file.site(Construct::barrier_parallel, 0x5000);
  Script& a = file.thread(Script::kInitial);
  const uint64_t region = a.new_region();
  a.at(0).region_begin(parallel, region, 1).implicit_begin(0, region);
  a.put(record::Kind::loop_begin, loop, {0, 4, 1, 1 | uint64_t(record::Schedule::dynamic) << 32});
  for (uint64_t i = 0; i < 4; ++i) {
    a.put(record::Kind::chunk_begin, uint32_t(i));
    const uint64_t its = a.new_region();
    a.region_begin(inner, its, 1, 2).implicit_begin(0, its).at(100 * (i + 1)).wait_begin(inner_end).wait_end();
    a.implicit_end().region_end().put(record::Kind::chunk_end);
  }
  a.put(record::Kind::loop_end).wait_begin(end).wait_end().implicit_end().region_end().thread_end();
  const Program p = taken_from(loaded_of(file));
  EXPECT_DOUBLE_EQ(replayed(with_members(p, 1), 1).makespan, 400);
  EXPECT_DOUBLE_EQ(replayed(with_members(p, 2), 2).makespan, 200);
}
