// Decisions of src/schedule, each alone: no threads, a view that holds still.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "schedule_team.h"
#include "schedule/place_search.h"
#include "schedule/ws_search.h"

TEST(Layout, PlacesByAxis) {
  EXPECT_EQ(Team("ws,take=one").layout.places.size(), 32u);
  EXPECT_EQ(Team("mts").layout.places.size(), 4u);
  EXPECT_EQ(Team("domains").layout.places.size(), 4u);
  EXPECT_EQ(Team("xkaapi").layout.places.size(), 36u);
  EXPECT_EQ(Team("central").layout.places.size(), 1u);
}

TEST(Layout, WorkersBelongToTheirNodes) {
  Team t("xkaapi");
  for (int w = 0; w < 32; ++w) {
    const Layout::Worker& worker = t.layout.workers[size_t(w)];
    EXPECT_EQ(worker.node, w / 8);
    ASSERT_EQ(worker.own_count, 2);
    EXPECT_EQ(t.node_of(worker.own[0]), w / 8);
    EXPECT_EQ(t.layout.places[size_t(worker.own[0])].workers, 1);
    EXPECT_EQ(t.layout.places[size_t(worker.own[1])].workers, 8);
  }
}

TEST(Layout, NodesWithoutWorkersHaveNoPlaces) {
  Team t("domains", 4, 8, 12);  // workers on nodes 0 and 1 alone
  EXPECT_EQ(t.layout.places.size(), 2u);
  EXPECT_EQ(t.layout.populated_near(0), 0);
  EXPECT_EQ(t.layout.populated_near(2), 1);  // one hop from 1, two from 0
  EXPECT_EQ(t.layout.populated_near(3), 0);
  EXPECT_EQ(t.layout.populated_near(4), -1);
}

TEST(Push, LocalIsTheFinestOwnPlace) {
  Team ws("ws,take=one"), mts("mts");
  EXPECT_EQ(ws.push(9), 9);
  EXPECT_EQ(mts.push(9), 1);
}

TEST(Push, TheProgramsWordWins) {
  for (const char* name : {"ws,take=one", "ws,select=two-choices", "ws,select=most-loaded", "mts", "domains",
                           "domains-strict", "deal", "vicinity:4", "xkaapi", "balance", "rr-fifo"}) {
    Team t(name);
    for (int node = 0; node < 4; ++node) {
      TaskFacts facts;
      facts.domain = node;
      EXPECT_EQ(t.node_of(t.push(5, facts)), node) << name;
    }
  }
}

TEST(Push, RoundRobinGivesEachTheSame) {
  Team t("rr-fifo");
  std::vector<int> got(32);
  for (int i = 0; i < 320; ++i) ++got[size_t(t.push(3))];
  for (int n : got) EXPECT_EQ(n, 10);
}

TEST(Push, CyclicNodeGivesEachNodeTheSame) {
  Team t("xkaapi:cyclic-node+writer-node+core-then-node");
  std::vector<int> got(4);
  TaskFacts facts;
  facts.source = true;
  for (int i = 0; i < 401; ++i) ++got[size_t(t.node_of(t.push(i % 32, facts)))];
  EXPECT_LE(*std::max_element(got.begin(), got.end()) - *std::min_element(got.begin(), got.end()), 1);
}

TEST(Push, WriterNodeGoesByWhatIsWritten) {
  const uint64_t read[4] = {900, 0, 0, 0}, written[4] = {0, 10, 20, 0}, nothing[4] = {};
  Team t("xkaapi:local+writer-node+sRand"), or_local("xkaapi:local+pNumaWLoc+sRand");
  TaskFacts facts;
  facts.read = read, facts.written = written;
  EXPECT_EQ(t.push(0, facts), t.layout.nodes[2].whole);
  EXPECT_EQ(or_local.push(0, facts), or_local.layout.nodes[2].whole);
  EXPECT_EQ(or_local.push(17, facts), or_local.layout.workers[17].own[0]);  // its own node: to its own place
  facts.written = nothing;
  EXPECT_EQ(t.push(31, facts), t.layout.nodes[0].whole);  // nothing written: where most is read
  facts.read = nothing;
  EXPECT_EQ(t.push(31, facts), t.layout.nodes[3].whole);  // nothing known: the own node
}

TEST(Push, LeastCostNeedsEnoughUnevenBytes) {
  Team t("deal");  // 128 KiB of cache a worker
  uint64_t bytes[4] = {0, 0, 100 << 10, 0};
  TaskFacts facts;
  facts.read = bytes;
  EXPECT_EQ(t.push(0, facts), 0);  // below a worker's share of the cache
  bytes[2] = 200 << 10;
  EXPECT_EQ(t.push(0, facts), 2);
  for (uint64_t& b : bytes) b = 200 << 10;
  EXPECT_EQ(t.push(0, facts), 0);  // evenly: its own
  // By hand: costs of nodes 0 .. 3, with bytes (3, 0, 2, 2) and distances 1, 1.5, 2: 3+2x2+2x1.5=10,
  // 3x1.5+2x1.5+2x2=11.5, 3x2+2+2x1.5=11, 3x1.5+2x1.5+2=9.5.
  const uint64_t mixed[4] = {300 << 10, 0, 200 << 10, 200 << 10};
  facts.read = mixed;
  EXPECT_EQ(t.push(0, facts), 3);
}

// Muddukrishna 2016, 3.4.2, Alg. 3: by the policy that laid out the data, the intensity index, and the first-level
// cache.
TEST(Push, VicinityGoesByCoarseDataAlone) {
  Team t("vicinity:4");
  t.layout.l1_bytes = 8192;
  const int own = 5;
  const uint64_t much[4] = {0, 0, 100 << 10, 0}, none[4] = {};
  TaskFacts facts;
  facts.read = much;
  facts.coarse = none;
  EXPECT_EQ(t.push(own, facts), own);  // fine or standard: the local queue, however much it is
  facts.coarse = much;
  EXPECT_EQ(t.node_of(t.push(own, facts)), 2);
  const uint64_t little[4] = {0, 0, 8192, 0}, enough[4] = {0, 0, 8193, 0};
  facts.coarse = little;
  EXPECT_EQ(t.push(own, facts), own);  // not more than the L1 data cache
  facts.coarse = enough;
  EXPECT_EQ(t.node_of(t.push(own, facts)), 2);  // of which a worker's share of the last level is 16 times as much
  facts.intense = 3;
  EXPECT_EQ(t.node_of(t.push(own, facts)), 3);  // named: wins over all sums
  facts.coarse = little;
  EXPECT_EQ(t.node_of(t.push(own, facts)), 3);  // whatever their size
  Team llc("vicinity:4,cache=llc"), any("vicinity:4,data=any");
  llc.layout.l1_bytes = any.layout.l1_bytes = 8192;
  facts = {};
  facts.coarse = enough;
  EXPECT_EQ(llc.push(own, facts), own);
  facts.coarse = none;
  facts.read = enough;
  EXPECT_EQ(any.node_of(any.push(own, facts)), 2);
  // deal knows neither: Alg. 1 goes by all data, and by none that is named.
  Team deal("deal");
  facts.read = much;
  facts.intense = 3;
  EXPECT_EQ(deal.push(own, facts), 0);
  const uint64_t more[4] = {0, 0, 200 << 10, 0};
  facts.read = more;
  EXPECT_EQ(deal.push(own, facts), 2);
}

TEST(Push, DeferRunsAtOnceButNotWhatMustQueue) {
  Team depth("mts,defer=depth,limit=3"), count("mts,defer=count,limit=2"), full("mts,defer=queue-full,limit=5");
  TaskFacts facts;
  facts.depth = 4;
  EXPECT_EQ(depth.push(0, facts), kRunNow);
  facts.must_queue = true;
  EXPECT_EQ(depth.push(0, facts), 0);
  facts = {};
  count.view.lengths = {0, 63, 0, 0};
  EXPECT_EQ(count.push(0, facts), 0);
  count.view.lengths = {0, 64, 0, 0};
  EXPECT_EQ(count.push(0, facts), kRunNow);
  full.view.lengths = {4, 9, 0, 0};
  EXPECT_EQ(full.push(0, facts), 0);
  EXPECT_EQ(full.push(8, facts), kRunNow);
}

TEST(Push, BalanceLeavesAQueueThatIsMuchTheLongest) {
  Team t("balance");
  const uint64_t written[4] = {0, 0, 4096, 0};
  TaskFacts facts;
  facts.written = written;
  t.view.lengths = {5, 7, 32, 9};
  EXPECT_EQ(t.push(0, facts), 2);
  t.view.lengths = {5, 7, 38, 9};  // more than 4 for each of its 8 workers above 5
  EXPECT_EQ(t.push(0, facts), 0);
}

TEST(Search, EveryPlaceOnceAndTheOwnFirst) {
  for (const char* name : {"ws,take=one", "mts", "domains", "xkaapi:local+local+sRand", "xkaapi:local+local+sProcNuma",
                           "xkaapi:local+local+sNumaProc", "domains,select=most-loaded", "ws,select=round-robin"}) {
    Team t(name);
    t.fill(1000);
    for (int worker : {0, 13, 31}) {
      std::vector<int> places = t.visits(worker, true);
      EXPECT_EQ(places[0], t.layout.workers[size_t(worker)].own[0]) << name;
      EXPECT_EQ(std::set<int>(places.begin(), places.end()).size(), places.size()) << name << ": a place twice";
      EXPECT_EQ(places.size(), t.layout.places.size()) << name << ": not all places";
    }
  }
}

TEST(Search, NoMoreAtOnceThanHasRoom) {
  for (const char* name : {"mts,take=half", "mts,take=quarter", "mts,take=60000"}) {
    Team t(name);
    t.fill(5000);
    Context c = t.ask(0);
    Search search(c, Search::Who::idle, false);
    for (Visit v; search.next(&v);) EXPECT_EQ(v.most, v.own ? 1 : kMostAtOnce) << name;
  }
}

TEST(Search, StrictNeverLeavesTheNode) {
  for (const char* name : {"domains-strict", "domains,reach=strict", "xkaapi:cyclic-node+writer-node+sRandNuma+strict",
                           "ws,reach=strict"}) {
    Team t(name);
    t.fill(1000);
    for (bool all : {false, true})
      for (int worker = 0; worker < 32; ++worker)
        for (int place : t.visits(worker, all)) EXPECT_EQ(t.node_of(place), worker / 8) << name;
  }
}

TEST(Search, VicinityStaysInItsGroup) {
  Team t("vicinity:4");
  t.fill(10);
  for (int worker = 0; worker < 32; ++worker) {
    std::vector<int> places = t.visits(worker, true);
    EXPECT_EQ(places.size(), 4u);
    for (int place : places) EXPECT_EQ(place / 4, worker / 4);
  }
}

TEST(Search, NoneLooksAtItsOwnAloneButForDescendants) {
  Team t("rr-lifo");
  t.fill(10);
  EXPECT_EQ(t.visits(3), std::vector<int>{3});
  EXPECT_EQ(t.visits(3, false, Search::Who::in_task).size(), 32u);
}

TEST(Search, NearFirst) {
  Team t("domains");
  t.fill(10);
  std::vector<int> places = t.visits(0);
  ASSERT_EQ(places.size(), 4u);
  EXPECT_EQ(places[0], 0);
  EXPECT_EQ(places[3], 2);  // two hops
}

TEST(Search, NeighboursThenNode) {
  Team t("xkaapi:local+local+sProcNuma");
  t.fill(10);
  std::vector<int> places = t.visits(0);
  ASSERT_EQ(places.size(), 36u);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(t.layout.places[size_t(places[size_t(i)])].kind, PlaceKind::core);
  EXPECT_EQ(places[8], t.layout.nodes[0].whole);
  // A remote node at a time, its cores first.
  for (int node = 1; node < 4; ++node) {
    EXPECT_EQ(t.layout.places[size_t(places[size_t(9 * node + 8)])].kind, PlaceKind::node);
    for (int i = 1; i < 9; ++i) EXPECT_EQ(t.node_of(places[size_t(9 * node + i)]), t.node_of(places[size_t(9 * node)]));
  }
}

TEST(Search, TheGuardLeavesShortQueuesAlone) {
  Team t("deal");  // longer than distance x 8
  t.view.lengths = {0, 12, 16, 13};
  EXPECT_EQ(t.visits(0), std::vector<int>{3});        // 1.5 x 8 = 12 at one hop, 2 x 8 = 16 at two
  EXPECT_EQ(t.visits(0, true), std::vector<int>{3});  // before it sleeps, too
  Team raw("deal,guard=10");                          // the system's own unit
  raw.view.lengths = {0, 120, 160, 121};
  EXPECT_EQ(raw.visits(0), std::vector<int>{3});
}

// Two schedules of Virouleau et al. (2016) on other nodes: sProc looks into their cores' queues, sNuma and sRandNuma
// into the nodes' own.
TEST(Search, OnOtherNodesOneKindOfPlaceBeforeASleepToo) {
  const struct {
    const char* name;
    PlaceKind kind;
  } cases[] = {{"xkaapi:local+local+sProc", PlaceKind::core},
               {"xkaapi:local+local+sNuma", PlaceKind::node},
               {"xkaapi:local+local+sRandNuma", PlaceKind::node}};
  for (auto [name, kind] : cases) {
    Team t(name);
    t.fill(10);
    for (bool all : {false, true}) {
      int elsewhere = 0;
      for (int place : t.visits(13, all)) {
        if (t.node_of(place) == 1) continue;
        ++elsewhere;
        EXPECT_EQ(t.layout.places[size_t(place)].kind, kind) << name;
      }
      EXPECT_EQ(elsewhere, kind == PlaceKind::core ? 24 : 3) << name;
    }
  }
}

// Who is woken for a push, and whether anybody is left to take it, is asked of the same function as the search.
TEST(Search, TakesWhatItMay) {
  for (const char* name :
       {"ws,take=one", "mts", "deal", "deal,guard=0", "vicinity:4", "domains-strict", "rr-fifo", "central",
        "xkaapi:local+local+sRand", "xkaapi:local+local+sProc", "xkaapi:local+local+sNuma+strict"}) {
    Team t(name);
    bool all_may = true;
    for (int worker : {0, 13, 31}) {
      for (size_t i = 0; i < t.view.lengths.size(); ++i) t.view.lengths[i] = uint32_t(11 + i % 7);
      const std::vector<int> found = t.visits(worker, true);
      for (int place = 0; place < int(t.view.lengths.size()); ++place) {
        const bool may = may_take(t.schedule, t.layout, worker, place, t.view.lengths[size_t(place)]);
        EXPECT_EQ(may, std::count(found.begin(), found.end(), place) == 1)
            << name << ": " << worker << " from " << place;
        all_may &= may;
      }
    }
    EXPECT_TRUE(all_may || is_closed(t.schedule)) << name;
  }
}

TEST(Steal, AQuarterAndNoMoreThanThirtyTwo) {
  EXPECT_EQ(steal_amount(1, 32), 1);
  EXPECT_EQ(steal_amount(7, 32), 1);
  EXPECT_EQ(steal_amount(100, 32), 25);
  EXPECT_EQ(steal_amount(1000, 32), 32);
  EXPECT_TRUE(were_short(8000, 4000, 2));
  EXPECT_FALSE(were_short(8001, 4000, 2));
  EXPECT_EQ(amount_to_take(1000, false, true, 2), 1);
  EXPECT_EQ(amount_to_take(100, true, true, 64), 25);
  EXPECT_EQ(amount_to_take(15, true, false, 2), 1);  // long ones: a quarter of what each would get
  EXPECT_EQ(amount_to_take(960, true, false, 12), 20);
  EXPECT_EQ(amount_to_take(960, true, false, 64), 15);  // in a large team as if they were sixteen
  EXPECT_EQ(amount_to_take(100'000, true, false, 64), 32);
  EXPECT_EQ(most_of_inbox(true, false), 1u);
  EXPECT_EQ(most_of_inbox(true, true), kMostOfInbox);
}

TEST(Steal, ForceIsForWhoHasCreatedNothingForAWhile) {
  SeenVictim seen;
  int one = 0, other = 0;
  EXPECT_FALSE(is_stuck(seen, &one, 7, 1000, 5000));
  EXPECT_FALSE(is_stuck(seen, &one, 7, 6000, 5000));
  EXPECT_TRUE(is_stuck(seen, &one, 7, 6001, 5000));
  EXPECT_FALSE(is_stuck(seen, &one, 8, 20000, 5000));  // has created one: from here on anew
  EXPECT_FALSE(is_stuck(seen, &other, 8, 30000, 5000));
  EXPECT_FALSE(may_force(8, 500));
  EXPECT_TRUE(may_force(9, 500));
  EXPECT_TRUE(may_force(0, 0));  // who sleeps at once
}

TEST(Search, EachOfManyWaitsLonger) {
  EXPECT_EQ(turns(1, 1, 500), 1);
  EXPECT_EQ(turns(1, 0, 500), 1);  // all others search, or sleep
  EXPECT_EQ(turns(15, 1, 500), 15);
  EXPECT_EQ(turns(12, 4, 500), 3);
  EXPECT_EQ(turns(3, 13, 500), 1);
  EXPECT_EQ(turns(200, 1, 1000), kMostTurns);
  EXPECT_EQ(turns(15, 1, 40), 5);  // rounds before it sleeps: it looks eight times
  EXPECT_EQ(turns(15, 1, 0), 1);
}

TEST(Thieves, BackOffDoublesUpToItsCap) {
  Schedule s;
  s.backoff = Backoff::exponential;
  BackoffState b;
  for (uint32_t expected : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 64u}) {
    after_search(s, b, false);
    uint32_t skipped = 0;
    while (stays_home(b, false)) ++skipped;
    EXPECT_EQ(skipped, expected);
  }
  after_search(s, b, false);
  EXPECT_FALSE(stays_home(b, true));  // the last one before a sleep
  after_search(s, b, true);
  EXPECT_FALSE(stays_home(b, false));
  s.backoff = Backoff::none;
  after_search(s, b, false);
  EXPECT_FALSE(stays_home(b, false));
}

// Of two that are drawn the longer one: an own rule, asked as often as there are places.
TEST(Search, TwoChoices) {
  Team t("places=core,select=two-choices,name=own");
  EXPECT_NE(axes_text(t.schedule).find("select=two-choices"), std::string::npos);
  int longest = 0, looks = 0, most = 0;
  for (int i = 0; i < 1000; ++i) {
    t.fill(1);
    t.view.lengths[9] = 2;
    const std::vector<int> found = t.visits(0);
    ASSERT_FALSE(found.size() < 2);
    longest += found[1] == 9;  // behind the own one
    looks += int(found.size());
    most = std::max(most, int(found.size()));
  }
  EXPECT_NEAR(longest, 1000 * 2 / 32, 25);  // at random: half of that
  EXPECT_LE(most, 33);
  EXPECT_GT(looks, 28 * 1000);  // it draws the own one now and then, with another as short
  t.fill(0);
  EXPECT_TRUE(t.visits(0).empty());
}

TEST(Search, HowMany) {
  struct {
    const char* name;
    uint32_t want;
  } cases[] = {{"mts", 8}, {"mts,take=3", 3}, {"mts,take=half", 50}, {"mts,take=one", 1}, {"mts,take=quarter", 25}};
  for (auto [name, want] : cases) {
    Team t(name);
    t.view.lengths = {0, 100, 100, 100};
    Context c = t.ask(0);
    Search search(c, Search::Who::idle, false);
    Visit v;
    ASSERT_TRUE(search.next(&v));
    EXPECT_EQ(v.most, want) << name;
    EXPECT_FALSE(v.own);
  }
}

TEST(Search, OnlyOneOfAPlaceLooksElsewhere) {
  Team t("mts");
  t.view.lengths = {0, 100, 100, 100};
  EXPECT_TRUE(t.visits(0, false, Search::Who::own_only).empty());
}

TEST(Decisions, AreDeterministic) {
  for (int run = 0; run < 2; ++run) {
    static std::vector<int> first;
    Team t("xkaapi:random-node+writer-node+sRandNuma");
    t.fill(3);
    std::vector<int> all;
    TaskFacts facts;
    facts.source = true;
    for (int i = 0; i < 50; ++i) {
      all.push_back(t.push(i % 32, facts));
      for (int place : t.visits(i % 32)) all.push_back(place);
    }
    if (run == 0) first = all;
    else EXPECT_EQ(all, first);
  }
}
