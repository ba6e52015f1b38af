// Derives what follows from a machine's PUs and nodes, and checks its invariants.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "machine/load.h"
#include "machine/text.h"

namespace einkorn::machine {

namespace {

auto order_of(const Pu& p) { return std::tuple(p.socket, p.node, p.llc, p.core); }

// Renumbers the values of one index as 0, 1, ... in the order in which they are met.
int number(std::vector<Pu>& pus, int32_t Pu::* index) {
  int32_t most = 0;
  for (const Pu& p : pus) most = std::max(most, p.*index);
  std::vector<int32_t> name(size_t(most) + 1, -1);
  int count = 0;
  for (Pu& p : pus) {
    int32_t& n = name[size_t(p.*index)];
    if (n < 0) n = count++;
    p.*index = n;
  }
  return count;
}

}  // namespace

void settle(Machine* m) {
  auto sort = [m] {
    std::stable_sort(m->pus.begin(), m->pus.end(), [](const Pu& a, const Pu& b) { return order_of(a) < order_of(b); });
  };
  sort();
  m->cores = number(m->pus, &Pu::core);
  m->llcs = number(m->pus, &Pu::llc);
  sort();  // two nodes may share a cache
  m->sockets = 0;
  for (const Pu& p : m->pus) m->sockets = std::max(m->sockets, p.socket + 1);
  const size_t n = m->nodes.size();
  if (m->distance.size() != n * n) {
    m->distance.assign(n * n, 20);
    for (size_t i = 0; i < n; ++i) m->distance[i * n + i] = 10;
    m->distance_measured = false;
  }
  // Scales the table so that local is 10; some tables have another value.
  if (float local = m->distance[0]; local > 0 && local != 10)
    for (float& d : m->distance) d = d * 10 / local;
}

std::string broken(const Machine& m) {
  if (m.pus.empty()) return "it has no CPU";
  if (m.pus.size() > size_t(kMostPus)) return text("it has %zu CPUs; %d are the most", m.pus.size(), kMostPus);
  if (m.nodes.empty()) return "it has no NUMA node";
  if (m.nodes.size() > size_t(kMostNodes))
    return text("it has %zu NUMA nodes; %d are the most", m.nodes.size(), kMostNodes);
  CpuSet seen;
  std::vector<bool> core(size_t(std::max(m.cores, 0))), llc(size_t(std::max(m.llcs, 0))),
      socket(size_t(std::max(m.sockets, 0)));
  auto mark = [](std::vector<bool>& of, int32_t index) {
    if (index < 0 || size_t(index) >= of.size()) return false;
    of[size_t(index)] = true;
    return true;
  };
  for (size_t i = 0; i < m.pus.size(); ++i) {
    const Pu& p = m.pus[i];
    if (p.os < 0 || p.os >= kMaxCpus) return text("CPU number %d is not from 0 to %d", p.os, kMaxCpus - 1);
    if (seen.has(p.os)) return text("CPU number %d is there twice", p.os);
    seen.add(p.os);
    if (!mark(core, p.core))
      return text("CPU %d: its core, %d, is not below the number of cores, %d", p.os, p.core, m.cores);
    if (!mark(llc, p.llc))
      return text("CPU %d: its last-level cache, %d, is not below their number, %d", p.os, p.llc, m.llcs);
    if (!mark(socket, p.socket))
      return text("CPU %d: its socket, %d, is not below their number, %d", p.os, p.socket, m.sockets);
    if (p.node < 0 || p.node >= m.node_count())
      return text("CPU %d: its node, %d, is not below the number of nodes, %d", p.os, p.node, m.node_count());
    if (i && order_of(p) < order_of(m.pus[i - 1]))
      return text("CPU %d is not in the order of socket, node, cache, core", p.os);
  }
  for (auto& [what, of] : {std::pair{"core", &core}, {"last-level cache", &llc}, {"socket", &socket}})
    if (auto hole = std::find(of->begin(), of->end(), false); hole != of->end())
      return text("%s %d has no CPU", what, int(hole - of->begin()));
  for (const Node& node : m.nodes)
    if (node.socket < 0 || node.socket >= m.sockets)
      return text("node %d: its socket, %d, is not below their number, %d", int(&node - m.nodes.data()), node.socket,
                  m.sockets);
  const size_t n = m.nodes.size();
  if (m.distance.size() != n * n)
    return text("there are %zu distances; %zu nodes have %zu", m.distance.size(), n, n * n);
  for (size_t i = 0; i < n * n; ++i)
    if (!(m.distance[i] > 0 && m.distance[i] < 1e6f))
      return text("the distance from node %zu to %zu is %g: it must be more than 0", i / n, i % n,
                  double(m.distance[i]));
  for (auto& [what, table] : {std::pair{"latency_ns", &m.latency_ns},
                              {"bandwidth", &m.bandwidth},
                              {"bandwidth_one", &m.bandwidth_one},
                              {"write_bandwidth", &m.write_bandwidth},
                              {"write_bandwidth_one", &m.write_bandwidth_one}}) {
    if (!table->empty() && table->size() != n * n)
      return text("%s has %zu figures; %zu nodes have %zu", what, table->size(), n, n * n);
    for (float v : *table)
      if (!(v > 0 && std::isfinite(v))) return text("%s: %g: it must be more than 0", what, double(v));
  }
  if (m.page_bytes < 512 || (m.page_bytes & (m.page_bytes - 1)))
    return "page_bytes is not a power of two of at least 512";
  if (m.unit_bytes && (m.unit_bytes < 16 || m.unit_bytes > m.page_bytes || (m.unit_bytes & (m.unit_bytes - 1))))
    return "unit_bytes is not a power of two from 16 to page_bytes";
  return "";
}

}  // namespace einkorn::machine
