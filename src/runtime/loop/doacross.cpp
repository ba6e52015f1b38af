#include "runtime/loop/doacross.h"

#include "runtime/task/cancel.h"
#include "runtime/loop/share.h"
#include "runtime/sync/wait.h"

namespace einkorn::runtime {

namespace {

constexpr size_t kManyLaneBytes = size_t(16) << 20;  // above it, bits are used where they take less

constexpr size_t line_up(size_t bytes) { return (bytes + kCacheLine - 1) & ~(kCacheLine - 1); }
size_t head_bytes(int dims) { return line_up(line_up(sizeof(Doacross)) + sizeof(DoacrossDim) * size_t(dims)); }

// Iterations of the whole nest; no program comes to the end of more than 2^63.
uint64_t all_iterations(const DoacrossSpec& spec) {
  uint64_t n = 1;
  for (int i = 0; i < spec.count; ++i)
    if (__builtin_mul_overflow(n, spec.dims[i].iterations, &n)) return uint64_t(1) << 63;
  return n < (uint64_t(1) << 63) ? n : uint64_t(1) << 63;
}

uint64_t lane_count(const WorkShare& s, uint32_t threads) {
  return s.kind == LoopKind::static_ ? threads : (s.iterations - 1) / s.chunk + 1;
}

// A line each, so that two threads do not write to one; where there are very many, two share it.
uint32_t lane_distance(uint64_t lanes) { return lanes <= 65536 ? kCacheLine : kCacheLine / 2; }

bool with_lanes(const DoacrossSpec& spec, const WorkShare& s, uint32_t threads) {
  if (spec.by_iteration) return false;
  uint64_t lanes = lane_count(s, threads);
  if (lanes <= kManyLaneBytes / kCacheLine) return true;
  return lanes <= all_iterations(spec) / 8 / lane_distance(lanes);
}

Lane* lane_of(const Doacross* d, uint64_t outer) {
  uint64_t lane;
  if (d->kind != LoopKind::static_) {
    lane = outer / d->chunk;
  } else if (d->chunk > 0) {
    lane = outer / d->chunk % d->threads;
  } else {  // the inverse of static_part()
    uint64_t each = d->dims[0].iterations / d->threads, more = d->dims[0].iterations % d->threads;
    uint64_t longer = more * (each + 1);
    lane = outer < longer ? outer / (each + 1) : more + (outer - longer) / each;
  }
  return reinterpret_cast<Lane*>(d->lanes + lane * d->lane_bytes);
}

DoacrossBucket& bucket_of(const Doacross* d, uint64_t at) { return d->buckets[at * 0x9e3779b97f4a7c15ull >> 58]; }
static_assert(Doacross::kBuckets == 64);

EK_NOINLINE void wake_sleepers(Lane* lane) {
  lane->wanted.store(0, std::memory_order_relaxed);
  // Release: `posted` and `wanted`, for who reads the event before it looks at them, in sleep_on().
  lane->event.fetch_add(1, std::memory_order_release);
  futex_wake(&lane->event, INT_MAX);
}

// A cancel does not know the lanes and buckets: where there may be one, sleepers wait for that too.
std::atomic<uint32_t>* cancel_event(Team* team) { return g_config.cancellation ? &team->cancel_event : nullptr; }

void sleep_on(Team* team, Lane* lane, uint64_t target) {
  std::atomic<uint32_t>* cancel = cancel_event(team);
  for (;;) {
    // Before `wanted`: who clears that afterwards changes the event too. Acquire: after a change we see it cleared.
    uint32_t seen = lane->event.load(std::memory_order_acquire);
    uint32_t cancel_seen = cancel ? cancel->load(std::memory_order_acquire) : 0;
    uint64_t wanted = lane->wanted.load(std::memory_order_relaxed);
    // Of any order (this one is more than is needed): the fence below orders it.
    while ((wanted == 0 || wanted > target) &&
           !lane->wanted.compare_exchange_weak(wanted, target, std::memory_order_seq_cst)) {}
    // Either orders the store of wanted before the load of posted, and pairs with light_fence() in doacross_post(),
    // which is a full one where the team is fenced.
    if (team->fenced.load(std::memory_order_relaxed)) full_fence();
    else heavy_fence();
    if (lane->posted.load(std::memory_order_acquire) >= target || waits_in_vain(team)) return;
    if (cancel) futex_wait_either(&lane->event, seen, cancel, cancel_seen);
    else futex_wait(&lane->event, seen);
  }
}

}  // namespace

uint64_t doacross_position(const Doacross* d, const uint64_t* vec) {
  uint64_t at = vec[0];
  for (int i = 1; i < d->count; ++i) at = at * d->dims[i].iterations + vec[i];
  return at;
}

size_t doacross_bytes(const DoacrossSpec& spec, const WorkShare& s, uint32_t threads) {
  if (threads == 1 && !record::recording()) return 0;  // who waits for whom is recorded, whoever runs them
  for (int i = 0; i < spec.count; ++i)
    if (spec.dims[i].iterations == 0) return 0;
  if (with_lanes(spec, s, threads)) {
    uint64_t lanes = lane_count(s, threads);
    return head_bytes(spec.count) + line_up(size_t(lanes) * lane_distance(lanes));
  }
  return head_bytes(spec.count) + sizeof(DoacrossBucket) * Doacross::kBuckets +
         line_up(size_t(all_iterations(spec) / 64 + 1) * 8);
}

Doacross* make_doacross(const DoacrossSpec& spec, const WorkShare& s, uint32_t threads, char* memory) {
  auto* d = reinterpret_cast<Doacross*>(memory);
  d->kind = s.kind;
  d->chunk = s.chunk;
  d->threads = threads;
  d->count = spec.count;
  d->dims = reinterpret_cast<DoacrossDim*>(memory + line_up(sizeof(Doacross)));
  for (int i = 0; i < spec.count; ++i) d->dims[i] = spec.dims[i];
  memory += head_bytes(spec.count);
  if (with_lanes(spec, s, threads)) {
    d->lanes = memory;
    d->lane_bytes = lane_distance(lane_count(s, threads));
  } else {
    d->buckets = reinterpret_cast<DoacrossBucket*>(memory);
    d->bits = reinterpret_cast<std::atomic<uint64_t>*>(memory + sizeof(DoacrossBucket) * Doacross::kBuckets);
  }
  return d;
}

void doacross_post(Doacross* d, const uint64_t* vec) {
  uint64_t at = doacross_position(d, vec);
  if (d->lanes) {
    Lane* lane = lane_of(d, vec[0]);
    // Release: the iteration's work, for who waits for it; pairs with the acquire in doacross_wait().
    lane->posted.store(at + 1, std::memory_order_release);
    light_fence();  // orders the store of posted before the load of wanted; pairs with heavy_fence() in sleep_on()
    uint64_t wanted = lane->wanted.load(std::memory_order_relaxed);
    if (EK_UNLIKELY(wanted != 0) && wanted <= at + 1) wake_sleepers(lane);
    return;
  }
  // Release: the iteration's work, for who finds the bit; other updates of the word go on with its release sequence.
  // (Acquire is more than is needed.)
  d->bits[at / 64].fetch_or(uint64_t(1) << (at % 64), std::memory_order_acq_rel);
  DoacrossBucket& b = bucket_of(d, at);
  signal(b.event, b.waiters);
}

// Both done() acquire: what the iteration did; pairs with doacross_post().
void doacross_wait(Worker* w, Doacross* d, const uint64_t* vec, const void* ra, uint16_t site_flags) {
  uint64_t at = doacross_position(d, vec);
  if (d->lanes) {
    Lane* lane = lane_of(d, vec[0]);
    auto done = [=] { return lane->posted.load(std::memory_order_acquire) > at; };
    if (done()) return;
    Blocked blocked(w, ra, site_flags);
    if (awake_until(StaysAwake(w), [&] { return done() || waits_in_vain(w->team); })) return;
    sleep_on(w->team, lane, at + 1);
    return;
  }
  auto done = [=] {
    return (d->bits[at / 64].load(std::memory_order_acquire) >> (at % 64) & 1) != 0 || waits_in_vain(w->team);
  };
  if (done()) return;
  Blocked blocked(w, ra, site_flags);
  DoacrossBucket& b = bucket_of(d, at);
  check_alone(w, "an ordered region (depend)");
  wait_event(b.event, b.waiters, StaysAwake(w), done, cancel_event(w->team));
}

}  // namespace einkorn::runtime
