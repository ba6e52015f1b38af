// einkorn record --counters[=LIST]
#pragma once
#include <string>

namespace CLI {
class App;
}

namespace einkorn::cli {

struct RecordCounters {
  bool asked = false;
  std::string list;  // empty: the usual ones

  void add_option(CLI::App& verb);
  // What is wrong with the option; empty: nothing.
  std::string check() const;
  // The value of EINKORN_RECORD_COUNTERS, after a message on what cannot be counted here.
  std::string variable() const;
};

}  // namespace einkorn::cli
