// The second back-end: a region as a complex of codelets (`--target complexes`, after SWARM). No procedures, and no
// codelets that invoke them; each codelet is a function of its own, which returns who succeeds it. What a region is cut
// into, what lives over the cuts and the text of it are as they are for procedures: this is the plan and the print.
#pragma once

#include <string>
#include <vector>

#include "compiler/form.h"
#include "compiler/names.h"
#include "compiler/procedures.h"

namespace einkorn::compiler {

// Plans of complexes for all regions, and what becomes of their tasks.
Formed form_complexes(const Unit& unit);

// What the region's text stands in: up to its opening brace, with what has to be known before; and from its end on. The
// number of the codelet that the text is to begin with is entry(), where there are several.
std::string complex_begin(const Plan& plan, const Names& names);
std::string complex_end(const Plan& plan, const Names& names);
const char* complex_entry();

// Gives way at the plan's sync point of that number; what is behind it is another codelet.
std::string complex_give_way(const Plan& plan, const Names& names, size_t number);

}  // namespace einkorn::compiler
