#include "model/engine.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/mman.h>

namespace model {

namespace engine {

constexpr size_t kStack = 256 << 10;
// A thread that spins is run again this often though nobody wrote, before that counts as a hang: its loop may end by
// count.
constexpr int kFutileSpins = 3;

Engine g;

uint32_t decide(uint32_t options) {
  if (options == 1) return 0;
  if (g.depth == g.path.size()) g.path.push_back({0, options});
  Decision& d = g.path[g.depth++];
  if (d.options != options) {
    std::fprintf(stderr, "model: the program is not deterministic (%u options, before %u)\n", options, d.options);
    std::abort();
  }
  return d.chosen;
}

void written(const void* at, int by) {
  const uint64_t bit = read_bit(at);
  for (int j = 0; j < g.count; ++j)
    if (j != by && !g.threads[j].changed && (g.threads[j].read_bits & bit))
      for (const void* r : g.threads[j].reads) g.threads[j].changed |= r == at;
}

void flush_one(int i) {
  Store s = g.threads[i].buffer.front();
  g.threads[i].buffer.pop_front();
  std::memcpy(s.at, &s.value, size_t(s.size));
  written(s.at, i);
  int before = g.running;
  g.running = i;
  step("  flush", s.at, s.value);
  g.running = before;
}
void flush_all(int i) {
  while (!g.threads[i].buffer.empty()) flush_one(i);
}

bool enabled(int i) {
  Thread& t = g.threads[i];
  return t.state == State::ready || (t.state == State::paused && t.changed);
}

[[noreturn]] void go_home() { _longjmp(g.home, 1); }

[[noreturn]] void resume(int i) {
  for (int j = 0; j < g.count; ++j)
    if (j != i)
      for (Store& s : g.threads[j].buffer) s.overtaken = true;
  g.running = i;
  if (g.threads[i].state == State::paused) {
    if (g.threads[i].changed) g.threads[i].futile = 0;
    forget_reads(g.threads[i]);
  }
  g.threads[i].state = State::ready;
  if (g.switched) g.switched(i);
  _longjmp(g.threads[i].context, 1);
}

std::string stuck() {
  std::string s = "no thread can go on:";
  for (int i = 0; i < g.count; ++i) {
    const char* states[] = {"ready", "spins", "sleeps", "has returned"};
    s += " thread " + std::to_string(i) + " " + states[int(g.threads[i].state)] + (i + 1 < g.count ? "," : "");
  }
  return s;
}

// Chooses who runs next, or flushes first. `current` may go on without cost.
int choose(int current) {
  for (;;) {
    int actions[3 * kMaxThreads], n = 0;
    bool can_stay = current >= 0 && enabled(current);
    if (can_stay) actions[n++] = current;
    if (!can_stay || g.preemptions < g.options.preemptions)
      for (int i = 0; i < g.count; ++i)
        if (i != current && enabled(i)) actions[n++] = i;
    bool someone = n > 0;
    for (int i = 0; i < g.count; ++i)
      if (!g.threads[i].buffer.empty() && (g.threads[i].buffer.front().overtaken || !someone))
        actions[n++] = kMaxThreads + i;
    if (!someone && n == 0) {  // timeouts, then loops that end by count
      for (int i = 0; i < g.count; ++i)
        if (g.threads[i].state == State::asleep && g.threads[i].timed) actions[n++] = i;
      for (int i = 0; i < g.count && n == 0; ++i)
        if (g.threads[i].state == State::paused && g.threads[i].futile++ < kFutileSpins) actions[n++] = i;
      if (n == 0) return -1;
    }
    int a = actions[decide(uint32_t(n))];
    if (a >= kMaxThreads) {
      auto& buffer = g.threads[a - kMaxThreads].buffer;
      do flush_one(a - kMaxThreads);
      while (!buffer.empty() && !buffer.front().delayed);
      continue;
    }
    if (can_stay && a != current) ++g.preemptions;
    return a;
  }
}

bool all_finished() {
  for (int i = 0; i < g.count; ++i)
    if (g.threads[i].state != State::finished) return false;
  return true;
}

void yield() {
  int me = g.running, next = choose(me);
  if (next == me) {
    g.threads[me].state = State::ready;
    return;
  }
  if (next < 0) fail("%s", stuck().c_str());
  if (_setjmp(g.threads[me].context) == 0) resume(next);
}

void forget_locations() {
  for (uint32_t i : g.numbered) g.location_numbers[i] = 0;
  g.numbered.clear();
  g.locations.clear();
  g.sequential.clear();
  g.elsewhere.clear();
}

void fence_of(int i) {
  if (is_weak()) g.threads[i].knows.fence(g.sequential);
  else flush_all(i);
}

bool access(const void* at, bool write) {
  Users* of = users_of(at);
  if (!of) return false;
  Users& u = *of;
  if (!u.readers && !u.writers) g.used.push_back(uint32_t(of - g.users));
  bool before = u.shared();
  (write ? u.writers : u.readers) |= uint8_t(1 << g.running);
  if (u.shared() && !before) g.found_shared = true;
  if (before) yield();
  return u.shared();  // by now
}

// The bottom frame of each coroutine's stack, entered once; each execution starts from `begin` again.
void entry() {
  if (_setjmp(g.threads[g.running].begin) == 0) _longjmp(g.home, 1);
  int me = g.running;
  g.threads[me].body();
  g.threads[me].state = State::finished;
  if (all_finished()) go_home();
  int next = choose(-1);
  if (next < 0) fail("%s", stuck().c_str());
  resume(next);
}

void make(int i) {
  Thread& t = g.threads[i];
  if (!t.stack) {
    t.stack = static_cast<char*>(mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    getcontext(&g.start);
    g.start.uc_stack.ss_sp = t.stack;
    g.start.uc_stack.ss_size = kStack;
    g.start.uc_link = nullptr;
    makecontext(&g.start, entry, 0);
    g.running = i;
    if (_setjmp(g.home) == 0) setcontext(&g.start);
  }
  std::memcpy(t.context, t.begin, sizeof t.begin);
  t.state = State::ready;
  t.buffer.clear();
  forget_reads(t);
  t.knows.clear();
  t.futile = 0;
  t.still = nullptr;
  t.word = nullptr;
}

void run_once(const std::function<Program()>& make_program) {
  std::memset(g.arena_base, 0, g.arena_used);
  g.arena_used = 0;
  g.depth = 0;
  g.preemptions = g.delays = 0;
  g.failed = false;
  g.steps.clear();
  g.names.clear();
  forget_locations();
  g.running = -1;
  static Program program;  // static: its parts outlive the jumps below
  program = make_program();
  g.count = int(program.threads.size());
  for (int i = 0; i < g.count; ++i) {
    g.threads[i].body = program.threads[size_t(i)];
    make(i);
  }
  g.running = -1;
  if (_setjmp(g.home) == 0) resume(choose(-1));
  if (!g.failed)
    for (int i = 0; i < g.count; ++i) flush_all(i);
  g.running = -1;
  if (!g.failed && _setjmp(g.home) == 0 && program.at_end) program.at_end();
}

std::string trace() {
  std::string text = "\nsteps that lead there (of atomics that threads share):\n";
  for (const Step& s : g.steps) {
    if (s.at && !is_shared(s.at)) continue;
    auto n = g.names.upper_bound(s.at);
    char line[200], where[80] = "";
    if (s.at && n != g.names.begin())
      std::snprintf(where, sizeof where, "%s+%ld", (--n)->second.c_str(),
                    long((const char*)s.at - (const char*)n->first));
    else if (s.at) std::snprintf(where, sizeof where, "%p", s.at);
    std::snprintf(line, sizeof line, "%*sthread %d: %s %s %lld\n", 2 + 24 * s.thread, "", s.thread, s.what, where,
                  (long long)s.value);
    text += line;
  }
  return text;
}

}  // namespace engine

using namespace engine;

Result explore(const Options& options, const std::function<Program()>& program) {
  if (!g.arena_base) {
    g.arena_base = static_cast<char*>(
        mmap(nullptr, kArena, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    g.users = static_cast<Users*>(mmap(nullptr, kArena / 4 * sizeof(Users), PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    g.location_numbers = static_cast<uint32_t*>(
        mmap(nullptr, kArena, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  g.options = options;
  for (uint32_t i : g.used) g.users[i] = Users{};
  g.used.clear();
  g.path.clear();
  Result r;
  while (r.executions < options.executions) {
    g.found_shared = false;
    run_once(program);
    ++r.executions;
    // Not in an execution that took a location for one thread's alone, of which another learns by it: under weak memory
    // that may be wrong, and it cannot be run again for its trace.
    if (g.failed && !g.found_shared) {
      r.failed = true;
      r.message = g.message;
      g.records = true;
      run_once(program);
      g.records = false;
      // What the checker does not set back may have been left behind by who failed, in the middle of its work.
      r.message += g.failed && g.message == r.message ? trace() : "\n(no trace: it went another way the second time)\n";
      return r;
    }
    if (g.found_shared) {  // its accesses are decisions from now on: from the start
      g.path.clear();
      continue;
    }
    while (!g.path.empty() && g.path.back().chosen + 1 == g.path.back().options) g.path.pop_back();
    if (g.path.empty()) {
      r.exhausted = true;
      return r;
    }
    ++g.path.back().chosen;
  }
  return r;
}

void fail(const char* format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  g.failed = true;
  g.message = text;
  go_home();
}

uint64_t monotonic_ns() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return uint64_t(ts.tv_sec) * 1'000'000'000 + uint64_t(ts.tv_nsec);
}

uint64_t ticks() { return 0; }
void prefetch(const void*) {}

Memory memory() { return g.options.memory; }
int self() { return g.running; }

Memory usual_memory() {
  static const char* const which = std::getenv("EINKORN_MODEL");
  return which && std::strcmp(which, "weak") == 0 ? Memory::weak : Memory::tso;
}

void keep(bool on) { g.keep = on; }

void* arena(size_t bytes) {
  bytes = (bytes + 63) & ~size_t(63);
  if (g.keep) return std::memset(std::aligned_alloc(64, bytes), 0, bytes);
  if (g.arena_used + bytes > kArena) {
    std::fprintf(stderr, "model: the arena is full\n");
    std::abort();
  }
  void* p = g.arena_base + g.arena_used;
  g.arena_used += bytes;
  return p;
}

void name(const void* address, const char* label) { g.names[address] = label; }
void on_switch(std::function<void(int)> f) { g.switched = std::move(f); }

}  // namespace model
