#include "simulate/recording.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "profile/symbols.h"
#include "record/block.h"
#include "record/format.h"

namespace einkorn::simulate {

namespace {

using record::Construct;
using record::Kind;

// The file: docs/grain-file.md.
class File {
 public:
  explicit File(const Sink& sink) : write(sink) {
    record::FileHeader header{};
    memcpy(header.magic, record::kFileMagic, sizeof header.magic);
    header.version = record::kVersion;
    header.header_bytes = sizeof header;
    header.ticks_per_second = 1'000'000'000;
    write(&header, sizeof header);
  }
  void block(record::BlockType type, const void* data, size_t bytes, uint32_t thread = 0, uint64_t sequence = 0,
             uint64_t first_tick = 0, uint64_t first_serial = 0) {
    record::BlockHeader h{};
    h.type = type;
    h.thread = thread;
    h.sequence = sequence;
    h.first_tick = first_tick;
    h.first_serial = first_serial;
    made_.resize(record::block_bound(bytes));
    write(made_.data(), record::make_block(h, data, bytes, record::Codec::zstd, nullptr, made_.data()));
  }
  void anchor(uint64_t tick) {
    const record::Anchor a{tick, tick, tick, 0};
    block(record::BlockType::anchor, &a, sizeof a);
  }

 private:
  const Sink& write;
  std::vector<char> made_;
};

// The places in the program, by (source, what happens there).
class Sites {
 public:
  explicit Sites(const profile::Profile& p) : p_(p) {}
  uint32_t of(uint32_t source, Construct construct, uint16_t flags) {
    auto [it, fresh] = known_.try_emplace({source, construct, flags}, uint32_t(known_.size() + 1));
    if (!fresh) return it->second;
    std::string text;
    if (source < p_.sources.size() && p_.sources[source].line) {
      const profile::Source& s = p_.sources[source];
      // As clang describes places; a reader takes file, function and line from it.
      text = fmt::format(";{};{};{};0;;", s.file, s.function.empty() ? "unknown" : s.function, s.line);
    }
    record::SiteRecord r{};
    r.id = it->second;
    r.construct = uint16_t(construct);
    r.flags = flags;
    r.text_bytes = uint32_t(text.size());
    bytes_.append(reinterpret_cast<const char*>(&r), sizeof r).append(text);
    return it->second;
  }
  // Of a source, by the name of its construct.
  uint32_t of(uint32_t source, Construct otherwise) {
    Construct c = otherwise;
    if (source < p_.sources.size())
      for (int i = 1; i < 24; ++i)
        if (p_.sources[source].construct == profile::construct_name(Construct(i)) &&
            Construct(i) != Construct::barrier_parallel)
          c = Construct(i);
    return of(source, c, 0);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  const profile::Profile& p_;
  std::map<std::tuple<uint32_t, Construct, uint16_t>, uint32_t> known_;
  std::string bytes_;
};

// One worker's records, in blocks.
class Stream {
 public:
  void put(double when, Kind kind, uint32_t payload = 0, std::initializer_list<uint64_t> extra = {}) {
    const auto now = std::max(last_, uint64_t(std::llround(std::max(0.0, when))));
    if (blocks_.empty() || blocks_.back().words.size() > kWords) blocks_.push_back({{}, last_, serial_});
    auto& words = blocks_.back().words;
    uint64_t delta = now - last_;
    if (delta > record::kMaxDelta) {
      words.push_back(record::pack(Kind::time, 0, 0));
      words.push_back(now);
      delta = 0;
    }
    last_ = now;
    words.push_back(record::pack(kind, delta, payload));
    words.insert(words.end(), extra.begin(), extra.end());
  }
  uint64_t next_serial() { return ++serial_; }
  uint64_t last() const { return last_; }
  void write(File& file, uint32_t thread) const {
    uint64_t sequence = 0;
    for (const auto& b : blocks_)
      file.block(record::BlockType::events, b.words.data(), b.words.size() * 8, thread, sequence++, b.first_tick,
                 b.first_serial);
  }

 private:
  static constexpr size_t kWords = 16'000;
  struct Block {
    std::vector<uint64_t> words;
    uint64_t first_tick, first_serial;
  };
  std::vector<Block> blocks_;
  uint64_t last_ = 0, serial_ = 0;
};

class Writing {
 public:
  Writing(const profile::Profile& p, const Program& program, const Setup& setup, const Outcome& outcome)
      : p_(p),
        program_(program),
        setup_(setup),
        outcome_(outcome),
        sites_(p),
        ids_(program.tasks.size(), 0),
        region_of_(program.tasks.size(), kNone) {
    for (uint32_t r = 0; r < program.regions.size(); ++r)
      for (uint32_t m = 0; m < program.regions[r].members; ++m) region_of_[program.regions[r].first_member + m] = r;
    for (uint32_t t = 0; t < program.tasks.size(); ++t)
      for (uint32_t i = 0; i < program.tasks[t].successors; ++i)
        before_.emplace_back(program.successors[program.tasks[t].first_successor + i], t);
    std::sort(before_.begin(), before_.end());
  }

  void run(const Sink& sink, const std::string& what) {
    name_tasks();
    number_signals();
    number_releases();
    const size_t workers = outcome_.trace.size();
    streams_.resize(workers);
    for (uint32_t w = 0; w < workers; ++w) {
      for (const Happening& h : outcome_.trace[w]) put(w, h);
      streams_[w].put(outcome_.makespan, Kind::thread_end);
    }
    File file(sink);
    nlohmann::json meta = {{"program", p_.program},
                           {"argv", p_.argv},
                           {"runtime", p_.runtime},
                           {"predicted", what},
                           {"cpus", setup_.pus.size()}};
    const std::string head = meta.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    file.block(record::BlockType::meta, head.data(), head.size());
    file.anchor(0);
    file.block(record::BlockType::sites, sites_.bytes().data(), sites_.bytes().size());
    for (uint32_t w = 0; w < workers; ++w) {
      const record::ThreadRecord r{w, w + 1, w == 0, 0, 0};
      file.block(record::BlockType::thread, &r, sizeof r, w);
    }
    for (uint32_t w = 0; w < workers; ++w) streams_[w].write(file, w);
    file.anchor(uint64_t(std::llround(outcome_.makespan)));
    const std::string totals = "{}";
    file.block(record::BlockType::end, totals.data(), totals.size());
  }

 private:
  // A thread numbers the tasks that it creates; who starts one names it so.
  void name_tasks() {
    for (uint32_t w = 0; w < outcome_.trace.size(); ++w) {
      uint64_t serial = 0;
      for (const Happening& h : outcome_.trace[w])
        if (h.mark == Mark::create) ids_[h.ref] = record::make_id(w, ++serial);
    }
  }

  const profile::Grain* grain_of(uint32_t task) const {
    const uint32_t g = program_.tasks[task].grain;
    return g < p_.grains.size() ? &p_.grains[g] : nullptr;
  }
  uint32_t source_of(uint32_t task) const { return grain_of(task) ? grain_of(task)->source : kNone; }
  uint32_t region_source(uint32_t r) const {
    const profile::Grain* g = grain_of(program_.regions[r].first_member);
    return g && g->region < p_.regions.size() ? p_.regions[g->region].source : kNone;
  }
  uint64_t region_id(uint32_t r) const { return record::make_id(0, r + 1); }

  // Of what is a task's own.
  static uint64_t address(uint32_t task) { return uint64_t(task) * 16 + 16; }

  // A codelet by hand keeps the name that it has in the recording, also where only one signals it, whose creation says
  // so.
  void name_by_hand(Stream& s, const Happening& h) const {
    const uint32_t grain = program_.tasks[h.ref].grain;
    const auto at = std::lower_bound(p_.hand_firings.begin(), p_.hand_firings.end(), grain,
                                     [](const profile::HandFiring& f, uint32_t g) { return f.grain < g; });
    if (at != p_.hand_firings.end() && at->grain == grain)
      s.put(h.at, Kind::edge, at->nth == kNone ? record::kEdgeUnnamed : record::kEdgeNamed + at->nth,
            {ids_[h.ref], at->as});
  }

  void create(Stream& s, const Happening& h) {
    const profile::Grain* g = grain_of(h.ref);
    const auto [first, last] = std::equal_range(before_.begin(), before_.end(), std::pair{h.ref, 0u},
                                                [](auto& a, auto& b) { return a.first < b.first; });
    const bool depends = first != last || program_.tasks[h.ref].successors > 0;
    uint16_t flags = g ? uint16_t(g->flags & 63) : 0;
    flags = uint16_t((flags & ~(record::kSiteUndeferred | record::kSiteInlined)) |
                     (program_.tasks[h.ref].undeferred ? record::kSiteUndeferred : 0) |
                     (depends ? record::kSiteHasDepend : 0));
    s.put(h.at, Kind::task_create_long,
          sites_.of(source_of(h.ref), program_.tasks[h.ref].codelet ? Construct::codelet : Construct::task, flags),
          {uint64_t(std::llround(h.cost))});
    s.next_serial();
    name_by_hand(s, h);
    // Edges are what dependences on one address a task make of it: it writes its own and reads its predecessors'.
    if (program_.tasks[h.ref].successors > 0) s.put(h.at, Kind::depend, 1, {address(h.ref), 0, record::kDependOut});
    for (auto it = first; it != last; ++it) s.put(h.at, Kind::depend, 1, {address(it->second), 0, record::kDependIn});
  }

  void put(uint32_t w, const Happening& h) {
    Stream& s = streams_[w];
    switch (h.mark) {
      case Mark::region_begin:
        s.put(h.at, Kind::region_begin,
              program_.regions[h.ref].named
                  ? sites_.of(region_source(h.ref), Construct::parallel, record::kSiteTeamAsked)
                  : sites_.of(region_source(h.ref), Construct::parallel),
              {region_id(h.ref), uint64_t(program_.regions[h.ref].members) | uint64_t(1) << 32});
        break;
      case Mark::region_end: s.put(h.at, Kind::region_end); break;
      case Mark::implicit_begin: {
        const uint32_t r = region_of_[h.ref];
        region_ = r;
        s.put(h.at, Kind::implicit_begin, h.ref - program_.regions[r].first_member, {region_id(r)});
        const int pu = setup_.pus[w];
        s.put(h.at, Kind::place, uint32_t(setup_.machine->pus[size_t(pu)].node) | uint32_t(pu) << 16);
        break;
      }
      case Mark::implicit_end: {
        const auto plain = program_.regions[region_of_[h.ref]].plain;
        const bool number = plain == Region::Plain::repeated, threads = plain != Region::Plain::divided;
        s.put(h.at, Kind::implicit_end, (number ? record::kAskedNumber : 0) | (threads ? record::kAskedThreads : 0));
        break;
      }
      case Mark::group_begin: s.put(h.at, Kind::taskgroup_begin, sites_.of(kNone, Construct::taskgroup)); break;
      case Mark::create: create(s, h); break;
      case Mark::start:
        if (record::id_thread(ids_[h.ref]) == w)
          s.put(h.at, Kind::task_start, uint32_t(record::id_serial(ids_[h.ref])));
        else s.put(h.at, Kind::task_start_other, 0, {ids_[h.ref]});
        break;
      case Mark::end: s.put(h.at, Kind::task_end); break;
      case Mark::wait_begin: s.put(h.at, Kind::wait_begin, wait_site(h.ref)); break;
      case Mark::wait_end: s.put(h.at, Kind::wait_end); break;
      case Mark::idle_begin: s.put(h.at, Kind::idle_begin); break;
      case Mark::idle_end: s.put(h.at, Kind::idle_end); break;
      case Mark::loop_begin: {
        const bool known = h.ref < p_.loops.size();
        const Loop& l = program_.loops[h.ref];
        const auto kind =
            l.schedule == LoopSchedule::fixed ? record::Schedule::static_chunked : record::Schedule::dynamic;
        // In its own chunks, whatever they were of the program's iterations.
        s.put(h.at, Kind::loop_begin, sites_.of(known ? p_.loops[h.ref].source : kNone, Construct::loop),
              {0, l.chunks, 1, uint64_t(1) | uint64_t(kind) << 32});
        chunk_base_ = l.first_chunk;
        break;
      }
      case Mark::chunk_begin: s.put(h.at, Kind::chunk_begin_long, 0, {h.ref - chunk_base_, 1}); break;
      case Mark::chunk_end: s.put(h.at, Kind::chunk_end); break;
      case Mark::loop_end: s.put(h.at, Kind::loop_end); break;
      case Mark::lock_wait: s.put(h.at, Kind::mutex_wait, lock_site(h.ref), {lock_address(h.ref)}); break;
      case Mark::lock_taken: s.put(h.at, Kind::mutex_acquired, lock_site(h.ref), {lock_address(h.ref)}); break;
      case Mark::lock_released: s.put(h.at, Kind::mutex_released, 0, {lock_address(h.ref)}); break;
      case Mark::turn_wait: s.put(h.at, Kind::mutex_wait, turn_site(h.ref), {h.ref + 1}); break;
      case Mark::turn_begin: s.put(h.at, Kind::mutex_acquired, turn_site(h.ref), {h.ref + 1}); break;
      case Mark::turn_end: s.put(h.at, Kind::mutex_released, 0, {h.ref + 1}); break;
      case Mark::post: s.put(h.at, Kind::edge, 0, {signals_[program_.steps[h.ref].ref].number, 0}); break;
      case Mark::await_begin: s.put(h.at, Kind::wait_begin, sites_.of(kNone, Construct::ordered, 0)); break;
      case Mark::await_end: {
        const Signal& signal = signals_[program_.steps[h.ref].ref];
        s.put(h.at, Kind::wait_end);
        s.put(h.at, Kind::edge, 1, {signal.number, signal.member});
        break;
      }
      case Mark::chunk_post: s.put(h.at, Kind::iteration, 0, {h.ref}); break;
      case Mark::chunk_await: s.put(h.at, Kind::iteration, 1, {h.ref}); break;
      case Mark::release:
        s.put(h.at, Kind::edge, record::kEdgeSignal, {address(program_.steps[h.ref].ref), left_[h.ref]});
        break;
      case Mark::fired: s.put(h.at, Kind::edge, record::kEdgeFiredTask, {address(h.ref), ids_[h.ref]}); break;
    }
  }

  // Who posts each signal: which step of its own that is.
  void number_signals() {
    signals_.resize(program_.signals);
    for (const Region& r : program_.regions)
      for (uint32_t m = 0; m < r.members; ++m) {
        const Task& t = program_.tasks[r.first_member + m];
        uint32_t number = 0;
        for (uint32_t i = t.first_step; i < t.first_step + t.steps; ++i)
          if (program_.steps[i].kind == StepKind::post) signals_[program_.steps[i].ref] = {m, ++number};
      }
  }

  // Of those of one firing any two leave another number to come: all that a reader needs.
  void number_releases() {
    std::map<uint32_t, uint32_t> before;
    for (uint32_t i = 0; i < program_.steps.size(); ++i)
      if (program_.steps[i].kind == StepKind::release) left_[i] = ++before[program_.steps[i].ref];
  }

  uint32_t lock_site(uint32_t lock) {
    return sites_.of(lock < p_.locks.size() ? p_.locks[lock].source : kNone, Construct::critical);
  }
  uint64_t lock_address(uint32_t lock) const { return lock < p_.locks.size() ? p_.locks[lock].address : 0; }
  uint32_t turn_site(uint32_t loop) {
    return sites_.of(loop < p_.loops.size() ? p_.loops[loop].source : kNone, Construct::ordered, 0);
  }
  uint32_t wait_site(uint32_t step) {
    const Step& s = program_.steps[step];
    if (s.kind == StepKind::barrier)
      return s.source == kNone ? sites_.of(region_source(region_), Construct::barrier_parallel, 0)
                               : sites_.of(s.source, Construct::barrier);
    return sites_.of(s.source, Construct::taskwait);
  }

  const profile::Profile& p_;
  const Program& program_;
  const Setup& setup_;
  const Outcome& outcome_;
  Sites sites_;
  std::vector<uint64_t> ids_;                          // by task
  std::vector<uint32_t> region_of_;                    // by member
  std::vector<std::pair<uint32_t, uint32_t>> before_;  // task, predecessor
  struct Signal {
    uint32_t member = 0, number = 0;
  };
  std::vector<Signal> signals_;
  std::map<uint32_t, uint32_t> left_;  // by step that releases: signals that are still to come
  std::vector<Stream> streams_;
  uint32_t region_ = 0, chunk_base_ = 0;  // of the worker whose records are being put: where it is
};

}  // namespace

void write_recording(const profile::Profile& profile, const Program& program, const Setup& setup,
                     const Outcome& outcome, const std::string& what, const Sink& sink) {
  Writing(profile, program, setup, outcome).run(sink, what);
}

}  // namespace einkorn::simulate
