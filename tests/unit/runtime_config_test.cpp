// The environment: each parser with valid, invalid and random text. Bad text is reported and ignored.
#include <gtest/gtest.h>
#include <cstdlib>
#include <cstring>
#include <string>

#include "memory/allocator.h"
#include "runtime/settings/config.h"

namespace {

using namespace einkorn::runtime;

class ConfigTest : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
#define EK_VARIABLE(name, field, parser, fallback, what) unsetenv(name);
#include "runtime/settings/config.def"
#undef EK_VARIABLE
    g_config = Config{};
  }
  // What it said on stderr.
  std::string read(const char* name, const char* value) {
    g_config = Config{};
    setenv(name, value, 1);
    testing::internal::CaptureStderr();
    config_init();
    unsetenv(name);
    return testing::internal::GetCapturedStderr();
  }
  void expect_bad(const char* name, const char* value) {
    std::string said = read(name, value);
    EXPECT_NE(said.find(std::string(name) + "=\"" + value + "\" is not valid"), std::string::npos)
        << value << ": " << said;
  }
  void expect_good(const char* name, const char* value) { EXPECT_EQ(read(name, value), "") << name << "=" << value; }
};

TEST_F(ConfigTest, NumThreads) {
  expect_good("OMP_NUM_THREADS", " 4 , 3,2 ");
  EXPECT_EQ(g_config.num_threads_levels, 3);
  EXPECT_EQ(g_config.num_threads[0], 4);
  EXPECT_EQ(g_config.num_threads[2], 2);
  EXPECT_GT(g_config.max_active_levels, 1) << "a list allows nesting";
  for (const char* bad : {"0", "-1", "x", "4,", ",4", "4,,2", "4 2", "99999999999999999999", "4.5", "4;"}) {
    expect_bad("OMP_NUM_THREADS", bad);
    EXPECT_EQ(g_config.num_threads_levels, 0) << bad;
  }
  std::string many = "1";
  for (int i = 0; i < 100; ++i) many += ",2";
  expect_good("OMP_NUM_THREADS", many.c_str());
  EXPECT_EQ(g_config.num_threads_levels, Config::kMaxLevels);
}

TEST_F(ConfigTest, Schedule) {
  expect_good("OMP_SCHEDULE", "Guided,7");
  EXPECT_EQ(g_config.run_schedule.kind, LoopKind::guided);
  EXPECT_EQ(g_config.run_schedule.chunk, 7);
  expect_good("OMP_SCHEDULE", " monotonic : dynamic , 2 ");
  EXPECT_TRUE(g_config.run_schedule.monotonic);
  expect_good("OMP_SCHEDULE", "nonmonotonic:dynamic");
  EXPECT_FALSE(g_config.run_schedule.monotonic);
  expect_good("OMP_SCHEDULE", "static");
  EXPECT_EQ(g_config.run_schedule.chunk, 0);
  expect_good("OMP_SCHEDULE", "auto");
  expect_good("OMP_SCHEDULE", "trapezoidal,13");
  EXPECT_EQ(g_config.run_schedule.kind, LoopKind::trapezoidal);
  EXPECT_EQ(g_config.run_schedule.chunk, 13);
  expect_good("OMP_SCHEDULE", "static_steal");
  EXPECT_EQ(g_config.run_schedule.kind, LoopKind::dynamic);
  for (const char* bad : {"dynamical", "dynamic,", "dynamic,0", "dynamic,-1", "dynamic 4", "monotonic",
                          "monotonic:", ":static", "static,4,4", "guided,99999999999"}) {
    expect_bad("OMP_SCHEDULE", bad);
    EXPECT_EQ(g_config.run_schedule.kind, LoopKind::dynamic) << bad;
  }
}

TEST_F(ConfigTest, TeamsProcBind) {
  expect_good("KMP_TEAMS_PROC_BIND", "close");
  EXPECT_EQ(g_config.teams_bind, ProcBind::close);
  for (const char* bad : {"true", "close,spread", "near"}) {
    expect_bad("KMP_TEAMS_PROC_BIND", bad);
    EXPECT_EQ(g_config.teams_bind, ProcBind::spread) << bad;
  }
}

TEST_F(ConfigTest, Booleans) {
  for (const char* yes : {"true", "TRUE", " 1 ", "yes"}) {
    expect_good("OMP_DYNAMIC", yes);
    EXPECT_TRUE(g_config.dynamic);
  }
  for (const char* no : {"false", "0", "No"}) {
    expect_good("OMP_DYNAMIC", no);
    EXPECT_FALSE(g_config.dynamic);
  }
  for (const char* bad : {"2", "truely", "true false", "on?", "-1"}) expect_bad("OMP_DYNAMIC", bad);
}

TEST_F(ConfigTest, Counts) {
  expect_good("OMP_MAX_ACTIVE_LEVELS", "0");
  EXPECT_EQ(g_config.max_active_levels, 0);
  expect_bad("OMP_MAX_ACTIVE_LEVELS", "-1");
  expect_good("OMP_THREAD_LIMIT", "17");
  EXPECT_EQ(g_config.thread_limit, 17);
  expect_bad("OMP_THREAD_LIMIT", "0");
  expect_bad("OMP_THREAD_LIMIT", "17 x");
  expect_good("OMP_MAX_TASK_PRIORITY", "5");
  for (const char* large : {"2147483648", "99999999999999999999"}) {
    expect_good("OMP_MAX_TASK_PRIORITY", large);
    EXPECT_EQ(g_config.max_task_priority, 0x7fffffff) << large;
  }
}

TEST_F(ConfigTest, NestedAllowsLevels) {
  expect_good("OMP_NESTED", "true");
  EXPECT_GT(g_config.max_active_levels, 1);
  setenv("OMP_MAX_ACTIVE_LEVELS", "3", 1);
  expect_good("OMP_NESTED", "true");
  EXPECT_EQ(g_config.max_active_levels, 3) << "the newer variable wins";
}

TEST_F(ConfigTest, Sizes) {
  struct {
    const char* text;
    uint64_t bytes;
  } good[] = {{"100", 100 << 10}, {"100B", 100}, {" 2 k ", 2 << 10}, {"3m", 3 << 20}, {"1G", 1 << 30}};
  for (auto& g : good) {
    expect_good("OMP_STACKSIZE", g.text);
    EXPECT_EQ(g_config.stack_bytes, g.bytes) << g.text;
  }
  for (const char* bad : {"0", "-4", "4T", "4kk", "k", "1e6", "9999999999999999G"}) {
    expect_bad("OMP_STACKSIZE", bad);
    EXPECT_EQ(g_config.stack_bytes, 0u) << bad;
  }
  setenv("OMP_STACKSIZE", "8K", 1);
  expect_good("GOMP_STACKSIZE", "4K");
  EXPECT_EQ(g_config.stack_bytes, 8u << 10);
  expect_good("EINKORN_RECORD_MEMORY", "100");
  EXPECT_EQ(g_config.record_memory, 100u) << "plain numbers are bytes there";
}

TEST_F(ConfigTest, WaitPolicyAndSchedule) {
  expect_good("OMP_WAIT_POLICY", "ACTIVE");
  EXPECT_EQ(g_config.wait_policy, WaitPolicy::active);
  expect_good("OMP_WAIT_POLICY", "passive");
  EXPECT_EQ(g_config.wait_policy, WaitPolicy::passive);
  expect_bad("OMP_WAIT_POLICY", "pass");
  expect_good("EINKORN_SCHEDULE", "ws");
  expect_bad("EINKORN_SCHEDULE", "no-such");
  ASSERT_NE(g_config.schedule, nullptr);
  EXPECT_STREQ(g_config.schedule->name, "ws");
  setenv("EINKORN_AMM", " 2x2, spread", 1);
  expect_bad("EINKORN_SCHEDULE", "codletes");
  EXPECT_STREQ(g_config.schedule->name, "codelets") << "one that is not valid names none";
  EXPECT_EQ(g_config.schedule->shape.over, einkorn::schedule::Shape::spread);
  expect_good("EINKORN_SCHEDULE", "ws");
  EXPECT_STREQ(g_config.schedule->name, "ws");
}

TEST_F(ConfigTest, ProcBind) {
  expect_good("OMP_PROC_BIND", " spread , Close,master,primary");
  EXPECT_EQ(g_config.proc_bind_levels, 4);
  EXPECT_EQ(g_config.proc_bind[0], ProcBind::spread);
  EXPECT_EQ(g_config.proc_bind[2], ProcBind::primary);
  EXPECT_GT(g_config.max_active_levels, 1) << "a list allows nesting";
  expect_good("OMP_PROC_BIND", "TRUE");
  EXPECT_EQ(g_config.proc_bind[0], ProcBind::on);
  for (const char* bad :
       {"true,close", "close,true", "false,spread", "close,", ",close", "close close", "closed", "1"}) {
    expect_bad("OMP_PROC_BIND", bad);
    EXPECT_EQ(g_config.proc_bind_levels, 0) << bad;
  }
  expect_good("OMP_PLACES", "cores");
  EXPECT_EQ(g_config.proc_bind[0], ProcBind::on) << "places alone ask for binding";
}

TEST_F(ConfigTest, Allocator) {
  expect_good("OMP_ALLOCATOR", "omp_low_lat_mem_alloc");
  EXPECT_EQ(g_config.allocator, 5u);
  expect_good("OMP_ALLOCATOR", " OMP_THREAD_MEM_ALLOC ");
  EXPECT_EQ(g_config.allocator, 8u);
  expect_good(
      "OMP_ALLOCATOR",
      "omp_large_cap_mem_space:alignment=64, pool_size = 4096,fallback=allocator_fb,fb_data=omp_const_mem_alloc");
  const auto* a = reinterpret_cast<einkorn::memory::Allocator*>(g_config.allocator);
  EXPECT_EQ(a->space, 1u);
  EXPECT_EQ(a->alignment, 64u);
  EXPECT_EQ(a->pool_size, 4096u);
  EXPECT_EQ(a->fallback, einkorn::memory::kAllocatorFb);
  EXPECT_EQ(a->fb_data, 3u);
  // In libgomp's words: what is not understood.
  for (const auto& [bad, words] : std::initializer_list<std::pair<const char*, const char*>>{
           {"omp_default_mem", "when parsing: omp_default_mem ("},
           {"default_mem_allocator", "when parsing: default_mem_allocator ("},
           {"omp_default_mem_alloc:pinned=true", "when parsing: :pinned=true ("},
           {"omp_default_mem_space:",
            "Missing value at the end of environment variable OMP_ALLOCATOR=omp_default_mem_space:"},
           {"omp_default_mem_space:alignment", "Missing value at the end of"},
           {"omp_default_mem_space:alignment=", "Missing value at the end of"},
           {"omp_default_mem_space:alignment=3",
            "OMP_ALLOCATOR cannot be created, using omp_default_mem_alloc instead"},
           {"omp_thread_mem_space", "when parsing: omp_thread_mem_space ("},
           {"omp_default_mem_space:pinned=maybe,sync_hint=1", "when parsing: maybe,sync_hint=1 ("},
           {"omp_default_mem_space,pinned=true", "when parsing: ,pinned=true ("},
           {"7", "Invalid value for environment variable OMP_ALLOCATOR when parsing: 7 ("}}) {
    const std::string said = read("OMP_ALLOCATOR", bad);
    EXPECT_EQ(said.find("libgomp: "), 0u) << bad << ": " << said;
    EXPECT_NE(said.find(words), std::string::npos) << bad << ": " << said;
    EXPECT_EQ(g_config.allocator, 1u) << bad;
  }
}

TEST_F(ConfigTest, Devices) {
  EXPECT_EQ(read("OMP_TARGET_OFFLOAD", "Mandatory"), "");
  EXPECT_EQ(g_config.target_offload, TargetOffload::mandatory);
  EXPECT_EQ(g_config.default_device, kInvalidDevice);
  expect_bad("OMP_TARGET_OFFLOAD", "on");
  expect_good("OMP_DEFAULT_DEVICE", "3");
  EXPECT_EQ(g_config.default_device, 3);
  expect_bad("OMP_DEFAULT_DEVICE", "-1");
}

TEST_F(ConfigTest, Reductions) {
  expect_good("KMP_FORCE_REDUCTION", "critical");
  EXPECT_EQ(forced_reduction(g_config), ForcedReduction::critical);
  expect_good("KMP_FORCE_REDUCTION", "Atomic");
  EXPECT_EQ(forced_reduction(g_config), ForcedReduction::atomics);
  expect_good("KMP_DETERMINISTIC_REDUCTION", "1");
  EXPECT_EQ(forced_reduction(g_config), ForcedReduction::tree);
  expect_good("KMP_DETERMINISTIC_REDUCTION", "false");
  EXPECT_EQ(forced_reduction(g_config), ForcedReduction::unset);
  for (const char* bad : {"trees", "tree 2", "1"}) expect_bad("KMP_FORCE_REDUCTION", bad);
}

TEST_F(ConfigTest, WaitingOfBothLibraries) {
  expect_good("KMP_BLOCKTIME", "infinite");
  EXPECT_EQ(g_config.wait_policy, WaitPolicy::active);
  expect_good("KMP_BLOCKTIME", "0");
  EXPECT_EQ(g_config.wait_policy, WaitPolicy::passive);
  expect_good("KMP_BLOCKTIME", "200");
  EXPECT_EQ(g_config.blocktime_us, 200'000);
  EXPECT_EQ(g_config.wait_policy, WaitPolicy::unset);
  expect_good("KMP_BLOCKTIME", "70us");
  EXPECT_EQ(g_config.blocktime_us, 70);
  expect_good("GOMP_SPINCOUNT", "2k");
  EXPECT_EQ(g_config.blocktime_us, 20);
  expect_good("GOMP_SPINCOUNT", "INFINITY");
  EXPECT_EQ(g_config.wait_policy, WaitPolicy::active);
  for (const char* bad : {"-1", "1s", "ms", "1 us x", "infinitely"}) expect_bad("KMP_BLOCKTIME", bad);
  for (const char* bad : {"-1", "k", "1kk", "infinit"}) expect_bad("GOMP_SPINCOUNT", bad);
  expect_good("KMP_LIBRARY", "serial");
  EXPECT_EQ(g_config.thread_limit, 1);
  expect_good("KMP_STACKSIZE", "64k");
  EXPECT_EQ(g_config.stack_bytes, 64u << 10);
  expect_good("KMP_AFFINITY", "none");
  EXPECT_NE(read("KMP_AFFINITY", "granularity=fine,compact,1,0").find("OMP_PLACES"), std::string::npos);
}

TEST_F(ConfigTest, FormsOfLoops) {
  expect_good("EINKORN_TPLOOP", "auto");
  EXPECT_FALSE(g_config.tploop.are_set);
  expect_good("EINKORN_TPLOOP", " 100 , 2000 ");
  EXPECT_TRUE(g_config.tploop.are_set);
  EXPECT_EQ(g_config.tploop.one, 100);
  EXPECT_EQ(g_config.tploop.codelets, 2000);
  EXPECT_EQ(g_config.tploop.p, 0);
  EXPECT_EQ(g_config.tploop.q, 0);
  expect_good("EINKORN_TPLOOP", "0,0,8,4");
  EXPECT_EQ(g_config.tploop.p, 8);
  EXPECT_EQ(g_config.tploop.q, 4);
  expect_good("EINKORN_TPLOOP", "9223372036854775807,9223372036854775807,65535,1");
  for (const char* bad :
       {"automatic", "auto,1", "1", "1,", ",1", "2,1", "-1,1", "1,2,3", "1,2,0,1", "1,2,1,0", "1,2,3,4,5",
        "1,2,65536,1", "1,2,256,256", "1 2", "1,2;", "1.5,2", "99999999999999999999,1"}) {
    expect_bad("EINKORN_TPLOOP", bad);
    EXPECT_FALSE(g_config.tploop.are_set) << bad;
  }
  expect_good("EINKORN_TP_INSTANCES", "3");
  EXPECT_EQ(g_config.tp_instances, 3);
  for (const char* bad : {"0", "-2", "two", "2x"}) expect_bad("EINKORN_TP_INSTANCES", bad);
}

TEST_F(ConfigTest, VariablesThatNothingReadsAreNamed) {
  EXPECT_EQ(read("EINKORN_SHEDULE", "mts"),
            "einkorn: EINKORN_SHEDULE is not a variable of Einkorn. Did you mean EINKORN_SCHEDULE?\n");
  EXPECT_EQ(read("EINKORN_TP_INSTANCE", ""),
            "einkorn: EINKORN_TP_INSTANCE is not a variable of Einkorn. Did you mean EINKORN_TP_INSTANCES?\n");
  EXPECT_EQ(read("EINKORN_XYZZY_PLUGH", "1"), "einkorn: EINKORN_XYZZY_PLUGH is not a variable of Einkorn.\n");
  EXPECT_EQ(read("EINKORN_HOME", "/nowhere"), "");
  EXPECT_EQ(read("EINKORN", "1"), "");
  setenv("EINKORN_NAMED_ALREADY", "1", 1);
  EXPECT_EQ(read("EINKORN_SHEDULE", "mts"), "");
  unsetenv("EINKORN_NAMED_ALREADY");
}

TEST_F(ConfigTest, EmptyIsUnset) {
#define EK_VARIABLE(name, field, parser, fallback, what) expect_good(name, ""), expect_good(name, "  ");
#include "runtime/settings/config.def"
#undef EK_VARIABLE
  EXPECT_EQ(g_config.record, nullptr);
}

// Random text made of what the parsers look for: never a crash, and what is kept stays in range.
TEST_F(ConfigTest, RandomText) {
  const char* pieces[] = {"1",       "0",      "-",         "4", ",", " ", ":",  "true",         "static",
                          "dynamic", "guided", "monotonic", "k", "G", "b", "\t", "999999999999", "\xff",
                          "%s%n",    "active", "verbose",   ".", "x", "+"};
  const char* names[] = {
#define EK_VARIABLE(name, field, parser, fallback, what) name,
#include "runtime/settings/config.def"
#undef EK_VARIABLE
  };
  uint64_t random = 88172645463325252u;
  auto next = [&](uint64_t n) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    return random % n;
  };
#ifdef __SANITIZE_THREAD__
  const int rounds = 1000;  // one thread: a look is enough
#else
  const int rounds = 20'000;
#endif
  for (int i = 0; i < rounds; ++i) {
    std::string text;
    for (uint64_t k = next(8); k > 0; --k) text += pieces[next(std::size(pieces))];
    if (i % 1000 == 0) text.append(5000, '7');
    const char* name = names[next(std::size(names))];
    if (!strcmp(name, "OMP_DISPLAY_ENV")) continue;  // prints
    std::string said = read(name, text.c_str());
    ASSERT_TRUE(said.empty() || said.find("is not valid") != std::string::npos ||
                said.find("is not served") != std::string::npos || said.find("libgomp: ") == 0 || text.size() > 900)
        << said;
    const Config& c = g_config;
    ASSERT_LE(c.num_threads_levels, Config::kMaxLevels);
    for (int level = 0; level < c.num_threads_levels; ++level) ASSERT_GE(c.num_threads[level], 1) << text;
    ASSERT_GE(c.run_schedule.chunk, 0) << text;
    ASSERT_GE(c.max_active_levels, 0) << text;
    ASSERT_GE(c.thread_limit, 1) << text;
    ASSERT_LE(c.stack_bytes, uint64_t(1) << 60);
    ASSERT_NE(c.schedule, nullptr);
  }
}

}  // namespace
