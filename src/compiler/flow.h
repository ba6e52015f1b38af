// Which codelets of a procedure may follow which, by how control goes through its text.
#pragma once

#include <set>
#include <utility>

#include "compiler/form.h"

namespace einkorn::compiler {

// (codelet, sync point): the codelet may come to it next. Codelet 0 is the first one, codelet s + 1 begins behind the
// plan's sync point s; the number behind the last sync point's is the end.
std::set<std::pair<int, int>> arcs_of(const Plan& plan);

// Of statements that begin at `one` and `other` (a directive: its pragma): control can come to both before it leaves
// the body, without going back to either by a loop or a goto.
bool can_do_both(const Flow& body, uint32_t one, uint32_t other);
// Stands `one` in a branch, and one of the others in another branch of the same if?
bool is_instead(const Flow& body, uint32_t one, const std::set<uint32_t>& others);

}  // namespace einkorn::compiler
