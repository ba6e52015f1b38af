// Codelets that lie on locales: each worker has one, its core; those of a cluster are siblings, and above them are the
// other clusters (SWARM's tree).
#pragma once
#include "schedule/layout.h"

namespace einkorn::schedule {

// Who has nothing ready on its own locale asks others in this order: its siblings, from the one behind it on; then the
// workers of the other clusters, the nearest cluster first. Without clusters all are
// siblings. Each once; out has room for all but the own. Returns how many they are.
int up_the_tree(const Layout& l, int worker, int* out);

}  // namespace einkorn::schedule
