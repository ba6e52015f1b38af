// The measurement itself: through the entry points that gcc's and clang's programs call.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/cpus.h"
#include "cli/costs.h"

namespace einkorn::cli {
namespace {

using profile::Cost;
using profile::Interface;
using profile::RuntimeCosts;

void nothing() { asm volatile("" ::: "memory"); }

// Some 200 ns: the length at which one wonders whether chunks and tasks are too fine. Each step waits for the previous
// one, so an out-of-order processor begins the next body meanwhile. A task or chunk in between prevents that by its
// fences, which wait until the result is stored. This is a part of its cost that an empty body would not show.
__attribute__((noinline)) double chain(double x) {
  constexpr int kSteps = 100;
  for (int i = 0; i < kSteps; ++i) x = x * 0.999999 + 1e-6;
  return x;
}
constexpr long kValues = 512;
thread_local double t_values[kValues];
void body(long i) { t_values[i % kValues] = chain(t_values[i % kValues]); }

// gcc's entry points.
class Gomp {
 public:
  static constexpr Interface kInterface = Interface::gomp;
  bool find(void* library) {
    auto get = [&](auto& f, const char* name) {
      return (f = reinterpret_cast<std::decay_t<decltype(f)>>(dlsym(library, name))) != nullptr;
    };
    return get(parallel_, "GOMP_parallel") && get(barrier_, "GOMP_barrier") && get(task_, "GOMP_task") &&
           get(taskwait_, "GOMP_taskwait") && get(loop_start_, "GOMP_loop_nonmonotonic_dynamic_start") &&
           get(loop_next_, "GOMP_loop_nonmonotonic_dynamic_next") && get(loop_end_, "GOMP_loop_end_nowait") &&
           get(taskloop_, "GOMP_taskloop");
  }
  void parallel(void (*fn)(void*), void* data, unsigned threads) const { parallel_(fn, data, threads, 0); }
  void barrier() const { barrier_(); }
  void task(void (*fn)(long), long argument, bool deferred) const {
    struct Data {
      void (*fn)(long);
      long argument;
    } data{fn, argument};
    task_([](void* d) { static_cast<Data*>(d)->fn(static_cast<Data*>(d)->argument); }, &data, nullptr, sizeof data,
          alignof(Data), deferred, 0);
  }
  void taskwait() const { taskwait_(); }
  void taskloop(long iterations) const {  // grainsize(1)
    constexpr unsigned kGrainsize = 1 << 9, kIf = 1 << 10;
    struct Data {
      long begin, end;
    } data{0, iterations};
    taskloop_(
        [](void* d) {
          for (long i = static_cast<Data*>(d)->begin; i < static_cast<Data*>(d)->end; ++i) body(i);
        },
        &data, nullptr, sizeof data, alignof(Data), kGrainsize | kIf, 1, 0, 0, iterations, 1);
  }
  void dynamic_loop(long iterations, long chunk) const {
    long begin, end;
    if (loop_start_(0, iterations, 1, chunk, &begin, &end)) do
        for (long i = begin; i < end; ++i) nothing();
      while (loop_next_(&begin, &end));
    loop_end_();
  }

 private:
  void (*parallel_)(void (*)(void*), void*, unsigned, unsigned);
  void (*barrier_)();
  void (*task_)(void (*)(void*), void*, void (*)(void*, void*), long, long, bool, unsigned);
  void (*taskwait_)();
  void (*taskloop_)(void (*)(void*), void*, void (*)(void*, void*), long, long, unsigned, unsigned long, int, long,
                    long, long);
  bool (*loop_start_)(long, long, long, long, long*, long*);
  bool (*loop_next_)(long*, long*);
  void (*loop_end_)();
};

// clang's.
class Kmpc {
  struct Place {  // ident_t
    int32_t reserved = 0, flags = 2, more[2] = {};
    const char* source = ";einkorn;costs;1;1;;";
  };
  struct Task {  // kmp_task_t, and what is private to it
    void* shared;
    int32_t (*entry)(int32_t, Task*);
    int32_t part;
    void* other[2];
    void (*fn)(long);
    long argument;
    uint64_t lower, upper;  // of a taskloop's piece
    int64_t step;
  };

 public:
  static constexpr Interface kInterface = Interface::kmpc;
  bool find(void* library) {
    auto get = [&](auto& f, const char* name) {
      return (f = reinterpret_cast<std::decay_t<decltype(f)>>(dlsym(library, name))) != nullptr;
    };
    return get(fork_, "__kmpc_fork_call") && get(push_, "__kmpc_push_num_threads") &&
           get(self_, "__kmpc_global_thread_num") && get(barrier_, "__kmpc_barrier") &&
           get(alloc_, "__kmpc_omp_task_alloc") && get(task_, "__kmpc_omp_task") &&
           get(begin_, "__kmpc_omp_task_begin_if0") && get(complete_, "__kmpc_omp_task_complete_if0") &&
           get(taskwait_, "__kmpc_omp_taskwait") && get(init_, "__kmpc_dispatch_init_8") &&
           get(next_, "__kmpc_dispatch_next_8") && get(taskloop_, "__kmpc_taskloop");
  }
  void parallel(void (*fn)(void*), void* data, unsigned threads) const {
    push_(&place_, self_(&place_), int32_t(threads));
    auto run = +[](int32_t*, int32_t*, void* f, void* d) { reinterpret_cast<void (*)(void*)>(f)(d); };
    fork_(&place_, 2, reinterpret_cast<void*>(run), reinterpret_cast<void*>(fn), data);
  }
  void barrier() const { barrier_(&place_, self_(&place_)); }
  void task(void (*fn)(long), long argument, bool deferred) const {
    const int32_t self = self_(&place_);
    auto entry = +[](int32_t, Task* t) -> int32_t { return t->fn(t->argument), 0; };
    Task* t = alloc_(&place_, self, 1, sizeof(Task), 0, entry);
    t->fn = fn;
    t->argument = argument;
    if (deferred) {
      task_(&place_, self, t);
    } else {
      begin_(&place_, self, t);
      entry(self, t);
      complete_(&place_, self, t);
    }
  }
  void taskwait() const { taskwait_(&place_, self_(&place_)); }
  void taskloop(long iterations) const {  // grainsize(1)
    constexpr int32_t kGrainsize = 1;
    const int32_t self = self_(&place_);
    auto entry = +[](int32_t, Task* t) -> int32_t {
      for (uint64_t i = t->lower; i <= t->upper; ++i) body(long(i));
      return 0;
    };
    Task* t = alloc_(&place_, self, 1, sizeof(Task), 0, entry);
    t->lower = 0;
    t->upper = uint64_t(iterations) - 1;
    t->step = 1;
    taskloop_(&place_, self, t, 1, &t->lower, &t->upper, t->step, 0, kGrainsize, 1, nullptr);
  }
  void dynamic_loop(long iterations, long chunk) const {
    const int32_t self = self_(&place_);
    constexpr int32_t kDynamic = 35, kNonmonotonic = 1 << 30;
    init_(&place_, self, kDynamic | kNonmonotonic, 0, iterations - 1, 1, chunk);
    int64_t begin, end, step;
    int32_t last;
    while (next_(&place_, self, &last, &begin, &end, &step))
      for (int64_t i = begin; i <= end; ++i) nothing();
  }

 private:
  Place place_;
  void (*fork_)(const Place*, int32_t, void*, ...);
  void (*push_)(const Place*, int32_t, int32_t);
  int32_t (*self_)(const Place*);
  void (*barrier_)(const Place*, int32_t);
  Task* (*alloc_)(const Place*, int32_t, int32_t, size_t, size_t, int32_t (*)(int32_t, Task*));
  int32_t (*task_)(const Place*, int32_t, Task*);
  void (*begin_)(const Place*, int32_t, Task*);
  void (*complete_)(const Place*, int32_t, Task*);
  int32_t (*taskwait_)(const Place*, int32_t);
  void (*taskloop_)(const Place*, int32_t, Task*, int32_t, uint64_t*, uint64_t*, int64_t, int32_t, int32_t, uint64_t,
                    void*);
  void (*init_)(const Place*, int32_t, int32_t, int64_t, int64_t, int64_t, int64_t);
  int32_t (*next_)(const Place*, int32_t, int32_t*, int64_t*, int64_t*, int64_t*);
};

// For regions and inner regions: wall time. For barriers: the extra wall time of the same bodies with them; for
// deferred tasks and chunks: the extra thread time, on as many threads at once.
template <class Abi>
class Measurement {
 public:
  // cpus: one for each thread, at least.
  Measurement(const Abi& abi, const base::CpuSet& cpus, uint32_t threads, bool recorded, RuntimeCosts& out)
      : cpus_(cpus), threads_(threads), recorded_(recorded), out_(out) {
    abi_ = &abi;
  }

  void run() {
    bind();
    // Each takes some ten to some hundred microseconds: short compared with a time slice, so that even on a busy
    // machine some are undisturbed.
    constexpr int kRegions = 100, kBarriers = 200, kInner = 200;
    // Beyond what they do: threads that come from work do not come at once, and what they wait for each other is gone
    // without the region, or the barrier. As nearly every region does, these read what their creator wrote for them.
    keep(Cost::region, beyond(
                           [&] {
                             for (int i = 0; i < kRegions; ++i)
                               abi_->parallel([](void* data) { body(*static_cast<int*>(data)); }, &i, threads_);
                           },
                           [&] {
                             for (int i = 0; i < kRegions; ++i) body(i);
                           }) /
                           kRegions);
    keep(Cost::barrier, beyond(
                            [&] {
                              abi_->parallel(
                                  [](void*) {
                                    for (int i = 0; i < kBarriers; ++i) body(i), abi_->barrier();
                                  },
                                  nullptr, threads_);
                            },
                            [&] { bodies<kBarriers>(threads_); }) /
                            kBarriers);
    keep(Cost::inner, beyond(
                          [&] {
                            abi_->parallel(
                                [](void*) {
                                  for (int i = 0; i < kInner; ++i)
                                    abi_->parallel([](void* data) { body(*static_cast<int*>(data)); }, &i, 2);
                                },
                                nullptr, threads_);
                          },
                          [&] { bodies<kInner>(threads_); }) /
                          kInner);
    at_once();
    const double own = tree();
    if (threads_ >= 2) {
      handed_over(own);
      taskloop();
    }
    chunks();
  }

 private:
  // With nothing in it; and what one with a body takes beyond a plain call of it.
  void at_once() {
    constexpr int kTasks = 1000;
    keep(Cost::at_once, least([&] {
                          abi_->parallel(
                              [](void*) {
                                for (int i = 0; i < kTasks; ++i) abi_->task([](long) { nothing(); }, 0, false);
                              },
                              nullptr, 1);
                        }) / kTasks);
    const double longer = beyond(
        [&] {
          abi_->parallel(
              [](void*) {
                for (int i = 0; i < kTasks; ++i) abi_->task(body, i, false);
              },
              nullptr, 1);
        },
        [&] { bodies<kTasks>(1); });
    keep(out_.with_body[size_t(Abi::kInterface)], longer / kTasks);
  }

  // Each thread makes a tree of its own, whose tasks are run by their creators. As in a recursion, a task creates one
  // task, takes the other branch itself, and waits; at the leaf there is nothing left to do.
  double tree() {
    const double longer = beyond([&] { abi_->parallel([](void*) { branch(1); }, nullptr, threads_); },
                                 [&] { abi_->parallel([](void*) { calls(1); }, nullptr, threads_); });
    keep(Cost::task, longer / (kValues - 1));
    return longer / (kValues - 1);
  }
  static void branch(long node) {
    if (node >= kValues) return;
    body(node);
    abi_->task(branch, 2 * node, true);
    branch(2 * node + 1);
    abi_->taskwait();
  }
  __attribute__((noinline)) static void calls(long node) {
    if (node >= kValues) return;
    body(node);
    calls(2 * node);
    calls(2 * node + 1);
  }

  // One of two threads creates all tasks, the other one steals from it. Of three bodies each: one would be worth
  // handing over only where the two CPUs are near each other.
  void handed_over(double own) {
    constexpr int kTasks = 700, kBodies = 3;
    std::vector<double> counts;
    const double all = 2 * beyond(
                               [&] {
                                 arrived_ = taken_ = 0;
                                 abi_->parallel(
                                     [](void*) {
                                       taken_here_ = 0;
                                       makes_ = is_first();
                                       if (makes_)
                                         for (int i = 0; i < kTasks; ++i)
                                           abi_->task(
                                               [](long n) {
                                                 for (long k = 0; k < kBodies; ++k) body(kBodies * n + k);
                                                 taken_here_ += !makes_;
                                               },
                                               i, true);
                                       abi_->barrier();
                                       __atomic_fetch_add(&taken_, taken_here_, __ATOMIC_RELAXED);
                                     },
                                     nullptr, 2);
                                 counts.push_back(double(taken_));
                               },
                               [&] { bodies<kBodies * kTasks / 2>(2); });
    const double taken = middle_of(counts);
    // Where its creator runs most of them at once, as too short to be handed over, what is lost by that is no cost of
    // the others: nothing is known of it.
    if (taken < kTasks / 3.0) return;
    keep(Cost::handed_over, std::max(own, (all - (kTasks - taken) * own) / taken));
  }

  void taskloop() {
    constexpr int kPieces = 5000;  // the cost of sharing them among the threads is not a piece's
    const double longer = beyond(
        [&] {
          arrived_ = 0;
          abi_->parallel(
              [](void*) {
                if (is_first()) abi_->taskloop(kPieces);
              },
              nullptr, 2);
        },
        [&] { bodies<kPieces / 2>(2); });
    keep(Cost::piece, 2 * longer / kPieces);
  }

  // Of bodies with nothing in them: others hide as much of a chunk as the processor can look ahead, which is all of it
  // or none. How threads meet at a loop differs; long enough that how they begin, and end with unlike numbers of
  // chunks, is little of it.
  void chunks() {
    constexpr long kCoarse = 25;
    const long iterations = 5000 * long(threads_);
    const double longer = beyond([&] { loop<1>(iterations); }, [&] { loop<kCoarse>(iterations); }, 25);
    keep(Cost::chunk, longer * threads_ / double(iterations));
  }
  template <long chunk>
  void loop(long iterations) {
    iterations_ = iterations;
    abi_->parallel([](void*) { abi_->dynamic_loop(iterations_, chunk); }, nullptr, threads_);
  }

  template <int number>
  void bodies(uint32_t threads) const {
    abi_->parallel(
        [](void*) {
          for (int i = 0; i < number; ++i) body(i);
        },
        nullptr, threads);
  }
  // Each thread to a CPU of its own: two on one would measure only that. Not by OMP_PROC_BIND, with which each region
  // asks for places; most programs do not.
  void bind() const {
    arrived_ = 0;
    abi_->parallel(
        [](void* all) {
          const auto& cpus = *static_cast<const base::CpuSet*>(all);
          int cpu = cpus.next(0);
          for (int n = __atomic_fetch_add(&arrived_, 1, __ATOMIC_RELAXED); n > 0 && cpu >= 0; --n)
            cpu = cpus.next(cpu + 1);
          base::CpuSet one;
          one.add(cpu);
          base::set_affinity(one);
        },
        const_cast<base::CpuSet*>(&cpus_), threads_);
  }

  static bool is_first() { return __atomic_fetch_add(&arrived_, 1, __ATOMIC_RELAXED) == 0; }

  template <class F>
  static double time_of(F f) {
    const double begin = now_ns();
    f();
    return now_ns() - begin;
  }
  // Repeats often enough, within a limit of time.
  template <class F>
  static void repeat(F f, int fewest = 7) {
    constexpr int kMost = 400;
    constexpr double kLong = 4e6;
    const double start = now_ns();
    for (int i = 0; i < kMost && (i < fewest || now_ns() - start < kLong); ++i) f();
  }
  // A disturbance only ever makes a measurement longer.
  template <class F>
  static double least(F f) {
    double found = 1e18;
    f();
    repeat([&] { found = std::min(found, time_of(f)); });
    return found;
  }
  // How much longer one takes than the other, measured in turn, because a processor's speed varies. The median counts:
  // a difference of two times has no meaningful least value.
  template <class F, class G>
  static double beyond(F with, G without, int fewest = 7) {
    std::vector<double> all;
    with();
    repeat(
        [&] {
          const double longer = time_of(with);
          all.push_back(longer - time_of(without));
        },
        fewest);
    return std::max(0.0, middle_of(std::move(all)));
  }
  void keep(Cost cost, double ns) { keep(out_(Abi::kInterface, cost), ns); }
  void keep(profile::MeasuredCost& cost, double ns) const { (recorded_ ? cost.recorded : cost.plain) = ns; }

  static inline const Abi* abi_;
  static inline long iterations_;
  static inline int arrived_;
  static inline long taken_;  // tasks run by the thread that did not create them
  static inline thread_local long taken_here_;
  static inline thread_local bool makes_;
  const base::CpuSet& cpus_;
  uint32_t threads_;
  bool recorded_;
  RuntimeCosts& out_;
};

}  // namespace

void measure_costs(const std::string& library, uint32_t threads, bool recorded, RuntimeCosts& out) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  base::CpuSet cpus;  // of this thread, which a measurement binds
  if (!handle || !base::affinity(0, &cpus)) return;
  out.threads = threads;
  if (Gomp gomp; gomp.find(handle)) Measurement<Gomp>(gomp, cpus, threads, recorded, out).run();
  if (Kmpc kmpc; kmpc.find(handle)) Measurement<Kmpc>(kmpc, cpus, threads, recorded, out).run();
}

}  // namespace einkorn::cli
