// The fast path of procedures: from a thread's own list of blocks that are instances already into its own queue, and
// from there through a loop that needs no stack of its own. What is done is what init_short(), submit_short(),
// run_task() and end_task() do, in fewer instructions (runtime/task/fast.h says why these count).
//
// The loop runs an instance's stretch. Where that waits for children, those at hand are run next, and theirs: who waits
// meanwhile is nothing but a parent on the way up to `root`. So its depth costs no stack, as where an instance gives
// way to be gone on with by others.
#pragma once
#include "codelet/own.h"
#include "runtime/task/fast.h"
#include "runtime/task/gomp_body.h"

namespace einkorn::codelet {

using runtime::kShortFrame;
using runtime::kSpareClass;
using runtime::Slot;
using runtime::WorkerId;

int32_t run_stretches(int32_t, runtime::KmpTask* body);  // Instance::call

// Waits on one stack, where they need some. Enough for any recursion that divides its work; a chain of calls goes on
// without more stack.
inline constexpr int kMostNested = 128;
inline bool has_stack(const Worker* w) {
  return EK_LIKELY(w->nested_instances < kMostNested) && EK_LIKELY(!runtime::stack_is_low(w));
}

// ---- blocks --------------------------------------------------------------------------------------------------------

// Owner, flags, home, size class and notes of a task, in one word: compared at once.
static_assert(offsetof(Task, owner) % 8 == 0 && offsetof(Task, flags) == offsetof(Task, owner) + 2 &&
              offsetof(Task, home) == offsetof(Task, owner) + 4 &&
              offsetof(Task, size_class) == offsetof(Task, owner) + 6 &&
              offsetof(Task, notes) == offsetof(Task, owner) + 7);
inline uint64_t state_of(WorkerId owner, WorkerId home, uint8_t size_class) {
  return uint64_t(owner) | uint64_t(runtime::kTaskKmp) << 16 | uint64_t(home) << 32 | uint64_t(size_class) << 48;
}
inline uint64_t state(const Task* t) {
  if constexpr (kWatched)
    return uint64_t(t->owner.load(std::memory_order_relaxed)) | uint64_t(t->flags) << 16 | uint64_t(t->home) << 32 |
           uint64_t(t->size_class) << 48 | uint64_t(t->notes) << 56;
  uint64_t s;
  memcpy(&s, reinterpret_cast<const char*>(t) + offsetof(Task, owner), sizeof s);
  return s;
}
// Of an instance of one of this thread's spare blocks: while it runs here and, so that nothing has to be set then, from
// before it is queued on. (Nobody asks who owns a queued task, and whoever else runs it says so first.)
inline uint64_t state_here(const Worker* w) { return state_of(w->id, w->id, kSpareClass); }
// The same of one whose own memory is apart, for which something is to be done where it begins and ends.
inline uint64_t with_own_apart(uint64_t state) { return state | uint64_t(runtime::kOwnApart) << 56; }

// Worker::spare_instances. Invariant: what is left of a spare one's life is what the next begins with: refs is kAlive,
// created == done, record_id 0, state_here(), with_own_apart() if the procedure has that, the instance of one
// procedure, called by run_stretches(), of which frame, and own memory that is not apart, have their place.
inline bool is_spare(const Worker* w, const Task* t) {
  const auto* i = static_cast<const Instance*>(const_cast<Task*>(t)->body());
  return t->refs.load(std::memory_order_relaxed) == Task::kAlive && t->created == t->done && t->record_id == 0 &&
         (state(t) == state_here(w) || state(t) == with_own_apart(state_here(w))) && i->frame == i + 1 &&
         i->call == run_stretches && i->id == 0 && i->n == 1 && i->kind != Instance::of_region;
}
inline void put_spare(Worker* w, Task* t) {
  EK_ASSERT(is_spare(w, t));
  t->parent = w->spare_instances;
  w->spare_instances = t;
}

inline void copy_frame(char* to, const void* from, uint32_t size) {
  using runtime::Words2;
  const char* at = static_cast<const char*>(from);
  if (EK_LIKELY(size >= sizeof(Words2))) {
    runtime::copy_ends<Words2>(to, at, size);
    if (EK_UNLIKELY(size > 2 * sizeof(Words2)))
      runtime::copy_ends<Words2>(to + sizeof(Words2), at + sizeof(Words2), size - 2 * sizeof(Words2));
  } else {
    runtime::copy_short(to, at, size);
  }
}

// ---- to be run -----------------------------------------------------------------------------------------------------

// Its instances may lie in spare blocks.
inline bool is_short(const Procedure* p) { return EK_LIKELY(p->frame_bytes <= kShortFrame); }
inline void set_procedure(Instance* i, const Procedure* p) {
  i->procedure = p;
  i->own = own_behind(i, p);
  runtime::task_of(i)->notes = notes_of(p);
}

// A spare block for an instance that `self`, one of a task, invokes for itself; in a program that is not recorded, in a
// team of several by the default schedule. nullptr: it has to take the slow path.
inline Task* take_spare(Worker* w, Instance* self, const Procedure* p, const void* frame) {
  if (EK_UNLIKELY(!w)) return nullptr;
  if (EK_UNLIKELY(!frame)) return nullptr;
  if (EK_UNLIKELY(runtime::task_of(self) != w->current) || !runtime::is_fast_path(w) ||
      EK_UNLIKELY(!w->slot->deque.has_room()))
    return nullptr;
  Task* t = w->spare_instances;
  if (EK_UNLIKELY(t == nullptr)) return nullptr;
  // Mostly that of the instance before, of which it is known.
  Instance* const i = runtime::instance_of(t);
  if (EK_UNLIKELY(i->procedure != p)) {
    if (!p || !p->run || !is_short(p)) return nullptr;
    set_procedure(i, p);
  }
  w->spare_instances = t->parent;
  return t;
}
inline void begin_again(Worker* w, Task* t, const Procedure* p, const void* frame) {
  EK_ASSERT(is_spare(w, t));
  Instance* i = runtime::instance_of(t);
  copy_frame(reinterpret_cast<char*>(i + 1), frame, p->frame_bytes);
  const uint64_t none = 0;
  static_assert(offsetof(Instance, at) + 4 == offsetof(Instance, id) && offsetof(Instance, at) % 8 == 0);
  memcpy(reinterpret_cast<char*>(i) + offsetof(Instance, at), &none, sizeof none);
  runtime::inherit(w, t);
}

// Instance `root` from where it is until it has ended or gives way. why: it has given the thread back so and waits for
// children; kSync: for nothing.
void run_stretches_of(Worker* w, Task* root, int why);
// The same for who is recorded, or has a tool: recorded_stretches.cpp.
void run_recorded_stretches(Worker* w, Task* root);

// Instance `me` waits for its children as a taskwait does.
void wait_as_task(Worker* w, const Instance* me);
// It gives way, and is gone on with from a queue: returned is its parent, which waits for more. nullptr: it is the
// root.
Task* leave(Worker* w, Task* root, Task* me);

}  // namespace einkorn::codelet
