// The cost of moving a page between two nodes, by a call and by the next touch (Schmidl 2016, 3.3.3), measured with the
// library's own calls: it is what a program pays.
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/measure_tools.h"
#include "machine/near.h"
#include "machine/text.h"

namespace einkorn::machine {

namespace {

constexpr size_t kPages = 1024;
constexpr int kRounds = 6;  // the least of them counts

// The system's number of the node that the page is on, or < 0.
int node_of(const char* page) {
  int node = -1;
  return syscall(SYS_get_mempolicy, &node, nullptr, 0, page, 3 /* MPOL_F_NODE | MPOL_F_ADDR */) == 0 ? node : -1;
}

}  // namespace

void measure_moves(void* library, Machine* m, Measuring* how) {
  const std::vector<int> nodes = nodes_with_cpus(*m);
  if (nodes.size() < 2) return;  // there is nowhere to move them to
  auto* migrate = reinterpret_cast<int (*)(void*, size_t, int)>(dlsym(library, "ompx_migrate"));
  auto* next_touch = reinterpret_cast<int (*)(void*, size_t)>(dlsym(library, "ompx_next_touch"));
  if (!migrate || !next_touch) return how->warn("the library has no calls that move pages: their costs are left out");
  how->step(0.98, "moving pages");
  const size_t page = size_t(sysconf(_SC_PAGESIZE)), bytes = kPages * page;
  const int home = nodes[0], away = nodes[1];
  Region r;
  if (!r.map(bytes)) return;
  madvise(r.at, bytes, MADV_NOHUGEPAGE);  // a huge one would move as one
  const std::vector<int> at_home{one_a_core(*m, home)[0]}, far_off{one_a_core(*m, away)[0]};
  on_cpus(at_home, how, [&](int) { memset(r.at, 1, bytes); });
  auto is_on = [&](int node) {
    const int os = m->nodes[size_t(node)].os;
    return node_of(r.at) == os && node_of(r.at + bytes - page) == os;
  };
  double by_call = 1e30, by_touch = 1e30;
  int error = 0;
  for (int round = 0; round < kRounds && !error; ++round) {
    on_cpus(far_off, how, [&](int) {
      const double begin = now();
      error = migrate(r.at, bytes, away);
      by_call = std::min(by_call, now() - begin);
    });
    if (!error && !is_on(away)) error = ENOTSUP;
    if (!error) error = migrate(r.at, bytes, home);
    if (error) break;
    on_cpus(far_off, how, [&](int) {
      const double begin = now();
      error = next_touch(r.at, bytes);
      for (size_t i = 0; i < kPages && !error; ++i) *static_cast<volatile char*>(r.at + i * page) = 1;
      by_touch = std::min(by_touch, now() - begin);
    });
    if (!error && !is_on(away)) error = ENOTSUP;
    if (!error) error = migrate(r.at, bytes, home);
  }
  if (error) return how->warn(text("pages cannot be moved here (%s): what a move costs is left out", strerror(error)));
  put(m, "migrate_page_ns", by_call * 1e9 / double(kPages));
  put(m, "next_touch_page_ns", by_touch * 1e9 / double(kPages));
}

}  // namespace einkorn::machine
