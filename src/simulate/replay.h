// Inside of the engine (engine.h): what it keeps, and what it does in which file.
//   engine.cpp   time passes: events, a worker's steps, tasks, waits, regions, loops
//   looking.cpp  a worker without work: where it looks, what it takes, who is woken
//   pieces.cpp   a piece of a task: its own time, its memory, its locks
//   exclusive.cpp  tasks that exclude each other
//   locking.cpp  who has a lock, and a place's queue, after whom; who waits for another's step
#pragma once
#include <algorithm>
#include <deque>
#include <queue>

#include "schedule/lock_looks.h"
#include "simulate/asking.h"
#include "simulate/memory.h"
#include "simulate/traffic.h"
#include "simulate/types.h"

namespace einkorn::simulate {

using schedule::Context;
using schedule::Layout;

// Where a task is in its steps.
struct Frame {
  uint32_t task;
  uint32_t step;  // in Program::steps
  enum Phase : uint8_t { fresh, paid, accessing, locking, waiting } phase = fresh;
  bool nested = false;     // member of a region that one worker runs alone
  uint32_t access = 0;     // of a nested region, the next member; of a chunk in its turn, whether that has begun
  uint32_t point = kNone;  // of its piece, the next lock point
  double ran = 0;          // of its piece's ns
  uint32_t chunk = kNone;  // of the loop that it is in
  bool entered = false;    // that loop
  double begin = 0;        // of its stay
};

struct Worker {
  int node = 0;
  bool idle = false;  // in Engine::idle_
  std::vector<Frame> stack;
  Thief thief;
  int round = 0;        // its searches in vain since it found something, the latest of which that went elsewhere ...
  double searched = 0;  // ... was then
  double look_at = -1;  // idle, and looks again then, whatever happens; < 0: when it is told
  double since = 0;     // streaming, or waiting for its turn: its begin
  std::vector<Memory::Fetch> fetches;  // of the piece that it runs: no other one comes in between
  std::vector<uint32_t> streams;       // of these, those that flow
  uint32_t version = 0;                // of its events the latest counts
  bool told_idle = false;              // in the trace
  bool stands = false;                 // in a chunk, before an iteration of another's
};

struct Event {
  double at;
  uint64_t order;
  uint32_t worker, version;
  bool look;  // else: goes on with its top frame
  bool operator>(const Event& o) const { return at != o.at ? at > o.at : order > o.order; }
};

struct Lock {
  struct Waiter {
    uint32_t worker;
    double since, awake, at;  // since when; since when it is awake; its next look
    schedule::LockLooks looks;
    bool asleep, woken;  // woken: it is about to try
  };
  uint32_t holder = kNone, depth = 0;
  int last = -1;  // the PU of who had it last
  std::vector<Waiter> waiting;
};

// Of a place's queue.
struct QueueLine {
  double free = 0;  // until then others are before whoever comes
  int last = -1;
  std::deque<double> begins;  // of those that stand in turn
};

struct LoopState {
  uint32_t next = 0;                               // on_demand
  std::vector<std::pair<uint32_t, uint32_t>> own;  // fixed: what is left of each member's block; batched: of its batch;
                                                   // own_firsts: of its chunk
  std::vector<uint32_t> round;                     // rounds: of each member; own_firsts: kNone: has run the last one
  std::vector<schedule::Batch<double>> batch;      // batched: each member's
  uint32_t turn = 0;                               // ordered: the chunk that has it, and who waits for which one's
  std::vector<std::pair<uint32_t, uint32_t>> waiting;
};

// Of a signal: the PU of who has posted it; else the workers that wait for it.
struct SignalState {
  int pu = -1;
  std::vector<uint32_t> waiting;
};

struct Team {
  uint32_t n = 0, arrived = 0;
  uint64_t tasks = 0;  // its own that have not ended
};

class Engine {
 public:
  Engine(const Program& p, const Setup& s, bool tracing)
      : p_(p),
        s_(s),
        tracing_(tracing),
        layout_(schedule::make_layout(s.schedule, *s.machine, s.pus)),
        queues_(layout_.places.size()),
        memory_(p, s),
        traffic_(*s.machine),
        workers_(s.pus.size()),
        children_(p.tasks.size(), 0),
        group_(p.groups, 0),
        before_(p.tasks.size()),
        runner_(p.tasks.size(), kNone),
        forked_(p.tasks.size(), false),
        outside_(p.tasks.size(), false),
        let_go_(p.tasks.size(), false),
        loops_(p.loops.size()),
        locks_(p.locks),
        signals_(p.signals),
        sets_(p.sets),
        has_sets_(p.sets > 0 ? p.tasks.size() : 0, 0),
        lines_(layout_.places.size()),
        turn_(layout_.places.size(), 0) {
    for (size_t t = 0; t < p.tasks.size(); ++t) before_[t] = p.tasks[t].predecessors;
    for (size_t i = 0; i < workers_.size(); ++i) {
      workers_[i].node = s.machine->pus[size_t(s.pus[i])].node;
      workers_[i].thief.state.random.x = (2463534242u + uint32_t(i) * 7919u) ^ (s.seed * 0x9e3779b9u);
      if (workers_[i].thief.state.random.x == 0) workers_[i].thief.state.random.x = 1;
    }
    schedule::LockLooks looks;
    while (const int gap = looks.next()) gap_after_.insert(gap_after_.end(), size_t(gap), gap);
    out_.workers.resize(workers_.size());
    if (tracing_) out_.trace.resize(workers_.size());
  }

  Outcome run();

 private:
  Context asking(uint32_t w) { return {s_.schedule, layout_, queues_, workers_[w].thief.state, int(w)}; }
  WorkerTime& time_of(uint32_t w) { return out_.workers[w]; }

  void at(double when, uint32_t w, bool look = false) { events_.push({when, made_++, w, ++workers_[w].version, look}); }
  // The worker is busy with the runtime's own code.
  void pay(uint32_t w, double now, double cost) {
    time_of(w).overhead += cost;
    at(now + cost, w);
  }

  void tell(uint32_t w, double when, Mark mark, uint32_t ref, double cost = 0) {
    if (tracing_) out_.trace[w].push_back({when, ref, mark, float(cost)});
  }
  void tell_idle_end(uint32_t w, double when) {
    if (!workers_[w].told_idle) return;
    workers_[w].told_idle = false;
    tell(w, when, Mark::idle_end, kNone);
  }

  // ---- a worker's steps --------------------------------------------------------------------------------------------

  void begin_task(uint32_t w, uint32_t task, double now, bool nested = false) {
    const Task& t = p_.tasks[task];
    runner_[task] = w;
    Frame f{task, t.first_step};
    f.nested = nested;
    f.begin = now;
    workers_[w].stack.push_back(f);
    if (t.explicit_task) ++time_of(w).tasks, tell(w, now, Mark::start, task);
    else if (task != 0) tell(w, now, Mark::implicit_begin, task);
  }

  void go_on(uint32_t w, double now);
  void next_step(Frame& f) {
    ++f.step;
    f.phase = Frame::fresh;
    f.access = 0;
    f.chunk = kNone;
    f.entered = false;
  }

  // False: time passes, an event will go on. True: at once.
  bool run_step(uint32_t w, double now);

  // A step's or a chunk's own time with its hits in caches, then what comes from memory, from all nodes at once; so
  // from lock point to lock point. True: done.
  bool run_piece(uint32_t w, double now, Frame& f, const Step& s) { return run_piece(w, now, f, s, s.ref); }
  bool run_piece(uint32_t w, double now, Frame& f, const Chunk& c) { return run_piece(w, now, f, c, c.locks); }
  template <class Piece>
  bool run_piece(uint32_t w, double now, Frame& f, const Piece& piece, uint32_t locks);
  template <class Piece>
  bool run_stretch(uint32_t w, double now, Frame& f, const Piece& piece, double more);
  void begin_streams(uint32_t w, double now);
  void stream_ended(double now);

  // ---- what is shared by writing to it -----------------------------------------------------------------------------

  double random_of(uint32_t w) { return double(schedule::next_random(workers_[w].thief.state.random)) / 0x1p32; }
  double line_from(int pu, uint32_t w) const;
  static int who_look(const Lock& l);
  double looks_meanwhile(int gap) const;
  double crowd(const Lock& l, uint32_t except) const;
  // False: it waits, and will be called again. section: ns up to the next lock point.
  bool take_lock(uint32_t w, double now, uint32_t lock, double section, double& cost);
  double release_lock(uint32_t w, double now, uint32_t lock);  // what that costs
  // What it takes to push to that place's queue or to take from it: until others are through, and to get its line.
  double enter_queue(uint32_t w, int place, double now);

  // ---- tasks -------------------------------------------------------------------------------------------------------

  bool fork(uint32_t w, double now, Frame& f, const Step& s);

  // A task that may start: to its place. It may have to run at once, by whoever asks. Returns what that costs the
  // worker.
  double push(uint32_t w, uint32_t task, double now, bool source);
  // All that it follows have ended. Tasks of one set run one at a time: it is pushed once it has all of its sets, which
  // it takes in their order (src/runtime/task/depend.cpp).
  double ready(uint32_t w, uint32_t task, double now, bool source);
  double leave_sets(uint32_t w, const Task& t, double now);
  void tell_bytes(uint32_t task, schedule::TaskFacts& facts);

  bool release(uint32_t w, double now, Frame& f, const Step& s);

  // False: the worker goes on later, or the program has ended.
  bool end_task(uint32_t w, double now);
  bool leave_waits(const Task& t, double now);

  // ---- waits -------------------------------------------------------------------------------------------------------

  bool wait(uint32_t w, double now, Frame& f);
  void leave_wait(uint32_t w, double now, Frame& f);
  bool barrier(uint32_t w, double now, Frame& f);

  // All members go on from the barrier, if it is over. Nobody runs a task then: all stand in it.
  bool finish_barrier(double now);
  bool region(uint32_t w, double now, Frame& f, const Step& s);

  // ---- loops -------------------------------------------------------------------------------------------------------

  bool loop(uint32_t w, double now, Frame& f, const Step& s);
  uint32_t next_of_guided(uint32_t me, const Loop& l, LoopState& state, uint32_t n);
  uint32_t next_chunk(uint32_t w, double now, const Loop& l, LoopState& state, bool nested);
  uint32_t next_of_batch(uint32_t w, double now, const Loop& l, LoopState& state, uint32_t n);
  bool take_turn(uint32_t w, double now, Frame& f, const Step& s);  // false: not through yet

  // ---- steps that others wait for: locking.cpp ---------------------------------------------------------------------

  bool post(uint32_t w, double now, Frame& f, const Step& s);
  bool await(uint32_t w, double now, Frame& f, const Step& s);
  // Of a chunk: false: it waits, and will be called again.
  bool step_of_chunk(uint32_t w, double now, const Frame& f, const LockPoint& p, double& cost);
  bool force_signal();  // nothing moves: who waits for one goes on all the same

  // ---- looking for tasks -------------------------------------------------------------------------------------------

  bool descends(uint32_t task, uint32_t ancestor) const;
  // May who waits there run that task meanwhile? In a task descendants of it; in a barrier what the team created, and
  // the initial task what was created where it is itself: outside of regions.
  bool allowed(const Frame& f, uint32_t task) const {
    return p_.tasks[f.task].explicit_task ? descends(task, f.task) : outside_[task] == (team_.n == 0);
  }
  void look(uint32_t w, double now);
  bool over(const Frame& f) const;
  void take(uint32_t w, double now, const Found& found);
  void leave_idle(uint32_t w) {
    if (!workers_[w].idle) return;
    workers_[w].idle = false;
    workers_[w].look_at = -1;
    idle_.erase(std::find(idle_.begin(), idle_.end(), w));
  }
  void wake(uint32_t w, double now, bool to_look) {
    leave_idle(w);
    at(now + s_.costs.wake, w, to_look);
  }

  // When an idle worker looks beyond its own places next: by `backoff`, of the searches that it has made meanwhile some
  // did not.
  double looks_elsewhere(Worker& me, double now) const;
  double looks_into_level(Worker& me, schedule::Level level, double now) const;
  // It looks then, and is idle until that.
  void look_again(uint32_t w, double when) {
    workers_[w].look_at = when;
    at(when, w, true);
  }

  // Something lies in that place: one of the idle workers in a barrier looks, nearest first, else those that wait in
  // tasks.
  void notify(int at_place, double now);

  // Idle workers that wait in a task, and for which it holds, look again.
  template <class Holds>
  void look_up(double now, Holds&& holds) {
    const std::vector<uint32_t> idle = idle_;
    for (const uint32_t w : idle) {
      const Frame& f = workers_[w].stack.back();
      if ((p_.tasks[f.task].explicit_task || over(f)) && holds(f)) wake(w, now, true);
    }
  }

  // Nothing moves: a worker that waits in a task fetches a descendant of it from wherever it lies (placed_search.cpp).
  bool rescue();
  bool let_go();

  const Program& p_;
  const Setup& s_;
  const bool tracing_;
  const Layout layout_;
  Queues queues_;
  Memory memory_;
  Traffic traffic_;
  std::vector<Worker> workers_;
  std::vector<uint32_t> children_;  // per task: of it, that have not ended
  std::vector<uint32_t> group_;     // per group
  std::vector<uint32_t> before_;    // per task: predecessors that have not ended
  std::vector<uint32_t> runner_;    // per task: the worker that began it
  std::vector<bool> forked_;        // per task: its creator has come by
  std::vector<bool> outside_;       // per task: created outside of regions, so of no team
  // Per task: its creator no longer waits for it, nor does a group (rescue()).
  std::vector<bool> let_go_;
  std::vector<uint32_t> unreleased_;  // created before all their signals had come; some have come since
  std::vector<LoopState> loops_;
  std::vector<Lock> locks_;
  std::vector<SignalState> signals_;
  struct SetState {
    bool held = false;
    std::deque<uint32_t> waiting;  // tasks
  };
  std::vector<SetState> sets_;
  std::vector<uint32_t> has_sets_;  // by task, where there are sets: how many of its own it has
  uint64_t waits_ = 0, wakes_ = 0;  // of those who waited for a lock
  std::vector<QueueLine> lines_;    // by place
  std::vector<double> turn_;        // by place: until then one of its workers looks elsewhere (thieves = one-per-place)
  // Of who has waited so many pauses for a queue: how many from look to look. Behind its end it sleeps.
  std::vector<int> gap_after_;
  std::vector<uint32_t> idle_;  // in the order in which they became idle
  std::vector<uint64_t> read_, written_, coarse_;
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> events_;
  uint64_t made_ = 0;
  bool releases_ = false;  // a task has ended, and its thread waits at the outermost level ...
  uint32_t next_ = kNone;  // ... which runs this one next
  Team team_;
  double now_ = 0;
  bool done_ = false;
  Outcome out_;
};

}  // namespace einkorn::simulate
