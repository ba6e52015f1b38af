// Recordings in other tools' formats. docs/exports.md says what of a recording goes where.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include "profile/metrics.h"
#include "profile/timeline.h"
#include "profile/types.h"

namespace einkorn::report {

struct ExportOptions {
  std::string out;                       // path; "-": standard output, where the format is one file
  std::function<void(double)> progress;  // optional: fraction of the whole
  profile::Baseline baseline;            // CSV, Parquet: for the work deviation
  uint32_t max_nodes = 20000;            // GraphML: a larger graph is cut
  bool unreduced = false;                // GraphML: every fragment and fork is a node
  std::string note;                      // out: what the user should know, a sentence; empty: nothing
};

// Each returns what went wrong, in words for the user; empty when all is well. A file is there whole or not at all.
std::string export_csv(const profile::Profile&, ExportOptions&);
std::string export_parquet(const profile::Profile&, ExportOptions&);
std::string export_graphml(const profile::Profile&, ExportOptions&);
std::string export_perfetto(const profile::Profile&, const profile::Timeline&, ExportOptions&);
// Into a folder, which must not be there, or hold an OTF2 archive of the same name, which is replaced.
std::string export_otf2(const profile::Profile&, const profile::Timeline&, ExportOptions&);

}  // namespace einkorn::report
