// What the counters of loops are, as text: how far apart, and behind the last iteration.
#pragma once

#include <string>
#include <vector>

#include "compiler/text.h"
#include "compiler/types.h"

namespace einkorn::compiler {

std::string in_parentheses(const std::string& expression);
std::string trimmed(const std::string& s);

class Counters {
 public:
  // edits: of the text, in which variables have been named by the time that the others are called.
  Counters(const Function& f, const Edits& edits) : f_(f), edits_(edits) {}

  // What the loop's counter changes by, taken positive.
  std::string stride(const Loop& l) const;
  std::string next_value(const Loop& l) const { return name(l) + (l.up ? " + " : " - ") + stride(l); }
  // Is there no other value of the counter to come?
  std::string is_last(const Loop& l) const;
  // How many iterations it has, in arithmetic that does not overflow where the loop itself does not.
  std::string count(const Loop& l) const;
  // Which iteration of collapsed loops it is, from 0, whose bounds do not depend on each other: what is declared before
  // them for that, and what it is in their body.
  std::string numbering(const std::vector<const Loop*>& loops) const;
  std::string number(const std::vector<const Loop*>& loops) const;
  // How far the counter is from the first one, which is named so.
  std::string behind_first(const Loop& l, const std::string& first) const;
  // Has it any iteration?
  std::string any(const Loop& l) const;
  // The same of collapsed loops whose bounds depend on each other, by going through them: declares ek_any.
  std::string find_any(const Directive& d) const;
  // What a variable is behind the loops, in their last iteration.
  std::string last_value(const Directive& d, int v) const;
  // At the end of a row, where rows are not of the same length: `hands`, if all that follow are empty. The counters are
  // as if those had been gone through.
  std::string behind_rows(const Directive& d, const std::string& hands) const;

 private:
  const std::string& name(const Loop& l) const { return f_.variables[size_t(l.variable)].name; }

  const Function& f_;
  const Edits& edits_;
};

}  // namespace einkorn::compiler
