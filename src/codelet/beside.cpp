#include "codelet/beside.h"

#include <algorithm>
#include <initializer_list>
#include <new>

#include "runtime/loop/share.h"
#include "runtime/sync/wait.h"

namespace einkorn::codelet {

void Beside::make_places(char* memory, int n) {
  places_ = reinterpret_cast<Place*>((uintptr_t(memory) + kCacheLine - 1) & ~uintptr_t(kCacheLine - 1));
  for (int i = 0; i < n; ++i) new (&places_[i]) Place;
}

void Beside::find_others(const Instance& i) {
  uint32_t beside[2];
  const uint32_t count = others(i, beside);
  if (count == 0) return;
  for (const uint32_t k : {0u, 1u}) {
    const uint32_t lower = std::min(i.id, beside[k % count]), upper = std::max(i.id, beside[k % count]);
    Border& border = places_[upper - lower == 1 ? lower : upper].border;  // else the last one's, to the first
    places_[i.id].posted[k] = &border.of[i.id == upper];
    places_[i.id].beside[k] = &border.of[i.id == lower];
  }
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
      pause();
      missing->fetch();
    }
    if (yields && runtime::yield_until(come)) continue;
    missing->sleep_until(step);
  }
  return true;
}

}  // namespace einkorn::codelet
