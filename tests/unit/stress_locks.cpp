// Locks that many more threads want than there are CPUs, in turn (src/flow/lock_queue.h) and not: critical, omp_lock_t,
// omp_nest_lock_t, tries, locks that are freed as soon as they are released, teams of several sizes and threads of the
// program's own at the same lock, forks. Linked with the library's objects, for their variables: teams of three wait in
// turn here, as if each thread had a CPU.
#include <memory>
#include <omp.h>
#include <sys/wait.h>
#include <vector>

#include "runtime/team/worker.h"
#include "stress_watchdog.h"

using namespace stress;

namespace {

constexpr int kLocks = 4;

std::atomic<uint64_t> g_in_turn{0};  // entries of a lock that was waited for in turn then

struct Counted {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  uint64_t by_lock = 0, by_nest = 0;  // plain: ThreadSanitizer watches them
  Counted() { omp_init_lock(&lock), omp_init_nest_lock(&nest); }
  ~Counted() { omp_destroy_lock(&lock), omp_destroy_nest_lock(&nest); }
};

// The last one that leaves frees it, at once, and what others find there is other data.
struct Brief {
  omp_lock_t lock;
  int left;
};

struct Round {
  Counted locks[kLocks];
  uint64_t critical = 0, hinted = 0;
  std::atomic<uint64_t> entries{0}, criticals{0}, hints{0};
};

void enter(Round& r, Random& random, int kind) {
  Counted& c = r.locks[random.below(8) == 0 ? random.below(kLocks) : 0];  // one is a crowd's
  const uint64_t inside = random.below(32) == 0 ? random.below(20000) : random.below(200);
  switch (kind) {
    case 0:
      omp_set_lock(&c.lock);
      if (einkorn::flow::LockQueue::of(&c.lock).is_for(&c.lock)) g_in_turn.fetch_add(1, std::memory_order_relaxed);
      ++c.by_lock, spin(inside);
      omp_unset_lock(&c.lock);
      break;
    case 1:
      if (!omp_test_lock(&c.lock)) omp_set_lock(&c.lock);
      ++c.by_lock, spin(inside);
      omp_unset_lock(&c.lock);
      break;
    case 2:
      omp_set_nest_lock(&c.nest);
      omp_set_nest_lock(&c.nest);
      ++c.by_nest, spin(inside);
      omp_unset_nest_lock(&c.nest);
      omp_unset_nest_lock(&c.nest);
      break;
    case 3:
#pragma omp critical
      ++r.critical, spin(inside);
      r.criticals.fetch_add(1, std::memory_order_relaxed);
      return;
    default:
#pragma omp critical(stress_hinted) hint(omp_sync_hint_contended)
      ++r.hinted, spin(inside);
      r.hints.fetch_add(1, std::memory_order_relaxed);
      return;
  }
  r.entries.fetch_add(1, std::memory_order_relaxed);
}

void leave(Brief* b) {
  omp_set_lock(&b->lock);
  const bool last = --b->left == 0;
  omp_unset_lock(&b->lock);
  if (!last) return;
  omp_destroy_lock(&b->lock);
  std::memset(static_cast<void*>(b), 0xa5, sizeof *b);
  delete b;
}

// Of a smaller team, at the same locks. (Not in team(): gcc's code would write what it shares back, unchanged.)
void pair(Round& r, uint64_t seed) {
#pragma omp parallel num_threads(2)
  {
    Random random{mix(seed * 7 + uint64_t(omp_get_thread_num()))};
    for (int i = 0; i < 5; ++i) enter(r, random, int(random.below(5)));
  }
}

void team(Round& r, uint64_t seed, int threads, int kind) {
  auto* brief = new Brief{{}, threads};
  omp_init_lock(&brief->lock);
#pragma omp parallel num_threads(threads)
  {
    Random random{mix(seed + uint64_t(omp_get_thread_num()))};
    const int times = 5 + int(random.below(40));
    for (int i = 0; i < times; ++i) {
      enter(r, random, kind < 5 ? kind : int(random.below(5)));
      if (random.below(4) == 0) spin(random.below(4000));
    }
    if (random.below(16) == 0) pair(r, seed);
    leave(brief);
    progress();
  }
}

// The child has the locks as they are, and none of the threads that wait for them or hold them.
void fork_in_a_crowd(Round& r) {
  if (einkorn::kWatched) return;  // ThreadSanitizer has no forks with threads
#ifdef __SANITIZE_ADDRESS__
  return;  // gcc 12's has locks of its own that somebody holds in the child for ever: all its threads wait in its
           // malloc()
#endif
  const pid_t child = fork();
  if (child == 0) {
    uint64_t count = 0;
#pragma omp parallel num_threads(6)
    for (int i = 0; i < 50; ++i) {
#pragma omp critical
      ++count;
    }
    omp_set_lock(&r.locks[0].lock);
    omp_unset_lock(&r.locks[0].lock);
    _exit(count == 300 ? 0 : 1);
  }
  int status = -1;
  STRESS_CHECK(waitpid(child, &status, 0), child);
  STRESS_CHECK(status, 0);
  progress();
}

void round_of(uint64_t seed, bool forks) {
  Random random{seed};
  einkorn::runtime::g_looks_apart = random.below(4) == 0 ? 1000 : 2;
  auto r = std::make_unique<Round>();
  const int kind = int(random.below(8)), threads = random.below(8) == 0 ? 80 : 10 + int(random.below(30));
  std::vector<std::thread> others;
  for (uint64_t i = random.below(3); i > 0; --i)
    others.emplace_back([&r, i, seed, kind] {
      omp_set_max_active_levels(2);
      Random own{mix(seed + 100 * i)};
      for (int k = 0; k < 30; ++k) enter(*r, own, int(own.below(5)));
      if (own.below(2) == 0) team(*r, own.next(), 2 + int(own.below(12)), kind);
    });
  if (forks) others.emplace_back([&r] { fork_in_a_crowd(*r); });
  team(*r, random.next(), threads, kind);
  for (auto& t : others) t.join();
  uint64_t sum = 0;
  for (Counted& c : r->locks) sum += c.by_lock + c.by_nest;
  STRESS_CHECK(sum, r->entries.load());
  STRESS_CHECK(r->critical, r->criticals.load());
  STRESS_CHECK(r->hinted, r->hints.load());
}

}  // namespace

int main(int argc, char** argv) {
  Budget budget(argc, argv, "stress_locks");
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  einkorn::runtime::g_cpus = 4096;  // each has one, it seems
  einkorn::flow::LockQueue::g_crowd = 1;
  uint64_t round = 0;
  for (; budget.left(); ++round) round_of(mix(budget.seed * 1000003 + round), round % 16 == 7);
  std::printf("%llu rounds, %llu entries in turn\n", (unsigned long long)round, (unsigned long long)g_in_turn.load());
}
