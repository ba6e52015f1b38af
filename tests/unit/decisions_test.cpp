// What README says: the simulator decides with the very code that decides in the runtime. One recorded sequence of
// views is made by the runtime's own code, from the queues that it has; the simulator's is asked about the same ones,
// and must answer the same, for every preset, every stealing rule and every loop schedule.
#include <algorithm>

#include "decisions/replay_side.h"
#include "simulate/builder.h"
#include "simulate/engine.h"
#include "simulate/from_profile.h"

namespace {

using namespace decisions;
using simulate::Builder;

constexpr int kWorkers = 16;

// The machine that the library under test runs on.
const machine::Machine& four_nodes() {
  static const machine::Machine& m = []() -> const machine::Machine& {
    setenv("EINKORN_MACHINE", "numa:4 core:4", 1);
    rt::runtime_init();
    return machine::this_machine();
  }();
  EXPECT_EQ(m.node_count(), 4);
  EXPECT_EQ(m.pu_count(), kWorkers);
  return m;
}

// Numbers of the test's own.
class Dice {
 public:
  explicit Dice(uint32_t seed) : state_{seed * 2654435761u + 1} {}
  uint32_t operator()(uint32_t n) { return schedule::next_random(state_) % n; }

 private:
  schedule::RandomState state_;
};

// Memory of which the runtime knows the nodes: a page each, in turn, written there first.
char* data_on_nodes(Runtime& r, size_t pages) {
  constexpr size_t kPage = 4096;
  static char* const memory = static_cast<char*>(aligned_alloc(kPage, 64 * kPage));
  memset(memory, 0, 64 * kPage);  // there: of a page that is not, the map forgets after a while where it was
  for (size_t p = 0; p < pages; ++p) {
    rt::Worker* w = r.worker(int(p % 4) * 4);
    rt::Task* t = rt::new_block(w, sizeof(rt::GompBody));
    rt::init_task(w, t, rt::kTaskSlowPath);
    rt::hint_range(w, memory + p * kPage, kPage, rt::kWrites);
    rt::take_hints(w, t, nullptr, 0);
    rt::begin_footprint(w, t);
  }
  return memory;
}

schedule::Schedule parsed(const std::string& text) {
  schedule::Schedule s;
  std::string why;
  EXPECT_TRUE(schedule::parse_schedule(text.c_str(), &s, &why)) << why;
  return s;
}

// All presets, and what they do not have of the axes that decide.
std::vector<std::string> schedules() {
  std::vector<std::string> names;
  int count;
  const schedule::Schedule* const* all = schedule::presets(&count);
  for (int i = 0; i < count; ++i) names.emplace_back(all[i]->name);
  for (const schedule::SelectRule& rule : schedule::kSelectRules) {
    const bool by_kind = strstr(rule.name, "core") || strstr(rule.name, "node-only");
    names.push_back(std::string("places=") + (by_kind ? "core+node" : "core") + ",select=" + rule.name);
  }
  for (const char* text :
       {"vicinity:2", "deal,guard=0", "mts,take=quarter", "mts,take=half,order=fifo", "mts,take=3,backoff=none",
        "xkaapi:random-node+writer-node+sRandNuma+strict", "xkaapi:local+pNumaWLoc+sNumaProc", "ws,reach=strict",
        "places=node,push=local-node,select=round-robin,take=half", "codelets,amm=2x8", "codelets,amm=16x1,take=half",
        "codelets,amm=5x3,spread,tp-push=round-robin,select=random", "darts-steal,amm=8x2,take=3,thieves=one-per-place",
        "darts-steal,amm=3x4,tp-reach=node,select=up,cap=3", "darts-standard,amm=2x4,0-3,8,10,12,14",
        "swarm,amm=8x2,order=fifo", "places=tree,amm=2x8,select=most-loaded,take=half",
        "darts-steal,amm=4x4,cap=512:4096,free=idle:50", "codelets,amm=2x8,cap=4096:64"})
    names.emplace_back(text);
  return names;
}

// Workers push, to where the schedule says; now and then one looks.
std::vector<Asked> run_script(const schedule::Schedule& s, uint32_t seed, bool by_place) {
  Runtime r(s, four_nodes(), kWorkers, by_place);
  char* const data = by_place ? data_on_nodes(r, 64) : nullptr;
  Dice dice(seed);
  for (int i = 0; i < 1500; ++i) {
    // Few have much, and then all look: so that queues are long, and many are empty.
    const bool fills = i / 250 % 2 == 0, pushes = dice(10) < (fills ? 7u : 1u);
    const int w = fills && pushes ? int(dice(3)) * 5 : int(dice(kWorkers));
    if (pushes) {
      const int count = waits_in_task(w) ? 1 : 1 + int(dice(fills ? 12 : 2));
      for (int k = 0; k < count; ++k) {
        if (!by_place && dice(12) == 0 && !waits_in_task(w)) {
          int to = int(dice(kWorkers));
          if (waits_in_task(to)) to = w;
          r.send(w, to);
          continue;
        }
        const size_t bytes = dice(2) ? 4096 * (1 + dice(3)) : 0;
        const bool named = by_place && !s.is_default && dice(8) == 0;
        r.push(w, named ? int(dice(4)) : -1, data ? data + 4096 * dice(60) : nullptr, by_place ? bytes : 0,
               by_place && dice(3) == 0);
      }
    } else {
      r.search(w, !waits_in_task(w) && dice(8) == 0, dice(2) == 0, dice(4) == 0);
    }
  }
  return std::move(r.record);
}

void expect_same(const std::string& name, uint32_t seed, bool by_place) {
  four_nodes();
  const schedule::Schedule s = parsed(name);
  const std::vector<Asked> record = run_script(s, seed, by_place);
  Replay replay(s, four_nodes(), kWorkers);
  int found = 0, several = 0;
  for (size_t i = 0; i < record.size(); ++i) {
    SCOPED_TRACE(testing::Message() << name << (by_place ? " by place" : "") << ", step " << i << " of worker "
                                    << record[i].worker);
    replay.expect(record[i]);
    if (testing::Test::HasFatalFailure()) return;
    found += record[i].what == Asked::search && record[i].found != kNobody;
    several += record[i].after.loot > 1 && record[i].after.loot < Runtime::kShort;
  }
  EXPECT_GT(found, 100) << name << ": a script in which hardly anything is found";
  if (s.is_default) {
    EXPECT_GT(several, 5) << name << ": no thief has taken several";
  }
}

}  // namespace

TEST(Decisions, OfTheDefault) {
  for (const char* name : {"ws", "ws-adaptive"})
    for (uint32_t seed = 1; seed <= 5; ++seed) {
      expect_same(name, seed, false);
      if (HasFatalFailure()) return;
    }
}

TEST(Decisions, OfEverySchedule) {
  const std::vector<std::string> names = schedules();
  ASSERT_GE(names.size(), 30u);
  for (const std::string& name : names)
    for (uint32_t seed = 1; seed <= 2; ++seed) {
      expect_same(name, seed, true);
      if (HasFatalFailure()) return;
    }
}

namespace {

rt::LoopSpec loop_of(rt::LoopKind kind, uint64_t iterations, uint64_t chunk) {
  rt::LoopSpec spec;
  spec.kind = kind;
  spec.iterations = iterations;
  spec.chunk = chunk;
  spec.silent = true;
  return spec;
}

// What the runtime hands out to a team of so many, one chunk a thread in turn, and what a replay cuts.
std::vector<uint64_t> runtime_chunks(rt::LoopKind kind, uint64_t iterations, uint64_t chunk, int threads) {
  Runtime r(parsed("ws"), four_nodes(), threads, false);
  // As where it is recorded, no rest of a guided loop is brief: by a clock without ticks.
  const uint32_t ticks = std::exchange(einkorn::base::g_ticks_in_2_20_ns, 0);
  for (int i = 0; i < threads; ++i) rt::share_enter(r.worker(i), loop_of(kind, iterations, chunk), 0);
  std::vector<uint64_t> out;
  for (bool any = true; any;) {
    any = false;
    for (int i = 0; i < threads; ++i)
      if (rt::share_next(r.worker(i))) any = true, out.push_back(r.worker(i)->view.count);
  }
  einkorn::base::g_ticks_in_2_20_ns = ticks;
  return out;
}

std::vector<uint64_t> replayed_chunks(int rule, uint64_t iterations, uint64_t chunk, int threads) {
  Builder b("loop");
  const uint32_t first = b.region(Builder::kInitial, 1), loop = b.loop(simulate::LoopSchedule::by_rule);
  b.latest_loop().members = 1, b.latest_loop().rule = uint8_t(rule), b.latest_loop().least = chunk;
  b.chunk(double(iterations), 0, iterations);
  b.run_loop(first, loop);
  const simulate::Program p = simulate::with_members(b.finish(), uint32_t(threads));
  std::vector<uint64_t> out;
  for (const simulate::Chunk& c : p.chunks) out.push_back(c.iterations);
  return out;
}

// The chunks that each thread gets, by number in the loop's order.
using Dealt = std::vector<std::vector<uint64_t>>;

Dealt replayed(const simulate::Program& p, int threads, schedule::LoopVictim loop_victim = schedule::LoopVictim::none) {
  simulate::Setup setup;
  setup.schedule = parsed("ws");
  setup.machine = &four_nodes();
  setup.loop_victim = loop_victim;
  setup.seed = 0;
  for (int i = 0; i < threads; ++i) setup.pus.push_back(i);
  const simulate::Outcome o = simulate::simulate(p, setup, true);
  Dealt out(static_cast<size_t>(threads));
  for (size_t w = 0; w < out.size(); ++w)
    for (const simulate::Happening& h : o.trace[w])
      if (h.mark == simulate::Mark::chunk_begin) out[w].push_back(h.ref);
  return out;
}

// Which chunks, by number in the loop's order, each thread gets of a guided loop whose first ones are the threads' own,
// if all but `late` ask for one each, and thread 0 then for all that there is. (The runtime divides chunks of who is
// late: all that lies in one is that one.)
Dealt runtime_own(uint64_t iterations, int threads, int late) {
  Runtime r(parsed("ws"), four_nodes(), threads, false);
  const uint32_t ticks = std::exchange(einkorn::base::g_ticks_in_2_20_ns, 0);
  rt::LoopSpec spec = loop_of(rt::LoopKind::guided, iterations, 1);
  spec.nonmonotonic = true;
  for (int i = 0; i < threads; ++i) rt::share_enter(r.worker(i), spec, 0);
  Dealt out(static_cast<size_t>(threads));
  auto next = [&](int i) {
    if (!rt::share_next(r.worker(i))) return false;
    uint32_t number = 0;  // of the last one that begins no later
    while (schedule::guided_chunks(uint32_t(iterations), uint32_t(threads), 1, false, number + 1).end <=
           r.worker(i)->view.first)
      ++number;
    if (out[size_t(i)].empty() || out[size_t(i)].back() != number) out[size_t(i)].push_back(number);
    return true;
  };
  for (int i = 0; i < threads; ++i) EXPECT_TRUE(i == late || next(i));
  while (next(0)) {}
  einkorn::base::g_ticks_in_2_20_ns = ticks;
  return out;
}

// Who is late comes when all is done; of the others thread 0 alone is quick.
Dealt replayed_own(uint64_t iterations, int threads, int late) {
  Builder b("own");
  const uint32_t first = b.region(Builder::kInitial, uint32_t(threads)), loop = b.loop(simulate::LoopSchedule::by_rule);
  b.latest_loop().members = uint32_t(threads), b.latest_loop().own_firsts = true;
  for (uint64_t from = 0, number = 0; from < iterations; ++number) {
    const uint64_t count = schedule::guided_chunk(iterations - from, uint64_t(threads), uint64_t(1), false);
    b.chunk(number > 0 && number < uint64_t(threads) && int(number) != late ? 1e12 : 1, 0, count);
    from += count;
  }
  for (int i = 0; i < threads; ++i) {
    if (i == late) b.compute(first + uint32_t(i), 1e12);
    b.run_loop(first + uint32_t(i), loop);
  }
  return replayed(b.finish(), threads);
}

// The chunks, by first iteration, that each thread gets of a loop that is dealt out in blocks, when thread 0 does all
// that the others leave: they take one each.
Dealt runtime_dealt(schedule::LoopVictim rule, uint64_t chunks, int threads) {
  Runtime r(parsed("ws"), four_nodes(), threads, false);
  const schedule::LoopVictim before = rt::g_config.loop_victim;
  rt::g_config.loop_victim = rule;
  rt::LoopSpec spec = loop_of(rt::LoopKind::dynamic, chunks, 1);
  spec.nonmonotonic = true;
  for (int i = 0; i < threads; ++i) rt::share_enter(r.worker(i), spec, 0);
  Dealt out(static_cast<size_t>(threads));
  auto next = [&](int i) {
    if (!rt::share_next(r.worker(i))) return false;
    out[size_t(i)].push_back(r.worker(i)->view.first);
    return true;
  };
  for (int i = 0; i < threads; ++i) EXPECT_TRUE(next(i));
  while (next(0)) {}
  rt::g_config.loop_victim = before;
  return out;
}

Dealt replayed_dealt(schedule::LoopVictim rule, uint64_t chunks, int threads) {
  Builder b("dealt");
  const uint32_t first = b.region(Builder::kInitial, uint32_t(threads)),
                 loop = b.loop(simulate::LoopSchedule::on_demand);
  b.latest_loop().batched = true;
  for (uint64_t c = 0; c < chunks; ++c) {
    bool begins = false;  // another's block
    for (int i = 1; i < threads; ++i) {
      uint64_t from, count;
      schedule::static_part(chunks, uint32_t(i), uint32_t(threads), from, count);
      begins |= from == c;
    }
    b.chunk(begins ? 1e12 : 1);
  }
  for (int i = 0; i < threads; ++i) b.run_loop(first + uint32_t(i), loop);
  return replayed(b.finish(), threads, rule);
}

}  // namespace

TEST(Decisions, OfEveryLoopSchedule) {
  for (int rule = 0; rule < schedule::kLoopRuleCount; ++rule) {
    const rt::LoopKind kind = rule == schedule::kDynamicRule       ? rt::LoopKind::dynamic
                              : rule == schedule::kGuidedRule      ? rt::LoopKind::guided
                              : rule == schedule::kTrapezoidalRule ? rt::LoopKind::trapezoidal
                                                                   : rt::own_kind(rule);
    for (const int threads : {2, 3, 8, 16})
      for (const uint64_t chunk : {1u, 7u, 64u})
        for (const uint64_t iterations : {5u, 100u, 4099u})
          EXPECT_EQ(runtime_chunks(kind, iterations, chunk, threads), replayed_chunks(rule, iterations, chunk, threads))
              << schedule::kLoopRules[rule].name << "," << chunk << " of " << iterations << ", " << threads
              << " threads";
  }
}

TEST(Decisions, OfOwnFirstChunks) {
  for (const int threads : {2, 3, 16})
    for (const uint64_t iterations : {100u, 4099u})
      for (const int late : {-1, 1, threads - 1})
        EXPECT_EQ(runtime_own(iterations, threads, late), replayed_own(iterations, threads, late))
            << iterations << " iterations, " << threads << " threads, late: " << late;
}

TEST(Decisions, OfStaticThenSteal) {
  using schedule::LoopVictim;
  for (const LoopVictim rule : {LoopVictim::random, LoopVictim::nearest, LoopVictim::most_loaded})
    for (const int threads : {2, 5, 16})
      for (const uint64_t chunks : {64u, 331u}) {
        SCOPED_TRACE(testing::Message() << schedule::loop_victim_name(rule) << ", " << threads << " threads, "
                                        << chunks);
        Dealt runtime = runtime_dealt(rule, chunks, threads), replayed = replayed_dealt(rule, chunks, threads);
        // The runtime keeps the last chunk, whose values a lastprivate clause wants, for the end of who took it.
        for (Dealt* d : {&runtime, &replayed})
          for (auto& of_one : *d)
            if (auto at = std::find(of_one.begin(), of_one.end(), chunks - 1); at != of_one.end())
              std::rotate(at, at + 1, of_one.end());
        EXPECT_EQ(runtime, replayed);
      }
}
