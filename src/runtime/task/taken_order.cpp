#include "runtime/task/taken_order.h"

namespace einkorn::runtime {

namespace {

inline uint32_t place(uintptr_t address) { return uint32_t((address * 0x9e3779b97f4a7c15ull) >> 32); }

}  // namespace

uint32_t Taken::find_or_add(const TakenKind& k) {
  const auto hash = (reinterpret_cast<uintptr_t>(k.entry) ^ reinterpret_cast<uintptr_t>(k.caller)) >> 4;
  uint32_t& seen = seen_[(hash ^ k.flags) % std::size(seen_)];
  uint32_t n = seen;
  if (n >= kinds.size() || !kinds[n].is(k)) {
    // A program has few constructs: this is long only where it has many that meet in `seen_`.
    for (n = 0; n < kinds.size() && !kinds[n].is(k);) ++n;
    if (n == kinds.size()) {
      if (n == kMostKinds) return kMostKinds;
      kinds.push_back(k);
    }
  }
  latest_ = &kinds[n];
  return its_number_ = seen = n;
}

__attribute__((always_inline)) inline void TakenOrder::follow(Follower& f, uint32_t pred) {
  if (pred == f.task) return;
  for (uint32_t i = 0; i < f.known; ++i)
    if (f.first[i] == pred) return;
  if (EK_LIKELY(f.known < Follower::kFirst)) f.first[f.known++] = pred;
  arcs_.add({pred, f.task});
}

__attribute__((always_inline)) inline void TakenOrder::follow_all_of(Follower& f, Set set) {
  if (set.task == kNobody) return;
  follow(f, set.task);
  while (EK_UNLIKELY(set.before != kNobody)) follow(f, (set = others_[set.before]).task);
}

inline void TakenOrder::put_in_front(Set& set, uint32_t n) {
  if (EK_LIKELY(set.task != kNobody)) {
    others_.push_back(set);
    set.before = uint32_t(others_.size() - 1);
  }
  set.task = n;
}

// A place in the order that follows the whole set and becomes it: what comes after it needs one arc instead of one to
// each. Not where task n is of the set itself, and would wait for itself.
EK_NOINLINE void TakenOrder::join(Set& set, uint32_t n) {
  if (set.task == n) return;
  Follower joint(tasks_ + joints_++);
  follow_all_of(joint, set);
  set = {joint.task};
}

inline TakenOrder::Entry& TakenOrder::find_or_make(uintptr_t address) {
  for (uint32_t i = place(address);; ++i) {
    Entry* e = slots_[i & mask_];
    if (EK_UNLIKELY(e == nullptr)) return make(address);
    if (EK_LIKELY(e->address == address)) return *e;
  }
}

EK_NOINLINE TakenOrder::Entry& TakenOrder::make(uintptr_t address) {
  if (used_ * 3 >= mask_ * 2) make_room();
  uint32_t i = place(address);
  while (slots_[i & mask_] != nullptr) ++i;
  Entry& e = *(slots_[i & mask_] = &entries_.add({address, {}, {}, kDepOut}));
  ++used_;
  if (EK_UNLIKELY(all_ != kNobody)) put_in_front(e.last, all_);
  return e;
}

void TakenOrder::make_room() {
  // Few large steps, then such that do not take memory that stays empty.
  const uint32_t room = mask_ == 0 ? 64 : (mask_ + 1) * (mask_ < 4096 ? 4 : 2), mask = room - 1;
  auto** to = static_cast<Entry**>(calloc(room, sizeof(Entry*)));
  if (!to) fatal("out of memory: %u addresses in dependences of tasks", used_);
  if (mask_ != 0) {
    for (Entry **from = slots_, **end = from + mask_ + 1; from != end; ++from) {
      if (*from == nullptr) continue;
      uint32_t i = place((*from)->address);
      while (to[i & mask] != nullptr) ++i;
      to[i & mask] = *from;
    }
    free(slots_);
  }
  slots_ = to;
  mask_ = mask;
}

void TakenOrder::clear() {
  if (slots_ != &none_) free(slots_);
  slots_ = &none_;
  mask_ = used_ = 0;
  entries_ = {};
  std::vector<Set>().swap(others_);
}

EK_NOINLINE void TakenOrder::add_all_memory(Follower& f) {
  if (all_ != kNobody) follow(f, all_);
  entries_.each([&](const Entry& e) { follow_all_of(f, e.last); });
  clear();
  all_ = f.task;
}

void TakenOrder::add(uint32_t n, const Dependence* list, uint32_t count) {
  Follower f(n);
  for (const Dependence* d = list; d != list + count; ++d) {
    const uint8_t mode = d->mode;
    if (EK_UNLIKELY(mode & kDepAllMemory)) {
      add_all_memory(f);
      continue;
    }
    Entry& e = find_or_make(d->address);
    if (mode == kDepOut || EK_UNLIKELY(mode == kDepMutexInOutSet)) {  // a graph has these follow each other
      follow_all_of(f, e.last);
      e.before = {};
      e.last = {n};
      e.kind = kDepOut;
    } else if (mode == e.kind) {
      if (e.last.task == n) continue;
      follow_all_of(f, e.before);
      put_in_front(e.last, n);
    } else {
      if (EK_UNLIKELY(e.last.before != kNobody)) join(e.last, n);
      follow_all_of(f, e.last);
      e.before = e.last;
      e.last = {n};
      e.kind = mode;
    }
  }
}

}  // namespace einkorn::runtime
