// The file of kept costs (cli/kept_costs.h): which of its sets is taken, and what is measured again. What is measured
// is this test's own, so that no machine is too busy for it, and no host moves its CPUs.
#include "cli/kept_costs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

using namespace std::chrono_literals;
using einkorn::cli::CostsMeasurer;
using einkorn::profile::costs_of_text, einkorn::profile::costs_text;
using einkorn::profile::RuntimeCosts;
using enum einkorn::profile::Waiting;
namespace fs = std::filesystem;

const std::string kWhat = "einkorn 1 on this machine";

class KeptCosts : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "kept-costs-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    file = folder / "a folder" / "costs.txt";
  }
  void TearDown() override { fs::remove_all(folder); }

  void keep(const std::string& lines, std::chrono::minutes ago = 0min) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << kWhat << '\n' << lines;
    fs::last_write_time(file, fs::file_time_type::clock::now() - ago);
  }
  std::string kept() const {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  RuntimeCosts ask() { return ask(kWhat); }
  RuntimeCosts ask(const std::string& what) {
    const CostsMeasurer measurer{[&] { return line; }, [&] { return ++measured, costs_of_text(answer); },
                                 [&](RuntimeCosts& costs, bool same_distance) {
                                   ++streams_asked, at_same_distance = same_distance;
                                   if (streams > 0) einkorn::profile::widen_streams(costs, streams, streams);
                                 }};
    return einkorn::cli::kept_or_measured(file, what, measurer);
  }

  fs::path folder, file;
  double line = 50;  // ns, now
  std::string answer = "threads=2 gomp.task=14/81 line=50/50/50";
  double streams = 0;  // bytes a ns; 0: others had the CPUs
  int measured = 0, streams_asked = 0;
  bool at_same_distance = false;
};

TEST_F(KeptCosts, MeasuredOnce) {
  EXPECT_EQ(costs_text(ask()), answer);
  EXPECT_EQ(kept(), kWhat + "\n" + answer + "\n");
  EXPECT_EQ(costs_text(ask()), answer);
  EXPECT_EQ(measured, 1);
  ask("einkorn 2 on this machine");
  EXPECT_EQ(measured, 2) << "another version has others";
}

TEST_F(KeptCosts, OfTheDistanceBetweenTwoCpus) {
  keep("threads=7 gomp.task=1/2 line=20/20/20\nthreads=8 gomp.task=3/4 line=60/60/60\n");
  EXPECT_EQ(ask().threads, 8u) << "a line of 50 ns is one of 60 rather than one of 20";
  line = 22;
  EXPECT_EQ(ask().threads, 7u);
  EXPECT_EQ(ask().line_now, 22) << "what a line takes now is told with them";
  line = -1;
  EXPECT_EQ(ask().threads, 7u) << "nobody knows: the first";
  EXPECT_EQ(measured, 0);
}

TEST_F(KeptCosts, ADistanceThatHasNoneIsMeasured) {
  keep("threads=7 gomp.task=1/2 line=1000/1000/1000\n");
  EXPECT_EQ(ask().threads, 2u);
  EXPECT_EQ(measured, 1);
  EXPECT_NE(kept().find("threads=7 gomp.task=1/2 "), std::string::npos) << "the others stay";
  line = 1000;
  EXPECT_EQ(ask().threads, 7u);
  EXPECT_EQ(measured, 1);
}

// Or every recording would begin with a measurement, on a host that moves its CPUs all the time.
TEST_F(KeptCosts, FourDistancesAreEnough) {
  keep("threads=2 line=1/1/1\nthreads=3 line=4/4/4\nthreads=4 line=16/16/16\nthreads=5 line=64/64/64\n");
  line = 4000;
  EXPECT_EQ(ask().threads, 5u);
  EXPECT_EQ(measured, 0);
}

TEST_F(KeptCosts, WhereNothingWasFoundItIsTriedAgainButLater) {
  answer = "threads=0";
  keep("threads=0\n");
  ask();
  EXPECT_EQ(measured, 0) << "just now it was tried";
  keep("threads=0\n", 20min);
  ask();
  EXPECT_EQ(measured, 1);
  EXPECT_EQ(kept(), kWhat + "\nthreads=0\n") << "one such line, not two";
  // The set of another distance is told meanwhile.
  keep("threads=7 gomp.task=1/2 line=1000/1000/1000\nthreads=0\n", 1min);
  EXPECT_EQ(ask().threads, 7u);
  EXPECT_EQ(measured, 1);
  keep("threads=7 gomp.task=1/2 line=1000/1000/1000\nthreads=0\n", 20min);
  answer = "threads=2 gomp.task=14/81 line=50/50/50";
  EXPECT_EQ(ask().threads, 2u);
  EXPECT_EQ(kept().find("threads=0"), std::string::npos);
}

// Other guests of a host use its memory, too: threads may slow each other down more than when all else was measured.
TEST_F(KeptCosts, StreamsAreAskedAgainLater) {
  const std::string never = "threads=2 line=50/50/50 stream=1/1e+09\n";
  streams = 3;
  keep(never);
  ask();
  EXPECT_EQ(streams_asked, 0) << "just now";
  keep(never, 20min);
  EXPECT_EQ(ask().stream_all, 3);
  EXPECT_EQ(streams_asked, 1);
  EXPECT_TRUE(at_same_distance);
  EXPECT_EQ(kept().find("1e+09"), std::string::npos) << "and that is kept";
  EXPECT_EQ(measured, 0) << "nothing else is measured for it";
  keep(never, 20min);
  streams = 0;
  EXPECT_EQ(ask().stream_all, 1e9) << "others had the CPUs: what is known stays";
}

TEST_F(KeptCosts, ALineThatIsNearerOrFartherIsKept) {
  keep("threads=7 line=50/50/50\n");
  line = 70;
  const RuntimeCosts farther = ask();
  EXPECT_EQ(farther(einkorn::profile::Waiting::line), 50);
  EXPECT_EQ(farther.line_most, 70);
  line = 40;
  const RuntimeCosts nearer = ask();
  EXPECT_EQ(nearer(einkorn::profile::Waiting::line), 40);
  EXPECT_EQ(nearer.line_most, 70) << "it was kept";
  EXPECT_EQ(measured, 0);
}

TEST_F(KeptCosts, OneMeasuresAndOthersGoWithout) {
  fs::create_directories(file.parent_path());
  const int lock = open((file.parent_path() / "costs.lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(ask().threads, 0u);
  EXPECT_EQ(measured, 0);
  EXPECT_FALSE(fs::exists(file));
  close(lock);
  EXPECT_EQ(ask().threads, 2u);
}

TEST_F(KeptCosts, WithoutAFileItIsMeasuredEachTime) {
  file.clear();
  EXPECT_EQ(ask().threads, 2u);
  EXPECT_EQ(ask().threads, 2u);
  EXPECT_EQ(measured, 2);
}

}  // namespace
