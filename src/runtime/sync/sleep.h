// A team's threads waiting and sleeping: what of it is OpenMP's. How threads sleep and wake each other, whoever they
// are, stands in flow/park.h, how long they stay awake in flow/linger.h, how they wait for a lock in flow/mutex.h.
//
// Which fence the side that makes something happen pays, before it reads Team::idle, depends on how often it comes by:
//   push of a task         light_fence() (nothing on x86)
//   end of a barrier,      full_fence()
//   end of the last child  none: the fetch_add on refs, whose result tells that the owner waits
#pragma once
#include "record/system.h"
#include "runtime/types.h"

namespace einkorn::runtime {

using flow::kLooksPerPause;
using flow::kParked;
using flow::Lingering;
using flow::park_state;
using flow::park_word;
using flow::parked;
using flow::ParkState;
using flow::searching;

// With whom the thread of that slot counts itself while it looks for work.
inline flow::Searchers* searchers_near(const Team* team, const Slot* slot) {
  const bool many = team->groups && team->n > g_searchers_at_team;
  return EK_UNLIKELY(many) ? &team->groups[(slot - team->slots) / g_arrivals_a_line].searchers : nullptr;
}

// Would a thread more be of use to the team?
inline bool wants_work(const Team* team, uint64_t idle) {
  const int seen = team->n - team->unseen.load(std::memory_order_relaxed);
  return flow::wants_work(idle, seen, team->cpus);
}

// Wakes that worker if it sleeps. Any thread.
inline void wake(Worker* w) { flow::wake(w->park); }

// A thread that is late, in a team or in looking for sleepers, may ask while the team's next region takes in more
// (staff()). Acquire: pairs with set_worker() there.
inline Worker* worker_of(Slot& slot) { return std::atomic_ref<Worker*>(slot.worker).load(std::memory_order_acquire); }
// Of a team, for flow/park.h.
inline auto member_of(Team* team) {
  return [team](auto i) { return worker_of(team->slots[i]); };
}

void wake_all(Team* team, int n);
// Some sleeper that may run any task (it is in a barrier); false: there is none.
bool wake_any_task(Team* team, uint32_t start = 0);
// There are tasks: wakes somebody for them, unless others are looking already. idle: the team's, as it was just now.
void wake_another(Worker* w, uint64_t idle);
inline void wake_another(Worker* w) { wake_another(w, w->team->idle.load(std::memory_order_relaxed)); }
// Is there a task in some queue? Without fences: one that was pushed just now may be missed.
bool seems_to_have_queued(const Team* team);

// The calling thread was the team's watcher (flow::Group). Who may run any task comes first.
EK_NOINLINE void pass_watch(Team* team);

// After a push: lets idle threads have it.
EK_NOINLINE void share_work(Worker* w, uint64_t idle);
// Where others look for work: the task that share_work() has kept from them, too.
EK_NOINLINE void share_kept(Worker* w);
inline void after_push(Worker* w) {
  light_fence();  // orders the store of bottom before the load of idle; pairs with heavy_fence() in sleep()
  uint64_t idle = w->team->idle.load(std::memory_order_relaxed);
  if (EK_UNLIKELY(idle != 0)) share_work(w, idle);
}

// How the program's threads wait while other programs want the CPUs, too.
extern flow::GivingWay g_giving_way;
// No wait is awake: by the wait policy, or as the program gives way to others.
inline bool sleeps_at_once() { return g_config.wait_policy == WaitPolicy::passive || g_giving_way.holds(); }

// Around the sleep of a thread: g_giving_way is asked whether it still holds, and knows who sleeps.
class AsleepAside {
 public:
  explicit AsleepAside(Worker* w) : counts_(g_giving_way.holds()) {
    if (EK_UNLIKELY(counts_)) begin(w);
  }
  ~AsleepAside() {
    if (EK_UNLIKELY(counts_)) g_asleep.fetch_sub(1, std::memory_order_relaxed);
  }
  AsleepAside(const AsleepAside&) = delete;
  AsleepAside& operator=(const AsleepAside&) = delete;

  // In the child of a fork, which has none of those that sleep.
  static void after_fork() { g_asleep.store(0, std::memory_order_relaxed); }

 private:
  void begin(Worker* w);

  static std::atomic<int> g_asleep;
  bool counts_;
};

// A wait that goes on, awake: tells g_giving_way how long it was, if no wait policy is set.
class AwakeWait {
 public:
  explicit AwakeWait(Worker* w) : w_(w) {}
  ~AwakeWait() { end(); }
  AwakeWait(const AwakeWait&) = delete;
  AwakeWait& operator=(const AwakeWait&) = delete;

  // Again and again is fine.
  void begin() {
    if (began_ == 0 && g_config.wait_policy == WaitPolicy::unset) really_begin();
  }
  void end() {
    if (EK_UNLIKELY(began_ != 0)) really_end();
  }

 private:
  void really_begin();
  void really_end();

  Worker* w_;
  uint64_t began_ = 0;  // ns
};

// How long a thread without work looks around before it sleeps, in pauses.
int spin_rounds(const Team* team);
// The same for who is awake with so many: where there are tasks, threads are only woken when they are needed.
int spin_rounds(const Team* team, int awake);

// After that: still awake, unless a wait policy is set or the program's threads want all CPUs? Where the process may
// use only some of the machine's CPUs, its threads say nothing of these; then it counts whether this one had to wait
// for its CPU of late.
bool lingers(Worker* w, Lingering& l);
// The same at that time (ns), on a machine of which somebody else says whether it is full.
bool lingers(Worker* w, Lingering& l, uint64_t now, bool (*is_full)(Worker*, uint64_t));

// More threads than so many by CPU neither yield nor spread out: each is in line behind too many.
inline constexpr int kMostByCpu = 4;
// Waits that are mostly short (in a barrier without tasks, between regions, those of StaysAwake): does it yield its CPU
// to the others after looks_before_yield() pauses, instead of all that? Where the team, or all teams of the program,
// have more threads than there are CPUs, unless they are too many.
bool may_yield(const Team* team);
// Those of other teams may have the CPUs now, and those it waits for have them, too: it looks for as long as two yields
// take. Of a team larger than the CPUs some have none.
inline int looks_before_yield(const Team* team) { return team->n <= team->cpus ? schedule::kPausesBeforeYield : 0; }
// Before it asks who else wants the CPUs, which is a line that each begin and end of a region writes, and all who ask
// have: with many threads a fifth of an empty region. As many, and more of a large team, whose barriers take longer;
// none if it is not to stay awake.
inline int looks_at_once(const Team* team) {
  if (sleeps_at_once()) return 0;
  const int looks = looks_before_yield(team), more = team->n - int(schedule::kLargeTeam);
  return looks > 0 && more > 0 ? looks + 8 * more : looks;
}
// True: over.
template <class Over>
bool yield_until(Over&& over) {
  return flow::yield_briefly(record::monotonic_ns, over);
}

// How long a thread waits awake for others that are at work and may be so for any time: in a lock after its own few
// looks, for its turn, for another's iteration. As long as in a barrier; but where threads are more than CPUs it yields
// its CPU, maybe to whom it waits for. (Of two threads that hold a lock for 40 us of each 55 half the time is lost if
// each wait is a sleep.) Nobody moves to another CPU: who sleeps in such a wait says nowhere that it does (apart.h).
class StaysAwake {
 public:
  explicit StaysAwake(Worker* w);

  // After how many pauses to look again, as many as given or fewer; 0: it is to sleep. Asked again after that it looks
  // or yields for as long as at first, but does not linger.
  int operator()(int pauses) {
    if (pauses_ > 0) return pauses_ -= pauses, pauses;
    return goes_on(pauses);
  }

 private:
  int goes_on(int pauses);

  Worker* w_;
  bool yields_, lingers_;
  int first_, pauses_;  // pauses: to begin with, and what is left of them
  uint64_t began_ = 0;  // ns: of its yields
  Lingering lingering_;
};

}  // namespace einkorn::runtime
