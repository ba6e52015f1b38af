// Codelets and threaded procedures in C++, by the names of the research runtime (DARTS; Arteaga, Zuckerman and Gao
// 2017): what is written for that needs little more than another include. On einkorn/codelet.h, and as that: no
// library, Einkorn's runtime only; ask ek_on().
//
//   class Fib : public einkorn::ThreadedProcedure {
//    public:
//     Fib(int n, int* result, einkorn::Codelet* done);      // makes its codelets; invokes, or signals what is ready
//     ...
//   };
//   int result;
//   einkorn::launch<Fib>(30, &result, nullptr);             // returns when all of it is over
//
// A procedure lives until each of its codelets has been fired as often as it is to be: once, and once more for each
// resetCodelet(). One that will not be fired after all says so: cancel().
#ifndef EINKORN_CODELET_HPP
#define EINKORN_CODELET_HPP

#include <atomic>
#include <tuple>
#include <utility>

#include "einkorn/codelet.h"

namespace einkorn {

// It is kept by its constructor, by each firing of its codelets that is to come, and by what the program adds. Without
// any of these it is deleted.
class ThreadedProcedure {
 public:
  ThreadedProcedure() = default;
  virtual ~ThreadedProcedure() = default;
  ThreadedProcedure(const ThreadedProcedure&) = delete;
  ThreadedProcedure& operator=(const ThreadedProcedure&) = delete;

  void incRef() { kept_.fetch_add(1, std::memory_order_relaxed); }
  // Release and acquire: what was done with it comes before its end.
  void decRef() {
    if (kept_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  std::atomic<uint32_t> kept_{1};
};

// What is done when its counter is zero: fire(), by a thread of the team. It belongs to a procedure, or to nobody.
class Codelet {
 public:
  // dep: signals that it waits for; with 0 it is to be fired by its maker: add(). reset: after resetCodelet().
  // file, line: of who makes it, for messages and recordings.
  Codelet(uint32_t dep, uint32_t reset, ThreadedProcedure* tp, uint32_t id = 0, const char* file = __builtin_FILE(),
          uint32_t line = __builtin_LINE())
      : myTP(tp) {
    ek_internal_codelet_init(&codelet_, &Codelet::fired, this, dep, reset, id, file, line);
    if (myTP) myTP->incRef();
  }
  virtual ~Codelet() = default;
  Codelet(const Codelet&) = delete;
  Codelet& operator=(const Codelet&) = delete;

  virtual void fire() = 0;
  void decDep() { ek_dec(&codelet_); }
  // To be fired again after `reset` signals. In fire(), before anybody can signal it again.
  void resetCodelet() {
    if (myTP) myTP->incRef();
    ek_reset(&codelet_);
  }
  // It will not be fired (again).
  void cancel() {
    if (myTP) myTP->decRef();
  }
  uint32_t getID() const { return codelet_.id; }

  ThreadedProcedure* const myTP;

 private:
  friend void add(Codelet& c);
  static void fired(ek_codelet* c) {
    auto* me = static_cast<Codelet*>(c->frame);
    ThreadedProcedure* const tp = me->myTP;
    me->fire();
    if (tp) tp->decRef();
  }
  ek_codelet codelet_;
};

// Fires a codelet that waits for nothing.
inline void add(Codelet& c) {
  c.codelet_.internal_count = 1;
  c.decDep();
}

namespace internal {

// The invocation of a procedure: its constructor runs on the thread that begins with it. Instances of ek_proc give no
// way here: a threaded procedure's codelets wait for it.
template <class TP, class... Arguments>
struct Invocation {
  std::tuple<Arguments...>* arguments;
  // Its frame; run() frees what it has.
  static Invocation of(Arguments&... each) { return {new std::tuple<Arguments...>(std::move(each)...)}; }
  static ek_next run(ek_self* self) {
    auto* all = static_cast<Invocation*>(self->frame)->arguments;
    auto* tp = std::apply([](Arguments&... each) { return new TP(std::move(each)...); }, *all);
    delete all;
    tp->decRef();
    return EK_END;
  }
  static const ek_proc* procedure() {
    static const ek_proc p = {"a threaded procedure", nullptr, run, sizeof(Invocation), 0, nullptr, 0, EK_FREE};
    return &p;
  }
};

}  // namespace internal

// Begins a procedure, on any thread of the team: TP's constructor is called with copies of the arguments.
template <class TP, class... Arguments>
void invoke(Arguments... arguments) {
  using Its = internal::Invocation<TP, Arguments...>;
  const Its frame = Its::of(arguments...);
  ek_invoke(nullptr, Its::procedure(), &frame);
}

// The same, in that cluster (ek_invoke_at()).
template <class TP, class... Arguments>
void place(int cluster, Arguments... arguments) {
  using Its = internal::Invocation<TP, Arguments...>;
  const Its frame = Its::of(arguments...);
  ek_invoke_at(nullptr, Its::procedure(), &frame, cluster);
}

// Begins a procedure on the threads there are, outside of regions on those of a new one; returns when all that came of
// it is over. False: another runtime, and nothing was done.
template <class TP, class... Arguments>
bool launch(Arguments... arguments) {
  using Its = internal::Invocation<TP, Arguments...>;
  if (!ek_on()) return false;
  const Its frame = Its::of(arguments...);
  return ek_launch(Its::procedure(), &frame) == 0;
}

}  // namespace einkorn

#endif
