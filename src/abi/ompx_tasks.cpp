// Where tasks go, as the program says: ompx_locality.h, "Tasks", and clang's affinity clause.
#include <cerrno>

#include "abi/abi.h"
#include "abi/kmpc.h"
#include "machine/types.h"
#include "runtime/task/footprint.h"

using namespace einkorn::abi;

namespace {
bool is_domain(int domain) { return domain >= 0 && domain < einkorn::machine::this_machine().node_count(); }
constexpr int kNoDomain = -1;  // OMPX_NO_DOMAIN
}  // namespace

EK_EXPORT int ompx_child_task_affinity(int domain) {
  if (domain != kNoDomain && !is_domain(domain)) return EINVAL;
  hint_child_domain(self(), domain);
  return 0;
}

EK_EXPORT int ompx_next_task_affinity(int domain) {
  if (domain != kNoDomain && !is_domain(domain)) return EINVAL;
  hint_domain(self(), domain);
  return 0;
}

// mode: OMPX_READ 1, OMPX_WRITE 2 or both.
EK_EXPORT int ompx_task_footprint(const void* p, size_t bytes, int mode) {
  if (mode < kReads || mode > (kReads | kWrites)) return EINVAL;
  hint_range(self(), p, bytes, uint8_t(mode));
  return 0;
}

EK_EXPORT int ompx_task_intensity(const void* p) {
  hint_intensity(self(), p);
  return 0;
}

// kmp_task_affinity_info_t of LLVM 19.
struct KmpAffinity {
  intptr_t base;
  size_t bytes;
  int32_t flags;
  int32_t reserved;
};

// Between the allocation of a task and its submission.
EK_EXPORT int32_t __kmpc_omp_reg_task_with_affinity(const Ident*, int32_t, KmpTask*, int32_t count,
                                                    const KmpAffinity* list) {
  Worker* w = self();
  for (int i = 0; i < count; ++i) {
    MemoryRange range{uintptr_t(list[i].base), list[i].bytes, kReads};
    hint_affinity(w, range);
  }
  return 0;
}
