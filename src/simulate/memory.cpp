#include "simulate/memory.h"

#include <algorithm>
#include <cmath>

#include "simulate/rates.h"

namespace einkorn::simulate {

Memory::Memory(const Program& p, const Setup& s)
    : p_(p),
      s_(s),
      caches_(*s.machine, p.data.size()),
      nodes_(nodes_for(s.placement, *s.machine, s.pus)),
      where_(p.data.size()),
      from_(size_t(s.machine->node_count()), 0) {
  for (size_t d = 0; d < p.data.size(); ++d) where_[d].node = p.data[d].node;
  for (int n = 0; n < s.machine->node_count(); ++n) {
    own_ns_.push_back(1 / (kOwnCacheSpeed * rate_of_one(*s.machine, n)));
    shared_ns_.push_back(1 / (kSharedCacheSpeed * rate_of_one(*s.machine, n)));
  }
}

namespace {

// What is placed apart: a page, or where lines have homes a line, but for layouts that lay out pages by themselves.
uint64_t unit_of(const machine::Machine& m, memory::Layout layout) {
  const bool lines = m.unit_bytes && (layout == memory::Layout::system || layout == memory::Layout::fine);
  return std::max<uint64_t>(1, lines ? m.unit_bytes : m.page_bytes);
}

}  // namespace

// Parts of an allocation that go to the nodes in turn: which one's that part is.
size_t Memory::turn_of(uint32_t datum, uint64_t part) const {
  // Allocations begin with the first node, but for small ones, which would all be there.
  const Data& d = p_.data[datum];
  const uint64_t block = d.block == kNone ? datum : d.block;
  const uint64_t bytes = d.block == kNone ? d.bytes : p_.blocks[d.block];
  return size_t((part + (bytes <= unit_of(*s_.machine, s_.placement.layout) ? block : 0)) % nodes_.size());
}

void Memory::place(uint32_t datum, int node) {
  Where& w = where_[datum];
  if (w.node != kNowhere) return;
  const Placement& how = s_.placement;
  const Data& d = p_.data[datum];
  if (how.node >= 0) {
    w.node = how.node;
    return;
  }
  switch (how.layout) {
    case memory::Layout::system: w.node = s_.machine->unit_bytes ? kSpread : node; break;
    case memory::Layout::nearest: w.node = worker_node(0); break;
    case memory::Layout::coarse: w.node = nodes_[size_t((d.block == kNone ? datum : d.block) % nodes_.size())]; break;
    default: w.node = kSpread;
  }
  if (w.node != kSpread) return;
  int only = -1, count = 0;
  each_node(datum, [&](int n, double) { only = n, ++count; });
  if (count == 1) w.node = only;
}

template <class F>
void Memory::each_node(uint32_t datum, F&& f) const {
  const Where& w = where_[datum];
  if (w.node >= 0) return f(int(w.node), 1.0);
  if (w.node == kNowhere) return;
  const Data& d = p_.data[datum];
  const uint64_t whole = std::max<uint64_t>(1, d.block == kNone ? d.bytes : p_.blocks[d.block]);
  const uint64_t page = unit_of(*s_.machine, s_.placement.layout);
  uint64_t unit = page;
  if (s_.placement.layout == memory::Layout::blocked) {
    const uint64_t wanted =
        s_.placement.block_bytes ? s_.placement.block_bytes : (whole + nodes_.size() - 1) / nodes_.size();
    unit = (wanted + page - 1) / page * page;
  }
  // The parts of that size that it is in: k of them in turn, of which the first and the last may be cut.
  const uint64_t begin = d.offset, end = d.offset + std::max<uint64_t>(1, d.bytes);
  const uint64_t first = begin / unit, last = (end - 1) / unit;
  const size_t n = nodes_.size();
  for (size_t i = 0; i < std::min<uint64_t>(n, last - first + 1); ++i) {
    const uint64_t parts = (last - first - i) / n + 1;  // first + i, first + i + n, ...
    double bytes = double(parts) * double(unit);
    if (i == 0) bytes -= double(begin - first * unit);
    if ((last - first) % n == i) bytes -= double((last + 1) * unit - end);
    f(nodes_[turn_of(datum, first + i)], bytes / double(end - begin));
  }
}

// What moving it to the worker's node takes, if it moves.
double Memory::move(uint32_t datum, int node) {
  Where& w = where_[datum];
  const double pages = std::ceil(double(p_.data[datum].bytes) / double(std::max<uint64_t>(1, s_.machine->page_bytes)));
  w.in_a_row = w.from == node ? w.in_a_row + 1 : 1;
  w.from = node;
  const bool again = std::exchange(w.touched, true);
  if (s_.placement.move == Move::next_touch) {
    if (!again || w.moved) return 0;
    w.moved = true;
    if (w.node == node) return 0;
    w.node = node;
    return pages * s_.costs.next_touch_page;
  }
  if (s_.placement.move == Move::follow && again && w.node != node && w.in_a_row >= s_.placement.after) {
    w.node = node;
    return pages * s_.costs.migrate_page;
  }
  return 0;
}

double Memory::touch(uint32_t worker, const Access* first, uint32_t count, std::vector<Fetch>& fetches,
                     Outcome& counts) {
  fetches.clear();
  const int here = worker_node(worker);
  double ns = 0;
  for (const Access* a = first; a != first + count; ++a) {
    place(a->data, here);
    ns += move(a->data, here);
    const Caches::Source from = caches_.touch(s_.pus[worker], a->data, a->bytes, a->write);
    counts.bytes += a->bytes;
    counts.cached_bytes += from.own + from.shared;
    ns += double(from.own) * own_ns_[size_t(here)] + double(from.shared) * shared_ns_[size_t(here)];
    if (from.memory == 0) continue;
    each_node(a->data, [&](int node, double share) {
      const double bytes = double(from.memory) * share;
      if (node != here) counts.remote_bytes += uint64_t(bytes + 0.5);
      ns += latency(*s_.machine, here, node) * share;
      if (from_[size_t(node)] == 0) fetches.push_back({node, 0});
      from_[size_t(node)] += bytes;
    });
  }
  for (Fetch& f : fetches) f.bytes = std::exchange(from_[size_t(f.node)], 0);
  return ns;
}

bool Memory::bytes_by_node(const Access& a, std::vector<uint64_t>& out) const {
  if (where_[a.data].node == kNowhere) return false;
  each_node(a.data, [&](int node, double share) { out[size_t(node)] += uint64_t(double(a.bytes) * share + 0.5); });
  return true;
}

}  // namespace einkorn::simulate
