#include "codelet/beside.h"

#include <initializer_list>
#include <new>

#include "runtime/loop/share.h"
#include "runtime/sync/wait.h"

namespace einkorn::codelet {

// From one pause to the next. Each takes the line away from who is about to post: with eight a step takes some 1.05
// times as long, with eight more before the first pause 1.3 times.
static constexpr int kLooks = 4;

void Beside::make_places(char* memory, int n) {
  places_ = reinterpret_cast<Place*>((uintptr_t(memory) + kCacheLine - 1) & ~uintptr_t(kCacheLine - 1));
  for (int i = 0; i < n; ++i) new (&places_[i]) Place;
}

void Beside::find_others(const Instance& i) {
  uint32_t beside[2];
  if (const uint32_t count = others(i, beside); count != 0)
    for (const uint32_t k : {0u, 1u}) places_[i.id].beside[k] = &places_[beside[k % count]].posted;
}

uint32_t Beside::others(const Instance& i, uint32_t (&others)[2]) {
  const uint32_t id = i.id, last = i.n - 1;
  const bool ring = i.procedure->flags & kRing;
  uint32_t count = 0;
  for (const bool up : {false, true}) {
    const bool at_border = id == (up ? last : 0);
    if (at_border && !ring) continue;
    const uint32_t other = at_border ? last - id : up ? id + 1 : id - 1;
    if (other != id && (count == 0 || other != others[0])) others[count++] = other;  // in a ring of one, of two
  }
  return count;
}

bool Beside::wait(Worker* w, const Instance& i, Caller caller) {
  const Place& its = places_[i.id];
  flow::Steps* missing = first_missing(its);
  if (EK_LIKELY(!missing)) return false;
  const runtime::Blocked blocked(w, caller, 0);
  const uint32_t step = its.waits;
  const bool yields = runtime::may_yield(w->team);
  const int rounds = yields ? runtime::looks_before_yield(w->team) : runtime::spin_rounds(w->team);
  for (; missing; missing = first_missing(its)) {
    int round = 0;
    auto come = [&] { return missing->reached(step); };
    for (; round < rounds && !come(); ++round) {
      for (int look = 0; look < kLooks && !come(); ++look) {}
      pause();
    }
    if (yields && runtime::yield_until(come)) continue;
    missing->sleep_until(step);
  }
  return true;
}

}  // namespace einkorn::codelet
