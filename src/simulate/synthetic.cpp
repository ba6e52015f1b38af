#include "simulate/synthetic.h"

#include <fmt/format.h>

#include "simulate/builder.h"

namespace einkorn::simulate {

Program fork_join_tree(uint32_t members, uint32_t fan, uint32_t depth, double node_ns, double leaf_ns) {
  Builder b(fmt::format("tree {} {}", fan, depth));
  const uint32_t root = b.region(Builder::kInitial, members);
  std::vector<std::pair<uint32_t, uint32_t>> open{{root, 0}};  // task, level
  while (!open.empty()) {
    const auto [task, level] = open.back();
    open.pop_back();
    if (level == depth) {
      b.compute(task, leaf_ns);
      continue;
    }
    if (level > 0) b.compute(task, node_ns);
    for (uint32_t i = 0; i < fan; ++i) open.emplace_back(b.fork(task), level + 1);
    if (level > 0) b.wait(task);
  }
  return b.finish();
}

Program flat(uint32_t members, uint32_t tasks, double ns) {
  Builder b(fmt::format("flat {}", tasks));
  const uint32_t maker = b.region(Builder::kInitial, members);
  for (uint32_t i = 0; i < tasks; ++i) b.compute(b.fork(maker), ns);
  return b.finish();
}

Program load_balance(uint32_t members, int nodes, uint32_t packages, uint64_t largest_bytes, double ns_per_byte,
                     Packages how) {
  Builder b("load-balance");
  const uint32_t first = b.region(Builder::kInitial, members);
  const bool tasks = how == Packages::tasks || how == Packages::owner_tasks;
  const uint32_t loop =
      tasks ? kNone : b.loop(how == Packages::dynamic_loop ? LoopSchedule::on_demand : LoopSchedule::fixed);
  for (uint32_t i = 0; i < packages; ++i) {
    const uint64_t bytes = uint64_t(double(largest_bytes) * double(i + 1) / double(packages));
    const uint32_t data = b.data(bytes, int(uint64_t(i) * uint64_t(nodes) / packages));
    const double ns = double(bytes) * ns_per_byte;
    if (!tasks) {
      b.chunk(ns, {{data, bytes, true}});
      continue;
    }
    const uint32_t owner = how == Packages::owner_tasks ? uint32_t(uint64_t(i) * members / packages) : 0;
    b.compute(b.fork(first + owner), ns, {{data, bytes, true}});
  }
  if (!tasks)
    for (uint32_t m = 0; m < members; ++m) b.run_loop(first + m, loop);
  return b.finish();
}

}  // namespace einkorn::simulate
