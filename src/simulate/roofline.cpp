#include "simulate/roofline.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "simulate/rates.h"

namespace einkorn::simulate {

double roofline_bandwidth(const Setup& s, double footprint) {
  const machine::Machine& m = *s.machine;
  std::set<int> cores, llcs;
  std::vector<double> of_node(size_t(m.node_count()), 0);
  double cached = 0;
  for (const int pu : s.pus) {
    const machine::Pu& p = m.pus[size_t(pu)];
    cores.insert(p.core), llcs.insert(p.llc);
    of_node[size_t(p.node)] += rate_of_one(m, p.node);
    cached += rate_of_one(m, p.node);
  }
  if (m.l2_bytes > 0 && footprint <= double(m.l2_bytes) * double(cores.size())) return cached * kOwnCacheSpeed;
  if (m.llc_bytes > 0 && footprint <= double(m.llc_bytes) * double(llcs.size())) return cached * kSharedCacheSpeed;
  if (s.placement.node >= 0) return std::min(cached, link_rate(m, s.placement.node, s.placement.node));
  double memory = 0;
  for (int node = 0; node < m.node_count(); ++node) memory += std::min(of_node[size_t(node)], link_rate(m, node, node));
  return memory;
}

Roofline roofline(const Program& p, const Setup& s) {
  Roofline out;
  const double threads = double(s.pus.size());
  const double alone = rate_of_one(*s.machine, s.machine->pus[size_t(s.pus[0])].node);
  const double rate = s.recorded_rate > 0 ? s.recorded_rate : alone;
  double compute = 0, streamed = 0, footprint = 0, touched = 0;
  auto piece = [&](double ns, float memory, uint32_t first, uint32_t accesses) {
    const double part = !s.memory ? 0 : memory >= 0 ? double(memory) : double(s.unknown_memory);
    compute += ns * (1 - part);
    if (accesses == 0) streamed += ns * part * rate;
    for (uint32_t i = 0; i < accesses; ++i) touched += double(p.accesses[first + i].bytes);
  };
  std::vector<bool> first_member(p.tasks.size(), false);
  for (const Region& r : p.regions) first_member[r.first_member] = true;
  uint64_t tasks = 0, regions = 0, barriers = 0;
  for (uint32_t t = 0; t < p.tasks.size(); ++t) {
    tasks += p.tasks[t].explicit_task && !p.tasks[t].undeferred;
    for (uint32_t i = 0; i < p.tasks[t].steps; ++i) {
      const Step& step = p.steps[p.tasks[t].first_step + i];
      regions += step.kind == StepKind::region;
      barriers += step.kind == StepKind::barrier && first_member[t];
      if (step.kind != StepKind::compute) continue;
      if (t == 0) out.serial += step.ns;
      else piece(step.ns, step.memory, step.first_access, step.accesses);
    }
  }
  uint64_t chunks = 0;
  for (const Loop& l : p.loops) {
    if (l.schedule != LoopSchedule::fixed) chunks += l.chunks;
    for (uint32_t c = l.first_chunk; c < l.first_chunk + l.chunks; ++c)
      piece(p.chunks[c].ns + p.chunks[c].in_turn, p.chunks[c].memory, p.chunks[c].first_access, p.chunks[c].accesses);
  }
  for (const Data& d : p.data) footprint += double(d.bytes);
  out.compute = compute / threads;
  out.memory = streamed / roofline_bandwidth(s, HUGE_VAL);
  if (s.memory && touched > 0 && rates_known(*s.machine)) out.memory += touched / roofline_bandwidth(s, footprint);
  if (s.pus.size() > 1) {
    out.sync = double(regions) * s.costs.region +
               double(barriers) * s.costs.barrier * std::max(1.0, std::ceil(std::log2(threads)));
  }
  out.sync += (double(tasks) * (s.costs.create + s.costs.fetch) + double(chunks) * s.costs.chunk) / threads;
  return out;
}

}  // namespace einkorn::simulate
