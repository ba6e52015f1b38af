// load() on damaged recordings: it must not crash, hang or grow without bound, and what it returns must hold together.
//
//   fuzz_grain [--iterations N] [--seconds S] [--seed N] [FILE ...]     fuzz_recording.h
// Built with -DEINKORN_LIBFUZZER and clang's -fsanitize=fuzzer it is a libFuzzer target instead.
#include <cmath>
#include "../golden/invariants.h"
#include "fuzz_recording.h"
#include "profile/compare.h"
#include "profile/metrics.h"
#include "profile/profile.h"

namespace {

using namespace einkorn;

// What holds of the metrics of every recording.
std::string broken_metrics(const profile::Profile& p) {
  for (bool with_nodes : {false, true}) {
    profile::MetricOptions options;
    if (with_nodes) options.node_distance = {10, 20, 20, 10};
    const profile::Metrics m = profile::compute_metrics(p, options);
    for (size_t i = 0; i < profile::kGrainMetrics; ++i) {
      const auto& info = profile::metric_info(profile::Metric(i));
      if (!m.of_grains[i].empty() && m.of_grains[i].size() != p.grains.size())
        return std::string("not one a grain: ") + info.key;
      for (uint32_t g = 0; g < m.of_grains[i].size(); ++g) {
        const float v = m.of_grains[i][g];
        if (v < 0 || std::isinf(v)) return std::string(info.key) + " is " + std::to_string(v);
        if (!std::isnan(v) && !info.applies_to(p.grains[g].kind))
          return std::string(info.key) + " of the wrong kind of grain";
      }
    }
    for (double v : m.of_program)
      if (std::isinf(v)) return "a program's metric is infinite";
  }
  return "";
}

// What holds of every time line: spans nest, in the order of time.
std::string broken_timeline(const profile::Timeline& t) {
  for (const auto& spans : t.threads) {
    std::vector<const profile::Span*> open;
    std::string broken;
    profile::walk(
        spans,
        [&](const profile::Span& s) {
          if (s.end < s.begin) broken = "a span ends before it begins";
          if (s.depth != std::min<size_t>(open.size(), profile::kDeepest))
            broken = "a span's depth is not how deep it lies";
          if (!open.empty() && (s.begin < open.back()->begin || s.end > open.back()->end))
            broken = "a span leaves the one around it";
          open.push_back(&s);
        },
        [&](const profile::Span&) { open.pop_back(); });
    if (!broken.empty()) return broken;
  }
  return "";
}

// A recording is the same as itself, but for names that a damaged file has twice.
std::string broken_comparison(const profile::Profile& p) {
  const profile::Side side = side_of(p);
  const profile::Comparison c = compare(side, side);
  if (c.matched + c.only_after.grains != side.grains.size() + side.aggregated)
    return "grains are neither matched nor not matched";
  for (size_t i = 0; i < c.match.size(); ++i)
    if (c.match[i] != profile::kNone && c.match[i] != i) return "a grain is not the same as itself";
  return "";
}

void try_load(const std::string& bytes) {
  profile::Profile p;
  profile::LoadError error;
  profile::LoadOptions options;
  profile::Timeline timeline;
  options.symbolize = false;
  options.timeline = &timeline;
  options.memory_bytes = 1 << 30;
  if (!profile::load(test::as_file(bytes), options, p, error)) {
    if (error.message.empty()) test::give_up("fuzz_grain", "refused without a message", bytes);
    return;
  }
  std::string broken = test::broken_invariant(p);
  if (broken.empty()) broken = broken_metrics(p);
  if (broken.empty()) broken = broken_timeline(timeline);
  if (broken.empty()) broken = broken_comparison(p);
  if (!broken.empty()) test::give_up("fuzz_grain", broken, bytes);
}

}  // namespace

#ifdef EINKORN_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try_load(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
#else
int main(int argc, char** argv) { return einkorn::test::fuzz("fuzz_grain", argc, argv, try_load); }
#endif
