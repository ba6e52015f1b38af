// Decides which places a worker without work may take from, how many tasks of each, and which come next: its own, then
// others' in the order of the axis `select` (select.h). What it does there: place_search.h.
#pragma once
#include "schedule/select.h"

namespace einkorn::schedule {

// Of a place no more are taken at once, however many `take` says.
inline constexpr uint32_t kMostAtOnce = 256;

// Take at most `most` tasks from the place, the oldest; own: its own, in the schedule's order, and one.
struct Visit {
  int place;
  uint32_t most;
  bool own;
};

// What a search leaves out by the axis `backoff`: others' places; or those of a level, the cluster's own queue of
// codelets with those in it.
struct LeftOut {
  bool others = false;
  bool level[kLevels] = {false, false};
};

// May an idle worker take from the place while `length` tasks are queued there? What select, reach and guard say;
// always from its own. Who asks here is the search, who wakes for a push, and who wants to know whether a task is left
// to itself.
bool may_take(const Schedule&, const Layout&, int worker, int place, uint32_t length);
// May it run at once what would go to that place, whose queue is full, or which `defer` would have run? Not what the
// program, or the schedule, keeps elsewhere.
bool may_run_instead(const Schedule&, const Layout&, int worker, int place, const TaskFacts&);
// Where those of several go that a worker has taken from that place and does not run now: to its finest place, or
// procedures among procedures.
inline int kept_at(const Layout& l, int worker, int from) {
  const Layout::Worker& w = l.workers[size_t(worker)];
  return w.own[w.own_count > 1 && l.places[size_t(from)].kind == PlaceKind::procedures];
}
// Is the place in another group of workers than this one (reach = vicinity)?
bool is_across(const Schedule&, const Layout&, const Layout::Worker&, const Place&);
// Does the program rely on tasks staying where the schedule has put them? With two levels: on codelets, at least.
bool keeps_tasks(const Schedule&);
// Are there places from which some workers may not take, whoever sleeps? Then tasks may be out of reach of those who
// wait for them: see rescue() in the runtime (placed_search.cpp).
bool is_closed(const Schedule&);

// One round of looking. Every place that the worker may take from comes once, but those that are empty, or that the
// rule passes over (SelectRule::covers).
class Search {
 public:
  enum class Who : uint8_t {
    idle,
    own_only,  // another worker of the place looks elsewhere for all (thieves = one_per_place), or it is too early
               // (backoff)
    in_task,   // it waits in an explicit task, for which it may run that task's descendants alone: see below
  };
  // all: the last look before a sleep: no place is passed over that the worker may take from, so that nothing is
  // forgotten.
  //
  // A task's stack is its thread's, so that a thread which waits in one cannot leave it for any other task (tied
  // tasks). With select = none each worker has its own queue alone: children in the queue of a worker that waits itself
  // would never run. So there who waits in a task looks for its descendants in all places.
  Search(const Context& c, Who who, bool all, const LeftOut& left = {});
  // False: the round is over.
  bool next(Visit* visit);

 private:
  int next_place();
  bool is_own(int place) const;
  bool may_visit(int place, uint32_t length) const;  // not its own
  uint32_t amount(uint32_t length) const;

  const Context& c_;
  Who who_;
  bool all_;
  LeftOut left_;
  int own_at_ = 0;
  bool others_ = false;  // done with the own ones
  Round round_;
};

}  // namespace einkorn::schedule
