// The state machine of one thread's stream: records -> states, contexts, steps. See record/format.h for the machine.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>
#include "profile/raw.h"
#include "profile/state_clock.h"
#include "profile/ticks.h"

namespace einkorn::profile {

class ThreadDecoder {
 public:
  ThreadDecoder(Recording& out, uint32_t thread, const Ticks& ticks, const IntervalSink* sink)
      : out_(out), ticks_(ticks), thread_(thread), sink_(sink && *sink ? sink : nullptr) {}

  void begin(const record::ThreadRecord&);
  // Decodes one block of events; call in the thread's order. False: the block ends in something that cannot be read.
  bool events(const uint64_t* words, size_t n, uint64_t sequence, uint64_t first_tick, uint64_t first_serial);
  // Ends the recording. `complete`: nothing is missing, so the last state lasted until the end.
  void finish(int64_t end, bool complete);
  int64_t now() const { return now_; }

 private:
  enum class FrameKind : uint8_t { base, region, implicit, task, wait, yield, loop, chunk, taskloop, mutex, lost };

  struct Frame {
    FrameKind kind;
    bool idle = false;              // between idle_begin and idle_end
    bool over = false;              // implicit: past the barrier that ends its region; no user code runs any more
    bool unaligned = false;         // context: records were lost in it; its place among the team's barriers is unknown
    record::Construct construct{};  // wait: what for
    uint32_t owner = 0;             // frame of the context that it belongs to; for a context its own index
    uint32_t context = kNone;
    uint32_t host = kNone;  // context of the innermost implicit task
    uint32_t step = kNone;  // context: the open step
    uint32_t ref = kNone;  // region, loop, chunk: index in its table; wait: site; task: the same, if it runs undeferred
    uint32_t loops = 0;    // context: work-sharing constructs encountered
    uint32_t taskloops = 0;    // context, chunk: taskloops encountered
    uint32_t levels = 0;       // lost: implicit tasks that were open when the records stopped
    bool after_loop = false;   // context: the open step follows the end of a loop or a taskloop
    int64_t since = 0;         // wait, mutex: begin
    uint64_t call = 0;         // taskloop: its return address
    uint32_t depends = kNone;  // wait: the first of its dependences; context: of the task it creates next
  };
  enum class Dependent : uint8_t { nobody, task, wait };
  // The duration of something that the recorder timed only now and then: a running mean, in which one outlier counts
  // little.
  struct Typical {
    int64_t ns = 0;
    bool known = false;
    void note(int64_t took) {
      took = std::clamp<int64_t>(took, 0, 1'000'000'000'000);  // a damaged file may say anything
      ns = known ? ns + (std::min(took, 4 * ns + 100) - ns) / 4 : std::min<int64_t>(took, 10000);
      known = true;
    }
  };
  struct Held {
    int64_t since;
    uint32_t lock;
  };

  void record(record::Kind, uint32_t payload, const uint64_t* extra);
  void gap(uint64_t first_tick);
  void loss(record::LossReason, const uint64_t* extra);
  void aggregate(const uint64_t* extra);
  void subtree(uint32_t site, const uint64_t* extra);
  void outside(int64_t t);

  // ---- time
  void advance(int64_t t);
  void add(State, int64_t begin, int64_t end);
  State state_of(const Frame&) const;
  bool counts() const { return initial_ || counted_; }  // otherwise the thread is outside: in no team
  void charge(State, int64_t until);                    // moves on to `until`, all of it in one state
  // The wait that the top frame is, and its context; site kNone: the frame is not a wait. Kept apart, as the frames may
  // have changed by the time that it is charged.
  struct Waiter {
    uint32_t site = kNone, chunk = kNone, context = kNone;
  };
  Waiter waiter();
  void charge_wait(const Waiter&, State, int64_t duration);
  void charge(State, int64_t until, const Waiter&);  // to a wait that may not be the top frame
  WaitUse& wait_at(uint32_t site);                   // one of the file's
  void count_task_in_wait();
  void cpu_time(int64_t t, uint32_t switches, const uint64_t* extra);
  void take_reading(bool within_call);
  void take_counts(record::Kind next, bool within_call);  // what `counters` before that record have told
  void guess_overhead(const Typical&);                    // for an event that begins now, without a stamp of its own

  // ---- frames and steps
  Frame& top() { return stack_.back(); }
  Frame& owner() { return stack_[top().owner]; }
  void push(FrameKind, uint32_t context = kNone);
  void pop();
  uint32_t new_context(ContextKind, uint64_t key);
  StepKind step_kind() const;  // of what runs in the top frame
  void open_step();            // of the owner, if none is open
  void close_step(Action, uint32_t ref);
  void end_context(bool ended, bool estimated);
  void close_top(bool ended, bool estimated);  // of any kind: its end was not recorded where it should be
  void drop_mutexes();
  bool drop_down_to(FrameKind);  // frames that a cancelled construct leaves behind; false: no such frame below them
  uint32_t innermost(FrameKind, FrameKind) const;  // topmost frame of either kind

  // ---- the records that need more than a line
  void region_begin(uint32_t site, uint64_t id, uint32_t team, uint32_t level);
  void region_end(bool goes_on);
  void implicit_begin(uint32_t member, uint64_t region);
  void implicit_end(uint32_t not_asked);
  void task_create(uint32_t site, int64_t end);
  void task_create_brief(uint32_t site, int64_t end);
  void task_run(uint64_t id, int64_t end);
  uint64_t own_task(uint32_t low) const;
  bool runs_at_once(uint32_t site) const;
  void leave_taskloop();
  bool from_loop_end(uint32_t site);
  bool in_one_call(record::Kind, uint32_t site);
  uint64_t return_address(uint32_t site) const;
  void task_range(uint64_t first, uint64_t count);
  void depend(uint32_t count, const uint64_t* extra);
  void dependent(Dependent, uint32_t index);
  void task_start(uint64_t id);
  void task_end(bool suspended);
  void give_way(uint32_t site);
  void stretch(uint32_t site);
  void edge(uint32_t count, const uint64_t* extra);
  void signalled(uint64_t codelet, uint32_t left);
  void iteration(bool awaited, uint64_t position);
  void fulfill(uint64_t task);
  void fired(uint32_t payload, const uint64_t* extra);
  bool runs_the_program();
  void cut(Action, uint32_t ref);
  void place(uint32_t node);
  void footprint(uint64_t bytes, uint64_t known, bool estimated);
  void footprint_node(uint32_t node, uint64_t read, uint64_t written);
  void touch(uint32_t what, uint64_t address, uint64_t bytes);
  void wait_begin(uint32_t site);
  void wait_begin(uint32_t site, record::Construct what);
  void graph_run(uint32_t site, uint64_t id, uint64_t graph);
  void codelet_begin(uint32_t node, uint64_t run);
  void wait_end(bool goes_on);
  void loop_begin(uint32_t site, const uint64_t* extra);
  void chunk_end();
  void chunk_begin(uint64_t first, uint64_t count, bool regular);
  void mutex_acquired(uint32_t site, uint64_t address);
  void mutex_released(uint64_t address, int64_t woken);  // woken: when it had woken the waiter
  uint32_t lock_of(uint64_t address, uint32_t site);
  void lock_point(uint32_t lock, bool taken);

  Recording& out_;
  const Ticks& ticks_;
  StateClock clock_;
  std::vector<Frame> stack_;
  std::vector<Held> held_;
  uint32_t thread_;
  const IntervalSink* sink_;
  uint64_t tick_ = 0;    // of the latest record
  uint64_t serial_ = 0;  // tasks created so far
  uint64_t next_sequence_ = 0;
  int64_t last_stamp_ = 0;         // ns, of the latest record with a time
  int64_t now_ = 0;                // ns up to which time is accounted for
  int64_t overhead_until_ = 0;     // a creation lasts until here
  uint32_t pending_task_ = kNone;  // the task of that creation
  bool guessed_ = false;           // overhead_until_ is an estimate: the next stamp cuts it short
  Waiter overhead_waiter_;         // whose wait that overhead belongs to
  bool after_end_ = false;         // the latest event is the end of a task
  Typical creation_, first_start_, next_start_, wait_done_, next_chunk_;
  bool after_chunk_ = false;    // the latest event is the end of a chunk
  uint64_t call_ = 0;           // return address of the call that made the latest record; 0: not known
  uint32_t last_task_ = kNone;  // latest created ...
  uint64_t last_serial_ = 0;    // ... and its serial
  // The last reading of CPU time. It is kept until the next record, whose stamp it has, tells to whom the time before
  // it belongs.
  struct {
    int64_t at = -1, cpu, parked;
  } reading_;
  // Since the reading before: the steps at work, of which the longest.
  struct {
    uint32_t step = kNone, longest_step = kNone;
    int64_t ns = 0, longest = 0;
    void add(uint32_t at, int64_t d) {
      if (at != step) step = at, ns = 0;
      ns += d;
      if (ns > longest) longest = ns, longest_step = at;
    }
  } at_work_;
  struct {
    bool told = false;  // by the latest record
    uint32_t payload = 0;
    std::array<uint64_t, record::kMostCounters> words{};
  } counts_;
  bool counts_torn_ = false;                 // records are missing since the last ones
  uint32_t latest_counts_ = kNone;           // of this thread, in Recording::counts
  Dependent dependent_ = Dependent::nobody;  // what the dependences that follow belong to
  uint32_t dependent_index_ = kNone;         // in tasks, or the step that its wait ended
  uint32_t last_depend_ = kNone;             // its latest one so far
  int64_t outside_ = 0;                      // ns that were not to be recorded, so far
  int64_t joined_ = -1;                      // begin of the outermost implicit task
  uint32_t counted_ = 0;                     // implicit (and lost) frames on the stack
  uint16_t cpu_ = 0xffff, node_ = 0xffff;
  bool placed_ = false;                             // node_ is what a place record said
  uint32_t regions_open_ = 0, implicits_open_ = 0;  // frames on the stack; implicit counts lost
  bool initial_ = false, begun_ = false, over_ = false;
  bool broken_ = false;  // the latest block could not be read to its end
};

}  // namespace einkorn::profile
