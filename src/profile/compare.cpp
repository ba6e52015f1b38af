#include "profile/compare.h"
#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include "profile/identity.h"

namespace einkorn::profile {

namespace {

uint32_t extent_of(const Profile& p, const Grain& g) {
  if (g.kind == GrainKind::share) return g.region < p.regions.size() ? p.regions[g.region].team : 0;
  return g.iterations < 0 ? 0 : uint32_t(g.iterations);
}

// Instances of loops have no name of their own in a profile: that of their region's creator, and their place in it. Nor
// have phases.
uint64_t instance_key(const Profile& p, uint32_t region, IdKind kind, uint32_t ordinal) {
  if (region >= p.regions.size()) return 0;
  const Region& r = p.regions[region];
  GrainId id;
  if (r.parent_grain < p.grains.size()) id = {p.grains[r.parent_grain].id_high, p.grains[r.parent_grain].id_low};
  return derive(derive(id, IdKind::region, r.ordinal), kind, ordinal).high;
}

// Grains of one side by name. By hand: recordings have 10^7 grains, of which a std::unordered_map takes some 50 bytes
// each, and this 8 to 16.
class Index {
 public:
  explicit Index(const std::vector<ComparedGrain>& grains) : grains_(grains) {
    slots_.assign(std::bit_ceil(std::max<size_t>(16, grains.size() * 2)), kNone);
    for (uint32_t i = 0; i < grains.size(); ++i) {
      uint32_t& slot = find(grains[i]);
      if (slot == kNone) slot = i;  // only a damaged file has one name twice: the first counts
    }
  }
  uint32_t at(const ComparedGrain& g) const { return const_cast<Index*>(this)->find(g); }

 private:
  uint32_t& find(const ComparedGrain& g) {
    const size_t mask = slots_.size() - 1;
    size_t i = scramble(g.id_high ^ g.id_low) & mask;
    for (; slots_[i] != kNone; i = (i + 1) & mask) {
      const ComparedGrain& other = grains_[slots_[i]];
      if (other.id_high == g.id_high && other.id_low == g.id_low) break;
    }
    return slots_[i];
  }

  const std::vector<ComparedGrain>& grains_;
  std::vector<uint32_t> slots_;
};

class Comparer {
 public:
  Comparer(const Side& before, const Side& after) : before_(before), after_(after) {}
  Comparison run(size_t most);

 private:
  using LineKey = std::tuple<std::string, uint32_t, std::string, std::string, uint64_t>;
  static LineKey key_of(const Source& s) {
    return {s.file, s.line, s.construct, s.line ? std::string() : s.module, s.line ? 0 : s.address};
  }
  void find_lines();
  void match();
  void match_aggregates();
  void share_out();
  void ratios();
  void match_loops();
  static void add(Counted& to, const Counted& c) { to.grains += c.grains, to.exec += c.exec; }
  void count_after(LineChange& line, GrainKind kind, const Counted& c, const int64_t* before);
  void count_before(LineChange& line, GrainKind kind, const Counted& c, bool matched);
  uint32_t line_before(uint32_t source) const { return source == kNone ? unknown_ : line_of_before_[source]; }
  uint32_t line_after(uint32_t source) const { return source == kNone ? unknown_ : line_of_after_[source]; }

  const Side& before_;
  const Side& after_;
  Comparison out_;
  std::vector<uint32_t> line_of_before_, line_of_after_;  // by source
  uint32_t unknown_ = 0;
  int64_t matched_before_ = 0, matched_after_ = 0;  // execution
};

// One row for every construct at a source line in either recording; the last row is for grains without a line.
void Comparer::find_lines() {
  std::vector<LineKey> keys;
  for (const Side* side : {&before_, &after_})
    for (const Source& s : side->sources) keys.push_back(key_of(s));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  auto row = [&](const Source& s) {
    return uint32_t(std::lower_bound(keys.begin(), keys.end(), key_of(s)) - keys.begin());
  };
  unknown_ = uint32_t(keys.size());
  out_.lines.resize(keys.size() + 1);
  for (uint32_t s = 0; s < before_.sources.size(); ++s) {
    line_of_before_.push_back(row(before_.sources[s]));
    out_.lines[line_of_before_.back()].before_source = s;
  }
  for (uint32_t s = 0; s < after_.sources.size(); ++s) {
    line_of_after_.push_back(row(after_.sources[s]));
    out_.lines[line_of_after_.back()].after_source = s;
  }
}

// Counts a grain of the second recording. before: the execution of the same grain in the first; nullptr: the first does
// not have it.
void Comparer::count_after(LineChange& line, GrainKind kind, const Counted& c, const int64_t* before) {
  line.kind = kind;
  add(line.after, c);
  add(out_.after, c);
  if (!before) {
    add(line.only_after, c);
    add(out_.only_after, c);
    return;
  }
  out_.matched += c.grains;
  line.matched += c.grains;
  line.matched_before += *before;
  line.matched_after += c.exec;
  matched_before_ += *before;
  matched_after_ += c.exec;
}

// Counts the grains of the first, once all of the second are counted.
void Comparer::count_before(LineChange& line, GrainKind kind, const Counted& c, bool matched) {
  if (!line.after.grains) line.kind = kind;
  add(line.before, c);
  add(out_.before, c);
  if (matched) return;
  add(line.only_before, c);
  add(out_.only_before, c);
}

void Comparer::match() {
  const Index index(before_.grains);
  std::vector<bool> taken(before_.grains.size());
  out_.match.assign(after_.grains.size(), kNone);
  for (uint32_t i = 0; i < after_.grains.size(); ++i) {
    const ComparedGrain& g = after_.grains[i];
    const uint32_t other = index.at(g);
    const bool same = other != kNone && !taken[other] && before_.grains[other].kind == g.kind &&
                      before_.grains[other].extent == g.extent;
    if (same) {
      taken[other] = true;
      out_.match[i] = other;
    }
    count_after(out_.lines[line_after(g.source)], g.kind, {1, g.exec}, same ? &before_.grains[other].exec : nullptr);
  }
  for (uint32_t i = 0; i < before_.grains.size(); ++i) {
    const ComparedGrain& g = before_.grains[i];
    count_before(out_.lines[line_before(g.source)], g.kind, {1, g.exec}, taken[i]);
  }
}

void Comparer::match_aggregates() {
  using Key = std::tuple<uint64_t, uint64_t, uint32_t, GrainKind>;
  std::map<Key, uint32_t> known;
  for (uint32_t i = 0; i < before_.aggregates.size(); ++i) {
    const ComparedAggregate& a = before_.aggregates[i];
    known.try_emplace({a.id_high, a.id_low, line_before(a.source), a.kind}, i);
  }
  std::vector<bool> taken(before_.aggregates.size());
  for (const ComparedAggregate& a : after_.aggregates) {
    const uint32_t line = line_after(a.source);
    auto it = known.find({a.id_high, a.id_low, line, a.kind});
    const bool same = it != known.end() && !taken[it->second] && before_.aggregates[it->second].executed == a.executed;
    if (same) taken[it->second] = true;
    count_after(out_.lines[line], a.kind, {a.executed, a.exec}, same ? &before_.aggregates[it->second].exec : nullptr);
  }
  for (uint32_t i = 0; i < before_.aggregates.size(); ++i) {
    const ComparedAggregate& a = before_.aggregates[i];
    count_before(out_.lines[line_before(a.source)], a.kind, {a.executed, a.exec}, taken[i]);
  }
}

void Comparer::share_out() {
  auto share = [](int64_t part, int64_t whole) { return whole > 0 ? double(part) / double(whole) : 1.0; };
  out_.share = std::min(share(matched_before_, out_.before.exec), share(matched_after_, out_.after.exec));
}

// For the tasks and chunks of each line. Not for shares: the schedule chooses the thread that runs the body of a
// `single`, so two shares of one name may have done different things.
void Comparer::ratios() {
  std::vector<std::vector<double>> of_line(out_.lines.size());
  for (uint32_t i = 0; i < after_.grains.size(); ++i) {
    if (out_.match[i] == kNone || after_.grains[i].kind == GrainKind::share) continue;
    const int64_t before = before_.grains[out_.match[i]].exec;
    if (before > 0)
      of_line[line_after(after_.grains[i].source)].push_back(double(after_.grains[i].exec) / double(before));
  }
  for (size_t l = 0; l < of_line.size(); ++l) {
    auto& ratios = of_line[l];
    if (ratios.empty()) continue;
    auto middle = ratios.begin() + long(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    out_.lines[l].median_ratio = *middle;
    out_.lines[l].worst_ratio = *std::max_element(middle, ratios.end());
  }
}

void Comparer::match_loops() {
  std::unordered_map<uint64_t, uint32_t> known;
  for (uint32_t i = 0; i < before_.loops.size(); ++i) known.try_emplace(before_.loops[i].key, i);
  std::vector<bool> taken(before_.loops.size());
  for (uint32_t i = 0; i < after_.loops.size(); ++i) {
    auto it = known.find(after_.loops[i].key);
    const bool found = it != known.end() && !taken[it->second];
    if (found) taken[it->second] = true;
    out_.loops.push_back({found ? it->second : kNone, i});
  }
  for (uint32_t i = 0; i < before_.loops.size(); ++i)
    if (!taken[i]) out_.loops.push_back({i, kNone});
}

Comparison Comparer::run(size_t most) {
  find_lines();
  match();
  match_aggregates();
  share_out();
  match_loops();
  if (out_.per_grain()) {
    ratios();
    for (uint32_t i = 0; i < after_.grains.size(); ++i)
      if (out_.match[i] != kNone && after_.grains[i].kind != GrainKind::share) out_.changed.push_back(i);
    auto change = [&](uint32_t i) { return std::abs(after_.grains[i].exec - before_.grains[out_.match[i]].exec); };
    auto more = [&](uint32_t a, uint32_t b) { return std::tuple(-change(a), a) < std::tuple(-change(b), b); };
    most = std::min(most, out_.changed.size());
    std::partial_sort(out_.changed.begin(), out_.changed.begin() + long(most), out_.changed.end(), more);
    out_.changed.resize(most);
    out_.changed.shrink_to_fit();
  }
  std::erase_if(out_.lines, [](const LineChange& l) { return l.before.grains + l.after.grains == 0; });
  std::stable_sort(out_.lines.begin(), out_.lines.end(), [](const LineChange& a, const LineChange& b) {
    return std::abs(a.change()) > std::abs(b.change());
  });
  return std::move(out_);
}

}  // namespace

Side side_of(const Profile& p) {
  Side s;
  s.program = p.program;
  s.argv = p.argv;
  s.threads = uint32_t(p.threads.size());
  s.wall_ns = p.wall_ns;
  s.times_valid = p.times_valid;
  s.predicted = p.predicted;
  if (s.predicted.empty()) s.line_ns = p.costs.line_now;
  s.complete = p.totals.complete;
  s.thread_time = p.thread_time;
  for (const Thread& t : p.threads) s.cpu_time_known |= t.cpu_ns >= 0;
  s.lost = p.totals.lost_tasks + p.totals.lost_chunks;
  s.sources = p.sources;
  for (const LoopInstance& l : p.loops)
    s.loops.push_back({instance_key(p, l.region, IdKind::loop, l.ordinal), l.source, l.iterations});
  uint32_t region = kNone, ordinal = 0;
  for (const Phase& phase : p.phases) {  // by region, in order
    ordinal = phase.region == region ? ordinal + 1 : 0;
    region = phase.region;
    s.phases.push_back({instance_key(p, region, IdKind::share, ordinal)});
  }
  s.grains.reserve(size_t(std::count_if(p.grains.begin(), p.grains.end(), executed)));
  for (uint32_t i = 0; i < p.grains.size(); ++i) {
    const Grain& g = p.grains[i];
    if (!executed(g)) continue;
    const bool share = g.kind == GrainKind::share;
    const uint32_t loop = share                     ? (g.phase < s.phases.size() ? g.phase : kNone)
                          : g.loop < s.loops.size() ? g.loop
                                                    : kNone;
    if (share && loop != kNone) s.phases[loop].exec += g.exec;
    s.grains.push_back({g.id_high, g.id_low, g.exec, extent_of(p, g), i, g.source < p.sources.size() ? g.source : kNone,
                        loop, g.kind});
    if (loop != kNone && g.kind == GrainKind::chunk) ++s.loops[loop].chunks, s.loops[loop].exec += g.exec;
  }
  for (const Aggregate& a : p.aggregates) {
    if (!a.executed || a.grain >= p.grains.size()) continue;
    const Grain& g = p.grains[a.grain];
    s.aggregates.push_back({g.id_high, g.id_low, a.source < p.sources.size() ? a.source : kNone,
                            a.chunks ? GrainKind::chunk : GrainKind::task, a.executed, a.exec});
    s.aggregated += a.executed;
  }
  return s;
}

Comparison compare(const Side& before, const Side& after, size_t most) { return Comparer(before, after).run(most); }

std::vector<float> baseline_exec(const Side& before, const Side& after, const Comparison& c, size_t grains) {
  std::vector<float> out(grains, std::numeric_limits<float>::quiet_NaN());
  if (!c.per_grain()) return out;
  for (size_t i = 0; i < c.match.size(); ++i)
    if (c.match[i] != kNone && after.grains[i].kind != GrainKind::share)
      out[after.grains[i].grain] = float(before.grains[c.match[i]].exec);
  return out;
}

}  // namespace einkorn::profile
