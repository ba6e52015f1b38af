#include "profile/compare.h"
#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include "profile/compare_index.h"
#include "profile/identity.h"
#include "profile/pairing.h"

namespace einkorn::profile {

namespace {

// A share's is a phase.
uint32_t loop_of(const ComparedGrain& g) { return g.kind == GrainKind::chunk ? g.loop : kNone; }

class Comparer {
 public:
  Comparer(const Side& before, const Side& after) : before_(before), after_(after) {}
  Comparison run(size_t most);

 private:
  struct Places {
    std::vector<uint32_t> of_source;
    std::vector<Place> places;
  };
  static Places places_of(const Side& side);
  void find_same_names();
  void pair();
  void match_the_rest();
  std::vector<uint32_t> pair_loops() const;
  void compare_ranges();
  void merge_loops_with_regions();
  void count();
  void count_aggregates();
  void share_out();
  void ratios();
  void match_loops();
  static void add(Counted& to, const Counted& c) { to.grains += c.grains, to.exec += c.exec; }
  void count_after(LineChange& line, GrainKind kind, const Counted& c, const int64_t* before);
  void count_before(LineChange& line, GrainKind kind, const Counted& c, bool matched);
  uint32_t line_before(uint32_t source) const { return source == kNone ? unknown_ : line_of_before_[source]; }
  uint32_t line_after(uint32_t source) const { return source == kNone ? unknown_ : line_of_after_[source]; }

  struct Ratio {
    double ratio;
    int64_t before, after;
  };
  bool middle_of(std::vector<Ratio>& ratios, const LineChange& line, int64_t& change) const;

  const Side& before_;
  const Side& after_;
  Comparison out_;
  std::vector<std::vector<Ratio>> ranges_;                // by row: of iterations of loops that are cut otherwise
  std::vector<bool> taken_;                               // by grain of before_: it is matched
  std::vector<uint32_t> line_of_before_, line_of_after_;  // by source
  uint32_t unknown_ = 0;
  int64_t matched_before_ = 0, matched_after_ = 0;  // execution
};

// Of the folder that all files of the program are in; those of the system's headers do not count.
std::string common_folder(const std::vector<Source>& sources) {
  std::string common;
  bool first = true;
  for (const Source& s : sources) {
    if (s.file.empty() || s.file.starts_with("/usr/")) continue;
    const std::string folder = s.file.substr(0, s.file.rfind('/') + 1);
    if (first) common = folder;
    first = false;
    const auto part = std::mismatch(common.begin(), common.end(), folder.begin(), folder.end()).first;
    common.erase(part, common.end());
    common.erase(common.rfind('/') + 1);
  }
  return common;
}

// Sources at one line are one place; without a line, those of one address.
Comparer::Places Comparer::places_of(const Side& side) {
  using Key = std::tuple<std::string, uint32_t, std::string, std::string, uint64_t>;
  Places out;
  std::map<Key, uint32_t> known;
  const std::string folder = common_folder(side.sources);
  for (size_t i = 0; i < side.sources.size(); ++i) {
    const Source& s = side.sources[i];
    const Key key{s.file, s.line, s.construct, s.line ? std::string() : s.module, s.line ? 0 : s.address};
    const auto [at, added] = known.try_emplace(key, uint32_t(out.places.size()));
    if (added) {
      Place p;
      p.construct = s.construct;
      p.function = s.function;
      p.file = s.file.starts_with(folder) ? s.file.substr(folder.size()) : s.file;
      p.line = s.line;
      p.address = s.address;
      if (i < side.texts.size()) p.text = side.texts[i];
      out.places.push_back(std::move(p));
    }
    out.of_source.push_back(at->second);
  }
  auto count = [&](uint32_t source, uint64_t grains, int64_t exec) {
    if (source == kNone) return;
    Place& p = out.places[out.of_source[source]];
    p.grains += grains;
    p.exec += exec;
  };
  for (const ComparedGrain& g : side.grains) count(g.source, 1, g.exec);
  for (const ComparedAggregate& a : side.aggregates) count(a.source, a.executed, a.exec);
  return out;
}

// Grains of one name, kind and extent.
void Comparer::find_same_names() {
  const GrainIndex index(before_.grains);
  taken_.assign(before_.grains.size(), false);
  out_.match.assign(after_.grains.size(), kNone);
  for (uint32_t i = 0; i < after_.grains.size(); ++i) {
    const ComparedGrain& g = after_.grains[i];
    const uint32_t other = index.at(g);
    if (other == kNone || taken_[other] || before_.grains[other].kind != g.kind ||
        before_.grains[other].extent != g.extent)
      continue;
    taken_[other] = true;
    out_.match[i] = other;
  }
}

// One row for every pair of constructs, and for each that is in one recording only; the last one is for grains without
// a construct.
void Comparer::pair() {
  const Places before = places_of(before_), after = places_of(after_);
  std::map<std::pair<uint32_t, uint32_t>, double> votes;
  for (uint32_t i = 0; i < after_.grains.size(); ++i) {
    if (out_.match[i] == kNone) continue;
    const ComparedGrain &a = after_.grains[i], &b = before_.grains[out_.match[i]];
    // ns; a share that did nothing has no more to say than that it is there.
    if (a.source != kNone && b.source != kNone)
      votes[{before.of_source[b.source], after.of_source[a.source]}] += 1 + double(std::min(a.exec, b.exec));
  }
  std::vector<Vote> all;
  for (const auto& [pair, weight] : votes) all.push_back({pair.first, pair.second, weight});
  const Pairing pairing = pair_places(before.places, after.places, all, before_.times_valid && after_.times_valid);
  unknown_ = pairing.rows;
  out_.lines.resize(pairing.rows + 1);
  auto put = [](const Places& places, const std::vector<uint32_t>& rows, std::vector<uint32_t>& line_of,
                std::vector<LineChange>& lines, uint32_t LineChange::* named) {
    for (uint32_t s = 0; s < places.of_source.size(); ++s) {
      const uint32_t row = rows[places.of_source[s]];
      line_of.push_back(row);
      uint32_t& name = lines[row].*named;
      if (name == kNone || places.places[places.of_source[name]].exec < places.places[places.of_source[s]].exec)
        name = s;
    }
  };
  put(before, pairing.before, line_of_before_, out_.lines, &LineChange::before_source);
  put(after, pairing.after, line_of_after_, out_.lines, &LineChange::after_source);
  for (uint32_t i = 0; i < after_.grains.size(); ++i)
    if (uint32_t& m = out_.match[i];
        m != kNone && line_before(before_.grains[m].source) != line_after(after_.grains[i].source))
      taken_[m] = false, m = kNone;
}

// Instances of loops whose chunks have no counterparts: the n-th of a pair of constructs is the n-th, if there are as
// many.
std::vector<uint32_t> Comparer::pair_loops() const {
  std::vector<uint32_t> other(after_.loops.size(), kNone);
  std::vector<bool> settled(before_.loops.size());
  for (uint32_t i = 0; i < after_.grains.size(); ++i)
    if (const uint32_t m = out_.match[i];
        m != kNone && loop_of(after_.grains[i]) != kNone && loop_of(before_.grains[m]) != kNone)
      other[after_.grains[i].loop] = before_.grains[m].loop, settled[before_.grains[m].loop] = true;
  std::map<std::pair<uint32_t, uint64_t>, std::vector<uint32_t>> left;  // by row and iterations
  auto key = [](uint32_t row, const ComparedLoop& l) { return std::pair(row, l.iterations); };
  for (uint32_t i = 0; i < before_.loops.size(); ++i)
    if (!settled[i] && before_.loops[i].chunks)
      left[key(line_before(before_.loops[i].source), before_.loops[i])].push_back(i);
  std::map<std::pair<uint32_t, uint64_t>, std::vector<uint32_t>> mine;
  for (uint32_t i = 0; i < after_.loops.size(); ++i)
    if (other[i] == kNone && after_.loops[i].chunks)
      mine[key(line_after(after_.loops[i].source), after_.loops[i])].push_back(i);
  for (const auto& [at, loops] : mine)
    if (const auto there = left.find(at); there != left.end() && there->second.size() == loops.size())
      for (size_t n = 0; n < loops.size(); ++n) other[loops[n]] = there->second[n];
  return other;
}

// Of loops that are cut otherwise, the least ranges of iterations that both recordings have whole chunks of.
void Comparer::compare_ranges() {
  struct Chunk {
    uint64_t first, end;
    int64_t exec;
    bool operator<(const Chunk& o) const { return first < o.first; }
  };
  auto chunks_of = [](const Side& side) {
    std::vector<std::vector<Chunk>> out(side.loops.size());
    for (const ComparedGrain& g : side.grains)
      if (g.kind == GrainKind::chunk && g.loop != kNone) out[g.loop].push_back({g.first, g.first + g.extent, g.exec});
    for (auto& chunks : out) std::sort(chunks.begin(), chunks.end());
    return out;
  };
  ranges_.resize(out_.lines.size());
  const std::vector<uint32_t> other = pair_loops();
  if (std::all_of(other.begin(), other.end(), [](uint32_t l) { return l == kNone; })) return;
  const auto before = chunks_of(before_), after = chunks_of(after_);
  for (uint32_t l = 0; l < other.size(); ++l) {
    if (other[l] == kNone) continue;
    const auto &b = before[other[l]], &a = after[l];
    int64_t sum_b = 0, sum_a = 0;
    for (size_t i = 0, j = 0; i < b.size() && j < a.size();) {
      const uint64_t end_b = b[i].end, end_a = a[j].end;
      if (end_b <= end_a) sum_b += b[i++].exec;
      if (end_a <= end_b) sum_a += a[j++].exec;
      if (end_b != end_a) continue;
      if (sum_b > 0)
        ranges_[line_after(after_.loops[l].source)].push_back({double(sum_a) / double(sum_b), sum_b, sum_a});
      sum_b = sum_a = 0;
    }
  }
}

// Of each pair of constructs, what has no counterpart by its name: chunks by their iterations, other grains in their
// order, if there are as many.
void Comparer::match_the_rest() {
  const std::vector<uint32_t> loops = pair_loops();
  using Key = std::tuple<uint32_t, GrainKind, uint32_t, uint32_t, uint64_t>;  // row, kind, extent, loop, first
  auto key = [](uint32_t row, const ComparedGrain& g, uint32_t loop) {
    const bool chunk = g.kind == GrainKind::chunk;
    return Key{row, g.kind, g.extent, chunk ? loop : kNone, chunk ? g.first : 0};
  };
  std::map<Key, std::pair<std::vector<uint32_t>, std::vector<uint32_t>>> left;
  for (uint32_t i = 0; i < after_.grains.size(); ++i) {
    const ComparedGrain& g = after_.grains[i];
    if (out_.match[i] != kNone) continue;
    if (g.kind == GrainKind::chunk && (loop_of(g) == kNone || loops[g.loop] == kNone)) continue;
    left[key(line_after(g.source), g, loop_of(g) == kNone ? kNone : loops[g.loop])].second.push_back(i);
  }
  if (left.empty()) return;
  for (uint32_t i = 0; i < before_.grains.size(); ++i) {
    const ComparedGrain& g = before_.grains[i];
    if (taken_[i]) continue;
    if (const auto at = left.find(key(line_before(g.source), g, loop_of(g))); at != left.end())
      at->second.first.push_back(i);
  }
  for (const auto& [at, both] : left)
    if (both.first.size() == both.second.size())
      for (size_t n = 0; n < both.first.size(); ++n)
        out_.match[both.second[n]] = both.first[n], taken_[both.first[n]] = true;
}

// A static loop has chunks where its compiler calls the runtime for it (clang), and is part of its threads' shares
// where it does not (gcc); so with another schedule. A region's row and those of its loops that are in one recording
// only are one, if that is what makes them agree.
void Comparer::merge_loops_with_regions() {
  std::vector<int64_t> before(out_.lines.size()), after(out_.lines.size());
  for (const ComparedGrain& g : before_.grains) before[line_before(g.source)] += g.exec;
  for (const ComparedGrain& g : after_.grains) after[line_after(g.source)] += g.exec;
  // By region and phase, the row of its shares that changed most: a phase's shares have the line of the barrier that
  // ends it.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> shares_of;
  std::map<uint32_t, std::set<uint32_t>> of_region;  // row of shares -> of loops in one recording only
  auto gather = [&](const Side& side, const std::vector<uint32_t>& line_of, uint32_t LineChange::* other, bool shares) {
    for (const ComparedGrain& g : side.grains) {
      const bool share = g.kind == GrainKind::share;
      if (g.loop == kNone || g.source == kNone || (!share && g.kind != GrainKind::chunk) || share != shares) continue;
      const uint32_t region = share ? side.phases[g.loop].region_source : side.loops[g.loop].region_source;
      if (region == kNone) continue;
      const uint32_t row = line_of[g.source];
      const std::pair key(line_of[region], g.phase);
      if (share) {
        const auto [at, added] = shares_of.try_emplace(key, row);
        if (!added && std::abs(after[row] - before[row]) > std::abs(after[at->second] - before[at->second]))
          at->second = row;
      } else if (const auto at = shares_of.find(key);
                 at != shares_of.end() && at->second != row && out_.lines[row].*other == kNone) {
        of_region[at->second].insert(row);
      }
    }
  };
  for (const bool shares : {true, false}) {
    gather(before_, line_of_before_, &LineChange::after_source, shares);
    gather(after_, line_of_after_, &LineChange::before_source, shares);
  }
  if (of_region.empty()) return;
  // By row and phase, what the rows took there: the phase that changed most names the loop.
  using Phases = std::map<std::pair<uint32_t, uint32_t>, int64_t>;
  auto phases_of = [&](const Side& side, auto line_of) {
    Phases out;
    for (const ComparedGrain& g : side.grains)
      if (g.kind != GrainKind::task) out[{line_of(g.source), g.phase}] += g.exec;
    return out;
  };
  const Phases b_phases = phases_of(before_, [&](uint32_t s) { return line_before(s); });
  const Phases a_phases = phases_of(after_, [&](uint32_t s) { return line_after(s); });
  for (auto& [region, loops] : of_region) {
    int64_t b = before[region], a = after[region], apart = std::abs(a - b);
    for (uint32_t l : loops) b += before[l], a += after[l], apart += std::abs(after[l] - before[l]);
    if (std::abs(a - b) * 2 > apart) continue;
    loops.insert(region);
    std::map<uint32_t, int64_t> change;
    for (const auto& [at, exec] : b_phases)
      if (loops.contains(at.first)) change[at.second] -= exec;
    for (const auto& [at, exec] : a_phases)
      if (loops.contains(at.first)) change[at.second] += exec;
    const auto most = std::max_element(change.begin(), change.end(), [](const auto& x, const auto& y) {
      return std::abs(x.second) < std::abs(y.second);
    });
    auto named = [&, phase = most == change.end() ? kNone : most->first](const Phases& phases) {
      uint32_t row = region;
      int64_t exec = -1;
      for (uint32_t l : loops)
        if (const auto at = phases.find({l, phase}); at != phases.end() && at->second > exec)
          exec = at->second, row = l;
      return row;
    };
    const uint32_t name_before = out_.lines[named(b_phases)].before_source,
                   name_after = out_.lines[named(a_phases)].after_source;
    LineChange row = out_.lines[region];
    if (name_before != kNone) row.before_source = name_before;
    if (name_after != kNone) row.after_source = name_after;
    for (auto* line_of : {&line_of_before_, &line_of_after_})
      for (uint32_t& line : *line_of)
        if (loops.contains(line)) line = region;
    for (uint32_t l : loops) out_.lines[l] = {};
    out_.lines[region] = row;
  }
}

// Counts a grain of the second recording. before: the execution of the same grain in the first; nullptr: the first does
// not have it.
void Comparer::count_after(LineChange& line, GrainKind kind, const Counted& c, const int64_t* before) {
  if (c.exec >= line.after.exec - line.after.exec / 2 || !line.after.grains) line.kind = kind;
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

void Comparer::count() {
  for (uint32_t i = 0; i < after_.grains.size(); ++i) {
    const ComparedGrain& g = after_.grains[i];
    const uint32_t m = out_.match[i];
    count_after(out_.lines[line_after(g.source)], g.kind, {1, g.exec}, m != kNone ? &before_.grains[m].exec : nullptr);
  }
  for (uint32_t i = 0; i < before_.grains.size(); ++i) {
    const ComparedGrain& g = before_.grains[i];
    count_before(out_.lines[line_before(g.source)], g.kind, {1, g.exec}, taken_[i]);
  }
}

void Comparer::count_aggregates() {
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
  std::vector<std::vector<Ratio>> of_line(out_.lines.size());
  for (uint32_t i = 0; i < after_.grains.size(); ++i) {
    if (out_.match[i] == kNone || after_.grains[i].kind == GrainKind::share) continue;
    const int64_t before = before_.grains[out_.match[i]].exec;
    if (before > 0)
      of_line[line_after(after_.grains[i].source)].push_back(
          {double(after_.grains[i].exec) / double(before), before, after_.grains[i].exec});
  }
  for (size_t l = 0; l < of_line.size(); ++l) {
    LineChange& line = out_.lines[l];
    line.by_median = line.change();
    auto& ratios = of_line[l];
    if (middle_of(ratios, line, line.by_median) && out_.per_grain()) {
      line.median_ratio = ratios[ratios.size() / 2].ratio;
      line.worst_ratio = ratios.back().ratio;
    } else if (ranges_.size() > l) {
      middle_of(ranges_[l], line, line.by_median);
    }
  }
}

// Sorts the ratios. If they are about all of the line, what its execution would have changed by at the middle ratio: of
// the execution, not of the grains, as of a recursion most grains are tiny.
bool Comparer::middle_of(std::vector<Ratio>& ratios, const LineChange& line, int64_t& change) const {
  if (ratios.empty()) return false;
  std::sort(ratios.begin(), ratios.end(), [](const Ratio& a, const Ratio& b) { return a.ratio < b.ratio; });
  int64_t before = 0, after = 0, sum = 0;
  for (const Ratio& r : ratios) before += r.before, after += r.after;
  if (double(before) < kEnough * double(line.before.exec) || double(after) < kEnough * double(line.after.exec))
    return false;
  const auto middle =
      std::find_if(ratios.begin(), ratios.end(), [&](const Ratio& r) { return 2 * (sum += r.before) >= before; });
  change = int64_t((middle->ratio - 1) * double(before)) + (line.after.exec - after) - (line.before.exec - before);
  return true;
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
  find_same_names();
  pair();
  match_the_rest();
  compare_ranges();
  merge_loops_with_regions();
  count();
  count_aggregates();
  share_out();
  match_loops();
  ratios();
  if (out_.per_grain()) {
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
    return std::tuple(!a.in_both(), -std::abs(a.by_median)) < std::tuple(!b.in_both(), -std::abs(b.by_median));
  });
  return std::move(out_);
}

}  // namespace

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
