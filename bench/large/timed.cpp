#include "large/timed.h"

#include "large/lines.h"
#include "large/where.h"

#include <algorithm>
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <queue>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>

#include "model/model.h"

namespace large {

namespace {

constexpr size_t kStack = 128 << 10, kArena = size_t(4) << 30;
constexpr size_t kStoresInBuffer = 48;

enum class State { ready, asleep, finished };

struct Store {
  void* at;
  int size;
  uint64_t value;
  double done;
};

struct Thread {
  State state = State::ready;
  double now = 0;
  double stored = 0;  // when its latest store is done
  double loaded = 0;  // when what its plain loads have asked for is there
  std::deque<Store> buffer;
  std::function<void()> body;
  jmp_buf context, begin;
  char* stack = nullptr;
  const void *word = nullptr, *other = nullptr;  // asleep
  uint64_t since = 0;                            // who sleeps longest is woken first
  uint64_t version = 0;                          // of its entry in the queue: others are of the past
  const void* updates = nullptr;                 // what it has for an update: plain accesses to that are parts of it
};

struct Event {
  double at;
  uint64_t order;  // of equal ones
  int thread;
  bool commits;  // its oldest store; else it goes on
  uint64_t version;
  bool operator<(const Event& o) const { return at != o.at ? at > o.at : order > o.order; }
};

struct Platform {
  Own own;
  Lines lines;
  std::unique_ptr<Thread[]> threads;
  int count = 0, running = -1;
  std::priority_queue<Event> events;
  uint64_t order = 0, sleeps = 0;
  char* arena = nullptr;
  size_t arena_used = 0;
  uint32_t mark = 0, most_updates = 0;
  bool keep = false;
  bool stuck = false;
  jmp_buf home;
  std::function<void(int)> switched;
};
Platform g;
char* g_stacks[kMost];

// For as long as it lives the running thread waits at that place.
class WaitsAt {
 public:
  explicit WaitsAt(const void* place)
      : place_(place), thread_(g.running), since_(thread_ < 0 ? 0 : g.threads[thread_].now) {}
  ~WaitsAt() {
    if (g_asks_where && thread_ >= 0) Waits::add(thread_ == 0, place_, g.threads[thread_].now - since_);
  }
  WaitsAt(const WaitsAt&) = delete;

 private:
  const void* place_;
  int thread_;
  double since_;
};
#define EK_HERE __builtin_return_address(0)
#define EK_WAITS_HERE WaitsAt waits_here(EK_HERE)

// It has waited for a line which another one took for the sake of what else lies there. Words of the same eight bytes
// count as one.
void reads(const Line& l, const void* at, const void* place, double ns) {
  if (g_asks_where && l.written && l.writer != g.running && uintptr_t(l.written) / 8 != uintptr_t(at) / 8)
    Waits::add_shared(place, l.written_at, ns);
}

void schedule(int thread, double at, bool commits) {
  Thread& t = g.threads[thread];
  g.events.push({at, ++g.order, thread, commits, commits ? 0 : ++t.version});
}

void commit(Thread& t) {
  const Store& s = t.buffer.front();
  std::memcpy(s.at, &s.value, size_t(s.size));
  t.buffer.pop_front();
}

// The next thread, after all stores that are done before. -1: nobody can go on.
int next() {
  while (!g.events.empty()) {
    const Event e = g.events.top();
    g.events.pop();
    Thread& t = g.threads[e.thread];
    if (e.commits) {
      commit(t);
    } else if (e.version == t.version && t.state != State::finished) {
      t.state = State::ready;
      t.now = std::max(t.now, e.at);
      return e.thread;
    }
  }
  return -1;
}

[[noreturn]] void resume(int thread) {
  if (thread < 0) g.stuck = true, _longjmp(g.home, 1);
  g.running = thread;
  if (g.switched) g.switched(thread);
  _longjmp(g.threads[thread].context, 1);
}

// The running thread waits until something (schedule() has been called, or futex_wake() will be).
void leave() {
  const int me = g.running, other = next();
  if (other == me) return;
  if (_setjmp(g.threads[me].context) == 0) resume(other);
}

// The running thread goes on at that time, when all that comes before has happened. What plain loads have asked for is
// there by then: of these several are on their way at once.
void go_on_at(double at) {
  Thread& t = g.threads[g.running];
  at = t.now = std::max(at, t.loaded);
  if (g.events.empty() || g.events.top().at > at) return;
  schedule(g.running, at, false);
  leave();
}

void drain() {
  Thread& t = g.threads[g.running];
  go_on_at(std::max(t.now, t.stored));
}

void entry() {
  if (_setjmp(g.threads[g.running].begin) == 0) _longjmp(g.home, 1);
  const int me = g.running;
  g.threads[me].body();
  g.threads[me].state = State::finished;
  if (me == 0) _longjmp(g.home, 1);
  resume(next());
}

void make(int i) {
  Thread& t = g.threads[i];
  if (!g_stacks[i])
    g_stacks[i] = static_cast<char*>(
        mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  t.stack = g_stacks[i];
  ucontext_t start;
  getcontext(&start);
  start.uc_stack.ss_sp = t.stack;
  start.uc_stack.ss_size = kStack;
  start.uc_link = nullptr;
  makecontext(&start, entry, 0);
  g.running = i;
  if (_setjmp(g.home) == 0) setcontext(&start);
  g.running = -1;
  std::memcpy(t.context, t.begin, sizeof t.begin);
}

// Each thread's own: its stack, and the thread-local variables, which are this one OS thread's.
bool is_private(uintptr_t at) {
  constexpr uintptr_t kThreadLocal = 256 << 10;
  const auto here = reinterpret_cast<uintptr_t>(__builtin_thread_pointer());
  if (at + kThreadLocal > here && at < here + kThreadLocal) return true;
  const auto stack = reinterpret_cast<uintptr_t>(g.threads[g.running].stack);
  return at >= stack && at < stack + kStack;
}

}  // namespace

Outcome run(const Distances& distances, const Own& own, const std::vector<std::function<void()>>& threads) {
  g.own = own;
  g.lines.forget(distances, own);
  g.count = int(threads.size());
  g.threads = std::make_unique<Thread[]>(threads.size());
  g.events = {};
  g.order = g.sleeps = 0;
  g.stuck = false;
  for (int i = 0; i < g.count; ++i) {
    g.threads[i].body = threads[size_t(i)];
    make(i);
    schedule(i, 0, false);
  }
  g.running = -1;
  if (_setjmp(g.home) == 0) resume(next());
  Outcome out;
  out.end = g.threads[0].now;
  out.stuck = g.stuck;
  g.running = -1;
  if (g.arena) madvise(g.arena, g.arena_used, MADV_DONTNEED);
  g.arena_used = 0;
  return out;
}

double now() { return g.running < 0 ? 0 : g.threads[g.running].now; }
void work(double ns) {
  EK_WAITS_HERE;
  go_on_at(g.threads[g.running].now + ns);
}

void count_updates() { ++g.mark, g.most_updates = 0; }
uint32_t most_updates() { return g.most_updates; }

void plain_access(const void* at, bool write) {
  EK_WAITS_HERE;
  if (g.running < 0) return;
  Thread& t = g.threads[g.running];
  t.now += g.own.plain;
  if (at == t.updates || is_private(uintptr_t(at))) return;
  Line& l = g.lines.of(at);
  if (write && l.alone && l.owner == g.running) return l.writes(at, EK_HERE, g.running);
  if (!write && l.has(g.running)) return;
  go_on_at(t.now);
  if (write) {
    l.writes(at, EK_HERE, g.running);
    t.stored = std::max(t.stored, g.lines.take(l, g.running, t.now));
    return;
  }
  double from;
  t.loaded = std::max(t.loaded, g.lines.fetch(l, g.running, t.now, &from));
  reads(l, at, EK_HERE, t.loaded - t.now);
}

}  // namespace large

// ---- model.h --------------------------------------------------------------------------------------------------------

namespace model {

using namespace large;

uint64_t ticks() { return monotonic_ns(); }

uint64_t monotonic_ns() { return g.running < 0 ? 0 : uint64_t(g.threads[g.running].now); }

void prefetch(const void* at) {
  if (g.running < 0) return;
  Thread& t = g.threads[g.running];
  Line& l = g.lines.of(at);
  if (l.alone && l.owner == g.running) return;
  go_on_at(t.now);
  g.lines.take(l, g.running, t.now);
}

void pause(int times) {
  EK_WAITS_HERE;
  if (g.running >= 0) go_on_at(g.threads[g.running].now + times * g.own.pause);
}

void full_fence() {
  EK_WAITS_HERE;
  if (g.running < 0) return;
  drain();
  g.threads[g.running].now += g.own.fence;
}

void heavy_fence() {
  EK_WAITS_HERE;
  if (g.running < 0) return;
  drain();
  double all = g.threads[g.running].now + g.own.membarrier;
  for (int i = 0; i < g.count; ++i) all = std::max(all, g.threads[i].stored);
  go_on_at(all);
}

void futex_wait(const void* word, uint32_t expected, int64_t timeout_ns, const void* other, uint32_t other_expected) {
  EK_WAITS_HERE;
  drain();
  Thread& t = g.threads[g.running];
  go_on_at(t.now + g.own.system_call);
  auto is = [](const void* at, uint32_t value) {
    uint32_t there;
    std::memcpy(&there, at, sizeof there);
    return there == value;
  };
  if (!is(word, expected) || (other && !is(other, other_expected))) return;
  t.state = State::asleep;
  t.word = word, t.other = other;
  t.since = ++g.sleeps;
  if (timeout_ns >= 0) schedule(g.running, t.now + double(timeout_ns), false);
  else ++t.version;
  leave();
}

void futex_wake(const void* word, int count) {
  EK_WAITS_HERE;
  drain();
  Thread& me = g.threads[g.running];
  go_on_at(me.now + g.own.system_call);
  std::vector<int> sleepers;
  for (int i = 0; i < g.count; ++i)
    if (const Thread& t = g.threads[i]; t.state == State::asleep && (t.word == word || t.other == word))
      sleepers.push_back(i);
  std::sort(sleepers.begin(), sleepers.end(), [](int a, int b) { return g.threads[a].since < g.threads[b].since; });
  double at = me.now;
  for (const int i : sleepers) {
    if (count-- <= 0) break;
    at += g.own.wake_call;
    Thread& t = g.threads[i];
    t.word = t.other = nullptr;  // it counts as awake, and runs soon
    schedule(i, at + g.own.wake, false);
  }
  go_on_at(at);
}

namespace detail {

uint64_t load(const void* at, int size, std::memory_order) {
  EK_WAITS_HERE;
  uint64_t v = 0;
  auto read = [&] { std::memcpy(&v, at, size_t(size)); };
  if (g.running < 0) return read(), v;
  Thread& t = g.threads[g.running];
  go_on_at(t.now);
  for (auto s = t.buffer.rbegin(); s != t.buffer.rend(); ++s)
    if (s->at == at) return t.now += g.own.hit, s->value;
  Line& l = g.lines.of(at);
  if (l.has(g.running)) {
    if (l.owner == g.running) go_on_at(std::max(t.now, l.had_at));  // it may be on its way here
    read();
    t.now += g.own.hit;
    return v;
  }
  double from;
  const double asked = t.now, there = g.lines.fetch(l, g.running, t.now, &from);
  reads(l, at, EK_HERE, there - asked);
  go_on_at(from);
  read();
  t.now = there + g.own.hit;
  return v;
}

void store(void* at, int size, uint64_t value, std::memory_order order) {
  EK_WAITS_HERE;
  if (g.running < 0) return void(std::memcpy(at, &value, size_t(size)));
  Thread& t = g.threads[g.running];
  go_on_at(t.now);
  if (t.buffer.size() >= kStoresInBuffer) go_on_at(std::max(t.now, t.buffer.front().done));
  Line& l = g.lines.of(at);
  const double there = g.lines.to_write(l, g.running, t.now);
  l.writes(at, EK_HERE, g.running);
  t.stored = std::max(there, t.stored);
  t.buffer.push_back({at, size, value, t.stored});
  schedule(g.running, t.stored, true);
  t.now += g.own.store;
  if (order == std::memory_order_seq_cst) full_fence();
}

// When it returns the line is this thread's, and it is its turn: the caller changes it at once.
void begin_update(void* at, const char*) {
  EK_WAITS_HERE;
  if (g.running < 0) return;
  drain();
  Thread& t = g.threads[g.running];
  Line& l = g.lines.of(at);
  if (std::exchange(l.mark, g.mark) != g.mark) l.updates = 0;
  g.most_updates = std::max(g.most_updates, ++l.updates);
  const double there = g.lines.to_write(l, g.running, t.now);
  if (there > t.now) reads(l, at, EK_HERE, there - t.now);
  l.writes(at, EK_HERE, g.running);
  l.free_at = std::max(l.free_at, there + g.own.update);
  go_on_at(there);
  t.now = there + g.own.update;
  t.updates = at;
}

void read_latest(void*, int, std::memory_order) {}
void wrote(void*, int, std::memory_order) {}
bool fails_by_old(void*, int, uint64_t, uint64_t*, std::memory_order) { return false; }

}  // namespace detail

void fail(const char* format, ...) {
  va_list args;
  va_start(args, format);
  std::vfprintf(stderr, format, args);
  va_end(args);
  std::fputc('\n', stderr);
  std::abort();
}

Memory memory() { return Memory::tso; }
Memory usual_memory() { return Memory::tso; }
int self() { return g.running; }
void keep(bool on) { g.keep = on; }

void* arena(size_t bytes) {
  if (!g.arena)
    g.arena = static_cast<char*>(
        mmap(nullptr, kArena, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  bytes = (bytes + 63) & ~size_t(63);
  if (g.keep) return std::memset(std::aligned_alloc(64, bytes), 0, bytes);
  if (g.arena_used + bytes > kArena) fail("large: the arena is full");
  void* p = g.arena + g.arena_used;
  g.arena_used += bytes;
  return p;
}

void name(const void*, const char*) {}
void on_switch(std::function<void(int)> f) { g.switched = std::move(f); }

}  // namespace model
