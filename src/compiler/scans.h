// What a loop hands on that is not its last iteration's: scans, and the value of the last iteration that assigns.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/counters.h"
#include "compiler/form.h"
#include "compiler/names.h"
#include "compiler/text.h"

namespace einkorn::compiler {

// In the region's frame: an element for each instance.
struct Table {
  std::string name, type;
  bool large = false;  // an element may be: too large for a stack
};
std::vector<Table> tables(const Plan& plan);

bool has_scan(const Directive& d);
bool has_conditional(const Directive& d);

// The clause schedule as one by which a thread is dealt iterations in their order: else it could not tell which of its
// values is the latest.
std::string in_order(const std::string& schedule);

// Why codelets do not have what the directive scans or hands on so; the sentence is empty: they do.
struct NotScanned {
  std::string why;
  uint32_t at = 0;
  bool by_macro = false;  // that is in the way
};
NotScanned why_not_scanned(const Unit& unit, const Function& f, int directive);

// How the variable outside is named, of which there is one inside.
using Outside = std::function<std::string(int)>;

// A loop with a scan, gone through twice by each instance. In the first round what comes before the scan (exclusive:
// behind it) makes the values, and they are kept; in between instances tell each other what they have together; in the
// second round the other half gets, for each iteration, what all before it have made.
class Scan {
 public:
  Scan(const Unit& unit, const Plan& plan, const Names& names, Edits& edits, int directive)
      : unit_(unit), plan_(plan), names_(names), edits_(edits), directive_(directive) {}

  std::string begin(const Outside& outside) const;
  // Once it is known which iterations are the instance's. line: a #line for the loop, which comes next.
  std::string rounds(const std::string& line) const;
  std::string end() const;
  // The two halves of an iteration, where they stand.
  void halves();

 private:
  struct Item {
    const Clause* clause;
    size_t number;
    int variable;
  };
  std::vector<Item> items() const;
  std::string name(const Item& it) const { return function().variables[size_t(it.variable)].name; }
  std::string type(const Item& it) const { return function().variables[size_t(it.variable)].type.plain; }
  std::string joined(const Item& it, const std::string& to, const std::string& from) const;
  std::string table(const Item& it) const;
  const Function& function() const { return *plan_.function; }
  const Directive& loop() const { return function().directives[size_t(directive_)]; }

  const Unit& unit_;
  const Plan& plan_;
  const Names& names_;
  Edits& edits_;
  int directive_;
};

// lastprivate(conditional): each assignment says in which iteration it is, and who has the latest hands on.
class Conditional {
 public:
  Conditional(const Plan& plan, const Names& names, const Counters& counters, Edits& edits, int directive)
      : plan_(plan), names_(names), counters_(counters), edits_(edits), directive_(directive) {}

  std::string begin() const;
  void assignments();
  // What the body of a loop begins with that the runtime deals out: which iteration it is.
  std::string iteration() const;
  // line: a #line for what comes next.
  std::string end(const Outside& outside, const std::string& line) const;

 private:
  std::vector<int> variables() const;
  std::vector<const Loop*> loops() const;
  std::string set(int v) const { return "ek_set_" + function().variables[size_t(v)].name; }
  std::string table(int v) const;
  const Function& function() const { return *plan_.function; }
  const Directive& directive() const { return function().directives[size_t(directive_)]; }

  const Plan& plan_;
  const Names& names_;
  const Counters& counters_;
  Edits& edits_;
  int directive_;
};

}  // namespace einkorn::compiler
