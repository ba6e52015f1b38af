// kmp_set_affinity and its masks: CPUs by the system's numbers, for the calling thread. LLVM 19: kmp_affinity.cpp.
#include <cerrno>
#include <new>

#include "abi/abi.h"
#include "base/cpus.h"
#include "runtime/team/worker.h"

using namespace einkorn::abi;
using einkorn::base::CpuSet;
using Mask = CpuSet*;

namespace {

int max_cpus() {
  static std::atomic<int> known{0};
  int n = known.load(std::memory_order_relaxed);
  if (n == 0) known.store(n = einkorn::base::possible_cpus(), std::memory_order_relaxed);
  return n;
}

// 0 done, -1 no such CPU, -2 one that the process may not use.
int change(int cpu, Mask* mask, bool in) {
  if (!mask || !*mask) fatal("kmp_set_affinity_mask_proc: the mask was not made by kmp_create_affinity_mask");
  if (cpu < 0 || cpu >= max_cpus()) return -1;
  if (!g_initial_cpus.has(cpu)) return -2;
  if (in) (*mask)->add(cpu);
  else (*mask)->remove(cpu);
  return 0;
}

int has(int cpu, Mask* mask) {
  if (!mask || !*mask) fatal("kmp_get_affinity_mask_proc: the mask was not made by kmp_create_affinity_mask");
  if (cpu < 0 || cpu >= max_cpus()) return -1;
  return g_initial_cpus.has(cpu) && (*mask)->has(cpu);
}

}  // namespace

EK_EXPORT int kmp_get_affinity_max_proc() { return max_cpus(); }
EK_EXPORT int kmp_get_affinity_max_proc_() { return max_cpus(); }

EK_EXPORT void kmp_create_affinity_mask(Mask* mask) {
  void* p = malloc(sizeof(CpuSet));
  if (!p) fatal("out of memory: kmp_create_affinity_mask");
  *mask = new (p) CpuSet;
}
EK_EXPORT void kmp_create_affinity_mask_(Mask* mask) { kmp_create_affinity_mask(mask); }
EK_EXPORT void kmp_destroy_affinity_mask(Mask* mask) {
  free(*mask);
  *mask = nullptr;
}
EK_EXPORT void kmp_destroy_affinity_mask_(Mask* mask) { kmp_destroy_affinity_mask(mask); }

EK_EXPORT int kmp_set_affinity_mask_proc(int cpu, Mask* mask) { return change(cpu, mask, true); }
EK_EXPORT int kmp_set_affinity_mask_proc_(const int* cpu, Mask* mask) { return change(*cpu, mask, true); }
EK_EXPORT int kmpc_set_affinity_mask_proc(int cpu, Mask* mask) { return change(cpu, mask, true); }
EK_EXPORT int kmp_unset_affinity_mask_proc(int cpu, Mask* mask) { return change(cpu, mask, false); }
EK_EXPORT int kmp_unset_affinity_mask_proc_(const int* cpu, Mask* mask) { return change(*cpu, mask, false); }
EK_EXPORT int kmpc_unset_affinity_mask_proc(int cpu, Mask* mask) { return change(cpu, mask, false); }
EK_EXPORT int kmp_get_affinity_mask_proc(int cpu, Mask* mask) { return has(cpu, mask); }
EK_EXPORT int kmp_get_affinity_mask_proc_(const int* cpu, Mask* mask) { return has(*cpu, mask); }
EK_EXPORT int kmpc_get_affinity_mask_proc(int cpu, Mask* mask) { return has(cpu, mask); }

// 0, or an error number.
EK_EXPORT int kmp_set_affinity(Mask* mask) {
  if (!mask || !*mask || (*mask)->empty()) return EINVAL;
  return einkorn::base::set_affinity(**mask) ? 0 : errno;
}
EK_EXPORT int kmp_set_affinity_(Mask* mask) { return kmp_set_affinity(mask); }
EK_EXPORT int kmp_get_affinity(Mask* mask) {
  if (!mask || !*mask) return EINVAL;
  return einkorn::base::affinity(0, *mask) ? 0 : errno;
}
EK_EXPORT int kmp_get_affinity_(Mask* mask) { return kmp_get_affinity(mask); }

// The calling thread may run wherever the process could at its start.
EK_EXPORT int kmp_set_thread_affinity_mask_initial() { return einkorn::base::set_affinity(g_initial_cpus) ? 0 : errno; }
