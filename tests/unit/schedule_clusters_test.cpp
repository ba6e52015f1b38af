// Schedules of two levels: where a procedure goes and where a codelet, who may take what, in which order.
#include <set>

#include "schedule_team.h"
#include "schedule/place_search.h"

namespace {

// Sets of the clusters of the places that a worker comes by, and in which order.
std::vector<int> clusters_of_visits(Team& t, int worker) {
  std::vector<int> out;
  for (int place : t.visits(worker, true)) {
    const int cluster = t.layout.places[size_t(place)].cluster;
    if (out.empty() || out.back() != cluster) out.push_back(cluster);
  }
  return out;
}

TaskFacts codelet() {
  TaskFacts facts;
  facts.codelet = true;
  return facts;
}
TaskFacts named(int cluster) {
  TaskFacts facts;
  facts.cluster = cluster;
  return facts;
}

PlaceKind kind_of(const Team& t, int place) { return t.layout.places[size_t(place)].kind; }
int cluster_of(const Team& t, int place) { return t.layout.places[size_t(place)].cluster; }

}  // namespace

TEST(Clusters, ANodeEachWithoutAShape) {
  Team t("codelets");
  ASSERT_EQ(t.layout.clusters.size(), 4u);
  EXPECT_EQ(t.layout.places.size(), 36u);  // a core's each, and one of procedures for each cluster
  for (int w = 0; w < 32; ++w) {
    const Layout::Worker& worker = t.layout.workers[size_t(w)];
    EXPECT_EQ(worker.cluster, w / 8);
    ASSERT_EQ(worker.own_count, 2);
    EXPECT_EQ(kind_of(t, worker.own[0]), PlaceKind::core);
    EXPECT_EQ(t.layout.places[size_t(worker.own[0])].workers, 1);
    EXPECT_EQ(kind_of(t, worker.own[1]), PlaceKind::procedures);
    EXPECT_EQ(t.layout.places[size_t(worker.own[1])].workers, 8);
    EXPECT_EQ(t.node_of(worker.own[1]), w / 8);
  }
}

TEST(Clusters, OfAShape) {
  Team many("codelets,amm=8x4"), one("darts-steal,amm=1x32"), few("codelets,amm=4x2,spread", 4, 8, 8);
  ASSERT_EQ(many.layout.clusters.size(), 8u);
  for (int w = 0; w < 32; ++w) EXPECT_EQ(many.layout.workers[size_t(w)].cluster, w / 4);
  ASSERT_EQ(one.layout.clusters.size(), 1u);
  EXPECT_EQ(one.layout.places.size(), 2u);
  EXPECT_EQ(one.node_of(0), -1);  // on all nodes
  // Eight workers who are on the first node's CPUs, where the shape has two.
  EXPECT_GE(few.layout.clusters.size(), 1u);
  for (const Layout::Cluster& c : few.layout.clusters) EXPECT_GT(c.units, 0);
}

// Whatever the shape: each worker is in one cluster, which has it, and each place has the workers that own it.
TEST(Clusters, LayoutHoldsTogether) {
  for (const char* name : {"codelets", "darts-steal", "swarm"})
    for (const char* shape :
         {"", ",amm=1x32", ",amm=2x16", ",amm=5x6", ",amm=32x1", ",amm=3x4,spread", ",amm=2x2,31,0,16,7"})
      for (int workers : {1, 3, 12, 32, 40}) {
        Team t((std::string(name) + shape).c_str(), 4, 8, workers);
        SCOPED_TRACE(testing::Message() << name << shape << ", " << workers);
        const Layout& l = t.layout;
        std::set<int> ranked(l.order.begin(), l.order.end());
        EXPECT_EQ(int(ranked.size()), workers);
        int units = 0, places = 0;
        for (size_t k = 0; k < l.clusters.size(); ++k) {
          const Layout::Cluster& c = l.clusters[k];
          EXPECT_EQ(c.first, places);
          EXPECT_EQ(c.first_rank, units);
          EXPECT_GT(c.units, 0);
          units += c.units, places += c.places;
          for (int r = c.first_rank; r < c.first_rank + c.units; ++r)
            EXPECT_EQ(l.workers[size_t(l.order[size_t(r)])].cluster, int(k));
          std::set<int> up(l.up.begin() + long(k * l.clusters.size()),
                           l.up.begin() + long((k + 1) * l.clusters.size()));
          EXPECT_EQ(up.size(), l.clusters.size());
          EXPECT_EQ(l.up[k * l.clusters.size()], int(k));
        }
        EXPECT_EQ(units, workers);
        EXPECT_EQ(places, int(l.places.size()));
        for (size_t p = 0; p < l.places.size(); ++p) {
          int owners = 0;
          for (const Layout::Worker& w : l.workers) owners += w.own[0] == int(p) || w.own[1] == int(p);
          EXPECT_EQ(owners, l.places[p].workers);
          EXPECT_GT(owners, 0);
        }
      }
}

TEST(Clusters, AProcedureGoesToItsInvokersCluster) {
  for (const char* name : {"codelets", "darts-standard", "darts-steal"}) {
    Team t(name);
    for (int w : {0, 9, 31}) EXPECT_EQ(t.push(w), t.layout.workers[size_t(w)].own[1]) << name;
  }
  Team swarm("swarm");  // has no procedures: all lies in the core's queue, or its cluster's
  EXPECT_EQ(swarm.push(9), swarm.layout.workers[9].own[0]);
}

TEST(Clusters, ACodeletStaysInItsCluster) {
  Team own("codelets"), shared("darts-steal"), dealt("darts-standard");
  EXPECT_EQ(own.push(9, codelet()), own.layout.workers[9].own[0]);
  EXPECT_EQ(shared.push(9, codelet()), shared.layout.workers[9].own[0]);
  EXPECT_EQ(kind_of(shared, shared.push(9, codelet())), PlaceKind::cluster);
  std::vector<int> got(dealt.layout.places.size());
  for (int i = 0; i < 80; ++i) ++got[size_t(dealt.push(9, codelet()))];
  for (size_t p = 0; p < got.size(); ++p)
    EXPECT_EQ(got[p], cluster_of(dealt, int(p)) == 1 && kind_of(dealt, int(p)) == PlaceKind::core ? 10 : 0) << p;
  TaskFacts far = codelet();
  far.domain = 3;  // which is said of a procedure
  EXPECT_EQ(cluster_of(own, own.push(9, far)), 1);
}

// Whoever brings its counter to zero.
TEST(Clusters, ACodeletGoesToItsProceduresCluster) {
  TaskFacts its = codelet();
  its.cluster = 6;  // of four: 2
  Team own("codelets"), shared("darts-steal,tp-push=local"), dealt("darts-standard");
  own.fill(5);
  own.view.lengths[size_t(own.layout.workers[19].own[0])] = 3;
  EXPECT_EQ(own.push(9, its), own.layout.workers[19].own[0]);   // the shortest of its cores'
  EXPECT_EQ(own.push(20, its), own.layout.workers[20].own[0]);  // it is there
  EXPECT_EQ(shared.push(9, its), shared.layout.workers[16].own[0]);
  std::set<int> turns;
  for (int i = 0; i < 8; ++i) turns.insert(dealt.push(9, its));
  EXPECT_EQ(turns.size(), 8u);
  for (int place : turns) {
    EXPECT_EQ(cluster_of(dealt, place), 2);
    EXPECT_EQ(kind_of(dealt, place), PlaceKind::core);
  }
}

// What goes to two clusters in turn, or codelets and procedures: one row of numbers for all of it would leave out every
// second core, or cluster.
TEST(Clusters, EachClusterDealsForItself) {
  for (bool procedures : {false, true}) {
    Team t("darts-standard,tp-push=round-robin");
    std::vector<int> got(t.layout.places.size());
    for (int i = 0; i < 160; ++i) {
      TaskFacts its = codelet();
      its.cluster = procedures ? 0 : i % 2;
      ++got[size_t(t.push(9, procedures && i % 2 ? TaskFacts() : its))];
    }
    for (size_t p = 0; p < got.size(); ++p) {
      const bool is_core = kind_of(t, int(p)) == PlaceKind::core;
      EXPECT_EQ(got[p], is_core ? cluster_of(t, int(p)) < 2 - procedures ? 10 : 0 : 20 * procedures) << p;
    }
  }
}

// SWARM: what a core has queued is its own; what another cluster is to have goes to the locale above its cores.
TEST(Clusters, SwarmsCodeletsStayWithTheirCore) {
  for (const char* text : {"swarm", "swarm,tp-push=local"}) {
    Team t(text);
    t.fill(5);
    TaskFacts its = codelet();
    its.cluster = 1;
    for (uint32_t length : {5u, 0u}) {
      t.view.lengths[size_t(t.layout.workers[12].own[0])] = length;
      EXPECT_EQ(t.push(9, its), t.layout.workers[9].own[0]) << text;
    }
    EXPECT_EQ(t.push(20, its), t.layout.workers[12].own[1]) << text;
  }
  // Without that locale, to who has least there.
  Team flat("swarm,places=core");
  TaskFacts far = codelet();
  far.cluster = 1;
  flat.fill(5);
  flat.view.lengths[size_t(flat.layout.workers[12].own[0])] = 0;
  EXPECT_EQ(flat.push(20, far), flat.layout.workers[12].own[0]);
  Team dealt("swarm,push=round-robin");
  TaskFacts its = codelet();
  its.cluster = 2;
  std::set<int> turns;
  for (int i = 0; i < 8; ++i) turns.insert(dealt.push(9, its));
  EXPECT_EQ(turns.size(), 8u);
  for (int place : turns) EXPECT_EQ(cluster_of(dealt, place), 2);
}

// The tree: a locale each core and one above it for its cluster. Who has no work looks at its own, its siblings', then
// at those of the nearest cluster; what lies above the cores is for each of them.
TEST(Clusters, ATreeOfLocales) {
  Team t("places=tree,select=up,amm=4x8");
  EXPECT_EQ(t.layout.places.size(), 36u);
  for (int w = 0; w < 32; ++w) {
    const Layout::Worker& worker = t.layout.workers[size_t(w)];
    EXPECT_EQ(kind_of(t, worker.own[0]), PlaceKind::core);
    EXPECT_EQ(kind_of(t, worker.own[1]), PlaceKind::cluster);
    EXPECT_EQ(t.layout.places[size_t(worker.own[1])].workers, 8);
    EXPECT_EQ(t.push(w), worker.own[0]);
    EXPECT_EQ(t.push(w, named(2)), t.layout.workers[16].own[1]);
    TaskFacts of_node;
    of_node.domain = 3;
    EXPECT_EQ(t.push(w, of_node), t.layout.workers[24].own[1]);
  }
  t.fill(1);
  const std::vector<int> visits = t.visits(9);
  ASSERT_EQ(visits.size(), 36u);
  EXPECT_EQ(visits[0], t.layout.workers[9].own[0]);
  EXPECT_EQ(visits[1], t.layout.workers[9].own[1]);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(cluster_of(t, visits[size_t(i)]), 1) << i;
  EXPECT_EQ(clusters_of_visits(t, 9).size(), 4u);
  Team dealt("places=tree,select=none,push=round-robin");
  std::vector<int> got(dealt.layout.places.size());
  for (int i = 0; i < 64; ++i) ++got[size_t(dealt.push(9))];
  for (size_t p = 0; p < got.size(); ++p) EXPECT_EQ(got[p], kind_of(dealt, int(p)) == PlaceKind::core ? 2 : 0) << p;
}

// DARTS' downtime: each level has a pause of its own, which doubles up to its cap; found work ends both.
TEST(Clusters, EachLevelBacksOffByItself) {
  Team t("codelets,cap=8:2");
  BackoffState b;
  uint64_t now = 1000;
  auto left = [&](bool must = false) {
    const LeftOut out = leaves_out(t.schedule, b, must, now);
    EXPECT_FALSE(out.others);
    return std::pair(out.level[kBeyond], out.level[kWithin]);
  };
  EXPECT_EQ(left(), std::pair(false, false));
  for (auto [beyond, within] : {std::pair(1, 1), std::pair(2, 2), std::pair(4, 2), std::pair(8, 2), std::pair(8, 2)}) {
    after_search(t.schedule, b, false);
    EXPECT_EQ(left(), std::pair(true, true));
    EXPECT_EQ(left(true), std::pair(false, false));  // the last look before a sleep
    now += uint64_t(within);
    EXPECT_EQ(left(), std::pair(beyond > within, false));
    // A level that was left out keeps its pause.
    if (beyond > within) {
      BackoffState copy = b;
      after_search(t.schedule, copy, false, leaves_out(t.schedule, copy, false, now));
      EXPECT_EQ(copy.levels[kBeyond].pause, uint64_t(beyond));
      EXPECT_EQ(copy.levels[kWithin].pause, 2u);
    }
    now += uint64_t(beyond - within);
    EXPECT_EQ(left(), std::pair(false, false));
  }
  after_search(t.schedule, b, false);
  after_search(t.schedule, b, true);
  EXPECT_EQ(left(), std::pair(false, false));

  // What is left out: the cluster's others, or procedures of other clusters; never the core's own, or its procedures.
  auto visits = [](Team& of, bool beyond, bool within) {
    of.fill(9);
    Context c = of.ask(9);
    LeftOut out;
    out.level[kBeyond] = beyond, out.level[kWithin] = within;
    Search search(c, Search::Who::idle, false, out);
    std::vector<int> found;  // of the own cluster, of others
    found.resize(2);
    for (Visit v; search.next(&v);) ++found[cluster_of(of, v.place) != of.layout.workers[9].cluster];
    return found;
  };
  EXPECT_EQ(visits(t, false, false), (std::vector{9, 3}));
  EXPECT_EQ(visits(t, true, false), (std::vector{9, 0}));
  EXPECT_EQ(visits(t, false, true), (std::vector{2, 3}));
  Team darts("darts-steal,cap=512:4096");
  EXPECT_EQ(visits(darts, false, false), (std::vector{2, 3}));
  EXPECT_EQ(visits(darts, false, true), (std::vector{1, 3}));
  EXPECT_EQ(visits(darts, true, true), (std::vector{1, 0}));
}

// Whatever would have it run at once: not in a cluster where it does not belong.
TEST(Clusters, WhatIsPutOffKeepsItsCluster) {
  for (const char* defer : {",defer=depth,limit=4", ",defer=count,limit=1", ",defer=queue-full,limit=1"})
    for (const char* name : {"codelets", "darts-steal", "swarm"}) {
      Team t((std::string(name) + defer).c_str());
      SCOPED_TRACE(std::string(name) + defer);
      t.fill(9);
      TaskFacts any, to = named(3), its = codelet();
      its.cluster = 3;
      any.depth = to.depth = its.depth = 5;
      EXPECT_EQ(t.push(9, any), kRunNow);
      EXPECT_EQ(cluster_of(t, t.push(9, to)), 3);
      EXPECT_EQ(cluster_of(t, t.push(9, its)), 3);
      EXPECT_EQ(t.push(31, to), kRunNow);
      EXPECT_EQ(t.push(31, its), kRunNow);
      its.cluster = -1;
      EXPECT_EQ(t.push(9, its), kRunNow);
    }
}

TEST(Clusters, ProceduresInTurn) {
  Team t("codelets,tp-push=round-robin,amm=8x4");
  std::vector<int> got(8);
  for (int i = 0; i < 80; ++i) ++got[size_t(cluster_of(t, t.push(5)))];
  for (int n : got) EXPECT_EQ(n, 10);
}

TEST(Clusters, ProceduresWhereTheProgramSays) {
  Team placed("codelets"), ignored("codelets,tp-push=local"), swarm("swarm");
  for (int cluster = 0; cluster < 9; ++cluster) {
    EXPECT_EQ(placed.push(9, named(cluster)), placed.layout.clusters[size_t(cluster % 4)].procedures);
    EXPECT_EQ(cluster_of(swarm, swarm.push(9, named(cluster))), cluster % 4);
    EXPECT_EQ(cluster_of(ignored, ignored.push(9, named(cluster))), 1);
  }
  EXPECT_EQ(placed.push(9), placed.layout.workers[9].own[1]);  // it says nothing
}

TEST(Clusters, NobodyTakesACodeletFromAnotherCluster) {
  for (const char* name :
       {"codelets", "darts-standard", "darts-steal", "codelets,select=random", "codelets,select=most-loaded",
        "darts-steal,select=two-choices", "codelets,amm=3x5,select=round-robin"}) {
    Team t(name);
    t.fill(10);
    for (int w : {0, 13, 31})
      for (auto who : {Search::Who::idle, Search::Who::in_task})
        for (bool all : {false, true}) {
          Context c = t.ask(w);
          Search search(c, who, all);
          for (Visit v; search.next(&v);) {
            EXPECT_TRUE(cluster_of(t, v.place) == t.layout.workers[size_t(w)].cluster ||
                        kind_of(t, v.place) == PlaceKind::procedures)
                << name << ": " << w << " from " << v.place;
          }
        }
    EXPECT_TRUE(is_closed(t.schedule)) << name;
  }
}

TEST(Clusters, HowFarProceduresMayGo) {
  auto reached = [](const char* name) {
    Team t(name);
    t.fill(10);
    std::set<int> clusters;
    for (int place : t.visits(9, true)) clusters.insert(cluster_of(t, place));
    return clusters;
  };
  EXPECT_EQ(reached("codelets,amm=8x4").size(), 8u);
  EXPECT_EQ(reached("codelets,amm=8x4,tp-reach=node"), (std::set<int>{2, 3}));  // worker 9 is on node 1
  EXPECT_EQ(reached("codelets,amm=8x4,tp-reach=cluster"), (std::set<int>{2}));
  EXPECT_EQ(reached("codelets,amm=2x16,tp-reach=node"), (std::set<int>{0}));  // on two nodes: nobody is on the same
  EXPECT_EQ(reached("darts-standard,amm=8x4"), (std::set<int>{2}));
}

TEST(Clusters, UpIsTheOwnFirstThenTheNearest) {
  Team t("swarm");  // a ring of four: 1 has 0 and 2 beside it
  t.fill(10);
  EXPECT_EQ(clusters_of_visits(t, 9), (std::vector<int>{1, 2, 0, 3}));
  EXPECT_EQ(t.visits(9, true).size(), 36u);
  Team of_node("swarm,amm=8x4");  // the other half of the node before other nodes
  of_node.fill(10);
  EXPECT_EQ(clusters_of_visits(of_node, 0), (std::vector<int>{0, 1, 2, 3, 6, 7, 4, 5}));
  // Where all are equally far no two begin with the same one.
  Team flat("swarm,amm=8x4", 1, 32);
  flat.fill(10);
  for (int w : {0, 4, 28}) EXPECT_EQ(clusters_of_visits(flat, w)[1], (w / 4 + 1) % 8);
}

TEST(Clusters, CodeletsComeBeforeProcedures) {
  for (const char* name : {"codelets", "darts-standard", "darts-steal"}) {
    Team t(name);
    t.fill(10);
    const std::vector<int> visits = t.visits(9);
    EXPECT_EQ(visits[0], t.layout.workers[9].own[0]) << name;
    EXPECT_EQ(visits[1], t.layout.workers[9].own[1]) << name;
  }
}

// Several procedures at once are still procedures, and several codelets codelets.
TEST(Clusters, WhatIsKeptStaysWhatItIs) {
  Team t("codelets");
  const Layout::Worker& w = t.layout.workers[9];
  EXPECT_EQ(kept_at(t.layout, 9, t.layout.clusters[3].procedures), w.own[1]);
  EXPECT_EQ(kept_at(t.layout, 9, t.layout.workers[10].own[0]), w.own[0]);
  Team nodes("xkaapi");
  EXPECT_EQ(kept_at(nodes.layout, 9, nodes.layout.nodes[3].whole), nodes.layout.workers[9].own[0]);
}

// Of a full queue: what others' clusters alone may have stays theirs.
TEST(Clusters, WhatRunsAtOnceInstead) {
  auto may = [](const char* name, int place, const TaskFacts& facts = {}) {
    Team t(name);
    return may_run_instead(t.schedule, t.layout, 9, place, facts);
  };
  TaskFacts at_node, ours = codelet(), of_far = codelet();
  at_node.domain = 3, ours.cluster = 1, of_far.cluster = 3;
  Team t("codelets");
  const int mine = t.layout.workers[9].own[0], procedures = t.layout.workers[9].own[1];
  const int far = t.layout.workers[31].own[0], theirs = t.layout.workers[31].own[1];
  EXPECT_TRUE(may("codelets", mine));
  EXPECT_TRUE(may("codelets", procedures));
  EXPECT_TRUE(may("codelets", procedures, at_node));
  EXPECT_TRUE(may("codelets", theirs));
  EXPECT_FALSE(may("codelets", theirs, at_node));
  EXPECT_FALSE(may("codelets", theirs, named(3)));
  EXPECT_TRUE(may("codelets,tp-push=round-robin", theirs, named(3)));  // says nothing there
  // Hand-made codelets all name their cluster: the own one's do not fill its queues without end.
  const int beside = t.layout.workers[10].own[0];
  for (const char* name : {"codelets", "darts-standard"}) {
    EXPECT_TRUE(may(name, beside, ours)) << name;
    EXPECT_FALSE(may(name, far, of_far)) << name;
  }
  EXPECT_TRUE(may("swarm", 10, ours));
  EXPECT_FALSE(may("swarm", 31, of_far));
  EXPECT_TRUE(may("swarm", 31));
  EXPECT_FALSE(may("codelets,tp-reach=node", theirs));
  EXPECT_FALSE(may("codelets", far));
  EXPECT_TRUE(may("ws,take=one", 31));
  EXPECT_FALSE(may("ws,reach=strict", 31));
}

TEST(Clusters, TheCapOfTheBackOff) {
  Schedule s;
  std::string why;
  for (auto [text, most] : {std::pair{"darts-steal", 64u}, {"darts-steal,cap=5", 5u}, {"darts-steal,cap=1", 1u}}) {
    ASSERT_TRUE(parse_schedule(text, &s, &why)) << why;
    BackoffState b;
    uint32_t longest = 0;
    for (int i = 0; i < 100; ++i) {
      while (stays_home(b, false)) {}
      after_search(s, b, false);
      longest = std::max(longest, b.skip);
    }
    EXPECT_EQ(longest, most) << text;
    after_search(s, b, true);
    EXPECT_EQ(b.skip, 0u);
  }
}

TEST(Clusters, WhatDoesNotGoTogether) {
  auto error_of = [](const char* text) {
    Schedule s;
    std::string why;
    EXPECT_FALSE(parse_schedule(text, &s, &why)) << text;
    return why;
  };
  EXPECT_NE(error_of("codelets,select=near-first").find("up"), std::string::npos);
  EXPECT_NE(error_of("codelets,push=writer-node").find("tp-push"), std::string::npos);
  EXPECT_NE(error_of("codelets,init=cyclic-node").find("tp-push"), std::string::npos);
  EXPECT_NE(error_of("codelets,thieves=one-per-place").find("places=cluster"), std::string::npos);
  EXPECT_NE(error_of("mts,select=up").find("clusters"), std::string::npos);
  EXPECT_NE(error_of("balance,places=cluster,select=up").find("rule"), std::string::npos);
  EXPECT_NE(error_of("codelets,tp-reach=far").find("loose"), std::string::npos);
  EXPECT_NE(error_of("codelets,tp-push=rr").find("round-robin"), std::string::npos);
  EXPECT_NE(error_of("codelets,cap=0").find("cap"), std::string::npos);
  EXPECT_NE(error_of("codelets,ama=2x2").find("did you mean 'amm'"), std::string::npos);
}
