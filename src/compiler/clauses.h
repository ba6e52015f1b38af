// What the clauses of a directive say of its variables and its loop.
#pragma once

#include <string>
#include <vector>

#include "compiler/types.h"

namespace einkorn::compiler {

// Does the directive make that variable private?
bool makes_own(const Directive& d, int variable);

// Does it hand on to the loop what the runtime deals out, or is its range cut here?
bool is_dealt(const Directive& d);

// Is there a `section` in it?
bool has_sections(const Function& f, const Directive& d);

// How many loops are one: collapsed, or ordered together.
int loops_together(const Directive& d);
// These, as far as nothing stands between.
std::vector<const Loop*> all_loops(const Directive& d);
// And do the bounds of one depend on the counter of another?
bool is_rectangular(const Function& f, const Directive& d);
// Why nobody could tell which is the last iteration of loops that are collapsed, and what their counters are then; "".
std::string why_no_last(const Function& f, const Directive& d);

// The variables whose value in the last iteration is that of the variable outside, afterwards.
std::vector<int> of_last(const Directive& d);
// And all that change the one outside: what the last iteration that assigns hands on, and what is scanned.
std::vector<int> gives_back(const Directive& d);

// Those of them that begin with the value from outside.
bool begins_with_value(const Directive& d, int variable);

// Does whoever makes the tasks wait for them at the directive's end, so that what they give back can be a copy until
// then?
bool waits_for_its_tasks(const Directive& d);
// Is the variable number `item` of the clause given back so?
bool is_given_back(const Function& f, const Directive& d, const Clause& c, size_t item);

// Of a directive that stays and runs where it is, by whom it is met, and is over when its statement is: does it have
// the variable, as a list item, from its beginning until its end, so that this can be a copy which is put back?
bool is_item_in_place(const Directive& d, const Clause& c);
// Is a task in the taskgroup of that region that reduces the variable, whose copy its in_reduction means?
bool has_group_with(const Function& f, int region, const Directive& task, int variable);
// A clause that only tells what is the case, and may be left out.
bool is_advice(const Clause& c);

bool is_workshare(const Directive& d);

// A task may run when the construct around it gives way at its end: what that has its own of is no more by then. "":
// the task shares nothing of the kind.
std::string why_not_shared(const Function& f, int region, const Directive& task);

// In a pragma: is that the name of a directive, of a clause, of a critical section, or of a reduction's operation?
bool is_word_of_openmp(const std::string& text, const Function& f, Range word);

}  // namespace einkorn::compiler
