// A free region on several threads: its instances belong to none of them. Each thread goes on with the instance of its
// own number first, and with others' when it has nothing to do and these have not come for theirs. So who is late, as
// the system has its CPU do something else or has just woken it, holds up nobody, but where it is in the middle of an
// instance; and at the region's end, where all threads have to come.
//
// Instances may wait for each other's turn in an ordered loop, or where 16 loops lie between them: as a thread goes on
// with others' only when its own has given way in this phase, of each that nobody goes on with the thread is to come.
//
// Where codelets lie on locales (EK_LOCALES, and a schedule with places) the others' instances are those of the
// thread's siblings first, then up the tree of clusters.
//
// A thread stays on its own slot of the team, with its queue, whichever instance it goes on with. Of an instance are
// the number, the implicit task, and how many constructs it has met.
#pragma once
#include "codelet/procedure.h"
#include "codelet/turns.h"

namespace einkorn::codelet {

// Of regions of so many instances, each with so much memory of its own: what one leaves to the next.
class Moving {
 public:
  struct Part;  // an instance, and the thread of that number

  Moving(int n, size_t own_bytes);
  ~Moving();
  Moving(const Moving&) = delete;
  bool fits(int n, size_t own_bytes) const { return turns_.instances() == n && own_bytes <= own_bytes_; }

  // As ek_run(). Fewer threads than instances: body(data) on each of them instead. To *busy is
  // added how long instance 0 has run (short_times()).
  void run(Worker* w, const Procedure* p, void* frame, Caller caller, uint64_t* busy, void (*body)(void*), void* data);

 private:
  friend class Mover;
  static void on_thread(void* moving);

  // Constant while a region runs.
  runtime::FreeInstances instances_;
  void* frame_ = nullptr;
  uint64_t* busy_ = nullptr;  // changed by who goes on with instance 0
  void (*body_)(void*) = nullptr;
  void* data_ = nullptr;
  uint64_t first_ = 0;  // phase
  Part* const parts_;
  const size_t own_bytes_;  // room for each
  char* const owns_;
  Turns turns_;
};

// May a region of n be run so? More gather for a barrier in ways that this does not know.
inline constexpr int kMostMoving = 16;
inline bool may_move(int n) { return n <= kMostMoving; }

}  // namespace einkorn::codelet
