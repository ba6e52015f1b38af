// What the code under test calls: accesses to atomics, fences, sleeps.
#include <cstring>

#include "model/engine.h"

namespace model {

using namespace engine;

void pause(int) {
  if (g.running < 0) return;
  Thread& t = g.threads[g.running];
  if (t.changed) {  // the loop has something new to see
    forget_reads(t);
    return yield();
  }
  t.state = State::paused;
  yield();
}

void full_fence() {
  if (g.running >= 0) fence_of(g.running);
}

void heavy_fence() {
  if (g.running < 0) return;
  yield();
  fence_of(g.running);
  for (int i = 0; i < g.count; ++i)
    if (g.options.heavy_fences && i != g.running) fence_of(i);
  fence_of(g.running);
  step("heavy fence", nullptr, 0);
}

void futex_wait(const void* word, uint32_t expected, int64_t timeout_ns, const void* other, uint32_t other_expected) {
  yield();
  fence_of(g.running);  // the kernel's, before it looks, and before it returns
  if (uint32_t(read_memory(word, 4)) != expected) return;
  if (other && uint32_t(read_memory(other, 4)) != other_expected) return;
  step("sleeps on", word, expected);
  Thread& t = g.threads[g.running];
  t.state = State::asleep;
  t.word = word;
  t.other = other;
  t.timed = timeout_ns >= 0;
  t.since = ++g.sleeps;
  yield();
  fence_of(g.running);
  g.threads[g.running].still = nullptr;
}

void futex_wake(const void* word, int count) {
  yield();
  fence_of(g.running);
  for (; count > 0; --count) {
    Thread* first = nullptr;
    for (int i = 0; i < g.count; ++i) {
      Thread& t = g.threads[i];
      bool queued = t.still == word || (t.state == State::asleep && (t.word == word || t.other == word));
      if (queued && (!first || t.since < first->since)) first = &t;
    }
    if (!first) return;
    if (first->still == word) {  // as in Linux: it counts as one more that was woken
      first->still = nullptr;
      continue;
    }
    first->state = State::ready;
    first->still = !first->other ? nullptr : first->word == word ? first->other : first->word;
    step("wakes a sleeper on", word, uint64_t(first - g.threads));
  }
}

namespace {

weak::Location& location_of(const void* at, int size) {
  const auto i = uint32_t(size_t(static_cast<const char*>(at) - g.arena_base) / 4);
  uint32_t& number = g.location_numbers[i];
  if (number == 0) {
    g.locations.emplace_back(uint32_t(g.locations.size()));
    g.numbered.push_back(i);
    number = uint32_t(g.locations.size());
  }
  weak::Location& l = g.locations[number - 1];
  l.set_plainly(read_memory(at, size));
  return l;
}

// The number of a message that a load of the running thread reads.
uint32_t decide_message(weak::Location& l, std::memory_order order) {
  Thread& t = g.threads[g.running];
  const uint32_t oldest = t.knows.oldest(l, g.sequential, order), latest = l.latest();
  if (oldest == latest || g.delays >= g.options.delays) return latest;
  const uint32_t back = decide(latest - oldest + 1);
  if (back == 0) return latest;
  ++g.delays;
  t.changed = true;  // there is something newer to see
  return latest - back;
}

// An access outside of the arena.
void passes_on(const void* at, bool reads, bool writes, std::memory_order order) {
  if (!is_weak() || is_in_arena(at)) return;
  weak::Knowledge& knows = g.threads[g.running].knows;
  weak::View& there = g.elsewhere[at];
  if (reads) (weak::acquires(order) ? knows.view : knows.held).join(there);
  if (!writes) return;
  if (!reads) there = {};
  there.join(weak::releases(order) ? knows.view : knows.given);
}

}  // namespace

namespace detail {

uint64_t load(const void* at, int size, std::memory_order order) {
  if (g.running < 0) return read_memory(at, size);
  const bool shared = access(at, false);
  if (shared) has_read(at);
  uint64_t v = read_memory(at, size);
  if (is_weak() && shared) {
    weak::Location& l = location_of(at, size);
    const uint32_t message = decide_message(l, order);
    v = g.threads[g.running].knows.read(l, message, order);
    step(message == l.latest() ? "load" : "load (old)", at, v);
    return v;
  }
  passes_on(at, true, false, order);
  for (const Store& s : g.threads[g.running].buffer)
    if (s.at == at) v = s.value;
  step("load", at, v);
  return v;
}

void store(void* at, int size, uint64_t value, std::memory_order order) {
  if (g.running < 0) return void(std::memcpy(at, &value, size_t(size)));
  const bool shared = access(at, true);
  Thread& t = g.threads[g.running];
  if (is_weak()) {
    step("store", at, value);
    if (shared) t.knows.write(location_of(at, size), value, g.sequential, order, false);
    else passes_on(at, false, true, order);
    std::memcpy(at, &value, size_t(size));
    return written(at, g.running);
  }
  const bool sequential = order == std::memory_order_seq_cst;
  bool delay = !sequential && shared && g.delays < g.options.delays && decide(2) == 1;
  step(delay ? "store (delayed)" : "store", at, value);
  if (delay) {
    ++g.delays;
    t.buffer.push_back({at, size, value, true, false});
  } else if (!t.buffer.empty() && !sequential) {
    t.buffer.push_back({at, size, value, false, false});  // behind the delayed ones: FIFO
  } else {
    flush_all(g.running);
    std::memcpy(at, &value, size_t(size));
    written(at, g.running);
  }
}

void begin_update(void* at, const char* what) {
  if (g.running < 0) return;
  const bool shared = access(at, true);
  if (!is_weak()) flush_all(g.running);
  if (shared) has_read(at);
  step(what, at, read_memory(at, 8));
}

void read_latest(void* at, int size, std::memory_order order) {
  if (g.running < 0 || !is_weak()) return;
  if (!is_shared(at)) return passes_on(at, true, false, order);
  weak::Location& l = location_of(at, size);
  g.threads[g.running].knows.read(l, l.latest(), order);
}

void wrote(void* at, int size, std::memory_order order) {
  if (g.running < 0) return;
  if (is_weak() && is_shared(at)) {
    // read_latest() has seen the former value, so this one is new, even if it is the same.
    weak::Location& l = g.locations[g.location_numbers[size_t(static_cast<char*>(at) - g.arena_base) / 4] - 1];
    g.threads[g.running].knows.write(l, read_memory(at, size), g.sequential, order, true);
  } else {
    passes_on(at, true, true, order);
  }
  written(at, g.running);
}

bool fails_by_old(void* at, int size, uint64_t expected, uint64_t* old, std::memory_order order) {
  if (g.running < 0 || !is_weak() || !is_shared(at)) return false;
  weak::Location& l = location_of(at, size);
  const uint32_t message = decide_message(l, order);
  if (message == l.latest() || l.message(message).value == expected) return false;
  *old = g.threads[g.running].knows.read(l, message, order);
  step("  fails by old", at, *old);
  return true;
}

}  // namespace detail

}  // namespace model
