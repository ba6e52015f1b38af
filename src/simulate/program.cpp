#include <fmt/format.h>

#include <algorithm>

#include "simulate/types.h"

namespace einkorn::simulate {

double Program::work() const {
  double sum = 0;
  for (const Step& s : steps)
    if (s.kind == StepKind::compute) sum += s.ns;
  for (const Chunk& c : chunks) sum += c.ns + c.in_turn;
  return sum;
}

double Program::unknown() const {
  double sum = 0;
  for (const Step& s : steps)
    if (s.kind == StepKind::compute && s.memory < 0) sum += s.ns;
  for (const Chunk& c : chunks)
    if (c.memory < 0) sum += c.ns;
  return sum;
}

double Program::longest_hold(double alone, double unknown) const {
  std::vector<double> held(locks, 0), in_set(sets, 0);
  auto piece = [&](uint32_t first, double begin, double pace) {  // of its task's own time
    for (uint32_t i = first; i != kNone; i = lock_points[i].last ? kNone : i + 1)
      if (const LockPoint& p = lock_points[i]; p.lock != kNone && !p.step)
        held[p.lock] += p.taken ? -(begin + p.at * pace) : begin + p.at * pace;
  };
  auto pace_of = [&](float memory) {
    const double part = memory >= 0 ? double(memory) : unknown;
    return 1 - part + part * alone;
  };
  for (const Task& t : tasks) {
    double now = 0;
    for (uint32_t i = t.first_step; i < t.first_step + t.steps; ++i) {
      if (steps[i].kind != StepKind::compute) continue;
      const double pace = pace_of(steps[i].memory);
      piece(steps[i].ref, now, pace);
      now += steps[i].ns * pace;
    }
    for (uint32_t i = 0; i < t.sets && !t.undeferred; ++i) in_set[exclusive[t.first_set + i]] += now;
  }
  for (const Chunk& c : chunks) piece(c.locks, 0, pace_of(c.memory));
  held.insert(held.end(), in_set.begin(), in_set.end());
  return held.empty() ? 0 : *std::max_element(held.begin(), held.end());
}

namespace {

bool within(uint64_t first, uint64_t count, size_t size) { return first <= size && count <= size - first; }

std::string check_locks(const Program& p, uint32_t first, double ns) {
  double at = 0;
  for (uint32_t i = first; i != kNone; i = p.lock_points[i].last ? kNone : i + 1) {
    if (i >= p.lock_points.size()) return "lock points of a piece";
    const LockPoint& point = p.lock_points[i];
    if (!(point.at >= at && point.at <= ns)) return "a lock point outside its piece";
    if (point.lock != kNone && point.lock >= (point.step ? p.signals : p.locks)) return "a lock that does not exist";
    at = point.at;
  }
  return "";
}

std::string check_step(const Program& p, const Step& s, uint32_t task, std::vector<uint8_t>& forked,
                       std::vector<uint8_t>& met, std::vector<uint8_t>& posted) {
  if (!within(s.first_access, s.accesses, p.accesses.size())) return "accesses of a step";
  switch (s.kind) {
    case StepKind::fork:
      if (s.ref >= p.tasks.size() || !p.tasks[s.ref].explicit_task) return "a fork without a task";
      if (forked[s.ref]++) return fmt::format("task {} is forked twice", s.ref);
      if (p.tasks[s.ref].parent != task) return fmt::format("task {} is forked by another than its parent", s.ref);
      if (p.tasks[s.ref].depth != p.tasks[task].depth + 1) return fmt::format("depth of task {}", s.ref);
      break;
    case StepKind::wait_group:
      if (s.ref >= p.groups) return "a wait for a group that does not exist";
      break;
    case StepKind::region:
      if (s.ref >= p.regions.size()) return "a region that does not exist";
      if (met[s.ref]++) return fmt::format("region {} is met twice", s.ref);
      break;
    case StepKind::loop:
      if (s.ref >= p.loops.size()) return "a loop that does not exist";
      break;
    case StepKind::post:
    case StepKind::await:
      if (s.ref >= p.signals) return "a signal that does not exist";
      if (p.tasks[task].explicit_task || task == 0) return "a signal outside of a region";
      if (s.kind == StepKind::post && posted[s.ref]++) return fmt::format("signal {} is posted twice", s.ref);
      break;
    case StepKind::release:
      if (s.ref >= p.tasks.size() || !p.tasks[s.ref].explicit_task || p.tasks[s.ref].undeferred)
        return "a signal to what is no firing";
      break;
    case StepKind::compute:
      if (!(s.ns >= 0)) return "a negative time";
      return check_locks(p, s.ref, s.ns);
    default: break;
  }
  return "";
}

}  // namespace

std::string check(const Program& p) {
  if (p.tasks.empty() || p.tasks[0].explicit_task) return "no initial task";
  for (const Region& r : p.regions)
    if (r.members == 0 || !within(r.first_member, r.members, p.tasks.size())) return "members of a region";
  for (const Loop& l : p.loops)
    if (!within(l.first_chunk, l.chunks, p.chunks.size())) return "chunks of a loop";
  for (const Chunk& c : p.chunks)
    if (!(c.ns >= 0) || !(c.in_turn >= 0) || !within(c.first_access, c.accesses, p.accesses.size()) ||
        !check_locks(p, c.locks, c.ns).empty())
      return "a chunk";
  for (const Access& a : p.accesses)
    if (a.data >= p.data.size()) return "an access to nothing";
  for (const Data& d : p.data)
    if (d.block != kNone && (d.block >= p.blocks.size() || !within(d.offset, d.bytes, p.blocks[d.block])))
      return "data outside its allocation";
  std::vector<uint8_t> forked(p.tasks.size(), 0), met(p.regions.size(), 0), posted(p.signals, 0);
  std::vector<uint32_t> predecessors(p.tasks.size(), 0), signals(p.tasks.size(), 0);
  for (uint32_t i = 0; i < p.tasks.size(); ++i) {
    const Task& t = p.tasks[i];
    if (!within(t.first_step, t.steps, p.steps.size())) return fmt::format("steps of task {}", i);
    if (t.explicit_task && t.parent >= i) return fmt::format("parent of task {}", i);
    if (t.group != kNone && t.group >= p.groups) return fmt::format("group of task {}", i);
    if (!within(t.first_successor, t.successors, p.successors.size())) return fmt::format("successors of task {}", i);
    if (!within(t.first_set, t.sets, p.exclusive.size())) return fmt::format("sets of task {}", i);
    for (uint32_t k = 0; k < t.sets; ++k)
      if (p.exclusive[t.first_set + k] >= p.sets) return fmt::format("a set of task {}", i);
    for (uint32_t k = 0; k < t.successors; ++k) {
      const uint32_t next = p.successors[t.first_successor + k];
      if (next >= p.tasks.size() || next <= i || p.tasks[next].undeferred)
        return fmt::format("a successor of task {}", i);
      ++predecessors[next];
    }
    for (uint32_t k = 0; k < t.steps; ++k) {
      const Step& s = p.steps[t.first_step + k];
      if (std::string what = check_step(p, s, i, forked, met, posted); !what.empty()) return what;
      if (s.kind == StepKind::release) ++predecessors[s.ref], ++signals[s.ref];
    }
  }
  for (uint32_t i = 0; i < p.tasks.size(); ++i)
    if (predecessors[i] != p.tasks[i].predecessors || signals[i] != p.tasks[i].signals)
      return fmt::format("predecessors of task {}", i);
  for (const Region& r : p.regions)
    for (uint32_t m = r.first_member; m < r.first_member + r.members; ++m) {
      const Task& t = p.tasks[m];
      if (t.explicit_task || t.steps == 0 || p.steps[t.first_step + t.steps - 1].kind != StepKind::barrier)
        return fmt::format("member {} of a region does not end with a barrier", m - r.first_member);
    }
  return "";
}

}  // namespace einkorn::simulate
