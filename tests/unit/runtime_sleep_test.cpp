// How long a thread without work stays awake.
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

#include "runtime/sleep.h"
#include "runtime/worker.h"

namespace {

using namespace einkorn::runtime;

class LingeringTest : public testing::Test {
 protected:
  void SetUp() override {
    w_->crowded = 0;
    g_config.wait_policy = WaitPolicy::unset;
    g_busy_threads = g_cpus - 1;
  }
  void TearDown() override {
    w_->crowded = 0;
    g_config.wait_policy = before_;
    g_busy_threads = 0;
  }
  bool lingers() { return einkorn::runtime::lingers(w_, l_); }
  static void be_away() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

  Worker* w_ = self();
  WaitPolicy before_ = g_config.wait_policy;
  Lingering l_;
};

TEST_F(LingeringTest, ComesToAnEnd) {
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(lingers());
  while (lingers()) {}
  EXPECT_GT(std::chrono::steady_clock::now() - began, std::chrono::microseconds(150)) << "200 us away, or some ms awake";
}

TEST_F(LingeringTest, NotForWhoSaysOtherwise) {
  g_config.wait_policy = WaitPolicy::passive;
  EXPECT_FALSE(lingers());
  g_config.wait_policy = WaitPolicy::active;
  EXPECT_FALSE(lingers()) << "it spins longer in any case";
}

TEST_F(LingeringTest, NotWhereAllCpusAreWanted) {
  EXPECT_TRUE(lingers());
  g_busy_threads = g_cpus;
  EXPECT_FALSE(lingers());
  EXPECT_EQ(w_->crowded, 0);
}

TEST_F(LingeringTest, WhoWasAwayHasGivenWay) {
  EXPECT_TRUE(lingers());
  be_away();
  EXPECT_FALSE(lingers());
  const int waits = w_->crowded;
  EXPECT_GT(waits, 0);
  for (int i = 0; i < waits; ++i) {
    l_ = {};
    EXPECT_FALSE(lingers()) << "wait " << i;
  }
  l_ = {};
  EXPECT_TRUE(lingers()) << "tried again";
}

}  // namespace
