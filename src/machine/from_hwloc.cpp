// An hwloc topology as a Machine.
#include "machine/from_hwloc.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <unistd.h>

#include "machine/describe.h"
#include "machine/in_child.h"
#include "machine/load.h"
#include "machine/text.h"

namespace einkorn::machine {

namespace {

// Objects of one kind, numbered as they are met. Neighbours come one after the other, so the last one is compared
// first.
struct Numbers {
  std::vector<hwloc_obj_t> seen;
  int of(hwloc_obj_t o) {
    if (!seen.empty() && seen.back() == o) return int(seen.size()) - 1;
    size_t at = size_t(std::find(seen.begin(), seen.end(), o) - seen.begin());
    if (at == seen.size()) seen.push_back(o);
    return int(at);
  }
};

bool is_data_cache(hwloc_obj_t o) { return o->type >= HWLOC_OBJ_L1CACHE && o->type <= HWLOC_OBJ_L5CACHE; }

// The first memory found going up from a PU: in the tree, memory is a child beside the CPUs. Above a PU whose own node
// has no memory there may be none; then it is the first of the nodes that the PU's nodeset names.
hwloc_obj_t memory_of(const Hwloc& h, hwloc_topology_t topology, hwloc_obj_t pu) {
  for (hwloc_obj_t o = pu; o; o = o->parent)
    for (hwloc_obj_t memory = o->memory_first_child; memory; memory = memory->memory_first_child)
      if (memory->type == HWLOC_OBJ_NUMANODE) return memory;
  const int first = pu->nodeset ? h.bitmap_next(pu->nodeset, -1) : -1;
  const int count = h.get_nbobjs_by_depth(topology, HWLOC_TYPE_DEPTH_NUMANODE);
  for (int i = 0; i < count; ++i)
    if (hwloc_obj_t memory = h.get_obj_by_depth(topology, HWLOC_TYPE_DEPTH_NUMANODE, unsigned(i));
        int(memory->os_index) == first)
      return memory;
  return nullptr;
}

// Whether it is the memory of the object or of one above it.
bool is_above(hwloc_obj_t memory, hwloc_obj_t o) {
  hwloc_obj_t at = memory->parent;
  while (at && at->type == HWLOC_OBJ_MEMCACHE) at = at->parent;  // a cache before the memory
  for (; o; o = o->parent)
    if (o == at) return true;
  return false;
}

hwloc_obj_t above(hwloc_obj_t o, hwloc_obj_type_t type) {
  while (o && o->type != type) o = o->parent;
  return o;
}

// The system's table of distances, if it covers all nodes.
void read_distances(const Hwloc& h, hwloc_topology_t topology, Machine& m) {
  hwloc_distances_s* tables[8];
  unsigned count = 8;
  if (h.distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, tables, 0, 0) != 0) return;
  const size_t n = m.nodes.size();
  for (unsigned t = 0; t < std::min(count, 8u); ++t) {
    const hwloc_distances_s& table = *tables[t];
    if (m.distance.empty() && (table.kind & HWLOC_DISTANCES_KIND_MEANS_LATENCY)) {
      std::vector<float> found(n * n, 0);
      auto index = [&](hwloc_obj_t o) {
        for (size_t i = 0; o && i < n; ++i)
          if (m.nodes[i].os == int(o->os_index)) return int(i);
        return -1;
      };
      std::vector<int> at(table.nbobjs);
      for (unsigned i = 0; i < table.nbobjs; ++i) at[i] = index(table.objs[i]);
      for (unsigned i = 0; i < table.nbobjs; ++i)
        for (unsigned j = 0; j < table.nbobjs; ++j)
          if (at[i] >= 0 && at[j] >= 0)
            found[size_t(at[i]) * n + size_t(at[j])] = float(table.values[i * table.nbobjs + j]);
      if (std::find_if(found.begin(), found.end(), [](float v) { return !(v > 0 && v < 1e6f); }) == found.end())
        m.distance = found;
    }
    h.distances_release(topology, tables[t]);
  }
}

// What hwloc says of one kind of core: "IntelAtom, up to 3,900 MHz".
std::string kind_text(const hwloc_info_s* infos, unsigned count) {
  std::string out;
  for (const char* wanted : {"CoreType", "FrequencyMaxMHz"})
    for (unsigned i = 0; i < count; ++i) {
      if (strcmp(infos[i].name, wanted) != 0 || infos[i].value == nullptr) continue;
      const bool name = wanted[0] == 'C';
      out += text(out.empty() ? "" : ", ") + text(name ? "%.32s" : "up to %.12s MHz", infos[i].value);
      break;
    }
  return out;
}

// Cores of several kinds, as performance and efficiency cores are, the slowest kind first; empty: all are alike.
std::string kinds_text(const Hwloc& h, hwloc_topology_t topology, const Machine& m) {
  if (!h.cpukinds_get_nr || !h.cpukinds_get_info || !h.bitmap_alloc || !h.bitmap_free) return "";
  const int count = h.cpukinds_get_nr(topology, 0);
  std::string out;
  int kinds = 0;
  for (int k = 0; k < count; ++k) {
    hwloc_bitmap_t set = h.bitmap_alloc();
    unsigned infos = 0;
    hwloc_info_s* info = nullptr;
    int efficiency = -1;
    std::vector<int> cpus;
    if (set && h.cpukinds_get_info(topology, unsigned(k), set, &efficiency, &infos, &info, 0) == 0)
      for (int os = h.bitmap_next(set, -1); os >= 0 && os < kMaxCpus; os = h.bitmap_next(set, os))
        if (std::any_of(m.pus.begin(), m.pus.end(), [os](const Pu& p) { return p.os == os; })) cpus.push_back(os);
    if (!cpus.empty()) {
      const std::string what = kind_text(info, infos);
      out += text("%sCPUs %s", kinds++ ? "; " : "", list_text(cpus).c_str());
      if (!what.empty()) out += " (" + what + ")";
    }
    if (set) h.bitmap_free(set);
  }
  if (kinds < 2) return "";
  return text("Its cores are of %d kinds, the slowest first: ", kinds) + out +
         ". Schedules, places and predictions take them for alike.";
}

}  // namespace

bool machine_of(const Hwloc& h, hwloc_topology_t topology, const CpuSet* allowed, Machine* out, std::string* why) {
  Machine m;
  Numbers cores, llcs, sockets, nodes;
  Numbers whole;  // nodes that have CPUs, allowed or not
  int depth = h.get_type_depth(topology, HWLOC_OBJ_PU);
  unsigned count = depth < 0 ? 0 : h.get_nbobjs_by_depth(topology, depth);
  if (count > unsigned(kMostPus)) {
    *why = text("it is too large: %u CPUs; %d are the most", count, kMostPus);
    return false;
  }
  bool packages = true;
  for (unsigned i = 0; i < count; ++i) {
    hwloc_obj_t pu = h.get_obj_by_depth(topology, depth, i), memory = memory_of(h, topology, pu);
    if (memory) whole.of(memory);
    if (pu->os_index >= unsigned(kMaxCpus) || (allowed && !allowed->has(int(pu->os_index)))) continue;
    hwloc_obj_t core = above(pu, HWLOC_OBJ_CORE), socket = above(pu, HWLOC_OBJ_PACKAGE), llc = nullptr;
    for (hwloc_obj_t o = pu; o; o = o->parent) {
      if (!is_data_cache(o)) continue;
      llc = o;
      uint64_t& bytes = o->type == HWLOC_OBJ_L1CACHE ? m.l1_bytes : m.l2_bytes;
      if (m.pus.empty() && o->type <= HWLOC_OBJ_L2CACHE) bytes = o->attr->cache.size;
    }
    if (llc && m.pus.empty()) m.llc_bytes = llc->attr->cache.size;
    packages &= socket != nullptr;
    Pu p;
    p.os = int32_t(pu->os_index);
    p.node = memory ? nodes.of(memory) : 0;
    p.socket = socket ? sockets.of(socket) : p.node;
    p.core = cores.of(core ? core : pu);
    // Without a cache that is known, the CPUs nearest to a memory share one, or those of a socket without memory.
    if (!llc && memory && is_above(memory, pu)) llc = memory;
    if (!llc) llc = socket ? socket : h.get_obj_by_depth(topology, 0, 0);
    p.llc = llcs.of(llc);
    m.pus.push_back(p);
  }
  if (m.pus.empty()) {
    *why = "it has no CPU";
    return false;
  }
  // Without packages every node is a socket of its own.
  if (!packages)
    for (Pu& p : m.pus) p.socket = p.node;
  m.nodes.resize(std::max<size_t>(nodes.seen.size(), 1));
  for (size_t i = 0; i < nodes.seen.size(); ++i) {
    m.nodes[i].os = int32_t(nodes.seen[i]->os_index);
    m.nodes[i].memory_bytes = nodes.seen[i]->attr->numanode.local_memory;
  }
  if (nodes.seen.empty()) m.nodes[0].os = 0;
  for (auto p = m.pus.rbegin(); p != m.pus.rend(); ++p) m.nodes[size_t(p->node)].socket = p->socket;
  // Nodes that have memory and no CPUs; not those whose CPUs the process may not use.
  int memories = h.get_nbobjs_by_depth(topology, HWLOC_TYPE_DEPTH_NUMANODE);
  for (int i = 0; i < memories; ++i) {
    hwloc_obj_t memory = h.get_obj_by_depth(topology, HWLOC_TYPE_DEPTH_NUMANODE, unsigned(i));
    if (std::find(whole.seen.begin(), whole.seen.end(), memory) != whole.seen.end()) continue;
    hwloc_obj_t socket = above(memory, HWLOC_OBJ_PACKAGE);
    auto at = std::find(sockets.seen.begin(), sockets.seen.end(), socket);
    m.nodes.push_back({int32_t(memory->os_index),
                       packages && at != sockets.seen.end() ? int32_t(at - sockets.seen.begin()) : 0,
                       memory->attr->numanode.local_memory});
  }
  if (m.nodes.size() > size_t(kMostNodes)) {
    *why = text("it is too large: %zu NUMA nodes; %d are the most", m.nodes.size(), kMostNodes);
    return false;
  }
  for (const Node& n : m.nodes) {
    if (n.memory_bytes <= kMostMemory) continue;
    *why = text("its node %d has %" PRIu64 " bytes of memory; %" PRIu64 " are the most", n.os, n.memory_bytes,
                kMostMemory);
    return false;
  }
  // hwloc reads "size=-1" as nearly 2^64 bytes.
  for (auto [name, bytes] : data_caches(m)) {
    if (bytes <= kMostMemory) continue;
    *why = text("its %s cache has %" PRIu64 " bytes; %" PRIu64 " are the most", name, bytes, kMostMemory);
    return false;
  }
  read_distances(h, topology, m);
  m.note = kinds_text(h, topology, m);
  settle(&m);
  *why = broken(m);
  if (!why->empty()) return false;
  *out = std::move(m);
  return true;
}

namespace {

// `set` tells the new topology what to read; false with *why.
template <class Set>
bool read_topology(const Hwloc& h, const CpuSet* allowed, Machine* out, std::string* why, const char* refused,
                   Set set) {
  hwloc_topology_t topology;
  if (h.topology_init(&topology) != 0) {
    *why = "out of memory";
    return false;
  }
  bool good = set(topology) == 0 && h.topology_load(topology) == 0;
  if (!good) *why = refused;
  else good = machine_of(h, topology, allowed, out, why);
  if (good) out->real = h.topology_is_thissystem(topology);
  h.topology_destroy(topology);
  return good;
}

const Hwloc* needed(const char* what, std::string* why) {
  const Hwloc* h = hwloc();
  if (!h) *why = text("%s needs hwloc, and libhwloc.so.15 is not on this computer (Debian: install libhwloc15)", what);
  return h;
}

}  // namespace

bool real_from_hwloc(const CpuSet& allowed, Machine* out) {
  const Hwloc* h = hwloc();
  std::string why;
  if (!h || !read_topology(*h, &allowed, out, &why, "", [](hwloc_topology_t) { return 0; })) return false;
  out->page_bytes = uint64_t(sysconf(_SC_PAGESIZE));
  return true;
}

namespace {

bool read_xml(const std::string& path, Machine* out, std::string* why) {
  const Hwloc* h = needed("an XML file", why);
  if (!h) return false;
  std::string refused = path + " is not a topology that hwloc can read. `lstopo FILE.xml` writes one";
  if (!read_topology(*h, nullptr, out, why, refused.c_str(),
                     [&](hwloc_topology_t t) { return h->topology_set_xml(t, path.c_str()); })) {
    if (*why != refused) *why = path + ": " + *why;
    return false;
  }
  return true;
}

}  // namespace

bool load_xml(const std::string& path, Machine* out, std::string* why) {
  std::string content;
  if (!read_whole(path, kMostFileBytes, &content, why)) {
    *why = path + " " + *why;
    return false;
  }
  // hwloc trusts such a file: a damaged one makes it follow pointers that it has not set.
  if (!needed("an XML file", why) || !load_in_child(read_xml, path, out, why)) return false;
  out->real = false;
  out->name = path.substr(path.rfind('/') + 1);
  out->source = path;
  return true;
}

bool synthetic_from_hwloc(const std::string& text, Machine* out, std::string* why) {
  const Hwloc* h = needed("a machine in hwloc's own words", why);
  if (!h || !read_topology(*h, nullptr, out, why, "hwloc does not understand it either",
                           [&](hwloc_topology_t t) { return h->topology_set_synthetic(t, text.c_str()); }))
    return false;
  out->real = false;
  return true;
}

}  // namespace einkorn::machine
