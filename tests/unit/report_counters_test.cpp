// What threads' counters have seen: whose it is, and of whom it is not known.
#include "../golden/grain_writer.h"
#include "profile_support.h"
#include "report/counters.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace einkorn {
namespace {

using namespace test;
using profile::GrainKind;
using record::Counter;
using record::kUncounted;

constexpr uint32_t kTorn = 1u << 16;

// A record before the next one: the bits of the counters that have a word.
void counts(Script& t, uint32_t payload, std::vector<uint64_t> words) { t.put(Kind::counters, payload, words); }

struct File {
  GrainFile file;
  uint32_t parallel, task, wait, critical;
  Script* main;
  File() {
    file.meta = R"({"program":"golden","counters":["cycles","instructions","page_faults"],
                    "absent_counters":{"llc_misses":"no_pmu","migrations":"paranoid","later":"no_pmu"}})";
    file.end_tick = 1000;
    parallel = file.site(Construct::parallel, 0x1000);
    task = file.site(Construct::task, 0x2000);
    wait = file.site(Construct::taskwait, 0, 0x3000);
    critical = file.site(Construct::critical, 0, 0x4000);
    main = &file.thread(Script::kInitial);
  }
  // Up to the region's code.
  uint64_t begin() {
    counts(main->at(100), 7, {1000, 2000, 3});
    const uint64_t region = main->new_region();
    main->region_begin(parallel, region, 1);
    counts(main->at(110), 1, {50});
    main->implicit_begin(0, region);
    return region;
  }
  void end() {
    counts(main->at(900), 2, {70});
    main->implicit_end();
    counts(main->at(910), 1, {20});
    main->region_end();
    counts(main->at(990), 1, {11});
    main->thread_end();
  }
};

uint32_t grain_of(const profile::Profile& p, GrainKind kind, uint32_t which = 0) {
  for (uint32_t g = 0; g < p.grains.size(); ++g)
    if (p.grains[g].kind == kind && which-- == 0) return g;
  ADD_FAILURE() << "no such grain";
  return 0;
}

TEST(Counters, BelongToWhomTheThreadWorkedFor) {
  File f;
  f.begin();
  const uint64_t id = f.main->at(200).create(f.task, 10);
  counts(f.main->at(300), 7, {400, 500, 1});
  f.main->wait_begin(f.wait);
  counts(f.main->at(310), 1, {33});
  f.main->start(id);
  counts(f.main->at(350), 3, {100, 10});
  f.main->mutex_wait(f.critical, 0x99);
  counts(f.main->at(360), 1, {5000});
  f.main->mutex_acquired(f.critical, 0x99);
  f.main->at(370).mutex_released(0x99);
  counts(f.main->at(400), 7, {200, 20, 4});
  f.main->end();
  counts(f.main->at(410), 1, {44});
  f.main->wait_end();
  f.end();
  Loaded l = load_file(f.file);
  ASSERT_TRUE(l.ok);
  const profile::Profile& p = l.profile;
  const uint32_t task = grain_of(p, GrainKind::task), before = grain_of(p, GrainKind::share),
                 after = grain_of(p, GrainKind::share, 1);
  EXPECT_EQ(p.counted.of(0, Counter::cycles), 1011u);
  EXPECT_EQ(p.counted.of(0, Counter::instructions), 2000u);
  EXPECT_EQ(p.counted.of(task, Counter::cycles), 300u);  // not while it waited for the lock
  EXPECT_EQ(p.counted.of(task, Counter::instructions), 30u);
  EXPECT_EQ(p.counted.of(task, Counter::page_faults), 4u);
  EXPECT_EQ(p.counted.of(before, Counter::cycles), 400u);
  EXPECT_EQ(p.counted.of(after, Counter::cycles), 0u);
  EXPECT_EQ(p.counted.of(after, Counter::instructions), 70u);
  EXPECT_EQ(p.counted.of(task, Counter::llc_misses), kUncounted);
  EXPECT_EQ(p.counted.elsewhere.values[0], 50u + 33 + 5000 + 44 + 20);
  ASSERT_EQ(p.counted.absent.size(), 2u);
  EXPECT_EQ(p.counted.absent[0].counter, Counter::llc_misses);
  EXPECT_EQ(p.counted.absent[0].why, record::Absence::no_pmu);

  const report::SourceCounts all = report::all_counts(p);
  EXPECT_EQ(all.grains, 3u);
  EXPECT_EQ(all.of_all(p.counted, Counter::cycles), 700u);
  const std::string text = report::text_report(p, {});
  EXPECT_NE(text.find("IPC"), std::string::npos) << text;  // of all grains: 600 instructions in 700 cycles
  EXPECT_NE(text.find("0.857"), std::string::npos) << text;
  EXPECT_EQ(text.find("misses/1000"), std::string::npos);
  EXPECT_NE(text.find("What the counters saw"), std::string::npos);
  EXPECT_NE(text.find("not counted: llc-misses: this machine shows no counters"), std::string::npos) << text;
  EXPECT_NE(text.find("not counted: migrations: "), std::string::npos);
}

// What a missing stretch did to the counts of whom is not known: nobody's are wrong, some are absent.
TEST(Counters, AreAbsentOfGrainsOfWhichSomethingIsMissing) {
  File f;
  f.begin();
  const uint64_t one = f.main->at(120).create(f.task, 10), two = f.main->at(140).create(f.task, 10),
                 three = f.main->at(160).create(f.task, 10);
  counts(f.main->at(200), 1, {400});
  f.main->wait_begin(f.wait);
  counts(f.main->at(210), 1, {1});
  f.main->start(one);
  f.main->at(250).loss(30, 0, 0, 0, 0);
  counts(f.main->at(300), 1, {77});
  f.main->end();
  counts(f.main->at(310), 1, {1});
  f.main->start(two);
  counts(f.main->at(350), 7, {55, kUncounted, 2});
  f.main->end();
  counts(f.main->at(360), 1, {1});
  f.main->start(three);
  counts(f.main->at(370), kTorn | 1, {1});
  f.main->end();
  counts(f.main->at(380), 1, {1});
  f.main->wait_end();
  f.end();
  Loaded l = load_file(f.file);
  ASSERT_TRUE(l.ok);
  const profile::Profile& p = l.profile;
  EXPECT_EQ(p.counted.of(grain_of(p, GrainKind::task, 0), Counter::cycles), kUncounted);
  EXPECT_EQ(p.counted.of(grain_of(p, GrainKind::task, 1), Counter::cycles), 55u);
  EXPECT_EQ(p.counted.of(grain_of(p, GrainKind::task, 1), Counter::instructions), kUncounted);
  EXPECT_EQ(p.counted.of(grain_of(p, GrainKind::task, 1), Counter::page_faults), 2u);
  EXPECT_EQ(p.counted.of(grain_of(p, GrainKind::task, 2), Counter::cycles), kUncounted);
  EXPECT_EQ(p.counted.of(0, Counter::cycles), 1011u);
  const report::SourceCounts all = report::all_counts(p);
  EXPECT_EQ(all.of_all(p.counted, Counter::cycles), kUncounted);
}

// What was not recorded one by one was counted together with the code around it.
TEST(Counters, AreNotToldApartInWhatIsAggregated) {
  File f;
  f.begin();
  counts(f.main->at(300), 1, {900});
  f.main->put(Kind::aggregate, 5, {190, 100, 10, 0, 0});
  counts(f.main->at(400), 1, {10});
  f.main->wait_begin(f.wait);
  counts(f.main->at(410), 1, {10});
  f.main->wait_end();
  f.end();
  Loaded l = load_file(f.file);
  ASSERT_TRUE(l.ok);
  const profile::Profile& p = l.profile;
  EXPECT_EQ(p.counted.of(grain_of(p, GrainKind::share, 0), Counter::cycles), kUncounted);
  EXPECT_EQ(p.counted.of(grain_of(p, GrainKind::share, 1), Counter::instructions), 70u);
  EXPECT_EQ(p.counted.elsewhere.values[0], 50u + 900 + 10 + 20);
}

TEST(Counters, EstimatesAreMarked) {
  File f;
  f.begin();
  counts(f.main->at(300), 3 | 1 << 8, {900, 10});
  f.main->wait_begin(f.wait);
  f.main->at(410).wait_end();
  f.end();
  Loaded l = load_file(f.file);
  ASSERT_TRUE(l.ok);
  const report::SourceCounts all = report::all_counts(l.profile);
  EXPECT_EQ(all.sum.estimated, 1u);
  const std::string json = report::json_report(l.profile), text = report::text_report(l.profile, {});
  EXPECT_NE(json.find("\"estimated\": ["), std::string::npos);
  EXPECT_NE(text.find("~900"), std::string::npos) << text;
}

// A file may claim anything.
TEST(Counters, OfADamagedFileDoNoHarm) {
  File f;
  f.file.meta = R"({"counters":["cycles","cycles","cycles","cycles","cycles","cycles","cycles","cycles","cycles"]})";
  f.begin();
  counts(f.main->at(300), 0xffff00ffu, std::vector<uint64_t>(8, uint64_t(1) << 63));
  counts(f.main->at(300), 0xffu, std::vector<uint64_t>(8, uint64_t(1) << 63));
  f.end();
  Loaded l = load_file(f.file);
  ASSERT_TRUE(l.ok);
  EXPECT_FALSE(l.profile.counted.any());
  f.file.meta = R"({"counters":["cycles",7]})";
  l = load_file(f.file);
  ASSERT_TRUE(l.ok);
  EXPECT_FALSE(l.profile.counted.any());
  f.file.meta = R"({"counters":["cycles"],"absent_counters":[1]})";
  l = load_file(f.file);
  ASSERT_TRUE(l.ok);
  EXPECT_TRUE(l.profile.counted.any());
}

}  // namespace
}  // namespace einkorn
