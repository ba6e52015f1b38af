#include "runtime/loop/share.h"

#include <sched.h>

#include <cstring>
#include <utility>

#include "runtime/loop/batch.h"
#include "runtime/loop/guided.h"
#include "runtime/task/cancel.h"
#include "runtime/sync/reduction.h"
#include "runtime/observe/work.h"
#include "runtime/sync/wait.h"
#include "runtime/tuned/tuned.h"

namespace einkorn::runtime {

namespace {

enum Phase : uint64_t { kFree = 0, kSettingUp = 1, kOpen = 2 };

// Zeroed memory of a construct. What is small is kept for the next one in this place.
constexpr size_t kKeptBytes = size_t(1) << 20;

char* share_buffer(WorkShare* s, size_t bytes) {
  if (s->buffer_bytes >= bytes) {
    memset(s->buffer, 0, bytes);
    return s->buffer;
  }
  if (s->buffer) release(s->buffer, s->buffer_bytes);
  s->buffer_bytes = (bytes + 4095) & ~size_t(4095);
  return s->buffer = static_cast<char*>(allocate(s->buffer_bytes));
}

EK_NOINLINE void set_up_memory(WorkShare* s, const LoopSpec& spec, uint32_t threads) {
  size_t doacross = spec.doacross ? doacross_bytes(*spec.doacross, *s, threads) : 0;
  if (doacross + spec.memory == 0) return;
  char* memory = share_buffer(s, doacross + spec.memory);
  if (doacross) s->doacross = make_doacross(*spec.doacross, *s, threads, memory);
  if (spec.memory) s->memory = memory + doacross;
}

// A store of the same value would fetch the line for nothing.
template <class T>
void change(T& value, T to) {
  if (value != to) value = to;
}

// The first chunk of a dynamic loop belongs at once to the thread that sets it up: that saves an update of a line for
// which the others ask at that moment.
// In large teams each thread has one (batch.h).
void give_firsts_of_dynamic(WorkShare* s, int threads) {
  if (s->dealt || s->iterations == 0) return;
  const bool each = s->batched && uint64_t(threads) > schedule::g_few_for_counter;
  s->firsts = each ? FirstChunks::of_each : FirstChunks::of_who_sets_up;
  s->loops += each;
  s->next.store(each         ? uint64_t(threads)
                : s->batched ? 1
                             : schedule::dynamic_chunk(s->iterations, s->chunk),
                std::memory_order_relaxed);
}

// By thread `num` of so many.
void set_up(WorkShare* s, const LoopSpec& spec, uint32_t site, int num, int threads) {
  LoopKind kind = spec.kind;
  uint64_t chunk = spec.chunk;
  if (EK_UNLIKELY(g_tuned)) take_advice(spec, kind, chunk);
  s->kind = kind == LoopKind::automatic ? LoopKind::static_ : kind;
  // Not where chunks must be multiples of one size (doacross: who waits finds the chunk of an iteration by dividing),
  // nor where three times the number of iterations is beyond 64 bits.
  if (EK_UNLIKELY(s->kind >= LoopKind::trapezoidal) && (spec.whole_chunks || spec.doacross || spec.iterations >> 62))
    s->kind = LoopKind::guided;
  s->chunk = chunk;
  if (s->chunk == 0 && s->kind != LoopKind::static_) s->chunk = 1;
  s->monotonic_only = spec.ordered;
  s->lower = spec.lower;
  change(s->upper, spec.upper);
  s->increment = spec.increment;
  s->iterations = spec.iterations;
  change(s->site, site);
  s->sections = spec.sections;
  s->silent = spec.silent;
  s->whole_chunks = spec.whole_chunks || spec.doacross != nullptr;
  if (s->caller != spec.caller) s->was_brief.store(false, std::memory_order_relaxed);
  change(s->caller, spec.caller);
  change(s->site_flags, spec.site_flags);
  change<Doacross*>(s->doacross, nullptr);
  change<void*>(s->memory, nullptr);
  s->next.store(0, std::memory_order_relaxed);
  if (s->turn.load(std::memory_order_relaxed) != 0) s->turn.store(0, std::memory_order_relaxed);
  s->batched = s->dealt = false;
  // Where cancellation is enabled a loop may be left with something in its ranges.
  const bool may = threads > 1 && !s->monotonic_only && !spec.doacross && !g_config.cancellation;
  if (EK_UNLIKELY(g_config.loop_victim != schedule::LoopVictim::none) && may && spec.nonmonotonic && spec.memory == 0 &&
      !spec.sections && !s->whole_chunks && (s->kind == LoopKind::dynamic || s->kind == LoopKind::guided) &&
      deal_chunks(s, threads))
    s->kind = LoopKind::dynamic;
  else if (spec.nonmonotonic && s->kind == LoopKind::dynamic && may) set_up_batches(s, threads);
  s->firsts = FirstChunks::nobodys;
  // Cancellation must end what nobody has begun; and of schedule(simd: guided) a thread that asks gets what there is.
  if (g_config.cancellation || s->whole_chunks) return;
  if (s->kind == LoopKind::guided)
    give_first_of_guided(s, num, threads, may && spec.nonmonotonic && !s->was_brief.load(std::memory_order_relaxed));
  else if (s->kind == LoopKind::dynamic) give_firsts_of_dynamic(s, threads);
}

void view_share(Worker* w, WorkShare* s, bool set_up_here) {
  WorkShareView& v = w->view;
  v.share = s;
  v.static_next = 0;
  v.first = v.count = 0;
  v.in_chunk = v.in_turn = false;
  v.has_first = set_up_here && s->firsts != FirstChunks::nobodys;
  v.last_chunk = WorkShareView::not_seen;
  v.batch = {};
  v.took_at = v.taken = 0;
  if (observe::hears(w, s)) observe::loop_begins(w, s);
}

inline bool next_of_batch(Worker* w, WorkShare* s, uint64_t& first, uint64_t& count) {
  uint64_t number;
  if (!next_batched(w, s, number)) return false;
  first = number * s->chunk;
  count = schedule::dynamic_chunk(s->iterations - first, s->chunk);
  return true;
}

// One fetch_add a chunk. Where the counter could run past 2^64 (every thread overshoots by a chunk), compare-and-swap.
bool next_dynamic(WorkShare* s, int threads, WorkShareView& v) {
  uint64_t n = s->iterations, chunk = s->chunk, &first = v.first, &count = v.count;
  if (EK_UNLIKELY(std::exchange(v.has_first, false))) return first = 0, count = schedule::dynamic_chunk(n, chunk), true;
  if (EK_LIKELY(n < (uint64_t(1) << 62) && chunk < (uint64_t(1) << 62) / uint64_t(threads + 1))) {
    // Do not keep adding when all is given out: a thread may ask any number of times.
    if (s->next.load(std::memory_order_relaxed) >= n) return false;
    first = s->next.fetch_add(chunk, std::memory_order_relaxed);
    if (first >= n) return false;
    count = schedule::dynamic_chunk(n - first, chunk);
    return true;
  }
  first = s->next.load(std::memory_order_relaxed);
  do {
    if (first >= n) return false;
    count = schedule::dynamic_chunk(n - first, chunk);
  } while (!s->next.compare_exchange_weak(first, first + count, std::memory_order_relaxed));
  return true;
}

bool next_trapezoidal(WorkShare* s, int threads, uint64_t& first, uint64_t& count) {
  const schedule::Trapezoid t(s->iterations, uint64_t(threads), s->chunk);
  if (s->next.load(std::memory_order_relaxed) >= t.chunks()) return false;
  return t.chunk(s->next.fetch_add(1, std::memory_order_relaxed), first, count);
}

// Any other rule, as guided.
bool next_by_rule(WorkShare* s, int threads, uint64_t& first, uint64_t& count) {
  const schedule::LoopShape shape{s->iterations, uint64_t(threads), s->chunk, s->whole_chunks};
  const schedule::LoopRule& rule = schedule::kLoopRules[rule_of(s->kind)];
  first += count;
  do {
    if (first >= s->iterations) return false;
    count = rule.count(shape, first);
  } while (!s->next.compare_exchange_weak(first, first + count, std::memory_order_relaxed));
  return true;
}

bool next_static(Worker* w, WorkShare* s, uint64_t& first, uint64_t& count) {
  uint32_t num = uint32_t(w->thread_num), n = uint32_t(w->team->n);
  uint64_t round = w->view.static_next++;
  if (s->chunk == 0) {
    if (round > 0) return false;
    static_part(s->iterations, num, n, first, count);
    return count > 0;
  }
  return schedule::static_chunk(s->iterations, s->chunk, num, n, round, first, count);
}

void wait_for_turn(Worker* w, WorkShare* s) {
  check_alone(w, "an ordered region");
  const Halted halted(w);
  const uint64_t mine = w->view.first;
  // Acquire: what the chunks before have done in their turns; pairs with finish_chunk().
  wait_event(s->event, s->waiters, StaysAwake(w),
             [&] { return s->turn.load(std::memory_order_acquire) == mine || waits_in_vain(w->team); });
}

EK_NOINLINE void take_turn_told(Worker* w, WorkShare* s, const void* ra, uint16_t site_flags) {
  if (w->view.in_turn) return;  // for an iteration of the same chunk before
  observe::Turn turn(w, s, ra, site_flags);
  // Acquire: what the chunks before have done in their turns.
  if (s->turn.load(std::memory_order_acquire) != w->view.first) {
    turn.waits();
    wait_for_turn(w, s);
    turn.waited();
  }
  turn.acquired();
  w->view.in_turn = true;
}

// The chunk in hand is finished; in ordered loops its turn goes to the next.
void finish_chunk(Worker* w) {
  WorkShareView& v = w->view;
  if (!v.in_chunk) return;
  v.in_chunk = false;
  const bool told = observe::hears(w, v.share);
  if (!v.share->monotonic_only) {
    if (told) observe::chunk_ends(w, ticks());
    return;
  }
  ordered_wait(w, v.share->caller, v.share->site_flags);
  const uint64_t ended = told ? ticks() : 0;
  // Release: what was done in this turn, for the chunk whose turn is next.
  v.share->turn.store(v.first + v.count, std::memory_order_release);
  signal(v.share->event, v.share->waiters);
  if (EK_UNLIKELY(told)) {
    v.in_turn = false;
    observe::Turn::ends(w, v.share, ended);
  }
  // Where threads are more than CPUs the next one may be in line for this very CPU, which goes on with its own work.
  const Team* team = w->team;
  if (EK_UNLIKELY(team->n > team->cpus) && may_yield(team) && v.first + v.count < v.share->iterations) sched_yield();
}

// For a thread that is kShares constructs ahead of others which a cancel sent to the region's end: they will not free
// the place. A construct of its own with nothing to do; so rare that its memory stays.
EK_NOINLINE WorkShare* share_without_work(Worker* w, LoopSpec spec, uint32_t site) {
  auto* s = static_cast<WorkShare*>(allocate(sizeof(WorkShare)));
  spec.iterations = 0;
  set_up(s, spec, site, 0, 1);
  set_up_memory(s, spec, 1);
  s->lone = true;
  if (spec.reductions) workshare_reductions_begin(w, s, spec.reductions, true, spec.caller);
  return s;
}

}  // namespace

// The state's orders: kOpen is stored with release behind what set_up() wrote, kFree with release behind the last one's
// looks at it; who sees either acquires that. Where nobody counted who left, the last round's kOpen is free, too: a
// thread that comes here has passed the barrier since, which orders what all did there before what is done here.
WorkShare* join_share(Worker* w, const LoopSpec& spec, uint32_t site, bool* set_up_here) {
  Team* team = w->team;
  uint64_t met = w->slot->shares_met++;
  uint64_t round = met / Team::kShares;
  WorkShare* s = &team->shares[met % Team::kShares];
  uint64_t state = s->state.load(std::memory_order_acquire);
  const uint64_t unfreed =
      w->slot->unfreed >> (met % Team::kShares) & 1 ? (round - 1) << 2 | kOpen : round << 2 | kFree;
  while (state != (round << 2 | kOpen)) {
    if (state == (round << 2 | kFree) || state == unfreed) {
      fetch_to_write(&s->next);  // else its line sets out only when that of the state has come
      if (s->state.compare_exchange_strong(state, round << 2 | kSettingUp, std::memory_order_acquire)) {
        set_up(s, spec, site, w->thread_num, team->n);
        if (EK_UNLIKELY(spec.memory != 0 || spec.doacross != nullptr)) set_up_memory(s, spec, uint32_t(team->n));
        if (EK_UNLIKELY(spec.reductions != nullptr))
          workshare_reductions_begin(w, s, spec.reductions, true, spec.caller);
        s->state.store(round << 2 | kOpen, std::memory_order_release);
        signal(s->event, s->waiters);
        if (set_up_here) *set_up_here = true;
        return s;
      }
      continue;
    }
    auto usable = [&] {
      state = s->state.load(std::memory_order_acquire);
      return state == (round << 2 | kOpen) || state == (round << 2 | kFree) || state == unfreed || waits_in_vain(team);
    };
    if (state >> 2 == round) {  // being set up: a moment
      wait_event(s->event, s->waiters, StaysAwake(w), usable);
    } else {
      check_alone(w, "a loop or sections, 16 of which lie between it and the last of the others");
      Blocked blocked(w, spec.caller, spec.site_flags);
      wait_event(s->event, s->waiters, StaysAwake(w), usable);
    }
    if (waits_in_vain(team)) return share_without_work(w, spec, site);
  }
  if (EK_UNLIKELY(spec.reductions != nullptr)) workshare_reductions_begin(w, s, spec.reductions, false, spec.caller);
  return s;
}

static uint16_t bit_of(const Worker* w, const WorkShare* s) {
  static_assert(Team::kShares <= 16, "Slot::unfreed has a bit for each");
  EK_ASSERT(s >= w->team->shares && s < w->team->shares + Team::kShares);
  return uint16_t(1u << (s - w->team->shares));
}

void leave_share(Worker* w, WorkShare* s) {
  if (EK_UNLIKELY(s->lone)) return;
  w->slot->unfreed &= uint16_t(~bit_of(w, s));
  uint32_t all = uint32_t(w->team->n);
  // Release: this thread's looks at the share. Acquire: all others', for the last one, which frees it.
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

void share_enter(Worker* w, const LoopSpec& spec, uint32_t site) {
  bool set_up_here = false;
  WorkShare* s = join_share(w, spec, site, &set_up_here);
  view_share(w, s, set_up_here);
}

__attribute__((noinline)) static bool next_of_any(Worker* w) {
  WorkShareView& v = w->view;
  WorkShare* s = v.share;
  const bool told = observe::hears(w, s);
  // The end of a chunk, until it is known whether another one follows.
  const uint64_t ended = told && v.in_chunk && !s->monotonic_only ? ticks() : 0;
  if (ended) v.in_chunk = false;
  else finish_chunk(w);
  bool got = false;
  switch (s->kind) {
    case LoopKind::static_:
    case LoopKind::automatic: got = next_static(w, s, v.first, v.count); break;
    case LoopKind::dynamic:
      got = s->batched ? next_of_batch(w, s, v.first, v.count) : next_dynamic(s, w->team->n, v);
      break;
    case LoopKind::guided: got = next_guided(w, s, told); break;
    case LoopKind::trapezoidal: got = next_trapezoidal(s, w->team->n, v.first, v.count); break;
    default: got = next_by_rule(s, w->team->n, v.first, v.count);
  }
  if (!got) {
    if (ended) observe::chunk_ends(w, ended);
    return false;
  }
  v.in_chunk = true;
  if (told) observe::chunk_begins(w, s, ended);
  return true;
}

bool share_next(Worker* w) {
  WorkShareView& v = w->view;
  if (EK_LIKELY(v.share->batched && w->stream == nullptr)) return next_of_batch(w, v.share, v.first, v.count);
  return next_of_any(w);
}

// The thread is through with the loop that it took chunks of, and has not left it yet.
static WorkShare* end_loop(Worker* w) {
  finish_chunk(w);
  WorkShare* s = w->view.share;
  w->view.share = nullptr;
  if (observe::hears(w, s)) observe::loop_ends(w, s);
  return s;
}

void share_leave(Worker* w) { leave_share(w, end_loop(w)); }

// Nobody counts who leaves: every thread that comes to this place again has passed the barrier, to which all come after
// they have left. Not where threads may go to the region's end instead, nor where memory has to be given back.
void share_leave_to_barrier(Worker* w) {
  WorkShare* s = end_loop(w);
  if (EK_UNLIKELY(g_config.cancellation || s->lone || s->buffer_bytes > kKeptBytes)) leave_share(w, s);
  else w->slot->unfreed |= bit_of(w, s);
}

void ordered_wait(Worker* w, const void* ra, uint16_t site_flags) {
  WorkShare* s = w->view.share;
  if (!s || !s->monotonic_only) return;
  if (observe::hears(w, s)) return take_turn_told(w, s, ra, site_flags);
  // Acquire: as in wait_for_turn().
  if (s->turn.load(std::memory_order_acquire) == w->view.first) return;
  wait_for_turn(w, s);
}

void reset_shares(Team* team) {
  // All threads of the region before are through all its constructs. Those that were never met are free for round 0.
  uint64_t met = team->slots[0].shares_met;
  int used = met < uint64_t(Team::kShares) ? int(met) : Team::kShares;
  for (int i = 0; i < used; ++i) team->shares[i].state.store(kFree, std::memory_order_relaxed);
}

void ordered_begin(Worker* w, const void* ra, uint16_t site_flags) {
  if (EK_LIKELY(w->tool == nullptr)) return ordered_wait(w, ra, site_flags);
  observe::ordered_asked(w, ra);
  ordered_wait(w, ra, site_flags);
  observe::ordered_begins(w, ra);
}

void ordered_end(Worker* w, const void* ra) {
  if (EK_UNLIKELY(w->tool != nullptr)) observe::ordered_ends(w, ra);
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
  spec.is_free = loop.is_free;
  spec.function = team->function;
  spec.caller = ra;
  set_up(&team->shares[0], spec, site, 0, team->n);
  team->shares[0].state.store(kOpen, std::memory_order_relaxed);
}

void open_first_share(Worker* w) {
  w->slot->shares_met = 1;
  view_share(w, &w->team->shares[0], w->thread_num == 0);
}

bool single_enter(Worker* w) {
  if (w->team->n == 1) return true;
  uint64_t mine = w->slot->singles_met++;
  uint64_t seen = mine;
  // An update: one thread gets it. Its orders are more than is needed: the construct's barrier orders the block.
  return w->team->single.load(std::memory_order_relaxed) == mine &&
         w->team->single.compare_exchange_strong(seen, mine + 1, std::memory_order_acq_rel);
}

}  // namespace einkorn::runtime
