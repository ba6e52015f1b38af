// What could be an instance of a procedure, and where such a one may give way: before anything is decided.
#pragma once

#include <string>

#include "compiler/form.h"

namespace einkorn::compiler {

// The innermost directive around that place, -1: none.
int around(const Function& f, uint32_t at);

// The task around that directive, itself included, -1: none.
int task_around(const Function& f, int directive);

bool is_in_region(const Function& f, int directive);

// Is that place in what a taskgraph takes down? With procedures invoked in it, the runtime would not replay it.
bool is_in_taskgraph(const Function& f, uint32_t at);

// Is the current task there that of the function's, of its region's, or of its task's instance?
bool is_of_instance(const Function& f, int directive);

// May it give way there? Not in what has variables of its own, nor where the runtime has something open.
bool may_give_way(const Function& f, int directive);

// What a function could be a procedure for; "": nothing speaks against it.
std::string why_none(const Function& f);

// Why the task cannot be an instance, whatever it does; "": it can.
std::string why_no_instance(const Function& f, const Directive& d);

// The call that is all of a task, and may as well be prepared by who makes it: elsewhere its statement is a procedure.
const Call* call_of(const Function& f, const Directive& d);

// What may be a procedure has a name: that of the function, or that and where the task stands.
std::string name_of(const Function& f, const Directive& task);

}  // namespace einkorn::compiler
