// Two recordings, with differences that are known.
#include <cmath>
#include "profile/compare.h"
#include "profile_support.h"

namespace einkorn {
namespace {

using namespace test;
using profile::Comparison;
using profile::GrainKind;
using profile::kNone;
using profile::LineChange;
using profile::Side;

// Two tasks of one construct and one of another, on one thread outside regions; `more` of the first construct after
// them.
GrainFile three_tasks(uint64_t first, uint64_t second, uint64_t third, int more = 0) {
  GrainFile file;
  uint32_t a = file.site(Construct::task, 0x2000), b = file.site(Construct::task, 0x3000);
  Script& t = file.thread(Script::kInitial);
  uint64_t now = 100;
  auto task = [&](uint32_t site, uint64_t takes) {
    uint64_t id = t.at(now).create(site, 10);
    t.at(now + 20).start(id).at(now + 20 + takes).end();
    now += takes + 50;
  };
  task(a, first);
  task(a, second);
  task(b, third);
  for (int i = 0; i < more; ++i) task(a, 1000);
  t.at(now + 100).thread_end();
  return file;
}

// A loop of 20 iterations in chunks of `chunk`, on `threads` threads that take turns; an iteration takes 10.
GrainFile loop(uint32_t chunk, uint32_t threads) {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t site = file.site(Construct::loop, 0x1100);
  std::vector<Script*> team;
  for (uint32_t t = 0; t < threads; ++t) team.push_back(&file.thread(t == 0));
  uint64_t region = team[0]->new_region();
  team[0]->at(100).region_begin(parallel, region, threads);
  for (uint32_t t = 0; t < threads; ++t) team[t]->at(110).implicit_begin(t, region).at(115).loop_begin(site, 20, chunk);
  uint64_t now = 120;
  for (uint32_t first = 0, n = 0; first < 20; first += chunk, ++n, now += 10 * chunk + 5)
    team[n % threads]->at(now).chunk(first).at(now + 10 * std::min(chunk, 20 - first)).chunk_end();
  for (uint32_t t = 0; t < threads; ++t)
    team[t]->at(now).loop_end().at(now + 1).wait_begin(end).at(now + 2).wait_end().implicit_end();
  team[0]->at(now + 3).region_end().at(now + 10).thread_end();
  return file;
}

struct Two {
  profile::Profile before, after;
  Side b, a;
  Comparison c;
};

Two two(const GrainFile& before, const GrainFile& after) {
  Two t{load_file(before).profile, load_file(after).profile, {}, {}, {}};
  t.b = side_of(t.before);
  t.a = side_of(t.after);
  t.c = compare(t.b, t.a);
  return t;
}

TEST(Compare, ARecordingWithItself) {
  const Two t = two(rich_recording(), rich_recording());
  EXPECT_EQ(t.c.share, 1);
  EXPECT_EQ(t.c.matched, t.a.grains.size());
  EXPECT_EQ(t.c.only_before.grains + t.c.only_after.grains, 0u);
  for (const LineChange& l : t.c.lines) {
    EXPECT_EQ(l.change(), 0);
    if (l.median_ratio >= 0) {
      EXPECT_EQ(l.worst_ratio, 1);
    }
  }
}

TEST(Compare, GrainsLinesAndRatios) {
  const Two t = two(three_tasks(100, 200, 300), three_tasks(150, 600, 270));
  EXPECT_EQ(t.c.matched, 3u);
  EXPECT_EQ(t.c.share, 1);
  ASSERT_EQ(t.c.lines.size(), 2u);
  const LineChange& a = t.c.lines[0];
  EXPECT_EQ(a.change(), 450);
  EXPECT_EQ(a.before.exec, 300);
  EXPECT_EQ(a.after.exec, 750);
  EXPECT_EQ(a.median_ratio, 3);  // of an even number the upper one
  EXPECT_EQ(a.worst_ratio, 3);
  const LineChange& b = t.c.lines[1];
  EXPECT_EQ(b.change(), -30);
  EXPECT_DOUBLE_EQ(b.median_ratio, 0.9);
  // The largest change first: the second task, then the first, then the third.
  ASSERT_EQ(t.c.changed.size(), 3u);
  EXPECT_EQ(t.a.grains[t.c.changed[0]].exec, 600);
  EXPECT_EQ(t.a.grains[t.c.changed[1]].exec, 150);
  EXPECT_EQ(t.a.grains[t.c.changed[2]].exec, 270);
  // What the metrics get: the execution there, by grain here.
  const std::vector<float> base = baseline_exec(t.b, t.a, t.c, t.after.grains.size());
  ASSERT_EQ(base.size(), 4u);
  EXPECT_TRUE(std::isnan(base[0]));  // the program outside its grains
  EXPECT_EQ(base[1], 100);
  EXPECT_EQ(base[2], 200);
  EXPECT_EQ(base[3], 300);
}

// A task below which `executed` others of the same place were counted, taking `exec` in all.
GrainFile counted_below(uint64_t executed, uint64_t exec) {
  GrainFile file;
  uint32_t site = file.site(Construct::task, 0x2000);
  Script& t = file.thread(Script::kInitial);
  uint64_t id = t.at(100).create(site, 10);
  t.at(120).start(id).at(5000).put(Kind::aggregate, 7, {exec, exec, 0, 0, 0});
  t.put(Kind::subtree, site, {id, executed, executed, exec, 1, exec, executed, 0, 0, 0, 0, 0, 0, 0});
  t.at(5100).end().at(6000).thread_end();
  return file;
}

TEST(Compare, WhatWasCountedAsAWhole) {
  const Two same = two(counted_below(40, 1000), counted_below(40, 3000));
  EXPECT_EQ(same.a.aggregated, 40u);
  EXPECT_EQ(same.c.matched, 41u);
  EXPECT_EQ(same.c.share, 1);
  EXPECT_EQ(same.c.only_before.grains + same.c.only_after.grains, 0u);
  ASSERT_EQ(same.c.lines.size(), 1u);
  const LineChange& line = same.c.lines[0];
  EXPECT_EQ(line.before.grains, 41u);
  EXPECT_EQ(line.after.grains, 41u);
  // The one task that was recorded has less of the 4980 for itself.
  EXPECT_EQ(line.after.exec - line.before.exec, 0);
  EXPECT_EQ(line.matched_after, line.after.exec);
  ASSERT_EQ(same.c.changed.size(), 1u);  // single grains only

  const Two other = two(counted_below(40, 1000), counted_below(41, 1000));
  EXPECT_EQ(other.c.matched, 1u);
  EXPECT_EQ(other.c.only_before.grains, 40u);
  EXPECT_EQ(other.c.only_after.grains, 41u);
  EXPECT_LT(other.c.share, 1);
  EXPECT_EQ(other.c.lines[0].only_after.exec, 1000);
}

TEST(Compare, GrainsInOneOnly) {
  const Two t = two(three_tasks(10000, 10000, 10000, 1), three_tasks(10000, 10000, 10000));
  EXPECT_EQ(t.c.matched, 3u);
  EXPECT_EQ(t.c.only_before.grains, 1u);
  EXPECT_EQ(t.c.only_before.exec, 1000);
  EXPECT_EQ(t.c.only_after.grains, 0u);
  EXPECT_DOUBLE_EQ(t.c.share, 30000.0 / 31000);
  EXPECT_TRUE(t.c.per_grain());
}

TEST(Compare, NoRatiosWhereLittleIsMatched) {
  const Two t = two(three_tasks(1000, 1000, 1000), three_tasks(1000, 1000, 1000, 1));
  EXPECT_DOUBLE_EQ(t.c.share, 0.75);
  EXPECT_FALSE(t.c.per_grain());
  EXPECT_TRUE(t.c.changed.empty());
  for (const LineChange& l : t.c.lines) EXPECT_EQ(l.median_ratio, -1);
  for (float f : baseline_exec(t.b, t.a, t.c, t.after.grains.size())) EXPECT_TRUE(std::isnan(f));
  EXPECT_EQ(t.c.lines[0].change(), 1000);  // lines are compared all the same
}

TEST(Compare, ChunksOnOneAndOnTwoThreads) {
  const Two t = two(loop(4, 1), loop(4, 2));
  uint64_t chunks = 0;
  for (size_t i = 0; i < t.a.grains.size(); ++i) {
    if (t.a.grains[i].kind != GrainKind::chunk) {
      EXPECT_EQ(t.c.match[i], kNone);  // shares of another team
      continue;
    }
    ++chunks;
    ASSERT_NE(t.c.match[i], kNone);
    EXPECT_EQ(t.b.grains[t.c.match[i]].exec, t.a.grains[i].exec);
  }
  EXPECT_EQ(chunks, 5u);
}

// Chunks of another size: what begins where one began there is not the same; the instance as a whole is.
TEST(Compare, LoopsThatAreCutOtherwise) {
  const Two t = two(loop(4, 2), loop(5, 2));
  EXPECT_FALSE(t.c.per_grain());
  ASSERT_EQ(t.c.loops.size(), 1u);
  ASSERT_NE(t.c.loops[0].before, kNone);
  ASSERT_NE(t.c.loops[0].after, kNone);
  EXPECT_EQ(t.b.loops[t.c.loops[0].before].chunks, 5u);
  EXPECT_EQ(t.a.loops[t.c.loops[0].after].chunks, 4u);
  EXPECT_EQ(t.b.loops[0].exec, 200);
  EXPECT_EQ(t.a.loops[0].exec, 200);
}

TEST(Compare, NothingAtAll) {
  GrainFile empty;
  empty.thread(Script::kInitial).at(10).thread_end();
  const Two t = two(empty, empty);
  EXPECT_EQ(t.c.share, 1);
  EXPECT_TRUE(t.c.lines.empty());
  const Two u = two(empty, three_tasks(1, 2, 3));
  EXPECT_EQ(u.c.share, 0);
  EXPECT_EQ(u.c.only_after.grains, 3u);
}

}  // namespace
}  // namespace einkorn
