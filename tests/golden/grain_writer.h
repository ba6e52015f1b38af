// Writes .grain files from a script: what golden and unit tests, and the fuzzer's seeds, are made of. Shares nothing
// with the recorder but the numbers of format.h and halves.h, the blocks of record/block.h not either: it writes what
// no recorder would, and where the recorder and docs/grain-file.md part, files of both kinds are not wrong in the same
// way.
//
//   GrainFile file;                                      // 1 tick = 1 ns, the start anchor at tick 0
//   uint32_t task = file.site(Construct::task, 0x1000);
//   Script& t = file.thread(Script::kInitial);
//   t.at(100).region_begin(site, t.new_region(), 2);
//   ...
//   file.save("x.grain");
#pragma once
#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>
#include <cstring>
#include <deque>
#include <fstream>
#include <string>
#include <vector>
#include <zstd.h>
#include "record/crc32c.h"
#include "record/format.h"
#include "record/halves.h"
#include "record/source_lines.h"

namespace einkorn::test {

using record::Construct;
using record::Kind;

// One thread's records. at() sets the time of what follows.
class Script {
 public:
  static constexpr bool kInitial = true, kWorker = false;

  Script(uint32_t index, bool initial, uint64_t begin)
      : index_(index), initial_(initial), begin_(begin), now_(begin), last_(begin) {
    blocks_.push_back({{}, 0, begin, 0});
  }

  Script& at(uint64_t tick) {
    now_ = tick;
    return *this;
  }

  uint64_t new_region() { return record::make_id(index_, ++regions_); }
  Script& region_begin(uint32_t site, uint64_t region, uint32_t team, uint32_t level = 1) {
    return put(Kind::region_begin, site, {region, uint64_t(team) | uint64_t(level) << 32});
  }
  Script& region_end() { return put(Kind::region_end); }
  Script& implicit_begin(uint32_t number, uint64_t region) { return put(Kind::implicit_begin, number, {region}); }
  Script& implicit_end() { return put(Kind::implicit_end); }

  // The task's id.
  uint64_t create(uint32_t site, uint64_t ticks) {
    if (site < 65536 && ticks < 65536) put(Kind::task_create, site | uint32_t(ticks) << 16);
    else put(Kind::task_create_long, site, {ticks});
    return record::make_id(index_, ++serial_);
  }
  Script& range(uint64_t first, uint64_t count) { return at(last_).put(Kind::task_range, 0, {first, count}); }
  // Of what was put last: a creation, the end of an undeferred task, the begin of a wait.
  Script& depend(uint64_t address, uint64_t mode, uint64_t bytes = 0) {
    return at(last_).put(Kind::depend, 1, {address, bytes, mode});
  }
  Script& start(uint64_t task) {
    if (record::id_thread(task) == index_) return put(Kind::task_start, uint32_t(record::id_serial(task)));
    return put(Kind::task_start_other, 0, {task});
  }
  Script& end() { return put(Kind::task_end); }
  // site: of the stretch with which a procedure's instance goes on.
  Script& suspend(uint32_t site = 0) { return put(Kind::task_suspend, site); }
  Script& stretch(uint32_t site) { return put(Kind::stretch, site); }

  // Of a doacross loop: an iteration is done, or was waited for.
  Script& iteration(uint64_t position) { return put(Kind::iteration, 0, {position}); }
  Script& awaited(uint64_t position) { return put(Kind::iteration, 1, {position}); }
  Script& fulfill(uint64_t task) { return put(Kind::fulfill, 0, {task}); }
  // A step of a region's instance is done; it goes on behind that step of others.
  Script& step_done(uint64_t number) { return put(Kind::edge, 0, {number, 0}); }
  Script& behind(uint64_t number, std::vector<uint64_t> members) {
    return put(Kind::edge, uint32_t(members.size()),
               {number, members[0] | (members.size() > 1 ? members[1] << 32 : 0)});
  }

  // A codelet by hand: it has been signalled and waits for `left` more; or its firing was created just before.
  Script& signal(uint64_t codelet, uint64_t left) { return put(Kind::edge, record::kEdgeSignal, {codelet, left}); }
  Script& fired(uint64_t codelet, uint32_t number = 0, uint32_t line = 0) {
    return at(last_).put(Kind::edge, record::kEdgeFired, {codelet, record::fired_as(number, line)});
  }
  // Up to version 9 a file named the task.
  Script& fired_task(uint64_t codelet, uint64_t task) {
    return at(last_).put(Kind::edge, record::kEdgeFiredTask, {codelet, task});
  }

  Script& wait_begin(uint32_t site) { return put(Kind::wait_begin, site); }
  Script& wait_end() { return put(Kind::wait_end); }
  Script& idle_begin() { return put(Kind::idle_begin); }
  Script& idle_end() { return put(Kind::idle_end); }
  // The run's id. It ends with a wait_end().
  uint64_t graph_run(uint32_t site, uint64_t graph) {
    const uint64_t run = record::make_id(index_, ++runs_);
    put(Kind::graph_run, site, {run, graph});
    return run;
  }
  Script& codelet(uint32_t node, uint64_t run) { return put(Kind::codelet_begin, node, {run}); }
  Script& codelet_end() { return put(Kind::codelet_end); }
  Script& group_begin(uint32_t site) { return put(Kind::taskgroup_begin, site); }
  Script& yield(uint32_t site) { return put(Kind::yield, site); }
  Script& yield_end() { return put(Kind::yield_end); }
  Script& taskloop_begin(uint32_t site, uint64_t iterations, uint64_t tasks) {
    return put(Kind::taskloop_begin, site, {iterations, tasks});
  }
  Script& taskloop_end() { return put(Kind::taskloop_end); }

  Script& loop_begin(uint32_t site, uint64_t iterations, uint32_t chunk,
                     record::Schedule schedule = record::Schedule::dynamic) {
    return put(Kind::loop_begin, site, {0, iterations, 1, uint64_t(chunk) | uint64_t(schedule) << 32});
  }
  Script& chunk(uint32_t first) { return put(Kind::chunk_begin, first); }
  Script& chunk(uint64_t first, uint64_t count) { return put(Kind::chunk_begin_long, 0, {first, count}); }
  Script& chunk_end() { return put(Kind::chunk_end); }
  Script& loop_end() { return put(Kind::loop_end); }

  Script& mutex_wait(uint32_t site, uint64_t lock) { return put(Kind::mutex_wait, site, {lock}); }
  Script& mutex_acquired(uint32_t site, uint64_t lock) { return put(Kind::mutex_acquired, site, {lock}); }
  Script& mutex_released(uint64_t lock, uint32_t took = 0) { return put(Kind::mutex_released, took, {lock}); }

  Script& cpu(uint32_t cpu, uint32_t node) { return put(Kind::cpu, cpu | node << 20); }
  Script& cpu_time(uint64_t cpu_ns, uint64_t parked_ns, uint32_t switches = 0) {
    return put(Kind::cpu_time, switches, {cpu_ns, parked_ns});
  }
  Script& recorder(uint32_t ticks) { return put(Kind::recorder, ticks); }
  Script& loss(uint64_t ticks, uint64_t created, uint64_t executed, uint64_t chunks, uint64_t closed) {
    put(Kind::loss, 0, {ticks, created, executed, chunks, closed});
    serial_ += created;
    return *this;
  }
  Script& thread_end() { return put(Kind::thread_end); }

  Script& put(Kind kind, uint32_t payload = 0, std::vector<uint64_t> extra = {}) {
    uint64_t delta = now_ > last_ ? now_ - last_ : 0;
    auto& words = blocks_.back().words;
    if (delta > record::kMaxDelta) {
      words.push_back(record::pack(Kind::time, 0, 0));
      words.push_back(now_);
      delta = 0;
      last_ = now_;
    }
    last_ += delta;
    words.push_back(record::pack(kind, delta, payload));
    words.insert(words.end(), extra.begin(), extra.end());
    return *this;
  }
  Script& word(uint64_t w) {  // whatever it may be
    blocks_.back().words.push_back(w);
    return *this;
  }

  // Ends the block: what follows goes to the next one.
  Script& cut() {
    blocks_.push_back({{}, blocks_.back().sequence + 1, last_, serial_});
    return *this;
  }
  // Leaves out what was put since the last cut: a lost block.
  Script& lose() {
    cut();
    blocks_.erase(blocks_.end() - 2);
    return *this;
  }

 private:
  friend class GrainFile;
  struct EventBlock {
    std::vector<uint64_t> words;
    uint64_t sequence, first_tick, first_serial;
  };
  uint32_t index_;
  bool initial_;
  uint64_t begin_, now_, last_, serial_ = 0, regions_ = 0, runs_ = 0;
  std::vector<EventBlock> blocks_;
};

// Words as the payload of a block of codec 4; what is no record stays as it is.
inline std::string as_halves(const std::vector<uint64_t>& words, record::Started& started) {
  std::string out(reinterpret_cast<const char*>(&started), sizeof started);
  for (size_t i = 0; i < words.size();) {
    const uint64_t w = words[i];
    const uint32_t payload = record::payload_of(w);
    int extra = record::extra_words(record::kind_of(w), payload);
    if (extra < 0 || i + size_t(extra) >= words.size()) extra = int(words.size() - i - 1);
    bool fits = false;
    for (int h = record::kFirstHalf; h < 64 && !fits; ++h) {
      const record::HalfForm& form = record::form_of(record::Half(h));
      if (form.kind != record::kind_of(w)) continue;
      uint64_t short_payload = payload;
      if (form.payload == record::HalfPayload::own_task)
        short_payload = payload - uint32_t(started.own) + record::kDistanceBias;
      if (form.payload == record::HalfPayload::other_task) {
        if (extra != 1 || payload) break;
        short_payload = words[i + 1] - started.other + record::kDistanceBias;
      }
      fits = record::fits_half(record::Half(h), record::delta_of(w), short_payload);
      const record::Unit u = record::half(record::Half(h), record::delta_of(w), uint32_t(short_payload));
      if (fits) out.append(reinterpret_cast<const char*>(&u), sizeof u);
    }
    if (!fits) out.append(reinterpret_cast<const char*>(&words[i]), (1 + size_t(extra)) * sizeof w);
    started.note(record::kind_of(w), payload, extra ? words[i + 1] : 0);
    i += 1 + size_t(extra);
  }
  return out;
}

// A stretch of an `accesses` block: docs/grain-file.md, section 5.
class Stretch {
 public:
  // Time: difference to the stretch before in the block.
  Stretch(uint64_t ticks, uint64_t loads, uint64_t stores, uint64_t stack_loads = 0, uint64_t stack_stores = 0) {
    for (uint64_t v : {ticks, loads, stores, stack_loads, stack_stores, 8 * loads, 8 * stores}) number(v);
  }
  // Lines: first and count of each run, ascending.
  Stretch& runs(std::initializer_list<std::pair<uint64_t, uint64_t>> all) {
    number(2 * all.size());
    uint64_t end = 0;
    for (auto [first, count] : all) {
      number(first - end);
      number(count);
      end = first + count;
    }
    return *this;
  }
  Stretch& sketch(uint64_t first, uint64_t count) {
    std::string registers(record::kLineRegisters, '\0');
    for (uint64_t line = first; line < first + count; ++line) {
      const record::LineRank r = record::rank_of_line(line);
      registers[r.index] = std::max(registers[r.index], char(r.rank));
    }
    number(1);
    bytes_ += registers;
    return *this;
  }
  // In order: address difference, kind, count, bytes, stride, strides, fetched, walked, left, used.
  Stretch& instructions(std::initializer_list<std::array<int64_t, 10>> all) {
    number(all.size());
    for (const auto& i : all)
      for (size_t k = 0; k < i.size(); ++k)
        number(k == 0 || k == 4 ? uint64_t(i[k]) << 1 ^ uint64_t(i[k] >> 63) : uint64_t(i[k]));
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void number(uint64_t v) {
    for (; v >= 0x80; v >>= 7) bytes_ += char(v | 0x80);
    bytes_ += char(v);
  }
  std::string bytes_;
};

class GrainFile {
 public:
  bool complete = true;  // with an end block
  bool compress = false;
  int level = 1;        // of zstd: the recorder's
  bool halves = false;  // events in halves, where they fit: as the recorder writes them
  uint32_t version = record::kVersion;
  uint64_t ticks_per_second = 1000000000;
  uint64_t end_tick = 0;  // of the end anchor; 0: none
  std::string meta = R"({"program":"golden","argv":["golden"],"runtime":"script","cpus":2})";
  std::string totals = "{}";
  std::vector<record::Anchor> anchors;                     // further ones, before the events
  std::vector<std::pair<uint32_t, std::string>> accesses;  // payloads, with their threads
  std::string source_lines, source_text;                   // payloads; empty: no such block

  uint32_t site(Construct construct, uint64_t function = 0, uint64_t return_address = 0, uint16_t flags = 0,
                const std::string& text = "") {
    const auto bytes = uint32_t(text.size());
    const record::SiteRecord r{++sites_, uint16_t(construct), flags, function, return_address, bytes, 0};
    site_bytes_.append(reinterpret_cast<const char*>(&r), sizeof r);
    site_bytes_ += text;
    return sites_;
  }
  // Keeps the line of a site. frames: each ended by a zero.
  void keep_line(uint32_t site, const std::string& name, uint32_t line, const std::string& function,
                 const std::string& frames = "") {
    const record::SourceLineRecord r{
        site, line, 0, 0x1234, uint32_t(name.size()), uint32_t(function.size()), 0, uint32_t(frames.size())};
    source_lines.append(reinterpret_cast<const char*>(&r), sizeof r).append(name).append(function).append(frames);
  }
  void keep_text(const std::string& name, uint32_t first, uint32_t lines, const std::string& text) {
    const record::SourceTextRecord r{first, lines, uint32_t(name.size()), uint32_t(text.size())};
    source_text.append(reinterpret_cast<const char*>(&r), sizeof r).append(name).append(text);
  }
  // Classes by their sites and first nodes; arcs from node to node. Its number.
  uint32_t graph(const std::string& name, uint32_t nodes, std::vector<record::GraphClass> classes,
                 const std::vector<std::pair<uint32_t, uint32_t>>& arcs) {
    std::vector<uint32_t> numbers;
    for (uint32_t n = 0; n < nodes; ++n) {
      numbers.push_back(uint32_t(std::count_if(arcs.begin(), arcs.end(), [n](auto& a) { return a.first < n; })));
    }
    numbers.push_back(uint32_t(arcs.size()));
    for (uint32_t n = 0; n < nodes; ++n)
      for (auto [from, to] : arcs)
        if (from == n) numbers.push_back(to);
    const record::GraphPiece piece{
        uint32_t(graphs_.size() + 1), nodes, 0, nodes, uint32_t(arcs.size()), uint32_t(classes.size()),
        uint32_t(name.size()),        0};
    std::string& out = graphs_.emplace_back(reinterpret_cast<const char*>(&piece), sizeof piece);
    out.append(reinterpret_cast<const char*>(classes.data()), classes.size() * sizeof classes[0]);
    out += name + std::string((4 - name.size() % 4) % 4, '\0');
    out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof numbers[0]);
    return piece.id;
  }
  // A large one, in parts: each node leads to the next. Not whole: the last part leads back to the first node.
  uint32_t graph_in_rows(const std::string& name, uint32_t nodes, uint32_t site, bool whole) {
    constexpr uint32_t kPart = 1 << 18;
    const auto id = uint32_t(graphs_.size() + 1);
    for (uint32_t first = 0; first < nodes; first += kPart) {
      const uint32_t count = std::min(kPart, nodes - first);
      const bool last = first + count == nodes;
      const uint32_t arcs = count - (last && whole ? 1 : 0), named = first == 0 ? uint32_t(name.size()) : 0;
      const uint32_t head[] = {id, nodes, first, count, arcs, 1, named, 0, site, 0};
      std::string& out = graphs_.emplace_back(reinterpret_cast<const char*>(head), sizeof head);
      if (named) out += name + std::string((4 - named % 4) % 4, '\0');
      auto put = [&out](uint32_t n) { out.append(reinterpret_cast<const char*>(&n), sizeof n); };
      for (uint32_t n = 0; n <= count; ++n) put(std::min(n, arcs));
      for (uint32_t n = 0; n < arcs; ++n) put(first + n + 1 < nodes ? first + n + 1 : 0);
    }
    return id;
  }
  Script& thread(bool initial, uint64_t begin = 0) {
    return threads_.emplace_back(uint32_t(threads_.size()), initial, begin);
  }

  std::string bytes() const {
    std::string out;
    record::FileHeader header{};
    memcpy(header.magic, record::kFileMagic, sizeof header.magic);
    header.version = version;
    header.header_bytes = sizeof header;
    header.ticks_per_second = ticks_per_second;
    out.append(reinterpret_cast<const char*>(&header), sizeof header);
    block(out, record::BlockType::meta, meta.data(), meta.size());
    anchor(out, 0);
    if (!anchors.empty())
      block(out, record::BlockType::anchor, anchors.data(), anchors.size() * sizeof(record::Anchor));
    block(out, record::BlockType::sites, site_bytes_.data(), site_bytes_.size());
    for (const std::string& g : graphs_) block(out, record::BlockType::codelet_graphs, g.data(), g.size());
    for (const Script& t : threads_) {
      record::ThreadRecord r{t.index_, 1000 + t.index_, t.initial_, 0, t.begin_};
      block(out, record::BlockType::thread, &r, sizeof r, t.index_);
    }
    // Threads take turns, as their buffers do in a recording.
    std::vector<record::Started> started(threads_.size());
    for (size_t i = 0, left = 1; left; ++i) {
      left = 0;
      for (const Script& t : threads_) {
        if (i >= t.blocks_.size()) continue;
        ++left;
        const auto& b = t.blocks_[i];
        if (halves) {
          const std::string units = as_halves(b.words, started[t.index_]);
          block(out, record::BlockType::events, units.data(), units.size(), t.index_, b.sequence, b.first_tick,
                b.first_serial);
        } else {
          block(out, record::BlockType::events, b.words.data(), b.words.size() * 8, t.index_, b.sequence, b.first_tick,
                b.first_serial);
        }
      }
    }
    for (const auto& [thread, payload] : accesses)
      block(out, record::BlockType::accesses, payload.data(), payload.size(), thread);
    if (end_tick) anchor(out, end_tick);
    if (!source_lines.empty()) block(out, record::BlockType::source_lines, source_lines.data(), source_lines.size());
    if (!source_text.empty()) block(out, record::BlockType::source_text, source_text.data(), source_text.size());
    if (complete) block(out, record::BlockType::end, totals.data(), totals.size());
    return out;
  }
  void save(const std::string& path) const {
    std::string all = bytes();
    std::ofstream(path, std::ios::binary).write(all.data(), std::streamsize(all.size()));
  }

  // One block, for files that are put together by hand.
  void block(std::string& out, record::BlockType type, const void* data, size_t bytes, uint32_t thread = 0,
             uint64_t sequence = 0, uint64_t first_tick = 0, uint64_t first_serial = 0) const {
    record::BlockHeader h{};
    h.magic = record::kBlockMagic;
    h.type = type;
    h.raw_bytes = uint32_t(bytes);
    h.thread = thread;
    h.sequence = sequence;
    h.first_tick = first_tick;
    h.first_serial = first_serial;
    const bool of_halves = halves && type == record::BlockType::events;
    if (of_halves) h.codec = record::Codec::halves;
    std::string stored(static_cast<const char*>(data), bytes);
    if (compress && !of_halves) {
      std::string smaller(ZSTD_compressBound(bytes), '\0');
      smaller.resize(ZSTD_compress(smaller.data(), smaller.size(), data, bytes, level));
      if (smaller.size() < bytes) {  // as the recorder does
        stored.swap(smaller);
        h.codec = record::Codec::zstd;
      }
    }
    h.stored_bytes = uint32_t(stored.size());
    h.checksum = record::crc32c(record::crc32c(0, &h, sizeof h), stored.data(), stored.size());
    out.append(reinterpret_cast<const char*>(&h), sizeof h);
    out += stored;
    out.append((8 - stored.size() % 8) % 8, '\0');
  }

 private:
  void anchor(std::string& out, uint64_t tick) const {
    record::Anchor a{tick, 1000000 + uint64_t(double(tick) * 1e9 / double(ticks_per_second)), 0, 50};
    block(out, record::BlockType::anchor, &a, sizeof a);
  }
  uint32_t sites_ = 0;
  std::string site_bytes_;
  std::vector<std::string> graphs_;  // payloads
  std::deque<Script> threads_;
};

}  // namespace einkorn::test
