// Rules that have a file of their own, each with its one line here: all else finds it by this (docs/schedules.md).
#pragma once

// Which place a thread without work looks into next (select.h): function, name, whether a round leaves no place out.
#define EK_OWN_STEALING_RULES(RULE) RULE(two_choices, "two-choices", false)

// How a loop is cut (loops.h): function, name.
#define EK_OWN_LOOP_RULES(RULE) RULE(factoring_at, "factoring")
