/* The work of fib.c, flat.c, depend.c (chain) and dynamic.c with oneTBB: tbb fib|flat|chain|for. In its own idioms,
 * with its own defaults; as many threads as OMP_NUM_THREADS says. */
#include <tbb/blocked_range.h>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <cstring>
#include <deque>
#include "measure.h"

namespace {

constexpr int kFib = 27, kTasks = 200000, kChain = 2000, kChunks = 500000;

long fib(int n) {
  if (n < 2) return n;
  long x, y;
  tbb::task_group group;
  group.run([&x, n] { x = fib(n - 1); });
  group.run([&y, n] { y = fib(n - 2); });
  group.wait();
  return x + y;
}

double fib_once() {
  double start = now_ns();
  long result = fib(kFib);
  double elapsed = now_ns() - start;
  long a = 0, b = 1;
  for (int i = 0; i < kFib; i++) {
    long next = a + b;
    a = b;
    b = next;
  }
  if (result != a) exit(1);
  return elapsed / (2.0 * double(b - 1));
}

double flat_once() {
  double start = now_ns();
  tbb::task_group group;
  for (int i = 0; i < kTasks; i++) group.run([] { KEEP(); });
  group.wait();
  return (now_ns() - start) / kTasks;
}

/* The graph is built, run and destroyed: OpenMP builds and drops its chain, too. */
double chain_once() {
  using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
  double start = now_ns();
  {
    tbb::flow::graph graph;
    std::deque<Node> nodes;
    for (int i = 0; i < kChain; i++) {
      nodes.emplace_back(graph, [](const tbb::flow::continue_msg&) { KEEP(); });
      if (i > 0) tbb::flow::make_edge(nodes[size_t(i) - 1], nodes[size_t(i)]);
    }
    nodes[0].try_put(tbb::flow::continue_msg());
    graph.wait_for_all();
  }
  return (now_ns() - start) / kChain;
}

/* simple_partitioner and grain 1: every iteration is a task of its own, as each is a chunk in dynamic.c. */
double for_once() {
  double start = now_ns();
  tbb::parallel_for(
      tbb::blocked_range<int>(0, kChunks, 1), [](const tbb::blocked_range<int>&) { KEEP(); },
      tbb::simple_partitioner());
  return (now_ns() - start) / kChunks;
}

}  // namespace

int main(int argc, char** argv) {
  const char *what = argc == 2 ? argv[1] : "", *threads = getenv("OMP_NUM_THREADS");
  double (*once)() = !strcmp(what, "fib")     ? fib_once
                     : !strcmp(what, "flat")  ? flat_once
                     : !strcmp(what, "chain") ? chain_once
                     : !strcmp(what, "for")   ? for_once
                                              : nullptr;
  if (!once || !threads || atoi(threads) < 1) {
    fprintf(stderr, "usage: OMP_NUM_THREADS=N tbb fib|flat|chain|for\n");
    return 2;
  }
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, size_t(atoi(threads)));
  tbb::task_arena arena(atoi(threads)); /* there are more threads than CPUs only if an arena asks for them */
  int status = 1;
  arena.execute([&] { status = measure(once, "ns"); });
  return status;
}
