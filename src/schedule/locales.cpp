#include "schedule/locales.h"

namespace einkorn::schedule {

int up_the_tree(const Layout& l, int worker, int* out) {
  const Layout::Worker& self = l.workers[size_t(worker)];
  int count = 0;
  // Those at [first, first + units) in the order of the machine, from the one behind that rank on.
  const auto add = [&](int first, int units, int rank) {
    for (int k = 1; k <= units; ++k)
      if (const int it = l.order[size_t(first + (rank - first + k) % units)]; it != worker) out[count++] = it;
  };
  const auto clusters = int(l.clusters.size());
  if (clusters == 0) add(0, int(l.order.size()), self.rank);
  for (int step = 0; step < clusters; ++step) {
    const Layout::Cluster& c = l.clusters[size_t(l.up[size_t(self.cluster * clusters + step)])];
    // Into another cluster not all at the same end.
    add(c.first_rank, c.units, step == 0 ? self.rank : c.first_rank + self.rank % c.units);
  }
  return count;
}

}  // namespace einkorn::schedule
