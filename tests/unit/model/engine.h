// The checker's inside: what model.cpp (the walk through the tree) and accesses.cpp (what the code under test calls)
// share.
#pragma once
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <ucontext.h>
#include <vector>

#include "model/model.h"
#include "model/weak.h"

namespace model::engine {

inline constexpr int kMaxThreads = 5;
inline constexpr size_t kArena = 64 << 20;

enum class State { ready, paused, asleep, finished };

struct Store {
  void* at;
  int size;
  uint64_t value;
  bool delayed;    // by decision; else it only waits behind one that is
  bool overtaken;  // another thread has run since: flushing it now is a new interleaving
};

struct Thread {
  State state = State::finished;
  std::function<void()> body;
  jmp_buf context, begin;
  char* stack = nullptr;
  std::deque<Store> buffer;
  std::vector<const void*> reads;  // since the latest pause
  uint64_t read_bits = 0;          // a bit for each of these, by its address: most writes are of none of them
  bool changed = false;            // another thread has written one of these: a loop that spins may end
  const void* word = nullptr;
  const void* other = nullptr;
  const void* still = nullptr;  // woken by one of two words: until it runs it also stands in the other's queue
  bool timed = false;
  uint64_t since = 0;  // who sleeps longest is woken first
  int futile = 0;
  weak::Knowledge knows;  // under weak memory
};

struct Decision {
  uint32_t chosen, options;
};

// Which threads have read and written a location: it needs decisions only if two used it and one wrote.
struct Users {
  uint8_t readers = 0, writers = 0;
  bool shared() const {
    uint8_t all = readers | writers;
    return writers && (all & (all - 1));
  }
};

struct Step {
  int thread;
  const char* what;
  const void* at;
  uint64_t value;
};

struct Engine {
  Options options;
  Thread threads[kMaxThreads];
  int count = 0, running = -1;
  jmp_buf home;
  ucontext_t start;
  std::vector<Decision> path;
  size_t depth = 0;
  int preemptions = 0, delays = 0;
  uint64_t sleeps = 0;         // so far, of all threads
  Users* users = nullptr;      // by arena offset / 4
  std::vector<uint32_t> used;  // which of them are not empty
  // Under weak memory: locations that threads share, in the order of their first use, and their numbers, as users.
  std::vector<weak::Location> locations;
  uint32_t* location_numbers = nullptr;
  std::vector<uint32_t> numbered;
  weak::View sequential;
  // Of what lies outside of the arena: no decisions there, and no old values, but what it releases and acquires counts.
  std::map<const void*, weak::View> elsewhere;
  bool found_shared = false;  // a location proved shared: the tree so far had too few decisions
  bool failed = false;
  std::string message;
  bool records = false;  // the steps of an execution: of one that has failed, which is run again for that
  std::vector<Step> steps;
  std::map<const void*, std::string> names;
  char* arena_base = nullptr;
  size_t arena_used = 0;
  bool keep = false;
  std::function<void(int)> switched;
};
extern Engine g;

// One of so many ways to go on.
uint32_t decide(uint32_t options);
// For the trace.
inline void step(const char* what, const void* at, uint64_t value) {
  if (g.records) g.steps.push_back({g.running, what, at, value});
}
// The running thread can or need not go on at once.
void yield();
// What threads share must lie in the arena: what is elsewhere (their stacks) counts as their own.
inline Users* users_of(const void* at) {
  const size_t offset = size_t(static_cast<const char*>(at) - g.arena_base);
  return offset < kArena ? &g.users[offset / 4] : nullptr;
}
inline bool is_in_arena(const void* at) { return users_of(at) != nullptr; }
inline bool is_shared(const void* at) {
  const Users* u = users_of(at);
  return u && u->shared();
}
// A decision before an access, where others can tell the difference. Is it shared?
bool access(const void* at, bool write);
// The running thread's loop ends by that, maybe.
inline uint64_t read_bit(const void* at) { return uint64_t(1) << (uintptr_t(at) / 4 % 64); }
inline void has_read(const void* at) {
  Thread& t = g.threads[g.running];
  t.read_bits |= read_bit(at);
  t.reads.push_back(at);
}
inline void forget_reads(Thread& t) {
  t.reads.clear();
  t.read_bits = 0;
  t.changed = false;
}
// Thread `by` has written there.
void written(const void* at, int by);
// All that the thread has stored is seen from here on, and it sees what others' fences had before them.
void fence_of(int thread);
void flush_all(int thread);
inline bool is_weak() { return g.options.memory == Memory::weak; }

inline uint64_t read_memory(const void* at, int size) {
  uint64_t v = 0;
  if (size == 8) std::memcpy(&v, at, 8);  // nearly all, and no calls for them
  else if (size == 4) std::memcpy(&v, at, 4);
  else std::memcpy(&v, at, size_t(size));
  return v;
}

}  // namespace model::engine
