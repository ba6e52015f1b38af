// The part of include/ompx_locality.h that is about domains and memory.
#include <cerrno>
#include <cmath>

#include "abi/abi.h"
#include "machine/types.h"
#include "memory/distribution.h"
#include "memory/next_touch.h"
#include "runtime/places/locality.h"

using namespace einkorn::abi;
namespace memory = einkorn::memory;
using memory::Layout;

namespace {
// The program's errno is not ours to change; the first call reads files.
struct Quiet {
  int saved = errno;
  ~Quiet() { errno = saved; }
};
}  // namespace

EK_EXPORT int ompx_get_num_domains() {
  Quiet quiet;
  return memory::nodes().count;
}
EK_EXPORT int ompx_get_domain_num() {
  Quiet quiet;
  int node = memory::current_node();
  return node < 0 ? 0 : node;
}
EK_EXPORT int ompx_domain_distance(int from, int to) {
  Quiet quiet;
  const einkorn::machine::Machine& m = einkorn::machine::this_machine();
  if (from < 0 || to < 0 || from >= m.node_count() || to >= m.node_count()) return -1;
  return int(std::lround(m.distance_between(from, to)));
}

EK_EXPORT void* ompx_malloc(size_t bytes) {
  Quiet quiet;
  return memory::distribute(bytes, memory::default_layout());
}
EK_EXPORT void* ompx_malloc_policy(size_t bytes, int policy) {
  Quiet quiet;
  if (policy < int(Layout::system) || policy > int(Layout::coarse)) return nullptr;
  return memory::distribute(bytes, Layout(policy));
}
EK_EXPORT void* ompx_alloc_interleaved(size_t bytes) {
  Quiet quiet;
  return memory::distribute(bytes, Layout::interleaved);
}
EK_EXPORT void* ompx_alloc_block_cyclic(size_t bytes, size_t block) {
  Quiet quiet;
  return memory::distribute_blocks(bytes, block);
}
EK_EXPORT void* ompx_alloc_block_cyclic_2d(size_t rows, size_t columns, size_t element, size_t block_rows,
                                           size_t block_columns) {
  Quiet quiet;
  return memory::distribute_tiles(rows, columns, element, block_rows, block_columns);
}
EK_EXPORT void ompx_free(void* p) { memory::give_back(p); }

EK_EXPORT int ompx_migrate(void* p, size_t bytes, int domain) {
  Quiet quiet;
  return memory::migrate(p, bytes, domain);
}
EK_EXPORT int ompx_fetch(void* p, size_t bytes) {
  Quiet quiet;
  return memory::fetch(p, bytes);
}
EK_EXPORT int ompx_next_touch(void* p, size_t bytes) {
  Quiet quiet;
  return memory::next_touch(p, bytes);
}
