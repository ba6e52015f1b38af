// Recorded runs of graphs of codelets, replayed where nothing but the codelets takes time: closed forms.
#include <gtest/gtest.h>

#include "profile_support.h"
#include "simulate/engine.h"
#include "simulate/from_profile.h"
#include "simulate_support.h"

using namespace einkorn::simulate;
namespace record = einkorn::record;
using einkorn::test::GrainFile;
using einkorn::test::Script;
using Construct = einkorn::record::Construct;
using Arcs = std::vector<std::pair<uint32_t, uint32_t>>;

namespace {

constexpr uint64_t kLong = 1000;  // ns of a codelet

// A run of that graph by one thread, one codelet after the other: nodes are in an order in which they can be.
Program program_of(uint32_t nodes, const Arcs& arcs) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000);
  const uint32_t end = file.site(Construct::barrier_parallel, 0x1000);
  const uint32_t run = file.site(Construct::codelet_graph, 0, 0x1100);
  const uint32_t codelet = file.site(Construct::codelet, 0x2000, 0x1200, record::kSiteHasDepend);
  const uint32_t graph = file.graph("g", nodes, {{codelet, 0}}, arcs);
  Script& a = file.thread(Script::kInitial);
  const uint64_t region = a.new_region();
  a.at(0).region_begin(parallel, region, 1).implicit_begin(0, region);
  const uint64_t id = a.graph_run(run, graph);
  for (uint32_t n = 0; n < nodes; ++n) a.at(n * kLong).codelet(n, id).at((n + 1) * kLong).codelet_end();
  a.wait_end().wait_begin(end).wait_end().implicit_end().region_end().thread_end();
  const einkorn::test::Loaded l = einkorn::test::load_file(file);
  EXPECT_TRUE(l.ok) << l.error.message;
  std::string error;
  const Program p = from_profile(l.profile, {}, error);
  EXPECT_EQ(error, "");
  EXPECT_EQ(check(p), "");
  return p;
}

double makespan(const Program& program, uint32_t workers, const Costs& costs = {}) {
  const Program p = with_members(program, workers);
  const einkorn::test::Replay on(workers, costs);
  const Outcome o = simulate(p, on.setup);
  EXPECT_FALSE(o.stuck);
  return o.makespan;
}

Arcs wavefront(uint32_t side) {
  Arcs arcs;
  for (uint32_t n = 0; n < side * side; ++n) {
    if (n / side + 1 < side) arcs.emplace_back(n, n + side);
    if (n % side + 1 < side) arcs.emplace_back(n, n + 1);
  }
  return arcs;
}

}  // namespace

TEST(SimulateCodelets, AChainTakesAsLongOnAnyNumberOfWorkers) {
  Arcs arcs;
  for (uint32_t n = 0; n + 1 < 24; ++n) arcs.emplace_back(n, n + 1);
  const Program p = program_of(24, arcs);
  EXPECT_DOUBLE_EQ(p.work(), 24.0 * kLong);
  EXPECT_DOUBLE_EQ(p.span(), 24.0 * kLong);
  for (const uint32_t workers : {1u, 2u, 3u, 8u}) EXPECT_DOUBLE_EQ(makespan(p, workers), 24.0 * kLong) << workers;
}

TEST(SimulateCodelets, ThoseThatWaitForNobodyAreShared) {
  const Program p = program_of(25, {});
  EXPECT_DOUBLE_EQ(p.span(), double(kLong));
  for (const uint32_t workers : {1u, 2u, 3u, 4u, 8u, 25u, 32u})
    EXPECT_DOUBLE_EQ(makespan(p, workers), double((25 + workers - 1) / workers * kLong)) << workers;
}

// A square of n x n takes 2n - 1 at least. On fewer workers than that can use, all but P - 1 steps, of which half are
// at the begin and half at the end, keep all of them busy.
TEST(SimulateCodelets, AWavefrontFillsItsWorkers) {
  constexpr uint32_t kSide = 12;
  const Program p = program_of(kSide * kSide, wavefront(kSide));
  EXPECT_DOUBLE_EQ(p.span(), double((2 * kSide - 1) * kLong));
  for (const uint32_t workers : {1u, 2u, 3u, 4u, 6u, 12u})
    EXPECT_DOUBLE_EQ(makespan(p, workers), double((kSide * kSide / workers + workers - 1) * kLong)) << workers;
}

// The graph is there: nobody creates its codelets. Who fires one fetches it.
TEST(SimulateCodelets, CostNothingToCreate) {
  Costs costs;
  costs.create = 100;
  costs.create_depend = 300;
  EXPECT_DOUBLE_EQ(makespan(program_of(4, {{0, 1}, {1, 2}, {2, 3}}), 1, costs), 4.0 * kLong);
  costs.fetch = 7;
  EXPECT_DOUBLE_EQ(makespan(program_of(4, {{0, 1}, {1, 2}, {2, 3}}), 1, costs), 4.0 * (kLong + 7));
}
