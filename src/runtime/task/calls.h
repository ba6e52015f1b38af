// What a hint's cut-off makes of tasks: calls. A task that is cut off is run at once, as a task; tasks of constructs
// that are cut off, too, and that are created inside of it, are then no more than calls of their functions, within that
// task, the carrier. To the program they are tasks all the same:
//   - control variables that one of them sets are its own: the carrier's are put back behind the call;
//   - children: all that they create are calls, too, which have ended when they return, so nobody has any to wait for.
// As soon as that would not hold (something is to be deferred, a group begins, a target region, ...) the one that does
// it becomes a task, a child of the carrier that is current until its function returns: leave_calls(). All that creates
// tasks or waits for some asks for kTaskCaptures first, which the carrier has for that (capture.h).
#pragma once
#include "runtime/task/capture.h"
#include "runtime/task/fast.h"
#include "runtime/task/inline.h"

namespace einkorn::runtime {

// The current task, which runs at once as a hint says, is a carrier while this lives.
class Calls {
 public:
  explicit Calls(Worker* w) : w_(w), capture_(w->current, nullptr, true) {
    capture_.calls = true;
    begin_calls(w, capture_);
  }
  ~Calls() {
    if (EK_LIKELY(capture_.open)) end_calls(w_, capture_);
  }
  Calls(const Calls&) = delete;

 private:
  Worker* w_;
  Capture capture_;
};

// The current task captures. Is it a carrier, and a task of this function that it creates now a call?
inline bool is_call(Worker* w, const void* function) {
  const Capture& c = *w->captures;
  if (EK_UNLIKELY(!c.calls) || EK_UNLIKELY(stack_is_low(w)) || EK_UNLIKELY(w->hints != nullptr)) return false;
  const hints::Hint* h = hint_for(hints::Construct::task, function);
  return h != nullptr && h->cutoff >= 0 && int64_t(w->current->depth) + c.depth >= h->cutoff;
}

// Behind a call that has become a task.
EK_NOINLINE void end_called(Worker* w, Task* carrier);

// That call.
template <class Function>
inline void call(Worker* w, Function&& function) {
  Task* const carrier = w->current;
  Capture& c = *w->captures;
  const uint32_t icv = carrier->icv;
  ++c.depth;
  function();
  --c.depth;
  if (EK_UNLIKELY(w->current != carrier)) end_called(w, carrier);
  carrier->icv = icv;
}

}  // namespace einkorn::runtime
