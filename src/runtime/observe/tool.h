// OMPT: what the runtime tells a tool. The runtime's sites call these functions where they also serve the recorder,
// behind the same test of worker->stream: with a tool that pointer is never nullptr (a stream that records nothing
// stands in), so without tool and recorder each site tests one pointer. OpenMP 5.1, 4.5.2, says when each event comes.
#pragma once
#include "omp-tools.h"
#include "runtime/types.h"

namespace einkorn::runtime::tool {

// A task as a tool knows it. Of an implicit task: in its slot. Of an explicit one: in its TaskExtra.
struct TaskData {
  ompt_data_t data{};
  ompt_frame_t frame{};
  TaskData* below =
      nullptr;  // the task suspended under it on this thread; of an implicit task, the one that met the region
  const Team* team = nullptr;  // where it runs
  int thread_num = 0;
  int flags = 0;                                      // ompt_task_flag_t
  ompt_state_t state_below = ompt_state_work_serial;  // of the thread, when it came on top of that
  bool cancelled = false;                             // it cancelled its taskgroup, or found that cancelled
  uint64_t first = 0, count = 0;                      // taskloop: the iterations, count 0: not a taskloop's
  ompt_data_t target{};                               // the target construct's that the task is in: libomptarget's
};

// A thread as a tool knows it: worker->tool, nullptr without a tool.
struct Thread {
  ompt_data_t data{};
  TaskData* task = nullptr;  // current
  ompt_state_t state = ompt_state_work_serial;
  ompt_wait_id_t wait_id = 0;
  uint64_t* league = nullptr;       // of the league whose teams this thread takes one after another
  bool yielding = false;            // a task that starts now does so in taskyield
  TaskData* open_single = nullptr;  // gcc: the task is in a single's block, or was since its last barrier or construct
  const void* single_caller = nullptr;
};

inline constexpr unsigned kMutexFutex = 1;  // the only implementation of mutual exclusion; 0: none

// ---- the tool itself ------------------------------------------------------------------------------------------
// Looks for a tool (OMP_TOOL, ompt_start_tool in the process, OMP_TOOL_LIBRARIES, with ThreadSanitizer Archer) and
// starts it. Once, at load.
void start(ompt_function_lookup_t lookup);
// Ends it: last events, then the tool's finalize. Also safe to call twice, or without a tool.
void finish();
bool active();  // a tool was started and not ended
// libomptarget delivers events of its own to the tool. Its finalize is called when the tool has ended.
void connect(ompt_start_tool_result_t* library);

ompt_set_result_t set_callback(int event, ompt_callback_t callback);
ompt_callback_t get_callback(int event);
ompt_set_result_t set_extension(int event, ompt_callback_t callback);

inline constexpr int kEvents = 38;                          // ompt_callbacks_t, from 1
inline constexpr int kExtensions = 3;                       // ompx_callbacks_t, from 1
extern ompt_callback_t g_callbacks[kEvents + kExtensions];  // read and written by __atomic built-ins

template <class Function>
Function callback(int event) {
  return reinterpret_cast<Function>(__atomic_load_n(&g_callbacks[event], __ATOMIC_RELAXED));
}

// ---- events. All of these: only with w->tool -------------------------------------------------------------------
// A thread comes to OpenMP: makes w->tool (nullptr where there is no tool) and, if nothing records, the stream that
// stands in.
void attach(Worker* w, ompt_thread_t type);
void detach(Worker* w);
void initial_task_begin(Worker* w);
void initial_task_end(Worker* w);

// Initial teams other than the process's: of a league, and target regions on the host. below: the task that goes on.
// forked_at: also tell of a region of one thread in it, begun by the runtime there, as LLVM's does in each team of a
// league. Tools for clang's programs know leagues in that form only.
void initial_team_begin(Worker* w, Team* team, int num_teams, int team_num, const Caller* forked_at);
void initial_team_end(Worker* w, Team* team, int team_num, const Caller* forked_at);
// A league whose teams run one after another on this thread. region: its word, which must stay.
void league_begin(Worker* w, uint64_t* region, int teams, bool clang, Caller caller);
void league_end(Worker* w, bool clang, Caller caller);
void target_event(Worker* w, ompt_scope_endpoint_t endpoint);
void parallel_begin(Worker* w, Team* team, int requested, bool clang, Caller caller);
void parallel_end(Worker* w, Team* team);
void implicit_begin(Worker* w, Team* team);
void implicit_end(Worker* w, int team_size);  // 0: not known any more

// The frame of the runtime that calls the program's code, while it does so.
inline void set_exit_frame(Worker* w, void* frame) {
  ompt_frame_t& f = w->tool->task->frame;
  f.exit_frame.ptr = frame;
  f.exit_frame_flags = ompt_frame_runtime | ompt_frame_framepointer;
}
inline void* exit_frame(Worker* w) { return w->tool->task->frame.exit_frame.ptr; }

// The current task enters the runtime, where the program called it; and leaves it.
inline void enter(Worker* w, Caller caller) {
  ompt_frame_t& f = w->tool->task->frame;
  f.enter_frame.ptr = caller.frame();
  f.enter_frame_flags = ompt_frame_runtime | ompt_frame_cfa;
}
inline void leave(Worker* w) { w->tool->task->frame.enter_frame.ptr = nullptr; }

// While the current task is in the runtime: its frame's enter part, its thread's state.
class Inside {
 public:
  Inside(Worker* w, Caller caller, ompt_state_t state) : thread_(w->tool) {
    if (EK_LIKELY(thread_ == nullptr)) return;
    before_ = thread_->task->frame.enter_frame.ptr;
    state_ = thread_->state;
    enter(w, caller);
    thread_->state = state;
  }
  ~Inside() {
    if (EK_LIKELY(thread_ == nullptr)) return;
    thread_->task->frame.enter_frame.ptr = before_;
    thread_->state = state_;
  }
  Inside(const Inside&) = delete;

 private:
  Thread* thread_;
  void* before_ = nullptr;  // with thread_, as state_
  ompt_state_t state_ = ompt_state_undefined;
};

// A region in which threads wait for each other or tasks for tasks: sync_region and sync_region_wait.
void sync_begin(Worker* w, ompt_sync_region_t kind, const void* ra);
void sync_end(Worker* w, ompt_sync_region_t kind, const void* ra);
// The barrier at a region's end, in which its data ceases to be.
void last_barrier_begin(Worker* w, Team* team, const void* ra);
void last_barrier_end(Worker* w, const void* ra);
// Only the outer of the two events: a taskgroup's begin, a reduction's two ends (with the callback reduction).
void sync_event(Worker* w, int event, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, const void* ra);
ompt_sync_region_t sync_kind(record::Construct c, uint16_t site_flags);

// All that for a wait in the current task.
class Sync {
 public:
  Sync(Worker* w, record::Construct construct, uint16_t site_flags, Caller caller)
      : w_(w), caller_(caller), inside_(w, caller, ompt_state_overhead) {
    if (EK_LIKELY(w->tool == nullptr)) return;
    kind_ = sync_kind(construct, site_flags);
    sync_begin(w, kind_, caller);
  }
  ~Sync() {
    if (EK_UNLIKELY(w_->tool != nullptr)) sync_end(w_, kind_, caller_);
  }
  Sync(const Sync&) = delete;

 private:
  Worker* w_;
  Caller caller_;
  ompt_sync_region_t kind_ = ompt_sync_region_barrier_implementation;
  Inside inside_;
};

// ---- explicit tasks. A task's TaskData is in its extra, and goes with it --------------------------------------------
TaskData* data_of(Task* t);
// t was made by init_task() and is not queued yet. flags: what of ompt_task_flag_t the task's own flags do not tell.
void task_create(Worker* w, Task* t, int flags, bool depends, Caller caller);
void task_create_end(Worker* w, Task* t);
void task_range(Worker* w, Task* t, uint64_t first, uint64_t count);
// t goes on the thread: its parent or whatever was current is suspended under it. `frame`: see set_exit_frame().
void task_begin(Worker* w, Task* t, void* frame);
// t leaves the thread; the one below goes on.
void task_leave(Worker* w, ompt_task_status_t status);
// Another thread, or this one, ended a detached task (late), or fulfilled the event while it ran (early).
void task_fulfill(Worker* w, Task* t, bool late);
void dependences(Worker* w, TaskData* t, const ompt_dependence_t* list, int count);
// Doacross: an iteration is done (source), or is waited for.
void doacross(Worker* w, bool source, const uint64_t* vec, int count);
void task_dependence(TaskData* source, TaskData* sink);
// taskwait depend: a task without a body. begin .. end around the wait.
void taskwait_begin(Worker* w, TaskData* t, Caller caller);
void taskwait_end(Worker* w, TaskData* t);

void work_event(Worker* w, ompt_work_t type, ompt_scope_endpoint_t endpoint, uint64_t count, const void* ra);
// end_follows: work_event() will be called with the executor's end; else it is told with the thread's next construct.
void single_event(Worker* w, bool executor, bool end_follows, const void* ra);
ompt_work_t work_kind(LoopKind kind);
void dispatch(Worker* w, ompt_dispatch_t kind, uint64_t first, uint64_t count);
void dispatch_section(Worker* w, const void* ra);
void dispatch_strided(Worker* w, const ompx_dispatch_strided_t& chunks);

void mutex_acquire(Worker* w, ompt_mutex_t kind, unsigned hint, const void* lock, const void* ra);
void mutex_acquired(Worker* w, ompt_mutex_t kind, const void* lock, const void* ra);
void mutex_not_acquired(Worker* w);
void mutex_released(Worker* w, ompt_mutex_t kind, const void* lock, const void* ra);
void lock_init(ompt_mutex_t kind, unsigned hint, const void* lock, const void* ra);
void lock_destroy(ompt_mutex_t kind, const void* lock, const void* ra);
void nest_lock(ompt_scope_endpoint_t endpoint, const void* lock, const void* ra);

void masked(Worker* w, ompt_scope_endpoint_t endpoint, const void* ra);
void flush(Worker* w, const void* ra);
// construct as in cancel.h. activated: by this thread; else it found a cancellation.
void cancel(Worker* w, int construct, bool activated, const void* ra);
void discarded(Worker* w);  // the task that just began does not run
void error(bool fatal, const char* message, size_t length, const void* ra);
// omp_control_tool's answer: the tool's, else the recorder's (record::control); -2 neither is there, -1 no callback.
int control(Worker* w, int command, int modifier, void* arg, Caller caller);

// ---- inquiry ----------------------------------------------------------------------------------------------------
TaskData* task_at(const Worker* w, int level);  // on this thread's stack, 0: current; nullptr: none
ompt_data_t* data_of(const Team* team);

}  // namespace einkorn::runtime::tool
