#include "large/costs.h"

#include <algorithm>

namespace large {

using einkorn::machine::Machine;
using einkorn::machine::Pu;

namespace {

// Of PUs in the machine's order: the first of each core, then the second ones, ...
std::vector<Pu> placed(const Machine& m, int threads) {
  std::vector<Pu> found;
  std::vector<int> used(size_t(m.cores), 0);
  std::vector<bool> taken(m.pus.size(), false);
  for (int round = 0; int(found.size()) < threads; ++round) {
    const size_t before = found.size();
    for (size_t i = 0; i < m.pus.size() && int(found.size()) < threads; ++i) {
      if (taken[i] || used[size_t(m.pus[i].core)] > round) continue;
      taken[i] = true, ++used[size_t(m.pus[i].core)];
      found.push_back(m.pus[i]);
    }
    if (found.size() == before) break;
  }
  return found;
}

double between(const Machine& m, const Pu& a, const Pu& b) {
  if (a.core == b.core) return 8;
  if (a.llc == b.llc) {
    // Published: 25 ns among 8 cores (Zen 3), 30 on a ring of 8 (Sandy Bridge), 50 to 65 on a mesh of 40 to 60.
    const double cores = double(m.cores) / std::max(1, m.llcs);
    return 22 + 0.7 * cores;
  }
  // As far as a load from that node's memory, whose home answers for the line.
  const double local = 90;
  if (!m.latency_ns.empty()) return m.latency_ns[size_t(a.node) * m.nodes.size() + size_t(b.node)];
  return local * m.distance_between(a.node, b.node) / 10;
}

}  // namespace

Distances::Distances(const Machine& m, int threads, double line) : threads_(threads) {
  const std::vector<Pu> pus = placed(m, threads);
  threads_ = int(pus.size());
  line_.resize(pus.size() * pus.size());
  for (size_t i = 0; i < pus.size(); ++i)
    for (size_t j = 0; j < pus.size(); ++j)
      line_[i * pus.size() + j] = i == j ? 0 : line > 0 ? line : between(m, pus[i], pus[j]);
}

double Distances::barrier_bound() const {
  double sum = 0;
  for (int step = 1; step < threads_; step *= 2) {
    double longest = 0;
    for (int i = 0; i < threads_; ++i) longest = std::max(longest, line(i, (i + step) % threads_));
    sum += longest;
  }
  return sum;
}

}  // namespace large
