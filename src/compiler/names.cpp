#include "compiler/names.h"

#include <set>

#include "compiler/text.h"

namespace einkorn::compiler {

Names::Names(const Unit& unit) {
  std::set<std::string> taken(unit.macros.begin(), unit.macros.end());
  bool labels = false;
  for (const Word& w : words(unit.text, {0, uint32_t(unit.text.size())})) {
    std::string name = unit.text.substr(w.at.begin, w.at.end - w.at.begin);
    labels |= name.size() > 1 && name[0] == 'c' && name.find_first_not_of("0123456789", 1) == std::string::npos;
    taken.insert(std::move(name));
  }
  const auto choose = [&](const char* short_name) {
    return taken.count(short_name) ? std::string("ek_") + short_name : short_name;
  };
  me = choose("me");
  frame = choose("F");
  own = choose("I");
  from = choose("from");
  to = choose("to");
  count = choose("count");
  result = choose("result");
  place = choose("at");
  label = labels ? "ek_c" : "c";
}

}  // namespace einkorn::compiler
