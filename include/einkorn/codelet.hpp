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
// The programs that were published for it spell the last line like this, which is the same here:
//
//   Runtime rt;
//   rt.run(launch<Fib>(30, &result, &Runtime::finalSignal));
//
// A procedure lives until each of its codelets has been fired as often as it is to be: once, and once more for each
// resetCodelet(). One that will not be fired after all says so: cancel().
#ifndef EINKORN_CODELET_HPP
#define EINKORN_CODELET_HPP

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <type_traits>
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
  ThreadedProcedure* const myTP_ = myTP;  // its name in published programs

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
inline void add(Codelet* c) { add(*c); }

using TP = ThreadedProcedure;

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

// Published programs name the procedure that invokes, too, before the arguments of the one that is invoked. It is of no
// use here. What the constructor takes decides which of the two is meant.
namespace internal {

template <class TP, class First, class... Rest>
constexpr bool names_invoker() {
  return std::is_convertible_v<First, ThreadedProcedure*> && std::is_constructible_v<TP, Rest...> &&
         !std::is_constructible_v<TP, First, Rest...>;
}

template <class TP, class... Arguments>
void invoke_with(Arguments... arguments) {
  using Its = Invocation<TP, Arguments...>;
  const Its frame = Its::of(arguments...);
  ek_invoke(nullptr, Its::procedure(), &frame);
}

}  // namespace internal

// Begins a procedure, on any thread of the team: TP's constructor is called with copies of the arguments.
template <class TP>
void invoke() {
  internal::invoke_with<TP>();
}
template <class TP, class First, class... Rest>
void invoke(First first, Rest... rest) {
  if constexpr (internal::names_invoker<TP, First, Rest...>()) internal::invoke_with<TP>(std::move(rest)...);
  else internal::invoke_with<TP>(std::move(first), std::move(rest)...);
}

// The same, in that cluster (ek_invoke_at()).
template <class TP, class... Arguments>
void place(int cluster, Arguments... arguments) {
  using Its = internal::Invocation<TP, Arguments...>;
  const Its frame = Its::of(arguments...);
  ek_invoke_at(nullptr, Its::procedure(), &frame, cluster);
}

// What launch() answers: true, or false on another runtime, where nothing was done.
class Launched {
 public:
  explicit Launched(bool done) : done_(done) {}
  operator bool() const { return done_; }

 private:
  bool done_;
};

// Begins a procedure on the threads there are, outside of regions on those of a new one; returns when all that came of
// it is over. False: another runtime, and nothing was done.
template <class TP, class... Arguments>
Launched launch(Arguments... arguments) {
  using Its = internal::Invocation<TP, Arguments...>;
  if (!ek_on()) return Launched(false);
  const Its frame = Its::of(arguments...);
  return Launched(ek_launch(Its::procedure(), &frame) == 0);
}

// ---- As published programs begin ----

// How threads are bound, and how clusters take work: words of ThreadAffinity.
enum AffinityMode : unsigned { COMPACT, SPREAD };
enum TPMode : unsigned { TPSTATIC, TPROUNDROBIN, TPWORKPUSH, TPDYNAMIC };
enum CodeletMode : unsigned { MCSTATIC, MCROUNDROBIN, MCSTANDARD, MCWORKPUSH, MCDYNAMIC };
enum : uint32_t { SHORTWAIT, LONGWAIT };  // of a codelet

// The shape of the machine that a program asks for: `clusters` of one TP scheduler and `units` computation units each.
// Here the user sets it, by EINKORN_AMM, before the program starts.
class ThreadAffinity {
 public:
  ThreadAffinity(unsigned units, unsigned clusters, unsigned mode, unsigned tp_mode = TPDYNAMIC,
                 unsigned codelet_mode = MCDYNAMIC)
      : workers_(units + 1), clusters_(clusters), mode_(mode) {
    static_cast<void>(tp_mode), static_cast<void>(codelet_mode);
  }
  // True: a Runtime may be made. Without EINKORN_AMM a line on standard error says how to have that shape.
  bool generateMask() {
    if (clusters_ == 0) return false;
    if (!std::getenv("EINKORN_AMM"))
      std::fprintf(
          stderr,
          "einkorn: ThreadAffinity does not set the shape of the machine. Set EINKORN_AMM=%ux%u%s to have it.\n",
          clusters_, workers_, mode_ == SPREAD ? ",spread" : "");
    return true;
  }

 private:
  unsigned workers_, clusters_, mode_;
};

class Runtime {
 public:
  Runtime() { require(ek_on() != 0); }
  explicit Runtime(ThreadAffinity*) : Runtime() {}

  // The argument has run the procedure: run(launch<Fib>(30, &result, &Runtime::finalSignal)). Where that could not be
  // done the program ends with a message.
  void run(Launched launched) { require(launched); }

  // For the last procedure to signal. A run is over when all that came of it is, so that nothing waits for this signal.
  class Final : public Codelet {
   public:
    Final() : Codelet(kMany, kMany, nullptr) {}
    void fire() override { resetCodelet(); }

   private:
    static constexpr uint32_t kMany = 1u << 30;
  };
  inline static Final finalSignal;

 private:
  static void require(bool done) {
    if (done) return;
    std::fprintf(
        stderr,
        "einkorn::Runtime: this program runs on an OpenMP library that has no codelets. Start it by: einkorn run -- PROGRAM\n");
    std::exit(1);
  }
};

}  // namespace einkorn

#endif
