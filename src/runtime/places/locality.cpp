#include "runtime/places/locality.h"

#include <sched.h>

#include "machine/types.h"
#include "memory/distribution.h"
#include "runtime/places/places.h"
#include "base/platform.h"

namespace einkorn::runtime {

namespace {

// [CPU as the system or the model numbers it]: its node, -1: not of the machine. Made when somebody asks.
const int16_t* node_of_cpu() {
  static const int16_t* const table = [] {
    auto* t = static_cast<int16_t*>(allocate(sizeof(int16_t) * base::kMaxCpus));
    for (int cpu = 0; cpu < base::kMaxCpus; ++cpu) t[cpu] = -1;
    for (const machine::Pu& pu : machine::this_machine().pus)
      if (pu.os >= 0 && pu.os < base::kMaxCpus) t[pu.os] = int16_t(pu.node);
    return t;
  }();
  return table;
}

int node_of_place(int place) {
  const int16_t* of = node_of_cpu();
  const base::CpuSet& set = g_places.sets[place];
  int node = -1;
  for (int cpu = set.next(0); cpu >= 0; cpu = set.next(cpu + 1)) {
    if (node >= 0 && of[cpu] != node) return -1;
    node = of[cpu];
  }
  return node;
}

// Of the threads of its team, where they are bound; of all places that it may use, outside of regions.
void team_nodes(memory::NodeSet* set) {
  if (g_places.count == 0) return;
  const Worker* w = self();
  const Team* team = w->team;
  int threads = team->n;
  if (threads == 1)
    for (int i = 0; i < w->slot->places; ++i) add_nodes_of_place(w->slot->first_place + i, set);
  else
    for (int i = 0; i < threads; ++i)
      if (team->slots[i].place >= 0) add_nodes_of_place(team->slots[i].place, set);
}

void say(const char* text) { warn("%s", text); }

}  // namespace

void add_nodes_of_place(int place, memory::NodeSet* set) {
  if (place < 0 || place >= g_places.count) return;
  const int16_t* of = node_of_cpu();
  const base::CpuSet& cpus = g_places.sets[place];
  for (int cpu = cpus.next(0); cpu >= 0; cpu = cpus.next(cpu + 1)) set->add(of[cpu]);
}

int current_node() {
  const machine::Machine& m = machine::this_machine();
  if (m.node_count() == 1) return 0;
  const Worker* w = self();
  if (w->place >= 0 && w->place < g_places.count)
    if (int node = node_of_place(w->place); node >= 0) return node;
  if (!m.real) return m.pus[w->id % m.pus.size()].node;
  int cpu = sched_getcpu();
  return cpu >= 0 && cpu < base::kMaxCpus ? node_of_cpu()[cpu] : -1;
}

void locality_init() {
  memory::g_hooks.current_node = current_node;
  memory::g_hooks.team_nodes = team_nodes;
  memory::g_hooks.warn = say;
  memory::set_default_layout(g_config.data_distribution);
}

}  // namespace einkorn::runtime
