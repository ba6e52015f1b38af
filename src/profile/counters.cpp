#include "profile/counters.h"
#include <algorithm>
#include <bit>
#include <utility>
#include "profile/decode_thread.h"

namespace einkorn::profile {
namespace {

using record::kMostCounters;
using record::kUncounted;

// A file may say anything: sums stay far from 2^64.
uint64_t sum(uint64_t a, uint64_t b) {
  constexpr uint64_t kMost = uint64_t(1) << 62;
  return a == kUncounted || b == kUncounted ? kUncounted : std::min(std::min(a, kMost) + std::min(b, kMost), kMost);
}

void add(Counts& to, const CountValues& values, uint8_t estimated, bool first) {
  for (size_t i = 0; i < kMostCounters; ++i) to.values[i] = first ? values[i] : sum(to.values[i], values[i]);
  to.estimated |= estimated;
}

}  // namespace

size_t CountedEvents::place_of(record::Counter c) const {
  const auto at = std::find(counters.begin(), counters.end(), c);
  return at == counters.end() ? kMostCounters : size_t(at - counters.begin());
}

uint64_t CountedEvents::of(uint32_t grain, record::Counter c) const {
  const size_t i = place_of(c);
  return grain < grains.size() && i < kMostCounters ? grains[grain].values[i] : kUncounted;
}

void read_counters(const std::vector<std::string>& counted,
                   const std::vector<std::pair<std::string, std::string>>& absent, CountedEvents& out) {
  // One that a later Einkorn knows makes the others' places unknown: nothing is taken.
  for (const std::string& key : counted)
    if (record::counter_of_name(key) < 0 || out.counters.size() == kMostCounters) return out.counters.clear();
    else out.counters.push_back(record::Counter(record::counter_of_name(key)));
  for (const auto& [key, why] : absent)
    for (int a = 1; a < record::kAbsences; ++a)
      if (const int c = record::counter_of_name(key); c >= 0 && why == record::kAbsenceNames[a])
        out.absent.push_back({record::Counter(c), record::Absence(a)});
}

void attach_counters(const Recording& rec, Profile& out) {
  CountedEvents& counted = out.counted;
  if (counted.counters.empty()) return;
  counted.grains.assign(out.grains.size(), {});
  std::vector<bool> begun(out.grains.size(), false), torn(out.grains.size(), false);
  bool elsewhere = false;
  for (const RawCounts& r : rec.counts) {
    const uint32_t grain = r.step < rec.steps.size() ? rec.steps[r.step].grain : kNone;
    if (grain < out.grains.size() && !r.torn) {
      add(counted.grains[grain], r.values, r.estimated, !begun[grain]);
      begun[grain] = true;
    } else {
      if (grain < out.grains.size()) torn[grain] = true;
      add(counted.elsewhere, r.values, r.estimated, !elsewhere);
      elsewhere = true;
    }
  }
  // What ran while records were lost has counts that no record tells of.
  auto lost_some = [&](const Grain& g) { return g.flags & (kEstimated | kIncomplete); };
  for (size_t g = 0; g < out.grains.size(); ++g) {
    const Grain& grain = out.grains[g];
    const bool within = grain.kind == GrainKind::share || grain.kind == GrainKind::chunk;
    if (torn[g] || lost_some(grain) || (within && lost_some(out.grains[grain.parent]))) counted.grains[g] = {};
  }
}

// What comes before an `aggregate` is of several grains, and nobody knows how much of whom.
void ThreadDecoder::take_counts(record::Kind next, bool within_call) {
  counts_.told = false;
  RawCounts r;
  r.torn = std::exchange(counts_torn_, false) || (counts_.payload >> 16 & 1) || next == record::Kind::aggregate;
  r.estimated = uint8_t(counts_.payload >> 8);
  const State s = within_call ? State::overhead : state_of(top());
  r.step = s == State::work || s == State::serial ? owner().step : kNone;
  for (size_t i = 0, word = 0; i < kMostCounters; ++i)
    if (counts_.payload >> i & 1) r.values[i] = counts_.words[word++];
  if (latest_counts_ != kNone)
    if (RawCounts& latest = out_.counts[latest_counts_]; latest.step == r.step && latest.torn == r.torn) {
      for (size_t i = 0; i < kMostCounters; ++i) latest.values[i] = sum(latest.values[i], r.values[i]);
      latest.estimated |= r.estimated;
      return;
    }
  latest_counts_ = uint32_t(out_.counts.size());
  out_.counts.push_back(r);
}

}  // namespace einkorn::profile
