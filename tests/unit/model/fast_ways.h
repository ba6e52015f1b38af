// Programs whose tasks are created by the fast path (runtime/task/fast.h), or by a copy of it with a fault; Way
// (EK_FAST_WAY) says which. Taskwait's own loop and barriers wait for the children, while a thief is at work.
#pragma once
#include "model/rig.h"

namespace rig::fast {

using rt::Task;
using rt::Worker;

struct Counts {
  model::Atomic<int> ran{0}, second{0};
};
inline Counts* make_counts() { return new (model::arena(sizeof(Counts))) Counts; }
inline Counts* counts(void* p) { return static_cast<Counts*>(p); }

// What the entry points do in the usual case, by the fast.h in that namespace.
#define EK_FAST_WAY(name, room)                                                       \
  struct name {                                                                       \
    static bool is_open(const rt::Worker* w) { return room::is_fast_path(w); }        \
    static void init(rt::Worker* w, rt::Task* t) { room::init_short(w, t, 0); }       \
    static void submit(rt::Worker* w, rt::Task* t) { room::submit_short(w, t); }      \
    template <class Body>                                                             \
    static void run_undeferred(rt::Worker* w, rt::Task* t, const Body& body) {        \
      room::run_undeferred_short(w, t, room::inherited_short(w, 0), rt::kHuge, body); \
    }                                                                                 \
  };

template <class Way>
void spawn_fast(void (*body)(void*), void* data) {
  Worker* w = rt::self();
  rt::note_tasks(w);  // otherwise the first one takes the slow path
  model::check(Way::is_open(w) && w->slot->deque.has_room(), "the fast path is not open: nothing of it is tested");
  Task* t = rt::new_block(w, sizeof(rt::GompBody));
  Way::init(w, t);
  *static_cast<rt::GompBody*>(t->body()) = {body, data};
  Way::submit(w, t);
}

inline void leaf(void* p) { counts(p)->ran.fetch_add(1); }

// Two threads; the first runs a task in a region. at_end: all blocks have come back.
template <class Body>
model::Result in_region(model::Options options, const Body& body, bool asymmetric = true) {
  return model::explore(options, [=] {
    auto p = regions(2, {0, 1}, [=](Worker* w) {
      Counts* c = make_counts();
      einkorn::g_asymmetric = asymmetric;
      parallel(w, 2, [=](Worker* me) { body(me, c); });
      model::check(c->second.load() == 1, "the region ended before its tasks");
    });
    p.at_end = [] { model::check(live_blocks() == 0, "a task was not freed, or freed twice"); };
    return p;
  });
}

// One thread's task creates a task, and continues: both threads are in the barrier, where either may run either task.
template <class Way>
model::Result task_of_task(model::Options options) {
  return in_region(options, [](Worker* me, Counts* c) {
    if (me->thread_num != 1) return;
    spawn_fast<Way>(
        [](void* p) {
          spawn_fast<Way>(leaf, p);
          counts(p)->second.fetch_add(1);
        },
        c);
  });
}

// taskwait runs the children from the thread's own queue, as far as no thief took them.
template <class Way>
model::Result taskwait_for(int children, model::Options options) {
  return in_region(options, [=](Worker* me, Counts* c) {
    if (me->thread_num != 0) return;
    for (int i = 0; i < children; ++i) spawn_fast<Way>(leaf, c);
    rt::taskwait(me, nullptr, 0);
    model::check(c->ran.load() == children, "taskwait ended before the children");
    c->second.fetch_add(1);
  });
}

// A parent that ends before its children, then tasks in the blocks that both have left.
template <class Way>
model::Result zombie(model::Options options) {
  return in_region(options, [](Worker* me, Counts* c) {
    if (me->thread_num != 0) return;
    spawn_fast<Way>([](void* p) { spawn_fast<Way>(leaf, p); }, c);
    rt::taskwait(me, nullptr, 0);
    spawn_fast<Way>(leaf, c);
    rt::taskwait(me, nullptr, 0);
    c->second.fetch_add(1);
  });
}

// A taskgroup's member creates another one, on either thread, and continues.
template <class Way>
model::Result member_of_member(model::Options options) {
  return in_region(options, [](Worker* me, Counts* c) {
    if (me->thread_num != 0) return;
    auto* g = static_cast<rt::Taskgroup*>(model::arena(sizeof(rt::Taskgroup)));
    rt::taskgroup_begin(me, g, nullptr, 0);
    spawn_fast<Way>(
        [](void* p) {
          spawn_fast<Way>(leaf, p);
          counts(p)->second.fetch_add(1);
        },
        c);
    rt::taskgroup_end(me, nullptr, 0);
    model::check(c->second.load() == 1 && c->ran.load() == 1, "the taskgroup ended before its members");
  });
}

// An undeferred task leaves a child behind, and its creator creates the next task.
template <class Way>
model::Result undeferred_parent(model::Options options) {
  return in_region(options, [](Worker* me, Counts* c) {
    if (me->thread_num != 0) return;
    Way::run_undeferred(me, rt::new_block(me, sizeof(rt::GompBody)), [=] { spawn_fast<Way>(leaf, c); });
    spawn_fast<Way>(leaf, c);
    c->second.fetch_add(1);
  });
}

// One thread pushes and does nothing more; the other, asleep or about to sleep, must come. fenced: without membarrier.
template <class Way>
model::Result push_and_wait(bool fenced, model::Options options) {
  options.heavy_fences = !fenced;
  return in_region(
      options,
      [=](Worker* me, Counts* c) {
        if (me->thread_num != 0) return;
        spawn_fast<Way>(leaf, c);
        while (c->ran.load() == 0) model::pause();
        c->second.fetch_add(1);
      },
      !fenced);
}

}  // namespace rig::fast
