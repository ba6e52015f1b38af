// Real recordings: the golden programs in C, compiled by gcc and clang, recorded by `einkorn record`, against the same
// hand-worked graphs; and states.c, whose own clocks say where its time went.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sys/wait.h>
#include <unistd.h>
#include "../scratch.h"
#include "describe.h"
#include "golden_by_hand.h"
#include "golden_depend.h"
#include "golden_programs.h"
#include "invariants.h"
#include "profile/profile.h"

namespace einkorn {
namespace {

using namespace test;
namespace fs = std::filesystem;
using profile::State;

int run(const std::string& command) {
  int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class Recorded : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder_ = scratch("");
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Compiles NAME.c; a missing compiler fails the test.
  void compile(const std::string& name) {
    program_ = folder_ / name;
    std::string command = std::string(GetParam()) + " -g -O1 -fopenmp '" EINKORN_PROGRAMS "/" + name + ".c' -o '" +
                          program_.string() + "'";
    if (std::string(GetParam()).find("clang") != std::string::npos)
      command += " -L" EINKORN_LIBOMP_DIR " -Wno-unused-command-line-argument";
    ASSERT_EQ(run(command), 0) << command;
  }
  void record(profile::Profile& p) {
    fs::path file = folder_ / "out.grain";
    fs::remove(file);
    std::string command = "OMP_NUM_THREADS=2 '" EINKORN_TOOL "' record -o '" + file.string() + "' -- '" +
                          program_.string() + "' > '" + (folder_ / "stdout").string() + "' 2> '" +
                          (folder_ / "stderr").string() + "'";
    ASSERT_EQ(run(command), 0) << command << "\n" << text("stderr");
    profile::LoadError error;
    ASSERT_TRUE(profile::load(file.string(), {}, p, error)) << error.message;
    ASSERT_EQ(broken_invariant(p), "");
    ASSERT_TRUE(p.totals.complete);
    ASSERT_FALSE(p.totals.truncated);
  }
  std::string text(const char* name) {
    std::ifstream in(folder_ / name);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

  // The recorded program has the hand-worked graph, and its tasks and chunks the names that the script's have.
  void expect_golden(const std::string& name, const GrainFile& script, const char* graph) {
    compile(name);
    if (HasFatalFailure()) return;
    std::string scripted = folder_ / "script.grain";
    script.save(scripted);
    profile::Profile by_hand;
    profile::LoadError error;
    ASSERT_TRUE(profile::load(scripted, {}, by_hand, error)) << error.message;
    for (int i = 0; i < 5; ++i) {  // under whatever schedule
      profile::Profile p;
      record(p);
      if (HasFatalFailure()) return;
      EXPECT_EQ(structure(describe(p)), structure(lines_of(graph)));
      for (profile::GrainKind kind : {profile::GrainKind::task, profile::GrainKind::chunk})
        EXPECT_EQ(ids(p, kind), ids(by_hand, kind));
    }
  }
  static std::set<std::pair<uint64_t, uint64_t>> ids(const profile::Profile& p, profile::GrainKind kind) {
    std::set<std::pair<uint64_t, uint64_t>> out;
    for (const profile::Grain& g : p.grains)
      if (g.kind == kind) out.insert({g.id_high, g.id_low});
    return out;
  }

  fs::path folder_, program_;
};

TEST_P(Recorded, TasksOfFigure53) { expect_golden("figure53_tasks", figure53_tasks(), kFigure53Tasks); }
TEST_P(Recorded, LoopOfFigure53) { expect_golden("figure53_loop", figure53_loop(), kFigure53Loop); }
TEST_P(Recorded, Fib) { expect_golden("fib4", fib4(), kFib4); }
TEST_P(Recorded, NestedRegionTaskgroupAndRogueTasks) { expect_golden("nested", nested(), kNested); }

TEST_P(Recorded, TasksThatDepend) { expect_golden("depend_tasks", depend_tasks(), kDependTasks); }
TEST_P(Recorded, CodeletsByHand) { expect_golden("by_hand", signals(), kSignals); }
TEST_P(Recorded, WaitsForSomeTasks) { expect_golden("depend_waits", depend_waits(), kDependWaits); }

// Whoever gives the last signal, the firing and what it creates have the same names.
TEST_P(Recorded, NamesOfCodeletsByHand) {
  compile("by_hand_grid");
  std::set<std::pair<uint64_t, uint64_t>> first;
  for (int i = 0; i < 5 && !HasFatalFailure(); ++i) {
    profile::Profile p;
    record(p);
    if (HasFatalFailure()) return;
    const auto names = ids(p, profile::GrainKind::task);
    ASSERT_EQ(names.size(), 2 * 12 * 12 + 2u);
    if (i == 0) first = names;
    EXPECT_EQ(names, first);
  }
}

// Each state within 3 % of what the program's own clocks say, and what other programs and the machine's host took
// besides: a thread that has no CPU between the program's stamp and ours has that in one of the two only.
TEST_P(Recorded, StatesAreWhatTheProgramMeasured) {
  compile("states");
  if (HasFatalFailure()) return;
  profile::Profile p;
  record(p);
  if (HasFatalFailure()) return;
  std::map<std::string, double> expected;
  std::istringstream in(text("stdout"));
  std::string name;
  for (double ns; in >> name >> ns;) expected[name] = ns;
  ASSERT_EQ(expected.size(), 5u);
  double counted = 0, taken = double(p.thread_time[size_t(State::offcpu)]);
  for (int64_t ns : {p.totals.cpu_wait_ns, p.totals.taken_ns, p.totals.steal_ns}) taken += ns > 0 ? double(ns) : 0;
  for (int64_t t : p.thread_time) counted += double(t);
  for (int s = 0; s < profile::kStates; ++s) {
    const double measured = double(p.thread_time[size_t(s)]);
    if (auto it = expected.find(profile::kStateNames[s]); it != expected.end()) {
      EXPECT_NEAR(measured, it->second, 0.03 * it->second + taken) << profile::kStateNames[s];
    } else if (State(s) == State::unattributed) {
      EXPECT_LE(measured, 0.01 * counted);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, Recorded, testing::Values("gcc", "clang-19"),
                         [](const auto& info) { return std::string(info.param) == "gcc" ? "gcc" : "clang"; });

}  // namespace
}  // namespace einkorn
