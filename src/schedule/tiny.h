// Which tasks run at once, as calls, under the default: where to queue them costs more than that can gain. A task with
// a priority or an event is never run so.
//
// Tiny tasks. To hand a task over costs its creator and the thief some 50 ns each, lines that travel between their
// caches the most of it. One thread that makes many tasks which take less than that is faster alone, whoever looks for
// work: it runs them as calls. The first of a task's children are queued in any case; then, where they are made
// quickly, one is tried, then two at once, then four, to kBatch, as long as they prove tiny by the clock and make no
// tasks; then some are queued again, more each time. So what is long among tiny ones is found out within a batch, and
// mostly queued. One with dependences is run so if nobody that it follows is still to end: then it is in no table
// either, since it has ended before anything can follow it. If somebody is, it is queued, and twice as many as after
// the last such one before this is asked again: the answer is in lines that the thread which ends tasks is writing.
//
// A region that the same function ran before begins where that one came to: where its tasks were tiny, or were made
// quickly and only followed others that were queued, the first is tried, and none is queued before it. (Behind 64 that
// others run, a chain of tiny ones would never be found without somebody to follow.) What can be lost by that is the
// time of one task that is long this time. After that so many regions begin without: one, two, four, and twice as many
// after each, until as many trials have been proven.
//
// defer = adaptive: a task runs at once while nobody in the team looks for work, the own queue holds enough for thieves
// that come later, and tasks are fine: each comes to its end, or to creating another one (where this is asked again),
// in about a microsecond. One of kCredit is timed; after two in a row that were not fine the next ones are queued, more
// each time. (After one they may be fine all the same: where a block of memory is the first of a page, the kernel's
// work is in the time.)
//
// The caller has the clock and the queue, and does what the answer says. All times here are in ns; the caller says what
// they are by its clock (Creation::time()). Asked by the runtime (task/inline.h); in a replay creators have no clock:
// not_replayed.h says so where tasks are tiny.
#pragma once
#include <cstdint>

namespace einkorn::schedule {

// What a thread knows of the tasks that it creates.
struct Inlining {
  static constexpr int kFirst = 64, kBroken = -1;
  const void* of = nullptr;        // the task whose children they are, which may be gone
  const void* function = nullptr;  // of the region whose implicit task that is; nullptr: another task, or not known
  int32_t credit = 0;  // that may still run at once before they are timed again; negative: so many are queued first
  int32_t batch = 0;   // tiny ones are timed so many at once; 0: none has been tried; kBroken: one was queued meanwhile
  int32_t skip = kFirst;  // how many were queued the last time
  bool in_doubt = false;  // adaptive: the last one that was timed was not fine, the one before it was, or none
  bool on_trial = false;  // tried from the region's first task on, and not yet proven
  uint8_t breaks = 0;     // one had to be queued: so often since a batch was tiny, kMostBreaks at the most
  uint8_t refuted = 0;    // trials, kMostRefuted at the most, but for those that were forgiven
  uint32_t count = 0;     // run at once in all
  uint32_t created = 0;   // when the batch began: of others than `of`, by this thread
  uint64_t began = 0;     // the batch, or queueing, by the caller's clock
  uint32_t due = 0;       // while tasks are queued: it is asked again when `of` has created so many
  uint16_t regions = 0;   // that are still to begin without a trial
  uint16_t proven = 0;    // trials since one was refuted, or since that was forgiven
};

enum class AtOnce : uint8_t { no, yes, ask };  // ask: tiny_at_once()

// `creator` makes a task, and there is no room for it under the limit of its queue (kFirst, or as many as the latest
// answer allows).
inline AtOnce credit_at_once(Inlining& my, const void* creator) {
  return my.credit > 0 && my.of == creator ? --my.credit, AtOnce::yes : AtOnce::ask;
}
// The same for one with dependences and nothing else unusual, whatever room there is. created: by the creator so far.
inline AtOnce dependent_at_once(Inlining& my, const void* creator, const uint32_t& created) {
  if (my.of != creator) return AtOnce::ask;
  if (my.credit > 0) return --my.credit, AtOnce::yes;
  return my.batch <= 0 && int32_t(created - my.due) < 0 ? AtOnce::no : AtOnce::ask;
}
// The answer was yes, and it cannot be done. created: as above.
void not_at_once(Inlining&, uint32_t created);

// A thread comes to a region of `function` (nullptr: not known), where `creator` is its implicit task. Is it asked from
// the first task on, so that its queue has no room? What was timed last is forgotten: it would have lasted until now.
inline bool tries_first(Inlining& my, const void* creator, const void* function) {
  my.of = nullptr;
  if (my.batch == 0 || my.function != function || function == nullptr) return false;
  if (my.regions > 0) return --my.regions, false;
  my.of = creator;
  my.credit = 0;
  my.batch = Inlining::kBroken;
  my.breaks = 0;
  my.due = 0;
  my.on_trial = true;
  return true;
}

// A task is tiny that takes less, with what it takes to make it: on two threads to hand over as much work pays from
// some 100 ns on, where CPUs are virtual later.
inline constexpr uint64_t kTiny = 150;

struct Creation {
  const void* creator;
  const void* function;     // as Inlining::function
  uint32_t created;         // by it so far
  uint32_t created_beside;  // by others on this thread
  uint64_t now;             // by the caller's clock
  bool dependent, recorded;
  bool placed;                           // others' places are asked for: then none runs at once
  uint32_t ticks_in_2_20_ns = 1u << 20;  // of that clock

  uint64_t time(uint64_t ns) const { return ns * ticks_in_2_20_ns >> 20; }
};
struct TinyAnswer {
  bool at_once;
  int32_t queue = 0;            // so many more are queued before it is asked again
  bool queues_no_more = false;  // from now on each task that is made is asked about
};
TinyAnswer tiny_at_once(Inlining&, const Creation&);

// ---- defer = adaptive --------------------------------------------------------------------------------------------

// What a queue must hold: thieves take a quarter at a time, and find work for some microseconds.
inline constexpr int64_t kEnoughQueued = 128;
inline constexpr int kAdaptiveCredit = 64;
inline constexpr uint64_t kFine = 1000;

// There is no room for it in the queue, and nobody looks for work.
inline bool fine_at_once(Inlining& my) { return my.credit < 0 ? ++my.credit, false : true; }
// Is this one, which runs at once, to be timed?
inline bool times_fine(Inlining& my) { return --my.credit < 0; }
// It was; fine: it has made tasks, or took less than kFine.
void judge_fine(Inlining&, bool fine);

}  // namespace einkorn::schedule
