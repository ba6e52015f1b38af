// What programs and machines do to a recording. The program always goes on; the file is always readable.
#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include "record/recorder.h"
#include "record/stream.h"
#include "record_child.h"
#include "record_reader.h"
#include "record_refuse.h"
#include "record_replay.h"

#if defined(__SANITIZE_THREAD__)
// What is tested here: the program closes a descriptor that is ours, and opens another file by its number, while the
// thread that writes looks whose it is. ThreadSanitizer of gcc 14 reports that.
extern "C" const char* __tsan_default_suppressions() { return "race:einkorn::record::Output::still_ours\n"; }
#endif

namespace einkorn::record {
namespace {

uint64_t count_of(TestFile& f, uint32_t thread, Kind kind) {
  uint64_t n = 0;
  for (auto& r : f.records(thread)) n += r.kind == kind;
  return n;
}

uint64_t count_of_all(const std::string& path, Kind kind) {
  TestFile f = read_grain(path);
  EXPECT_FALSE(f.bad) << f.error;
  EXPECT_EQ(f.bytes_behind, 0u);
  uint64_t n = 0;
  for (const auto* b : f.of(BlockType::thread)) n += count_of(f, b->header.thread, kind);
  return n;
}

size_t lines(const std::string& text) { return size_t(std::count(text.begin(), text.end(), '\n')); }

TEST(RecordMishaps, FullDisk) {
  auto result = in_child([] {
    start({.path = "/dev/full"});
    Stream* s = open_stream(true);  // nullptr where the writer was first to find out
    alarm(100);
    while (recording()) {  // until the writer has found out
      if (s) record_tasks(*s, 50000);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (open_stream(false)) _exit(2);
    close_stream(s);
    finish();
    finish();
  });
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(lines(result.stderr_text), 1u) << result.stderr_text;
  EXPECT_NE(result.stderr_text.find("einkorn: recording stopped: "), std::string::npos);
  EXPECT_NE(result.stderr_text.find("No space left on device"), std::string::npos);
  EXPECT_NE(result.stderr_text.find("the program goes on"), std::string::npos);
}

TEST(RecordMishaps, FileSizeLimitLeavesWholeBlocks) {
  TempDir dir;
  std::string path = dir.file("a.grain");
  auto result = in_child([&] {
    rlimit limit{300001, 300001};
    setrlimit(RLIMIT_FSIZE, &limit);  // SIGXFSZ would end the program: it must not come
    start({.path = path.c_str()});
    Stream* s = open_stream(true);
    for (int i = 0; i < 30; ++i) {
      record_tasks(*s, 20000);
      std::this_thread::sleep_for(std::chrono::milliseconds(15));
    }
    close_stream(s);
    finish();
  });
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(lines(result.stderr_text), 1u) << result.stderr_text;
  TestFile f = read_grain(path);
  f.records(0);
  EXPECT_FALSE(f.bad) << f.error;
  EXPECT_EQ(f.bytes_behind, 0u) << "a torn block was left";
  EXPECT_GT(f.of(BlockType::events).size(), 0u);
  EXPECT_EQ(f.of(BlockType::end).size(), 0u);
}

// Not one whole block: then there is no file, rather than one that no reader takes.
TEST(RecordMishaps, NoRoomAtAll) {
  TempDir dir;
  std::string path = dir.file("a.grain");
  auto result = in_child([&] {
    rlimit limit{10, 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    start({.path = path.c_str()});
    Stream* s = open_stream(true);
    if (s) record_tasks(*s, 1000);
    finish();
  });
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(lines(result.stderr_text), 1u) << result.stderr_text;
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(RecordMishaps, NoSuchDirectory) {
  auto result = in_child([] {
    start({.path = "/nowhere/a.grain"});
    if (!recording()) _exit(1);
    if (open_stream(true)) _exit(2);
    if (recording()) _exit(3);
    if (open_stream(false)) _exit(4);
    finish();
  });
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(lines(result.stderr_text), 1u);
  EXPECT_NE(result.stderr_text.find("/nowhere/a.grain"), std::string::npos);
}

TEST(RecordMishaps, AReaderThatGoesAway) {
  TempDir dir;
  std::string path = dir.file("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  auto result = in_child(
      [&] {
        start({.path = path.c_str()});
        Stream* s = nullptr;
        for (int i = 0; i < 100 && !(s = open_stream(true)); ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (!s) _exit(1);
        for (int i = 0; i < 20; ++i) {
          record_tasks(*s, 20000);
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        finish();
      },
      [&](pid_t) {
        int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK);
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        close(fd);
      });
  // A program that was first finds nobody reading: it does not record. Else it is told once that it cannot go on.
  EXPECT_TRUE(WIFEXITED(result.status));
  EXPECT_EQ(lines(result.stderr_text), 1u) << result.stderr_text;
}

// The latest seconds are written at the end. A program waits for that as long as it goes on, however long all of it
// takes.
TEST(RecordMishaps, ASlowReaderOfTheLatestSeconds) {
  TempDir dir;
  const std::string path = dir.file("fifo"), read_from_it = dir.file("a.grain");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(fd, 0);
  constexpr int kTasks = 550'000;
  Signal recorded;
  auto result = in_child(
      [&] {
        start({.path = path.c_str(), .last_ns = 1000'000'000'000});
        Stream* s = open_stream(true);
        record_tasks(*s, kTasks);
        recorded.give();
        finish();
      },
      [&](pid_t) {
        recorded.wait();
        std::ofstream out(read_from_it, std::ios::binary);
        std::vector<char> some(64 << 10);
        for (ssize_t n; (n = read(fd, some.data(), some.size())) != 0;) {
          if (n > 0) out.write(some.data(), n);
          std::this_thread::sleep_for(std::chrono::milliseconds(40));
        }
      });
  close(fd);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.stderr_text, "");
  TestFile f = read_grain(read_from_it);
  EXPECT_FALSE(f.bad) << f.error;
  EXPECT_EQ(f.of(BlockType::end).size(), 1u);
  EXPECT_EQ(count_of(f, 0, Kind::task_end), size_t(kTasks));
}

TEST(RecordMishaps, KilledProgramLeavesAllButTheLastMoment) {
  TempDir dir;
  std::string path = dir.file("a.grain");
  Signal recorded;
  auto result = in_child(
      [&] {
        start({.path = path.c_str()});
        Stream* s = open_stream(true);
        record_tasks(*s, 1000);  // far less than a buffer
        recorded.give();
        for (;;) pause();
      },
      [&](pid_t pid) {
        recorded.wait();
        // A companion outlives the program. A thread writes now and then: until it has.
        auto written = [&] {
          TestFile f = read_grain(path);
          return count_of(f, 0, Kind::task_end) == 1000;
        };
        for (int i = 0; i < 1000 && !kHasCompanion && !written(); ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
        kill(pid, SIGKILL);
      });
  EXPECT_TRUE(WIFSIGNALED(result.status));
  wait_until_written(path);
  TestFile f = read_grain(path);
  EXPECT_EQ(count_of(f, 0, Kind::task_end), 1000u);
  EXPECT_FALSE(f.bad) << f.error;
  EXPECT_EQ(f.of(BlockType::end).size(), kHasCompanion ? 1u : 0u);
  EXPECT_EQ(f.of(BlockType::meta).size(), 1u);
}

// The same in the midst of writing: whatever is there is whole but for one block.
TEST(RecordMishaps, KilledWhileWriting) {
  TempDir dir;
  std::string path = dir.file("a.grain");
  Signal recorded;
  in_child(
      [&] {
        start({.path = path.c_str()});
        Stream* s = open_stream(true);
        for (int i = 0;; ++i) {
          record_tasks(*s, 20000);
          if (i == 20) until_flushed(), recorded.give();  // some of it is in the file
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
      },
      [&](pid_t pid) {
        recorded.wait();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        kill(pid, SIGKILL);
      });
  wait_until_written(path);
  TestFile f = read_grain(path);
  EXPECT_GT(count_of(f, 0, Kind::task_end), 1000u);
  EXPECT_FALSE(f.bad) << f.error;
}

// Before anything is recorded, a child is a process as any other.
TEST(RecordMishaps, ForkedBeforeTheFirstStreamBothRecord) {
  TempDir dir;
  std::string path = dir.file("a.%p.grain");
  auto result = in_child([&] {
    start({.path = path.c_str()});
    pid_t child = fork();
    Stream* s = open_stream(true);
    if (!s) _exit(1);
    record_tasks(*s, child == 0 ? 100 : 2000);
    close_stream(s);
    finish();
    if (child == 0) _exit(0);
    int status;
    waitpid(child, &status, 0);
    fprintf(stderr, "{\"parent\":%d,\"child\":%d,\"status\":%d}", getpid(), child, status);
  });
  ASSERT_EQ(result.status, 0) << result.stderr_text;
  ASSERT_EQ(json_number(result.stderr_text, "status"), 0);
  for (auto [who, tasks] : {std::pair{"parent", 2000}, std::pair{"child", 100}}) {
    int64_t pid = json_number(result.stderr_text, who);
    TestFile f = read_grain(dir.file("a." + std::to_string(pid) + ".grain"));
    ASSERT_FALSE(f.bad) << f.error;
    EXPECT_EQ(json_number(f.of(BlockType::end).at(0)->payload, "tasks"), tasks);
    EXPECT_EQ(json_number(f.of(BlockType::meta).at(0)->payload, "pid"), pid);
  }
}

// exit() inside a parallel region: other threads still run, and record.
TEST(RecordMishaps, FinishWhileThreadsRun) {
  TempDir dir;
  std::string path = dir.file("a.grain");
  auto result = in_child([&] {
    start({.path = path.c_str()});
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        Stream* s = open_stream(false);
        while (!stop && s) {
          record_tasks(*s, 5000);
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        close_stream(s);
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    finish();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (open_stream(false)) _exit(1);
    stop = true;
    for (auto& t : threads) t.join();
  });
  EXPECT_EQ(result.status, 0) << result.stderr_text;
  TestFile f = read_grain(path);
  uint64_t tasks = 0;
  for (uint32_t i = 0; i < 4; ++i) tasks += count_of(f, i, Kind::task_create);
  EXPECT_FALSE(f.bad) << f.error;
  EXPECT_EQ(json_number(f.of(BlockType::end).at(0)->payload, "tasks"), int64_t(tasks));
}

// Daemons close every descriptor; the next file the program opens may get ours. The companion has its own; a thread has
// not.
void close_descriptors(const std::string& own, Stream& s) {
  record_tasks(s, 1000);
  close_range(3, ~0u, 0);
  for (int i = 0; i < 1100; ++i) {  // one of these gets the recorder's number
    int fd = open(own.c_str(), O_CREAT | O_WRONLY, 0600);
    if (fd < 0) break;
  }
  record_tasks(s, 300000);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
}

TEST(RecordMishaps, ProgramClosesDescriptors) {
  TempDir dir;
  std::string path = dir.file("a.grain"), own = dir.file("own");
  auto result = in_child([&] {
    start({.path = path.c_str()});
    Stream* s = open_stream(true);
    close_descriptors(own, *s);
    close_stream(s);
    finish();
  });
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.stderr_text, kHasCompanion ? "" : result.stderr_text);
  EXPECT_EQ(std::filesystem::file_size(own), 0u);
  if (kHasCompanion) {
    EXPECT_EQ(count_of_all(path, Kind::task_end), 301000u);
  }
}

TEST(RecordMishaps, ProgramClosesTheThreadsDescriptor) {
  TempDir dir;
  std::string path = dir.file("a.grain"), own = dir.file("own");
  auto result = in_child([&] {
    start({.path = path.c_str()});
    refuse(SYS_clone, CLONE_THREAD);
    Stream* s = open_stream(true);
    close_descriptors(own, *s);
    finish();
  });
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(lines(result.stderr_text), 1u) << result.stderr_text;
  EXPECT_EQ(std::filesystem::file_size(own), 0u);
}

TEST(RecordMishaps, DescriptorsOfTheProgramAreNotShifted) {
  TempDir dir;
  auto result = in_child([&] {
    close_range(3, ~0u, 0);
    start({.path = dir.file("a.grain").c_str()});
    Stream* s = open_stream(true);
    int fd = open("/dev/null", O_RDONLY);
    if (fd != 3) _exit(1);
    close_stream(s);
    finish();
  });
  EXPECT_EQ(result.status, 0);
}

}  // namespace
}  // namespace einkorn::record
