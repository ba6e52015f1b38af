// What `einkorn machine --measure` says of moving pages, on the emulated machine: there are nodes to move them between,
// the pages move, and a move costs something. Emulated times mean nothing more.
#include <dlfcn.h>

#include "machine/load.h"
#include "machine/measure.h"
#include "programs/numa_check.h"

using namespace einkorn::machine;

int main() {
  Machine m;
  std::string why;
  if (!load("", &m, &why)) return fprintf(stderr, "%s\n", why.c_str()), 2;
  CHECK_EQUAL(m.node_count(), kNodes);
  void* library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
  Measuring how;
  measure_moves(library, &m, &how);
  for (const std::string& w : how.warnings) printf("%s\n", w.c_str());
  CHECK_EQUAL(how.warnings.size(), 0);
  CHECK_EQUAL(m.measured.size(), 2);
  if (m.measured.size() == 2) {
    CHECK(m.measured[0].name == "migrate_page_ns");
    CHECK(m.measured[1].name == "next_touch_page_ns");
    CHECK(m.measured[0].value > 10);
    // Plus one fault per page: several times as much on any machine.
    CHECK(m.measured[1].value > m.measured[0].value);
    printf("a page: %.0f ns by a call, %.0f by the next touch\n", m.measured[0].value, m.measured[1].value);
  }
  Machine one = m;
  one.nodes.resize(1);
  for (Pu& p : one.pus) p.node = 0;
  one.measured.clear();
  measure_moves(library, &one, &how);  // nowhere to go: nothing is said
  CHECK_EQUAL(one.measured.size(), 0);
  return check_end();
}
