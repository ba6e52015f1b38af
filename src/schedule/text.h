// A schedule as text, for EINKORN_SCHEDULE and --schedule:
//
//   NAME[:ARGUMENT][,AXIS=VALUE]...     a preset, with some of its axes changed:  mts,take=4   deal,guard=2   vicinity:8
//   amm=2x4,0-3,8-11 is one value, with commas (shape.h).
//   AXIS=VALUE[,AXIS=VALUE]...          a schedule of one's own (name=... names it)
//
// Axes and values are those of docs/schedules.md.
#pragma once
#include <string>

#include "schedule/types.h"

namespace einkorn::schedule {

// False: *why says what is wrong, and what could have been meant. The schedule's name is kept for good (it is not
// freed).
bool parse_schedule(const char* text, Schedule* out, std::string* why);
// All axes with their values: places=node,order=lifo,...
std::string axes_text(const Schedule&);
// What to say of a schedule with a shape that knows no clusters; empty: there is nothing to say.
std::string shape_means_little(const Schedule&);
// random, nearest, most-loaded or none.
const char* loop_victim_name(LoopVictim);
bool parse_loop_victim(const char* text, LoopVictim* out, std::string* why);

}  // namespace einkorn::schedule
