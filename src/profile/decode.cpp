#include "profile/decode.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <unordered_set>
#include "profile/accesses.h"
#include "profile/bytes.h"
#include "profile/codelets.h"
#include "profile/decode_thread.h"

namespace einkorn::profile {

using record::BlockType;

namespace {

constexpr uint32_t kMaxThreads = 1u << 16;  // as many as fit a task id
constexpr uint32_t kMaxSites = 1u << 20;    // the recorder has room for 65,536
constexpr size_t kMaxCodeNames = 1u << 16;
constexpr uint32_t kMaxName = 4096;   // bytes of a name of code, likewise
constexpr size_t kMaxModules = 4096;  // mapped at once
// 32-bit indices: nothing is added beyond this; a block adds less than the difference to kNone.
constexpr uint32_t kMaxRows = 0xff000000u;

std::string text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

bool read_sites(Bytes bytes, Recording& out) {
  record::SiteRecord r;
  while (!bytes.empty()) {
    std::string text;
    if (!take(bytes, r) || !take_text(bytes, r.text_bytes, text) || r.id == 0 || r.id >= kMaxSites) return false;
    if (r.id >= out.sites.size()) out.sites.resize(r.id + 1);
    out.sites[r.id] = {r.id, record::Construct(r.construct), r.flags, r.function, r.return_address, std::move(text)};
  }
  return true;
}

bool read_modules(Bytes bytes, Recording& out) {
  record::ModuleRecord r;
  while (!bytes.empty()) {
    Module m;
    if (!take(bytes, r) || !take_text(bytes, r.path_bytes, m.path) || out.modules.size() >= kMaxModules) return false;
    m.base = r.base;
    m.begin = r.begin;
    m.end = r.end;
    m.build_id.assign(reinterpret_cast<const char*>(r.build_id), std::min<size_t>(r.build_id_bytes, sizeof r.build_id));
    // A module mapped over another one has replaced it.
    std::erase_if(out.modules, [&](const Module& old) { return old.begin < m.end && m.begin < old.end; });
    out.modules.push_back(std::move(m));
  }
  return true;
}

bool read_allocations(Bytes bytes, Recording& out) {
  record::AllocationRecord r;
  while (!bytes.empty()) {
    if (!take(bytes, r) || r.nodes > record::kMostAllocationNodes || bytes.size() / sizeof(uint64_t) < r.nodes ||
        out.allocations.size() >= kMaxSites)
      return false;
    Allocations a{r.site, r.blocks, r.bytes, r.largest, std::vector<uint64_t>(r.nodes)};
    for (uint64_t& on : a.on) take(bytes, on);
    out.allocation_bytes += sizeof a + a.on.size() * sizeof(uint64_t);
    out.allocations.push_back(std::move(a));
  }
  return true;
}

bool read_samples(Bytes bytes, Recording& out) {
  constexpr size_t kMost = 1u << 24;
  record::SampleRecord r;
  while (!bytes.empty()) {
    if (!take(bytes, r) || r.callers > r.count || r.count == 0 || bytes.size() / sizeof(uint64_t) < r.count ||
        out.sample_addresses.size() + r.count > kMost)
      return false;
    out.samples.push_back({r.monotonic_ns, uint32_t(out.sample_addresses.size()), r.callers, r.count});
    for (uint32_t i = 0; i < r.count; ++i) take(bytes, out.sample_addresses.emplace_back());
  }
  return true;
}

bool read_shared_lines(Bytes bytes, Recording& out) {
  record::SharedLineRecord r;
  while (!bytes.empty()) {
    if (!take(bytes, r) || out.shared_lines.size() >= record::kMostSharedLines) return false;
    out.shared_lines.push_back(r);
  }
  return true;
}

bool read_code_names(Bytes bytes, Recording& out) {
  record::CodeNameRecord r;
  while (!bytes.empty()) {
    std::string name;
    if (!take(bytes, r) || !take_text(bytes, r.name_bytes, name) || r.name_bytes > kMaxName ||
        out.code_names.size() >= kMaxCodeNames)
      return false;
    out.code_names[r.address] = std::move(name);
  }
  return true;
}

// From one anchor to the next both clocks advance equally, within the accuracy of anchors; otherwise one of them was
// stopped, set or moved to another machine.
bool disagree(const record::Anchor& a, const record::Anchor& b, double ns_per_tick) {
  const double ticks = (double(b.ticks) - double(a.ticks)) * ns_per_tick,
               clock = double(b.monotonic_ns) - double(a.monotonic_ns);
  const double doubt = 1e6 + double(a.uncertainty_ns) + double(b.uncertainty_ns) + 0.01 * std::abs(clock);
  return std::abs(ticks - clock) > doubt;
}

// The file's clock, from its anchors: the rate that the header states, or the one measured between the first and the
// last anchor if these are far enough apart to measure it better.
Ticks file_clock(Reader& reader, size_t threads, uint64_t& last_anchor, uint64_t& first_monotonic_ns, bool& jumped) {
  const double nominal = 1e9 / double(reader.header().ticks_per_second);
  record::Anchor first{}, last{}, before{};
  bool found = false;
  for (const Block& b : reader.blocks()) {
    Bytes bytes;
    if (b.header.type != BlockType::anchor || !reader.payload(b, bytes)) continue;
    for (record::Anchor a; take(bytes, a);) {
      if (!found) first = a;
      else jumped |= disagree(before, a, nominal);
      before = a;
      found = true;
      if (a.ticks >= last.ticks) last = a;
    }
  }
  first_monotonic_ns = first.monotonic_ns;
  uint64_t origin = first.ticks;
  if (!found) {
    origin = ~0ull;
    for (const Block& b : reader.blocks())
      if (b.header.type == BlockType::events) origin = std::min(origin, b.header.first_tick);
  }
  last_anchor = last.ticks;
  uint64_t ns = 1000000000, ticks = reader.header().ticks_per_second;
  if (found && last.ticks > first.ticks && last.monotonic_ns > first.monotonic_ns) {
    const uint64_t ns_between = last.monotonic_ns - first.monotonic_ns, ticks_between = last.ticks - first.ticks;
    const double measured = double(ns_between) / double(ticks_between);
    const double uncertainty = double(first.uncertainty_ns) + double(last.uncertainty_ns) + 100;
    // If they differ by more than 0.1 %, one of the two is wrong, most likely a clock that was set or slewed.
    if (uncertainty < double(ns_between) * 1e-5 && measured > nominal * 0.999 && measured < nominal * 1.001)
      ns = ns_between, ticks = ticks_between;
  }
  // Sums over all threads stay below 2^62 ns: 100 days at 512 threads.
  int64_t limit = (int64_t(1) << 62) / int64_t(std::max<size_t>(threads, 512));
  return Ticks(origin, ns, ticks, limit);
}

// Peak memory of a loaded recording, while the graph is built: measured on task programs, 620 bytes per task of three
// steps.
uint64_t bytes_needed(const Recording& out) {
  return out.subtrees.size() * 300 + uint64_t(out.steps.size()) * 110 +
         (uint64_t(out.tasks.size()) + out.chunks.size() + out.contexts.size()) * 150 +
         uint64_t(out.depends.size()) * 150 + uint64_t(out.firings.size()) * 700 + out.graph_bytes +
         uint64_t(out.runs.size()) * 64 + uint64_t(out.lock_points.size()) * 60 + bytes_of_accesses(out) +
         uint64_t(out.counts.size()) * 160 + uint64_t(out.signals.size()) * 230 +
         uint64_t(out.iterations.size()) * 120 + uint64_t(out.fulfills.size()) * 160 +
         uint64_t(out.names_by_hand.size()) * 24 + out.code_names.size() * uint64_t(kMaxName) +
         2 * out.allocation_bytes + 2 * out.kept_lines.bytes;
}

}  // namespace

uint64_t decode(Reader& reader, uint64_t memory_bytes, const std::function<void(double)>& progress,
                const IntervalSink& intervals, Recording& out) {
  size_t threads = 0;
  for (const Block& b : reader.blocks()) {
    bool of_thread = b.header.type == BlockType::events || b.header.type == BlockType::thread;
    if (of_thread && b.header.thread < kMaxThreads) threads = std::max<size_t>(threads, b.header.thread + 1);
  }
  uint64_t last_anchor = 0;
  const Ticks ticks = file_clock(reader, threads, last_anchor, out.first_monotonic_ns, out.clock_jumped);
  out.version = reader.header().version;
  out.damaged_blocks = reader.damaged();
  out.truncated = reader.truncated();
  out.threads.resize(threads);
  for (int i = 0; i < record::kHistogramBuckets; ++i)
    out.histogram_limits[size_t(i)] = ticks.duration(uint64_t(1) << (2 * (i + 3)));
  out.sites.resize(1);
  std::vector<std::unique_ptr<ThreadDecoder>> decoders(threads);
  auto decoder = [&](uint32_t thread) -> ThreadDecoder& {
    auto& d = decoders[thread];
    if (!d) d = std::make_unique<ThreadDecoder>(out, thread, ticks, &intervals);
    return *d;
  };

  std::vector<uint64_t> words;
  size_t done = 0;
  for (const Block& b : reader.blocks()) {
    if (progress) progress(double(++done) / double(reader.blocks().size()));
    Bytes bytes;
    bool good = reader.payload(b, bytes);
    const record::BlockHeader& h = b.header;
    if (good) switch (h.type) {
        case BlockType::meta: out.meta = text_of(bytes); break;
        case BlockType::end:
          out.totals = text_of(bytes);
          out.complete = true;
          break;
        case BlockType::sites: good = read_sites(bytes, out); break;
        case BlockType::modules: good = read_modules(bytes, out); break;
        case BlockType::allocations: good = read_allocations(bytes, out); break;
        case BlockType::samples: good = read_samples(bytes, out); break;
        case BlockType::shared_lines: good = read_shared_lines(bytes, out); break;
        case BlockType::code_names: good = read_code_names(bytes, out); break;
        case BlockType::source_lines: good = read_source_lines(bytes, out.kept_lines); break;
        case BlockType::source_text: good = read_source_text(bytes, out.kept_lines); break;
        case BlockType::thread: {
          record::ThreadRecord r;
          good = take(bytes, r) && r.index < threads;
          if (good) decoder(r.index).begin(r);
          break;
        }
        case BlockType::events:
          good = h.thread < threads && bytes.size() % 8 == 0 && out.steps.size() < kMaxRows &&
                 out.depends.size() < kMaxRows;
          if (!good) break;
          words.resize(bytes.size() / 8);
          if (!words.empty()) memcpy(words.data(), bytes.data(), bytes.size());
          good = decoder(h.thread).events(words.data(), words.size(), h.sequence, h.first_tick, h.first_serial);
          break;
        case BlockType::codelet_graphs: good = read_graph(bytes, out); break;
        case BlockType::accesses: good = h.thread < threads && decode_accesses(bytes, h.thread, ticks, out); break;
        default: break;  // anchors were read above; other types come from a later writer
      }
    if (!good) {
      ++out.damaged_blocks;
      out.truncated = true;
    }
    if (uint64_t needed = bytes_needed(out); needed > memory_bytes)
      return uint64_t(double(needed) * double(reader.blocks().size()) / double(&b - reader.blocks().data() + 1));
  }
  out.room = memory_bytes - bytes_needed(out);
  out.end = last_anchor ? ticks.ns(last_anchor) : 0;
  for (auto& d : decoders)
    if (d) out.end = std::max(out.end, d->now());
  for (auto& d : decoders)
    if (d) d->finish(out.end, out.complete && out.damaged_blocks == 0);
  return 0;
}

void decode_places(Reader& reader, Recording& out) {
  const Ticks ticks(0, 1, 1, 0);
  std::unordered_set<uint64_t> known;
  out.sites.resize(1);
  for (const Block& b : reader.blocks()) {
    Bytes bytes;
    if (!reader.payload(b, bytes)) continue;
    switch (b.header.type) {
      case BlockType::sites: read_sites(bytes, out); break;
      case BlockType::modules: read_modules(bytes, out); break;
      case BlockType::code_names: read_code_names(bytes, out); break;
      case BlockType::source_lines: read_source_lines(bytes, out.kept_lines); break;
      case BlockType::accesses: {
        Recording part;  // a block's stretches may take much memory
        decode_accesses(bytes, b.header.thread, ticks, part);
        for (const RawInstruction& i : part.instructions)
          if (known.insert(i.address).second) out.instructions.push_back(i);
        break;
      }
      default: break;
    }
  }
}

}  // namespace einkorn::profile
