#include "record/allocations.h"
#include "record/variables.h"
#include "record/contents.h"
#include <cstdio>
#include <cstring>
#include "record/companion.h"
#include "record/system.h"
#include "record/writer.h"

namespace einkorn::record {

namespace {

// The file in which a compiler in the process names its code, as perf reads it. On the stack: a companion has no heap.
struct MapName {
  explicit MapName(uint64_t process) { snprintf(text, sizeof text, "/tmp/perf-%d.map", int(process)); }
  char text[64];
};

// Moves `c` and `started` from the begin of [p, end) to its end.
void scan(const Unit* p, const Unit* end, Counts& c, Started& started) {
  walk_halves(reinterpret_cast<const unsigned char*>(p), size_t(end - p) * sizeof *p, started,
              [&](uint64_t w, const unsigned char* further, int count) {
                auto word = [further, count](int i) {
                  uint64_t v = 0;
                  if (i <= count) memcpy(&v, further + (i - 1) * int(sizeof v), sizeof v);
                  return v;
                };
                c.tick += delta_of(w);
                switch (kind_of(w)) {
                  case Kind::time: c.tick = word(1); break;
                  case Kind::task_create:
                  case Kind::task_create_long:
                  case Kind::task_create_brief: ++c.serial; break;
                  case Kind::chunk_begin:
                  case Kind::chunk_begin_long:
                  case Kind::chunk_next: ++c.chunks; break;
                  case Kind::region_begin: ++c.regions; break;
                  case Kind::loss:
                    c.serial += word(2);
                    c.chunks += word(4);
                    break;
                  default: break;
                }
              });
}

}  // namespace

void Writer::begin() {
  if (out_.begin()) {
    out_.block(BlockType::meta, g_.meta, g_.meta_bytes, Codec::zstd);
    write_anchor(g_.start_anchor);
    // At once: a writer left alone after the program's end may not get the dynamic linker's lock.
    write_modules();
    out_.flush();
    if (g_.last_ns && !ring_.create(out_, g_.last_ns, g_.ring_bytes))
      warn_once("no memory to keep the latest seconds: all are recorded");
  }
  next_anchor_ = monotonic_ns() + kAnchorNs;
}

bool Writer::look(Look what) {
  const bool last = what == Look::last, flush = what != Look::brief;
  const uint64_t now_ns = monotonic_ns();
  pass(flush, last);
  if (ring_.on()) {
    ring_.drop_old(now_ns);
    // Not at every look: only when the program, or its end, asks for everything.
    if (last || what == Look::keep) ring_.write();
  }
  if (flush && now_ns >= next_anchor_ && !last) {
    write_anchor(take_anchor());
    next_anchor_ = now_ns + kAnchorNs;
  }
  if (last) {
    const MapName map(g_.process);
    const uint64_t until = monotonic_ns() + CodeNames::kMostMapNs;
    do {
      if (code_names_.look_in_map(map.text, process_began_ns(), Companion::user_of_program())) write_code_names();
    } while (code_names_.is_full() && monotonic_ns() < until);
    write_places();
    write_allocations(out_);
    write_variables(out_);
    write_anchor(take_anchor());
    write_end();
  }
  if (flush) {
    choose_codec(now_ns);
    out_.flush();
    next_flush_ = monotonic_ns() + kFlushNs;
  }
  if (out_.failed()) drop_everything();
  if (!last && !out_.failed()) return true;
  out_.close();
  return false;
}

void Writer::before_end() {
  if (Companion::is_another_user()) code_names_.keep_map(MapName(g_.process).text, process_began_ns());
}

// Takes what there is under the lock, and writes it without the lock. The part taken of a thread's current buffer
// follows all its full buffers, because both are read under the same lock.
void Writer::pass(bool flush, bool last) {
  Buffer* full;
  Lane* fresh;
  QueuedBlock* queued;
  uint64_t unwritten = 0;
  {
    GuardOrAlone guard(g_.pool.lock());
    if (last) g_.phase.store(Phase::over, std::memory_order_release);
    full = g_.pool.take_all_full();
    if (g_.max_bytes) {
      for (const Buffer* b = full; b; b = b->next) unwritten += uint64_t(b->end - b->taken) * sizeof(Unit);
      for (const Lane* l = g_.open_lanes; l; l = l->next_open) unwritten += Recorder::unwritten(*l);
    }
    fresh = g_.new_lanes;
    g_.new_lanes = nullptr;
    queued = g_.queued_blocks;
    g_.queued_blocks = g_.last_queued_block = nullptr;
    if (flush) {
      for (Lane* l = lanes_; l; l = l->next) Recorder::snapshot(*l);
      for (Lane* l = fresh; l; l = l->next_new) Recorder::snapshot(*l);
    }
  }
  obey_limits(unwritten);
  write_places();
  while (fresh) {
    Lane* l = fresh;
    fresh = l->next_new;
    l->next = lanes_;
    lanes_ = l;
    if (l->counted_only) continue;
    out_.block(BlockType::thread, &l->record, sizeof l->record, Codec::raw, l->record.index);
  }
  if (queued) {
    // The instructions that accesses name may be in code that was loaded since.
    write_modules();
    write_queued_blocks(queued, out_);
  }
  while (full) {
    Buffer* b = full;
    full = b->next;
    write_piece(*b->lane, b->taken, b->end, started_at(*b), b->after);
    b->taken = b->end;  // if a thread died while it handed the buffer over, it is still that thread's current one, too
    writer_progressed();
    GuardOrAlone guard(g_.pool.lock());
    g_.file_bytes.store(out_.bytes(), std::memory_order_relaxed);
    g_.pool.put(b);
    g_.pool.written_one();
  }
  if (!flush) return;
  write_samples();
  for (Lane** at = &lanes_; *at;) {
    Lane& l = **at;
    if (l.snapshot_buffer) write_current(l);
    if (l.snapshot_closed || last) write_final_loss(l);
    if (l.snapshot_closed) {
      *at = l.next;
      retire(l);
    } else {
      at = &l.next;
    }
  }
}

// For the part of the buffer that is not in the file yet.
Started Writer::started_at(Buffer& b) { return b.taken == b.begin() ? Started{} : b.lane->started; }

void Writer::write_piece(Lane& l, const Unit* begin, const Unit* end, const Started& before, const Counts& after) {
  if (begin == end) return;
  const size_t bytes = size_t(end - begin) * sizeof *begin;
  if (l.counted_only) {
    // It has no block: its losses are in the totals.
  } else if (ring_.on()) {
    ring_.add(l.record.index, l.record.begin_tick, before, begin, bytes, l.counts.tick, l.counts.serial,
              monotonic_ns());
  } else {
    bytes_ += bytes;
    out_.events(before, begin, bytes, g_.pool.crowded() ? Codec::halves : codec_, l.record.index, l.sequence++,
                l.counts.tick, l.counts.serial);
  }
  l.counts = after;
}

// Packing and zstd shrink the file to a third, at about 3 ns per byte. That is worth it if it takes under 0.25 % of the
// threads' time, that is, while each makes less than a word every 9.6 us, or a half every 4.8 us.
void Writer::choose_codec(uint64_t now_ns) {
  constexpr uint64_t kZstdNs = 3, kShare = 400;
  uint64_t lanes = 0;
  for (Lane* l = lanes_; l; l = l->next) ++lanes;
  if (bytes_since_ns_) {
    codec_ = bytes_ * kZstdNs * kShare < (now_ns - bytes_since_ns_) * lanes ? Codec::packed_zstd : Codec::halves;
  }
  bytes_ = 0;
  bytes_since_ns_ = now_ns;
}

// If buffers run short, or the file nears its largest size, tasks created from now on are aggregated. If that does not
// help, threads find no free buffer, or all stop. What was recorded already is still to come: with its size in memory,
// or packed to less than half of it. Only the filled part of buffers counts: each of many threads has one, however few
// its records are.
void Writer::obey_limits(uint64_t unwritten) {
  auto relaxed = std::memory_order_relaxed;
  g_.file_bytes.store(out_.bytes(), relaxed);
  g_.file_is_packed.store(codec_ == Codec::packed_zstd, relaxed);
  const uint64_t expected = g_.expected_bytes(unwritten);
  const bool short_of_room = g_.max_bytes && Recorder::short_of_room(expected);
  BufferPool::Pressure pressure = g_.pool.pressure();
  bool aggregates = g_limits.depth.load(relaxed) == 0;
  if (short_of_room || pressure == BufferPool::Pressure::high || (aggregates && pressure == BufferPool::Pressure::some))
    g_limits.depth.store(0, relaxed);
  else g_limits.depth.store(g_limits.asked, relaxed);
  if (!g_.max_bytes) return;
  GuardOrAlone guard(g_.pool.lock());
  Recorder::stop_where_full(expected);
}

void Writer::write_current(Lane& l) {
  Buffer* b = l.snapshot_buffer;
  Counts after = l.counts;
  const Started before = started_at(*b);
  l.started = before;
  scan(b->taken, l.snapshot_end, after, l.started);
  write_piece(l, b->taken, l.snapshot_end, before, after);
  b->taken = l.snapshot_end;
}

// A loss that nothing ended: writes what its thread would have written.
void Writer::write_final_loss(Lane& l) {
  Loss& loss = l.loss;
  if (!loss.active.load(std::memory_order_relaxed)) return;
  auto relaxed = std::memory_order_relaxed;
  uint64_t begin = loss.begin.load(relaxed), end = ticks();
  uint64_t words[] = {pack(Kind::time, 0, 0),
                      end,
                      pack(Kind::loss, 0, uint32_t(loss.reason.load(relaxed))),
                      end > begin ? end - begin : 0,
                      loss.created.load(relaxed),
                      loss.executed.load(relaxed),
                      loss.chunks.load(relaxed),
                      uint64_t(-loss.lowest.load(relaxed)),
                      pack(Kind::thread_end, 0, 0)};
  auto units = reinterpret_cast<const Unit*>(words);
  const Unit* units_end = units + 2 * (sizeof words / sizeof *words);
  Counts after = l.counts;
  Started none;
  scan(units, units_end, after, none);
  write_piece(l, units, units_end - (l.snapshot_closed ? 0 : 2), {}, after);
}

// The load map, where it has changed.
void Writer::write_modules() {
  static ModuleMap* map;
  static bool changed;
  map = &modules_;
  changed = false;
  Companion::try_for_a_while([] { changed = map->refresh(); });
  if (changed) out_.block(BlockType::modules, modules_.bytes(), modules_.size(), Codec::zstd);
}

// Sites before the events that name them, and the load map before the sites.
void Writer::write_places() {
  uint32_t count = g_.sites.count();
  if (count == sites_written_) return;
  write_modules();
  char bytes[32 << 10];
  size_t size = 0;
  while (sites_written_ < count) {
    const SiteTable::Site& s = g_.sites.get(++sites_written_);
    SiteRecord r{sites_written_, uint16_t(s.construct), s.flags, s.function, s.return_address, s.text_bytes, 0};
    if (size + sizeof r + s.text_bytes > sizeof bytes) {
      out_.block(BlockType::sites, bytes, size, Codec::zstd);
      size = 0;
    }
    memcpy(bytes + size, &r, sizeof r);
    memcpy(bytes + size + sizeof r, s.text, s.text_bytes);
    size += sizeof r + s.text_bytes;
    for (uint64_t address : {s.function, s.return_address ? s.return_address - 1 : 0})
      if (address && modules_.size() && !modules_.contains(address)) code_names_.want(address);
  }
  out_.block(BlockType::sites, bytes, size, Codec::zstd);
  if (code_names_.look_in_memory(modules_)) write_code_names();
}

void Writer::write_samples() {
  alignas(8) static char bytes[64 << 10];
  while (const size_t size = g_.samples.take(bytes, sizeof bytes, modules_))
    out_.block(BlockType::samples, bytes, size, Codec::zstd);
}

void Writer::write_code_names() {
  out_.block(BlockType::code_names, code_names_.bytes(), code_names_.size(), Codec::zstd);
}

void Writer::retire(Lane& l) {
  retired_.add(l);
  unmap_memory(&l, sizeof l);
}

void Writer::write_end() {
  Totals t = retired_;
  for (Lane* l = lanes_; l; l = l->next) t.add(*l);
  t.lost_tasks[int(LossReason::dropped)] += ring_.dropped_tasks();
  t.lost_chunks[int(LossReason::dropped)] += ring_.dropped_chunks();
  char memory[1024];
  TextBuffer text(memory, sizeof memory);
  auto member = [&text](const char* key, uint64_t value) {
    text.put(key);
    text.number(value);
  };
  member("{\"tasks\":", t.tasks);
  member(",\"chunks\":", t.chunks);
  member(",\"regions\":", t.regions);
  // Executed, but not recorded: while no buffer was free or the file was full; outside what was to be recorded.
  member(",\"lost_tasks\":", t.lost_tasks[int(LossReason::no_buffer)] + t.lost_tasks[int(LossReason::full)]);
  member(",\"lost_chunks\":", t.lost_chunks[int(LossReason::no_buffer)] + t.lost_chunks[int(LossReason::full)]);
  member(",\"outside_tasks\":", t.lost_tasks[int(LossReason::paused)] + t.lost_tasks[int(LossReason::dropped)]);
  member(",\"outside_chunks\":", t.lost_chunks[int(LossReason::paused)] + t.lost_chunks[int(LossReason::dropped)]);
  member(",\"aggregated_tasks\":", t.aggregated_tasks);
  member(",\"aggregated_chunks\":", t.aggregated_chunks);
  if (t.codelets) member(",\"codelets\":", t.codelets);
  member(",\"threads\":", g_.threads);
  if (g_.counted_threads) member(",\"counted_threads\":", g_.counted_threads);
  if (g_.other_cpu_ns >= 0) member(",\"other_cpu_ns\":", uint64_t(g_.other_cpu_ns));
  if (g_.cpu_wait_ns >= 0) member(",\"cpu_wait_ns\":", uint64_t(g_.cpu_wait_ns));
  if (g_.taken_ns >= 0) member(",\"taken_ns\":", uint64_t(g_.taken_ns));
  if (g_.steal_ns >= 0) member(",\"steal_ns\":", uint64_t(g_.steal_ns));
  if (allocating_calls() >= 0) member(",\"allocating_calls\":", uint64_t(allocating_calls()));
  if (g_.resident_bytes >= 0) member(",\"resident_bytes\":", uint64_t(g_.resident_bytes));
  // The writer's own: the companion's, or the thread's.
  timespec own;
  const clockid_t clock = Companion::is_companion() ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID;
  if (!program_writes() && clock_gettime(clock, &own) == 0)
    member(",\"writer_cpu_ns\":", uint64_t(own.tv_sec) * 1'000'000'000 + uint64_t(own.tv_nsec));
  if (Companion::is_alone()) text.put(",\"abrupt\":true");
  member(",\"blocks\":", out_.blocks() + 1);
  text.put('}');
  out_.block(BlockType::end, text.c_str(), text.size(), Codec::raw);
}

// The file can take no more: producers notice at their next refill, and do nothing from then on.
void Writer::drop_everything() {
  GuardOrAlone guard(g_.pool.lock());
  g_.phase.store(Phase::over, std::memory_order_release);
}

}  // namespace einkorn::record
