// The grain table: one row a grain, in the order of Profile::grains (parents before children); behind them one a
// Profile::aggregates (what was counted, not recorded one by one). CSV, Parquet and the Python package show the same
// columns, described here once.
//
// What was not measured is absent: kNoInteger, NaN, or kNone as the code of a text.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>
#include "profile/metrics.h"
#include "profile/types.h"

namespace einkorn::report {

enum class ColumnType : uint8_t { integer, real, boolean, text, id };

inline constexpr int64_t kNoInteger = std::numeric_limits<int64_t>::min();

struct Column {
  std::string name;  // snake_case, with its unit: "exec_ns"
  std::string what;  // a sentence's worth
  ColumnType type;
  bool required = false;                   // never absent
  std::function<int64_t(size_t)> integer;  // integer; boolean: 0, 1; id: whether it is there
  std::function<float(size_t)> real;
  std::function<uint32_t(size_t)> code;  // text: index into `texts`
  std::vector<std::string> texts;        // text: every one that occurs, once
};

struct Table {
  size_t rows = 0;
  std::vector<Column> columns;
};

// With every metric of a grain (profile/metrics.h), by its key. Refers to both, which have to outlive it.
Table grain_table(const profile::Profile& p, const profile::Metrics& m);

// Every metric of grains, as the reports have them.
profile::Metrics table_metrics(const profile::Profile& p, const profile::Baseline& baseline);

// 32 hexadecimal digits: the grain's schedule-independent identity (profile/identity.h).
void append_id(const profile::Grain& g, std::string& out);

}  // namespace einkorn::report
