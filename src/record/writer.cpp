#include "record/writer.h"
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <sched.h>
#include <signal.h>
#include "record/modules.h"
#include "record/recorder.h"
#include "record/ring.h"
#include "record/system.h"

namespace einkorn::record {

namespace {

constexpr uint64_t kFlushNs = 200'000'000;   // what a killed program's file may lack
constexpr uint64_t kAnchorNs = 1'000'000'000;
constexpr uint64_t kPatienceNs = 5'000'000'000;  // the program's exit waits for a file system that is stuck, not longer

std::atomic<uint32_t> g_wake{0};      // futex: changes with every reason to look
std::atomic<bool> g_asleep{false};
std::atomic<bool> g_finish{false};
std::atomic<uint32_t> g_done{0};      // futex: 1 when the writer has nothing more to do
std::atomic<uint32_t> g_head{0};      // futex: 1 when the file can be read, if nothing else is
std::atomic<uint32_t> g_flush_asked{0}, g_flush_done{0};  // the latter a futex
std::atomic<uint64_t> g_progress{0};
std::atomic<bool> g_stalled{false};   // tests only
pthread_t g_thread;
std::atomic<bool> g_started{false};

struct Totals {
  uint64_t tasks = 0, chunks = 0, regions = 0, aggregated_tasks = 0, aggregated_chunks = 0;
  uint64_t lost_tasks[kLossReasons] = {}, lost_chunks[kLossReasons] = {};

  void add(const Lane& l) {
    auto relaxed = std::memory_order_relaxed;
    uint64_t aggregated = l.aggregated_created.load(relaxed), chunks_in_one = l.aggregated_chunks.load(relaxed);
    tasks += l.counts.serial + aggregated;
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
      case Kind::task_create: case Kind::task_create_long: case Kind::task_create_brief: ++c.serial; break;
      case Kind::chunk_begin: case Kind::chunk_begin_long: case Kind::chunk_next: ++c.chunks; break;
      case Kind::region_begin: ++c.regions; break;
      case Kind::loss:
        c.serial += word(2);
        c.chunks += word(4);
        break;
      default: break;
    }
  });
}

class Writer {
 public:
  Writer(Process& g, Output& out) : g_(g), out_(out) {}
  void run();

 private:
  void pass(bool flush, bool last);
  void write_places();
  void write_lane(Lane&);
  void write_piece(Lane&, const Unit* begin, const Unit* end, const Started& before, const Counts& after);
  static Started started_at(Buffer&);
  void choose_codec(uint64_t now_ns);
  void obey_limits(uint64_t unwritten);
  void write_current(Lane&);
  void write_final_loss(Lane&);
  void write_anchor(const Anchor& a) { out_.block(BlockType::anchor, &a, sizeof a, Codec::raw); }
  CpuUse cpu_use();
  void write_end();
  void retire(Lane&);
  void drop_everything();

  Process& g_;
  Output& out_;
  ModuleMap modules_;
  Ring ring_;
  uint32_t sites_written_ = 0;
  Lane* lanes_ = nullptr;
  Totals retired_;
  Codec codec_ = Codec::halves;
  uint64_t bytes_ = 0;          // of events, since
  uint64_t bytes_since_ns_ = 0; // this time
};

void Writer::run() {
  if (out_.begin()) {
    out_.block(BlockType::meta, g_.meta, g_.meta_bytes, Codec::zstd);
    write_anchor(g_.start_anchor);
    out_.flush();
    if (g_.last_ns && !ring_.create(out_, g_.last_ns, g_.ring_bytes)) warn_once("no memory to keep the latest seconds: all are recorded");
  }
  g_head.store(1, std::memory_order_release);
  futex_wake(&g_head);
  uint64_t next_flush = 0, next_anchor = monotonic_ns() + kAnchorNs;
  for (;;) {
    uint32_t seen = g_wake.load(std::memory_order_acquire);
    bool last = g_finish.load(std::memory_order_acquire);
    while (g_stalled.load(std::memory_order_acquire) && !last) {
      timespec pause = {0, 1'000'000};
      nanosleep(&pause, nullptr);
      last = g_finish.load(std::memory_order_acquire);
    }
    uint64_t now_ns = monotonic_ns();
    uint32_t asked = g_flush_asked.load(std::memory_order_acquire);
    bool flush = last || now_ns >= next_flush || asked != g_flush_done.load(std::memory_order_relaxed);
    pass(flush, last);
    if (ring_.on()) {
      ring_.drop_old(now_ns);
      // Not at every look: only where the program or its end asks for what there is.
      if (last || asked != g_flush_done.load(std::memory_order_relaxed)) ring_.write();
    }
    if (flush && now_ns >= next_anchor && !last) {
      write_anchor(take_anchor());
      next_anchor = now_ns + kAnchorNs;
    }
    if (last) {
      write_anchor(take_anchor());
      write_end();
    }
    if (flush) {
      choose_codec(now_ns);
      out_.flush();
      next_flush = monotonic_ns() + kFlushNs;
      if (!out_.failed() && g_flush_done.exchange(asked, std::memory_order_release) != asked) futex_wake(&g_flush_done);
    }
    g_progress.fetch_add(1, std::memory_order_relaxed);
    if (out_.failed()) drop_everything();
    if (last || out_.failed()) break;

    g_asleep.store(true);
    now_ns = monotonic_ns();
    if (now_ns < next_flush) futex_wait(&g_wake, seen, next_flush - now_ns);
    g_asleep.store(false, std::memory_order_relaxed);
  }
  out_.close();
}

// Takes what there is, under the lock, then writes it without. What is taken of a thread's current buffer follows
// all its full ones, because both are looked at under the same lock.
void Writer::pass(bool flush, bool last) {
  Buffer* full;
  Lane* fresh;
  AccessBlock* accesses;
  uint64_t unwritten = 0;
  {
    Guard guard(g_.pool.lock());
    if (last) g_.phase.store(Phase::over, std::memory_order_release);
    full = g_.pool.take_all_full();
    if (g_.max_bytes) {
      for (const Buffer* b = full; b; b = b->next) unwritten += uint64_t(b->end - b->taken) * sizeof(Unit);
      for (const Lane* l = g_.open_lanes; l; l = l->next_open) unwritten += Recorder::unwritten(*l);
    }
    fresh = g_.new_lanes;
    g_.new_lanes = nullptr;
    accesses = g_.access_blocks;
    g_.access_blocks = g_.last_access_block = nullptr;
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
    out_.block(BlockType::thread, &l->record, sizeof l->record, Codec::raw, l->record.index);
  }
  if (accesses) {
    // Instructions lie in code that may have been loaded since.
    if (modules_.refresh()) out_.block(BlockType::modules, modules_.bytes(), modules_.size(), Codec::zstd);
    write_access_blocks(accesses, out_);
  }
  while (full) {
    Buffer* b = full;
    full = b->next;
    write_piece(*b->lane, b->taken, b->end, started_at(*b), b->after);
    g_progress.fetch_add(1, std::memory_order_relaxed);
    Guard guard(g_.pool.lock());
    g_.pool.put(b);
    g_.pool.written_one();
  }
  if (!flush) return;
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

// Of what is not yet in the file of the buffer.
Started Writer::started_at(Buffer& b) { return b.taken == b.begin() ? Started{} : b.lane->started; }

void Writer::write_piece(Lane& l, const Unit* begin, const Unit* end, const Started& before, const Counts& after) {
  if (begin == end) return;
  const size_t bytes = size_t(end - begin) * sizeof *begin;
  if (ring_.on()) {
    ring_.add(l.record.index, l.record.begin_tick, before, begin, bytes, l.counts.tick, l.counts.serial, monotonic_ns());
  } else {
    bytes_ += bytes;
    out_.events(before, begin, bytes, g_.pool.crowded() ? Codec::halves : codec_, l.record.index, l.sequence++, l.counts.tick,
                l.counts.serial);
  }
  l.counts = after;
}

// Packing and zstd make the file a third of what it would be, at about 3 ns a byte. It is worth that where it takes under 0.25 % of the
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

// Where buffers run short, or the file nears its size, what is created from now on is aggregated; where that does not
// help, no buffer is found free, or all stop. What was recorded already still comes: as it is in memory, or packed to less than
// half of it. Of buffers only what is filled counts: each of many threads has one, however few its records are.
void Writer::obey_limits(uint64_t unwritten) {
  auto relaxed = std::memory_order_relaxed;
  bool short_of_room = g_.max_bytes && out_.bytes() > g_.max_bytes / 4 * 3;
  BufferPool::Pressure pressure = g_.pool.pressure();
  bool aggregates = g_limits.depth.load(relaxed) == 0;
  if (short_of_room || pressure == BufferPool::Pressure::high || (aggregates && pressure == BufferPool::Pressure::some))
    g_limits.depth.store(0, relaxed);
  else
    g_limits.depth.store(g_limits.asked, relaxed);
  if (codec_ == Codec::packed_zstd) unwritten /= 2;
  if (!g_.max_bytes || out_.bytes() + unwritten < g_.max_bytes) return;
  Guard guard(g_.pool.lock());
  if (g_.stopped.load(relaxed) != LossReason::full) Recorder::set_stopped(LossReason::full);
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

// A loss that nothing ended: what its thread would have written.
void Writer::write_final_loss(Lane& l) {
  Loss& loss = l.loss;
  if (!loss.active.load(std::memory_order_relaxed)) return;
  auto relaxed = std::memory_order_relaxed;
  uint64_t begin = loss.begin.load(relaxed), end = now();
  uint64_t words[] = {pack(Kind::time, 0, 0), end, pack(Kind::loss, 0, uint32_t(loss.reason.load(relaxed))), end > begin ? end - begin : 0,
                      loss.created.load(relaxed), loss.executed.load(relaxed), loss.chunks.load(relaxed),
                      uint64_t(-loss.lowest.load(relaxed)), pack(Kind::thread_end, 0, 0)};
  auto units = reinterpret_cast<const Unit*>(words);
  const Unit* units_end = units + 2 * (sizeof words / sizeof *words);
  Counts after = l.counts;
  Started none;
  scan(units, units_end, after, none);
  write_piece(l, units, units_end - (l.snapshot_closed ? 0 : 2), {}, after);
}

// Sites before the events that name them, and the load map before the sites.
void Writer::write_places() {
  uint32_t count = g_.sites.count();
  if (count == sites_written_) return;
  if (modules_.refresh()) out_.block(BlockType::modules, modules_.bytes(), modules_.size(), Codec::zstd);
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
  }
  out_.block(BlockType::sites, bytes, size, Codec::zstd);
}

void Writer::retire(Lane& l) {
  retired_.add(l);
  unmap_memory(&l, sizeof l);
}

// Of those whose threads still have a stream the last is asked now. That one may be gone without having given it back.
CpuUse Writer::cpu_use() {
  Guard guard(g_.pool.lock());
  CpuUse use = g_.cpu_use;
  for (const Lane* l = g_.open_lanes; l; l = l->next_open) use.leaves(use_of_thread(l->record.os_tid));
  return use;
}

void Writer::write_end() {
  Totals t = retired_;
  for (Lane* l = lanes_; l; l = l->next) t.add(*l);
  t.lost_tasks[int(LossReason::dropped)] += ring_.dropped_tasks();
  t.lost_chunks[int(LossReason::dropped)] += ring_.dropped_chunks();
  char memory[512];
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
  member(",\"threads\":", g_.threads);
  const CpuUse use = cpu_use();
  if (const int64_t ns = use.others(); ns >= 0) member(",\"other_cpu_ns\":", uint64_t(ns));
  if (const int64_t ns = use.waiting(); ns >= 0) member(",\"cpu_wait_ns\":", uint64_t(ns));
  member(",\"blocks\":", out_.blocks() + 1);
  text.put('}');
  out_.block(BlockType::end, text.c_str(), text.size(), Codec::raw);
}

// The file can take no more: producers find that out at their next refill and then do nothing.
void Writer::drop_everything() {
  Guard guard(g_.pool.lock());
  g_.phase.store(Phase::over, std::memory_order_release);
}

cpu_set_t g_cpus[8];
bool g_cpus_known = false;

void* writer_main(void*) {
  pthread_setname_np(pthread_self(), "einkorn-rec");
  if (g_cpus_known) sched_setaffinity(0, sizeof g_cpus, g_cpus);
  Writer(g_process, g_process.output).run();
  g_done.store(1, std::memory_order_release);
  futex_wake(&g_done);
  return nullptr;
}

}  // namespace

void remember_cpus() { g_cpus_known = sched_getaffinity(0, sizeof g_cpus, g_cpus) == 0; }

int start_writer() {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  // Small, but the thread's share of the program's static TLS is taken from it: where that is large, the default.
  pthread_attr_setstacksize(&attr, 512 << 10);
  int error = pthread_create(&g_thread, &attr, writer_main, nullptr);
  if (error) error = pthread_create(&g_thread, nullptr, writer_main, nullptr);
  pthread_attr_destroy(&attr);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  if (error) return error;
  g_started.store(true, std::memory_order_release);
  // A program that crashes at once leaves a file that says so. The writer writes it, not this thread, which may not get
  // a SIGPIPE or SIGXFSZ from us; a file system that is stuck is not waited for.
  for (int i = 0; i < 10 && !g_head.load(std::memory_order_acquire); ++i) futex_wait(&g_head, 0, kPatienceNs / 10);
  return 0;
}

void wake_writer() {
  g_wake.fetch_add(1);
  if (g_asleep.load()) futex_wake(&g_wake);
}

namespace {
// Until done() says so; false: the writer makes no progress for a while.
template <class Done>
bool wait_for_writer(std::atomic<uint32_t>& futex, Done done) {
  uint64_t progress = g_progress.load(), since = monotonic_ns();
  for (;;) {
    uint32_t seen = futex.load(std::memory_order_acquire);
    if (done()) return true;
    futex_wait(&futex, seen, 100'000'000);
    uint64_t latest = g_progress.load();
    if (latest != progress) {
      progress = latest;
      since = monotonic_ns();
    } else if (monotonic_ns() - since > kPatienceNs) {
      return done();
    }
  }
}
}  // namespace

bool flush_writer() {
  if (!g_started.load(std::memory_order_acquire)) return true;  // nothing was recorded yet
  uint32_t mine = g_flush_asked.fetch_add(1, std::memory_order_acq_rel) + 1;
  g_wake.fetch_add(1);
  futex_wake(&g_wake);
  auto flushed = [mine] { return int32_t(g_flush_done.load(std::memory_order_acquire) - mine) >= 0; };
  wait_for_writer(g_flush_done, [&] { return flushed() || g_done.load(std::memory_order_acquire); });
  return flushed();
}

void finish_writer() {
  // Also where the writer ended by itself, on a full disk: its code must not be unloaded under it.
  if (!g_started.load(std::memory_order_acquire)) return;
  bool first = !g_finish.exchange(true);
  g_wake.fetch_add(1);
  futex_wake(&g_wake);
  if (!wait_for_writer(g_done, [] { return g_done.load(std::memory_order_acquire) != 0; })) {
    warn_once("recording cut short: '%s' takes no more data; the program goes on", g_process.output.path());
    return;
  }
  if (first) pthread_join(g_thread, nullptr);
}

void forget_writer() { g_started.store(false, std::memory_order_release); }

void stall_writer_for_test(bool stalled) { g_stalled.store(stalled, std::memory_order_release); }

}  // namespace einkorn::record
