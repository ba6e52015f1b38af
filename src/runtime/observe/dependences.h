// Dependences: what recorder and tool hear of them, as in events.h.
#pragma once
#include <optional>

#include "runtime/observe/events.h"
#include "runtime/task/depend.h"

namespace einkorn::runtime::observe {

// Of the task that w has made, or run at once, last. To a tool only while it is not queued: what runs at once is a
// wait.
void queued_with(Worker* w, Task* t, const Dependence* list, int count);
void ran_with(Worker* w, const Dependence* list, int count);

// The current task waits for those of other tasks, until the end of the object. With w->stream only.
class DependentWait {
 public:
  // recorded: at `site`; else they are those of the task that is run at once.
  DependentWait(Worker* w, const Dependence* list, int count, Caller caller, bool recorded, uint32_t site);
  ~DependentWait();
  DependentWait(const DependentWait&) = delete;
  tool::TaskData* told() { return told_ ? &told_->task : nullptr; }  // the wait as a tool knows it

 private:
  struct Told {
    tool::Inside inside;
    tool::TaskData task;
    Told(Worker* w, Caller caller) : inside(w, caller, ompt_state_wait_taskwait) {}
  };
  Worker* w_;
  bool recorded_;
  std::optional<Told> told_;
};

inline uint32_t taskwait_site(Worker* w, uint16_t flags, Caller caller) {
  record::Stream* s = w->stream;
  return s ? s->site(record::Construct::taskwait, flags | record::kSiteHasDepend, current_function(w), caller) : 0;
}

// taskwait depend nowait, of which a tool hears nothing. Where nothing has to be ordered any more it is recorded all
// the same: the program's graph does not depend on the schedule.
void ordered_without_wait(Worker* w, const Dependence* list, int count, Caller caller, uint16_t site_flags);

}  // namespace einkorn::runtime::observe
