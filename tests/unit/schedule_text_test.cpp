// Schedules as texts: presets, axes, and what is said of mistakes.
#include <gtest/gtest.h>

#include <string>

#include "schedule/text.h"

using namespace einkorn::schedule;

namespace {

std::string error_of(const char* text) {
  Schedule s;
  std::string why;
  EXPECT_FALSE(parse_schedule(text, &s, &why)) << text;
  return why;
}

}  // namespace

TEST(Text, EveryPresetAndAllStrategiesOfXKaapi) {
  int count;
  const Schedule* const* all = presets(&count);
  for (int i = 0; i < count; ++i) {
    Schedule s;
    std::string why;
    ASSERT_TRUE(parse_schedule(all[i]->name, &s, &why)) << why;
    // Its axes as text are a schedule again, and the same one.
    if (s.defer == Defer::adaptive || s.place_task) continue;
    Schedule again;
    ASSERT_TRUE(parse_schedule(axes_text(s).c_str(), &again, &why)) << why;
    EXPECT_EQ(axes_text(again), axes_text(s));
  }
  int strategies = 0;
  for (const char* init : {"local", "cyclicnuma", "randnuma"})
    for (const char* push : {"pLoc", "pLocNum", "pNumaW", "pNumaWLoc"})
      for (const char* select : {"sRand", "sRandNuma", "sProcNuma", "sNumaProc", "sProc", "sNuma"})
        for (const char* strict : {"", "+strict"}) {
          Schedule s;
          std::string why, text = std::string("xkaapi:") + init + "+" + push + "+" + select + strict;
          EXPECT_TRUE(parse_schedule(text.c_str(), &s, &why)) << why;
          ++strategies;
        }
  EXPECT_EQ(strategies, 144);
}

// SD+DCD as the paper has it.
TEST(Text, CapsOfLevelsAndWhenMemoryIsFreed) {
  Schedule s;
  std::string why;
  ASSERT_TRUE(parse_schedule("darts-steal,cap=512:4096,free=idle:50", &s, &why)) << why;
  EXPECT_EQ(s.cap_us[kBeyond], 512);
  EXPECT_EQ(s.cap_us[kWithin], 4096);
  EXPECT_EQ(s.free_number, 50);
  const std::string text = axes_text(s);
  EXPECT_NE(text.find(",cap=512:4096"), std::string::npos) << text;
  EXPECT_NE(text.find(",free=idle:50"), std::string::npos) << text;
  Schedule again;
  ASSERT_TRUE(parse_schedule(text.c_str(), &again, &why)) << why;
  EXPECT_EQ(axes_text(again), text);
  ASSERT_TRUE(parse_schedule("darts-steal,cap=512:4096,cap=9", &s, &why)) << why;  // the last one counts
  EXPECT_FALSE(has_level_caps(s));
  EXPECT_EQ(axes_text(s).find("free"), std::string::npos);
}

TEST(Text, MistakesAreExplained) {
  EXPECT_NE(error_of("mtss").find("did you mean 'mts'"), std::string::npos);
  EXPECT_NE(error_of("nonsense-entirely").find("There are: ws,"), std::string::npos);
  EXPECT_NE(error_of("mts,ordre=fifo").find("did you mean 'order'"), std::string::npos);
  EXPECT_NE(error_of("mts,order=fifi").find("did you mean 'fifo'"), std::string::npos);
  EXPECT_NE(error_of("mts,order").find("has no value"), std::string::npos);
  EXPECT_NE(error_of("mts:4").find("takes nothing after a colon"), std::string::npos);
  EXPECT_NE(error_of("vicinity:0").find("vicinity:4"), std::string::npos);
  EXPECT_NE(error_of("xkaapi:cyclic-node").find("INIT+PUSH+SELECT"), std::string::npos);
  EXPECT_NE(error_of("xkaapi:local+local+random+loose").find("+strict"), std::string::npos);
  EXPECT_NE(error_of("central,reach=strict").find("one queue"), std::string::npos);
  EXPECT_NE(error_of("mts,reach=vicinity:4").find("places=core"), std::string::npos);
  EXPECT_NE(error_of("ws,defer=adaptive").find("ws-adaptive"), std::string::npos);
  EXPECT_NE(error_of("mts,select=core-only").find("core+node"), std::string::npos);
  EXPECT_NE(error_of("deal,init=cyclic-node").find("when=ready"), std::string::npos);
  EXPECT_NE(error_of("mts,name=a\"b").find("letters"), std::string::npos);
  EXPECT_NE(error_of("mts,take=0").find("take"), std::string::npos);
  EXPECT_NE(error_of("darts-steal,cap=512:0").find("cap=512:4096"), std::string::npos);
  EXPECT_NE(error_of("mts,cap=512:4096").find("two levels"), std::string::npos);
  EXPECT_NE(error_of("darts-standard,cap=512:4096").find("backoff=exponential"), std::string::npos);
  EXPECT_NE(error_of("darts-steal,free=later").find("idle:N"), std::string::npos);
  EXPECT_NE(error_of("darts-steal,free=idle:N").find("idle:50"), std::string::npos);
  EXPECT_NE(error_of("darts-steal,free=idle:0").find("idle:50"), std::string::npos);
  EXPECT_NE(error_of("swarm,select=near-first").find("places=tree"), std::string::npos);
  EXPECT_NE(error_of("swarm,thieves=one-per-place").find("places=cluster"), std::string::npos);
  error_of("");
  error_of(",");
  error_of("=");
  error_of("places=");
}
