#include "runtime/task/helpers.h"

#include <climits>
#include <cstdlib>
#include <new>

#include "base/tunables.h"
#include "flow/thread.h"
#include "runtime/sync/wait.h"
#include "runtime/task/body.h"
#include "runtime/task/cancel.h"
#include "runtime/task/depend.h"
#include "runtime/task/target.h"
#include "runtime/team/worker.h"

namespace einkorn::runtime {

namespace {

// The queue is short and its tasks are long: a lock and a futex serve it.
class Helpers {
 public:
  bool takes_tasks() const {
    return g_config.hidden_helpers > 0 && !failed_.load(std::memory_order_relaxed) &&
           unfinished_.load(std::memory_order_relaxed) < kMostUnfinished;
  }

  void give(Task* t) {
    lock_.lock();
    unfinished_.fetch_add(1, std::memory_order_relaxed);
    if (last_) *last_->link() = t;
    else first_ = t;
    last_ = t;
    *t->link() = nullptr;
    const Call call = call_one();
    lock_.unlock();
    answer(call);
  }

  // What a helper does until there is no more to do.
  void serve(Worker* w) {
    bool comes = true;
    while (Task* t = take(comes)) {
      run(w, t);
      comes = false;
      end_one();
    }
  }

  void await_tasks() {
    // Acquire: what the tasks did; pairs with end_one().
    while (const uint32_t left = unfinished_.load(std::memory_order_acquire)) futex_wait(&unfinished_, left);
  }

  void end() {
    // exit() in a signal handler may have interrupted this thread while it held the lock.
    if (!lock_.try_lock()) return;
    ends_ = true;
    ring();
    for (int looks = tunables::kEndLooks; threads_ > 0 && looks > 0; --looks) {
      const uint32_t seen = left_.load(std::memory_order_relaxed);
      lock_.unlock();
      futex_wait(&left_, seen, tunables::kEndLook);
      lock_.lock();
    }
    ends_ = false;
    lock_.unlock();
  }

  // The forking thread's, which nobody else ends in the child.
  bool has_unfinished() const { return unfinished_.load(std::memory_order_relaxed) != 0; }

 private:
  static constexpr uint32_t kMostUnfinished = 1 << 16;
  enum class Call { nobody, sleeper, new_thread };

  // A helper that was called and has not come yet calls the next when it has come. Under the lock.
  Call call_one() {
    if (coming_ > 0 || !first_) return Call::nobody;
    if (asleep_ > 0) {
      ++coming_;
      return ring(), Call::sleeper;
    }
    if (threads_ == g_config.hidden_helpers) return Call::nobody;
    ++coming_, ++threads_;
    return Call::new_thread;
  }
  void answer(Call call) {
    if (call == Call::sleeper) futex_wake(&bell_, 1);
    if (call != Call::new_thread) return;
    // Registered as late as this, so that it runs before libomptarget and the program's images are gone.
    if (!registered_.exchange(true, std::memory_order_relaxed)) atexit(await_target_tasks);
    size_t stack = g_config.stack_bytes;
    if (flow::make_thread(main, this, stack)) return;
    lock_.lock();
    --coming_, --threads_;
    Task* orphans = nullptr;
    if (threads_ == 0) {
      failed_.store(true, std::memory_order_relaxed);
      orphans = first_;
      first_ = last_ = nullptr;
    }
    lock_.unlock();
    return_to_teams(orphans);
  }
  // There is no helper and will be none: their teams run them.
  void return_to_teams(Task* t) {
    while (t) {
      Task* next = *t->link();
      t->flags &= uint16_t(~kTaskDetach);
      push_elsewhere(team_of(t), t);
      end_one();
      t = next;
    }
  }

  // comes: the helper was called for a task. nullptr: the helper ends.
  Task* take(bool comes) {
    lock_.lock();
    coming_ -= comes;
    while (!first_ && !ends_) {
      const uint32_t seen = bell_.load(std::memory_order_relaxed);
      ++asleep_;
      lock_.unlock();
      futex_wait(&bell_, seen);
      lock_.lock();
      --asleep_;
      if (coming_ > 0) --coming_;
    }
    Task* t = first_;
    if (t) {
      first_ = *t->link();
      if (!first_) last_ = nullptr;
    } else {
      --threads_;
    }
    const Call call = call_one();
    lock_.unlock();
    answer(call);
    return t;
  }

  void ring() {
    bell_.fetch_add(1, std::memory_order_relaxed);
    if (ends_) futex_wake(&bell_, INT_MAX);
  }

  void end_one() {
    // Release: what the task did, for await_tasks().
    if (unfinished_.fetch_sub(1, std::memory_order_release) == 1) futex_wake(&unfinished_, INT_MAX);
  }

  static void* main(void* arg) {
    auto* helpers = static_cast<Helpers*>(arg);
    Worker* w = attach_helper();
    helpers->serve(w);
    leave_helper(w);
    helpers->left_.fetch_add(1, std::memory_order_release);
    futex_wake(&helpers->left_, INT_MAX);
    return nullptr;
  }

  static void run(Worker* w, Task* t);

  flow::Mutex lock_;
  Task *first_ = nullptr, *last_ = nullptr;  // ready tasks
  int threads_ = 0, asleep_ = 0;
  int coming_ = 0;  // helpers that were called for a task and have not looked for it yet
  bool ends_ = false;
  std::atomic<bool> failed_{false};  // the system makes no threads
  std::atomic<bool> registered_{false};
  std::atomic<uint32_t> bell_{0};        // futex: changes, under the lock, when helpers are to look
  std::atomic<uint32_t> unfinished_{0};  // futex: tasks that were given and have not ended
  std::atomic<uint32_t> left_{0};        // futex: helpers that have ended
};

constinit Helpers g_helpers;

// Cancelled before it has begun: as discards() in cancel.h, of a task of another team.
bool is_cancelled(Team* team, Task* t) {
  if (EK_LIKELY(!g_config.cancellation) || (t->flags & kTaskCopied)) return false;
  return region_cancelled(team) || group_cancelled(t->group);
}

struct BodyCall {
  Task* task;
  bool called;
};

void Helpers::run(Worker* w, Task* t) {
  Team* team = team_of(t);
  t->flags &= uint16_t(~kTaskDetach);
  BodyCall call{t, !is_cancelled(team, t)};
  g_busy_threads.fetch_add(1, std::memory_order_relaxed);
  observe::with_observer(w, [=, &call](const auto& observer) {
    Task* before = w->current;
    begin_body<Kind::plain>(w, t, observer);
    observer.runs(w, t, __builtin_frame_address(0));
    if (!call.called) observer.discarded(w);
    auto body = [](void* p) {
      const auto& c = *static_cast<const BodyCall*>(p);
      call_body(self(), c.task, c.called);
    };
    // What the body creates belongs to a team of the helper's. gcc's body makes that itself.
    if (t->flags & kTaskKmp) in_target_team(w, t->icv, body, &call);
    else body(&call);
    w->current = before;
    observer.ends(w, t, call.called);
  });
  g_busy_threads.fetch_sub(1, std::memory_order_relaxed);
  t->owner.store(kNoWorker, std::memory_order_relaxed);
  // As end_detached() in task.cpp.
  w->fulfills = true;
  release_extra(w, t, team);
  end_task_anywhere(w, t, team);
  w->fulfills = false;
}

}  // namespace

void make_target_task(Worker* w, Task* t) {
  make_detachable(w, t);
  extra_of(t)->event.store(kOnHelper, std::memory_order_relaxed);
}

void make_ordinary(Worker* w, Task* t) {
  if (!is_target_task(t)) return;
  free_extra_block(w, extra_of(t));
  t->flags &= uint16_t(~(kTaskDetach | kTaskExtra));
}

bool helpers_take_tasks() { return g_helpers.takes_tasks(); }
void give_to_helpers(Task* t) { g_helpers.give(t); }
void end_helpers() { g_helpers.end(); }

void await_target_tasks() {
  Worker* w = t_worker;
  if (w && w->helps) return;
  do g_helpers.await_tasks();
  // Tasks of the host that follow them, which may have target tasks behind them.
  while (w && w->team == w->serial_team && run_one(w));
}

void helpers_after_fork() {
  const bool lost = g_helpers.has_unfinished();
  new (&g_helpers) Helpers;
  Worker* w = t_worker;
  if (!lost || !w || w->team != w->serial_team || w->current != &w->slot->implicit) return;
  if (!w->slot->deque.seems_empty() || !w->slot->inbox.seems_empty()) return;
  // Nobody runs or ends what the forking thread has handed out: it has no children any more.
  Task* t = w->current;
  release_implicit_extra(w, w->slot);
  t->refs.store(Task::kAlive, std::memory_order_relaxed);
  t->created = t->done = 0;
  for (Taskgroup* g = t->group; g; g = g->outer) {
    g->local = 0;
    g->balance.store(0, std::memory_order_relaxed);
  }
  w->slot->created.store(0, std::memory_order_relaxed);
  w->slot->executed.store(0, std::memory_order_relaxed);
  w->team->executed_elsewhere.store(0, std::memory_order_relaxed);
}

}  // namespace einkorn::runtime
