#include "simulate/rates.h"

#include <algorithm>

namespace einkorn::simulate {

namespace {

size_t all_pairs(const machine::Machine& m) { return m.nodes.size() * m.nodes.size(); }
size_t pair_of(const machine::Machine& m, int from, int memory) {
  return size_t(from) * m.nodes.size() + size_t(memory);
}

}  // namespace

bool rates_known(const machine::Machine& m) { return m.bandwidth.size() == all_pairs(m); }

double link_rate(const machine::Machine& m, int from, int memory) {
  return rates_known(m) ? double(m.bandwidth[pair_of(m, from, memory)]) * 1e-9 : 1;
}

double stream_rate(const machine::Machine& m, int from, int memory) {
  const size_t pair = pair_of(m, from, memory);
  if (m.bandwidth_one.size() == all_pairs(m) && m.bandwidth_one[pair] > 0) return double(m.bandwidth_one[pair]) * 1e-9;
  return link_rate(m, from, memory);
}

double rate_of_each(const machine::Machine& m, double cores, int node) {
  return std::min(rate_of_one(m, node), link_rate(m, node, node) / std::max(1.0, cores));
}

double latency(const machine::Machine& m, int from, int memory) {
  return m.latency_ns.size() == all_pairs(m) ? double(m.latency_ns[pair_of(m, from, memory)]) : 0;
}

}  // namespace einkorn::simulate
