#include "runtime/sync/sleep.h"

#include <sched.h>

#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "base/clock.h"
#include "base/tunables.h"
#include "record/cpu_use.h"
#include "record/system.h"
#include "runtime/sync/apart.h"
#include "runtime/team/placed.h"
#include "runtime/team/worker.h"

namespace einkorn::runtime {

namespace {
bool may_run_any(const Worker& w) { return w.any_task.load(std::memory_order_relaxed); }
}  // namespace

bool wake_any_task(Team* team, uint32_t start) {
  const int n = team->n;
  auto wake_one = [&](auto&& fits) {
    return flow::wake_some(*team, uint32_t(n), start, ParkState::woken, member_of(team), fits);
  };
  // With more threads than CPUs one that was last on the caller's CPU is often woken there, behind the caller, which
  // goes on, while another CPU has nothing to do until the system looks, at a tick.
  if (n > team->cpus) {
    const int here = this_cpu();
    if (wake_one([here](const Worker& w) { return may_run_any(w) && was_elsewhere(w, here); })) return true;
  }
  return wake_one(may_run_any);
}

// There are tasks. Those that search will find them; a sleeper is woken only where none does. One in a barrier first;
// the others may have to refuse (tied tasks), so all of them.
void wake_another(Worker* w, uint64_t idle) {
  Team* team = w->team;
  if (searching(idle) > 0 || parked(idle) == 0 || !wants_work(team, idle)) return;
  // All who count as asleep may have been woken, and wait for a CPU.
  if (!flow::any_sleeps(*team, uint32_t(team->n), member_of(team))) return;
  if (!wake_any_task(team, schedule::next_random(w->random))) wake_all(team, team->n);
}

void pass_watch(Team* team) { flow::pass_watch(*team, uint32_t(team->n), member_of(team), may_run_any); }

bool seems_to_have_queued(const Team* team) {
  if (const Placed* p = team->placed.load(std::memory_order_relaxed)) return placed_has_queued(*p);
  for (int i = 0, n = team->n; i < n; ++i) {
    if (!(team->slots_with_tasks[i / 64].load(std::memory_order_relaxed) >> (i % 64) & 1)) continue;
    const Slot& slot = team->slots[i];
    if (!slot.deque.seems_empty() || !slot.inbox.seems_empty()) return true;
  }
  return false;
}

void share_work(Worker* w, uint64_t idle) {
  if (!wants_work(w->team, idle)) return;
  // Where others look for work they get all but the task just made: its creator often waits for it next, and takes it
  // without a trip. If not, they will see that nothing changes here, and take it by force.
  bool seekers = searching(idle) > 0;
  if (seekers && w->slot->deque.keeps_at_most_one()) return;
  // Many thieves always look at what is public, and to change that is a line's way each time.
  if (seekers && uint32_t(w->team->n) > schedule::kLargeTeam) {
    const uint64_t now = ticks();
    if (now - w->published_at < in_ticks(tunables::kPublishGap)) return;
    w->published_at = now;
  }
  w->slot->deque.publish(seekers ? 1 : 0);
  wake_another(w, idle);
}

void share_kept(Worker* w) {
  const uint64_t idle = w->team->idle.load(std::memory_order_relaxed);
  if (searching(idle) > 0 && wants_work(w->team, idle)) w->slot->deque.publish();
}

void wake_all(Team* team, int n) {
  for (int i = 0; i < n; ++i) wake(team->slots[i].worker);
}

// Other teams want the CPUs, too, and more than there are.
static bool is_crowded(int busy) { return busy > g_cpus; }

bool may_yield(const Team* team) {
  const int busy = int(g_busy_threads.load(std::memory_order_relaxed));
  return (team->n > team->cpus || is_crowded(busy)) && g_config.wait_policy != WaitPolicy::passive &&
         busy <= kMostByCpu * team->cpus;
}

// Threads of all programs that run or could. What cannot be read is no evidence: 0.
static long running_threads() {
  char text[128];  // load averages, then running/all
  const ssize_t n = record::read_file("/proc/loadavg", text, sizeof text - 1);
  if (n <= 0) return 0;
  text[n] = 0;
  const char* slash = strchr(text, '/');
  if (!slash) return 0;
  while (slash > text && slash[-1] != ' ') --slash;
  return atol(slash);
}

// Of the machine; the process may have fewer.
static long online_cpus() {
  static std::atomic<long> cpus{0};
  long online = cpus.load(std::memory_order_relaxed);
  if (online == 0) cpus.store(online = sysconf(_SC_NPROCESSORS_ONLN), std::memory_order_relaxed);
  return online;
}

// Did this thread wait for a CPU since it last asked?
static bool others_want_its_cpu(Worker* w, uint64_t now) {
  const int64_t waited = record::cpu_wait("/proc/thread-self/schedstat");
  return waited >= 0 && w->cpu_wait.wants_its_cpu(now, uint64_t(waited));
}

// Where the process may use only a part of the machine, how many run on all of it says nothing: then what counts is
// whether others had this thread's CPU.
static bool is_full(Worker* w, uint64_t now) {
  const long online = online_cpus();
  return g_cpus < online ? others_want_its_cpu(w, now) : running_threads() > online;
}

static bool may_linger() {
  return g_config.wait_policy == WaitPolicy::unset && g_busy_threads.load(std::memory_order_relaxed) < g_cpus;
}

bool lingers(Worker* w, Lingering& l, uint64_t now, bool (*is_full)(Worker*, uint64_t)) {
  if (!may_linger()) return false;
  if (l.goes_on(w->crowding, now, [=](uint64_t at) { return is_full(w, at); })) return true;
  if (w->crowding.left() > 0) move_apart(w);
  return false;
}

bool lingers(Worker* w, Lingering& l) { return lingers(w, l, record::monotonic_ns(), is_full); }

StaysAwake::StaysAwake(Worker* w)
    : w_(w), yields_(may_yield(w->team)), lingers_(true), first_(spin_rounds(w->team)), pauses_(0) {
  // Outside of regions a thread is the program's, and such are in no team's count.
  const int wanting = w->team->level == 0 ? root_threads() + int(g_busy_threads.load(std::memory_order_relaxed)) : 0;
  if (is_crowded(wanting)) {
    yields_ = g_config.wait_policy != WaitPolicy::passive && wanting <= kMostByCpu * g_cpus;
    lingers_ = false;
    first_ = 0;
  } else if (yields_) {
    first_ = looks_before_yield(w->team);
  }
  pauses_ = first_;
}

int StaysAwake::goes_on(int pauses) {
  if (yields_) {
    const uint64_t now = record::monotonic_ns();
    if (began_ == 0) began_ = now;
    if (now - began_ <= tunables::kYields) return sched_yield(), 1;  // a yield is a pause, too
    began_ = 0;
  } else if (lingers_) {
    lingers_ = may_linger() && lingering_.goes_on(w_->crowding, record::monotonic_ns(),
                                                  [this](uint64_t at) { return is_full(w_, at); });
    // The clock is asked again after so many pauses, or after this gap if that is longer.
    if (lingers_) return pauses_ = pauses < schedule::kPausesLingering ? schedule::kPausesLingering : 0, pauses;
  }
  pauses_ = first_;
  return 0;
}

flow::GivingWay g_giving_way;
std::atomic<int> AsleepAside::g_asleep{0};

// How many threads of others want to run, as far as one can say: of the machine's those that are not of this team and
// awake. Of a part of the machine nobody can say it: all CPUs.
static long others_running(const Worker* w, int asleep) {
  const long online = online_cpus();
  if (g_cpus < online) return online;
  return running_threads() - ((w->team ? w->team->n : 1) - asleep);
}

void AwakeWait::really_begin() {
  began_ = record::monotonic_ns();
  if (!g_giving_way.is_to_ask(began_)) return;
  // Those in a barrier who sleep; between regions nobody does while this one's wait is short.
  const Team* team = w_->team;
  const int asleep = team ? int(parked(team->idle.load(std::memory_order_relaxed))) : 0;
  const long others = others_running(w_, asleep), online = online_cpus();
  const int n = team ? team->n : 1;
  g_giving_way.found(others < online && others + n > online, began_);
}

void AsleepAside::begin(Worker* w) {
  const uint64_t now = record::monotonic_ns();
  const int asleep = g_asleep.fetch_add(1, std::memory_order_relaxed);
  if (g_giving_way.is_to_ask(now)) g_giving_way.found(others_running(w, asleep) > 0, now);
  g_giving_way.end_when_due(now);
}

void AwakeWait::really_end() {
  const uint64_t now = record::monotonic_ns();
  g_giving_way.spend(now, now - began_, w_->team ? w_->team->n : 1);
  began_ = 0;
}

int spin_rounds(const Team* team) { return spin_rounds(team, team->n); }

int spin_rounds(const Team* team, int awake) {
  if (awake > team->cpus || g_giving_way.holds()) return 0;
  const bool alone = g_busy_threads.load(std::memory_order_relaxed) < team->cpus;
  switch (g_config.wait_policy) {
    case WaitPolicy::passive: return 0;
    case WaitPolicy::active: return alone ? schedule::kPausesActive : schedule::kPausesShared;
    case WaitPolicy::unset: return alone ? schedule::kPausesAwake : schedule::kPausesShared;
  }
  return schedule::kPausesShared;
}

}  // namespace einkorn::runtime
