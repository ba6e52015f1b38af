#include "profile/dependences.h"
#include <algorithm>

namespace einkorn::profile {

using namespace record;

namespace {

uint8_t known(uint8_t mode, bool has_body) {
  if (mode & kDependAllMemory) return kDependAllMemory;
  if (mode == kDependIn || mode == kDependInOutSet || (mode == kDependMutexInOutSet && has_body)) return mode;
  return kDependOut;
}

}  // namespace

void DependTable::put(Set& s, uint32_t node) {
  uint32_t p = uint32_t(places_.size());
  places_.push_back({node, kNone});
  if (s.tail == kNone) s.head = p;
  else places_[s.tail].next = p;
  s.tail = p;
}

void DependTable::read(const Set& s, Nodes& out) const {
  for (uint32_t p = s.head; p != kNone; p = places_[p].next) out.push_back(places_[p].node);
}

void DependTable::read_all(Nodes& out) const {
  if (all_ != kNone) out.push_back(all_);
  for (const Entry& e : entries_) read(e.last, out);
}

DependTable::Entry& DependTable::entry(uint64_t address) {
  auto [it, added] = at_.try_emplace(address, uint32_t(entries_.size()));
  if (added) {
    entries_.emplace_back();
    if (all_ != kNone) put(entries_.back().last, all_);
  }
  return entries_[it->second];
}

void DependTable::follow_one(uint64_t address, uint8_t mode, Nodes& out, const MakeJoint& make_joint) {
  // What only this access follows is dropped at once, so that a task that names the same address twice follows it once.
  if (mode == kDependAllMemory) {
    read_all(out);
    return clear();
  }
  Entry& e = entry(address);
  if (e.mode == mode && mode != kDependOut) return read(e.before, out);
  if (mode != kDependOut && several(e.last)) {
    Nodes members;
    read(e.last, members);
    uint32_t joint = make_joint(members);
    e.last = {};
    put(e.last, joint);
  }
  read(e.last, out);
  if (mode == kDependOut) e.last = e.before = {};
}

void DependTable::add_one(uint64_t address, uint8_t mode, uint32_t node) {
  if (mode == kDependAllMemory) {
    clear();
    all_ = node;
    return;
  }
  Entry& e = entry(address);
  if (e.mode == mode && mode != kDependOut) {
    if (e.last.tail == kNone || places_[e.last.tail].node != node) put(e.last, node);
    return;
  }
  e.before = mode == kDependOut ? Set{} : e.last;
  e.last = {};
  put(e.last, node);
  e.mode = mode;
  e.set = kNone;
}

void DependTable::wait_one(uint64_t address, uint8_t mode, Nodes& out) {
  if (mode == kDependAllMemory) {
    read_all(out);
    return clear();
  }
  auto it = at_.find(address);
  if (it == at_.end()) {
    if (all_ != kNone) out.push_back(all_);
    all_ = kNone;
    return;
  }
  Entry& e = entries_[it->second];
  bool joins = e.mode == mode && mode != kDependOut;
  read(joins ? e.before : e.last, out);
  e.before = {};
  if (!joins) e.last = {};
}

void DependTable::follow(uint32_t first, bool has_body, Nodes& out, const MakeJoint& make_joint) {
  for (uint32_t d = first; d != kNone; d = depends_[d].next)
    follow_one(depends_[d].address, known(depends_[d].mode, has_body), out, make_joint);
}

void DependTable::add(uint32_t first, bool has_body, uint32_t node) {
  for (uint32_t d = first; d != kNone; d = depends_[d].next)
    add_one(depends_[d].address, known(depends_[d].mode, has_body), node);
}

void DependTable::wait(uint32_t first, Nodes& out) {
  for (uint32_t d = first; d != kNone; d = depends_[d].next)
    wait_one(depends_[d].address, known(depends_[d].mode, false), out);
}

void DependTable::exclusive(uint32_t first, uint32_t& sets, Nodes& out) {
  for (uint32_t d = first; d != kNone; d = depends_[d].next) {
    if (depends_[d].mode != kDependMutexInOutSet) continue;
    const auto at = at_.find(depends_[d].address);
    if (at == at_.end() || entries_[at->second].mode != kDependMutexInOutSet) continue;
    uint32_t& set = entries_[at->second].set;
    if (set == kNone) set = sets++;
    if (std::find(out.begin(), out.end(), set) == out.end()) out.push_back(set);
  }
}

void DependTable::clear() {
  // Clearing takes the time of all buckets, however few are in use: one large set is not to slow down all later ones.
  if (at_.bucket_count() > 64 + 8 * at_.size()) decltype(at_)().swap(at_);
  else at_.clear();
  entries_.clear();
  places_.clear();
  all_ = kNone;
}

}  // namespace einkorn::profile
