#include "codelet/taskgraph.h"
#include <algorithm>
#include <cstring>
#include <tuple>

#include "runtime/sync/reduction.h"
#include "runtime/task/kmp_body.h"

namespace einkorn::codelet {

using namespace runtime;

struct TaskGraphs {
  Mutex lock;
  std::vector<std::unique_ptr<TaskGraph>> all;  // by graph_id
};

// A construct that is open: between begin and end.
struct OpenTaskGraph {
  Capture capture;
  TaskGraphHandle* handle;
  TaskGraph* graph = nullptr;  // which it records; nullptr: its tasks are ordinary ones
};

// ---- running a task of a graph -------------------------------------------------------------------------------------

namespace {

// It has children that have not ended, or something else of it is left: now it counts, as a child of the current task.
EK_NOINLINE void end_counted(Worker* w, Task* t) {
  ++w->current->created;
  add(w->slot->created, std::memory_order_relaxed);
  if (t->group) join_group(w, t->group);
  end_task(w, t);
}

// Task i of the class, as a child of what runs on the thread, which waits for it meanwhile: nobody else can, so it is
// not counted, as long as nothing of it is left.
template <bool kmp, bool huge>
void fire(void* context, uint32_t i) {
  const TaskClass& c = *static_cast<const TaskClass*>(context);
  Worker* w = t_worker;
  EK_ASSERT(huge == (c.size_class == kHuge));
  Task* t = huge ? nullptr : take_block(w, c.size_class);
  if (EK_UNLIKELY(t == nullptr)) t = new_block(w, c.body_bytes());
  const uint16_t flags = c.with;
  init_short(w, t, flags, w->id);
  if (EK_UNLIKELY(c.nogroup)) t->group = c.graph->group();
  const char* from = c.data + c.at[i];
  if constexpr (kmp) {
    copy_taken_kmp(static_cast<KmpTask*>(t->body()), from, c.bytes);
    put_on(w, t);
    Kmp::run_parts(w, t);
  } else {
    auto* body = static_cast<GompBody*>(t->body());
    auto fn = reinterpret_cast<void (*)(void*)>(const_cast<void*>(c.entry));
    *body = {fn, body + 1};
    copy_words(body + 1, from, c.bytes);
    put_on(w, t);
    fn(body + 1);
  }
  t = w->current;
  w->current = t->parent;
  if (EK_LIKELY(t->flags == flags) && EK_LIKELY(nothing_left_of(t))) {
    if (huge) return free_block(w, t);
    return free_own_block(w, t, c.size_class);
  }
  end_counted(w, t);
}

// A place in the order.
void fire_nothing(void*, uint32_t) {}

Fire fire_of(const TaskClass& c) {
  const bool huge = c.size_class == kHuge;
  if (!c.entry) return fire_nothing;
  if (c.flags & kTaskKmp) return huge ? fire<true, true> : fire<true, false>;
  return huge ? fire<false, true> : fire<false, false>;
}

bool same_items(const Dependence* a, const Dependence* b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (a[i].address != b[i].address || a[i].mode != b[i].mode) return false;
  return true;
}

}  // namespace

// ---- records -------------------------------------------------------------------------------------------------------

void TaskGraph::discard() {
  graph_.reset();
  classes_.clear();
  taken_ = {};
  outside_.clear();
  refused = nullptr;
}

// of, number: each task's class, and its number there. A construct has few kinds of tasks, mostly in turn.
void TaskGraph::make_classes(std::vector<int>& of, std::vector<uint32_t>& number) {
  size_t last = 0;
  for (const TakenTask& t : taken_.tasks) {
    auto is = [&](const auto& c) { return c->entry == t.entry && c->bytes == t.bytes && c->flags == t.flags; };
    if (last >= classes_.size() || !is(classes_[last])) {
      // Those made last are the likelier; where there are very many the search ends, and there is another one.
      constexpr size_t kMostLooks = 64;
      size_t at = classes_.size(), looks = std::min(at, kMostLooks);
      while (looks > 0 && !is(classes_[at - 1])) --at, --looks;
      if (looks > 0) {
        last = at - 1;
      } else {
        last = classes_.size();
        classes_.push_back(std::make_unique<TaskClass>(TaskClass{.graph = this,
                                                                 .entry = t.entry,
                                                                 .data = taken_.data.get(),
                                                                 .bytes = t.bytes,
                                                                 .flags = t.flags,
                                                                 .size_class = 0,
                                                                 .at = {}}));
        TaskClass& made = *classes_.back();
        made.size_class = size_class_of(sizeof(Task) + made.body_bytes() + sizeof(void*));
      }
    }
    of.push_back(int(last));
    number.push_back(uint32_t(classes_[last]->at.size()));
    classes_[last]->at.push_back(t.at);
  }
}

void TaskGraph::record(Taken&& taken) {
  taken_ = std::move(taken);
  std::vector<int> of;
  std::vector<uint32_t> number;
  of.reserve(taken_.tasks.size());
  number.reserve(taken_.tasks.size());
  make_classes(of, number);
  graph_ = std::make_unique<RunnableGraph>("taskgraph");
  for (auto& c : classes_) graph_->graph.add_class(fire_of(*c), c.get(), uint32_t(c->at.size()), 0);
  for (const Taken::Arc& a : taken_.arcs) graph_->graph.add_arc(of[a.from], number[a.from], of[a.to], number[a.to]);
  std::vector<Taken::Arc>().swap(taken_.arcs);
  std::string why;
  if (graph_->graph.close(&why) != 0) fatal("%s", why.c_str());
}

const std::vector<Dependence>& TaskGraph::outside() {
  if (!outside_.empty()) return outside_;
  outside_ = taken_.items;
  auto order = [](const Dependence& d) { return std::tuple(d.address, d.mode); };
  auto less = [=](const auto& a, const auto& b) { return order(a) < order(b); };
  auto same = [=](const auto& a, const auto& b) { return order(a) == order(b); };
  std::sort(outside_.begin(), outside_.end(), less);
  outside_.erase(std::unique(outside_.begin(), outside_.end(), same), outside_.end());
  return outside_;
}

const char* TaskGraph::misfit(const Taken& now, size_t* task) const {
  const size_t count = std::min(now.tasks.size(), taken_.tasks.size());
  for (size_t& i = *task = 0; i < count; ++i) {
    const TakenTask &a = taken_.tasks[i], &b = now.tasks[i];
    if (a.entry != b.entry || a.flags != b.flags || a.bytes != b.bytes) return "is another one";
    if (a.items != b.items || !same_items(taken_.items.data() + a.first_item, now.items.data() + b.first_item, a.items))
      return "depends on something else";
    if (!(a.flags & kTaskKmp)) continue;
    // Shared variables are at the end of clang's data: their addresses.
    const char *x = taken_.data.get() + a.at, *y = now.data.get() + b.at;
    const auto from = reinterpret_cast<uintptr_t>(reinterpret_cast<const KmpTask*>(x)->shareds);
    if (from != 0 && memcmp(x + from, y + from, a.bytes - from) != 0) return "shares a variable that is elsewhere";
  }
  *task = count;
  return now.tasks.size() != taken_.tasks.size() ? "is there on one side only" : nullptr;
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
  for (auto& of : classes_) {
    of->with = of->flags | inherited;
    of->nogroup = c.nogroup;
  }
  group_ = w->current->group;
  graph_->run(caller, true);
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
      warn("taskgraph %s has %s: its tasks are ordinary ones each time, and not replayed", name_of(*open->handle),
           c.refused);
    }
    release(graphs_of(*open->handle), g);
  }
  delete open;
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
