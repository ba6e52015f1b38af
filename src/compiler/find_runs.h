// Runs of tasks with depend in a function of clang's syntax tree.
#pragma once

#include <vector>

#include "compiler/runs.h"
#include "compiler/walk.h"

namespace einkorn::compiler {

std::vector<TaskRun> find_runs(clang::ASTContext& ast, const Walk& walk, const clang::FunctionDecl& f);

}  // namespace einkorn::compiler
