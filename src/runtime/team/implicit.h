// A thread's way into a team, through its implicit task, and out.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

// What differs in each region of a slot and its implicit task; its thread's.
inline void reset_slot(Slot* slot, uint32_t icv, uint16_t flags) {
  Task* t = &slot->implicit;
  t->group = nullptr;
  t->refs.store(Task::kAlive, std::memory_order_relaxed);
  t->set_base(slot->deque.bottom());
  t->created = t->done = 0;
  t->icv = icv;
  t->flags = flags;
  slot->has_tasks = false;
  slot->shares_met = 0;
  slot->unfreed = 0;
  slot->singles_met = 0;
  // From zero in each region: the region before may have counted in more slots, and a task is counted where it was
  // created and where it ran. No barrier looks before this thread has arrived at one.
  slot->created.store(0, std::memory_order_relaxed);
  slot->executed.store(0, std::memory_order_relaxed);
}

void enter_team(Worker* w, Team* team, int num);   // becomes thread `num`, on its slot
void start_implicit_task(Worker* w, Team* team);   // the slot's implicit task is current from here on
void run_implicit_task(Worker* w, Team* team);     // the region's code and its final barrier
void finish_implicit_task(Worker* w, Team* team);  // the final barrier alone
void end_implicit_task(Worker* w);                 // after that barrier: lets go of what the task still has
void leave_team(Team* team);                       // threads of ours, none of a crew: touches nothing of it afterwards

}  // namespace einkorn::runtime
