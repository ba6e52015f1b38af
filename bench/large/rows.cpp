#include "large/rows.h"

#include <algorithm>
#include <functional>
#include <random>

#include "codelet/beside.h"
#include "flow/mutex.h"
#include "large/timed.h"
#include "large/yardsticks.h"
#include "model/rig.h"
#include "runtime/sync/barrier.h"
#include "runtime/sync/reduction.h"
#include "runtime/task/gomp_body.h"

namespace large {

namespace rt = einkorn::runtime;
using rt::Worker;

namespace {

constexpr int kWarm = 3;  // rounds before those that count

// From one thread's begin to its end, so many times: how long, and how many updates a line had at most.
class Times {
 public:
  void start() { begin = now(), count_updates(); }
  void stop(int times = 1) {
    took = (now() - begin) / times;
    updates = double(most_updates()) / times;
  }
  double took = 0, updates = -1;

 private:
  double begin = 0;
};

// Worker 0 runs primary(worker); the others serve its regions.
template <class Primary>
Outcome on_runtime(const Distances& d, const Own& own, Primary primary) {
  const std::vector<Worker*> workers = rig::make_workers(d.threads());
  rt::g_config.wait_policy = rt::WaitPolicy::unset;
  std::vector<std::function<void()>> threads{[=] { primary(workers[0]); }};
  for (int i = 1; i < d.threads(); ++i)
    threads.push_back([w = workers[size_t(i)]] {
      while (rt::g_threads.serve(w)) {}
    });
  return run(d, own, threads);
}

// ours: of what the runtime did.
Figure figure(double ours, const Outcome& out, double bound = -1) {
  Figure f;
  f.ours = ours;
  f.bound = bound;
  f.stuck = out.stuck;
  return f;
}

void better(Figure& f, double found, const char* by) {
  if (f.best < 0 || found < f.best) f.best = found, f.by = by;
}

// ---- barrier

constexpr int kBarriers = 50;

template <class Barrier>
double by_yardstick(const Distances& d, const Own& own) {
  Times times;
  auto* b = new Barrier(d.threads());
  run_each(d, own, [&times, b](int me) {
    for (int i = 0; i < kWarm; ++i) b->wait(me);
    if (me == 0) times.start();
    for (int i = 0; i < kBarriers; ++i) b->wait(me);
    if (me == 0) times.stop(kBarriers);
    b->wait(me);
  });
  delete b;
  return times.took;
}

// All threads of a team do that, over and over.
template <class Each>
Figure by_all(const Distances& d, const Own& own, double bound, Each each) {
  Times times;
  const Outcome out = on_runtime(d, own, [&](Worker* primary) {
    rig::parallel(primary, d.threads(), [&](Worker* w) {
      for (int i = 0; i < kWarm; ++i) each(w);
      if (w->thread_num == 0) times.start();
      for (int i = 0; i < kBarriers; ++i) each(w);
      if (w->thread_num == 0) times.stop(kBarriers);
    });
  });
  Figure f = figure(times.took, out, bound);
  f.updates = times.updates;
  return f;
}

Figure barrier(const Distances& d, const Own& own) {
  Figure f = by_all(d, own, d.barrier_bound(), [](Worker* w) { rt::barrier(w); });
  better(f, by_yardstick<CentralBarrier>(d, own), "central");
  better(f, by_yardstick<TreeBarrier>(d, own), "tree of 4");
  better(f, by_yardstick<DisseminationBarrier>(d, own), "dissemination");
  return f;
}

// ---- steps

// Steps of 1 us, a fifth of them four times as long; what others need is there after a tenth of each. all: they wait
// for all, in barriers; else for those beside them in a ring (EK_NEAR). ns a step.
Figure uneven_steps(const Distances& d, const Own& own, bool all) {
  namespace ek = einkorn::codelet;
  constexpr double kStep = 1000;
  constexpr int kSteps = 64;
  static const ek::Procedure ring{"ring", "", nullptr, 0, 0, nullptr, 0, ek::kBeside | ek::kRing};
  std::vector<char> memory(ek::Beside::bytes(&ring, d.threads()));
  ek::Beside places(&ring, memory.data(), d.threads());
  Times times;
  const Outcome out = on_runtime(d, own, [&](Worker* primary) {
    rig::parallel(primary, d.threads(), [&](Worker* w) {
      ek::Instance me{
          nullptr, nullptr, 0, uint32_t(w->thread_num), nullptr, &ring, uint32_t(d.threads()), ek::Instance::of_region};
      places.begin(me);
      rt::barrier(w);
      if (w->thread_num == 0) times.start();
      std::minstd_rand random(uint32_t(w->thread_num) * 2654435761u + 1);
      for (int i = 0; i < kSteps; ++i) {
        const double ns = random() / 64 % 5 == 0 ? 4 * kStep : kStep;
        work(all ? ns : ns / 10);
        if (all) {
          rt::barrier(w);
          continue;
        }
        places.post(me);
        work(ns - ns / 10);
        places.arrive(me);
        places.wait(w, me, nullptr);
      }
      places.end(me);
      rt::barrier(w);
      if (w->thread_num == 0) times.stop(kSteps);
    });
  });
  return figure(times.took, out);
}

Figure near(const Distances& d, const Own& own) {
  Figure f = uneven_steps(d, own, false);
  const Figure by_barriers = uneven_steps(d, own, true);
  better(f, by_barriers.ours, "barrier");
  f.stuck |= by_barriers.stuck;
  return f;
}

// ---- region

// So many empty ones, `between` two of them.
Figure regions(const Distances& d, const Own& own, int count, double between) {
  Times times;
  double took = 0;
  const Outcome out = on_runtime(d, own, [&](Worker* primary) {
    for (int i = 0; i < kWarm; ++i) rig::parallel(primary, d.threads(), [](Worker*) {});
    for (int i = 0; i < count; ++i) {
      if (between > 0) work(between);
      times.start();
      rig::parallel(primary, d.threads(), [](Worker*) {});
      times.stop();
      took += times.took;
    }
  });
  Figure f = figure(took / count, out, 2 * d.barrier_bound());
  f.updates = times.updates;
  return f;
}
Figure region(const Distances& d, const Own& own) { return regions(d, own, 8, 0); }

// After so much serial work that all others sleep.
Figure wake(const Distances& d, const Own& own) { return regions(d, own, 2, 50e6); }

// ---- single, and a child for each thread

// What gcc's binaries do at a task construct, by the creator of nothing unusual.
void make_task(Worker* w, void (*body)(void*), double ns) {
  rt::create(w, rt::Gomp{body, &ns, 0, nullptr, sizeof ns, 8}, rt::Clauses{}, nullptr);
}
void of_that_long(void* ns) { work(*static_cast<double*>(ns)); }

Figure single(const Distances& d, const Own& own) {
  return by_all(d, own, d.barrier_bound(), [](Worker* w) {
    rt::single_enter(w);
    rt::barrier(w);
  });
}

// Each adds a number to a sum, by an atomic update as compilers make them, and all wait for it.
Figure reduction(const Distances& d, const Own& own) {
  auto* sum = shared_array<std::atomic<long>>(1);
  return by_all(d, own, d.barrier_bound(), [sum](Worker* w) {
    sum->fetch_add(1, std::memory_order_relaxed);
    rt::barrier(w);
  });
}

// The same as clang's code asks for it (abi/kmpc_sync.cpp): by such updates, or together.
Figure reduction_of_clang(const Distances& d, const Own& own) {
  auto* sum = shared_array<std::atomic<long>>(1);
  return by_all(d, own, d.barrier_bound(), [sum](Worker* w) {
    long mine = 1;
    void* list[] = {&mine};
    const bool together = rt::reduction_method(w, true, true) == rt::ReductionMethod::together;
    if (together)
      rt::reducing_barrier(
          w, {list, [](void* to, void* from) { **static_cast<long**>(to) += **static_cast<long**>(from); }},
          einkorn::record::Construct::barrier_workshare, nullptr, 0);
    if (!together || w->thread_num == 0) sum->fetch_add(mine, std::memory_order_relaxed);
    rt::barrier(w);
  });
}

Figure taskwait(const Distances& d, const Own& own) {
  return by_all(d, own, -1, [](Worker* w) {
    make_task(w, of_that_long, 0);
    rt::wait_for_children(w);
  });
}

// ---- critical: all threads, all the time

constexpr int kEntries = 20;  // a thread

template <class Lock>
double entries(const Distances& d, const Own& own, Outcome* out = nullptr) {
  double last = 0;
  auto* l = new Lock(d.threads());
  const Outcome found = run_each(d, own, [&last, l, n = d.threads()](int me) {
    for (int i = 0; i < kEntries; ++i) {
      l->lock(me);
      l->unlock(me);
      work(100);
    }
    last = std::max(last, now());
    if (me == 0)
      while (now() < 1e3 * n * kEntries) work(1e4);  // the others are to end, too
  });
  delete l;
  if (out) *out = found;
  return last / (double(kEntries) * d.threads());
}

class Ours {
 public:
  explicit Ours(int threads) : mutex_(shared_array<Aligned>(1)), in_turn_(threads > rt::g_looks_apart) {
    einkorn::flow::Onlooker::forget();
  }
  // As a critical section of a team that has a CPU for each thread (StaysAwake): until nobody lingers.
  void lock(int me) {
    double left = einkorn::schedule::kPausesAwake + double(einkorn::tunables::kLinger) / Own().pause;
    const uint32_t who = einkorn::flow::Mutex::holder(uint32_t(me));
    const auto stays = [&](int pauses) { return (left -= pauses) > 0 ? pauses : 0; };
    if (in_turn_) mutex_->mutex.lock_in_turn(who, stays);
    else mutex_->mutex.lock_while(who, stays);
  }
  void unlock(int) { mutex_->mutex.unlock(); }

 private:
  struct alignas(64) Aligned {
    einkorn::flow::Mutex mutex;
  };
  Aligned* mutex_;
  bool in_turn_;
};

Figure critical(const Distances& d, const Own& own) {
  Outcome out;
  const double ours = entries<Ours>(d, own, &out);
  Figure f = figure(ours, out);
  better(f, entries<TicketLock>(d, own), "ticket");
  better(f, entries<McsLock>(d, own), "MCS");
  return f;
}

// ---- dynamic,1 with chunks of 1 us

Figure chunk(const Distances& d, const Own& own) {
  constexpr double kChunk = 1000;
  const int each = 200;
  Times times;
  const Outcome out = on_runtime(d, own, [&](Worker* primary) {
    rig::parallel(primary, d.threads(), [&](Worker* w) {
      w->slot->shares_met = 0;
      for (int i = 0; i < 2; ++i) {
        rt::barrier(w);
        if (w->thread_num == 0) times.start();
        rt::LoopSpec spec;
        spec.nonmonotonic = true;
        spec.iterations = uint64_t(each) * uint64_t(d.threads());
        spec.chunk = 1;
        rt::share_enter(w, spec, 0);
        while (rt::share_next(w)) work(kChunk * double(w->view.count));
        rt::share_leave_to_barrier(w);  // as gcc's binaries do
        rt::barrier(w);
        if (w->thread_num == 0) times.stop();
      }
    });
  });
  return figure(each * kChunk / times.took, out);
}

// ---- tasks

struct Node {
  int depth;
};
void branch(void* data) {
  auto* n = static_cast<Node*>(data);
  work(1000);
  if (n->depth == 0) return;
  Worker* w = rt::self();
  Node children[2] = {{n->depth - 1}, {n->depth - 1}};
  rig::spawn(w, branch, &children[0]);
  rig::spawn(w, branch, &children[1]);
  rt::wait_for_children(w);
}

// A binary tree of tasks of 1 us each, so many that each thread has so many of them or more.
Figure tree_of(const Distances& d, const Own& own, int each, bool in_group) {
  int depth = 6;
  while ((2 << depth) < each * d.threads()) ++depth;
  Times times;
  const Outcome out = on_runtime(d, own, [&](Worker* primary) {
    rig::parallel(primary, d.threads(), [&](Worker* w) {
      if (w->thread_num != 0) return;
      times.start();
      rt::Taskgroup* const g = in_group ? rt::new_group(w) : nullptr;
      if (g) rt::taskgroup_begin(w, g, nullptr, 0);
      Node root{depth};
      branch(&root);
      if (g) rt::taskgroup_end(w, nullptr, 0);
      times.stop();
    });
  });
  return figure(1000.0 * ((2 << depth) - 1) / d.threads() / times.took, out);
}
Figure tree(const Distances& d, const Own& own) { return tree_of(d, own, 400, false); }
Figure long_tree(const Distances& d, const Own& own) { return tree_of(d, own, 4000, false); }
Figure longest_tree(const Distances& d, const Own& own) { return tree_of(d, own, 40'000, false); }
Figure grouped(const Distances& d, const Own& own) { return tree_of(d, own, 400, true); }

// One thread of a team makes tasks, and waits for them. How long that takes.
template <class Make>
double by_one_thread(const Distances& d, const Own& own, Outcome& out, Make make) {
  Times times;
  out = on_runtime(d, own, [&](Worker* primary) {
    rig::parallel(primary, d.threads(), [&](Worker* w) {
      rt::barrier(w);
      if (w->thread_num != 0) return;
      times.start();
      make(w);
      rt::wait_for_children(w);
      times.stop();
    });
  });
  return times.took;
}

// One thread makes tasks of 10 us.
Figure producer(const Distances& d, const Own& own) {
  constexpr double kTask = 10'000;
  const int tasks = 50 * d.threads();
  Outcome out;
  const double took = by_one_thread(d, own, out, [&](Worker* w) {
    for (int i = 0; i < tasks; ++i) rig::spawn(w, [](void*) { work(kTask); }, nullptr);
  });
  return figure(tasks * kTask / d.threads() / took, out);
}

// One thread makes so many tasks of a step each, and waits for them: ns a task. The best of the yardsticks is a thread
// that calls them.
template <class Step>
Figure steps(const Distances& d, const Own& own, int steps, int tasks, double ns, Step step) {
  Outcome out;
  const double took = by_one_thread(d, own, out, [&](Worker* w) {
    for (int i = 0; i < steps; ++i) step(w, i);
  });
  Figure f = figure(took / (double(steps) * tasks), out);
  better(f, ns, "one thread");
  return f;
}

// One at a time: nothing for the others, who look for work beside.
Figure beside(const Distances& d, const Own& own) {
  constexpr double kTask = 500;
  return steps(d, own, 200, 1, kTask, [](Worker* w, int) {
    make_task(w, of_that_long, kTask);
    rt::wait_for_children(w);
  });
}

Figure fine(const Distances& d, const Own& own) {
  constexpr int kTasks = 256;
  constexpr double kTask = 100;
  return steps(d, own, 8, kTasks, kTask, [](Worker* w, int) {
    for (int i = 0; i < kTasks; ++i) make_task(w, of_that_long, kTask);
    rt::wait_for_children(w);
  });
}

struct Depends {
  const rt::Dependence* list;
  size_t many;
  size_t count() const { return many; }
  template <class F>
  bool all(F&& f) const {
    for (size_t i = 0; i < many; ++i)
      if (!f(list[i])) return false;
    return true;
  }
};
template <size_t N>
void make_dependent(Worker* w, double ns, const rt::Dependence (&list)[N]) {
  rt::create_dependent(w, rt::Gomp{of_that_long, &ns, rt::Gomp::kDepend, nullptr, sizeof ns, 8}, Depends{list, N});
}

// A ring of cells, one task a cell and step, which follows those of the three cells about it.
Figure stencil(const Distances& d, const Own& own) {
  constexpr int kCells = 128;
  constexpr double kTask = 500;
  static char cells[2][kCells];
  return steps(d, own, 8, kCells, kTask, [](Worker* w, int step) {
    using enum rt::DepMode;
    char *from = cells[step & 1], *to = cells[(step + 1) & 1];
    for (int i = 0; i < kCells; ++i) {
      auto at = [](char* p) { return reinterpret_cast<uintptr_t>(p); };
      make_dependent(w, kTask,
                     {{at(from + (i + kCells - 1) % kCells), 0, kDepIn},
                      {at(from + i), 0, kDepIn},
                      {at(from + (i + 1) % kCells), 0, kDepIn},
                      {at(to + i), 0, kDepOut}});
    }
  });
}

// A square of tiles, each after its upper and its left neighbour.
Figure wavefront(const Distances& d, const Own& own) {
  constexpr double kTile = 20'000;
  const int side = d.threads() < 16 ? 16 : d.threads();
  std::vector<char> tiles(size_t(side) * size_t(side));
  auto at = [&](int row, int column) {
    return reinterpret_cast<uintptr_t>(&tiles[size_t(row) * size_t(side) + size_t(column)]);
  };
  Outcome out;
  const double took = by_one_thread(d, own, out, [&](Worker* w) {
    using enum rt::DepMode;
    for (int i = 0; i < side; ++i)
      for (int k = 0; k < side; ++k)
        make_dependent(
            w, kTile,
            {{at(std::max(i - 1, 0), k), 0, kDepIn}, {at(i, std::max(k - 1, 0)), 0, kDepIn}, {at(i, k), 0, kDepOut}});
  });
  const double least = std::max(double(side) * side / d.threads(), 2.0 * side - 1) * kTile;
  return figure(least / took, out);
}

}  // namespace

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"barrier", "a barrier, ns", false, barrier},
      {"near", "steps of 1 us, a fifth of 4 us, each thread after its neighbours': ns a step", false, near},
      {"region", "an empty region, ns", false, region},
      {"wake", "an empty region, of which all threads but one sleep, ns", false, wake},
      {"single", "a single, nowait, and a barrier, ns", false, single},
      {"reduction", "a sum of all threads' numbers, and a barrier, ns", false, reduction},
      {"reduce", "the same by clang's function, ns", false, reduction_of_clang},
      {"taskwait", "an empty task and a taskwait, by each thread, ns", false, taskwait},
      {"critical", "all threads at one lock, 100 ns between two entries: ns an entry", false, critical},
      {"chunk", "dynamic,1 with chunks of 1 us: part of the threads' time in them", true, chunk},
      {"tree", "a recursion of 400 tasks of 1 us a thread: part of the threads' time in them", true, tree},
      {"long-tree", "4,000 of them a thread: part of the threads' time in them", true, long_tree},
      {"longest-tree", "40,000 of them a thread: part of the threads' time in them", true, longest_tree, true},
      {"grouped", "400 of them a thread, within a taskgroup: part of the threads' time in them", true, grouped},
      {"producer", "tasks of 10 us made by one thread: part of the threads' time in them", true, producer},
      {"beside", "a task of 500 ns and a taskwait by one thread, with idle ones beside: ns", false, beside},
      {"fine", "tasks of 100 ns made by one thread, 256 and a taskwait: ns a task", false, fine},
      {"stencil", "tasks of 500 ns with depends, from one thread: ns a task", false, stencil},
      {"wavefront", "depends as a wavefront of tiles of 20 us: part of what the graph allows", true, wavefront},
  };
  return all;
}

}  // namespace large
