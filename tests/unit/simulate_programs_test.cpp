// The programs of the literature: counts, work and longest paths by their closed forms; UTS's trees against the
// published counts.
#include <functional>

#include <gtest/gtest.h>

#include "simulate/program_text.h"
#include "simulate/synthetic.h"

using namespace einkorn::simulate;

namespace {

uint32_t explicit_tasks(const Program& p) {
  uint32_t n = 0;
  for (const Task& t : p.tasks) n += t.explicit_task;
  return n;
}

Program parsed(const std::string& text, int members = 4, int nodes = 4) {
  std::function<Program(int)> make;
  std::string why;
  EXPECT_TRUE(parse_program(text, nodes, make, why)) << why;
  return make ? make(members) : Program{};
}

}  // namespace

TEST(SimulatePrograms, CholeskyByItsClosedForms) {
  for (const uint32_t t : {1u, 2u, 3u, 8u, 17u}) {
    const Program p = cholesky(4, t, 8, 2);
    const double cube = 8. * 8 * 8 / 2, n = t;
    EXPECT_EQ(check(p), "");
    EXPECT_EQ(p.data.size(), t * (t + 1) / 2);
    EXPECT_EQ(explicit_tasks(p), t * (t + 1) / 2 + t * (t + 1) * (t + 2) / 6);
    // t potrf, t (t - 1) / 2 trsm and as many syrk, t (t - 1) (t - 2) / 6 gemm of twice that: n^3 / 3 operations in the
    // limit.
    EXPECT_DOUBLE_EQ(p.work(), cube * (n + n * (n - 1) + n * (n - 1) * (n - 2) / 3));
    EXPECT_DOUBLE_EQ(p.span(), cube * (3 * n - 2));
  }
}

// Longest path of a chain of triangles on top of squares: Bouwmeester, Jacquelin, Langou, Robert, Tiled QR
// factorization algorithms (SC 2011), in units of b^3 / 3 operations. The first tasks are the sources of the graph:
// where they run, the schedule says, and so where the data lies.
TEST(SimulatePrograms, FirstTasksAreSources) {
  for (const Program& p : {cholesky(4, 6, 8, 1), qr(4, 6, 8, 1), stencil(4, 6, 8, 2, 1, Stencil::tasks)}) {
    uint32_t sources = 0;
    for (const Task& t : p.tasks) sources += t.explicit_task && t.predecessors == 0 && t.successors > 0;
    EXPECT_EQ(sources, p.name[0] == 'c' ? 21u : 36u) << p.name;
  }
}

TEST(SimulatePrograms, QrByItsClosedForms) {
  for (const uint32_t t : {1u, 2u, 3u, 8u, 17u}) {
    const Program p = qr(4, t, 6, 3);
    const double cube = 6. * 6 * 6 / 3, n = t;
    EXPECT_EQ(check(p), "");
    EXPECT_EQ(explicit_tasks(p), t * t + t * (t + 1) * (2 * t + 1) / 6);
    EXPECT_NEAR(p.work(), cube * (4 * n / 3 + 2 * n * (n - 1) + 4 * (n - 1) * n * (2 * n - 1) / 6), 1e-9 * p.work());
    EXPECT_NEAR(p.span(), t == 1 ? cube * 4 / 3 : cube / 3 * (30 * n - 34), 1e-9 * p.work());
  }
}

TEST(SimulatePrograms, StencilsByTheirClosedForms) {
  for (const auto how : {Stencil::tasks, Stencil::loops}) {
    const Program p = stencil(4, 5, 16, 7, 0.5, how);
    EXPECT_EQ(check(p), "");
    EXPECT_EQ(explicit_tasks(p), how == Stencil::tasks ? 25 * 8 : 0u);
    EXPECT_EQ(p.chunks.size(), how == Stencil::loops ? 25 * 8 : 0u);
    EXPECT_EQ(p.data.size(), 2 * 25u);
    EXPECT_DOUBLE_EQ(p.work(), 25 * 7 * 16 * 16 * 0.5);
    EXPECT_DOUBLE_EQ(p.span(), 7 * 16 * 16 * 0.5);
    // The first time all of both arrays; then a tile from one, a tile to the other, and the edges: 4 t (t - 1) of them.
    uint64_t bytes = 0;
    for (const Access& a : p.accesses) bytes += a.bytes;
    EXPECT_EQ(bytes, 8u * (2 * 25 * 256 + 7 * (2 * 25 * 256 + 4 * 5 * 4 * 16)));
  }
}

// A step's tiles wait for their neighbours' of the step before, and no others.
TEST(SimulatePrograms, StencilTasksWaitForNeighbours) {
  const Program p = stencil(1, 3, 4, 2, 1, Stencil::tasks);
  const uint32_t first = 2 + 9;  // after the initial task, the member, and the first writes
  for (uint32_t i = 0; i < 3; ++i)
    for (uint32_t j = 0; j < 3; ++j) {
      const Task& second = p.tasks[first + 9 + i * 3 + j];
      EXPECT_EQ(second.predecessors, 1 + (i > 0) + (i < 2) + (j > 0) + (j < 2)) << i << j;
    }
}

// Each update another time, within its bounds, and the same ones whatever the team.
TEST(SimulatePrograms, JitterOfAStencil) {
  constexpr uint32_t kSide = 12, kSteps = 9;
  constexpr double kNs = 16 * 16 * 0.5;
  auto times = [](uint32_t members, Stencil how) {
    const Program p = stencil(members, kSide, 16, kSteps, 0.5, how, 0.1);
    EXPECT_EQ(check(p), "");
    std::vector<double> out;
    for (const Step& s : p.steps)
      if (s.kind == StepKind::compute && s.ns > 0) out.push_back(s.ns);
    for (const Chunk& c : p.chunks)
      if (c.ns > 0) out.push_back(c.ns);
    return out;
  };
  const std::vector<double> one = times(1, Stencil::tasks);
  ASSERT_EQ(one.size(), kSide * kSide * kSteps);
  double sum = 0, least = kNs, most = 0;
  for (const double ns : one) sum += ns, least = std::min(least, ns), most = std::max(most, ns);
  EXPECT_GE(least, 0.9 * kNs);
  EXPECT_LE(most, 1.1 * kNs);
  EXPECT_LT(least, 0.91 * kNs);
  EXPECT_GT(most, 1.09 * kNs);
  EXPECT_NEAR(sum, kNs * double(one.size()), 0.01 * sum);
  EXPECT_EQ(times(8, Stencil::tasks), one);
  EXPECT_EQ(times(8, Stencil::loops), one);
}

TEST(SimulatePrograms, PackagesGrowAndLieInOrder) {
  for (const auto how : {Packages::static_loop, Packages::dynamic_loop, Packages::tasks, Packages::owner_tasks}) {
    const Program p = load_balance(32, 4, 3840, 3840 * 100, 0.5, how);
    EXPECT_EQ(check(p), "");
    ASSERT_EQ(p.data.size(), 3840u);
    EXPECT_EQ(p.data[0].bytes, 100u);
    EXPECT_EQ(p.data[3839].bytes, 384000u);
    EXPECT_EQ(p.data[959].node, 0);
    EXPECT_EQ(p.data[960].node, 1);
    EXPECT_DOUBLE_EQ(p.work(), 3840. * 3841 / 2 * 100 * 0.5);
    EXPECT_EQ(explicit_tasks(p) + p.chunks.size(), 3840u);
  }
  const Program owners = load_balance(32, 4, 3840, 384000, 0.5, Packages::owner_tasks);
  for (uint32_t m = 1; m <= 32; ++m) EXPECT_EQ(owners.tasks[m].steps, 120u + 1);  // its tasks, and the last barrier
}

// programs/uts.c has the same counts, of the authors; the small trees' are of Olivier 2012, 3.1.
TEST(SimulatePrograms, TreesAreThoseOfUts) {
  struct Case {
    const char* name;
    UtsTree tree;
    uint64_t nodes, leaves;
    uint32_t depth;
  };
  auto binomial = [](double b0, double q, uint32_t m, uint32_t seed) {
    return UtsTree{UtsTree::binomial, UtsTree::linear, b0, q, m, 0, seed, 0};
  };
  for (Case c : {Case{"t1", {}, 4130071, 3305118, 10}, Case{"t3", {}, 4112897, 3599034, 1572},
                 Case{"", binomial(100, 0.24, 4, 1), 2293, 1744, 35}, Case{"", binomial(10, 0.45, 2, 7), 41, 25, 7},
                 Case{"", binomial(2000, 0.1, 8, 42), 9369, 8447, 23}}) {
    if (*c.name) {
      ASSERT_TRUE(uts_tree(c.name, c.tree));
    }
    UtsNodes walked;
    ASSERT_TRUE(walk_uts(c.tree, 4, 10'000'000, walked));
    EXPECT_EQ(walked.all, c.nodes);
    EXPECT_EQ(walked.leaves, c.leaves);
    EXPECT_EQ(walked.deepest, c.depth);
  }
}

TEST(SimulatePrograms, UtsTasks) {
  const UtsTree tree{UtsTree::binomial, UtsTree::linear, 2000, 0.1, 8, 0, 42, 0};
  UtsNodes all, cut;
  ASSERT_TRUE(walk_uts(tree, kNone, 10'000'000, all));
  ASSERT_TRUE(walk_uts(tree, 3, 10'000'000, cut));
  EXPECT_EQ(all.all, cut.all);
  EXPECT_EQ(all.nodes.size(), all.all);
  EXPECT_LT(cut.nodes.size(), all.nodes.size() / 2);
  const Program p = uts(4, all, 10), q = uts(4, cut, 10);
  for (const Program* program : {&p, &q}) {
    EXPECT_EQ(check(*program), "");
    EXPECT_DOUBLE_EQ(program->work(), 10. * double(all.all));
  }
  EXPECT_EQ(explicit_tasks(p), all.all - 1);
  EXPECT_EQ(explicit_tasks(q), cut.nodes.size() - 1);
  EXPECT_DOUBLE_EQ(p.span(), 10. * (all.deepest + 1));
  UtsNodes none;
  EXPECT_FALSE(walk_uts(tree, 3, 1000, none));
}

TEST(SimulatePrograms, ByTheirText) {
  EXPECT_EQ(explicit_tasks(parsed("cholesky:8:64")), 36 + 120u);
  EXPECT_EQ(explicit_tasks(parsed("qr:8:64:2")), 64 + 204u);
  EXPECT_EQ(explicit_tasks(parsed("stencil:4:64:3:0.25")), 16 * 4u);
  EXPECT_EQ(parsed("stencil-loop:4:64:3").chunks.size(), 16 * 4u);
  EXPECT_NE(parsed("stencil:4:64:3:0.25:10").work(), parsed("stencil:4:64:3:0.25").work());
  EXPECT_EQ(explicit_tasks(parsed("uts:binomial:100:0.24:4:1")), 2292u);
  EXPECT_DOUBLE_EQ(parsed("uts:binomial:100:0.24:4:1:5:20").work(), 2293 * 20.);
  EXPECT_DOUBLE_EQ(parsed("uts:geometric:2:3:5").work(), parsed("uts:geometric:2:3:5:1").work());
  EXPECT_EQ(parsed("packages:1e6:0.5").chunks.size(), 3840u);
  EXPECT_EQ(parsed("packages-dynamic:1e6:0.5").loops[0].schedule, LoopSchedule::on_demand);
  EXPECT_EQ(explicit_tasks(parsed("packages-tasks:1e6:0.5")), 3840u);
  EXPECT_EQ(explicit_tasks(parsed("packages-owner-tasks:1e6:0.5")), 3840u);
  EXPECT_EQ(explicit_tasks(parsed("tree:2:3:1:1")), 2 + 4 + 8u);
  EXPECT_EQ(explicit_tasks(parsed("flat:10:5")), 10u);
  std::function<Program(int)> make;
  std::string why;
  for (const char* wrong : {"",
                            "cholesky",
                            "cholesky:",
                            "cholesky:8",
                            "cholesky:8.5:64",
                            "cholesky:8:64:1:1",
                            "cholesky:0:64",
                            "cholesky:1e4:64",
                            "qr:8:x",
                            "qr:400:64",
                            "stencil:4:64",
                            "stencil:4:64:0",
                            "stencil:2000:4:5",
                            "stencil:4:64:3:1:100",
                            "stencil-loop:4:64:3:1:10:1",
                            "uts",
                            "uts:",
                            "uts:t9",
                            "uts:t1:x",
                            "uts:t1:2:3:4",
                            "uts:binomial:2:0.5:2:1",
                            "uts:binomial:2:0.5:1",
                            "uts:geometric:9:20",
                            "packages:1e6",
                            "packages-other:1e6:1",
                            "tree:10:9:1:1",
                            "flat:-1:4",
                            "flat:1e8:4",
                            "flat:nan:4",
                            "flat:4:inf"}) {
    EXPECT_FALSE(parse_program(wrong, 4, make, why)) << wrong;
    EXPECT_FALSE(why.empty()) << wrong;
  }
}
