// The file of a predicted run, read as a recording is.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>

#include "profile/reader.h"
#include "../scratch.h"
#include "simulate/builder.h"
#include "simulate/recording.h"

using namespace einkorn::simulate;
namespace profile = einkorn::profile;
namespace record = einkorn::record;

// Readers refuse blocks that claim to unpack to more than 64 times their size: what is as regular as a prediction is
// stored as it is.
TEST(SimulateRecording, WhatHardlyDiffersIsRead) {
  constexpr int kTimes = 40'000;
  constexpr double kFrom = 23'456'789, kPeriod = 61'234'567;  // ns
  Builder b("idle");
  const Program program = b.finish();
  Outcome outcome;
  outcome.trace.resize(1);
  for (int i = 0; i < kTimes; ++i) {
    outcome.trace[0].push_back({kPeriod * i, kNone, Mark::idle_begin, 0});
    outcome.trace[0].push_back({kPeriod * i + kFrom, kNone, Mark::idle_end, 0});
  }
  outcome.makespan = kPeriod * kTimes;
  einkorn::simulate::Setup setup;  // gtest has one, too
  setup.pus = {0};
  const std::string path = einkorn::test::scratch(".grain");
  {
    std::ofstream file(path, std::ios::binary);
    write_recording({}, program, setup, outcome, "idle all along",
                    [&](const void* data, size_t bytes) { file.write(static_cast<const char*>(data), long(bytes)); });
  }
  profile::Reader reader;
  profile::LoadError error;
  ASSERT_TRUE(reader.open(path, nullptr, error)) << error.message;
  EXPECT_EQ(reader.damaged(), 0u);
  EXPECT_FALSE(reader.truncated());
  size_t words = 0;
  for (const profile::Block& block : reader.blocks()) {
    std::span<const std::byte> payload;
    ASSERT_TRUE(reader.payload(block, payload));
    if (block.header.type == record::BlockType::events) words += payload.size() / 8;
  }
  EXPECT_EQ(words, size_t(2 * kTimes + 1));  // and the thread's end
  std::remove(path.c_str());
}
