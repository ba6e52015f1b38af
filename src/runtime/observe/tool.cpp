#include "runtime/observe/tool.h"

#include <cstring>
#include <initializer_list>

#include "record/stream.h"
#include "runtime/task/blocks.h"
#include "runtime/task/cancel.h"

namespace einkorn::runtime::tool {

ompt_callback_t g_callbacks[kEvents + kExtensions];

namespace {

ompt_data_t* parallel_data(const Team* team) {
  // Team keeps it as a number, so that its header needs no types of OMPT.
  return reinterpret_cast<ompt_data_t*>(const_cast<uint64_t*>(&team->tool_data));
}

// A tool may answer to an event by a call that comes back here: its frames are not the program's.
TaskData* task(Worker* w) { return w->tool->task; }
ompt_data_t* task_data(Worker* w) { return &w->tool->task->data; }
ompt_data_t* region_data(Worker* w) { return w->tool->task->team ? parallel_data(w->tool->task->team) : nullptr; }

TaskData* slot_data(Slot* slot) {
  if (!slot->tool) slot->tool = static_cast<TaskData*>(malloc(sizeof(TaskData)));
  if (!slot->tool) fatal("out of memory: an implicit task");
  return slot->tool;
}

// gcc does not say where a single's block ends: it has ended when its thread comes to the next barrier or construct.
void close_single(Worker* w) {
  Thread* t = w->tool;
  if (EK_LIKELY(!t->open_single) || t->open_single != t->task) return;
  t->open_single = nullptr;
  work_event(w, ompt_work_single_executor, ompt_scope_end, 1, t->single_caller);
}

ompt_state_t state_of(ompt_sync_region_t kind) {
  switch (kind) {
    case ompt_sync_region_barrier_explicit: return ompt_state_wait_barrier_explicit;
    case ompt_sync_region_barrier_implementation: return ompt_state_wait_barrier_implementation;
    case ompt_sync_region_barrier_implicit_workshare: return ompt_state_wait_barrier_implicit_workshare;
    case ompt_sync_region_barrier_implicit_parallel: return ompt_state_wait_barrier_implicit_parallel;
    case ompt_sync_region_barrier_teams: return ompt_state_wait_barrier_teams;
    case ompt_sync_region_taskwait: return ompt_state_wait_taskwait;
    case ompt_sync_region_taskgroup: return ompt_state_wait_taskgroup;
    default: return ompt_state_overhead;
  }
}

ompt_state_t state_of(ompt_mutex_t kind) {
  switch (kind) {
    case ompt_mutex_critical: return ompt_state_wait_critical;
    case ompt_mutex_atomic: return ompt_state_wait_atomic;
    case ompt_mutex_ordered: return ompt_state_wait_ordered;
    default: return ompt_state_wait_lock;
  }
}

ompt_state_t working(const TaskData* t) {
  return t && t->team && t->team->level > 0 ? ompt_state_work_parallel : ompt_state_work_serial;
}

// Delivered wherever the event happens. Events of devices are libomptarget's, which LLVM's version 19 delivers but for
// maps and unloading; without libomptarget in the process there are none, and it may come later (dlopen).
ompt_set_result_t promised(int event) {
  switch (event) {
    case ompt_callback_target_map:
    case ompt_callback_target_map_emi:
    case ompt_callback_device_unload: return ompt_set_never;
    case ompt_callback_target_data_op:
    case ompt_callback_target_data_op_emi:
    case ompt_callback_target_submit:
    case ompt_callback_target_submit_emi:
    case ompt_callback_device_initialize:
    case ompt_callback_device_finalize:
    case ompt_callback_device_load: return ompt_set_sometimes;
    // What gcc expands in the program no library sees: masked and master, flush, the loops of schedule(static),
    // critical sections around reductions; and atomics that both compilers do in an instruction.
    case ompt_callback_masked:
    case ompt_callback_flush:
    case ompt_callback_reduction:
    case ompt_callback_work:
    case ompt_callback_dispatch:
    // gcc calls us for a target region on the host, clang calls its code itself.
    case ompt_callback_target:
    case ompt_callback_target_emi: return ompt_set_sometimes_paired;
    default: return ompt_set_always;
  }
}

}  // namespace

ompt_set_result_t set_callback(int event, ompt_callback_t callback) {
  if (event < 1 || event >= kEvents) return ompt_set_error;
  __atomic_store_n(&g_callbacks[event], callback, __ATOMIC_RELEASE);
  return promised(event);
}

ompt_callback_t get_callback(int event) {
  return event < 1 || event >= kEvents ? nullptr : tool::callback<ompt_callback_t>(event);
}

ompt_set_result_t set_extension(int event, ompt_callback_t callback) {
  if (event < 1 || event >= kExtensions) return ompt_set_error;
  __atomic_store_n(&g_callbacks[kEvents + event], callback, __ATOMIC_RELEASE);
  return ompt_set_always;
}

// ---- threads and initial tasks ----------------------------------------------------------------------------------
void attach(Worker* w, ompt_thread_t type) {
  if (!active()) return;
  if (!w->stream) w->stream = record::silent_stream();
  if (!w->stream) return warn("no memory: the tool does not see a thread");
  w->tool = static_cast<Thread*>(malloc(sizeof(Thread)));
  if (!w->tool) fatal("out of memory: a thread");
  *w->tool = Thread{};
  w->tool->state = type == ompt_thread_worker ? ompt_state_idle : ompt_state_work_serial;
  if (auto f = callback<ompt_callback_thread_begin_t>(ompt_callback_thread_begin)) f(type, &w->tool->data);
}

void detach(Worker* w) {
  if (auto f = callback<ompt_callback_thread_end_t>(ompt_callback_thread_end)) f(&w->tool->data);
  free(w->tool);
  w->tool = nullptr;
}

void initial_task_begin(Worker* w) {
  TaskData* t = slot_data(w->slot);
  *t = TaskData{};
  t->team = w->team;
  t->flags = ompt_task_initial;
  w->team->tool_data = 0;
  w->tool->task = t;
  w->tool->state = ompt_state_work_serial;
  if (auto f = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task))
    f(ompt_scope_begin, parallel_data(w->team), &t->data, 1, 1, ompt_task_initial);
}

void initial_task_end(Worker* w) {
  if (auto f = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task))
    f(ompt_scope_end, nullptr, &w->serial_team->slots[0].tool->data, 0, 1, ompt_task_initial);
}

// ---- regions ----------------------------------------------------------------------------------------------------
namespace {
int region_flags(bool clang, bool league) {
  return int(league ? ompt_parallel_league : ompt_parallel_team) |
         (clang ? ompt_parallel_invoker_runtime : ompt_parallel_invoker_program);
}
}  // namespace

void parallel_begin(Worker* w, Team* team, int requested, bool clang, Caller caller) {
  TaskData* t = task(w);
  close_single(w);
  team->tool_task = t;
  team->tool_data = 0;
  team->tool_caller = caller;
  team->tool_flags = region_flags(clang, team->league);
  t->frame.enter_frame.ptr = caller.frame();
  t->frame.enter_frame_flags = ompt_frame_runtime | ompt_frame_cfa;
  w->tool->state = ompt_state_overhead;
  if (auto f = callback<ompt_callback_parallel_begin_t>(ompt_callback_parallel_begin))
    f(&t->data, &t->frame, parallel_data(team), unsigned(requested), team->tool_flags, caller);
}

void parallel_end(Worker* w, Team* team) {
  TaskData* t = w->tool->task = team->tool_task;
  if (auto f = callback<ompt_callback_parallel_end_t>(ompt_callback_parallel_end); f)
    f(parallel_data(team), &t->data, team->tool_flags, team->tool_caller);
  t->frame.enter_frame.ptr = nullptr;
  w->tool->state = working(t);
}

void implicit_begin(Worker* w, Team* team) {
  TaskData* t = slot_data(w->slot);
  *t = TaskData{};
  t->below = team->tool_task;
  t->team = team;
  t->thread_num = w->thread_num;
  // The threads that run a league's teams: what they do is the teams' initial tasks.
  t->flags = team->league ? 0 : ompt_task_implicit | (team->n == 1 ? ompt_task_undeferred : 0);
  w->tool->task = t;
  w->tool->state = ompt_state_work_parallel;
  if (!t->flags) return;
  if (auto f = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task))
    f(ompt_scope_begin, parallel_data(team), &t->data, unsigned(team->n), unsigned(t->thread_num), ompt_task_implicit);
}

void implicit_end(Worker* w, int team_size) {
  TaskData* t = task(w);
  if (auto f = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task); f && t->flags)
    f(ompt_scope_end, nullptr, &t->data, unsigned(team_size), unsigned(t->thread_num), ompt_task_implicit);
  if (w->ours && t->thread_num != 0) w->tool->task = nullptr;
  w->tool->state = w->tool->task == t ? ompt_state_overhead : ompt_state_idle;
}

namespace {
constexpr int kForkedRegion = int(ompt_parallel_team) | int(ompt_parallel_invoker_runtime);

// The initial task t goes on with the implicit task of a region of one; that is then the slot's.
void forked_begin(Worker* w, Team* team, TaskData* t, Caller caller) {
  team->tool_data = 0;
  t->frame.enter_frame.ptr = caller.frame();
  t->frame.enter_frame_flags = ompt_frame_runtime | ompt_frame_cfa;
  if (auto f = callback<ompt_callback_parallel_begin_t>(ompt_callback_parallel_begin))
    f(&t->data, &t->frame, parallel_data(team), 1, kForkedRegion, caller);
  TaskData* inner = slot_data(w->slot);
  *inner = TaskData{};
  inner->below = t;
  inner->team = team;
  inner->flags = ompt_task_implicit | ompt_task_undeferred;
  w->tool->task = inner;
  w->tool->state = ompt_state_work_parallel;
  if (auto f = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task))
    f(ompt_scope_begin, parallel_data(team), &inner->data, 1, 0, ompt_task_implicit);
}

void forked_end(Worker* w, Team* team, Caller caller) {
  TaskData* inner = w->tool->task;
  TaskData* t = inner->below;
  if (auto f = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task))
    f(ompt_scope_end, nullptr, &inner->data, 1, 0, ompt_task_implicit);
  w->tool->task = t;
  if (auto f = callback<ompt_callback_parallel_end_t>(ompt_callback_parallel_end))
    f(parallel_data(team), &t->data, kForkedRegion, caller);
}
}  // namespace

void initial_team_begin(Worker* w, Team* team, int num_teams, int team_num, const Caller* forked_at) {
  TaskData* below = w->tool->task;
  TaskData* t = forked_at ? static_cast<TaskData*>(new_block(w, sizeof(TaskData))->body()) : slot_data(w->slot);
  *t = TaskData{};
  t->below = below;
  t->team = team;
  t->flags = ompt_task_initial;
  uint64_t* region = w->tool->league ? w->tool->league : team->outer->league ? &team->outer->tool_data : nullptr;
  team->tool_data = region ? *region : 0;
  w->tool->task = t;
  w->tool->state = ompt_state_work_serial;
  if (auto f = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task))
    f(ompt_scope_begin, parallel_data(team), &t->data, unsigned(num_teams), unsigned(region ? team_num : 1),
      ompt_task_initial);
  if (forked_at) forked_begin(w, team, t, *forked_at);
}

void initial_team_end(Worker* w, Team* team, int team_num, const Caller* forked_at) {
  if (forked_at) forked_end(w, team, *forked_at);
  TaskData* t = task(w);
  if (auto f = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task))
    f(ompt_scope_end, nullptr, &t->data, 0, unsigned(team_num), ompt_task_initial);
  w->tool->task = t->below;
  if (forked_at) free_block(w, reinterpret_cast<Task*>(t) - 1);
}

void league_begin(Worker* w, uint64_t* region, int teams, bool clang, Caller caller) {
  TaskData* t = task(w);
  t->frame.enter_frame.ptr = caller.frame();
  t->frame.enter_frame_flags = ompt_frame_runtime | ompt_frame_cfa;
  w->tool->league = region;
  if (auto f = callback<ompt_callback_parallel_begin_t>(ompt_callback_parallel_begin))
    f(&t->data, &t->frame, reinterpret_cast<ompt_data_t*>(region), unsigned(teams), region_flags(clang, true), caller);
}

void league_end(Worker* w, bool clang, Caller caller) {
  TaskData* t = task(w);
  if (auto f = callback<ompt_callback_parallel_end_t>(ompt_callback_parallel_end))
    f(reinterpret_cast<ompt_data_t*>(w->tool->league), &t->data, region_flags(clang, true), caller);
  w->tool->league = nullptr;
  t->frame.enter_frame.ptr = nullptr;
}

void target_event(Worker* w, ompt_scope_endpoint_t endpoint) {
  ompt_data_t none{};
  if (auto f = callback<ompt_callback_target_emi_t>(ompt_callback_target_emi))
    f(ompt_target, endpoint, 0, task_data(w), nullptr, &none, nullptr);
  else if (auto g = callback<ompt_callback_target_t>(ompt_callback_target))
    g(ompt_target, endpoint, 0, task_data(w), 0, nullptr);
}

// ---- waiting ----------------------------------------------------------------------------------------------------
ompt_sync_region_t sync_kind(record::Construct c, uint16_t site_flags) {
  using record::Construct;
  switch (c) {
    // gcc has one call for explicit barriers and for those that end single and static loops.
    case Construct::barrier:
      return site_flags & record::kSiteClang ? ompt_sync_region_barrier_explicit
                                             : ompt_sync_region_barrier_implementation;
    case Construct::barrier_workshare: return ompt_sync_region_barrier_implicit_workshare;
    case Construct::barrier_parallel: return ompt_sync_region_barrier_implicit_parallel;
    case Construct::teams: return ompt_sync_region_barrier_teams;
    case Construct::taskwait: return ompt_sync_region_taskwait;
    case Construct::taskgroup: return ompt_sync_region_taskgroup;
    default: return ompt_sync_region_barrier_implementation;
  }
}

void sync_event(Worker* w, int event, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, const void* ra) {
  if (auto f = callback<ompt_callback_sync_region_t>(event)) f(kind, endpoint, region_data(w), task_data(w), ra);
}

void sync_begin(Worker* w, ompt_sync_region_t kind, const void* ra) {
  if (kind != ompt_sync_region_taskwait && kind != ompt_sync_region_taskgroup) close_single(w);
  // A taskgroup began before: now its end waits.
  if (kind != ompt_sync_region_taskgroup) sync_event(w, ompt_callback_sync_region, kind, ompt_scope_begin, ra);
  w->tool->state = state_of(kind);
  sync_event(w, ompt_callback_sync_region_wait, kind, ompt_scope_begin, ra);
}

void sync_end(Worker* w, ompt_sync_region_t kind, const void* ra) {
  sync_event(w, ompt_callback_sync_region_wait, kind, ompt_scope_end, ra);
  sync_event(w, ompt_callback_sync_region, kind, ompt_scope_end, ra);
  w->tool->state = working(task(w));
}

void last_barrier_begin(Worker* w, Team* team, const void* ra) {
  close_single(w);
  if (!team->league) sync_begin(w, ompt_sync_region_barrier_implicit_parallel, ra);
}

// Its primary thread may have ended the region: its data is nobody's.
void last_barrier_end(Worker* w, const void* ra) {
  if (w->tool->task->flags)
    for (int event : {ompt_callback_sync_region_wait, ompt_callback_sync_region})
      if (auto f = callback<ompt_callback_sync_region_t>(event))
        f(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, nullptr, task_data(w), ra);
  w->tool->state = ompt_state_overhead;
}

// ---- worksharing ------------------------------------------------------------------------------------------------
ompt_work_t work_kind(LoopKind kind) {
  switch (kind) {
    case LoopKind::static_: return ompt_work_loop_static;
    case LoopKind::dynamic: return ompt_work_loop_dynamic;
    case LoopKind::guided: return ompt_work_loop_guided;
    default: return ompt_work_loop_other;
  }
}

void work_event(Worker* w, ompt_work_t type, ompt_scope_endpoint_t endpoint, uint64_t count, const void* ra) {
  if (endpoint == ompt_scope_begin && type != ompt_work_single_executor) close_single(w);
  if (auto f = callback<ompt_callback_work_t>(ompt_callback_work))
    f(type, endpoint, region_data(w), task_data(w), count, ra);
}

void single_event(Worker* w, bool executor, bool end_follows, const void* ra) {
  close_single(w);
  if (!executor) {
    work_event(w, ompt_work_single_other, ompt_scope_begin, 1, ra);
    work_event(w, ompt_work_single_other, ompt_scope_end, 1, ra);
    return;
  }
  work_event(w, ompt_work_single_executor, ompt_scope_begin, 1, ra);
  if (end_follows) return;
  w->tool->open_single = task(w);
  w->tool->single_caller = ra;
}

void dispatch(Worker* w, ompt_dispatch_t kind, uint64_t first, uint64_t count) {
  if (auto f = callback<ompt_callback_dispatch_t>(ompt_callback_dispatch)) {
    ompt_dispatch_chunk_t chunk{first, count};
    ompt_data_t instance;
    instance.ptr = &chunk;
    f(region_data(w), task_data(w), kind, instance);
  }
}

void dispatch_section(Worker* w, const void* ra) {
  if (auto f = callback<ompt_callback_dispatch_t>(ompt_callback_dispatch)) {
    ompt_data_t instance;
    instance.ptr = const_cast<void*>(ra);
    f(region_data(w), task_data(w), ompt_dispatch_section, instance);
  }
}

void dispatch_strided(Worker* w, const ompx_dispatch_strided_t& chunks) {
  if (auto f = callback<ompx_callback_dispatch_strided_t>(kEvents + ompx_callback_dispatch_strided))
    f(region_data(w), task_data(w), &chunks);
}

// ---- mutual exclusion -------------------------------------------------------------------------------------------
void mutex_acquire(Worker* w, ompt_mutex_t kind, unsigned hint, const void* lock, const void* ra) {
  w->tool->wait_id = ompt_wait_id_t(lock);
  w->tool->state = state_of(kind);
  if (auto f = callback<ompt_callback_mutex_acquire_t>(ompt_callback_mutex_acquire))
    f(kind, hint, kMutexFutex, ompt_wait_id_t(lock), ra);
}

void mutex_acquired(Worker* w, ompt_mutex_t kind, const void* lock, const void* ra) {
  w->tool->state = working(task(w));
  w->tool->wait_id = 0;
  if (auto f = callback<ompt_callback_mutex_t>(ompt_callback_mutex_acquired)) f(kind, ompt_wait_id_t(lock), ra);
}

void mutex_not_acquired(Worker* w) {
  w->tool->state = working(task(w));
  w->tool->wait_id = 0;
}

void mutex_released(Worker*, ompt_mutex_t kind, const void* lock, const void* ra) {
  if (auto f = callback<ompt_callback_mutex_t>(ompt_callback_mutex_released)) f(kind, ompt_wait_id_t(lock), ra);
}

void lock_init(ompt_mutex_t kind, unsigned hint, const void* lock, const void* ra) {
  if (auto f = callback<ompt_callback_mutex_acquire_t>(ompt_callback_lock_init))
    f(kind, hint, kMutexFutex, ompt_wait_id_t(lock), ra);
}

void lock_destroy(ompt_mutex_t kind, const void* lock, const void* ra) {
  if (auto f = callback<ompt_callback_mutex_t>(ompt_callback_lock_destroy)) f(kind, ompt_wait_id_t(lock), ra);
}

void nest_lock(ompt_scope_endpoint_t endpoint, const void* lock, const void* ra) {
  if (auto f = callback<ompt_callback_nest_lock_t>(ompt_callback_nest_lock)) f(endpoint, ompt_wait_id_t(lock), ra);
}

// ---- the rest ---------------------------------------------------------------------------------------------------
void masked(Worker* w, ompt_scope_endpoint_t endpoint, const void* ra) {
  if (auto f = callback<ompt_callback_masked_t>(ompt_callback_masked)) f(endpoint, region_data(w), task_data(w), ra);
}

void flush(Worker* w, const void* ra) {
  if (auto f = callback<ompt_callback_flush_t>(ompt_callback_flush)) f(&w->tool->data, ra);
}

void cancel(Worker* w, int construct, bool activated, const void* ra) {
  int flags = construct == kCancelParallel   ? ompt_cancel_parallel
              : construct == kCancelLoop     ? ompt_cancel_loop
              : construct == kCancelSections ? ompt_cancel_sections
                                             : ompt_cancel_taskgroup;
  if (construct == kCancelTaskgroup) task(w)->cancelled = true;
  flags |= activated ? ompt_cancel_activated : ompt_cancel_detected;
  if (auto f = callback<ompt_callback_cancel_t>(ompt_callback_cancel)) f(task_data(w), flags, ra);
}

void discarded(Worker* w) {
  if (auto f = callback<ompt_callback_cancel_t>(ompt_callback_cancel))
    f(task_data(w), ompt_cancel_taskgroup | ompt_cancel_discarded_task, nullptr);
}

void error(bool fatal, const char* message, size_t length, const void* ra) {
  if (auto f = callback<ompt_callback_error_t>(ompt_callback_error))
    f(fatal ? ompt_fatal : ompt_warning, message, length, ra);
}

int control(Worker* w, int command, int modifier, void* arg, Caller caller) {
  int recorder = w->stream ? record::control(command, w->stream) : -2;
  if (!w->tool) return recorder;
  auto f = callback<ompt_callback_control_tool_t>(ompt_callback_control_tool);
  if (!f) return recorder == -2 ? -1 : recorder;
  Inside inside(w, caller, ompt_state_overhead);
  return f(uint64_t(command), uint64_t(modifier), arg, caller);
}

// ---- inquiry ----------------------------------------------------------------------------------------------------
TaskData* task_at(const Worker* w, int level) {
  TaskData* t = level < 0 || !w->tool ? nullptr : w->tool->task;
  for (; t && level > 0; --level) t = t->below;
  return t;
}

ompt_data_t* data_of(const Team* team) { return parallel_data(team); }

}  // namespace einkorn::runtime::tool
