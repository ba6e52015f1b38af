// Processes that do not begin and end by main() and exit(): what a fork leaves, what the file has after any end, who
// writes it.
#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include "record/recorder.h"
#include "record/stream.h"
#include "record/system.h"
#include "record_child.h"
#include "record_reader.h"
#include "record_refuse.h"
#include "record_replay.h"

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;  // has a thread of its own, from the first that the program makes
#else
constexpr bool kThreadSanitizer = false;
#endif

namespace einkorn::record {
namespace {

struct Counted {
  uint64_t ends = 0;
  int64_t tasks = -1;  // in the end block; -1: there is none
  int64_t pid = -1;
  bool abrupt = false;
};
Counted count(const std::string& path) {
  wait_until_written(path);
  TestFile f = read_grain(path);
  Counted c;
  for (const auto* b : f.of(BlockType::thread))
    for (auto& r : f.records(b->header.thread)) c.ends += r.kind == Kind::task_end;
  EXPECT_FALSE(f.bad) << path << ": " << f.error;
  EXPECT_EQ(f.bytes_behind, 0u) << path;
  if (auto ends = f.of(BlockType::end); !ends.empty()) {
    c.tasks = json_number(ends[0]->payload, "tasks");
    c.abrupt = ends[0]->payload.find("\"abrupt\":true") != std::string::npos;
  }
  if (auto metas = f.of(BlockType::meta); !metas.empty()) c.pid = json_number(metas[0]->payload, "pid");
  return c;
}

[[maybe_unused]] std::vector<std::string> grains(const TempDir& dir) {
  std::vector<std::string> files;
  for (const auto& e : std::filesystem::directory_iterator(dir.path())) files.push_back(e.path().string());
  return files;
}

// Begins to record, and records far less than a buffer.
Stream& begin_recording(const std::string& path) {
  start({.path = path.c_str()});
  Stream* s = open_stream(true);
  if (!s) _exit(99);
  record_tasks(*s, 1000);
  return *s;
}

TEST(RecordEndings, NothingIsLostHoweverTheProcessEnds) {
  if (!kHasCompanion) return;  // that is what it is for
  const std::pair<const char*, void (*)()> ends[] = {
      {"_exit", [] { _exit(0); }},
      {"quick_exit", [] { quick_exit(0); }},
      {"exit_group", [] { syscall(SYS_exit_group, 0); }},
      {"SIGKILL", [] { kill(getpid(), SIGKILL); }},
      {"SIGTERM", [] { kill(getpid(), SIGTERM); }},
      {"abort", [] { abort(); }},
      {"exec", [] { execl("/bin/true", "true", nullptr); }},
  };
  for (auto [name, end] : ends) {
    SCOPED_TRACE(name);
    TempDir dir;
    std::string path = dir.file("a.grain");
    auto result = in_child([&] {
      begin_recording(path);
      end();
    });
    EXPECT_EQ(result.stderr_text, "");
    Counted c = count(path);
    EXPECT_EQ(c.ends, 1000u);
    EXPECT_EQ(c.tasks, 1000);
    EXPECT_TRUE(c.abrupt);
  }
}

// A pipe of the program's is closed with the program: nobody waits for us. And wait() knows no child.
TEST(RecordEndings, TheCompanionIsNotSeen) {
  if (!kHasCompanion) return;
  TempDir dir;
  int pipe_ends[2], seen[2];
  ASSERT_EQ(pipe(pipe_ends) + pipe(seen), 0);
  auto result = in_child(
      [&] {
        begin_recording(dir.file("a.grain"));
        close(pipe_ends[0]);
        close(seen[1]);
        if (waitpid(-1, nullptr, 0) != -1 || errno != ECHILD) _exit(1);
        close(pipe_ends[1]);
        char c;
        if (read(seen[0], &c, 1) != 0) _exit(2);  // the parent has seen that, while we record
      },
      [&](pid_t) {
        close(pipe_ends[1]);
        char c;
        EXPECT_EQ(read(pipe_ends[0], &c, 1), 0);
        close(seen[1]);
      });
  close(pipe_ends[0]);
  close(seen[0]);
  EXPECT_EQ(result.status, 0);
}

TEST(RecordEndings, TheCompanionIsEnded) {
  if (!kHasCompanion) return;
  TempDir dir;
  auto result = in_child([&] {
    Stream& s = begin_recording(dir.file("a.grain"));
    std::string children = "/proc/self/task/";
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      FILE* f = fopen((task.path() / "children").c_str(), "r");
      int pid;
      while (f && fscanf(f, "%d", &pid) == 1) kill(pid, SIGKILL);
      if (f) fclose(f);
    }
    alarm(100);
    while (recording()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    record_tasks(s, 100000);
    finish();
  });
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.stderr_text.find("recording stopped: the process that writes"), std::string::npos)
      << result.stderr_text;
}

size_t threads_now() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return size_t(std::distance(begin(tasks), end(tasks)));
}

// The kernel refuses; or the program has put up a filter, which might do worse than that.
TEST(RecordEndings, AThreadWritesWhereThereCanBeNoCompanion) {
  for (bool before : {true, false}) {
    TempDir dir;
    auto result = in_child([&] {
      const size_t threads = threads_now() + kThreadSanitizer;
      if (before) refuse(SYS_clone, CLONE_THREAD);
      start({.path = dir.file("a.grain").c_str()});
      if (!before) refuse(SYS_acct);
      Stream* s = open_stream(true);
      record_tasks(*s, 1000);
      for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        FILE* f = fopen((task.path() / "children").c_str(), "r");
        if (f && fgetc(f) != EOF) _exit(1);
        if (f) fclose(f);
      }
      if (threads_now() != threads + 1) _exit(2);
      close_stream(s);
      finish();
    });
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.stderr_text, "");
    Counted c = count(dir.file("a.grain"));
    EXPECT_EQ(c.ends, 1000u);
    EXPECT_EQ(c.tasks, 1000);
    EXPECT_FALSE(c.abrupt);
  }
}

TEST(RecordEndings, TheProgramWritesWhereThereCanBeNoThread) {
  TempDir dir;
  auto result = in_child([&] {
    start({.path = dir.file("a.grain").c_str()});
    refuse(SYS_clone);
    Stream* s = open_stream(true);
    if (!s) _exit(1);
    record_tasks(*s, 300000);  // some buffers full
    if (control(3) != 0) _exit(2);
    if (std::filesystem::file_size(dir.file("a.grain")) < 100000) _exit(3);
    close_stream(s);
    finish();
  });
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(std::count(result.stderr_text.begin(), result.stderr_text.end(), '\n'), 1) << result.stderr_text;
  EXPECT_NE(result.stderr_text.find("no thread can be created for the recorder"), std::string::npos)
      << result.stderr_text;
  Counted c = count(dir.file("a.grain"));
  EXPECT_EQ(c.ends, 300000u);
  EXPECT_EQ(c.tasks, 300000);
}

#if !defined( \
    __SANITIZE_THREAD__)  // which knows no threads in the children of processes that have threads: it ends them
// Forked amid a recording: each that records has a file of its own, with nothing of the parent's.
TEST(RecordEndings, ForkedChildrenRecord) {
  TempDir dir;
  std::string path = dir.file("a.grain");
  constexpr int kChildren = 10;
  auto result = in_child([&] {
    Stream& s = begin_recording(path);
    record_tasks(s, 99000);
    for (int i = 0; i < kChildren; ++i) {
      pid_t child = fork();
      if (child == 0) {
        alarm(60);
        if (i == 0) _exit(0);          // records nothing: leaves no file
        s.wait_end(einkorn::ticks());  // of what the parent had begun: nothing of the child's
        record_tasks(s, uint64_t(i) * 100);
        std::thread([] {
          Stream* other = open_stream(false);
          record_tasks(*other, 7);
          close_stream(other);
        }).join();
        if (i % 2) _exit(0);
        close_stream(&s);
        finish();
        _exit(0);
      }
      int status;
      waitpid(child, &status, 0);
      if (status != 0) _exit(4);
      record_tasks(s, 1000);
    }
    close_stream(&s);
    finish();
  });
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.stderr_text, "");
  std::vector<int64_t> tasks;
  for (const std::string& file : grains(dir)) {
    Counted c = count(file);
    if (file == path) {
      EXPECT_EQ(c.tasks, 110000);
      continue;
    }
    EXPECT_NE(file.find("a." + std::to_string(c.pid) + ".grain"), std::string::npos) << file;
    if (kHasCompanion) {
      EXPECT_EQ(int64_t(c.ends), c.tasks) << file;
    }
    tasks.push_back(c.tasks);
  }
  std::sort(tasks.begin(), tasks.end());
  std::vector<int64_t> expected;
  for (int i = 1; i < kChildren; ++i)
    if (kHasCompanion || i % 2 == 0) expected.push_back(i * 100 + 7);
  if (kHasCompanion) {
    EXPECT_EQ(tasks, expected);
  } else {
    EXPECT_GE(tasks.size(), expected.size());
  }
}

#if !defined(__SANITIZE_ADDRESS__)  // whose own locks a fork amid other threads' work may leave taken in the child
// While other threads take the pool's lock, all the time.
TEST(RecordEndings, ForkedAmidTheRecordersWork) {
  TempDir dir;
  auto result = in_child([&] {
    Stream& s = begin_recording(dir.file("a.grain"));
    std::atomic<bool> stop{false};
    std::thread busy([&] {
      while (!stop) {
        {
          Guard guard(g_process.pool.lock());
          std::this_thread::yield();
        }
        std::this_thread::yield();  // a mutex is not fair, and on a busy machine a fork would wait too long for it
      }
    });
    for (int i = 0; i < 20; ++i) {
      pid_t child = fork();
      if (child == 0) {
        alarm(60);
        record_tasks(s, 100000);
        close_stream(&s);
        finish();
        _exit(0);
      }
      int status;
      waitpid(child, &status, 0);
      if (status != 0) _exit(4);
    }
    stop = true;
    busy.join();
    close_stream(&s);
    finish();
  });
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.stderr_text, "");
  EXPECT_EQ(grains(dir).size(), 21u);
  for (const std::string& file : grains(dir))
    EXPECT_EQ(count(file).tasks, file == dir.file("a.grain") ? 1000 : 100000) << file;
}

#endif
#endif

// A signal's handler that forks, on a thread that holds the lock: the child goes on, unrecorded, and says so.
TEST(RecordEndings, ForkedByWhoHoldsTheLock) {
  TempDir dir;
  auto result = in_child([&] {
    Stream& s = begin_recording(dir.file("a.grain"));
    pthread_mutex_lock(&g_process.pool.lock());
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      record_tasks(s, 100000);
      if (open_stream(false)) _exit(2);
      if (control(1) != 1) _exit(3);
      close_stream(&s);
      finish();
      _exit(0);
    }
    pthread_mutex_unlock(&g_process.pool.lock());
    int status;
    waitpid(child, &status, 0);
    if (status != 0) _exit(4);
    close_stream(&s);
    finish();
  });
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.stderr_text.find("is not recorded"), std::string::npos) << result.stderr_text;
  EXPECT_EQ(count(dir.file("a.grain")).tasks, 1000);
}

// Threads that task ids have no number for.
TEST(RecordEndings, MoreThreadsThanIdsCanName) {
  TempDir dir;
  auto result = in_child([&] {
    Stream& s = begin_recording(dir.file("a.grain"));
    g_process.threads = (1u << 15) - 2;  // as if so many had been
    for (int i = 0; i < 4; ++i) {
      Stream* more = open_stream(false);
      if (!more) _exit(1);
      more->region_begin(einkorn::ticks(), 1, more->new_region_id(), 1, 0);
      record_tasks(*more, 500);
      more->region_end(einkorn::ticks());
      close_stream(more);
    }
    close_stream(&s);
    finish();
  });
  EXPECT_EQ(result.status, 0);
  TestFile f = read_grain(dir.file("a.grain"));
  EXPECT_FALSE(f.bad) << f.error;
  EXPECT_EQ(f.of(BlockType::thread).size(), 2u);
  const std::string& end = f.of(BlockType::end).at(0)->payload;
  EXPECT_EQ(json_number(end, "tasks"), 3000);
  EXPECT_EQ(json_number(end, "regions"), 4);
  EXPECT_EQ(json_number(end, "lost_tasks"), 1500);
  EXPECT_EQ(json_number(end, "counted_threads"), 3);
}

// Who may read it: nobody else.
TEST(RecordEndings, OnlyTheOwnerReadsIt) {
  TempDir dir;
  umask(0);
  in_child([&] { begin_recording(dir.file("a.grain")); });
  struct stat st;
  ASSERT_EQ(stat(dir.file("a.grain").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
}

}  // namespace
}  // namespace einkorn::record
