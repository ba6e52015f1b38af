#include "profile/accesses.h"
#include "profile/resolve.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

namespace einkorn::profile {
namespace {

// Reads numbers in LEB128; after an error all are 0.
class Varints {
 public:
  explicit Varints(std::span<const std::byte> bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  bool good() const { return good_; }
  bool at_end() const { return at_ == end_; }
  uint64_t get() {
    uint64_t v = 0;
    for (unsigned shift = 0; good_; shift += 7) {
      if (at_ == end_ || shift > 63) {
        good_ = false;
        break;
      }
      const auto b = uint64_t(*at_++);
      v |= (b & 0x7f) << shift;
      if (b < 0x80) return v;
    }
    return 0;
  }
  int64_t get_signed() {
    const uint64_t v = get();
    return int64_t(v >> 1 ^ (0 - (v & 1)));
  }
  void bytes(uint8_t* to, size_t n) {
    if (size_t(end_ - at_) < n) {
      good_ = false;
      return;
    }
    std::copy_n(reinterpret_cast<const uint8_t*>(at_), n, to);
    at_ += n;
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
  bool good_ = true;
};

constexpr size_t kMostRows = 0xff000000u;

// The file cannot be trusted: sums of its numbers stay far from 2^64.
uint64_t sane(uint64_t v) { return std::min(v, uint64_t(1) << 48); }

bool read_lines(Varints& in, RawStretch& s, Recording& out) {
  const uint64_t form = in.get();
  s.first_run = uint32_t(out.line_runs.size());
  if (form == 1) {
    s.sketch = uint32_t(out.sketches.size());
    out.sketches.emplace_back();
    in.bytes(out.sketches.back().data(), record::kLineRegisters);
    return in.good();
  }
  if (form % 2 || form / 2 > record::kExactLines) return false;
  uint64_t at = 0, lines = 0;
  for (uint64_t i = 0; i < form / 2; ++i) {
    at += in.get();
    const uint64_t count = in.get();
    lines += count;
    if (!in.good() || count == 0 || lines > record::kExactLines || at >= uint64_t(1) << 58) return false;
    out.line_runs.push_back({at, count});
    at += count;
    ++s.runs;
  }
  return in.good();
}

bool read_instructions(Varints& in, RawStretch& s, Recording& out) {
  const uint64_t count = in.get();
  s.first_instruction = uint32_t(out.instructions.size());
  if (count > record::kMostInstructions) return false;
  uint64_t address = 0;
  for (uint64_t i = 0; i < count; ++i) {
    RawInstruction r{};
    r.address = address += uint64_t(in.get_signed());
    const uint64_t kind = in.get();
    r.load = kind & 1;
    r.store = kind & 2;
    r.count = sane(in.get());
    r.bytes = sane(in.get());
    r.stride = in.get_signed();
    r.strides = std::min(sane(in.get()), r.count);
    r.fetched = sane(in.get());
    r.walked = sane(in.get());
    r.left = sane(in.get());
    r.used = std::min(4 * sane(in.get()), 64 * r.left);
    if (!in.good()) return false;
    out.instructions.push_back(r);
    ++s.instructions;
  }
  return in.good();
}

// Flajolet et al. 2007: the estimate (no address space has more than 2^48 lines, whatever a file says), or for few
// lines the count of empty registers.
uint64_t estimate(const std::array<uint8_t, record::kLineRegisters>& registers) {
  constexpr double m = record::kLineRegisters;
  double sum = 0, empty = 0;
  for (uint8_t r : registers) {
    sum += std::exp2(-double(std::min<uint8_t>(r, 64)));
    empty += r == 0;
  }
  const double raw = 0.7213 / (1 + 1.079 / m) * m * m / sum;
  return uint64_t(raw <= 2.5 * m && empty > 0 ? m * std::log(m / empty) : std::min(raw, 0x1p48));
}

// Number of distinct lines of several stretches together, and whether it is an estimate.
std::pair<uint64_t, bool> distinct(const Recording& rec, std::span<const uint32_t> stretches) {
  std::vector<LineRun> runs;
  bool sketched = false;
  for (uint32_t i : stretches) {
    const RawStretch& s = rec.stretches[i];
    sketched |= s.sketch != kNone;
    runs.insert(runs.end(), rec.line_runs.begin() + s.first_run, rec.line_runs.begin() + s.first_run + s.runs);
  }
  std::sort(runs.begin(), runs.end(), [](const LineRun& a, const LineRun& b) { return a.first < b.first; });
  uint64_t lines = 0, end = 0;
  std::array<uint8_t, record::kLineRegisters> all{};
  for (const LineRun& r : runs) {
    const uint64_t from = std::max(r.first, end);
    if (r.first + r.count <= from) continue;
    end = r.first + r.count;
    lines += end - from;
    for (uint64_t line = from; sketched && line < end; ++line) {
      const record::LineRank rank = record::rank_of_line(line);
      all[rank.index] = std::max(all[rank.index], rank.rank);
    }
  }
  if (!sketched) return {lines, false};
  for (uint32_t i : stretches)
    if (uint32_t k = rec.stretches[i].sketch; k != kNone)
      for (size_t r = 0; r < all.size(); ++r) all[r] = std::max(all[r], rec.sketches[k][r]);
  return {estimate(all), true};
}

// The grain of every stretch: that of the thread's first step that ends after the stretch began. Accesses between two
// steps (the copy of a task's arguments) belong to the next one.
std::vector<uint32_t> grains_of_stretches(const Recording& rec) {
  struct End {
    int64_t end;
    uint32_t grain;
  };
  std::vector<std::vector<End>> steps(rec.threads.size());
  for (uint32_t i = 0; i < rec.steps.size(); ++i) {
    const Step& s = rec.steps[i];
    if (s.grain != kNone && (s.kind == StepKind::fragment || s.kind == StepKind::chunk) && s.thread < steps.size())
      steps[s.thread].push_back({s.end, s.grain});
  }
  for (auto& of_thread : steps)
    std::stable_sort(of_thread.begin(), of_thread.end(), [](const End& a, const End& b) { return a.end < b.end; });
  std::vector<uint32_t> grains(rec.stretches.size(), kNone);
  for (size_t i = 0; i < rec.stretches.size(); ++i) {
    const auto& of_thread = steps[rec.stretches[i].thread];
    auto at = std::upper_bound(of_thread.begin(), of_thread.end(), rec.stretches[i].begin,
                               [](int64_t t, const End& e) { return t < e.end; });
    if (at != of_thread.end()) grains[i] = at->grain;
    else if (!of_thread.empty()) grains[i] = of_thread.back().grain;
  }
  return grains;
}

void add(Accesses& to, const Accesses& a) {
  to.loads += a.loads;
  to.stores += a.stores;
  to.stack_loads += a.stack_loads;
  to.stack_stores += a.stack_stores;
  to.read += a.read;
  to.written += a.written;
}

void add_uses(const Recording& rec, const std::vector<uint32_t>& grain_of, Symbolizer& symbolizer, SourceLines* lines,
              Profile& out) {
  struct Sum {
    AccessUse use;
    uint32_t latest = kNone;  // grain that was counted last
    std::map<int64_t, uint64_t> strides;
  };
  std::map<std::tuple<uint32_t, GrainKind, uint64_t, bool>, Sum> sums;
  for (size_t i = 0; i < rec.stretches.size(); ++i) {
    if (grain_of[i] >= out.grains.size()) continue;
    const Grain& g = out.grains[grain_of[i]];
    const RawStretch& s = rec.stretches[i];
    for (uint32_t k = s.first_instruction; k < s.first_instruction + s.instructions; ++k) {
      const RawInstruction& r = rec.instructions[k];
      Sum& sum = sums[{g.source, g.kind, r.address, r.store && !r.load}];
      sum.use.count += r.count;
      sum.use.bytes += r.bytes;
      sum.use.fetched += r.fetched;
      sum.use.walked += r.walked;
      sum.use.left += r.left;
      sum.use.used += r.used;
      if (sum.strides.size() < 64) sum.strides[r.stride] += r.strides;
      else if (auto at = sum.strides.find(r.stride); at != sum.strides.end()) at->second += r.strides;
      if (sum.latest != grain_of[i]) ++sum.use.grains;
      sum.latest = grain_of[i];
    }
  }
  std::map<std::tuple<std::string, uint32_t, std::string, uint64_t>, uint32_t> places;
  std::unordered_map<uint64_t, uint32_t> place_at;
  for (auto& [key, sum] : sums) {
    const auto& [source, kind, address, store] = key;
    auto [known, added] = place_at.try_emplace(address, kNone);
    if (added) {
      Source s = source_of_access(rec, symbolizer, address);
      if (lines) lines->of_access.emplace(address, s);
      auto [at, is_new] = places.try_emplace({s.file, s.line, s.line ? "" : s.module, s.line ? 0 : s.address},
                                             uint32_t(out.sources.size()));
      if (is_new) out.sources.push_back(std::move(s));
      known->second = at->second;
    }
    AccessUse& use = sum.use;
    use.source = source;
    use.kind = kind;
    use.place = known->second;
    use.store = store;
    for (auto [stride, count] : sum.strides)
      if (count > use.strides) use.stride = stride, use.strides = count;
    out.access_uses.push_back(use);
  }
  std::stable_sort(out.access_uses.begin(), out.access_uses.end(),
                   [](const AccessUse& a, const AccessUse& b) { return a.fetched > b.fetched; });
}

}  // namespace

// Instructions that are in add_uses()'s table have a place already, others get one.
static void add_shared_lines(const Recording& rec, Symbolizer& symbolizer, Profile& out) {
  std::map<std::tuple<std::string, uint32_t, std::string, uint64_t>, uint32_t> places;
  for (uint32_t i = 0; i < out.sources.size(); ++i)
    if (const Source& s = out.sources[i]; s.construct == "access")
      places.try_emplace({s.file, s.line, s.line ? "" : s.module, s.line ? 0 : s.address}, i);
  for (const record::SharedLineRecord& r : rec.shared_lines) {
    SharedLine line;
    line.address = r.address;
    line.variable = symbolizer.variable_at(r.address + (r.words[0] ? 4u * unsigned(__builtin_ctz(r.words[0])) : 0));
    line.moves = sane(r.moves);
    for (int k = 0; k < 2; ++k) {
      line.thread[k] = r.thread[k] < rec.threads.size() ? r.thread[k] : kNone;
      line.words[k] = r.words[k];
      Source s = symbolizer.resolve_access(r.pc[k]);
      auto [at, is_new] = places.try_emplace({s.file, s.line, s.line ? "" : s.module, s.line ? 0 : s.address},
                                             uint32_t(out.sources.size()));
      if (is_new) out.sources.push_back(std::move(s));
      line.place[k] = at->second;
    }
    out.shared_lines.push_back(std::move(line));
  }
  std::stable_sort(out.shared_lines.begin(), out.shared_lines.end(),
                   [](const SharedLine& a, const SharedLine& b) { return a.moves > b.moves; });
}

bool decode_accesses(std::span<const std::byte> payload, uint32_t thread, const Ticks& ticks, Recording& out) {
  Varints in(payload);
  uint64_t tick = 0;
  while (!in.at_end()) {
    if (out.line_runs.size() > kMostRows || out.instructions.size() > kMostRows || out.stretches.size() > kMostRows)
      return false;
    RawStretch s{};
    s.thread = thread;
    s.sketch = kNone;
    tick += in.get();
    s.begin = ticks.ns(tick);
    for (uint64_t* v : {&s.counts.loads, &s.counts.stores, &s.counts.stack_loads, &s.counts.stack_stores,
                        &s.counts.read, &s.counts.written})
      *v = sane(in.get());
    if (!read_lines(in, s, out) || !read_instructions(in, s, out)) return false;
    out.stretches.push_back(s);
  }
  return true;
}

uint64_t bytes_of_accesses(const Recording& rec) {
  return rec.stretches.size() * 150 + rec.line_runs.size() * 40 + rec.instructions.size() * 100 +
         rec.sketches.size() * record::kLineRegisters * 2;
}

void attach_accesses(const Recording& rec, Symbolizer& symbolizer, SourceLines* lines, Profile& out) {
  out.slowed = true;
  out.accesses.assign(out.grains.size(), {});
  const std::vector<uint32_t> grain_of = grains_of_stretches(rec);
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < grain_of.size(); ++i)
    if (grain_of[i] < out.grains.size()) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return grain_of[a] < grain_of[b]; });
  for (size_t first = 0, last; first < order.size(); first = last) {
    const uint32_t grain = grain_of[order[first]];
    for (last = first; last < order.size() && grain_of[order[last]] == grain; ++last)
      add(out.accesses[grain], rec.stretches[order[last]].counts);
    std::tie(out.accesses[grain].lines, out.accesses[grain].estimated) =
        distinct(rec, std::span(order).subspan(first, last - first));
  }
  add_uses(rec, grain_of, symbolizer, lines, out);
  add_shared_lines(rec, symbolizer, out);
}

}  // namespace einkorn::profile
