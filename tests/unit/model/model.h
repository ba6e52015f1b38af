// The platform of the model checker (model.cpp, accesses.cpp), and of bench/large (timed.cpp), on which everything
// takes its time. What follows is the model checker's.
//
// A small stateless model checker for lock-free code, under x86-TSO (Sewell et al., CACM 2010) or under the weaker
// memory of C++'s orders, as Arm's processors have it (weak.h).
//
// Two or three logical threads run as coroutines of one OS thread. Before each access to an atomic that more than one
// of them uses, a scheduler decides which thread continues; all decisions of a run are one path of a tree, and
// explore() walks the tree depth first by running the program again and again. Under TSO each thread has a FIFO store
// buffer: a plain atomic store may stay in it (a decision) until it is flushed (another decision); loads forward from
// the thread's own buffer; read-modify-writes, full fences and system calls flush it; heavy_fence() flushes
// everybody's, as membarrier(2) does. Under weak memory a load may read any value that nothing forbids (a decision).
//
// The tree is cut by two bounds, as in CHESS (Musuvathi and Qadeer, PLDI 2007): the number of preemptions (switches
// away from a thread that could go on) and of stores that are delayed (others only wait behind those), or of loads that
// read an old value. Bugs of this
// kind need few of either. With bounds of kUnbounded all interleavings are explored: for litmus tests.
//
// What is not modelled: compiler reordering beyond what the atomics' order allows, and non-atomic members, which
// read and write through at once (ThreadSanitizer, which goes by the orders, watches those). Code that spins must call
// pause(): the thread then waits until another has written something that it has read since.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace model {

inline constexpr int kUnbounded = 1 << 20;

enum class Memory { tso, weak };
Memory usual_memory();  // weak where EINKORN_MODEL=weak says so

struct Options {
  int preemptions = 2;
  int delays = 2;                   // stores that stay in a buffer; loads that read an old value
  bool heavy_fences = true;         // false: heavy_fence() flushes the caller's buffer only, to see that this is caught
  uint64_t executions = 4'000'000;  // give up (Result::exhausted stays false) after so many
  Memory memory = usual_memory();
};

// One run: built anew for each execution, from the arena (so that addresses are the same each time).
struct Program {
  std::vector<std::function<void()>> threads;
  std::function<void()> at_end;  // checks, when all threads have returned and all buffers are flushed
};

struct Result {
  bool failed = false;
  bool exhausted = false;  // the whole tree within the bounds was seen
  std::string message;     // with the steps that lead there
  uint64_t executions = 0;
};

Result explore(const Options&, const std::function<Program()>&);

// ---- for the code under test ----
[[noreturn]] __attribute__((format(printf, 1, 2))) void fail(const char* format, ...);
inline void check(bool holds, const char* what) {
  if (!holds) fail("%s", what);
}
Memory memory();                                    // of this execution
int self();                                         // number of the running thread, -1 outside
void* arena(size_t bytes);                          // zeroed, cache-line aligned, given back before the next execution
void keep(bool on);                                 // arena() gives memory that stays, for what is made once
void name(const void* address, const char* label);  // for the trace
// Called whenever a thread is switched in, with its number: where the code under test has thread-local variables.
void on_switch(std::function<void(int)>);

uint64_t monotonic_ns();
uint64_t ticks();
void prefetch(const void* at);  // to be written
void pause(int times = 1);      // which is all the same to the model checker
void full_fence();
void heavy_fence();
// other: a second word, which must have its expected value, and by which the thread can be woken, too.
void futex_wait(const void* word, uint32_t expected, int64_t timeout_ns, const void* other = nullptr,
                uint32_t other_expected = 0);
void futex_wake(const void* word, int count);

namespace detail {
uint64_t load(const void* at, int size, std::memory_order);
void store(void* at, int size, uint64_t value, std::memory_order);
// A read-modify-write: others may run before it, then it flushes, and runs without interruption. read_latest() and
// wrote(): what it reads and writes. fails_by_old(): a compare-and-swap that expects this reads an old value instead.
void begin_update(void* at, const char* what);
void read_latest(void* at, int size, std::memory_order);
void wrote(void* at, int size, std::memory_order);
bool fails_by_old(void* at, int size, uint64_t expected, uint64_t* old, std::memory_order);
}  // namespace detail

// std::atomic's interface over the model. Same size as T.
template <class T>
class Atomic {
  static_assert(sizeof(T) <= 8);

 public:
  Atomic() = default;
  constexpr Atomic(T v) : value_(v) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const {
    uint64_t bits = detail::load(&value_, sizeof(T), order);
    T v;
    std::memcpy(&v, &bits, sizeof(T));
    return v;
  }
  void store(T v, std::memory_order order = std::memory_order_seq_cst) {
    uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof(T));
    detail::store(&value_, sizeof(T), bits, order);
  }
  operator T() const { return load(); }
  T operator=(T v) { return store(v), v; }

  T exchange(T v, std::memory_order order = std::memory_order_seq_cst) {
    return update("exchange", order, [&](T) { return v; });
  }
  bool compare_exchange_strong(T& expected, T v, std::memory_order success, std::memory_order failure) {
    uint64_t bits = 0, old;
    std::memcpy(&bits, &expected, sizeof(T));
    detail::begin_update(&value_, "cas");
    if (detail::fails_by_old(&value_, sizeof(T), bits, &old, failure)) {
      std::memcpy(&expected, &old, sizeof(T));
      return false;
    }
    const bool same = value_ == expected;
    detail::read_latest(&value_, sizeof(T), same ? success : failure);
    if (same) {
      value_ = v;
      detail::wrote(&value_, sizeof(T), success);
    } else {
      expected = value_;
    }
    return same;
  }
  bool compare_exchange_strong(T& expected, T v, std::memory_order order = std::memory_order_seq_cst) {
    return compare_exchange_strong(expected, v, order, of_failure(order));
  }
  bool compare_exchange_weak(T& expected, T v, std::memory_order success, std::memory_order failure) {
    return compare_exchange_strong(expected, v, success, failure);
  }
  bool compare_exchange_weak(T& expected, T v, std::memory_order order = std::memory_order_seq_cst) {
    return compare_exchange_strong(expected, v, order);
  }
  T fetch_add(T v, std::memory_order order = std::memory_order_seq_cst) {
    return update("add", order, [&](T old) { return T(old + v); });
  }
  T fetch_sub(T v, std::memory_order order = std::memory_order_seq_cst) {
    return update("sub", order, [&](T old) { return T(old - v); });
  }
  T fetch_or(T v, std::memory_order order = std::memory_order_seq_cst) {
    return update("or", order, [&](T old) { return T(old | v); });
  }
  T fetch_and(T v, std::memory_order order = std::memory_order_seq_cst) {
    return update("and", order, [&](T old) { return T(old & v); });
  }

 private:
  static constexpr std::memory_order of_failure(std::memory_order order) {
    return order == std::memory_order_acq_rel   ? std::memory_order_acquire
           : order == std::memory_order_release ? std::memory_order_relaxed
                                                : order;
  }
  template <class Change>
  T update(const char* what, std::memory_order order, Change&& change) {
    detail::begin_update(&value_, what);
    detail::read_latest(&value_, sizeof(T), order);
    T old = value_;
    value_ = change(old);
    detail::wrote(&value_, sizeof(T), order);
    return old;
  }
  T value_{};
};

}  // namespace model
