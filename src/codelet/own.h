// The memory that an instance of a task has for itself alone (ek_self::own). Where it is short it lies behind the
// frame, in the instance's block. Else it is a block apart (kOwnApart), from the first stretch to the end of the last
// one: of those that are queued, mostly many, none has it yet, and who runs one after the other to its end uses the
// same memory for all.
#pragma once
#include "codelet/procedure.h"
#include "runtime/task/blocks.h"

namespace einkorn::codelet {

using runtime::Task;

inline bool has_own_apart(const Procedure* p) {
  return p->own_bytes != 0 && in_sixteens(p->frame_bytes) + size_t(p->own_bytes) > runtime::kShortFrame;
}
inline uint8_t notes_of(const Procedure* p) { return has_own_apart(p) ? runtime::kOwnApart : 0; }
// What an instance's block has behind the instance.
inline size_t bytes_behind(const Procedure* p) {
  return in_sixteens(p->frame_bytes) + (has_own_apart(p) ? 0 : p->own_bytes);
}
// Where it is, if it is there.
inline void* own_behind(Instance* i, const Procedure* p) {
  return reinterpret_cast<char*>(i + 1) + in_sixteens(p->frame_bytes);
}

// Before a stretch of an instance, if that may be its first, and after its last one, by the thread that runs it: not
// always the same, so the block has the header of a task, which says where it belongs. Mostly the next instance begins
// where one has just ended, and is of the same procedure: the block stays at hand.
inline constexpr uint32_t kMostOwnAtHand = 4096;
inline void begin_own(Worker* w, Task* t) {
  if (EK_LIKELY(!(t->notes & runtime::kOwnApart))) return;
  Instance* i = runtime::instance_of(t);
  if (EK_UNLIKELY(i->at != 0)) return;
  const uint32_t bytes = i->procedure->own_bytes;
  Task* own = w->own_at_hand;
  if (EK_LIKELY(bytes <= w->own_bytes_at_hand)) w->own_bytes_at_hand = 0;
  else own = new_block(w, bytes);
  i->own = own->body();
}
inline void end_own(Worker* w, const Task* t) {
  if (EK_LIKELY(!(t->notes & runtime::kOwnApart))) return;
  const Instance* i = runtime::instance_of(const_cast<Task*>(t));
  const uint32_t bytes = i->procedure->own_bytes;
  Task* own = static_cast<Task*>(i->own) - 1;
  if (EK_UNLIKELY(w->own_bytes_at_hand != 0) || EK_UNLIKELY(bytes > kMostOwnAtHand)) return free_block(w, own);
  w->own_at_hand = own;
  w->own_bytes_at_hand = bytes;
}

// Around stretches that go on until it has ended or gives way.
template <class Stretches>
inline void with_own(Worker* w, Task* t, Stretches&& run) {
  begin_own(w, t);
  run();
  if (!runtime::gives_way(t)) end_own(w, t);
}

}  // namespace einkorn::codelet
