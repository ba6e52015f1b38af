// What goes in comes out: every record, the sites, the process, the ends.
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include "record/recorder.h"
#include "record/stream.h"
#include "record_child.h"
#include "record_reader.h"
#include "record_replay.h"

namespace einkorn::record {
namespace {

const void* address(uint64_t a) { return reinterpret_cast<const void*>(a); }

// Records at these times must come back so: [kind, tick, payload, extra...], recorder and cpu samples left out.
std::vector<TestRecord> without_samples(std::vector<TestRecord> all) {
  std::erase_if(all, [](const TestRecord& r) {
    return r.kind == Kind::recorder || r.kind == Kind::cpu || r.kind == Kind::cpu_time;
  });
  return all;
}

TEST(RecordRoundTrip, EveryKind) {
  TempDir dir;
  std::string path = dir.file("a.grain");
  uint64_t t0 = 0;  // of the child; only differences are compared
  (void)t0;
  auto result = in_child([&] {
    start({.path = path.c_str()});
    Stream* s = open_stream(true);
    uint64_t t = einkorn::ticks() + 1000;
    s->region_begin(t, 1, 77, 4, 2);
    s->implicit_begin(t + 10, 3, 77);
    s->task_create(t + 20, t + 25, 5);
    s->task_create(t + 30, t + 30 + 70000, 5);    // too long for the short form
    s->task_create(t + 80000, t + 80001, 65536);  // site too large for it
    s->task_range(100, 8);
    s->task_start(t + 80010, make_id(0, 3));
    s->task_end(t + 80020);
    s->task_start(t + 80030, make_id(9, 123456789012));
    s->task_suspend(t + 80040);
    s->wait_begin(t + 80050, 6);
    s->idle_begin(t + 80060);
    s->idle_end(t + 80070 + (1ull << 40));  // too far for a difference
    s->wait_end(t + 80080);                 // earlier than the record before: time stands still
    uint64_t u = t + 80080 + (1ull << 40);
    s->loop_begin(u, 7, -5, 100, -2, 8, Schedule::dynamic, 1);
    s->chunk_begin(u + 1, 0, 8);
    s->chunk_end(u + 2);
    s->chunk_begin(u + 3, 96, 4);  // the last, shorter: regular
    s->chunk_end(u + 4);
    s->chunk_begin(u + 5, 8, 7);  // irregular
    s->chunk_end(u + 6);
    s->chunk_begin(u + 7, 1ull << 33, 8);  // too far for the short form
    s->chunk_end(u + 8);
    s->loop_end(u + 9);
    s->mutex_wait(u + 10, 8, address(0xabc));
    s->mutex_acquired(u + 11, 8, address(0xabc));
    s->mutex_released(u + 12, address(0xabc));
    s->taskgroup_begin(u + 13, 9);
    s->yield(u + 14, 10);
    s->yield_end(u + 15);
    s->taskloop_begin(u + 16, 11, 1000, 10);
    s->taskloop_end(u + 17);
    s->implicit_end(u + 18);
    s->region_end(u + 19);
    close_stream(s);
    finish();
  });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.stderr_text, "");
  TestFile f = read_grain(path);
  auto r = without_samples(f.records(0));
  ASSERT_FALSE(f.bad) << f.error;
  EXPECT_EQ(f.bytes_behind, 0u);
  ASSERT_GE(r.size(), 2u);
  uint64_t t = r[0].tick;
  constexpr uint64_t kFar = 1ull << 40;
  uint64_t u = t + 80080 + kFar;
  struct Expected {
    Kind kind;
    uint64_t tick;
    uint32_t payload;
    std::vector<uint64_t> extra;
  };
  std::vector<Expected> expected = {
      {Kind::region_begin, t, 1, {77, 4 | 2ull << 32}},
      {Kind::implicit_begin, t + 10, 3, {77}},
      {Kind::task_create, t + 20, 5 | 5 << 16, {}},
      {Kind::task_create_long, t + 30, 5, {70000}},
      {Kind::task_create_long, t + 80000, 65536, {1}},
      {Kind::task_range, t + 80000, 0, {100, 8}},
      {Kind::task_start, t + 80010, 3, {}},
      {Kind::task_end, t + 80020, 0, {}},
      {Kind::task_start_other, t + 80030, 0, {make_id(9, 123456789012)}},
      {Kind::task_suspend, t + 80040, 0, {}},
      {Kind::wait_begin, t + 80050, 6, {}},
      {Kind::idle_begin, t + 80060, 0, {}},
      {Kind::idle_end, t + 80070 + kFar, 0, {}},
      {Kind::wait_end, t + 80070 + kFar, 0, {}},
      {Kind::loop_begin, u, 7, {uint64_t(-5), 100, uint64_t(-2), 8 | 2ull << 32 | 1ull << 40}},
      {Kind::chunk_begin, u + 1, 0, {}},
      {Kind::chunk_end, u + 2, 0, {}},
      {Kind::chunk_begin, u + 3, 96, {}},
      {Kind::chunk_end, u + 4, 0, {}},
      {Kind::chunk_begin_long, u + 5, 0, {8, 7}},
      {Kind::chunk_end, u + 6, 0, {}},
      {Kind::chunk_begin_long, u + 7, 0, {1ull << 33, 8}},
      {Kind::chunk_end, u + 8, 0, {}},
      {Kind::loop_end, u + 9, 0, {}},
      {Kind::mutex_wait, u + 10, 8, {0xabc}},
      {Kind::mutex_acquired, u + 11, 8, {0xabc}},
      {Kind::mutex_released, u + 12, 0, {0xabc}},
      {Kind::taskgroup_begin, u + 13, 9, {}},
      {Kind::yield, u + 14, 10, {}},
      {Kind::yield_end, u + 15, 0, {}},
      {Kind::taskloop_begin, u + 16, 11, {1000, 10}},
      {Kind::taskloop_end, u + 17, 0, {}},
      {Kind::implicit_end, u + 18, 0, {}},
      {Kind::region_end, u + 19, 0, {}},
  };
  ASSERT_EQ(r.size(), expected.size() + 1);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(int(r[i].kind), int(expected[i].kind)) << i;
    EXPECT_EQ(r[i].tick - t, expected[i].tick - t) << i;
    EXPECT_EQ(r[i].payload, expected[i].payload) << i;
    EXPECT_EQ(r[i].extra, expected[i].extra) << i;
  }
  EXPECT_EQ(int(r.back().kind), int(Kind::thread_end));
  ASSERT_EQ(f.of(BlockType::end).size(), 1u);
  const std::string& end = f.of(BlockType::end)[0]->payload;
  EXPECT_EQ(json_number(end, "tasks"), 3);
  EXPECT_EQ(json_number(end, "chunks"), 4);
  EXPECT_EQ(json_number(end, "regions"), 1);
  EXPECT_EQ(json_number(end, "lost_tasks"), 0);
  EXPECT_EQ(json_number(end, "lost_chunks"), 0);
  EXPECT_EQ(json_number(end, "threads"), 1);
  EXPECT_EQ(json_number(end, "blocks"), int64_t(f.blocks.size()));
}

// Until the calling thread has had the CPU for so long.
void work_until(int64_t cpu_ns) {
  const auto tid = uint32_t(syscall(SYS_gettid));
  while (use_of_thread(tid).on_cpu < cpu_ns) {}
}

// Of threads without a stream, from the first stream on.
TEST(RecordRoundTrip, CpuTimeOfOtherThreads) {
  TempDir dir;
  const std::string path = dir.file("a.grain");
  constexpr int64_t ms = 1'000'000;
  auto result = in_child([&] {
    start({.path = path.c_str()});
    std::thread([] { work_until(200 * ms); }).join();  // before
    open_stream(true);
    std::thread([] { work_until(60 * ms); }).join();
    std::thread gone([] {
      Stream* its = open_stream(false);
      work_until(200 * ms);
      close_stream(its);
      work_until(240 * ms);  // no longer recorded
    });
    std::atomic<bool> over{false};
    std::thread there([&] {
      open_stream(false);
      work_until(200 * ms);
      while (!over) std::this_thread::yield();
    });
    gone.join();
    work_until(200 * ms);
    finish();
    over = true;
    there.join();
  });
  ASSERT_TRUE(result.ok());
  TestFile f = read_grain(path);
  const int64_t other = json_number(f.of(BlockType::end).at(0)->payload, "other_cpu_ns");
  EXPECT_GE(other, 60 * ms + 40 * ms);
  EXPECT_LT(other, 60 * ms + 40 * ms + 90 * ms);  // what begins and ends threads
}

// Two threads on one CPU wait for each other; who sleeps waits for none.
TEST(RecordRoundTrip, WaitsForACpu) {
  if (use_of_thread(uint32_t(syscall(SYS_gettid))).waiting < 0) GTEST_SKIP() << "the kernel keeps no account of it";
  TempDir dir;
  constexpr int64_t ms = 1'000'000;
  int64_t waited[2];
  for (bool sleeps : {false, true}) {
    const std::string path = dir.file(sleeps ? "sleeps.grain" : "works.grain");
    auto result = in_child([&] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(sched_getcpu(), &one);
      sched_setaffinity(0, sizeof one, &one);
      start({.path = path.c_str()});
      std::atomic<int> there{0};
      auto body = [&](bool initial) {
        Stream* s = open_stream(initial);
        for (++there; there != 2;) std::this_thread::yield();  // both are recorded, then they want the CPU
        if (sleeps) std::this_thread::sleep_for(std::chrono::milliseconds(300));
        else work_until(150 * ms);
        if (!initial) close_stream(s);
      };
      std::thread second(body, false);
      body(true);
      second.join();
      finish();
    });
    ASSERT_TRUE(result.ok());
    TestFile f = read_grain(path);
    waited[sleeps] = json_number(f.of(BlockType::end).at(0)->payload, "cpu_wait_ns");
  }
  EXPECT_GE(waited[false], 100 * ms);
  EXPECT_GE(waited[true], 0);
  EXPECT_LT(waited[true], waited[false] / 2);
}

TEST(RecordRoundTrip, SitesModulesThreadAndProcess) {
  TempDir dir;
  std::string path = dir.file("a.grain");
  auto result = in_child([&] {
    setenv("OMP_NUM_THREADS", "3", 1);
    setenv("PMI_RANK", "5", 1);
    setenv("PMI_SIZE", "1", 1);  // else it would be in the name
    setenv("SECRET_TOKEN", "do not write this down", 1);
    start({.path = path.c_str()});
    Stream* s = open_stream(true);
    uint32_t a = s->site(Construct::task, kSiteUntied, address(0x10), address(0x20));
    uint32_t b = s->site(Construct::taskwait, kSiteClang, nullptr, address(uint64_t(&read_grain)), ";t.c;f;12;1;;");
    if (a != 1 || b != 2) _exit(1);
    if (s->site(Construct::task, kSiteUntied, address(0x10), address(0x20)) != a) _exit(2);
    s->wait_begin(einkorn::ticks(), b);
    s->wait_end(einkorn::ticks());
    // Past the writer's first look: what is loaded later has to be found when it is needed.
    until_flushed();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    void* plugin = dlopen(EINKORN_TEST_PLUGIN, RTLD_NOW);
    if (!plugin) _exit(3);
    uint32_t c = s->site(Construct::task, 0, dlsym(plugin, "plugin_function"), nullptr);
    s->task_create(einkorn::ticks(), einkorn::ticks(), c);
    close_stream(s);
    finish();
  });
  ASSERT_EQ(result.status, 0);
  TestFile f = read_grain(path);
  ASSERT_FALSE(f.bad) << f.error;

  std::map<uint32_t, SiteRecord> sites;
  std::map<uint32_t, std::string> texts;
  std::vector<std::pair<ModuleRecord, std::string>> modules;
  int named = 0;
  for (auto& b : f.blocks) {
    const char *p = b.payload.data(), *end = p + b.payload.size();
    if (b.header.type == BlockType::sites) {
      while (p < end) {
        SiteRecord r;
        memcpy(&r, p, sizeof r);
        sites[r.id] = r;
        texts[r.id].assign(p + sizeof r, r.text_bytes);
        // In the load map that stands before it.
        if (r.id == 3) {
          bool found = false;
          for (auto& [m, name] : modules) {
            found |=
                r.function >= m.begin && r.function < m.end && name == EINKORN_TEST_PLUGIN && m.build_id_bytes == 20;
          }
          EXPECT_TRUE(found);
        }
        p += sizeof r + r.text_bytes;
      }
    }
    if (b.header.type == BlockType::modules) {
      modules.clear();
      while (p < end) {
        ModuleRecord r;
        memcpy(&r, p, sizeof r);
        modules.push_back({r, std::string(p + sizeof r, r.path_bytes)});
        p += sizeof r + r.path_bytes;
      }
    }
    if (b.header.type == BlockType::events) {
      EXPECT_TRUE(TestFile::each_record(TestFile::words_of(b), [&](const TestRecord& r, uint64_t) {
        const bool creates = r.kind == Kind::task_create || r.kind == Kind::task_create_long;
        if (!creates && r.kind != Kind::wait_begin) return;
        ++named;
        const uint32_t site = r.kind == Kind::task_create ? r.payload & 0xffff : r.payload;
        EXPECT_TRUE(sites.contains(site)) << "site " << site << " comes after an event that names it";
      }));
    }
  }
  EXPECT_EQ(named, 2);
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[1].construct, uint16_t(Construct::task));
  EXPECT_EQ(sites[1].flags, kSiteUntied);
  EXPECT_EQ(sites[1].function, 0x10u);
  EXPECT_EQ(sites[1].return_address, 0x20u);
  EXPECT_EQ(sites[2].construct, uint16_t(Construct::taskwait));
  EXPECT_EQ(sites[2].function, 0u);
  EXPECT_EQ(texts[2], ";t.c;f;12;1;;");
  EXPECT_EQ(texts[1], "");
  std::string self = std::filesystem::read_symlink("/proc/self/exe");
  bool found_self = false;
  for (auto& [m, name] : modules) {
    if (name != self) continue;
    found_self = true;
    EXPECT_EQ(m.build_id_bytes, 20u);
  }
  EXPECT_TRUE(found_self);

  auto threads = f.of(BlockType::thread);
  ASSERT_EQ(threads.size(), 1u);
  ThreadRecord thread;
  memcpy(&thread, threads[0]->payload.data(), sizeof thread);
  EXPECT_EQ(thread.is_initial, 1u);
  EXPECT_EQ(thread.index, 0u);

  auto anchors = f.of(BlockType::anchor);
  ASSERT_GE(anchors.size(), 2u);
  Anchor first, last;
  memcpy(&first, anchors.front()->payload.data(), sizeof first);
  memcpy(&last, anchors.back()->payload.data(), sizeof last);
  double seconds = double(last.monotonic_ns - first.monotonic_ns) * 1e-9;
  double rate = double(last.ticks - first.ticks) / seconds;
  EXPECT_NEAR(rate / double(f.header.ticks_per_second), 1.0, 0.01);
  EXPECT_GE(thread.begin_tick, first.ticks);
  EXPECT_LT(first.uncertainty_ns, 1000000u);

  auto meta = f.of(BlockType::meta);
  ASSERT_EQ(meta.size(), 1u);
  const std::string& json = meta[0]->payload;
  EXPECT_NE(json.find("\"runtime\":\"einkorn "), std::string::npos);
  EXPECT_NE(json.find("\"OMP_NUM_THREADS\":\"3\""), std::string::npos);
  EXPECT_EQ(json_number(json, "rank"), 5);
  EXPECT_EQ(json.find("SECRET"), std::string::npos);
  EXPECT_NE(json.find("\"executable\":\"" + self + "\""), std::string::npos);
  EXPECT_GT(json_number(json, "cpus"), 0);
}

// The writer must neither take the program's signals nor show up under a name of the program's.
TEST(RecordRoundTrip, TheWriterThreadKeepsOutOfTheWay) {
  TempDir dir;
  auto result = in_child([&] {
    start({.path = dir.file("a.grain").c_str()});
    Stream* s = open_stream(true);
    until_flushed();  // it has begun
    int found = 0;
    for (auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream status(task.path() / "status");
      std::stringstream text;
      text << status.rdbuf();
      if (text.str().find("Name:\teinkorn-rec\n") == std::string::npos) continue;
      ++found;
      // All that can be blocked: SIGKILL, SIGSTOP and glibc's own two cannot.
      if (text.str().find("SigBlk:\tfffffffe7ffbfeff") == std::string::npos) {
        fprintf(stderr, "%s", text.str().c_str());
        _exit(1);
      }
    }
    if (found != 1) _exit(2);
    close_stream(s);
    finish();
    for (auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream comm(task.path() / "comm");
      std::string name;
      comm >> name;
      if (name == "einkorn-rec") _exit(3);
    }
  });
  EXPECT_EQ(result.status, 0) << result.stderr_text;
}

// Time in the recorder itself is told, after the record that was at hand. The first one is the recorder's own start, of
// the time since the library was loaded: the thread's time begins there. None is longer than the thread's time so far.
TEST(RecordRoundTrip, RecorderTimeIsToldAndOrdered) {
  TempDir dir;
  std::string path = dir.file("a.grain");
  auto result = in_child([&] {
    start({.path = path.c_str()});
    Stream* s = open_stream(true);
    for (int i = 0; i < 100000; ++i) {
      uint64_t t = einkorn::ticks();
      s->task_create(t, t + 1, 1);
      s->task_start(t + 2, s->last_task_id());
      s->task_end(einkorn::ticks());
    }
    close_stream(s);
    finish();
  });
  ASSERT_TRUE(result.ok());
  TestFile f = read_grain(path);
  auto records = f.records(0);
  ASSERT_FALSE(f.bad) << f.error;
  ASSERT_FALSE(records.empty());
  const auto threads = f.of(BlockType::thread);
  ASSERT_EQ(threads.size(), 1u);
  ThreadRecord thread;
  memcpy(&thread, threads[0]->payload.data(), sizeof thread);
  const TestRecord& start_of_ours = records.front();
  ASSERT_EQ(start_of_ours.kind, Kind::recorder);
  EXPECT_GT(start_of_ours.payload, 0u);
  EXPECT_LE(start_of_ours.payload, start_of_ours.tick - thread.begin_tick);
  uint64_t recorder = 0, starts = 0, begin = start_of_ours.tick, previous = begin;
  for (auto& r : records) {
    EXPECT_GE(r.tick, previous);
    if (r.kind == Kind::recorder && &r != &start_of_ours) {
      EXPECT_LE(r.payload, r.tick - begin);
      recorder += r.payload;
    }
    if (r.kind == Kind::task_start) {
      EXPECT_EQ(r.payload, ++starts);
    }
    previous = r.tick;
  }
  EXPECT_EQ(starts, 100000u);
  EXPECT_GT(recorder, 0u);
  EXPECT_LT(recorder, previous - begin);  // how much of it depends on what else the machine does
}

}  // namespace
}  // namespace einkorn::record
