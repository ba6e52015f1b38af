// Places: OMP_PLACES, valid and invalid; groups of a machine described by hwloc's synthetic text; which thread goes
// where.
#include <gtest/gtest.h>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "machine/topology.h"
#include "runtime/places/places.h"
#include "runtime/team/team.h"
#include "runtime/team/worker.h"

namespace {

using namespace einkorn::base;
using namespace einkorn::runtime;
using einkorn::base::CpuSet;
using einkorn::machine::Level;

CpuSet first_cpus(int n) {
  CpuSet set;
  for (int i = 0; i < n; ++i) set.add(i);
  return set;
}

std::string text(const CpuSet& set) {
  std::string s;
  for (int c = set.next(0); c >= 0; c = set.next(c + 1)) {
    if (!s.empty()) s += ',';
    s += std::to_string(c);
  }
  return s;
}

struct Read {
  bool good, dropped = false;
  std::string why, places;
};
using Parser = bool (*)(const char*, const CpuSet&, Places*, const char**, bool*);
Read read(const char* s, int cpus = 64, Parser parser = parse_places) {
  Places p;
  const char* why = nullptr;
  Read r;
  r.good = parser(s, first_cpus(cpus), &p, &why, &r.dropped);
  if (!r.good) {
    EXPECT_NE(why, nullptr) << s;
    r.why = why ? why : "";
    return r;
  }
  for (int i = 0; i < p.count; ++i) r.places += (i ? " {" : "{") + text(p.sets[i]) + "}";
  free(static_cast<void*>(p.sets));
  return r;
}

TEST(PlacesText, Lists) {
  EXPECT_EQ(read("{0,1},{2,3}").places, "{0,1} {2,3}");
  EXPECT_EQ(read(" { 0 : 2 } , { 2 : 2 } ").places, "{0,1} {2,3}");
  EXPECT_EQ(read("{0:2}:3:4").places, "{0,1} {4,5} {8,9}");
  EXPECT_EQ(read("{0:4:2}").places, "{0,2,4,6}");
  EXPECT_EQ(read("{6:3:-2}").places, "{2,4,6}");
  EXPECT_EQ(read("{8}:3:-3").places, "{8} {5} {2}");
  EXPECT_EQ(read("{0:4,!2}").places, "{0,1,3}");
  EXPECT_EQ(read("{0}:4,!{2}").places, "{0} {1} {3}");
  EXPECT_EQ(read("0,3:2,!4,9").places, "{0} {3} {9}");
  EXPECT_EQ(read("{0},{0}").places, "{0} {0}");
  Read r = read("{1,9},{8},{2}", 4);
  EXPECT_EQ(r.places, "{1} {2}");
  EXPECT_TRUE(r.dropped);
}

TEST(PlacesText, NotValid) {
  for (const char* bad : {"",
                          ",",
                          "{",
                          "}",
                          "{}",
                          "{0",
                          "{0,}",
                          "{,0}",
                          "{0}}",
                          "{0},",
                          ",{0}",
                          "{0} {1}",
                          "{a}",
                          "{-1}",
                          "{0:0}",
                          "{0:}",
                          "{0:2:}",
                          "{0:-2}",
                          "{0}:0",
                          "{0}:",
                          "{0}:2:",
                          "{0}:2:1:1",
                          "{0}:3:-1",
                          "{!0}",
                          "!{0}",
                          "{0},!{1}",
                          "{0}:2,!{0}:2",
                          "{0},!{0}",
                          "{99999}",
                          "{0:99999999999999999999}",
                          "{0}:9000",
                          "core",
                          "coress",
                          "cores()",
                          "cores(0)",
                          "cores(-1)",
                          "cores(2",
                          "cores 2",
                          "cores,{0}",
                          "threads(2),threads(2)",
                          "{0}x",
                          "{0};{1}",
                          "{63:3:4095}",
                          "0x1"}) {
    Read r = read(bad);
    EXPECT_FALSE(r.good) << bad << " gave " << r.places;
  }
  EXPECT_FALSE(read("{5},{6}", 4).good) << "nothing of it may be used";
}

TEST(PlacesText, CpuLists) {
  EXPECT_EQ(read("0 3 1-2 4-15:2", 64, parse_cpu_list).places, "{0} {3} {1} {2} {4} {6} {8} {10} {12} {14}");
  EXPECT_EQ(read(" 1, 0 ", 64, parse_cpu_list).places, "{1} {0}");
  for (const char* bad : {"", "a", "1-", "-1", "3-1", "0-4:0", "0-4:", "1,", "1,,2", "1;2", "0-4:1:1"})
    EXPECT_FALSE(read(bad, 64, parse_cpu_list).good) << bad;
}

// Text made of what the parsers look for: never a crash, and a list that is accepted has places that may be used.
TEST(PlacesText, RandomText) {
  const char* pieces[] = {"{", "}", ",",     ":",       "!",       "0",    "1",           "7",  "63",   "-",  " ",
                          "(", ")", "cores", "threads", "sockets", "8191", "99999999999", "\t", "\xff", "%n", "+"};
  uint64_t random = 88172645463325252u;
  auto next = [&](uint64_t n) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    return random % n;
  };
  int good = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string s;
    if (next(2)) s = "{0";
    for (uint64_t k = next(9); k > 0; --k) s += pieces[next(13 + next(std::size(pieces) - 12))];
    if (s.find("cores") != s.npos || s.find("threads") != s.npos || s.find("sockets") != s.npos)
      if (next(200)) continue;  // these ask the machine, which takes time
    Parser parser = next(4) ? parse_places : parse_cpu_list;
    Places p;
    const char* why = nullptr;
    bool dropped;
    if (!parser(s.c_str(), first_cpus(64), &p, &why, &dropped)) {
      ASSERT_NE(why, nullptr) << s;
      continue;
    }
    ++good;
    ASSERT_GT(p.count, 0) << s;
    for (int k = 0; k < p.count; ++k) {
      ASSERT_FALSE(p.sets[k].empty()) << s;
      ASSERT_LT(p.sets[k].next(0), 64) << s;
    }
    free(static_cast<void*>(p.sets));
  }
  EXPECT_GT(good, 500);
}

TEST(Topology, GroupsOfASyntheticMachine) {
  setenv("HWLOC_SYNTHETIC", "pack:2 [numa] l3:2 core:2 pu:2", 1);
  auto count = [](Level level, int cpus = 16) {
    auto g = einkorn::machine::groups(level, first_cpus(cpus));
    std::string all;
    for (int i = 0; i < g.count; ++i) all += text(g.sets[i]) + " ";
    free(static_cast<void*>(g.sets));
    return all;
  };
  EXPECT_EQ(count(Level::socket), "0,1,2,3,4,5,6,7 8,9,10,11,12,13,14,15 ");
  EXPECT_EQ(count(Level::numa), "0,1,2,3,4,5,6,7 8,9,10,11,12,13,14,15 ");
  EXPECT_EQ(count(Level::cache), "0,1,2,3 4,5,6,7 8,9,10,11 12,13,14,15 ");
  EXPECT_EQ(count(Level::core), "0,1 2,3 4,5 6,7 8,9 10,11 12,13 14,15 ");
  EXPECT_EQ(count(Level::thread, 3), "0 1 2 ");
  EXPECT_EQ(count(Level::core, 3), "0,1 2 ");
  EXPECT_EQ(count(Level::socket, 18), "0,1,2,3,4,5,6,7 8,9,10,11,12,13,14,15 16,17 ")
      << "CPUs that it does not tell of";
  EXPECT_EQ(read("cores(3)", 16).places, "{0,1} {2,3} {4,5}");
  EXPECT_EQ(read("Sockets", 16).places, "{0,1,2,3,4,5,6,7} {8,9,10,11,12,13,14,15}");
  unsetenv("HWLOC_SYNTHETIC");
}

// All team sizes, partitions and places of the primary thread against the words of OpenMP 5.1, 2.6.2.
TEST(PlaceTeam, AsSpecified) {
  constexpr int kPlaces = 9, kThreads = 20;
  CpuSet sets[kPlaces];
  Places saved = g_places;
  g_places = {sets, kPlaces};
  Team* team = new_team(kThreads);
  Worker* w = static_cast<Worker*>(aligned_alloc(64, (sizeof(Worker) + 63) / 64 * 64));
  new (w) Worker;
  Slot outer{};
  for (int first = 0; first < kPlaces; ++first)
    for (int places = 1; first + places <= kPlaces; ++places)
      for (int at = 0; at < places; ++at)
        for (int n = 1; n <= kThreads; ++n)
          for (ProcBind policy : {ProcBind::primary, ProcBind::close, ProcBind::spread}) {
            outer.first_place = int16_t(first);
            outer.places = int16_t(places);
            w->place = int16_t(first + at);
            place_team(w, &outer, team, n, policy);
            std::string what = "partition " + std::to_string(first) + "+" + std::to_string(places) + " at " +
                               std::to_string(at) + " threads " + std::to_string(n) + " policy " +
                               std::to_string(int(policy));
            ASSERT_EQ(team->slots[0].place, w->place) << what << ": the primary thread stays";
            std::map<int, int> threads_at;
            for (int i = 0; i < n; ++i) {
              const Slot& s = team->slots[i];
              ++threads_at[s.place];
              ASSERT_GE(s.place, first) << what;
              ASSERT_LT(s.place, first + places) << what;
              ASSERT_GE(s.place, s.first_place) << what;
              ASSERT_LT(s.place, s.first_place + s.places) << what;
              if (policy != ProcBind::spread) {
                ASSERT_EQ(s.first_place, first) << what;
                ASSERT_EQ(s.places, places) << what;
              }
              if (policy == ProcBind::primary) {
                ASSERT_EQ(s.place, w->place) << what;
              } else if (i > 0 && n > places) {
                int step = (s.place - team->slots[i - 1].place + places) % places;
                ASSERT_LE(step, 1) << what << ": consecutive threads, consecutive places";
              } else if (i > 0 && policy == ProcBind::close) {
                ASSERT_EQ((s.place - team->slots[i - 1].place + places) % places, 1 % places) << what;
              }
            }
            if (policy == ProcBind::primary) continue;
            int least = n / places, most = (n + places - 1) / places;
            ASSERT_EQ(int(threads_at.size()), n < places ? n : places) << what;
            for (auto& [place, count] : threads_at) {
              ASSERT_GE(count, least) << what;
              ASSERT_LE(count, most) << what;
            }
            if (policy == ProcBind::spread && n <= places) {
              // The parts cover the partition, each place once, sizes differing by one at most.
              std::set<int> covered;
              for (int i = 0; i < n; ++i) {
                const Slot& s = team->slots[i];
                ASSERT_GE(s.places, places / n) << what;
                ASSERT_LE(s.places, (places + n - 1) / n) << what;
                for (int k = 0; k < s.places; ++k) ASSERT_TRUE(covered.insert(s.first_place + k).second) << what;
                if (i > 0) {
                  ASSERT_EQ(s.place, s.first_place) << what;
                }
              }
              ASSERT_EQ(int(covered.size()), places) << what;
            }
          }
  g_places = saved;
  free(w);
}

}  // namespace
