// What is written into the grain file, in which order: first its head; at each look, what threads have recorded since
// the previous one; at last the end. writer.h: who looks, one thread at a time; grain_file.h: how blocks get into the
// file.
#pragma once
#include <cstdint>
#include "record/code_names.h"
#include "record/modules.h"
#include "record/recorder.h"
#include "record/ring.h"

namespace einkorn::record {

struct Totals {
  uint64_t tasks = 0, chunks = 0, regions = 0, aggregated_tasks = 0, aggregated_chunks = 0;
  uint64_t codelets = 0;
  uint64_t lost_tasks[kLossReasons] = {}, lost_chunks[kLossReasons] = {};

  void add(const Lane& l) {
    auto relaxed = std::memory_order_relaxed;
    const uint64_t brief = l.brief_codelets.load(relaxed), others = l.codelets.load(relaxed);
    uint64_t aggregated = l.aggregated_created.load(relaxed) + brief;
    uint64_t chunks_in_one = l.aggregated_chunks.load(relaxed);
    codelets += brief + others + l.codelets_below.load(relaxed);
    tasks += l.counts.serial + aggregated + others;
    chunks += l.counts.chunks + chunks_in_one;
    regions += l.counts.regions + l.lost_regions.load(relaxed);
    aggregated_tasks += aggregated;
    aggregated_chunks += chunks_in_one;
    for (int i = 0; i < kLossReasons; ++i) {
      lost_tasks[i] += l.lost_tasks[i].load(relaxed);
      lost_chunks[i] += l.lost_chunks[i].load(relaxed);
    }
  }
};

class Writer {
 public:
  Writer(Process& g, Output& out) : g_(g), out_(out) {}
  void begin();
  // flush: writes the contents of current buffers, too; due every kFlushNs. keep: also writes everything kept of a
  // recording of the latest seconds. False: nothing is left to do.
  enum class Look { brief, flush, keep, last };
  bool look(Look);
  // By a thread of the program, before it asks for the last look: reads what the companion may not open.
  void before_end();
  bool flush_is_due(uint64_t now_ns) const { return now_ns >= next_flush_; }
  uint64_t next_flush() const { return next_flush_; }
  bool failed() const { return out_.failed(); }

 private:
  static constexpr uint64_t kFlushNs = 200'000'000;
  static constexpr uint64_t kAnchorNs = 1'000'000'000;

  void pass(bool flush, bool last);
  void write_modules();
  void write_places();
  void write_code_names();
  void write_samples();
  void write_piece(Lane&, const Unit* begin, const Unit* end, const Started& before, const Counts& after);
  static Started started_at(Buffer&);
  void choose_codec(uint64_t now_ns);
  void obey_limits(uint64_t unwritten);
  void write_current(Lane&);
  void write_final_loss(Lane&);
  void write_anchor(const Anchor& a) { out_.block(BlockType::anchor, &a, sizeof a, Codec::raw); }
  void write_end();
  void retire(Lane&);
  void drop_everything();

  Process& g_;
  Output& out_;
  ModuleMap modules_;
  CodeNames code_names_;
  Ring ring_;
  uint32_t sites_written_ = 0;
  Lane* lanes_ = nullptr;
  Totals retired_;
  Codec codec_ = Codec::halves;
  uint64_t bytes_ = 0;           // of events, since
  uint64_t bytes_since_ns_ = 0;  // this time
  uint64_t next_flush_ = 0, next_anchor_ = 0;
};

}  // namespace einkorn::record
