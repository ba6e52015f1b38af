#include "codelet/beside.h"

#include <initializer_list>
#include <new>

#include "runtime/loop/share.h"
#include "runtime/sync/wait.h"

namespace einkorn::codelet {

void Beside::make_places(char* memory, int n) {
  places_ = reinterpret_cast<Place*>((uintptr_t(memory) + kCacheLine - 1) & ~uintptr_t(kCacheLine - 1));
  for (int i = 0; i < n; ++i) new (&places_[i]) Place;
}

flow::Steps* Beside::first_missing(const Instance& i) const {
  const uint32_t id = i.id, last = i.n - 1, step = places_[id].waits;
  const bool ring = i.procedure->flags & kRing;
  for (const bool up : {false, true}) {
    const bool at_border = id == (up ? last : 0);
    if (at_border && !ring) continue;
    flow::Steps& other = places_[at_border ? last - id : up ? id + 1 : id - 1].posted;
    if (!other.reached(step)) return &other;
  }
  return nullptr;
}

bool Beside::wait(Worker* w, const Instance& i, Caller caller) {
  flow::Steps* missing = first_missing(i);
  if (EK_LIKELY(!missing)) return false;
  const runtime::Blocked blocked(w, caller, 0);
  const uint32_t step = places_[i.id].waits;
  const int rounds = runtime::spin_rounds(w->team);
  for (; missing; missing = first_missing(i)) {
    int round = 0;
    auto come = [&] { return missing->reached(step); };
    if (rounds == 0 && runtime::yield_until(w->team, come)) continue;
    for (; round < rounds && !come(); ++round) {
      for (int look = 0; look < flow::kLooksPerPause && !come(); ++look) {}
      pause();
    }
    missing->sleep_until(step);
  }
  return true;
}

}  // namespace einkorn::codelet
