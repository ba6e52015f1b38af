// Debug builds (-DEINKORN_ASSERT): a thread may be delayed for a moment before every atomic operation of the runtime,
// so that rare interleavings become frequent. On with EINKORN_DELAYS=SEED (not 0) in the environment.
//
// The name `atomic` is replaced in everything included after this header, as the model checker does it, so that no
// operation can be forgotten.
#pragma once
#include <atomic>
#include <cstdint>

namespace einkorn::inline base {
extern std::atomic<uint32_t> g_delays;  // the seed; 0: off
void delay_slow();
inline void delay_point() {
  if (__builtin_expect(g_delays.load(std::memory_order_relaxed) != 0, 0)) delay_slow();
}
}  // namespace einkorn::inline base

namespace std {
template <class T>
struct einkorn_delayed_atomic : atomic<T> {
  using Base = atomic<T>;
  using Base::Base;
  einkorn_delayed_atomic() = default;
  T load(memory_order o = memory_order_seq_cst) const { return delay(), Base::load(o); }
  void store(T v, memory_order o = memory_order_seq_cst) { delay(), Base::store(v, o); }
  T exchange(T v, memory_order o = memory_order_seq_cst) { return delay(), Base::exchange(v, o); }
  template <class... Orders>
  bool compare_exchange_strong(T& e, T v, Orders... o) {
    return delay(), Base::compare_exchange_strong(e, v, o...);
  }
  template <class... Orders>
  bool compare_exchange_weak(T& e, T v, Orders... o) {
    return delay(), Base::compare_exchange_weak(e, v, o...);
  }
  template <class U>
  T fetch_add(U v, memory_order o = memory_order_seq_cst) {
    return delay(), Base::fetch_add(v, o);
  }
  template <class U>
  T fetch_sub(U v, memory_order o = memory_order_seq_cst) {
    return delay(), Base::fetch_sub(v, o);
  }
  template <class U>
  T fetch_or(U v, memory_order o = memory_order_seq_cst) {
    return delay(), Base::fetch_or(v, o);
  }
  template <class U>
  T fetch_and(U v, memory_order o = memory_order_seq_cst) {
    return delay(), Base::fetch_and(v, o);
  }
  T operator=(T v) { return store(v), v; }
  operator T() const { return load(); }

 private:
  static void delay() { einkorn::base::delay_point(); }
};
}  // namespace std
#define atomic einkorn_delayed_atomic
