// Names of grains depend on the program, never on who ran what when.
#include <set>
#include "profile/identity.h"
#include "profile_support.h"

namespace einkorn {
namespace {

using namespace test;
using profile::Grain;
using profile::GrainKind;
using Ids = std::multiset<std::pair<uint64_t, uint64_t>>;

Ids ids(const profile::Profile& p, GrainKind kind) {
  Ids out;
  for (const Grain& g : p.grains)
    if (g.kind == kind) out.insert({g.id_high, g.id_low});
  return out;
}

// parallel { single { task x 3, the first with two children; taskloop of 2 pieces }; for dynamic: a task in each chunk
// } by `solo` for the single construct, `order` for the chunks; the thieves run what `solo` created, or `solo` itself
// does.
profile::Profile run(int solo, bool stolen, bool swap_chunks) {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), task = file.site(Construct::task, 0x2000);
  uint32_t end = file.site(Construct::barrier_parallel, 0x1000),
           barrier = file.site(Construct::barrier_workshare, 0, 0x1200);
  uint32_t loop = file.site(Construct::loop, 0, 0x1300), pieces = file.site(Construct::taskloop, 0x3000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 5);
  uint64_t region = a.new_region();
  a.at(10).region_begin(parallel, region, 2).at(20).implicit_begin(0, region);
  b.at(22).implicit_begin(1, region);
  Script& one = solo == 0 ? a : b;
  Script& other = solo == 0 ? b : a;
  Script& worker = stolen ? other : one;
  uint64_t t[3];
  for (int i = 0; i < 3; ++i) t[i] = one.at(30 + 10 * uint64_t(i)).create(task, 2);
  one.at(60).taskloop_begin(pieces, 8, 2);
  uint64_t p0 = one.at(61).create(pieces, 1);
  one.range(0, 4);
  uint64_t p1 = one.at(63).create(pieces, 1);
  one.range(4, 4).at(65).taskloop_end();
  one.at(70).wait_begin(barrier);
  other.at(71).wait_begin(barrier);
  worker.at(80).start(t[2]).at(82).end();
  worker.at(84).start(t[0]);
  uint64_t child0 = worker.at(86).create(task, 1), child1 = worker.at(88).create(task, 1);
  worker.at(90).end();
  worker.at(92).start(child1).at(94).end();
  worker.at(95).start(child0).at(97).end();
  worker.at(99).start(p1).at(100).end();
  worker.at(101).start(p0).at(102).end();
  worker.at(103).start(t[1]).at(104).end();
  one.at(110).wait_end();
  other.at(110).wait_end();
  Script& even = swap_chunks ? b : a;
  Script& odd = swap_chunks ? a : b;
  even.at(120).loop_begin(loop, 8, 2);
  odd.at(121).loop_begin(loop, 8, 2);
  for (uint32_t first = 0; first < 8; first += 2) {
    Script& s = first % 4 ? odd : even;
    s.at(130 + first).chunk(first);
    s.create(task, 0);
    s.at(131 + first).chunk_end();
  }
  for (Script* s : {&a, &b}) {
    s->at(150).loop_end().wait_begin(end);
    s->at(160).wait_end().implicit_end();
  }
  a.at(170).region_end().thread_end();
  Loaded l = load_file(file);
  EXPECT_TRUE(l.ok);
  return l.profile;
}

TEST(Identity, DoesNotDependOnTheSchedule) {
  profile::Profile first = run(0, false, false);
  EXPECT_EQ(first.totals.tasks, 11u);
  EXPECT_EQ(first.totals.chunks, 4u);
  for (int solo : {0, 1})
    for (bool stolen : {false, true})
      for (bool swap : {false, true}) {
        profile::Profile p = run(solo, stolen, swap);
        for (GrainKind kind : {GrainKind::task, GrainKind::chunk, GrainKind::implicit, GrainKind::share})
          EXPECT_EQ(ids(p, kind), ids(first, kind))
              << solo << stolen << swap << " " << profile::kGrainKindNames[int(kind)];
      }
}

TEST(Identity, IsUnique) {
  for (const profile::Profile& p : {run(0, true, false), load_file(rich_recording()).profile}) {
    std::set<std::pair<uint64_t, uint64_t>> seen;
    for (const Grain& g : p.grains)
      EXPECT_TRUE(seen.insert({g.id_high, g.id_low}).second) << profile::kGrainKindNames[int(g.kind)];
  }
}

// What both members of a team create between the same barriers hangs off each of them.
TEST(Identity, TellsMembersApartThatBothCreate) {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), task = file.site(Construct::task, 0x2000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 5);
  uint64_t region = a.new_region();
  a.at(10).region_begin(parallel, region, 2).at(20).implicit_begin(0, region);
  b.at(22).implicit_begin(1, region);
  a.at(30).start(a.at(25).create(task, 1)).at(40).end().at(50).implicit_end().region_end().thread_end();
  b.at(30).start(b.at(25).create(task, 1)).at(40).end().at(50).implicit_end();
  Loaded l = load_file(file);
  Ids tasks = ids(l.profile, GrainKind::task);
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_NE(*tasks.begin(), *std::next(tasks.begin()));
}

TEST(Identity, HashMixesWell) {
  // Every one of a million neighbouring names differs, in either half.
  std::set<uint64_t> high, low;
  profile::GrainId root = derive({}, profile::IdKind::initial, 0);
  for (uint64_t a = 0; a < 1000; ++a)
    for (uint64_t b = 0; b < 100; ++b) {
      profile::GrainId id = derive(derive(root, profile::IdKind::task, 0, a), profile::IdKind::task, 0, b);
      high.insert(id.high);
      low.insert(id.low);
    }
  EXPECT_EQ(high.size(), 100000u);
  EXPECT_EQ(low.size(), 100000u);
}

}  // namespace
}  // namespace einkorn
