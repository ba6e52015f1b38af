// `einkorn compare --repeated`: several recordings of one program, run the same way: how much does each figure vary? As
// text and as JSON (docs/repeated-schema.json).
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profile/types.h"
#include "report/text/text.h"

namespace einkorn::report {

// Of one figure over those recordings that have it.
struct Spread {
  size_t count = 0;
  double mean = 0, least = 0, most = 0;
  double squares = 0;  // sum of squared distances from the mean (Welford 1962)

  void add(double value);
  // Of the population that these are a sample of: n - 1. Of one value there is none: -1.
  double deviation() const;
  // Olivier 2012, table 6.3: the standard deviation in per cent of the fastest; -1: none.
  double percent_of_least() const { return deviation() < 0 || least <= 0 ? -1 : 100 * deviation() / least; }
};

class Repeated {
 public:
  struct Line {
    std::string file, function, construct, module;
    uint32_t line = 0;
    uint64_t address = 0;
    profile::GrainKind kind{};
    Spread grains, exec, median;  // number; ns of all, and of one, the median
  };

  // What to call it, and the recording, of which nothing is kept. False: it is of another program, or of other numbers
  // of threads, which is said in *why.
  bool add(const std::string& file, const profile::Profile& p, std::string* why);

  std::string text(const TextOptions&, size_t lines) const;
  std::string json() const;

 private:
  struct File {
    std::string name;
    bool times_valid, complete;
    int64_t wall_ns;
    double line_ns;  // RuntimeCosts::line_now
  };
  struct Figure {
    const char* name;
    double unit;  // JSON has it divided by this: 1e9 for ns as seconds, 1
    Spread spread;
  };
  Spread& figure(const char* name, double unit);
  void add_lines(const profile::Profile& p);
  std::vector<const Line*> by_cost() const;
  std::vector<std::string> remarks() const;

  std::string program_;
  uint32_t threads_ = 0;
  std::vector<File> files_;
  std::vector<Figure> figures_;
  std::map<std::string, Line> lines_;  // by everything that tells them apart
};

}  // namespace einkorn::report
