#include "codelet/taskgraph.h"
#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/clock.h"
#include "runtime/sync/reduction.h"
#include "runtime/task/kmp_body.h"
#include "runtime/task/taken_order.h"

namespace einkorn::codelet {

using namespace runtime;

struct TaskGraphs {
  Mutex lock;
  std::vector<std::unique_ptr<TaskGraph>> all;  // by graph_id, or by what is compared
  uint64_t meetings = 0;                        // of those that are compared
  std::atomic<uint32_t> misses{0};              // in a row, with values that had not been there
};

// A construct that is open: between begin and end.
struct OpenTaskGraph {
  Capture capture;
  TaskGraphHandle* handle;
  TaskGraph* graph = nullptr;  // which it records; nullptr: its tasks are ordinary ones
  bool by_compiler = false;    // nobody asked for it: nothing is said of what cannot be replayed
};

// ---- running a task of a graph -------------------------------------------------------------------------------------

namespace {

// It has children that have not ended, or something else of it is left: now it counts, as a child of the current task.
EK_NOINLINE void end_counted(Worker* w, Task* t) {
  w->fired_task = nullptr;
  ++w->current->created;
  add(w->slot->created, std::memory_order_relaxed);
  if (t->group) join_group(w, t->group);
  end_task(w, t);
}

// As the task before has left it: what init_short() says, but for its flags and control variables, and for children
// that others have ended: those stay in `created` and in `refs`, where they cancel out.
[[maybe_unused]] bool is_begun(const Worker* w, const Task* t) {
  return t->parent == w->current && nothing_left_of(t) && t->record_id == 0 &&
         t->owner.load(std::memory_order_relaxed) == w->id && t->depth == w->current->depth + 1;
}

// A task of the class, with these data, in that task, which is_begun().
template <bool kmp>
__attribute__((always_inline)) inline void run_in(Worker* w, Task* t, const TaskClass& c, const char* data) {
  EK_ASSERT(is_begun(w, t));
  t->flags = c.with;
  t->icv = w->current->icv;
  put_on(w, t);
  if constexpr (kmp) {
    copy_taken_kmp(static_cast<KmpTask*>(t->body()), data, c.bytes);
    Kmp::run_parts(w, t);
  } else {
    auto* body = static_cast<GompBody*>(t->body());
    auto fn = reinterpret_cast<void (*)(void*)>(const_cast<void*>(c.entry));
    *body = {fn, body + 1};
    copy_words(body + 1, data, c.bytes);
    fn(body + 1);
  }
}

// The thread has no task to run it in; or is in one that waits, and fires others here, as children of its own. Under
// schedules by place each is a task of its own.
template <bool kmp>
EK_NOINLINE void run_in_new(Worker* w, const TaskClass& c, const char* data) {
  Task* const before = w->fired_task;
  Task* const t = w->fired_task = c.graph->new_task(w);
  run_in<kmp>(w, t, c, data);
  w->current = t->parent;
  if (before != nullptr || w->team->placed.load(std::memory_order_relaxed) != nullptr || t->flags != c.with ||
      !nothing_left_of(t)) {
    end_counted(w, t);
    w->fired_task = before;
  }
}

// A task of the class, with these data, as a child of what runs on the thread, which waits for it meanwhile: nobody
// else can, so it is not counted, as long as nothing of it is left. All that run here run in one task, as long as
// nothing is left of that.
template <bool kmp>
__attribute__((always_inline)) inline void run_one(Worker* w, const TaskClass& c, const char* data) {
  Task* t = w->fired_task;
  if (EK_UNLIKELY(t == nullptr || t->parent != w->current)) return run_in_new<kmp>(w, c, data);
  run_in<kmp>(w, t, c, data);
  t = w->current;
  w->current = t->parent;
  if (EK_UNLIKELY(t->flags != c.with) || EK_UNLIKELY(!nothing_left_of(t))) end_counted(w, t);
}

// Task i of the class.
template <bool kmp>
void fire(void* context, uint32_t i) {
  const TaskClass& c = *static_cast<const TaskClass*>(context);
  run_one<kmp>(t_worker, c, c.data[i]);
}

// A place in the order.
void fire_nothing(void*, uint32_t) {}

bool same_items(const Dependence* a, const Dependence* b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (a[i].address != b[i].address || a[i].mode != b[i].mode) return false;
  return true;
}

}  // namespace

// ---- records -------------------------------------------------------------------------------------------------------

void TaskGraph::discard() {
  recorded_ = false;
  graph_.reset();
  classes_.clear();
  taken_ = {};
  outside_.clear();
  body_bytes_ = 0;
  times_ = {};
  refused = nullptr;
}

void TaskGraph::record(Taken&& taken) {
  taken_ = std::move(taken);
  recorded_ = true;
  classes_.reserve(taken_.kinds.size());  // the graph has pointers to them
  for (const TakenKind& kind : taken_.kinds) {
    classes_.push_back({.graph = this, .entry = kind.entry, .bytes = kind.bytes, .flags = kind.flags, .data = nullptr});
    body_bytes_ = std::max(body_bytes_, classes_.back().body_bytes());
  }
}

void TaskGraph::make_graph() {
  graph_ = std::make_unique<RunnableGraph>("taskgraph");
  Graph& graph = graph_->graph;
  for (size_t k = 0; k < classes_.size(); ++k) {
    const uint32_t count = taken_.kinds[k].count;
    classes_[k].data = std::make_unique_for_overwrite<const char*[]>(count);
    graph.add_class(classes_[k].flags & kTaskKmp ? fire<true> : fire<false>, &classes_[k], count, 0);
  }
  const uint32_t tasks = taken_.tasks.size();
  TakenOrder order(tasks);
  // A task's node: those of a class have numbers of their own, behind those of the class before.
  auto nodes = std::make_unique_for_overwrite<uint32_t[]>(tasks);
  uint32_t n = 0;
  taken_.tasks.each([&](const TakenTask& t) {
    classes_[t.kind].data[t.number] = t.data();
    nodes[n] = graph.classes()[t.kind].first + t.number;
    if (EK_LIKELY(t.items != 0)) order.add(n, t.list, t.items);
    ++n;
  });
  if (order.joints() != 0) graph.add_class(fire_nothing, nullptr, order.joints(), 0);
  auto node_of = [&](uint32_t task) { return EK_LIKELY(task < tasks) ? nodes[task] : task; };
  graph.close_with(
      [&](auto&& arc) { order.arcs().each([&](const TakenOrder::Arc& a) { arc(node_of(a.from), node_of(a.to)); }); });
}

Task* TaskGraph::new_task(Worker* w) const {
  Task* t = new_block(w, body_bytes_);
  init_short(w, t, 0, w->id);
  if (nogroup_) t->group = group_;
  return t;
}

const std::vector<Dependence>& TaskGraph::outside() {
  if (!outside_.empty()) return outside_;
  taken_.tasks.each([this](const TakenTask& t) { outside_.insert(outside_.end(), t.list, t.list + t.items); });
  auto order = [](const Dependence& d) { return std::tuple(d.address, d.mode); };
  auto less = [=](const auto& a, const auto& b) { return order(a) < order(b); };
  auto same = [=](const auto& a, const auto& b) { return order(a) == order(b); };
  std::sort(outside_.begin(), outside_.end(), less);
  outside_.erase(std::unique(outside_.begin(), outside_.end(), same), outside_.end());
  return outside_;
}

const char* TaskGraph::misfit(const Taken& now, size_t* task) const {
  Series<TakenTask>::Reader before(taken_.tasks), after(now.tasks);
  for (*task = 0;; ++*task) {
    const TakenTask *a = before.next(), *b = after.next();
    if (!a || !b) return a || b ? "is there on one side only" : nullptr;
    const TakenKind &x = taken_.kinds[a->kind], &y = now.kinds[b->kind];
    if (x.entry != y.entry || x.flags != y.flags || x.bytes != y.bytes) return "is another one";
    if (a->items != b->items || !same_items(a->list, b->list, a->items)) return "depends on something else";
    if (!(x.flags & kTaskKmp) || !x.entry) continue;
    // Shared variables are at the end of clang's data: their addresses.
    const auto from = reinterpret_cast<uintptr_t>(reinterpret_cast<const KmpTask*>(a->data())->shareds);
    if (from != 0 && memcmp(a->data() + from, b->data() + from, x.bytes - from) != 0)
      return "shares a variable that is elsewhere";
  }
}

// A thread without others needs no graph: each follows only such as were created before.
void TaskGraph::run_in_order(Worker* w, Capture& c, Caller caller) {
  begin_group(w, c);
  {
    const FiredTask task(w);
    taken_.tasks.each([&](const TakenTask& t) {
      const TaskClass& of = classes_[t.kind];
      if (of.flags & kTaskKmp) run_one<true>(w, of, t.data());
      else run_one<false>(w, of, t.data());
    });
  }
  end_group(w, c, caller);
}

void TaskGraph::run(Worker* w, Capture& c, Caller caller) {
  if (EK_UNLIKELY(w->stream != nullptr)) {
    // Recorded they are what they are without a graph: each with its creation, its dependences and its place.
    begin_group(w, c);
    create_again(w, taken_);
    return end_group(w, c, caller);
  }
  if (EK_UNLIKELY(outstanding(w->current) != 0)) wait_for_earlier(w, outside(), caller);
  // Who helps has it of that task, too.
  const uint16_t inherited = inherited_short(w, 0);
  for (auto& of : classes_) of.with = of.flags | inherited;
  nogroup_ = c.nogroup;
  group_ = w->current->group;
  using schedule::GraphForm;
  constexpr uint64_t kMostAloneNs = 2'000'000;
  GraphForm form = w->team->n == 1 ? GraphForm::alone : GraphForm::together;
  const bool is_timed = chooses && form == GraphForm::together;
  if (is_timed) form = schedule::form_of(times_, float(in_ticks(kMostAloneNs)));
  if (EK_UNLIKELY(!graph_) && form == GraphForm::together) make_graph();
  const uint64_t began = is_timed ? ticks() : 0;
  if (form == GraphForm::alone) run_in_order(w, c, caller);
  else graph_->run(caller, true);
  if (is_timed) schedule::learn(times_, form, float(ticks() - began));
  run_queued_outside_regions(w);
}

// ---- constructs ----------------------------------------------------------------------------------------------------

namespace {

TaskGraphs& graphs_of(TaskGraphHandle& handle) {
  // Acquire: the graphs as who made them has left them.
  TaskGraphs* there = handle.graphs.load(std::memory_order_acquire);
  if (EK_LIKELY(there != nullptr)) return *there;
  auto* made = new TaskGraphs;
  // Release: what was made. Acquire: what another one has.
  if (handle.graphs.compare_exchange_strong(there, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *there;
}

TaskGraph* find(TaskGraphs& graphs, int64_t id) {
  for (auto& g : graphs.all)
    if (g->id == id) return g.get();
  return nullptr;
}

// The record of that id, for this thread alone until release(); nullptr: another one has it.
TaskGraph* acquire(TaskGraphs& graphs, int64_t id, bool reset) {
  graphs.lock.lock();
  TaskGraph* g = find(graphs, id);
  if (!g) {
    g = graphs.all.emplace_back(std::make_unique<TaskGraph>()).get();
    g->id = id;
  }
  g->stale |= reset;
  TaskGraph* mine = std::exchange(g->busy, true) ? nullptr : g;
  const bool discards = mine && std::exchange(mine->stale, false);
  graphs.lock.unlock();
  if (discards) mine->discard();
  return mine;
}

void release(TaskGraphs& graphs, TaskGraph* g) {
  graphs.lock.lock();
  g->busy = false;
  graphs.lock.unlock();
}

// Where tasks are ordinary ones each time: what happens to them is told to others, or they are not the construct's
// alone. (Not said: the same program may be replayed in other places.)
bool replays_here(const Worker* w) {
  return w->tool == nullptr && !g_config.cancellation && !(w->current->flags & kTaskFinal) &&
         reductions_of(w) == nullptr;
}

const char* name_of(const TaskGraphHandle& handle) { return handle.name ? handle.name : "without a name"; }

#ifdef EINKORN_ASSERT
constexpr bool kAlwaysChecks = true;
#else
constexpr bool kAlwaysChecks = false;
#endif

}  // namespace

OpenTaskGraph* taskgraph_begin(TaskGraphHandle& handle, int64_t id, unsigned flags, Caller caller) {
  Worker* w = self();
  refuse_if_captures(w, "a taskgraph directly inside");
  own_task(w);
  if (flags & ~unsigned(kAllFlags)) {
    warn("ompx_taskgraph_begin(%s): flags 0x%x are not known, and ignored", name_of(handle),
         flags & ~unsigned(kAllFlags));
    flags &= kAllFlags;
  }
  TaskGraph* g = nullptr;
  if (!(flags & kOff) && replays_here(w)) g = acquire(graphs_of(handle), id, flags & kReset);
  if (g && g->is_recorded() && !(flags & kCheck) && !kAlwaysChecks) {
    Capture c(w->current, caller, flags & kNogroup);
    g->run(w, c, caller);
    release(graphs_of(handle), g);
    return nullptr;
  }
  if (g && g->refused) {
    release(graphs_of(handle), g);
    g = nullptr;
  }
  auto* open = new OpenTaskGraph{Capture(w->current, caller, flags & kNogroup), &handle, g};
  if (g) begin_capture(w, open->capture);
  else begin_group(w, open->capture);
  return open;
}

void taskgraph_end(OpenTaskGraph* open, Caller caller) {
  Worker* w = self();
  Capture& c = open->capture;
  if (c.creator != w->current)
    fatal("ompx_taskgraph_end(%s): called by another task than its ompx_taskgraph_begin()", name_of(*open->handle));
  TaskGraph* g = open->graph;
  if (c.open) {
    end_capture(w, c);
    size_t task = 0;
    const char* misfit = g->is_recorded() ? g->misfit(c.taken, &task) : nullptr;
    if (misfit) {
      warn(
          "taskgraph %s: task %zu %s than when it was recorded: it is recorded anew. Say OMPX_TASKGRAPH_RESET where tasks change",
          name_of(*open->handle), task, misfit);
      g->discard();
    }
    if (!g->is_recorded()) g->record(std::move(c.taken));
    g->run(w, c, caller);
  } else {
    end_group(w, c, caller);
  }
  if (g) {
    if (c.refused) {
      g->discard();
      g->refused = c.refused;
      if (!open->by_compiler)
        warn("taskgraph %s has %s: its tasks are ordinary ones each time, and not replayed", name_of(*open->handle),
             c.refused);
    }
    release(graphs_of(*open->handle), g);
  }
  delete open;
}

// ---- runs that the compiler has found ------------------------------------------------------------------------------

namespace {

// Of a construct: graphs that are kept, and values in a row that were not there before it is given up.
constexpr size_t kMostCompared = 32;
constexpr uint32_t kMostMisses = 256;
// Tasks of a graph that nobody asked for.
constexpr uint32_t kMostTasks = 1 << 18;

bool are_same(const TaskGraph& g, const int64_t* values, size_t count) {
  return g.values.size() == count && (count == 0 || memcmp(g.values.data(), values, count * sizeof *values) == 0);
}

// Instead of the one that was not met for longest; nullptr: all are being run.
TaskGraph* replaceable(TaskGraphs& graphs) {
  if (graphs.all.size() < kMostCompared) return graphs.all.emplace_back(std::make_unique<TaskGraph>()).get();
  TaskGraph* oldest = nullptr;
  for (auto& g : graphs.all)
    if (!g->busy && (!oldest || g->met < oldest->met)) oldest = g.get();
  if (oldest) oldest->discard();
  return oldest;
}

// The record of these values, for this thread alone until release(). nullptr: another one has it, they were not met
// before, or it cannot be recorded.
TaskGraph* acquire_same(TaskGraphs& graphs, const int64_t* values, size_t count) {
  // Relaxed: a number, and who sees an old one only looks once more.
  if (graphs.misses.load(std::memory_order_relaxed) >= kMostMisses) return nullptr;
  graphs.lock.lock();
  TaskGraph* mine = nullptr;
  const auto found =
      std::find_if(graphs.all.begin(), graphs.all.end(), [&](const auto& g) { return are_same(*g, values, count); });
  if (found != graphs.all.end()) {
    TaskGraph* g = found->get();
    g->met = ++graphs.meetings;
    graphs.misses.store(0, std::memory_order_relaxed);
    if (!g->busy && !g->refused) {
      g->busy = true;
      mine = g;
    }
  } else {
    graphs.misses.fetch_add(1, std::memory_order_relaxed);
    if (TaskGraph* g = replaceable(graphs)) {
      g->values.assign(values, values + count);
      g->chooses = true;
      g->met = ++graphs.meetings;
    }
  }
  graphs.lock.unlock();
  return mine;
}

}  // namespace

OpenTaskGraph* tasks_begin(TaskGraphHandle& handle, const int64_t* values, int count, Caller caller) {
  auto* const ordinary = reinterpret_cast<OpenTaskGraph*>(uintptr_t(1));
  Worker* w = self();
  if (captures(w)) return ordinary;  // they are of the taskgraph around
  own_task(w);
  if (g_config.codelets == Codelets::off || count < 0 || !replays_here(w)) return ordinary;
  TaskGraph* g = acquire_same(graphs_of(handle), values, size_t(count));
  if (!g) return ordinary;
  if (g->is_recorded() && !kAlwaysChecks) {
    Capture c(w->current, caller, true);
    g->run(w, c, caller);
    release(graphs_of(handle), g);
    return nullptr;
  }
  auto* open = new OpenTaskGraph{Capture(w->current, caller, true), &handle, g, true};
  open->capture.most = kMostTasks;
  begin_capture(w, open->capture);
  return open;
}

const char* taskgraph_why_not(TaskGraphHandle& handle, int64_t id) {
  TaskGraphs* graphs = handle.graphs.load(std::memory_order_acquire);  // as in graphs_of()
  if (!graphs) return "it was not met yet";
  graphs->lock.lock();
  const TaskGraph* g = find(*graphs, id);
  const char* why = !g ? "it was not met yet" : g->busy ? "it is being run" : g->refused;
  if (!why && !g->is_recorded()) why = "it was not met yet";
  graphs->lock.unlock();
  return why;
}

void taskgraph_free(TaskGraphHandle& handle) {
  // Acquire: all that was done with them.
  delete handle.graphs.exchange(nullptr, std::memory_order_acquire);
}

}  // namespace einkorn::codelet
