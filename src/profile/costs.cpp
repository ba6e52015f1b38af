#include "profile/costs.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace einkorn::profile {

namespace {
constexpr double kNew = 1.1;
constexpr double kLatest = 0.3;  // the part of the latest measurement in the mean
}  // namespace

double lines_differ(double one, double other) {
  return one <= 0 || other <= 0 ? 1 : std::max(one, other) / std::min(one, other);
}

bool same_distance(double one, double other) {
  constexpr double kDiffer = 1.8;
  return lines_differ(one, other) <= kDiffer;
}

bool widen_line(RuntimeCosts& costs, double ns) {
  double &least = costs(Waiting::line), &most = costs.line_most;
  if (ns <= 0) return false;
  const bool less = least < 0 || ns * kNew < least, more = most < 0 || ns > kNew * most;
  if (less) least = ns;
  if (more) most = std::max(ns, least);
  return less || more;
}

bool widen_streams(RuntimeCosts& costs, double alone, double all) {
  if (alone <= 0 || all <= 0) return false;
  if (costs.stream_alone > 0 && all / alone * kNew > costs.stream_all / costs.stream_alone) return false;
  costs.stream_alone = alone, costs.stream_all = all;
  return true;
}

void see_streams(RuntimeCosts& costs, double alone, double all) {
  if (alone <= 0 || all <= 0) return;
  widen_streams(costs, alone, all);
  const double times = all / alone;
  costs.stream_times = costs.stream_times > 0 ? costs.stream_times + kLatest * (times - costs.stream_times) : times;
}

std::string costs_text(const RuntimeCosts& costs) {
  std::string out = fmt::format("threads={}", costs.threads);
  for (size_t i = 0; i < costs.of.size(); ++i)
    for (size_t c = 0; c < kCosts; ++c)
      if (const MeasuredCost& m = costs.of[i][c]; m.known())
        out += fmt::format(" {}.{}={:.4g}/{:.4g}", kInterfaceNames[i], kCostNames[c], m.plain, m.recorded);
  for (size_t w = 0; w < kWaitings; ++w)
    if (costs.waiting[w] >= 0) {
      out += fmt::format(" {}={:.4g}", kWaitingNames[w], costs.waiting[w]);
      if (Waiting(w) != Waiting::line || costs.line_most < 0) continue;
      out += fmt::format("/{:.4g}", costs.line_most);
      if (costs.line_now >= 0) out += fmt::format("/{:.4g}", costs.line_now);
    }
  if (costs.stream_alone > 0) {
    out += fmt::format(" stream={:.4g}/{:.4g}", costs.stream_alone, costs.stream_all);
    if (costs.stream_times > 0) out += fmt::format("/{:.4g}", costs.stream_times);
  }
  if (costs.cache_bytes >= 0) out += fmt::format(" cache={:.0f}", costs.cache_bytes);
  return out;
}

namespace {

// Takes a number off the text; -1: it is not a number.
double number(std::string_view& text) {
  double value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value >= 0 && value < 1e12)) return -1;
  text.remove_prefix(size_t(end - text.data()));
  return value;
}

// Takes two, A/B, off the text; {-1, -1}: it is not that.
std::array<double, 2> two_numbers(std::string_view& text) {
  const double first = number(text);
  if (text.empty() || text[0] != '/') return {-1, -1};
  text.remove_prefix(1);
  const double second = number(text);
  return first >= 0 && second >= 0 ? std::array{first, second} : std::array{-1.0, -1.0};
}

}  // namespace

RuntimeCosts costs_of_text(std::string_view text) {
  RuntimeCosts out;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = word.substr(0, equals);
    word.remove_prefix(equals + 1);
    if (key == "threads") {
      if (const double n = number(word); n >= 1 && n < 1e6) out.threads = uint32_t(n);
      continue;
    }
    for (size_t w = 0; w < kWaitings; ++w)
      if (key == kWaitingNames[w]) {
        std::string_view both = word;
        out.waiting[w] = number(word);
        if (Waiting(w) != Waiting::line || out.waiting[w] < 0) continue;
        out.line_most = std::max(two_numbers(both)[1], out.waiting[w]);
        if (!both.empty() && both[0] == '/') both.remove_prefix(1), out.line_now = number(both);
      }
    if (key == "cache") out.cache_bytes = number(word);
    if (key == "stream")
      if (const auto [alone, all] = two_numbers(word); alone > 0 && all > 0) {
        out.stream_alone = alone, out.stream_all = all;
        if (!word.empty() && word[0] == '/') word.remove_prefix(1), out.stream_times = number(word);
      }
    for (size_t i = 0; i < out.of.size(); ++i)
      for (size_t c = 0; c < kCosts; ++c) {
        if (key != fmt::format("{}.{}", kInterfaceNames[i], kCostNames[c])) continue;
        const auto [plain, recorded] = two_numbers(word);
        if (plain >= 0) out.of[i][c] = {plain, recorded};
      }
  }
  return out;
}

}  // namespace einkorn::profile
