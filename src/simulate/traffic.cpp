#include "simulate/traffic.h"

#include <algorithm>
#include <limits>

#include "simulate/rates.h"

namespace einkorn::simulate {

Traffic::Traffic(const machine::Machine& m) : nodes_(m.node_count()), next_end_(kEndless) {
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
    memory.next_end = kEndless;
    memory.class_of.assign(n, -1);
  }
}

void Traffic::advance(Memory& m, double now) {
  for (Class& c : m.classes)
    if (c.streams > 0) c.service += (now - m.now) * c.rate;
  m.now = now;
}

// Max-min fair by filling: the classes that can get least for a stream are served first, the rest shares what is left.
void Traffic::share(Memory& m) {
  double left = m.all, users = 0;
  for (Class& c : m.classes) {
    c.rate = 0;
    users += c.users;
  }
  size_t classes =
      size_t(std::count_if(m.classes.begin(), m.classes.end(), [](const Class& c) { return c.streams > 0; }));
  for (; classes > 0; --classes) {
    Class* worst = nullptr;
    double least = kEndless;
    for (Class& c : m.classes) {
      if (c.streams == 0 || c.rate > 0) continue;
      const double rate = std::min({c.one, c.link / c.users, left / std::max(users, c.users)});
      if (rate < least) least = rate, worst = &c;
    }
    worst->rate = least;
    left = std::max(0.0, left - least * worst->users);
    users -= worst->users;
  }
  m.next_end = kEndless;
  for (size_t i = 0; i < m.classes.size(); ++i) {
    Class& c = m.classes[i];
    if (c.streams == 0) continue;
    while (streams_[c.marks.top().stream].order != c.marks.top().order) c.marks.pop();  // withdrawn
    const double end = m.now + std::max(0.0, c.marks.top().service - c.service) / c.rate;
    if (end < m.next_end) m.next_end = end, m.next_class = i;
  }
  next_end_ = kEndless;
  for (size_t i = 0; i < memories_.size(); ++i)
    if (memories_[i].next_end < next_end_) next_end_ = memories_[i].next_end, next_memory_ = i;
}

uint32_t Traffic::begin(double now, int from, int memory, double bytes, double share_of_it, uint32_t id) {
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
  if (c.streams == 0) c.service = 0, c.users = 0, c.marks = {};  // so that it loses no digits over a long run
  uint32_t number = uint32_t(streams_.size());
  if (free_.empty()) streams_.emplace_back();
  else number = free_.back(), free_.pop_back();
  streams_[number] = {uint32_t(memory), uint32_t(at), id, bytes, share_of_it, c.service + bytes / share_of_it,
                      ++begun_};
  c.marks.push({streams_[number].mark, begun_, number});
  c.users += share_of_it;
  ++c.streams;
  share(m);
  return number;
}

void Traffic::leave(Memory& m, uint32_t stream) {
  Stream& s = streams_[stream];
  Class& c = m.classes[s.of_class];
  c.users = --c.streams == 0 ? 0 : c.users - s.share;
  s.order = 0;
  free_.push_back(stream);
}

std::pair<uint32_t, uint32_t> Traffic::end(double now) {
  Memory& m = memories_[next_memory_];
  advance(m, now);
  Class& c = m.classes[m.next_class];
  const uint32_t stream = c.marks.top().stream;
  c.service = c.marks.top().service;  // exactly, whatever was lost in between
  c.marks.pop();
  leave(m, stream);
  share(m);
  return {streams_[stream].id, stream};
}

einkorn::simulate::Memory::Fetch Traffic::withdraw(double now, uint32_t stream) {
  constexpr double kRounding = 1e-9;
  const Stream s = streams_[stream];
  Memory& m = memories_[s.memory];
  advance(m, now);
  const double left = (s.mark - m.classes[s.of_class].service) * s.share;
  leave(m, stream);
  share(m);
  return {int(s.memory), left > kRounding * s.bytes ? left : 0};
}

}  // namespace einkorn::simulate
