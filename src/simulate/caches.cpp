#include "simulate/caches.h"

#include <algorithm>

namespace einkorn::simulate {

void Cache::unlink(uint32_t e) {
  const Entry& x = entries_[e];
  (x.newer == kEnd ? newest_ : entries_[x.newer].older) = x.older;
  (x.older == kEnd ? oldest_ : entries_[x.older].newer) = x.newer;
}

void Cache::link_newest(uint32_t e) {
  entries_[e].newer = kEnd;
  entries_[e].older = newest_;
  (newest_ == kEnd ? oldest_ : entries_[newest_].newer) = e;
  newest_ = e;
}

void Cache::drop(uint32_t e) {
  unlink(e);
  used_ -= room(entries_[e].bytes);
  at_.erase(entries_[e].datum);
  free_.push_back(e);
}

uint64_t Cache::touch(uint32_t datum, uint64_t bytes, uint32_t version, uint32_t left) {
  uint64_t there = 0, stays = bytes;
  if (auto known = at_.find(datum); known != at_.end()) {
    const Entry& x = entries_[known->second];
    if (x.version == version) there = std::min(x.bytes, bytes), stays = std::max(x.bytes, bytes);
    drop(known->second);
  }
  if (room(stays) > capacity_) {  // all that was there is older than its own end
    while (oldest_ != kEnd) drop(oldest_);
    return there;
  }
  while (used_ + room(stays) > capacity_) drop(oldest_);
  uint32_t e = uint32_t(entries_.size());
  if (free_.empty()) entries_.emplace_back();
  else e = free_.back(), free_.pop_back();
  entries_[e] = {datum, left, stays, kEnd, kEnd};
  link_newest(e);
  used_ += room(stays);
  at_[datum] = e;
  return there;
}

Caches::Caches(const machine::Machine& m, size_t data) : m_(m), version_(data, 0) {
  if (m.l2_bytes > 0) own_.assign(size_t(m.cores), Cache(m.l2_bytes));
  if (m.llc_bytes > 0) shared_.assign(size_t(m.llcs), Cache(m.llc_bytes));
}

Caches::Source Caches::touch(int pu, uint32_t datum, uint64_t bytes, bool write) {
  const machine::Pu& p = m_.pus[size_t(pu)];
  const uint32_t version = version_[datum];
  if (write) ++version_[datum];
  Source from;
  if (!own_.empty()) from.own = own_[size_t(p.core)].touch(datum, bytes, version, version_[datum]);
  if (!shared_.empty()) {
    const uint64_t there = shared_[size_t(p.llc)].touch(datum, bytes, version, version_[datum]);
    from.shared = there - std::min(there, from.own);
  }
  from.memory = bytes - from.own - from.shared;
  return from;
}

}  // namespace einkorn::simulate
