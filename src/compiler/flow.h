// Which codelets of a procedure may follow which, by how control goes through its text.
#pragma once

#include <set>
#include <utility>

#include "compiler/form.h"

namespace einkorn::compiler {

// (codelet, sync point): the codelet may come to it next. Codelet 0 is the first one, codelet s + 1 begins behind the
// plan's sync point s; the number behind the last sync point's is the end.
std::set<std::pair<int, int>> arcs_of(const Plan& plan);

}  // namespace einkorn::compiler
