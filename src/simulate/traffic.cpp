#include "simulate/traffic.h"

#include <algorithm>
#include <limits>

#include "simulate/rates.h"

namespace einkorn::simulate {

namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();
}

Traffic::Traffic(const machine::Machine& m) : nodes_(m.node_count()), next_end_(kNever) {
  const auto n = size_t(nodes_);
  known_ = rates_known(m);
  link_.resize(n * n);
  one_.resize(n * n);
  memories_.resize(n);
  for (size_t i = 0; i < n * n; ++i) {
    link_[i] = link_rate(m, int(i / n), int(i % n));
    one_[i] = stream_rate(m, int(i / n), int(i % n));
    // A node's memory gives to all together no more than the most that the workers of one node draw from it.
    memories_[i % n].all = std::max(memories_[i % n].all, link_[i]);
  }
  for (Memory& memory : memories_) {
    memory.next_end = kNever;
    memory.class_of.assign(n, -1);
  }
}

void Traffic::advance(Memory& m, double now) {
  for (Class& c : m.classes)
    if (!c.marks.empty()) c.service += (now - m.now) * c.rate;
  m.now = now;
}

// Max-min fair by filling: the classes that can get least for a stream are served first, the rest shares what is left.
void Traffic::share(Memory& m) {
  double left = m.all, users = 0;
  for (Class& c : m.classes) {
    c.rate = 0;
    users += double(c.marks.size());
  }
  while (users > 0) {
    Class* worst = nullptr;
    double least = kNever;
    for (Class& c : m.classes) {
      if (c.marks.empty() || c.rate > 0) continue;
      const double rate = std::min({c.one, c.link / double(c.marks.size()), left / users});
      if (rate < least) least = rate, worst = &c;
    }
    worst->rate = least;
    left = std::max(0.0, left - least * double(worst->marks.size()));
    users -= double(worst->marks.size());
  }
  m.next_end = kNever;
  for (size_t i = 0; i < m.classes.size(); ++i) {
    const Class& c = m.classes[i];
    if (c.marks.empty()) continue;
    const double end = m.now + std::max(0.0, c.marks.top().service - c.service) / c.rate;
    if (end < m.next_end) m.next_end = end, m.next_class = i;
  }
  next_end_ = kNever;
  for (size_t i = 0; i < memories_.size(); ++i)
    if (memories_[i].next_end < next_end_) next_end_ = memories_[i].next_end, next_memory_ = i;
}

void Traffic::begin(double now, int from, int memory, double bytes, uint32_t id) {
  Memory& m = memories_[size_t(memory)];
  advance(m, now);
  int& at = m.class_of[size_t(from)];
  if (at < 0) {
    at = int(m.classes.size());
    const size_t pair = size_t(from) * size_t(nodes_) + size_t(memory);
    Class c;
    c.one = one_[pair];
    c.link = link_[pair];
    m.classes.push_back(std::move(c));
  }
  Class& c = m.classes[size_t(at)];
  if (c.marks.empty()) c.service = 0;  // so that it loses no digits over a long run
  c.marks.push({c.service + bytes, begun_++, id});
  share(m);
}

uint32_t Traffic::end(double now) {
  Memory& m = memories_[next_memory_];
  advance(m, now);
  Class& c = m.classes[m.next_class];
  const uint32_t id = c.marks.top().id;
  c.service = c.marks.top().service;  // exactly, whatever was lost in between
  c.marks.pop();
  share(m);
  return id;
}

}  // namespace einkorn::simulate
