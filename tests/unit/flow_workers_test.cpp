// Threads to be had (flow/workers.h), for work that has nothing to do with OpenMP. Interleavings of the hand-over:
// model/orders_model_test.cpp.
#include "flow/workers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace einkorn::flow;
using namespace einkorn::base;

struct alignas(64) Work {
  std::atomic<int> sum{0}, left{0}, entered{0};
  std::atomic<bool> held{false};  // none gets through
  std::atomic<int> all{0};        // none gets through before so many have entered
  std::vector<void*> members;
  void expect(int threads) { sum.store(0), left.store(threads, std::memory_order_release); }
  void await() const {
    while (left.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  }
};

// What the program has done when a thread ends: it takes a while.
std::atomic<int> g_destroyed{0};
struct Destroyed {
  bool used = false;
  ~Destroyed() {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++g_destroyed;
  }
};
thread_local Destroyed t_destroyed;

struct Host {
  struct Worker {
    ParkWord park{0};
    Orders<Work> orders;
    Dock dock;
    Worker* next_idle = nullptr;
    bool ours = false;
    uint32_t id = 0;
  };
  static inline Workers<Host>* all;
  static inline std::unique_ptr<Worker> made[64];
  static inline std::atomic<int> begun{0}, ended{0}, stopped{0};
  static inline size_t refused = 0;

  static Workers<Host>& workers() { return *all; }
  static Worker* worker(int i) { return made[i].get(); }
  static Worker* make(int id, bool ours) {
    made[id] = std::make_unique<Worker>();
    made[id]->id = uint32_t(id), made[id]->ours = ours;
    return made[id].get();
  }
  static void begins(Worker*) { t_destroyed.used = true, ++begun; }
  static Sleepers wait(Worker* w) {
    return park_until(w->park, [w] { return w->orders.is_new(w->dock); });
  }
  static void wake(Work* work, Sleepers those) {
    wake_all(those, [work](int i) { return static_cast<Worker*>(work->members[size_t(i)]); });
  }
  static void run(Worker*, Work* work, int number) {
    const int all = work->all.load();
    work->entered.fetch_add(1);
    while (work->entered.load() < all) std::this_thread::yield();
    while (work->held.load(std::memory_order_acquire)) std::this_thread::yield();
    work->sum.fetch_add(number, std::memory_order_relaxed);
    work->left.fetch_sub(1, std::memory_order_release);
  }
  static void leaves(Worker*) { ++ended; }
  static void halts(Worker*) { ++stopped; }
  static void stack_refused(size_t bytes) { refused = bytes; }
};
using Worker = Host::Worker;

constexpr int kPatient = 100 * tunables::kEndLooks;  // on a machine with others to serve

class WorkersTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { fences_init(); }
  void SetUp() override {
    Host::all = &all;
    all.init();
    Host::begun = Host::ended = Host::stopped = g_destroyed = 0;
    Host::refused = 0;
  }
  void TearDown() override {
    all.end(nullptr, 0, kPatient);
    for (auto& w : Host::made)
      if (w && w->orders.is_last(w->orders.kHalt)) static_cast<void>(w.release());  // its thread is there still
  }
  static void give(Work& work, Worker* const* to, int n) {
    work.expect(n);
    work.all.store(work.entered.load() + n);
    work.members.assign(to, to + n);
    for (int i = 0; i < n; ++i) to[i]->orders.give(&work, i + 1);
    tell(n, [to](int i) { return to[i]; });
  }
  static inline std::vector<std::unique_ptr<Workers<Host>>> kept;  // threads that halt may look at theirs
  Workers<Host>& all = *kept.emplace_back(std::make_unique<Workers<Host>>());
};

TEST_F(WorkersTest, AreMadeWhereThereAreTooFewAndKept) {
  Worker* w[4];
  ASSERT_EQ(all.lend(w, 3, 0), 3);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(w[i]->id, i);
  all.give_back(w, 3);
  Worker* again[4];
  ASSERT_EQ(all.lend(again, 4, 0), 4);
  EXPECT_TRUE(std::is_permutation(w, w + 3, again));
  EXPECT_EQ(again[3]->id, 3u);
  all.give_back(again, 4);
}

TEST_F(WorkersTest, EachDoesItsPartOfWorkAfterWork) {
  Worker* w[3];
  ASSERT_EQ(all.lend(w, 3, 0), 3);
  Work works[2];
  for (int round = 0; round < 300; ++round) {
    Work& work = works[round % 7 == 0];  // the same one again, and another
    give(work, w, 3);
    work.await();
    EXPECT_EQ(work.sum.load(), 1 + 2 + 3);
  }
  Workers<Host>::await_docked(w, 3);
  all.give_back(w, 3);
}

// More than one thread wakes alone: these wake each other.
TEST_F(WorkersTest, ManyThatSleepAreAllWoken) {
  constexpr int kMany = 48;
  Worker* w[kMany];
  ASSERT_EQ(all.lend(w, kMany, 0), kMany);
  Work works[2];
  for (int round = 0; round < 200; ++round) {
    Work& work = works[round % 2];
    const int n = kMany - round % 11;
    give(work, w, n);
    work.await();
    EXPECT_EQ(work.sum.load(), n * (n + 1) / 2);
    if (round % 3 == 0) usleep(300);  // all sleep again, or some
  }
  Workers<Host>::await_docked(w, kMany);
  all.give_back(w, kMany);
}

TEST_F(WorkersTest, EndWithAllThatTheyHaveToDo) {
  Worker* w[3];
  ASSERT_EQ(all.lend(w, 3, 0), 3);
  all.give_back(w + 2, 1);
  EXPECT_TRUE(all.end(w, 2, kPatient));  // these, and the one that nobody has
  EXPECT_EQ(Host::ended, 3);
  EXPECT_EQ(g_destroyed, 3);
  // Their structures are for others, whoever makes these.
  EXPECT_LT(all.enlist(false)->id, 3u);
  ASSERT_EQ(all.lend(w, 3, 0), 3);
  EXPECT_EQ(std::max({w[0]->id, w[1]->id, w[2]->id}), 3u);
  all.give_back(w, 3);
  EXPECT_TRUE(all.end(nullptr, 0, kPatient, false)) << "nobody holds the lock";
  EXPECT_EQ(Host::ended, 6);
}

TEST_F(WorkersTest, HaltBetweenTwoWorks) {
  Worker* w[3];
  ASSERT_EQ(all.lend(w, 3, 0), 3);
  Work works[2];
  works[0].held = true;
  give(works[0], w, 1);
  while (works[0].entered.load() == 0) std::this_thread::yield();
  Workers<Host>::await_docked(w + 1, 1);
  all.halt(w[2], 1);
  EXPECT_FALSE(w[0]->orders.is_last(w[0]->orders.kHalt)) << "at work";
  EXPECT_TRUE(w[1]->orders.is_last(w[1]->orders.kHalt));
  works[0].held.store(false, std::memory_order_release);
  all.halt(w[2], kPatient);
  EXPECT_EQ(Host::stopped, 2);
  EXPECT_EQ(works[0].sum.load(), 1) << "it was through with its work";
  all.halt(w[2], kPatient);  // has nobody to wait for
  EXPECT_EQ(Host::stopped, 2);
  give(works[1], w + 2, 1);  // whoever asks goes on
  works[1].await();
  all.give_back(w + 2, 1);
}

TEST_F(WorkersTest, AreAsManyAsTheSystemHas) {
  Worker* w[2];
  EXPECT_EQ(all.lend(w, 2, size_t(1) << 60), 0);
  EXPECT_EQ(Host::refused, 0u) << "such a stack may be asked for";
  ASSERT_EQ(all.lend(w, 1, 1), 1);
  EXPECT_EQ(Host::refused, 1u) << "such a stack may not; the system's default serves";
  EXPECT_EQ(w[0]->id, 0u) << "the structure of the one that was not made";
  Work work;
  give(work, w, 1);
  work.await();
  all.give_back(w, 1);
}

#ifndef __SANITIZE_THREAD__  // which starts no threads in a child of several
TEST_F(WorkersTest, AChildHasNoneAndGivesOutNoNumberTwice) {
  Worker* w[3];
  Worker* me = all.enlist(false);
  ASSERT_EQ(all.lend(w, 3, 0), 3);
  // None of them is starting any more: AddressSanitizer's allocator is not freed of a lock that one holds in a fork.
  Workers<Host>::await_docked(w, 3);
  all.give_back(w, 2);
  const pid_t child = fork();
  if (child == 0) {
    all.after_fork(me->id);
    Work work;
    Worker* mine[2];
    bool right = all.lend(mine, 2, 0) == 2 && mine[0]->id == 4 && mine[1]->id == 5;
    give(work, mine, 2);
    work.await();
    all.give_back(mine, 2);
    right = right && gone_with_fork(w[0]->id) && !gone_with_fork(me->id) && !gone_with_fork(mine[0]->id);
    Host::ended = 0;
    all.end(nullptr, 0, kPatient);
    _exit(right && Host::ended == 2 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  all.give_back(w + 2, 1);
}
#endif

TEST_F(WorkersTest, SeveralLendFromOnePool) {
  constexpr int kOwners = 3, kRounds = 400;
  std::vector<std::thread> owners;
  for (int o = 0; o < kOwners; ++o)
    owners.emplace_back([&, o] {
      Work work;
      for (int round = 0; round < kRounds; ++round) {
        Worker* w[4];
        const int n = 1 + (round + o) % 4;
        ASSERT_EQ(all.lend(w, n, 0), n);
        for (int again = 0; again < 3; ++again) {
          give(work, w, n);
          work.await();
          EXPECT_EQ(work.sum.load(), n * (n + 1) / 2);
        }
        if (round % 2 == 0) Workers<Host>::await_docked(w, n);
        all.give_back(w, n);
        if (round % 100 == 50) all.end(nullptr, 0, kPatient);  // those that no other owner has just now
      }
    });
  for (std::thread& t : owners) t.join();
  all.end(nullptr, 0, kPatient);
  EXPECT_EQ(Host::begun, Host::ended);
  EXPECT_EQ(Host::ended, g_destroyed);
}

}  // namespace
