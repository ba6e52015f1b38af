// A procedure that is invoked is a task whose body is called again and again (runtime/task/instance.h). Where it waits
// for its children those that lie in its thread's own queue are run first (stretches.h): that is the quickest way while
// nobody has stolen any. If some are left it gives way: its thread is free, and who ends the last child goes on with
// it.
#include "codelet/procedure.h"

#include <algorithm>

#include "codelet/stretches.h"
#include "codelet/unwinding.h"
#include "runtime/sync/wait.h"
#include "runtime/task/create.h"
#include "runtime/task/gomp_body.h"
#include "runtime/team/placed.h"
#include "runtime/team/team.h"

namespace einkorn::codelet {

using namespace runtime;

namespace {

bool is_current(const Worker* w, Instance* self) {
  return !self || self->kind == Instance::of_region || task_of(self) == w->current;
}

struct Invocation {
  const Procedure* procedure;
  const void* frame;

  size_t bytes() const { return sizeof(Instance) + bytes_behind(procedure); }
  void begin(Task* t, Instance::Kind kind = Instance::unseen) const {
    Instance* i = instance_of(t);
    *i = {i + 1, run_stretches, 0, 0, own_behind(i, procedure), procedure, 1, kind};
    copy_bytes(reinterpret_cast<char*>(i + 1), frame, procedure->frame_bytes);
  }

  uint32_t site(Worker* w, Caller caller) const {
    const auto* run = reinterpret_cast<const void*>(procedure->run);
    return w->stream->site(record::Construct::task, kDeferred | record::kSiteProcedure, run, caller);
  }
  uint32_t site(Worker* w, record::Construct, uint16_t, Caller caller) const { return site(w, caller); }
  // Once: all threads that record read the line.
  static void say_recorded() {
    if (EK_UNLIKELY(g_instance_call.load(std::memory_order_relaxed) != run_stretches))
      g_instance_call.store(run_stretches, std::memory_order_relaxed);
  }
  Task* make(Worker* w, uint16_t flags) const {
    Task* t = new_block(w, bytes());
    init_task(w, t, uint16_t(flags | kTaskKmp));
    t->notes |= notes_of(procedure);
    if (w->stream) say_recorded();
    const bool seen = w->stream || w->tool || w->hints || g_config.cancellation;
    instance_of(t)->kind = seen ? Instance::of_task : Instance::unseen;
    return t;
  }
  void fill(Task* t) const { begin(t, instance_of(t)->kind); }
  Task* make_short(Worker* w, int flags) const {
    Task* t = new_block(w, bytes());
    init_short(w, t, uint16_t(kTaskKmp | flags));
    t->notes = notes_of(procedure);
    begin(t, Instance::of_task);
    say_recorded();
    return t;
  }
  Task* make_short(Worker* w) const {
    Task* t = new_block(w, bytes());
    init_short(w, t, kTaskKmp, w->id);  // as a spare one, which it may become: of these none has notes
    t->notes = notes_of(procedure);
    begin(t);
    return t;
  }
};

struct PlacedInvocation : Invocation {
  int cluster;

  PlacedInvocation(const Procedure* p, const void* frame, int to) : Invocation{p, frame}, cluster(to) {}
  Task* make(Worker* w, uint16_t flags) const {
    Task* t = Invocation::make(w, flags);
    name_cluster(w, t, cluster);
    return t;
  }
};

// Queued, whatever there is to observe and however the team's queues are.
template <class Body>
void queue_any(Worker* w, const Body& body, Caller caller) {
  // Outside of regions, where no barrier comes, a task of the program runs what it has queued; a procedure's instance
  // does where it waits, or has ended.
  const Task* me = own_task(w);
  const bool in_instance = (me->flags & (kTaskKmp | kTaskImplicit)) == kTaskKmp &&
                           static_cast<const Instance*>(const_cast<Task*>(me)->body())->call == run_stretches;
  if (EK_UNLIKELY(g_config.cancellation) && tasks_cancelled(w)) return;
  observe::with_observer(w, [&](auto observer) {
    typename decltype(observer)::Creation creation(w, caller);
    // All descendants of a final task are final, and end within it.
    const uint16_t final = w->current->flags & kTaskFinal;
    Task* t = body.make(w, final);
    creation.set_up(t, 0, false);
    body.fill(t);
    creation.made(t, [&] { return body.site(w, caller); });
    if constexpr (requires { body.is_made(w, t); })
      if (decltype(observer)::kHears) body.is_made(w, t);
    if (EK_LIKELY(!final)) return submit_plain(w, t);
    count_task(w, t);
    run_task(w, t);
  });
  if (!in_instance) run_queued_outside_regions(w);
}

// Its stretches, until it has ended or gives way.
__attribute__((always_inline)) inline void run_here(Worker* w, Task* t, const Procedure* p) {
  for (Instance* const i = instance_of(t);;) {
    EK_NOTHING_LEAVES_TO_HERE(ek_left_task);
    const int why = p->run(i);
    if (why == kEnd) return;
    if (EK_LIKELY(waits_for_children(*i, why)) && EK_UNLIKELY(outstanding(t) != 0)) return run_stretches_of(w, t, why);
  }
}

__attribute__((noinline)) void run_large_now(Worker* w, const Procedure* p, const void* frame) {
  const Invocation body{p, frame};
  Task* t = new_block(w, body.bytes());
  body.begin(t);
  t->notes = notes_of(p);
  ++w->nested_instances;
  run_undeferred_short(w, t, inherited_short(w, kTaskKmp), kHuge, [&] { with_own(w, t, [&] { run_here(w, t, p); }); });
  if (--w->nested_instances == 0) run_queued_outside_regions(w);
}

// The first of the spare ones is of that procedure then.
EK_NOINLINE Task* spare_for(Worker* w, const Procedure* p) {
  Task* t = w->spare_instances;
  if (t == nullptr) {
    t = new_block(w, sizeof(Instance) + kShortFrame);
    Instance* i = instance_of(t);
    *i = {i + 1, run_stretches, 0, 0, nullptr, nullptr, 1, Instance::unseen};
    init_short(w, t, kTaskKmp, w->id);
    t->notes = 0;
    put_spare(w, t);
  }
  set_procedure(instance_of(t), p);
  return t;
}

// As a task that runs at once does (run_undeferred_short()): nobody else would run it, or it is over sooner than it
// could be queued. In a block that is an instance already, and is one again where nothing is left of it.
template <bool own_apart>
inline void run_now_in_spare(Worker* w, const Procedure* p, const void* frame) {
  Task* t = w->spare_instances;
  if (EK_UNLIKELY(t == nullptr || instance_of(t)->procedure != p)) {
    if (!is_short(p)) return run_large_now(w, p, frame);
    t = spare_for(w, p);
  }
  w->spare_instances = t->parent;
  begin_again(w, t, p, frame);
  t->flags = inherited_short(w, kTaskKmp);
  if (t->group != nullptr) join_group(w, t->group);
  ++w->nested_instances;
  put_on(w, t);
  if constexpr (own_apart) with_own(w, t, [&] { run_here(w, t, p); });
  else run_here(w, t, p);
  Task* me = t->parent;
  w->current = me;
  if (EK_LIKELY(!(t->flags & ~(kTaskKmp | kTaskFinal | kTaskSlowPath))) && EK_LIKELY(t->created == t->done) &&
      // Acquire: as nothing_left_of().
      EK_LIKELY(t->refs.load(std::memory_order_acquire) == Task::kAlive)) {
    t->flags = kTaskKmp;
    if (Taskgroup* g = t->group; g && !leave_group_short(w, g)) leave_group(w, g);
    put_spare(w, t);
  } else {
    ++me->created;
    add(w->slot->created, std::memory_order_relaxed);
    if (EK_UNLIKELY(t->flags & kTaskNextPart)) requeue(w, t);  // it gives way
    else end_task(w, t);
  }
  if (--w->nested_instances == 0) run_queued_outside_regions(w);
}

__attribute__((noinline)) void run_now_apart(Worker* w, const Procedure* p, const void* frame) {
  run_now_in_spare<true>(w, p, frame);
}

__attribute__((noinline)) void run_now(Worker* w, const Procedure* p, const void* frame) {
  if (EK_UNLIKELY(has_own_apart(p))) return run_now_apart(w, p, frame);
  run_now_in_spare<false>(w, p, frame);
}

__attribute__((noinline)) void run_counted(Worker* w, const Procedure* p, const void* frame) {
  InlinedTask timing(w);
  run_now(w, p, frame);
}

bool may_run_now(const Worker* w) { return has_stack(w) && !w->stream && !w->hints && !g_config.cancellation; }

}  // namespace

void misused(const Procedure* p, const char* call, const char* what) {
  const char* name = p && p->name ? p->name : "a procedure without a name";
  if (p && p->file) fatal("codelets: %s() of %s (%s): %s", call, name, p->file, what);
  fatal("codelets: %s() of %s: %s", call, name, what);
}

int left(int actions, const char* what) {
  constexpr int kForced = 8, kNoWay = 3;  // _UA_FORCE_UNWIND, _URC_FATAL_PHASE1_ERROR
  if (actions & kForced)
    fatal(
        "codelets: the thread was to end in %s (pthread_exit() or pthread_cancel()): only threads of the program's own may",
        what);
  warn("codelets: an exception left %s: catch it there", what);
  return kNoWay;
}

int left(int actions, const Instance& i) {
  const Procedure* p = i.procedure;
  char line[16] = "", text[300];
  if (const uint32_t known = line_of(p, i.at)) snprintf(line, sizeof line, ":%u", known);
  snprintf(text, sizeof text, "%s (%s%s), where it had gone on at %u", p->name ? p->name : "a procedure without a name",
           p->file ? p->file : "file not known", line, i.at);
  return left(actions, text);
}

namespace {

void check_invocation(const Worker* w, Instance* self, const Procedure* p, const void* frame, const char* call) {
  check(p, frame, call);
  if (!is_current(w, self)) misused(p, call, "on behalf of an instance that does not run on this thread now");
}

}  // namespace

static EK_NOINLINE void invoke_any(Instance* self, const Procedure* p, const void* frame, Caller caller) {
  Worker* w = runtime::self();
  check_invocation(w, self, p, frame, "ek_invoke");
  const Invocation body{p, frame};
  if (EK_LIKELY(is_fast_path(w))) {
    EK_ASSERT(!w->stream);
    if (EK_LIKELY(w->slot->deque.has_room())) return submit_short(w, body.make_short(w));
    if (EK_LIKELY(has_stack(w)) && EK_LIKELY(!defers_adaptively()) &&
        EK_LIKELY(schedule::credit_at_once(w->inlining, w->current) == schedule::AtOnce::yes))
      return run_counted(w, p, frame);
  }
  if (is_recorded_way(w)) return create_recorded(w, body, caller);
  refuse_if_captures(w, "a codelet procedure");
  own_task(w);  // whose child it is: it may give way
  if (EK_LIKELY(may_run_now(w))) {
    if (EK_LIKELY(w->team->n == 1)) return run_now(w, p, frame);
    if (is_better_run_now(w, nullptr)) return run_counted(w, p, frame);
  }
  queue_any(w, body, caller);
}

// Most of those in a team of one; what is rarer is reached by a jump.
void invoke(Instance* self, const Procedure* p, const void* frame, Caller caller) {
  Worker* w = t_worker;
  if (EK_LIKELY(w != nullptr) && EK_LIKELY(task_of(self) == w->current) && EK_LIKELY(frame != nullptr) &&
      EK_LIKELY(p != nullptr) && EK_LIKELY(p->run != nullptr) && EK_LIKELY(!captures(w)) &&
      EK_LIKELY(w->team->n == 1) && EK_LIKELY(may_run_now(w)))
    return run_now(w, p, frame);
  invoke_any(self, p, frame, caller);
}

void invoke_at(Instance* self, const Procedure* p, const void* frame, Caller caller, int cluster) {
  Worker* w = runtime::self();
  int own;
  if (cluster < 0 || clusters(w, &own) == 1) return invoke(self, p, frame, caller);
  check_invocation(w, self, p, frame, "ek_invoke_at");
  refuse_if_captures(w, "a codelet procedure");
  queue_any(w, PlacedInvocation(p, frame, cluster), caller);
}

namespace {

// A codelet of a loop: an instance of the loop's own procedure, with the frame that all of them share. Its block is
// never a spare one, which would have a frame of its own: it is larger than these.
struct LoopCodelet : Invocation {
  const LoopTasks& loop;
  uint32_t id;

  LoopCodelet(const LoopTasks& of, uint32_t number) : Invocation{of.procedure, of.frame}, loop(of), id(number) {}
  size_t bytes() const { return std::max(Invocation::bytes(), sizeof(Instance) + kShortFrame + kCacheLine); }
  Task* make(Worker* w, uint16_t flags) const {
    Task* t = new_block(w, bytes());
    init_task(w, t, uint16_t(flags | kTaskKmp));
    t->notes |= uint8_t(notes_of(procedure) | kIsCodelet);
    if (w->stream) say_recorded();
    int own;
    if (loop.clusters > 1 && clusters(w, &own) > 1) name_cluster(w, t, own);
    return t;
  }
  void fill(Task* t) const {
    Instance* i = instance_of(t);
    *i = {loop.frame, run_stretches, 0, id, own_behind(i, procedure), procedure, loop.count, Instance::of_task};
  }
};

// The frame of a procedure of a loop.
struct LoopPart {
  const LoopTasks* loop;
  uint32_t part;
};
int run_part(Instance* self) {
  if (self->at != 0) return kEnd;
  const auto& its = *static_cast<const LoopPart*>(self->frame);
  const uint32_t first = its.part * its.loop->each;
  invoke_codelets(*its.loop, first, std::min(first + its.loop->each, its.loop->count));
  self->at = 1;
  return kWait;
}
constexpr Procedure kPart{"a part of a loop", nullptr, run_part, sizeof(LoopPart), 0, nullptr, 0, 0};

// In a recording it is at the line of its loop.
struct LoopPartInvocation : PlacedInvocation {
  const LoopTasks& loop;

  LoopPartInvocation(const LoopTasks& of, const LoopPart& part)
      : PlacedInvocation(&kPart, &part, int(part.part)), loop(of) {}
  Task* make(Worker* w, uint16_t flags) const {
    return loop.clusters > 1 ? PlacedInvocation::make(w, flags) : Invocation::make(w, flags);
  }
  uint32_t site(Worker* w, Caller caller) const {
    const auto* run = reinterpret_cast<const void*>(loop.procedure->run);
    return w->stream->site(record::Construct::task, kDeferred | record::kSiteProcedure, run, caller);
  }
};

}  // namespace

void invoke_codelets(const LoopTasks& loop, uint32_t first, uint32_t end) {
  Worker* w = runtime::self();
  for (uint32_t id = first; id < end; ++id) queue_any(w, LoopCodelet(loop, id), loop.caller);
  // Others may take all of them at once: the loop would not have this form if they were short.
  w->slot->deque.publish();
}

void invoke_parts(const LoopTasks& loop) {
  Worker* w = runtime::self();
  for (uint32_t part = 0; part * loop.each < loop.count; ++part) {
    const LoopPart frame{&loop, part};
    queue_any(w, LoopPartInvocation(loop, frame), loop.caller);
  }
  w->slot->deque.publish();  // as above
}

bool has_children(Instance* self) {
  const Worker* w = runtime::self();
  if (EK_UNLIKELY(!is_current(w, self))) misused(self->procedure, "ek_children", "it does not run on this thread now");
  return outstanding(w->current) != 0;
}

namespace {

struct Launch {
  const Procedure* procedure;
  const void* frame;
  Caller caller;
};

}  // namespace

void launch(const Procedure* p, const void* frame, Caller caller) {
  check(p, frame, "ek_launch");
  Worker* w = runtime::self();
  if (w->team->level > 0) {
    Taskgroup* g = new_group(w);
    taskgroup_begin(w, g, caller, 0);
    invoke(nullptr, p, frame, caller);
    taskgroup_end(w, caller, 0);
    free_group(w, g);
    return;
  }
  Launch l{p, frame, caller};
  auto body = [](void* data) {
    const auto& its = *static_cast<Launch*>(data);
    if (runtime::self()->thread_num == 0) invoke(nullptr, its.procedure, its.frame, its.caller);
  };
  parallel(w, body, &l, 0, reinterpret_cast<const void*>(p->run), caller, 0);
}

// ---- codelets by hand -----------------------------------------------------------------------------------------------

namespace {

struct Firing {
  Codelet* codelet;

  static void fire(void* data) {
    auto* c = static_cast<Codelet*>(data);
    EK_NOTHING_LEAVES_TO_HERE(ek_left_by_hand);
    c->fire(c);
    asm volatile("");  // a call, which has a frame, and no jump
  }

  uint32_t site(Worker* w, Caller caller) const {
    const auto* its = reinterpret_cast<const void*>(codelet->fire);
    g_firing.store(fire, std::memory_order_relaxed);
    return w->stream->site(record::Construct::task, kDeferred, its, caller);
  }
  Task* make(Worker* w, uint16_t flags) const {
    Task* t = new_block(w, sizeof(GompBody));
    init_task(w, t, flags);
    t->notes |= kIsCodelet;
    if (codelet->cluster != kNoCluster) name_cluster(w, t, codelet->cluster);
    return t;
  }
  void fill(Task* t) const { *static_cast<GompBody*>(t->body()) = {fire, codelet}; }
  // In a recording it follows all who have signalled it. Not if it is counted with others.
  void is_made(Worker* w, const Task* t) const {
    if (!record::is_aggregated(t->record_id)) w->stream->fired(codelet, record::fired_as(codelet->id, codelet->line));
  }
  Task* make_short(Worker* w) const {
    Task* t = new_block(w, sizeof(GompBody));
    init_short(w, t, 0);
    fill(t);
    return t;
  }
};

}  // namespace

// While recording. The time is read before others may see that the signal has come: behind it the codelet may fire, be
// signalled again, or be no more.
static EK_NOINLINE int32_t arrive_recorded(Codelet* c) {
  Worker* w = t_worker;
  if (!w || !w->stream || record::is_aggregated(w->current->record_id)) return c->count.arrive();
  const uint64_t t = ticks();
  const int32_t left = c->count.arrive();
  if (left > 0) w->stream->signalled(t, c, uint32_t(left));
  return left;
}

// The last signal has come, or one too many. Apart: others need no registers.
__attribute__((noinline)) static void fire(Codelet* c, int32_t left, Caller caller) {
  if (EK_UNLIKELY(!c->file))
    fatal("codelets: ek_dec() of codelet %u, which was not made by ek_codelet_init(), or was overwritten", c->id);
  if (EK_UNLIKELY(left < 0))
    fatal(
        "codelets: ek_dec() of codelet %u, made at %s:%u: it has had all signals that it waits for, and was not reset",
        c->id, c->file, c->line);
  Worker* w = t_worker;
  if (EK_UNLIKELY(!w))
    fatal(
        "codelets: ek_dec() of codelet %u, made at %s:%u, by a thread that is in no OpenMP region: nobody would wait for it",
        c->id, c->file, c->line);
  const Firing body{c};
  if (EK_LIKELY(is_fast_path(w)) && EK_LIKELY(w->slot->deque.has_room())) return submit_short(w, body.make_short(w));
  refuse_if_captures(w, "a codelet that is fired");
  queue_any(w, body, caller);
}

void signal(Codelet* c, Caller caller) {
  const int32_t left = EK_LIKELY(g_config.record == nullptr) ? c->count.arrive() : arrive_recorded(c);
  if (left <= 0) fire(c, left, caller);
}

}  // namespace einkorn::codelet

// A plain task may have been run in between, by who waited.
int ek_left_task(int, int actions) {
  using namespace einkorn;
  runtime::Task* t = runtime::t_worker->current;
  const bool is_instance = (t->flags & runtime::kTaskKmp) && runtime::instance_of(t)->call == codelet::run_stretches;
  return is_instance ? codelet::left(actions, *runtime::instance_of(t))
                     : codelet::left(actions, "a task that was run while a procedure waited");
}

int ek_left_by_hand(int, int actions) {
  using namespace einkorn;
  runtime::Task* t = runtime::t_worker->current;
  if (t->flags & (runtime::kTaskKmp | runtime::kTaskImplicit)) return codelet::left(actions, "what a codelet ran");
  const auto& body = *static_cast<runtime::GompBody*>(t->body());
  if (body.fn != codelet::Firing::fire) return codelet::left(actions, "a task that a codelet ran");
  const auto& c = *static_cast<const codelet::Codelet*>(body.data);
  char text[300];
  snprintf(text, sizeof text, "codelet %u, made at %s:%u", c.id, c.file, c.line);
  return codelet::left(actions, text);
}
