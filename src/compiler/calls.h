// Where the text of a codelet gives way, and what calls and invocations of procedures become in it.
#pragma once

#include <string>
#include <vector>

#include "compiler/form.h"
#include "compiler/names.h"
#include "compiler/text.h"

namespace einkorn::compiler {

class Calls {
 public:
  // plans: of tasks that are procedures, too. edits: of the text, in which variables have been named by now.
  Calls(const Unit& unit, const Plan& plan, const Names& names, const std::vector<Plan>& plans, Edits& edits)
      : unit_(unit), plan_(plan), f_(*plan.function), names_(names), plans_(plans), edits_(edits) {}

  // Instead of the plan's sync point of that number: why is what the runtime has to wait for.
  std::string give_way(size_t number, const char* why) const;
  // A sync point that is a call: by the instance itself, which goes on with the callee until that has ended.
  void call(size_t number);
  // A task.
  void invoke(int directive);
  // What the function returns.
  void returns();

 private:
  std::string text(Range r) const { return unit_.text.substr(r.begin, r.end - r.begin); }
  const Variable& variable(int v) const { return f_.variables[size_t(v)]; }
  void live(const Sync& s, std::string& save, std::string& back) const;
  std::string overwrite_dead(const Sync& s) const;
  bool is_printed(int v) const;
  std::string target_of(const Call& c) const;
  std::string frame_of(const Call& c) const;
  std::string early_end_of(const Call& c) const;
  std::string frame_of_task(const Plan& task, std::string& copies) const;
  std::string here_is(int v, int task) const;

  const Unit& unit_;
  const Plan& plan_;
  const Function& f_;
  const Names& names_;
  const std::vector<Plan>& plans_;
  Edits& edits_;
};

}  // namespace einkorn::compiler
