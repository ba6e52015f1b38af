#include "machine/topology.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <type_traits>
#include <hwloc.h>

namespace einkorn::machine {

namespace {

// A list of sets that grows.
struct List {
  CpuSet* sets = nullptr;
  int count = 0, room = 0;
  bool add(const CpuSet& set) {
    if (count == room) {
      int more = room ? 2 * room : 16;
      void* p = realloc(sets, sizeof(CpuSet) * size_t(more));
      if (!p) return false;
      sets = static_cast<CpuSet*>(p);
      room = more;
    }
    sets[count++] = set;
    return true;
  }
};

// The functions of hwloc that are used here. Nothing else of it is touched, so that no program pays for it at load.
struct Hwloc {
  decltype(&hwloc_topology_init) init;
  decltype(&hwloc_topology_load) load;
  decltype(&hwloc_topology_destroy) destroy;
  decltype(&hwloc_get_type_depth) depth;
  decltype(&hwloc_get_nbobjs_by_depth) number;
  decltype(&hwloc_get_obj_by_depth) object;
  decltype(&hwloc_bitmap_next) next;

  bool open() {
    void* library = dlopen("libhwloc.so.15", RTLD_LAZY | RTLD_LOCAL);
    if (!library) return false;
    auto get = [library](auto& f, const char* name) {
      f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(dlsym(library, name));
      return f != nullptr;
    };
    return get(init, "hwloc_topology_init") && get(load, "hwloc_topology_load") && get(destroy, "hwloc_topology_destroy") &&
           get(depth, "hwloc_get_type_depth") && get(number, "hwloc_get_nbobjs_by_depth") &&
           get(object, "hwloc_get_obj_by_depth") && get(next, "hwloc_bitmap_next");
  }
};

// Adds the objects of one type; false: the machine tells of none.
bool add_objects(const Hwloc& h, hwloc_topology_t topology, hwloc_obj_type_t type, const CpuSet& allowed, List& out) {
  int depth = h.depth(topology, type);
  if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE) return false;
  unsigned n = h.number(topology, depth);
  for (unsigned i = 0; i < n; ++i) {
    hwloc_obj_t o = h.object(topology, depth, i);
    if (!o || !o->cpuset) continue;
    CpuSet set;
    for (int cpu = h.next(o->cpuset, -1); cpu >= 0 && cpu < kMaxCpus; cpu = h.next(o->cpuset, cpu)) set.add(cpu);
    set.keep(allowed);
    if (!set.empty()) out.add(set);
  }
  return n > 0;
}

bool from_hwloc(Level level, const CpuSet& allowed, List& out) {
  Hwloc h;
  if (!h.open()) return false;
  hwloc_topology_t topology;
  if (h.init(&topology) != 0) return false;
  bool good = h.load(topology) == 0;
  if (good) {
    switch (level) {
      case Level::thread: good = add_objects(h, topology, HWLOC_OBJ_PU, allowed, out); break;
      case Level::core: good = add_objects(h, topology, HWLOC_OBJ_CORE, allowed, out); break;
      case Level::numa: good = add_objects(h, topology, HWLOC_OBJ_NUMANODE, allowed, out); break;
      case Level::socket: good = add_objects(h, topology, HWLOC_OBJ_PACKAGE, allowed, out); break;
      case Level::cache:
        good = false;
        for (auto type : {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE})
          if (!good) good = add_objects(h, topology, type, allowed, out);
        break;
    }
  }
  h.destroy(topology);
  return good;
}

// The CPUs of a file such as "0-3,8"; empty if there is none.
CpuSet list_in(const char* path) {
  CpuSet set;
  FILE* file = fopen(path, "re");
  if (!file) return set;
  int first, last;
  while (fscanf(file, "%d", &first) == 1) {
    last = first;
    int c = fgetc(file);
    if (c == '-' && fscanf(file, "%d", &last) == 1) c = fgetc(file);
    for (int cpu = first; cpu >= 0 && cpu <= last && cpu < kMaxCpus; ++cpu) set.add(cpu);
    if (c != ',') break;
  }
  fclose(file);
  return set;
}

CpuSet neighbours(Level level, int cpu) {
  char path[128];
  auto read = [&](const char* file) {
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, file);
    return list_in(path);
  };
  CpuSet set;
  switch (level) {
    case Level::thread: set.add(cpu); break;
    case Level::core: set = read("topology/thread_siblings_list"); break;
    case Level::socket: set = read("topology/core_siblings_list"); break;
    case Level::cache:
      for (int index = 5; index >= 0 && set.empty(); --index) {
        char file[64];
        snprintf(file, sizeof file, "cache/index%d/shared_cpu_list", index);
        set = read(file);
      }
      break;
    case Level::numa:
      for (int node = 0; node < 1024; ++node) {
        snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
        CpuSet on = list_in(path);
        if (on.has(cpu)) return on;
      }
      break;
  }
  return set;
}

void from_sys(Level level, const CpuSet& allowed, List& out) {
  CpuSet seen;
  for (int cpu = allowed.next(0); cpu >= 0; cpu = allowed.next(cpu + 1)) {
    if (seen.has(cpu)) continue;
    CpuSet set = neighbours(level, cpu);
    set.keep(allowed);
    if (set.empty()) continue;
    for (int c = set.next(0); c >= 0; c = set.next(c + 1)) seen.add(c);
    out.add(set);
  }
}

}  // namespace

CpuSets groups(Level level, const CpuSet& allowed) {
  List list;
  if (!from_hwloc(level, allowed, list)) from_sys(level, allowed, list);
  CpuSet rest = allowed;
  for (int i = 0; i < list.count; ++i)
    for (int cpu = list.sets[i].next(0); cpu >= 0; cpu = list.sets[i].next(cpu + 1)) rest.remove(cpu);
  if (!rest.empty()) list.add(rest);
  return {list.sets, list.count};
}

}  // namespace einkorn::machine
