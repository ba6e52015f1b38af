#include "runtime/share.h"

#include <cstring>

#include "runtime/batch.h"
#include "runtime/cancel.h"
#include "runtime/reduction.h"
#include "runtime/tool.h"
#include "runtime/wait.h"

namespace einkorn::runtime {

namespace {

enum Phase : uint64_t { kFree = 0, kSettingUp = 1, kOpen = 2 };

record::Schedule recorded(const Share* s) {
  switch (s->kind) {
    case LoopKind::static_: return s->chunk ? record::Schedule::static_chunked : record::Schedule::static_;
    case LoopKind::dynamic: return record::Schedule::dynamic;
    case LoopKind::guided: return record::Schedule::guided;
    case LoopKind::automatic: return record::Schedule::auto_;
    case LoopKind::trapezoidal: return record::Schedule::guided;  // chunks that shrink
  }
  return record::Schedule::dynamic;
}

void tell_work(Worker* w, const Share* s, ompt_scope_endpoint_t endpoint) {
  tool::work_event(w, s->sections ? ompt_work_sections : tool::work_kind(s->kind), endpoint, s->iterations, s->caller);
}

void record_begin(Worker* w, const Share* s) {
  if (record::Stream* r = w->stream; r && !s->silent) {
    r->loop_begin(record::now(), s->site, s->lower, s->iterations, s->increment,
                  uint32_t(s->chunk < 0xffffffffu ? s->chunk : 0xffffffffu), recorded(s), s->monotonic_only);
    if (w->tool) tell_work(w, s, ompt_scope_begin);
  }
}

// Zeroed memory of a construct. What is small is kept for the next one in this place.
constexpr size_t kKeptBytes = size_t(1) << 20;

char* share_buffer(Share* s, size_t bytes) {
  if (s->buffer_bytes >= bytes) {
    memset(s->buffer, 0, bytes);
    return s->buffer;
  }
  if (s->buffer) release(s->buffer, s->buffer_bytes);
  s->buffer_bytes = (bytes + 4095) & ~size_t(4095);
  return s->buffer = static_cast<char*>(allocate(s->buffer_bytes));
}

EK_NOINLINE void set_up_memory(Share* s, const LoopSpec& spec, uint32_t threads) {
  size_t doacross = spec.doacross ? doacross_bytes(*spec.doacross, *s, threads) : 0;
  if (doacross + spec.memory == 0) return;
  char* memory = share_buffer(s, doacross + spec.memory);
  if (doacross) s->doacross = make_doacross(*spec.doacross, *s, threads, memory);
  if (spec.memory) s->memory = memory + doacross;
}

void set_up(Share* s, const LoopSpec& spec, uint32_t site, int threads) {
  s->kind = spec.kind == LoopKind::automatic ? LoopKind::static_ : spec.kind;
  // Not where chunks must be multiples of one size (doacross: who waits finds the chunk of an iteration by dividing), nor
  // where three times the number of iterations is beyond 64 bits.
  if (EK_UNLIKELY(s->kind == LoopKind::trapezoidal) && (spec.whole_chunks || spec.doacross || spec.iterations >> 62))
    s->kind = LoopKind::guided;
  s->chunk = spec.chunk;
  if (s->chunk == 0 && s->kind != LoopKind::static_) s->chunk = 1;
  s->monotonic_only = spec.ordered;
  s->lower = spec.lower;
  s->upper = spec.upper;
  s->increment = spec.increment;
  s->iterations = spec.iterations;
  s->site = site;
  s->sections = spec.sections;
  s->silent = spec.silent;
  s->whole_chunks = spec.whole_chunks || spec.doacross != nullptr;
  s->caller = spec.caller;
  s->site_flags = spec.site_flags;
  s->doacross = nullptr;
  s->memory = nullptr;
  s->next.store(0, std::memory_order_relaxed);
  s->turn.store(0, std::memory_order_relaxed);
  s->batched = s->dealt = false;
  // Where cancellation is enabled a loop may be left with something in its ranges.
  const bool may = threads > 1 && !s->monotonic_only && !spec.doacross && !g_config.cancellation;
  if (EK_UNLIKELY(g_config.loop_victim != schedule::LoopVictim::none) && may && spec.nonmonotonic && spec.memory == 0 &&
      !spec.sections && !s->whole_chunks && (s->kind == LoopKind::dynamic || s->kind == LoopKind::guided) &&
      deal_chunks(s, threads))
    s->kind = LoopKind::dynamic;
  else if (spec.nonmonotonic && s->kind == LoopKind::dynamic && may)
    set_up_batches(s, threads);
}

void view_share(Worker* w, Share* s) {
  ShareView& v = w->view;
  v.share = s;
  v.static_next = 0;
  v.first = v.count = 0;
  v.in_chunk = false;
  v.last_chunk = ShareView::not_seen;
  v.batch = 0;
  record_begin(w, s);
}

inline bool next_of_batch(Worker* w, Share* s, uint64_t& first, uint64_t& count) {
  uint64_t number;
  if (!next_batched(w, s, number)) return false;
  first = number * s->chunk;
  count = s->chunk < s->iterations - first ? s->chunk : s->iterations - first;
  return true;
}

// One fetch_add a chunk. Where the counter could run past 2^64 (every thread overshoots by a chunk), compare-and-swap.
bool next_dynamic(Share* s, int threads, uint64_t& first, uint64_t& count) {
  uint64_t n = s->iterations, chunk = s->chunk;
  if (EK_LIKELY(n < (uint64_t(1) << 62) && chunk < (uint64_t(1) << 62) / uint64_t(threads + 1))) {
    // Do not keep adding when all is given out: a thread may ask any number of times.
    if (s->next.load(std::memory_order_relaxed) >= n) return false;
    first = s->next.fetch_add(chunk, std::memory_order_relaxed);
    if (first >= n) return false;
    count = chunk < n - first ? chunk : n - first;
    return true;
  }
  first = s->next.load(std::memory_order_relaxed);
  do {
    if (first >= n) return false;
    count = chunk < n - first ? chunk : n - first;
  } while (!s->next.compare_exchange_weak(first, first + count, std::memory_order_relaxed));
  return true;
}

// An n-th of what is left, at least the chunk. In: the thread's chunk before, whose end is the guess of what comes next. Where others
// have taken something since, the compare-and-swap that fails brings the line as its own, so that the next one succeeds; to
// load first would bring it twice.
bool next_guided(Share* s, int threads, uint64_t& first, uint64_t& count) {
  first += count;
  do {
    if (first >= s->iterations) return false;
    uint64_t left = s->iterations - first;
    count = left / uint64_t(threads) + (left % uint64_t(threads) != 0);
    if (count < s->chunk) count = s->chunk;
    // Doacross: who waits finds the chunk of an iteration by dividing. simd: whole vectors.
    if (EK_UNLIKELY(s->whole_chunks) && count % s->chunk) count += s->chunk - count % s->chunk;
    if (count > left) count = left;
  } while (!s->next.compare_exchange_weak(first, first + count, std::memory_order_relaxed));
  return true;
}

// Chunk k begins at k * first - step * k (k - 1) / 2, so that one fetch_add of k is enough. first: half of an equal part;
// the last chunk is the size asked for; step is what lies between, divided by the number of steps.
bool next_trapezoidal(Share* s, int threads, uint64_t& first, uint64_t& count) {
  uint64_t n = s->iterations;
  uint64_t largest = n / (2 * uint64_t(threads));
  if (largest < 1) largest = 1;
  uint64_t smallest = s->chunk < largest ? s->chunk : largest;
  uint64_t chunks = n / (largest + smallest) * 2 + 2;  // at least 2n / (largest + smallest): they cover everything
  uint64_t step = (largest - smallest) / (chunks - 1);
  if (s->next.load(std::memory_order_relaxed) >= chunks) return false;
  uint64_t k = s->next.fetch_add(1, std::memory_order_relaxed);
  if (k >= chunks) return false;
  auto begin = [&](uint64_t i) { return i * largest - step * (i % 2 ? (i - 1) / 2 * i : i / 2 * (i - 1)); };
  first = begin(k);
  if (first >= n) return false;
  uint64_t end = begin(k + 1);
  count = (end < n ? end : n) - first;
  return true;
}

bool next_static(Worker* w, Share* s, uint64_t& first, uint64_t& count) {
  uint32_t num = uint32_t(w->thread_num), n = uint32_t(w->team->n);
  uint64_t round = w->view.static_next++;
  if (s->chunk == 0) {
    if (round > 0) return false;
    static_part(s->iterations, num, n, first, count);
    return count > 0;
  }
  // Chunk number round * n + num, unless its first iteration lies beyond the end (or beyond 2^64).
  uint64_t chunks = (s->iterations - 1) / s->chunk + 1;
  if (s->iterations == 0 || round > (chunks - 1) / n || round * n + num >= chunks) return false;
  first = (round * n + num) * s->chunk;
  count = s->chunk < s->iterations - first ? s->chunk : s->iterations - first;
  return true;
}

// The chunk in hand is finished; in ordered loops its turn goes to the next.
void finish_chunk(Worker* w) {
  ShareView& v = w->view;
  if (!v.in_chunk) return;
  v.in_chunk = false;
  if (w->stream && !v.share->silent) w->stream->chunk_end(record::now());
  if (v.share->monotonic_only) {
    ordered_wait(w, v.share->caller, v.share->site_flags);
    v.share->turn.store(v.first + v.count, std::memory_order_release);
    signal(v.share->event, v.share->waiters);
  }
}

// For a thread that is kShares constructs ahead of others which a cancel sent to the region's end: they will not free the
// place. A construct of its own with nothing to do; so rare that its memory stays.
EK_NOINLINE Share* share_without_work(Worker* w, LoopSpec spec, uint32_t site) {
  auto* s = static_cast<Share*>(allocate(sizeof(Share)));
  spec.iterations = 0;
  set_up(s, spec, site, 1);
  set_up_memory(s, spec, 1);
  s->lone = true;
  if (spec.reductions) workshare_reductions_begin(w, s, spec.reductions, true, spec.caller);
  return s;
}

}  // namespace

void resolve_runtime_schedule(Worker* w, LoopSpec& spec) {
  const LoopSchedule& r = icv(w).run_schedule;
  spec.nonmonotonic = spec.nonmonotonic && !r.monotonic;
  spec.kind = r.kind;
  spec.chunk = r.chunk > 0 ? uint64_t(r.chunk) : 0;
}

Share* join_share(Worker* w, const LoopSpec& spec, uint32_t site) {
  Team* team = w->team;
  uint64_t met = w->slot->shares_met++;
  uint64_t round = met / Team::kShares;
  Share* s = &team->shares[met % Team::kShares];
  uint64_t state = s->state.load(std::memory_order_acquire);
  while (state != (round << 2 | kOpen)) {
    if (state == (round << 2 | kFree)) {
      if (s->state.compare_exchange_strong(state, round << 2 | kSettingUp, std::memory_order_acquire)) {
        set_up(s, spec, site, team->n);
        if (EK_UNLIKELY(spec.memory != 0 || spec.doacross != nullptr)) set_up_memory(s, spec, uint32_t(team->n));
        if (EK_UNLIKELY(spec.reductions != nullptr)) workshare_reductions_begin(w, s, spec.reductions, true, spec.caller);
        s->state.store(round << 2 | kOpen, std::memory_order_release);
        signal(s->event, s->waiters);
        return s;
      }
      continue;
    }
    auto usable = [&] {
      state = s->state.load(std::memory_order_acquire);
      return state == (round << 2 | kOpen) || state == (round << 2 | kFree) || waits_in_vain(team);
    };
    if (state >> 2 == round) {  // being set up: a moment
      wait_event(s->event, s->waiters, spin_rounds(team), usable);
    } else {
      Blocked blocked(w, spec.caller, spec.site_flags);
      wait_event(s->event, s->waiters, spin_rounds(team), usable);
    }
    if (waits_in_vain(team)) return share_without_work(w, spec, site);
  }
  if (EK_UNLIKELY(spec.reductions != nullptr)) workshare_reductions_begin(w, s, spec.reductions, false, spec.caller);
  return s;
}

void leave_share(Worker* w, Share* s) {
  if (EK_UNLIKELY(s->lone)) return;
  uint32_t all = uint32_t(w->team->n);
  if (s->left.fetch_add(1, std::memory_order_acq_rel) + 1 < all) return;
  s->left.store(0, std::memory_order_relaxed);
  if (EK_UNLIKELY(s->buffer_bytes > kKeptBytes)) {
    release(s->buffer, s->buffer_bytes);
    s->buffer = nullptr;
    s->buffer_bytes = 0;
  }
  uint64_t round = s->state.load(std::memory_order_relaxed) >> 2;
  s->state.store((round + 1) << 2 | kFree, std::memory_order_release);
  signal(s->event, s->waiters);
}

void share_enter(Worker* w, const LoopSpec& spec, uint32_t site) { view_share(w, join_share(w, spec, site)); }

__attribute__((noinline)) static bool next_of_any(Worker* w) {
  ShareView& v = w->view;
  Share* s = v.share;
  record::Stream* r = s->silent ? nullptr : w->stream;
  // The end of a chunk, until it is known whether another one follows.
  const uint64_t ended = EK_UNLIKELY(r != nullptr) && v.in_chunk && !s->monotonic_only ? record::now() : 0;
  if (ended) v.in_chunk = false;
  else finish_chunk(w);
  bool got = false;
  switch (s->kind) {
    case LoopKind::static_:
    case LoopKind::automatic: got = next_static(w, s, v.first, v.count); break;
    case LoopKind::dynamic:
      got = s->batched ? next_of_batch(w, s, v.first, v.count) : next_dynamic(s, w->team->n, v.first, v.count);
      break;
    case LoopKind::guided: got = next_guided(s, w->team->n, v.first, v.count); break;
    case LoopKind::trapezoidal: got = next_trapezoidal(s, w->team->n, v.first, v.count); break;
  }
  if (!got) {
    if (ended) r->chunk_end(ended);
    return false;
  }
  v.in_chunk = true;
  if (EK_UNLIKELY(r != nullptr)) {
    if (ended) r->chunk_next(ended, v.first, v.count);
    else r->chunk_begin(record::now(), v.first, v.count);
    if (w->tool) {
      if (s->sections) tool::dispatch_section(w, s->caller);
      else tool::dispatch(w, ompt_dispatch_ws_loop_chunk, v.first, v.count);
    }
  }
  return true;
}

bool share_next(Worker* w) {
  ShareView& v = w->view;
  if (EK_LIKELY(v.share->batched && w->stream == nullptr)) return next_of_batch(w, v.share, v.first, v.count);
  return next_of_any(w);
}

void share_leave(Worker* w) {
  finish_chunk(w);
  Share* s = w->view.share;
  w->view.share = nullptr;
  if (w->stream && !s->silent) {
    w->stream->loop_end(record::now());
    if (w->tool) tell_work(w, s, ompt_scope_end);
  }
  leave_share(w, s);
}

void ordered_wait(Worker* w, const void* ra, uint16_t site_flags) {
  Share* s = w->view.share;
  if (!s || !s->monotonic_only) return;
  uint64_t mine = w->view.first;
  if (s->turn.load(std::memory_order_acquire) == mine) return;
  Blocked blocked(w, ra, site_flags);
  wait_event(s->event, s->waiters, spin_rounds(w->team),
             [&] { return s->turn.load(std::memory_order_acquire) == mine || waits_in_vain(w->team); });
}

void reset_shares(Team* team) {
  // All threads of the region before are through all its constructs. Those that were never met are free for round 0.
  uint64_t met = team->slots[0].shares_met;
  int used = met < uint64_t(Team::kShares) ? int(met) : Team::kShares;
  for (int i = 0; i < used; ++i) team->shares[i].state.store(kFree, std::memory_order_relaxed);
}

void ordered_begin(Worker* w, const void* ra, uint16_t site_flags) {
  if (EK_LIKELY(w->tool == nullptr)) return ordered_wait(w, ra, site_flags);
  const Share* s = w->view.share;
  tool::mutex_acquire(w, ompt_mutex_ordered, 0, s, ra);
  ordered_wait(w, ra, site_flags);
  tool::mutex_acquired(w, ompt_mutex_ordered, s, ra);
}

void ordered_end(Worker* w, const void* ra) {
  if (EK_UNLIKELY(w->tool != nullptr)) tool::mutex_released(w, ompt_mutex_ordered, w->view.share, ra);
}

void set_up_first_share(Team* team, const FirstLoop& loop, uint32_t site, const void* ra) {
  LoopSpec spec;
  spec.kind = loop.kind;
  spec.lower = loop.lower;
  spec.upper = loop.upper;
  spec.increment = loop.increment;
  spec.iterations = loop.iterations;
  spec.chunk = loop.chunk;
  spec.sections = loop.sections;
  spec.nonmonotonic = !loop.monotonic;
  spec.caller = ra;
  set_up(&team->shares[0], spec, site, team->n);
  team->shares[0].state.store(kOpen, std::memory_order_relaxed);
}

void open_first_share(Worker* w) {
  w->slot->shares_met = 1;
  view_share(w, &w->team->shares[0]);
}

bool single_enter(Worker* w) {
  if (w->team->n == 1) return true;
  uint64_t mine = w->slot->singles_met++;
  uint64_t seen = mine;
  return w->team->single.load(std::memory_order_relaxed) == mine &&
         w->team->single.compare_exchange_strong(seen, mine + 1, std::memory_order_acq_rel);
}

}  // namespace einkorn::runtime
