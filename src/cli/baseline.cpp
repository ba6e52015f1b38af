#include "cli/baseline.h"

#include <fmt/format.h>

#include <algorithm>

#include "profile/baseline_groups.h"
#include "profile/profile.h"

namespace einkorn::cli {

bool load_side(const std::string& file, const profile::SymbolOptions* symbols,
               const std::function<void(double)>& progress, profile::Side& out, std::string& error) {
  profile::Profile p;
  profile::LoadOptions load;
  load.graph = false;
  load.symbolize = symbols != nullptr;
  if (symbols) load.symbols = *symbols;
  load.progress = [&](double f, const char*) { progress(f); };
  profile::LoadError wrong;
  if (!profile::load(file, load, p, wrong)) {
    error = wrong.message;
    return false;
  }
  out = profile::side_of(p);
  return true;
}

bool BaselineFile::load(const std::string& file, const profile::SymbolOptions* symbols,
                        const std::function<void(double)>& progress, std::string& error) {
  file_ = file;
  return load_side(file, symbols, progress, side_, error);
}

std::string BaselineFile::apply(const profile::Profile& p, profile::Baseline& out) {
  if (!side_.times_valid)
    return fmt::format(
        "the times of {} mean nothing: there is no baseline. Record it again on a machine that is less busy.", file_);
  const profile::Side here = side_of(p);
  comparison_ = compare(side_, here, 0);
  const profile::Comparison& c = comparison_;
  exec_ = exec_with_groups(side_, here, c, p.grains.size());
  out = {&exec_, side_.work()};
  if (std::any_of(exec_.begin(), exec_.end(), [](float e) { return e > 0; })) return "";
  return fmt::format(
      "only {:.1f} % of the work is in {} too: grains are not compared one by one. `einkorn compare` compares lines and loops.",
      100 * c.share, file_);
}

}  // namespace einkorn::cli
