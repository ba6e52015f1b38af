#include "simulate/loop_rule.h"

#include <algorithm>

#include "schedule/loops.h"

namespace einkorn::simulate {

namespace {

bool gives(const profile::Profile& p, const schedule::LoopRule& rule, const schedule::LoopShape& s,
           const LoopChunks& chunks) {
  uint64_t next = 0;
  uint32_t latest = kNone;  // grain
  for (const auto& [first, n, grain] : chunks) {
    if (std::exchange(latest, grain) == grain) continue;
    const int64_t count = p.grains[grain].iterations;
    if (uint64_t(first) != next || next >= s.iterations || count <= 0 || uint64_t(count) != rule.count(s, next))
      return false;
    next += uint64_t(count);
  }
  return next == s.iterations;
}

}  // namespace

bool chunks_are_single(const profile::Profile& p, uint32_t l, const LoopChunks& chunks) {
  return std::all_of(chunks.begin(), chunks.end(),
                     [&](const LoopChunk& c) { return p.grains[c.grain].iterations <= int64_t(p.loops[l].chunk); });
}

void find_rule(const profile::Profile& p, uint32_t l, const LoopChunks& chunks, Loop& loop) {
  const schedule::LoopShape shape{p.loops[l].iterations, std::max(1u, loop.members), loop.least};
  for (int rule = schedule::kGuidedRule; rule < schedule::kLoopRuleCount; ++rule)
    for (const bool whole : {false, true}) {
      schedule::LoopShape s = shape;
      s.whole = whole;
      if (!gives(p, schedule::kLoopRules[rule], s, chunks)) continue;
      loop.rule = uint8_t(rule), loop.whole = whole;
      loop.own_firsts = rule == schedule::kGuidedRule && !loop.ordered && !loop.stepped;
      return;
    }
}

}  // namespace einkorn::simulate
