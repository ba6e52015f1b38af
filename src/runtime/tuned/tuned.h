// What a hints file (src/hints, EINKORN_HINTS) says of the constructs that this process meets. Why OpenMP allows each
// hint stands where it is taken: is_cut_off() (task/inline.cpp), take_priority() (task/inline.cpp), taskloop()
// (task/taskloop.h), take_advice() (loop/spec.cpp), advised_threads() (team/team.cpp), made() and place()
// (observe/allocations.cpp).
#pragma once
#include "base/platform.h"
#include "hints/types.h"
#include "runtime/settings/config.h"

namespace einkorn::runtime {

// Are there any hints? And of these, are there some by which tasks are cut off, or have priorities? Set when the
// library is loaded.
extern bool g_tuned, g_cuts_off, g_prioritizes;
// Some by which blocks are placed that the program allocates?
bool places_allocations();
// The global variables that hints place, in the objects that are loaded now: memory that the object may write to.
void for_each_variable(void (*f)(const hints::Hint&, void* begin, size_t bytes));

// EINKORN_HINTS: a file, or, from `einkorn run`, the text of one, which begins with its first line. Before the other
// variables are read, as some of its lines set them.
void tuned_read(const char* value);
// What such a line sets a variable to, of which the environment says nothing; nullptr: there is none.
const char* tuned_variable(const char* name);
// Says what is wrong with the file that was read; then all is as without that line, or without hints.
void tuned_init(Config&);

// The hint about a construct of this kind with this code: a function, or the call that begins a loop. nullptr: none.
// The same one as long as the process lives. Of an object that takes the place of another in memory (dlclose, dlopen)
// it may be another's: then too it only says what is always allowed.
const hints::Hint* hint_for(hints::Construct, const void* code);

// Where the program says otherwise, and the hint is not bold: told once.
void hint_is_refused(const hints::Hint*, const char* why);

}  // namespace einkorn::runtime
