// libeinkorn-ompt.so: the recorder as an OMPT tool, for programs on another runtime (einkorn record --runtime libomp).
//
// It writes the same streams as the runtime's own recording, without what OMPT does not tell: the outlined function of
// a site, the cost of creating a task, which waits were idle in detail, and the iterations of a taskloop's pieces. Meta
// says so ("absent").
//
// A thread's frames mirror the contexts of the format: one for each implicit or explicit task that is on its stack.
#include <cstdlib>
#include <cstring>
#include <new>

#include "omp-tools.h"
#include "base/clock.h"
#include "record/stream.h"

namespace einkorn::record {
namespace {

// In task_data: 0 if there is nothing of ours, an id (whose top bit is 0: no run has 2^15 threads), or this.
constexpr uint64_t kImplicit = uint64_t(1) << 63;

struct Frame {
  uint64_t id;  // 0: an implicit task, or none
  bool idle, loop, chunk, taskloop;
  bool alone;  // in a team of one
  uint64_t sections;
};

struct Thread {
  Stream* stream;
  Frame* frames;
  int depth, room;
  uint32_t level;
  uint64_t mutex_began;
};

struct Region {
  uint64_t id, began;
  uint32_t site;
};

thread_local Thread* t_thread __attribute__((tls_model("initial-exec"))) = nullptr;

void push(Thread* t, uint64_t id) {
  if (t->depth == t->room) {
    int room = t->room ? t->room * 2 : 64;
    auto* more = static_cast<Frame*>(realloc(t->frames, sizeof(Frame) * size_t(room)));
    if (!more) abort();  // 24 bytes a task on the stack: the program itself is out of memory
    t->frames = more;
    t->room = room;
  }
  const bool alone = id != 0 && t->depth > 0 && t->frames[t->depth - 1].alone;
  t->frames[t->depth++] = Frame{id, false, false, false, false, alone, 0};
}

Frame& top(Thread* t) { return t->frames[t->depth - 1]; }

void close_loop(Thread* t, uint64_t now) {
  Frame& f = top(t);
  if (f.chunk) t->stream->chunk_end(now);
  if (f.loop) t->stream->loop_end(now);
  f.chunk = f.loop = false;
}

uint32_t site(Thread* t, Construct c, uint16_t flags, const void* ra) { return t->stream->site(c, flags, nullptr, ra); }

uint64_t id_of(const ompt_data_t* d) { return d->value & kImplicit ? 0 : d->value; }

void on_thread_begin(ompt_thread_t type, ompt_data_t*) {
  Stream* s = open_stream(type == ompt_thread_initial);
  if (!s) return;
  t_thread = static_cast<Thread*>(calloc(1, sizeof(Thread)));
  if (!t_thread) return;
  t_thread->stream = s;
  push(t_thread, 0);
}

void on_thread_end(ompt_data_t*) {
  if (!t_thread) return;
  close_stream(t_thread->stream);
  free(t_thread->frames);
  free(t_thread);
  t_thread = nullptr;
}

void on_parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t* region, unsigned, int flags, const void* ra) {
  Thread* t = t_thread;
  region->ptr = nullptr;
  if (!t || (flags & ompt_parallel_league)) return;
  auto* r = static_cast<Region*>(malloc(sizeof(Region)));
  if (!r) return;
  *r = {t->stream->new_region_id(), ticks(), site(t, Construct::parallel, 0, ra)};
  region->ptr = r;
}

void on_parallel_end(ompt_data_t* region, ompt_data_t*, int, const void*) {
  Thread* t = t_thread;
  auto* r = static_cast<Region*>(region->ptr);
  if (!t || !r) return;
  t->stream->region_end(ticks());
  --t->level;
  free(r);
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task, unsigned n, unsigned i,
                      int flags) {
  Thread* t = t_thread;
  if (!t || (flags & ompt_task_initial)) return;
  if (endpoint == ompt_scope_begin) {
    auto* r = region ? static_cast<Region*>(region->ptr) : nullptr;
    task->value = 0;
    if (!r) return;
    // The size of the team is known only now, on the thread that encountered the region.
    if (i == 0) t->stream->region_begin(r->began, r->site, r->id, n, ++t->level);
    task->value = kImplicit;
    push(t, 0);
    top(t).alone = n == 1;
    t->stream->implicit_begin(ticks(), i, r->id);
  } else if (task->value == kImplicit) {
    uint64_t end = ticks();
    close_loop(t, end);
    t->stream->implicit_end(end);
    --t->depth;
  }
}

// alone: a team of one runs all tasks at once, so it cannot be known whether the program asked for that.
uint16_t site_flags(int flags, bool depends, bool alone) {
  return uint16_t((flags & ompt_task_undeferred ? kSiteUndeferred | (alone ? kSiteInlined : 0) : 0) |
                  (flags & ompt_task_final ? kSiteFinal : 0) | (flags & ompt_task_untied ? kSiteUntied : 0) |
                  (flags & ompt_task_mergeable ? kSiteMergeable : 0) | (depends ? kSiteHasDepend : 0));
}

void on_task_create(ompt_data_t*, const ompt_frame_t*, ompt_data_t* task, int flags, int depends, const void* ra) {
  Thread* t = t_thread;
  task->value = 0;
  if (!t || !(flags & ompt_task_explicit)) return;
  uint64_t begin = ticks();
  Construct c = top(t).taskloop ? Construct::taskloop : Construct::task;
  task->value = t->stream->task_create(begin, begin, site(t, c, site_flags(flags, depends, top(t).alone), ra));
}

void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  Thread* t = t_thread;
  if (!t) return;
  uint64_t when = ticks(), from = id_of(prior);
  switch (status) {
    case ompt_task_complete:
    case ompt_task_cancel:
    case ompt_task_detach:
      if (from == 0 || top(t).id != from) return;
      close_loop(t, when);
      t->stream->task_end(when);
      --t->depth;
      if (next && id_of(next) != top(t).id && id_of(next) != 0) {
        push(t, id_of(next));
        t->stream->task_start(when, id_of(next));
      } else if (top(t).idle) {
        t->stream->idle_begin(when);
      }
      return;
    case ompt_task_switch:
    case ompt_task_yield:
      if (!next) return;
      if (from != 0 && top(t).id == from && t->depth > 1 && t->frames[t->depth - 2].id == id_of(next)) {
        t->stream->task_suspend(when);  // an untied task leaves the thread
        --t->depth;
        if (top(t).idle) t->stream->idle_begin(when);
        return;
      }
      if (id_of(next) == 0) return;
      if (top(t).idle) t->stream->idle_end(when);
      push(t, id_of(next));
      t->stream->task_start(when, id_of(next));
      return;
    default: return;  // fulfilled events, pseudo-tasks
  }
}

Construct construct_of(ompt_sync_region_t kind) {
  switch (kind) {
    case ompt_sync_region_taskwait: return Construct::taskwait;
    case ompt_sync_region_taskgroup: return Construct::taskgroup;
    case ompt_sync_region_barrier_implicit_workshare: return Construct::barrier_workshare;
    case ompt_sync_region_barrier_implicit_parallel: return Construct::barrier_parallel;
    default: return Construct::barrier;
  }
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*,
                    const void* ra) {
  Thread* t = t_thread;
  if (!t || kind == ompt_sync_region_reduction) return;
  uint64_t when = ticks();
  bool begin = endpoint == ompt_scope_begin;
  if (kind == ompt_sync_region_taskgroup) {
    if (begin) t->stream->taskgroup_begin(when, site(t, Construct::taskgroup, 0, ra));
  } else if (begin) {
    t->stream->wait_begin(when, site(t, construct_of(kind), 0, ra));
  } else {
    t->stream->wait_end(when);
  }
}

void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*,
                         const void* ra) {
  Thread* t = t_thread;
  if (!t || kind == ompt_sync_region_reduction) return;
  uint64_t when = ticks();
  bool group = kind == ompt_sync_region_taskgroup;
  if (endpoint == ompt_scope_begin) {
    if (group) t->stream->wait_begin(when, site(t, Construct::taskgroup, 0, ra));
    t->stream->idle_begin(when);
    top(t).idle = true;
  } else {
    if (top(t).idle) t->stream->idle_end(when);
    top(t).idle = false;
    if (group) t->stream->wait_end(when);
  }
}

void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*, uint64_t count,
             const void* ra) {
  Thread* t = t_thread;
  if (!t) return;
  uint64_t when = ticks();
  Schedule schedule;
  switch (type) {
    case ompt_work_loop_static: schedule = Schedule::static_; break;
    case ompt_work_loop_guided: schedule = Schedule::guided; break;
    case ompt_work_loop_other: schedule = Schedule::auto_; break;
    case ompt_work_loop:
    case ompt_work_loop_dynamic: schedule = Schedule::dynamic; break;
    case ompt_work_sections: schedule = Schedule::sections; break;
    case ompt_work_taskloop:
      if (endpoint == ompt_scope_begin) t->stream->taskloop_begin(when, site(t, Construct::taskloop, 0, ra), count, 0);
      else t->stream->taskloop_end(when);
      top(t).taskloop = endpoint == ompt_scope_begin;
      return;
    default: return;
  }
  if (endpoint == ompt_scope_end) return close_loop(t, when);
  close_loop(t, when);
  Construct c = type == ompt_work_sections ? Construct::sections : Construct::loop;
  t->stream->loop_begin(when, site(t, c, 0, ra), 0, count, 1, 0, schedule);
  top(t).loop = true;
  top(t).sections = 0;
}

void on_dispatch(ompt_data_t*, ompt_data_t*, ompt_dispatch_t kind, ompt_data_t instance) {
  Thread* t = t_thread;
  if (!t || !top(t).loop) return;
  uint64_t first, count;
  if (kind == ompt_dispatch_ws_loop_chunk) {
    auto* chunk = static_cast<const ompt_dispatch_chunk_t*>(instance.ptr);
    first = chunk->start;
    count = chunk->iterations;
  } else if (kind == ompt_dispatch_section) {
    first = top(t).sections++;
    count = 1;
  } else {
    return;
  }
  // OMPT does not tell the end of a chunk: it is where the next one begins.
  uint64_t when = ticks();
  if (top(t).chunk) t->stream->chunk_end(when);
  t->stream->chunk_begin(when, first, count);
  top(t).chunk = true;
}

Construct construct_of(ompt_mutex_t kind) {
  switch (kind) {
    case ompt_mutex_critical: return Construct::critical;
    case ompt_mutex_atomic: return Construct::atomic;
    case ompt_mutex_ordered: return Construct::ordered;
    case ompt_mutex_nest_lock:
    case ompt_mutex_test_nest_lock: return Construct::nest_lock;
    default: return Construct::lock;
  }
}

void on_mutex_acquire(ompt_mutex_t, unsigned, unsigned, ompt_wait_id_t, const void*) {
  if (t_thread) t_thread->mutex_began = ticks();
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void* ra) {
  Thread* t = t_thread;
  if (!t) return;
  uint64_t when = ticks();
  uint32_t where = site(t, construct_of(kind), 0, ra);
  auto* lock = reinterpret_cast<const void*>(id);
  // OMPT does not tell whether the lock was taken: acquiring that takes longer than a free lock can is a wait.
  if (t->mutex_began && when - t->mutex_began > ticks_per_second() / 1000000)
    t->stream->mutex_wait(t->mutex_began, where, lock);
  t->stream->mutex_acquired(when, where, lock);
  t->mutex_began = 0;
}

void on_mutex_released(ompt_mutex_t, ompt_wait_id_t id, const void*) {
  if (t_thread) t_thread->stream->mutex_released(ticks(), reinterpret_cast<const void*>(id));
}

int on_control_tool(uint64_t command, uint64_t, void*, const void*) {
  return control(int(command), t_thread ? t_thread->stream : nullptr);
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t*) {
  auto set = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
  struct {
    ompt_callbacks_t event;
    ompt_callback_t callback;
  } const all[] = {
      {ompt_callback_thread_begin, reinterpret_cast<ompt_callback_t>(on_thread_begin)},
      {ompt_callback_thread_end, reinterpret_cast<ompt_callback_t>(on_thread_end)},
      {ompt_callback_parallel_begin, reinterpret_cast<ompt_callback_t>(on_parallel_begin)},
      {ompt_callback_parallel_end, reinterpret_cast<ompt_callback_t>(on_parallel_end)},
      {ompt_callback_implicit_task, reinterpret_cast<ompt_callback_t>(on_implicit_task)},
      {ompt_callback_task_create, reinterpret_cast<ompt_callback_t>(on_task_create)},
      {ompt_callback_task_schedule, reinterpret_cast<ompt_callback_t>(on_task_schedule)},
      {ompt_callback_sync_region, reinterpret_cast<ompt_callback_t>(on_sync_region)},
      {ompt_callback_sync_region_wait, reinterpret_cast<ompt_callback_t>(on_sync_region_wait)},
      {ompt_callback_work, reinterpret_cast<ompt_callback_t>(on_work)},
      {ompt_callback_dispatch, reinterpret_cast<ompt_callback_t>(on_dispatch)},
      {ompt_callback_mutex_acquire, reinterpret_cast<ompt_callback_t>(on_mutex_acquire)},
      {ompt_callback_mutex_acquired, reinterpret_cast<ompt_callback_t>(on_mutex_acquired)},
      {ompt_callback_mutex_released, reinterpret_cast<ompt_callback_t>(on_mutex_released)},
      {ompt_callback_control_tool, reinterpret_cast<ompt_callback_t>(on_control_tool)},
  };
  for (const auto& c : all) set(c.event, c.callback);
  return 1;
}

void finalize(ompt_data_t*) { finish(); }

// If the program calls exit() within a region, the runtime does not finalize its tool. As in abi/load.cpp.
__attribute__((destructor(101))) void unloaded() { finish(); }

}  // namespace
}  // namespace einkorn::record

// EINKORN_TOOL_RECORD: the recording's name. Without it the tool stays out.
extern "C" __attribute__((visibility("default"))) ompt_start_tool_result_t* ompt_start_tool(unsigned,
                                                                                            const char* runtime) {
  using namespace einkorn::record;
  static char name[256];
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  Options options;
  options.path = getenv("EINKORN_TOOL_RECORD");
  if (!options.path) return nullptr;
  strncpy(name, runtime ? runtime : "unknown", sizeof name - 1);
  options.runtime = name;
  options.absent = "functions, creation costs, idle times in detail, taskloop ranges, chunks of one-thread teams";
  start(options);
  return recording() ? &result : nullptr;
}
