// A thread's way into a team, through its implicit task, and out.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

void enter_team(Worker* w, Team* team, int num);    // becomes thread `num`, on its slot
void start_implicit_task(Worker* w, Team* team);    // the slot's implicit task is current from here on
void run_implicit_task(Worker* w, Team* team);      // the region's code and its final barrier
void finish_implicit_task(Worker* w, Team* team);   // the final barrier alone
void end_implicit_task(Worker* w);                  // after that barrier: lets go of what the task still has
void leave_team(Worker* w, Team* team);             // threads of ours: nothing of the team is touched afterwards

}  // namespace einkorn::runtime
