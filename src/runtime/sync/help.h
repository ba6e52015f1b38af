// What a thread does that must wait: help_until(), whatever it waits for (wait.cpp, barrier.cpp). It runs tasks, looks
// for tasks, and sleeps when there are none. Which tasks it may start: a new tied task must descend from every tied
// task that is suspended on its thread (OpenMP 5.1, 2.12.6); the deepest is enough, as it descends from the others.
// Waits in a barrier are exempt.
//
// A Wait is what is waited for:
//   kAnyTask           may any task start meanwhile? else descendants of the current one
//   may_take(slot)     with kAnyTask: may one still start? asked for each
//   may_take_own()     the same for what the thread itself has queued; where that is not asked it is not there
//   found_nothing()    a search has come back without a task; may be missing, too
//   done(), ended()    done() is asked often, ended() more often: it looks at one word, and may say no
//   arm(), disarm()    around a sleep, arm() before the heavy fence
// Orders: done() and ended() acquire, so that what ended tasks and arrived threads did before comes before what follows
// the wait. arm() is seq_cst: whoever ends what is waited for updates the same word, and so either is found by the look
// behind arm(), or finds the mark and wakes us: that needs no fence beside it. disarm() orders nothing.
#pragma once
#include "base/clock.h"
#include "runtime/sync/apart.h"
#include "runtime/sync/halted.h"
#include "runtime/sync/search.h"
#include "runtime/sync/sleep.h"

namespace einkorn::runtime {

// Announces that w sleeps, looks a last time, sleeps. Returns a task that the last look found. watches: as the team's
// watcher, at most for nap, which grows.
template <class Wait>
Task* sleep(Worker* w, Wait& wait, flow::Searchers* near, bool& watches, int64_t& nap) {
  Team* team = w->team;
  w->any_task.store(Wait::kAnyTask, std::memory_order_relaxed);
  flow::Sleep sleep(*team, w->park, near);
  wait.arm();
  // Where nobody has made a task in this region a plain fence will do: who makes its first passes one as well, after it
  // has set has_tasks (mark_slot()). In a fenced team it will do always. heavy_fence(): pairs with light_fence() in
  // after_push(). full_fence(): with mark_slot(), and with the full_fence() before each reader of the idle word.
  sleep.fence([team] {
    return team->has_tasks.load(std::memory_order_acquire) && !team->fenced.load(std::memory_order_relaxed);
  });
  if (!watches) watches = team->n > team->cpus && sleep.becomes_watcher();
  nap = watches || placed_must_nap(team, Wait::kAnyTask) ? flow::next_nap(nap) : -1;
  Task* t = nullptr;
  w->refused = false;
  if (!wait.done() && !(t = search(w, wait, true, true)) && !wait.done()) {
    // Somebody who pushed a task that we must not run may rely on us as the one that looks for work.
    if (w->refused) wake_any_task(team);
    if constexpr (requires { wait.found_nothing(); }) wait.found_nothing();
    uint64_t before = w->stream ? ticks() : 0;
    Halted halted(w);
    tell_cpu(w);
    sleep.wait(nap);
    tell_cpu(w);
    if (w->stream) w->stream->parked(ticks() - before);
  }
  wait.disarm();
  watches |= sleep.end();
  return t;
}

// Runs tasks until wait.done(); looks for them; sleeps when there are none.
template <class Wait>
void help_until(Worker* w, Wait& wait) {
  Team* team = w->team;
  record::Stream* s = w->stream;
  // Kept: who is late to leave does so where it came in, whatever size the team has by then.
  flow::Searchers* const near = searchers_near(team, w->slot);
  auto rounds_now = [team](uint64_t idle) {
    const int awake = team->n - (team->has_tasks.load(std::memory_order_relaxed) ? int(parked(idle)) : 0);
    return schedule::rounds_awake(spin_rounds(team, awake));
  };
  // turn: so many rounds' time passes from one search to the next, where many search and there are tasks. How many do
  // is asked again after some turns: the word is one that others write. It and rounds are known from when the thread
  // counts as idle.
  constexpr int kTurnsUnasked = 4;
  int rounds = 0, round = 0, turn = 1, asks_at = 0;
  auto take_turns = [&](uint64_t idle) {
    const bool some = team->has_tasks.load(std::memory_order_relaxed);
    const uint32_t n = uint32_t(team->n),
                   seekers = some ? flow::searching_about(idle, near, uint32_t(g_arrivals_a_line)) : 0;
    const uint32_t out = seekers + parked(idle);
    // Where it is a guess somebody is at work, as there are tasks.
    turn = some ? schedule::turns(seekers, n > out ? n - out : near != nullptr, rounds) : 1;
    asks_at = round + kTurnsUnasked * turn;
  };
  bool idle = false, watches = false, woken = false;
  int64_t nap = -1;
  Lingering lingering;
  AwakeWait awake(w);
  Task* next = nullptr;  // released by the task that ended last, and in no queue
  w->slot->deque.publish_long();
  while (!wait.done()) {
    if (EK_UNLIKELY(next != nullptr)) {
      // A sibling of the one that ended: what that was allowed to do it is. But for more urgent ones.
      if (EK_LIKELY(team->urgent_tasks.load(std::memory_order_relaxed) == 0)) {
        next = run_task_of_batch(w, next);
        continue;
      }
      push_task(w, next);
      next = nullptr;
    }
    // After a few fruitless rounds the private tasks of an owner that does nothing about them are taken by force.
    // Who was woken for a task, and who sleeps at once, looks everywhere.
    const int looks = idle && (woken || rounds == 0) ? INT_MAX : schedule::kMostLooks;
    Task* t = search(w, wait, idle && schedule::may_force(round, rounds), false, looks);
    woken = false;
    if (!t && idle && (round += turn) > rounds && !(rounds > 0 && !watches && lingers(w, lingering))) {
      awake.end();
      {
        const AsleepAside aside(w);
        t = sleep(w, wait, near, watches, nap);
      }
      round = watches ? rounds : 0;
      lingering = {};
      turn = 1, asks_at = round;
      woken = true;
    }
    if (t) {
      if (idle) {
        const uint64_t now = flow::end_search(*team, near);
        if (s) s->idle_end(ticks());
        idle = false;
        awake.end();
        // Whoever pushed several has woken one of us, and who else pushed meanwhile relied on us: wake the next.
        bool more = w->more || (searching(now) == 0 && parked(now) != 0 && seems_to_have_queued(team));
        w->more = false;
        if (more) wake_another(w, now);
        if (EK_UNLIKELY(watches)) watches = false, pass_watch(team);
      }
      next = run_task_of_batch(w, t);
      round = 0;
      nap = -1;
      lingering = {};
      continue;
    }
    if (w->ended != 0) count_ended(w);
    keep_credit_of(w, nullptr);
    if constexpr (requires { wait.found_nothing(); }) wait.found_nothing();
    if (!idle) {
      // Hungry from here on: whoever pushes now lets others have it.
      const uint64_t now = flow::begin_search(*team, near);
      rounds = rounds_now(now);
      take_turns(now);
      // Orders the update before the next search, so that a push is found by that or sees us, but for one behind a
      // light fence: that one the look before a sleep finds.
      fence_after_update();
      if (s) s->idle_begin(ticks());
      idle = true;
    } else {
      if (round >= schedule::kEagerRounds) awake.begin();
      if (round >= asks_at) take_turns(team->idle.load(std::memory_order_relaxed));
      for (int left = turn * schedule::pauses_after(round, rounds); left > 0 && !wait.ended(); --left) pause();
    }
  }
  if (EK_UNLIKELY(next != nullptr)) push_task(w, next);
  if (w->ended != 0) count_ended(w);
  keep_credit_of(w, w->current->group);
  if (idle) {
    flow::end_search(*team, near);
    if (s) s->idle_end(ticks());
    if (EK_UNLIKELY(watches)) pass_watch(team);
  }
}

}  // namespace einkorn::runtime
