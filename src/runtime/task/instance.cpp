#include "runtime/task/instance.h"

#include "runtime/task/task.h"
#include "runtime/team/placed.h"

namespace einkorn::runtime {

std::atomic<InstanceCall> g_instance_call{nullptr};
std::atomic<void (*)(void*)> g_firing{nullptr};

void suspend(Worker* w, Task* t) {
  t->flags &= uint16_t(~kTaskGivesWay);
  EK_ASSERT(!(t->flags & (kTaskImplicit | kTaskOnStack)));
  t->owner.store(kNoWorker, std::memory_order_relaxed);
  const auto left = int64_t(t->created - t->done);  // but for those that have ended elsewhere, which refs counts
  t->created = t->done = 0;
  t->notes &= kOwnApart;  // it is queued by the slow path now, which asks for the others
  // On no stack the word is nobody's. The place is of the team that goes on: the wait is over before the region.
  if (const int place = EK_UNLIKELY(g_places_tasks) ? place_to_resume(w) : -1; EK_UNLIKELY(place >= 0)) {
    t->set_place(place);
    t->notes |= kPlaceDecided;
  }
  // Release: the stores above and what the stretch wrote, for who goes on with it. Acquire: what the children did whose
  // ends it has counted, if that is this thread.
  if (uint32_t(t->refs.fetch_add(Task::kSuspended - left, std::memory_order_acq_rel) - left) == 0) go_on(w, t, w->team);
}

void check_free(const Worker* w, const char* where) {
  const FreeInstances& free = *w->team->free;
  // The region's last barrier is between its threads: none is in an instance.
  if (!free.of_one_thread && w->current == &w->slot->implicit) return;
  const Procedure* p = free.procedure;
  fatal(
      "codelets: an instance of %s (%s) waits for another in %s, though its region is a free one: it must give way "
      "(EK_SYNC), or be EK_PINNED",
      p->name ? p->name : "a procedure without a name", p->file ? p->file : "its file is not known", where);
}

// By the refs of one that is no longer suspended, read once: of ended children that have some of their own there may be
// any number, which may fall at any time.
[[maybe_unused]] static bool has_no_children(int64_t refs) { return refs >= Task::kAlive && uint32_t(refs) == 0; }

void go_on(Worker* w, Task* t, Team* team) {
  // Relaxed: nobody else counts here now, and the push below hands it over.
  t->refs.fetch_sub(Task::kSuspended, std::memory_order_relaxed);
  EK_ASSERT(has_no_children(t->refs.load(std::memory_order_relaxed)));
  // Who fulfils an event runs something else, of which the instance need not descend: not into its queue.
  if (team != w->team || w->fulfills) push_elsewhere(team, t);
  else if (EK_UNLIKELY(t->notes & kPlaceDecided)) resume_placed(w, t);
  else push_task(w, t);
}

}  // namespace einkorn::runtime
