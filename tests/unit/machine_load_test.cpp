// Machines from every source: their contents, and the messages for bad ones.
#include <gtest/gtest.h>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

#include "../scratch.h"
#include "machine/from_hwloc.h"
#include "machine/load.h"
#include "machine/near.h"
#include "machine/sys.h"

namespace {

using namespace einkorn::base;
using namespace einkorn::machine;

Machine good(const std::string& asked) {
  Machine m;
  std::string why;
  EXPECT_TRUE(load(asked, &m, &why)) << asked << ": " << why;
  EXPECT_EQ(broken(m), "") << asked;
  EXPECT_FALSE(m.real) << asked;
  return m;
}

std::string refused(const std::string& asked) {
  Machine m;
  m.name = "untouched";
  std::string why;
  EXPECT_FALSE(load(asked, &m, &why)) << asked;
  EXPECT_EQ(m.name, "untouched");
  EXPECT_FALSE(why.empty());
  EXPECT_EQ(why.find('\n'), std::string::npos) << why;
  return why;
}

std::string refused_text(const std::string& json) {
  Machine m;
  std::string why;
  EXPECT_FALSE(load_model_text(json, "m.json", &m, &why)) << json;
  EXPECT_EQ(why.rfind("m.json", 0), 0u) << why;
  return why;
}

std::string shape(const Machine& m) {
  return std::to_string(m.pu_count()) + " CPUs " + std::to_string(m.cores) + " cores " + std::to_string(m.llcs) +
         " caches " + std::to_string(m.node_count()) + " nodes " + std::to_string(m.sockets) + " sockets";
}

void expect_same(const Machine& a, const Machine& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.note, b.note);
  ASSERT_EQ(a.pus.size(), b.pus.size());
  for (size_t i = 0; i < a.pus.size(); ++i) {
    const Pu &p = a.pus[i], &q = b.pus[i];
    EXPECT_TRUE(p.os == q.os && p.core == q.core && p.llc == q.llc && p.node == q.node && p.socket == q.socket) << i;
  }
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    const Node &p = a.nodes[i], &q = b.nodes[i];
    EXPECT_TRUE(p.os == q.os && p.socket == q.socket && p.memory_bytes == q.memory_bytes) << i;
  }
  EXPECT_EQ(shape(a), shape(b));
  EXPECT_EQ(a.distance, b.distance);
  EXPECT_EQ(a.distance_measured, b.distance_measured);
  EXPECT_EQ(a.latency_ns, b.latency_ns);
  EXPECT_EQ(a.bandwidth, b.bandwidth);
  EXPECT_EQ(a.bandwidth_one, b.bandwidth_one);
  EXPECT_EQ(a.write_bandwidth, b.write_bandwidth);
  EXPECT_EQ(a.write_bandwidth_one, b.write_bandwidth_one);
  EXPECT_EQ(a.unit_bytes, b.unit_bytes);
  EXPECT_EQ(a.l1_bytes, b.l1_bytes);
  EXPECT_EQ(a.l2_bytes, b.l2_bytes);
  EXPECT_EQ(a.llc_bytes, b.llc_bytes);
  EXPECT_EQ(a.page_bytes, b.page_bytes);
  ASSERT_EQ(a.measured.size(), b.measured.size());
  for (size_t i = 0; i < a.measured.size(); ++i) {
    EXPECT_EQ(a.measured[i].name, b.measured[i].name);
    EXPECT_DOUBLE_EQ(a.measured[i].value, b.measured[i].value);
  }
}

Machine through_json(const Machine& m) {
  Machine back;
  std::string why;
  EXPECT_TRUE(load_model_text(to_json(m), m.source, &back, &why)) << why;
  return back;
}

TEST(MachineText, Levels) {
  EXPECT_EQ(shape(good("numa:4 l3:1 core:8 pu:1")), "32 CPUs 32 cores 4 caches 4 nodes 4 sockets");
  EXPECT_EQ(shape(good("socket:2 numa:2 l3:2 core:3 pu:2")), "48 CPUs 24 cores 8 caches 4 nodes 2 sockets");
  EXPECT_EQ(shape(good("4x8")), shape(good("numa:4 core:8")));
  EXPECT_EQ(shape(good("8x6x2")), "96 CPUs 48 cores 8 caches 8 nodes 8 sockets");
  EXPECT_EQ(shape(good("pu:3")), "3 CPUs 3 cores 1 caches 1 nodes 1 sockets");
  EXPECT_EQ(shape(good("socket:2 core:2")), "4 CPUs 4 cores 2 caches 1 nodes 2 sockets");
  EXPECT_EQ(shape(good("Package:2 NUMANode:1 Cores:2 threads:2")), "8 CPUs 4 cores 2 caches 2 nodes 2 sockets");
  EXPECT_EQ(shape(good("numa:1024 core:8")), "8192 CPUs 8192 cores 1024 caches 1024 nodes 1024 sockets");
}

TEST(MachineText, Order) {
  Machine m = good("socket:2 numa:2 core:2 pu:2");
  for (int i = 0; i < 16; ++i) {
    const Pu& p = m.pus[size_t(i)];
    EXPECT_EQ(p.os, i);
    EXPECT_EQ(p.core, i / 2);
    EXPECT_EQ(p.node, i / 4);
    EXPECT_EQ(p.socket, i / 8);
  }
  EXPECT_EQ(m.nodes[3].socket, 1);
}

TEST(MachineText, Distances) {
  Machine m = good("socket:2 numa:2 core:1");
  EXPECT_EQ(m.distance_between(0, 0), 10);
  EXPECT_EQ(m.distance_between(0, 1), 20);
  m = good("socket:2 numa:2 core:1 distance:12,32");
  EXPECT_EQ(m.distance_between(2, 2), 10);
  EXPECT_EQ(m.distance_between(2, 3), 12);
  EXPECT_EQ(m.distance_between(1, 2), 32);
  EXPECT_EQ(good("numa:2 core:1 distance:17.5").distance_between(1, 0), 17.5f);
}

// hwloc and we mean the same by the same words; and its own words work too.
TEST(MachineText, AsHwlocHasIt) {
  for (const char* line :
       {"package:2 numa:2 l3:2 core:3 pu:2", "package:4 numa:1 l3:1 core:8 pu:1", "package:3 core:2 pu:1"}) {
    Machine ours = good(line), theirs;
    std::string why;
    ASSERT_TRUE(synthetic_from_hwloc(line, &theirs, &why)) << why;
    EXPECT_EQ(shape(ours).substr(0, 10), shape(theirs).substr(0, 10));
    for (size_t i = 0; i < ours.pus.size(); ++i) {
      EXPECT_EQ(ours.pus[i].os, theirs.pus[i].os);
      EXPECT_EQ(ours.pus[i].core, theirs.pus[i].core);
      EXPECT_EQ(ours.pus[i].node, theirs.pus[i].node);
      EXPECT_EQ(ours.pus[i].socket, theirs.pus[i].socket);
    }
  }
  Machine m = good("pack:2 [numa(memory=16GB)] l3:1(size=8MB) core:4 pu:2 distance:15");
  EXPECT_EQ(shape(m), "16 CPUs 8 cores 2 caches 2 nodes 2 sockets");
  EXPECT_EQ(m.llc_bytes, 8'000'000u);
  EXPECT_GT(m.nodes[1].memory_bytes, 14'000'000'000u);
  EXPECT_EQ(m.distance_between(0, 1), 15);
  EXPECT_EQ(good("2 3 2").pu_count(), 12);
}

TEST(MachineText, Wrong) {
  EXPECT_NE(refused("numma:4 core:8").find("Did you mean \"numa\"?"), std::string::npos);
  EXPECT_NE(refused("numa:0 core:8").find("from 1 to 8192"), std::string::npos);
  EXPECT_NE(refused("numa:4 core:-1").find("\"core:-1\""), std::string::npos);
  EXPECT_NE(refused("numa:4 core:99999999999999999999").find("from 1 to 8192"), std::string::npos);
  EXPECT_NE(refused("numa:100 core:100").find("too large"), std::string::npos);
  EXPECT_NE(refused("numa:2048 core:1").find("too large"), std::string::npos);
  EXPECT_NE(refused("l9:100 core:100 pu:100").find("too large"), std::string::npos);
  EXPECT_NE(refused("numa:4 numa:2").find("is there already"), std::string::npos);
  EXPECT_NE(refused("pu:2 core:2").find("innermost"), std::string::npos);
  EXPECT_NE(refused("numa:2 core:2 distance:5").find("from 10"), std::string::npos);
  EXPECT_NE(refused("numa:2 core:2 distance:20,30,40").find("from 10"), std::string::npos);
  for (const char* line : {"4x", "0x4", "4x8x1x1", "4x0", "x"}) refused(line);
  // hwloc would take these for four thousand million.
  EXPECT_NE(refused("l2:0xffffffff core:1").find("neither"), std::string::npos);
  EXPECT_NE(refused("8192").find("side by side"), std::string::npos);  // 13 seconds in hwloc
  EXPECT_NE(refused("pack:2 [numa(memory=2000000000GB)] core:4 pu:1").find("bytes of memory"), std::string::npos);
  EXPECT_NE(refused("pack:2 [numa(memory=16GB)] l3:1(size=-1) core:4 pu:2").find("last level cache has"),
            std::string::npos);
  EXPECT_NE(refused("l2:2 l1:1 co\"nodes(\"re:126888559 pu]]:1").find("neither level:number"), std::string::npos);
  EXPECT_NE(refused("pack:2 l3:1 l1:2(size=-1) core:4 pu:2").find("L1 cache has"), std::string::npos);
  EXPECT_NE(refused("l2:4294967295 core:1").find("too large"), std::string::npos);
  EXPECT_NE(refused("16931379pu:3").find("neither level:number"),
            std::string::npos);  // to hwloc the first is a level of its own
  refused("distance:20");
  refused("(((((");
  refused("[[[[:1");
  refused(std::string(5000, 'a'));
}

TEST(MachineModel, EveryOneLoadsAndRoundTrips) {
  std::vector<std::string> names = model_names();
  for (const char* must :
       {"nehalem-ex-4x8", "opteron-6172-48", "uv2000-24x8", "bcs-16x8", "altix-uv-32", "hp-dl980", "fujitsu-8",
        "tilepro64", "magny-cours-16", "westmere-2x6", "xeon-phi-60", "ivy-bridge-2x10", "sandy-bridge-4x6x2"})
    EXPECT_NE(std::find(names.begin(), names.end(), must), names.end()) << must;
  for (const std::string& name : names) {
    Machine m = good(name);
    EXPECT_EQ(m.name, name);
    EXPECT_EQ(m.source, name);
    EXPECT_FALSE(m.note.empty()) << name;
    expect_same(m, through_json(m));
  }
}

TEST(MachineModel, Shapes) {
  EXPECT_EQ(shape(good("nehalem-ex-4x8")), "32 CPUs 32 cores 4 caches 4 nodes 4 sockets");
  EXPECT_EQ(shape(good("opteron-6172-48")), "48 CPUs 48 cores 8 caches 8 nodes 4 sockets");
  EXPECT_EQ(shape(good("uv2000-24x8")), "192 CPUs 192 cores 24 caches 24 nodes 24 sockets");
  EXPECT_EQ(shape(good("tilepro64")), "64 CPUs 64 cores 64 caches 64 nodes 1 sockets");
  EXPECT_EQ(shape(good("xeon-phi-60")), "240 CPUs 60 cores 60 caches 1 nodes 1 sockets");
  EXPECT_EQ(shape(good("magny-cours-16")), "16 CPUs 16 cores 4 caches 4 nodes 2 sockets");
}

TEST(MachineModel, Unknown) {
  std::string why = refused("nehalem-4x8");
  EXPECT_NE(why.find("Did you mean \"nehalem-ex-4x8\"?"), std::string::npos) << why;
  EXPECT_NE(why.find("uv2000-24x8"), std::string::npos);
  EXPECT_EQ(refused("zzzzzzzzzzz").find("Did you mean"), std::string::npos);
  EXPECT_NE(refused("no/such.json").find("No such file"), std::string::npos);
  EXPECT_NE(refused("/tmp/").find("is not a file"), std::string::npos);
}

TEST(MachineModel, Explicit) {
  Machine m;
  std::string why;
  // Memory without CPUs, CPUs in disorder, numbers of the system's own.
  ASSERT_TRUE(load_model_text(R"({"einkorn_machine": 1, "pus": [[7, 5, 1, 1, 1], [3, 9, 0, 0, 0]],
      "nodes": [{"os": 4, "memory_bytes": 1000}, {"os": 2, "socket": 1}, {"os": 9}], "llc_bytes": 77, "page_bytes": 16384,
      "distance": [[10, 21, 5.5], [21, 10, 30], [17, 30, 10]], "distance_measured": true,
      "latency_ns": [[1, 2, 3], [4, 5, 6], [7, 8, 1e3]], "bandwidth": [[1e9, 2, 3], [4, 5, 6], [7, 8, 9]],
      "bandwidth_one": [[1e8, 2, 3], [4, 5, 6], [7, 8, 9]], "write_bandwidth": [[1e7, 2, 3], [4, 5, 6], [7, 8, 9]],
      "write_bandwidth_one": [[1e6, 2, 3], [4, 5, 6], [7, 8, 9]], "unit_bytes": 128, "measured": {"barrier_ns": 178.25}})",
                              "a/b.json", &m, &why))
      << why;
  EXPECT_EQ(m.name, "b");
  EXPECT_EQ(m.pus[0].os, 3);
  EXPECT_EQ(m.pus[1].os, 7);
  EXPECT_EQ(m.nodes[0].os, 4);
  EXPECT_EQ(m.nodes[1].memory_bytes, 0u);
  EXPECT_EQ(nodes_with_cpus(m), (std::vector<int>{0, 1}));
  EXPECT_EQ(m.page_bytes, 16384u);
  EXPECT_EQ(m.unit_bytes, 128u);
  EXPECT_EQ(m.write_bandwidth[0], 1e7f);
  EXPECT_EQ(m.write_bandwidth_one[0], 1e6f);
  expect_same(m, through_json(m));
}

TEST(MachineModel, Wrong) {
  EXPECT_NE(refused_text("{\"einkorn_machine\": 1,\n \"tree\" \"pu:1\"}").find("line 2"), std::string::npos);
  EXPECT_NE(refused_text("").find("is not JSON"), std::string::npos);
  EXPECT_NE(refused_text("[]").find("not a JSON object"), std::string::npos);
  EXPECT_NE(refused_text(R"({"tree": "pu:1"})").find("einkorn_machine"), std::string::npos);
  EXPECT_NE(refused_text(R"({"einkorn_machine": 2, "tree": "pu:1"})").find("is not 1"), std::string::npos);
  auto model = [](const std::string& rest) { return refused_text("{\"einkorn_machine\": 1, " + rest + "}"); };
  EXPECT_NE(model(R"("trees": "pu:1")").find("Did you mean \"tree\"?"), std::string::npos);
  EXPECT_NE(model(R"("name": "x")").find("neither"), std::string::npos);
  EXPECT_NE(model(R"("tree": "pu:1", "pus": [])").find("both"), std::string::npos);
  EXPECT_NE(model(R"("tree": "pu:0")").find("tree: "), std::string::npos);
  EXPECT_NE(model(R"("tree": "l2:2 pu:1")").find("no level \"l2\""), std::string::npos);
  EXPECT_NE(model(R"("pus": [[0, 0, 0, 0]])").find("entry 0"), std::string::npos);
  EXPECT_NE(model(R"("pus": [[0, 0, 0, 0, -1]])").find("entry 0, number 4"), std::string::npos);
  EXPECT_NE(model(R"("pus": [[0, 0, 0, 0, 0], [0, 1, 0, 0, 0]])").find("twice"), std::string::npos);
  EXPECT_NE(model(R"("pus": [[0, 0, 0, 0, 1]])").find("socket 0 has no CPU"), std::string::npos);
  EXPECT_NE(model(R"("pus": [[0, 0, 0, 5, 0]], "nodes": [{}])").find("node, 5"), std::string::npos);
  EXPECT_NE(model(R"("tree": "pu:1", "nodes": [{"socket": 3}])").find("socket"), std::string::npos);
  EXPECT_NE(model(R"("tree": "pu:1", "nodes": [{"bytes": 3}])").find("\"bytes\""), std::string::npos);
  EXPECT_NE(model(R"("tree": "numa:2 pu:1", "distance": [[10, 20]])").find("2 rows"), std::string::npos);
  EXPECT_NE(model(R"("tree": "numa:2 pu:1", "distance": [[10, 20], [20]])").find("row 1"), std::string::npos);
  EXPECT_NE(model(R"("tree": "numa:2 pu:1", "distance": [[10, 20], [0, 10]])").find("row 1, column 0"),
            std::string::npos);
  EXPECT_NE(model(R"("tree": "numa:2 pu:1", "bandwidth": [[10, 20], ["x", 10]])").find("bandwidth: row 1"),
            std::string::npos);
  EXPECT_NE(model(R"("tree": "pu:1", "page_bytes": 1000)").find("page_bytes"), std::string::npos);
  EXPECT_NE(model(R"("tree": "pu:1", "unit_bytes": 48)").find("unit_bytes"), std::string::npos);
  EXPECT_NE(model(R"("tree": "pu:1", "unit_bytes": 8192)").find("unit_bytes"), std::string::npos);
  EXPECT_NE(model(R"("tree": "numa:2 pu:1", "write_bandwidth": [[10, 20]])").find("write_bandwidth"),
            std::string::npos);
  EXPECT_NE(model(R"("tree": "pu:1", "l1_bytes": "32K")").find("l1_bytes"), std::string::npos);
  EXPECT_NE(model(R"("tree": "pu:1", "measured": {"a": null})").find("\"a\""), std::string::npos);
}

TEST(MachineModel, InAFolderOfTheUsers) {
  std::string folder = einkorn::test::scratch("");
  ASSERT_EQ(system(("mkdir -p " + folder).c_str()), 0);
  std::ofstream(folder + "/mine.json") << R"({"einkorn_machine": 1, "tree": "numa:3 pu:2"})";
  setenv("EINKORN_MACHINES", ("/nowhere:" + folder).c_str(), 1);
  EXPECT_EQ(good("mine").pu_count(), 6);
  EXPECT_EQ(good("mine").name, "mine");
  unsetenv("EINKORN_MACHINES");
  refused("mine");
  EXPECT_EQ(good(folder + "/mine.json").pu_count(), 6);
  EXPECT_EQ(system(("rm -r " + folder).c_str()), 0);
}

TEST(MachineXml, ThroughHwloc) {
  std::string file = einkorn::test::scratch(".xml");
  std::ofstream(file) << R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
 <object type="Machine" os_index="0" cpuset="0xf" complete_cpuset="0xf" allowed_cpuset="0xf" nodeset="0x3" complete_nodeset="0x3" allowed_nodeset="0x3">
 <object type="Package" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1">
  <object type="NUMANode" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" local_memory="1000000"/>
  <object type="L3Cache" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" cache_size="500000" depth="3" cache_linesize="64" cache_associativity="8" cache_type="0">
  <object type="Core" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1"><object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1"/></object>
  <object type="Core" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1"><object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1"/></object>
  </object></object>
 <object type="Package" os_index="1" cpuset="0xc" complete_cpuset="0xc" nodeset="0x2" complete_nodeset="0x2">
  <object type="NUMANode" os_index="1" cpuset="0xc" complete_cpuset="0xc" nodeset="0x2" complete_nodeset="0x2" local_memory="2000000"/>
  <object type="Core" os_index="0" cpuset="0x4" complete_cpuset="0x4" nodeset="0x2" complete_nodeset="0x2"><object type="PU" os_index="2" cpuset="0x4" complete_cpuset="0x4" nodeset="0x2" complete_nodeset="0x2"/></object>
  <object type="Core" os_index="1" cpuset="0x8" complete_cpuset="0x8" nodeset="0x2" complete_nodeset="0x2"><object type="PU" os_index="3" cpuset="0x8" complete_cpuset="0x8" nodeset="0x2" complete_nodeset="0x2"/></object>
 </object></object>
 <distances2 type="NUMANode" nbobjs="2" kind="5" name="NUMALatency" indexing="os"><indexes length="4">0 1 </indexes><u64values length="12">10 17 23 10 </u64values></distances2>
</topology>)";
  Machine m = good(file);
  EXPECT_EQ(shape(m), "4 CPUs 4 cores 2 caches 2 nodes 2 sockets");
  EXPECT_EQ(m.distance_between(0, 1), 17);
  EXPECT_EQ(m.distance_between(1, 0), 23);
  EXPECT_EQ(m.nodes[1].memory_bytes, 2000000u);
  EXPECT_EQ(m.llc_bytes, 500000u);
  expect_same(m, through_json(m));
  std::ofstream(file) << "<?xml version=\"1.0\"?><topology><object type=";
  EXPECT_NE(refused(file).find("lstopo"), std::string::npos);
  unlink(file.c_str());
}

TEST(MachineReal, FitsTheProcess) {
  for (const Machine& m : {load_real(process_cpus()), real_from_sys(process_cpus())}) {
    EXPECT_EQ(broken(m), "");
    EXPECT_TRUE(m.real);
    EXPECT_TRUE(cpus_of(m) == process_cpus());
    EXPECT_EQ(m.pu_count(), allowed_cpus());
    EXPECT_EQ(m.distance_between(0, 0), 10);
    EXPECT_EQ(m.page_bytes, uint64_t(sysconf(_SC_PAGESIZE)));
  }
  CpuSet one;
  one.add(process_cpus().next(0));
  EXPECT_EQ(load_real(one).pu_count(), 1);
  EXPECT_EQ(real_from_sys(one).pu_count(), 1);
}

TEST(MachineNear, PuByNumber) {
  Machine m = good("socket:2 numa:2 core:2 distance:12,20");
  EXPECT_EQ(pu_of(m, 5), 5);
  EXPECT_EQ(pu_of(m, 99), -1);
}

TEST(MachineNear, Groups) {
  Machine m = good("socket:2 numa:2 l3:2 core:2 pu:2");
  CpuSet allowed = cpus_of(m);
  allowed.remove(0);
  for (int cpu = 8; cpu < 16; ++cpu) allowed.remove(cpu);
  struct {
    Level level;
    int count, first;  // sets, members of the first
  } expected[] = {
      {Level::thread, 23, 1}, {Level::core, 12, 1}, {Level::cache, 6, 3}, {Level::numa, 3, 7}, {Level::socket, 2, 7}};
  for (auto& e : expected) {
    CpuSets sets = groups(m, e.level, allowed);
    EXPECT_EQ(sets.count, e.count);
    EXPECT_EQ(sets.sets[0].count(), e.first);
    EXPECT_FALSE(sets.sets[0].has(0));
    free(static_cast<void*>(sets.sets));
  }
}

}  // namespace
