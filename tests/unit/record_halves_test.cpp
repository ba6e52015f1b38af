// Records in half a word: what fits, what does not, the begin of a block, and damage.
#include <cstdlib>
#include <ctime>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include "record/halves.h"
#include "record/recorder.h"
#include "record/stream.h"
#include "record_child.h"
#include "record_reader.h"

namespace einkorn::record {
namespace {

constexpr uint64_t kNoRecord = ~0ull;

// A payload of these units behind `started`, expanded.
std::vector<uint64_t> expand(Started started, const std::vector<Unit>& units) {
  std::string payload(reinterpret_cast<const char*>(&started), sizeof started);
  payload.append(reinterpret_cast<const char*>(units.data()), units.size() * sizeof(Unit));
  std::vector<uint64_t> words(expanded_bound(payload.size()));
  words.resize(expand_halves(payload.data(), payload.size(), words.data()));
  return words;
}

std::vector<Unit> units_of(uint64_t w) { return {Unit(w), Unit(w >> 32)}; }

TEST(RecordHalves, EachFieldAtItsEnds) {
  const Started started{5000, make_id(3, 7000)};
  for (int i = 0; i < 8; ++i) {
    const Half h = Half(kFirstHalf + i);
    const HalfForm& form = form_of(h);
    const uint64_t most_ticks = (1ull << form.delta_bits) - 1, most = (1ull << payload_bits(h)) - 1;
    EXPECT_EQ(form.delta_bits + payload_bits(h), 26);
    EXPECT_EQ(payload_bits(h) == 0, form.payload == HalfPayload::none);
    EXPECT_TRUE(fits_half(h, most_ticks, most));
    EXPECT_FALSE(fits_half(h, most_ticks + 1, 0));
    EXPECT_FALSE(fits_half(h, 0, most + 1));
    for (uint64_t ticks : {uint64_t(0), uint64_t(1), most_ticks}) {
      for (uint64_t payload : {uint64_t(0), most / 2, most}) {
        const Unit u = half(h, ticks, uint32_t(payload));
        ASSERT_TRUE(is_half(u));
        const uint64_t distance = payload - kDistanceBias;
        std::vector<uint64_t> expected;
        switch (form.payload) {
          case HalfPayload::own_task: expected = {pack(form.kind, ticks, uint32_t(started.own + distance))}; break;
          case HalfPayload::other_task: expected = {pack(form.kind, ticks, 0), started.other + distance}; break;
          default: expected = {pack(form.kind, ticks, uint32_t(payload))};
        }
        EXPECT_EQ(expand(started, {u}), expected) << i << " " << ticks << " " << payload;
      }
    }
  }
}

TEST(RecordHalves, WholeWordsAreWhatTheyWere) {
  for (int k = 0; k < kFirstHalf; ++k) {
    const int extra = extra_words(Kind(k), 0);
    EXPECT_FALSE(is_half(Unit(k) | 0xffffffc0)) << k;
    if (extra < 0) continue;
    const bool counts = Kind(k) == Kind::depend || Kind(k) == Kind::counters;  // the words that follow
    std::vector<uint64_t> words = {pack(Kind(k), kMaxDelta, counts ? 0 : ~0u)};
    for (int i = 0; i < extra; ++i) words.push_back(~0ull - uint64_t(i));
    std::vector<Unit> units;
    for (uint64_t w : words) units.insert(units.end(), {Unit(w), Unit(w >> 32)});
    EXPECT_EQ(expand({}, units), words) << k;
    units.pop_back();
    EXPECT_EQ(expand({}, units), std::vector<uint64_t>{kNoRecord}) << k;
  }
}

// A word names its task in full, and the next half counts from there. Serials wrap at 32 bits.
TEST(RecordHalves, TasksAreNamedByTheOneBefore) {
  std::vector<Unit> units = units_of(pack(Kind::task_start, 1, 0xffffffff));
  units.push_back(half(Half::task_run, 2, kDistanceBias + 3));
  units.push_back(half(Half::task_next, 0, kDistanceBias - 3));
  for (uint64_t w : {pack(Kind::task_start_other, 1, 0), make_id(9, 100)})
    units.insert(units.end(), {Unit(w), Unit(w >> 32)});
  units.push_back(half(Half::task_start_other, 4, kDistanceBias - 2));
  units.push_back(half(Half::task_start, 5, kDistanceBias));
  EXPECT_EQ(expand({}, units),
            (std::vector<uint64_t>{pack(Kind::task_start, 1, 0xffffffff), pack(Kind::task_run, 2, 2),
                                   pack(Kind::task_next, 0, 0xffffffff), pack(Kind::task_start_other, 1, 0),
                                   make_id(9, 100), pack(Kind::task_start_other, 4, 0), make_id(9, 98),
                                   pack(Kind::task_start, 5, 0xffffffff)}));
}

TEST(RecordHalves, WhatIsNoRecordEndsTheBlock) {
  const Unit end = half(Half::task_end, 7, 0);
  EXPECT_EQ(expand({}, {end, 3}), (std::vector<uint64_t>{pack(Kind::task_end, 7, 0), kNoRecord}));  // half a word
  EXPECT_EQ(expand({}, {end, 50, 0, end}),
            (std::vector<uint64_t>{pack(Kind::task_end, 7, 0), kNoRecord}));  // an unknown kind
  EXPECT_EQ(expand({}, {}), std::vector<uint64_t>{});
  uint64_t words[64];
  for (size_t bytes : {0u, 1u, 15u, 17u, 21u}) {
    const std::string payload(bytes, '\0');
    EXPECT_EQ(expand_halves(payload.data(), bytes, words), 1u) << bytes;
    EXPECT_EQ(words[0], kNoRecord);
  }
}

TEST(RecordHalves, DamageStaysWithinItsRoom) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    // Buffers of exactly that size: a sanitizer sees a byte too far.
    const size_t bytes = random() % 300;
    auto in = std::make_unique<unsigned char[]>(bytes);
    auto out = std::make_unique<uint64_t[]>(expanded_bound(bytes));
    for (size_t b = 0; b < bytes; ++b) in[b] = static_cast<unsigned char>(random() % 3 ? random() : random() | 56);
    ASSERT_LE(expand_halves(in.get(), bytes, out.get()), expanded_bound(bytes));
  }
}

// The records of thread 0 without the recorder's own.
std::vector<TestRecord> recorded(TestFile& f) {
  auto all = f.records(0);
  std::erase_if(all, [](const TestRecord& r) {
    return r.kind == Kind::recorder || r.kind == Kind::cpu || r.kind == Kind::cpu_time;
  });
  return all;
}

// What a stream makes of values at the ends of each field, and beyond them.
TEST(RecordHalves, AStreamTakesAWordWhereAHalfIsTooSmall) {
  TempDir dir;
  const std::string path = dir.file("a.grain");
  const uint64_t gaps[] = {0, 1, (1 << 14) - 1, 1 << 14, (1 << 16) - 1, 1 << 16, (1 << 26) - 1, 1 << 26};
  const uint32_t sites[] = {0, 1, 1023, 1024, 65535, 65536};
  const uint64_t serials[] = {1, 2, 1, 2048, 4095, 2047, 4096, 2046, 1ull << 32 | 5, 0xffffffff, 7};
  struct Expected {
    Kind kind;
    uint64_t tick;
    uint32_t payload;
    uint64_t id;
  };
  // The same program twice: in the child with a stream, here with none.
  auto program = [&](Stream* s, std::vector<Expected>* e) {
    uint64_t t = 0, begin = s ? einkorn::ticks() + 1000 : 0;
    auto told = [&](Kind k, uint32_t payload, uint64_t id = 0) {
      if (e) e->push_back({k, t, payload, id});
    };
    for (uint64_t gap : gaps) {
      for (uint32_t site : sites) {
        t += gap;
        if (s) s->task_create(0, begin + t, site);
        told(Kind::task_create_brief, site);
        t += gap;
        if (s) s->wait_begin(begin + t, site);
        told(Kind::wait_begin, site);
        t += gap;
        if (s) s->task_end(begin + t);
        told(Kind::task_end, 0);
      }
      for (uint64_t serial : serials) {
        t += gap;
        if (s) s->task_start(begin + t, make_id(0, serial));
        told(Kind::task_start, uint32_t(serial));
        t += gap;
        if (s) s->task_start(begin + t, make_id(1, serial));
        told(Kind::task_start_other, 0, make_id(1, serial));
      }
    }
    if (s) s->task_start(begin + t - 1, make_id(2, 1));  // another CPU's clock: never backwards
    told(Kind::task_start_other, 0, make_id(2, 1));
  };
  auto result = in_child([&] {
    start({.path = path.c_str()});
    Stream* s = open_stream(true);
    program(s, nullptr);
    close_stream(s);
    finish();
  });
  ASSERT_TRUE(result.ok());
  TestFile f = read_grain(path);
  auto records = recorded(f);
  ASSERT_FALSE(f.bad) << f.error;
  std::vector<Expected> expected;
  program(nullptr, &expected);
  ASSERT_EQ(records.size(), expected.size() + 1);  // and the thread's end
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(records[i].kind, expected[i].kind) << i;
    EXPECT_EQ(records[i].tick - records[0].tick, expected[i].tick) << i;
    EXPECT_EQ(records[i].payload, expected[i].payload) << i;
    if (expected[i].id) {
      EXPECT_EQ(records[i].extra.at(0), expected[i].id) << i;
    }
  }
}

// A creation that is timed begins where it began, also where the CPU time is read at its end.
TEST(RecordHalves, ATimedCreationKeepsItsBegin) {
  TempDir dir;
  const std::string path = dir.file("a.grain");
  auto begin_of = [](uint64_t i) {
    return i * 40'000'000;
  };  // apart enough for a sample each time that brief tasks look
  auto result = in_child([&] {
    start({.path = path.c_str(), .stamps = Stamps::shared});
    Stream* s = open_stream(true);
    const uint64_t base = einkorn::ticks() + 1000;
    for (uint64_t i = 1; i <= 300; ++i) s->task_create(base + begin_of(i), base + begin_of(i) + 5000 + i, 1);
    close_stream(s);
    finish();
  });
  ASSERT_TRUE(result.ok());
  TestFile f = read_grain(path);
  uint64_t created = 0, first = 0, samples = 0;
  for (const TestRecord& r : f.records(0)) {
    if (r.kind == Kind::cpu_time) samples += created > 0;
    if (r.kind != Kind::task_create) continue;
    if (++created == 1) first = r.tick;
    EXPECT_EQ(r.tick - first, begin_of(created) - begin_of(1));
    EXPECT_EQ(r.payload >> 16, 5000 + created);
  }
  EXPECT_FALSE(f.bad) << f.error;
  EXPECT_EQ(created, 300u);
  EXPECT_GE(samples, 3u);  // of 64 events each
}

// What the writer takes out of the middle of a buffer begins with the tasks started before; what goes on after a loss
// with none.
TEST(RecordHalves, BlocksBeginAnywhere) {
  TempDir dir;
  const std::string path = dir.file("a.grain");
  constexpr int kTasks = 100000;
  for (bool losses : {false, true}) {
    const std::string file = path + (losses ? "l" : "");
    auto result = in_child([&] {
      start({.path = file.c_str(), .memory_bytes = losses ? 0ull : 256ull << 20});
      Stream* s = open_stream(true);
      for (uint64_t i = 1; i <= kTasks; ++i) {
        if (losses && i % 25000 == 1) stall_writer_for_test(i % 50000 == 1);
        if (!losses && i % 4999 == 0) control(3, s);
        uint64_t t = einkorn::ticks();
        s->task_create(0, t, 1);
        s->task_start(t, i % 3 ? make_id(0, i) : make_id(1, 3 * i));
        s->task_end(t);
      }
      stall_writer_for_test(false);
      close_stream(s);
      finish();
    });
    ASSERT_TRUE(result.ok());
    TestFile f = read_grain(file);
    auto records = recorded(f);
    EXPECT_FALSE(f.bad) << f.error;
    EXPECT_GE(f.of(BlockType::events).size(), losses ? 3u : 20u);
    uint64_t serial = 0, started = 0, lost = 0;
    for (const TestRecord& r : records) {
      if (r.kind == Kind::task_create_brief) ++serial;
      if (r.kind == Kind::loss) serial += r.extra.at(1), lost += r.extra.at(1);
      if (r.kind == Kind::task_start) {
        EXPECT_EQ(r.payload, serial);
      }
      if (r.kind == Kind::task_start_other) {
        EXPECT_EQ(r.extra.at(0), make_id(1, 3 * serial));
      }
      started += r.kind == Kind::task_start || r.kind == Kind::task_start_other;
    }
    EXPECT_EQ(serial, uint64_t(kTasks));
    EXPECT_EQ(lost > 0, losses);
    EXPECT_GT(started, 100u);
  }
}

}  // namespace
}  // namespace einkorn::record
