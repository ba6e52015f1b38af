// run_stretches_of() for who is recorded: the same order, told to the recorder. An instance that waits has left the
// thread, in the recording as in fact: what runs meanwhile is not inside of it, and the time is nobody's wait.
#include "codelet/stretches.h"
#include "codelet/unwinding.h"
#include "runtime/observe/stretches.h"
#include "runtime/sync/wait.h"

namespace einkorn::codelet {

using namespace runtime;

namespace {

class RecordedLoop {
 public:
  RecordedLoop(Worker* w, Task* root) : w_(w), root_(root), me_(root) {}

  void run() {
    while (me_ != nullptr && run_stretch()) {}
  }

 private:
  // False: the root has ended.
  bool run_stretch() {
    Instance& i = *instance_of(me_);
    EK_NOTHING_LEAVES_TO_HERE(ek_left_task);
    const int why = i.procedure->run(&i);
    EK_ASSERT(w_->current == me_);
    if (why == kEnd) {
      if (me_ == root_) return false;
      end_child();
      run_children();
      return true;
    }
    check_yield(i, why);
    const bool hears = observe::hears_of_stretches(w_, me_);
    if (outstanding(me_) == 0 || is_of_region(why)) {
      if (hears) observe::goes_on(w_, i, !is_of_region(why));
    } else if (hears && !(me_->flags & kTaskFinal)) {
      observe::gives_way(w_, i);
      at_once_ = true;
      w_->slot->deque.publish_long();
      run_children();
    } else {
      wait_as_task(w_, &i);
    }
    return true;
  }

  void end_child() {
    Task* const child = me_;
    end_own(w_, child);
    me_ = child->parent;
    w_->current = me_;
    observe::ends_in_place(w_);
    Task* const ready = end_task<false, true>(w_, child);
    at_once_ = ready == nullptr;
    if (ready) run_task(w_, ready);
  }

  // Of me_, which has given way: the youngest first, those at hand; until one of them runs in its place, it goes on
  // itself, or (me_ is nullptr) the root is to be gone on with from a queue.
  void run_children() {
    for (;;) {
      if (outstanding(me_) == 0) return observe::resumes(w_, me_, at_once_);
      Task* const t = pop();
      if (t == nullptr) {
        me_ = leave(w_, root_, me_);
        if (me_ == nullptr) return;
      } else if (is_child(t)) {
        t->owner.store(w_->id, std::memory_order_relaxed);  // see Task; the thread itself goes by it
        observe::resumes(w_, t, at_once_);
        if (EK_UNLIKELY(w_->hints != nullptr)) forget_hints(w_, t);
        begin_own(w_, t);
        put_on(w_, t);
        me_ = t;
        return;
      } else if (has_stack(w_)) {
        ++w_->nested_instances;
        run_task(w_, t);
        --w_->nested_instances;
        at_once_ = false;
      } else {
        push_task(w_, t);
        me_ = leave(w_, root_, me_);
        if (me_ == nullptr) return;
      }
    }
  }

  // nullptr: where tasks have something special about them they are found as others are.
  Task* pop() const {
    if (w_->team->urgent_tasks.load(std::memory_order_relaxed) != 0) return nullptr;
    if (me_->flags & kTaskRecorded) return pop_short(w_->slot, me_->base());
    const bool special =
        g_config.cancellation || g_footprints || w_->team->placed.load(std::memory_order_relaxed) != nullptr;
    return special ? nullptr : w_->slot->deque.pop(me_->base());
  }
  // An instance that me_ has invoked, with nothing special about it.
  bool is_child(const Task* t) const {
    return (t->flags & ~(kTaskSlowPath | kTaskRecorded)) == kTaskKmp && t->parent == me_ &&
           instance_of(const_cast<Task*>(t))->call == run_stretches && !record::is_aggregated(t->record_id);
  }

  Worker* const w_;
  Task* const root_;
  Task* me_;
  bool at_once_ = false;  // nothing has happened on the thread since the latest record
};

}  // namespace

void run_recorded_stretches(Worker* w, Task* root) { RecordedLoop(w, root).run(); }

}  // namespace einkorn::codelet
