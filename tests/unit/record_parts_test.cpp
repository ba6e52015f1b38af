// The recorder's parts by themselves: names, JSON, checksums, sites, clock.
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include "base/clock.h"
#include "record/crc32c.h"
#include "record/file_name.h"
#include "record/meta.h"
#include "record/packed.h"
#include "record/sites.h"
#include "record/stream.h"
#include "record_child.h"
#include "record_reader.h"

namespace einkorn::record {
namespace {

TEST(RecordChecksum, KnownValues) {
  // RFC 3720, B.4, and the check value of the CRC catalogues.
  EXPECT_EQ(crc32c(0, "123456789", 9), 0xe3069283u);
  EXPECT_EQ(crc32c_table(0, "123456789", 9), 0xe3069283u);
  std::string zeros(32, '\0'), ones(32, '\xff');
  EXPECT_EQ(crc32c(0, zeros.data(), 32), 0x8a9136aau);
  EXPECT_EQ(crc32c(0, ones.data(), 32), 0x62a8ab43u);
}

TEST(RecordChecksum, InstructionAndTableAgreeInPieces) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += char(i * 7 + i / 3);
  for (size_t n : {0u, 1u, 7u, 8u, 9u, 63u, 1000u}) {
    uint32_t whole = crc32c(0, text.data(), n);
    EXPECT_EQ(whole, crc32c_table(0, text.data(), n));
    EXPECT_EQ(whole, crc32c(crc32c(0, text.data(), n / 3), text.data() + n / 3, n - n / 3));
  }
}

TEST(RecordPacked, RoundTripOfAnyWords) {
  std::mt19937_64 random(1);
  for (size_t count : {0u, 1u, 2u, 3u, 100u, 16001u}) {
    for (int shift : {0, 20, 33, 50, 63}) {
      std::vector<uint64_t> words(count), back(count);
      for (auto& w : words) w = random() >> (random() % unsigned(shift + 1));
      std::vector<unsigned char> packed(packed_bound(count));
      size_t n = pack_words(words.data(), count, packed.data());
      ASSERT_LE(n, packed.size());
      ASSERT_TRUE(unpack_words(packed.data(), n, back.data(), count));
      EXPECT_EQ(words, back);
      // Neither more nor less than what was packed.
      if (n) {
        EXPECT_FALSE(unpack_words(packed.data(), n - 1, back.data(), count));
      }
      EXPECT_FALSE(unpack_words(packed.data(), n + 1, back.data(), count) && n + 1 < packed.size());
      if (count) {
        EXPECT_FALSE(unpack_words(packed.data(), n, back.data(), count - 1));
      }
    }
  }
}

TEST(RecordPacked, DamageIsToldOrHarmless) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    // Buffers of exactly that size: a sanitizer sees a byte too far.
    size_t bytes = random() % 200, count = random() % 64;
    auto in = std::make_unique<unsigned char[]>(bytes);
    auto out = std::make_unique<uint64_t[]>(count);
    for (size_t b = 0; b < bytes; ++b) in[b] = static_cast<unsigned char>(random());
    for (Codec codec : {Codec::raw, Codec::zstd, Codec::packed, Codec::packed_zstd, Codec::halves, Codec(77)}) {
      decode_payload(codec, in.get(), bytes, out.get(), count * 8);
    }
  }
  uint64_t out[1];
  EXPECT_FALSE(decode_payload(Codec(77), "", 0, out, 0));
  EXPECT_FALSE(decode_payload(Codec::raw, "x", 1, out, 8));
}

std::string json(const std::string& s) {
  char memory[256];
  TextBuffer out(memory, sizeof memory);
  put_json_string(out, s.data(), s.size());
  return out.c_str();
}

TEST(RecordJson, Escapes) {
  EXPECT_EQ(json("plain"), "\"plain\"");
  EXPECT_EQ(json("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(json(std::string("\0\n\t\x1f\x7f", 5)), "\"\\u0000\\u000a\\u0009\\u001f\\u007f\"");
  EXPECT_EQ(json("gr\xc3\xbc\xc3\x9f"), "\"gr\xc3\xbc\xc3\x9f\"");
  EXPECT_EQ(json("\xf0\x9f\x8c\xbe"), "\"\xf0\x9f\x8c\xbe\"");
}

TEST(RecordJson, WhatIsNotUtf8IsReplaced) {
  const std::string r = "\xef\xbf\xbd";
  EXPECT_EQ(json("\xff"), '"' + r + '"');
  EXPECT_EQ(json("a\xc3"), "\"a" + r + '"');                       // cut off
  EXPECT_EQ(json("\xc0\xaf"), '"' + r + r + '"');                  // overlong
  EXPECT_EQ(json("\xe0\x80\xaf"), '"' + r + r + r + '"');          // overlong
  EXPECT_EQ(json("\xed\xa0\x80"), '"' + r + r + r + '"');          // surrogate
  EXPECT_EQ(json("\xf4\x90\x80\x80"), '"' + r + r + r + r + '"');  // beyond U+10FFFF
  EXPECT_EQ(json("\x80x"), '"' + r + "x\"");
}

TEST(RecordNames, Placeholders) {
  char memory[512], host[256] = "";
  gethostname(host, sizeof host - 1);
  auto expand = [&](const char* pattern) {
    TextBuffer out(memory, sizeof memory);
    return expand_name(pattern, getpid(), out) ? std::string(out.c_str()) : "too long";
  };
  unsetenv("PMI_RANK");
  unsetenv("OMPI_COMM_WORLD_RANK");
  unsetenv("PMIX_RANK");
  unsetenv("SLURM_PROCID");
  EXPECT_EQ(expand("/a/%h.%p.%r.grain"), std::string("/a/") + host + "." + std::to_string(getpid()) + ".0.grain");
  setenv("SLURM_PROCID", "12", 1);
  EXPECT_EQ(expand("/a/%r"), "/a/12");
  setenv("OMPI_COMM_WORLD_RANK", "3", 1);
  EXPECT_EQ(expand("/a/%r"), "/a/3");
  setenv("OMPI_COMM_WORLD_RANK", "nonsense", 1);
  EXPECT_EQ(expand("/a/%r"), "/a/12");
  unsetenv("OMPI_COMM_WORLD_RANK");
  unsetenv("SLURM_PROCID");
  EXPECT_EQ(expand("/a/100%%%"), "/a/100%%");
  EXPECT_EQ(expand("/a/%x"), "/a/%x");
  EXPECT_EQ(expand("b.grain"), std::filesystem::current_path().string() + "/b.grain");
  EXPECT_EQ(expand(("/" + std::string(600, 'x')).c_str()), "too long");
}

TEST(RecordNames, Alternatives) {
  char memory[64];
  auto alternative = [&](const char* name, int attempt) {
    TextBuffer out(memory, sizeof memory);
    return alternative_name(name, 123, attempt, out) ? std::string(out.c_str()) : "too long";
  };
  EXPECT_EQ(alternative("/d/app.grain", 1), "/d/app.123.grain");
  EXPECT_EQ(alternative("/d/app.grain", 2), "/d/app.123.2.grain");
  EXPECT_EQ(alternative("/d.x/app", 1), "/d.x/app.123");
  EXPECT_EQ(alternative("/d/.hidden", 1), "/d/.hidden.123");
}

TEST(RecordNames, SecondProcessTakesAnotherName) {
  TempDir dir;
  std::string path = dir.file("app.grain");
  auto record = [&] {
    start({.path = path.c_str()});
    Stream* s = open_stream(true);
    close_stream(s);
    finish();
  };
  EXPECT_TRUE(in_child(record).ok());
  EXPECT_TRUE(in_child(record).ok());
  int files = 0;
  for (auto& f : std::filesystem::directory_iterator(dir.path())) {
    ++files;
    TestFile grain = read_grain(f.path());
    EXPECT_FALSE(grain.bad) << grain.error;
    EXPECT_EQ(grain.of(BlockType::end).size(), 1u);
  }
  EXPECT_EQ(files, 2);
}

TEST(RecordNames, NoOpenMPNoFileAndNoMovingDirectory) {
  TempDir dir;
  EXPECT_TRUE(in_child([&] {
                if (chdir(dir.path().c_str()) != 0) _exit(1);
                start({.path = "rel.grain"});
                if (!recording()) _exit(2);
                finish();
              }).ok());
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
  EXPECT_TRUE(in_child([&] {
                if (chdir(dir.path().c_str()) != 0) _exit(1);
                start({.path = "rel.grain"});
                if (chdir("/") != 0) _exit(1);
                close_stream(open_stream(true));
                finish();
              }).ok());
  EXPECT_TRUE(std::filesystem::exists(dir.file("rel.grain")));
}

TEST(RecordSites, DenseBoundedAndTheSameForAllThreads) {
  SiteTable table;
  ASSERT_TRUE(table.create());
  constexpr int kThreads = 4, kSites = 3000;
  std::vector<std::vector<uint32_t>> ids(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < kSites; ++i) {
        uint64_t at = 0x1000 + (t % 2 ? kSites - 1 - i : i) * 8;
        ids[t].push_back(table.find_or_add(Construct::task, 0, reinterpret_cast<void*>(at), nullptr, ";a;b;1;1;;"));
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(table.count(), uint32_t(kSites));
  for (int i = 0; i < kSites; ++i) {
    EXPECT_EQ(ids[0][i], ids[2][i]);
    EXPECT_EQ(ids[0][i], ids[1][kSites - 1 - i]);
    EXPECT_EQ(table.get(ids[0][i]).function, 0x1000u + uint64_t(i) * 8);
  }
  for (uint64_t i = 0; i < SiteTable::kMaxSites + 100; ++i) {
    table.find_or_add(Construct::loop, 0, nullptr, reinterpret_cast<void*>(i + 1), nullptr);
  }
  EXPECT_EQ(table.count(), SiteTable::kMaxSites);
  EXPECT_EQ(table.find_or_add(Construct::critical, 0, nullptr, nullptr, nullptr), 0u);
  EXPECT_EQ(table.find_or_add(Construct::task, 0, reinterpret_cast<void*>(0x1000), nullptr, nullptr), ids[0][0]);
}

TEST(RecordClock, TicksKeepTimeWithTheSystem) {
  einkorn::clock_init();
  // Between two readings of the ticks each: however long this thread has no CPU amid them, the system's time is
  // between.
  struct Reading {
    uint64_t before, after;
    timespec system;
  };
  auto read = [] {
    Reading r;
    r.before = einkorn::ticks();
    clock_gettime(CLOCK_MONOTONIC_RAW, &r.system);
    r.after = einkorn::ticks();
    return r;
  };
  const Reading a = read();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const Reading b = read();
  const double real = double(b.system.tv_sec - a.system.tv_sec) + double(b.system.tv_nsec - a.system.tv_nsec) * 1e-9;
  EXPECT_LE(double(b.before - a.after) / double(einkorn::ticks_per_second()), real * 1.005);
  EXPECT_GE(double(b.after - a.before) / double(einkorn::ticks_per_second()), real * 0.995);
}

TEST(RecordClock, NanosecondsInTicks) {
  einkorn::clock_init();
  for (uint64_t ns : {10'000, 5'000'000, 1'000'000'000}) {
    const double ticks = double(ns) * double(einkorn::ticks_per_second()) * 1e-9;
    EXPECT_NEAR(double(einkorn::in_ticks(ns)), ticks, 1 + ticks * 0.001);
  }
}

// Printed, not asserted: the machine may be busy. CPU time, the writer's included.
TEST(RecordCost, PerRecord) {
  TempDir dir;
  auto result = in_child([&] {
    auto cpu = [](int who) {
      rusage u;
      getrusage(who, &u);
      return double(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + double(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
    };
    start({.path = dir.file("a.grain").c_str()});
    Stream* s = open_stream(true);
    constexpr int kRounds = 500000, kRecords = 4;
    double process = cpu(RUSAGE_SELF), thread = cpu(RUSAGE_THREAD);
    for (int i = 0; i < kRounds; ++i) {
      uint64_t t = einkorn::ticks();
      s->task_create(t, t + 20 + (t & 7), 1);
      s->task_start(t + 30, s->last_task_id());
      s->task_end(t + 45 + (t & 15));
      s->wait_begin(t + 50, 2);
    }
    double producer = cpu(RUSAGE_THREAD) - thread;
    close_stream(s);
    finish();
    double all = cpu(RUSAGE_SELF) - process;
    fprintf(
        stderr,
        "%.1f ns a record in the program, %.1f with the writer; one clock reading in %d records; %.1f bytes on disk",
        producer / kRounds / kRecords * 1e9, all / kRounds / kRecords * 1e9, kRecords,
        double(std::filesystem::file_size(dir.file("a.grain"))) / kRounds / kRecords);
  });
  EXPECT_TRUE(result.ok());
  printf("[ MEASURED ] %s\n", result.stderr_text.c_str());
}

}  // namespace
}  // namespace einkorn::record
