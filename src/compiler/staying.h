// Directives that stay in a codelet's text: what their clauses name there is no plain variable any more.
#pragma once

#include "compiler/codelet_text.h"
#include "compiler/counters.h"

namespace einkorn::compiler {

// counters: of the plan's function, in the same edits. Variables have been named by now.
void keep_directive(const Unit& unit, const Plan& plan, const Names& names, Edits& edits, Counters& counters,
                    const Directive& d);

}  // namespace einkorn::compiler
