// Rules that have a file of their own, a line each (all but the last one of a list end with a backslash): tables, names
// and simulator follow (docs/schedules.md).
#pragma once

// Which place a thread without work looks into next (select.h): function, name, whether a round leaves no place out.
#define EK_OWN_STEALING_RULES(RULE) RULE(two_choices, "two-choices", false)

// How a loop is cut (loops.h): function, name.
#define EK_OWN_LOOP_RULES(RULE) RULE(factoring_at, "factoring")
