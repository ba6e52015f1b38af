// What becomes of a region: how each variable is reached, where its instances give way, how they run.
// After codelets.md's words: a region is a procedure, its threads are instances, and what lies between two sync points
// is a codelet (Arteaga, Zuckerman and Gao 2017, 3).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/clauses.h"
#include "compiler/types.h"

namespace einkorn::compiler {

enum class Reach : uint8_t {
  plain,     // by its name: of the file's, or declared in the region
  value,     // shared, and never written: a copy in the frame
  pointer,   // shared: through a pointer
  elements,  // a shared array, of which only elements are named: a pointer to them
  copy,      // private: each instance's own
  first,     // firstprivate
  reduced,   // each instance's own, combined at the end
  resident,  // in the memory of the instance, which lasts over sync points
  frame      // a parameter of a procedure, in its frame
};

struct Sync {
  uint32_t at;    // behind what the sync point is: what stands from there on comes after it
  int directive;  // a barrier or taskwait, or whose end is one; -1: a call is
  uint32_t line;
  std::vector<int> live;  // saved before, and there again behind it
  int call = -1;          // of Function::calls
  uint32_t inside = 0;  // a place in it: whatever scope or loop the sync point is in has that. (`at` may be their end.)
};

// A region, or a function that is a procedure.
struct Plan {
  const Function* function = nullptr;
  int region = -1;
  std::string name;
  uint32_t line = 0;
  std::string why_not;
  uint32_t why_line = 0;
  bool by_text = false;  // a macro or a condition is in the way
  bool free = false;
  std::string why_pinned;
  std::vector<Reach> reach;   // of each variable, where the region itself names it
  std::vector<bool> own;      // in the instance's memory: reach of those declared in the region
  std::vector<int> captured;  // variables from outside that it needs, in the order of their names' first use
  std::vector<Sync> syncs;    // in the order of the text; at = 1, 2 ...
  std::vector<bool> bound;    // directives that are the region's, not a region's inside of it
  uint32_t after = 0;         // its codelets stand there: behind a function
  bool has_own = false;       // a procedure: what lives over sync points is not in the frame
  bool is_complex = false;    // printed as one, without procedures: complexes.h
  // A region: names of procedures where a call is in the middle of something, which waits for it as a function does.
  std::vector<std::pair<uint32_t, std::string>> waits_for;
  std::vector<std::string> constants;  // of the function's own that it names: "NAME = VALUE"
  std::vector<std::string> calls;      // functions of which an instance has the frames: each once
};

// The directive that has a variable of its own for the use, or -1: it is the region's.
int owner(const Function& f, int region, const Use& use);

// Does a clause of the directive ask what the variable is, beside those that have it in a list?
bool asks_for(const Function& f, const Directive& d, int variable);

// Is that place in the text of the codelet? The statement is, and of the directive what its loop and reductions need.
bool is_inside(const Directive& region, uint32_t at);

// Is the variable in the codelet what its name says, of its type, and not const for want of being written?
bool is_plain(const Plan& plan, int variable);

// One for each region that is in no other construct of its function.
std::vector<Plan> form(const Unit& unit);

// A task whose statement is a procedure of its own.
inline bool is_task_procedure(const Directive& d) { return d.kind == Directive::invoke && d.call < 0; }
// Of such a task, or of a function that is to become a procedure: its first directive is its body.
Plan form_procedure(const Unit& unit, const Function& f, int region);
inline bool is_function(const Plan& plan) {
  return plan.function->directives[size_t(plan.region)].kind == Directive::function;
}
inline bool is_procedure(const Plan& plan) {
  return is_function(plan) || is_task_procedure(plan.function->directives[size_t(plan.region)]);
}

bool is_parallel(const Directive& d);
// What its codelets are called: after the function and the line.
std::string codelets_name(const Function& f, int directive);
// Where a macro that is named in that part of a function changes behind it, as its codelets may stand behind other
// functions that they need; nullptr: nowhere.
const Range* change_behind(const Unit& unit, const Function& f, Range part);
// Can an assignment do what the variable's declaration begins it with? Or a memset(), or there is nothing to do.
inline bool is_begun_by_assignment(const Variable& v) {
  return !v.has_init || v.is_zeroed || (!v.is_listed && !v.type.holds_const);
}
// Is that place in a task within the plan's that is a procedure of its own?
bool is_elsewhere(const Plan& plan, uint32_t at);

}  // namespace einkorn::compiler
