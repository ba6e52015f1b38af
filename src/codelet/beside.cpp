#include "codelet/beside.h"

#include <new>

#include "runtime/loop/share.h"
#include "runtime/sync/wait.h"

namespace einkorn::codelet {

void Beside::make_places(char* memory, int n) {
  places_ = reinterpret_cast<Place*>((uintptr_t(memory) + alignof(Place) - 1) & ~uintptr_t(alignof(Place) - 1));
  for (int i = 0; i < n; ++i) new (&places_[i]) Place;
}

void Beside::find_beside(const Instance& i) {
  const uint32_t id = i.id, last = i.n - 1;
  Place& p = places_[id];
  for (const bool up : {false, true}) {
    const bool at_border = id == (up ? last : 0), none = at_border && !(i.procedure->flags & kRing);
    p.beside[up] = &places_[none ? id : at_border ? last - id : up ? id + 1 : id - 1].posted;
  }
}

EK_NOINLINE void Beside::wait_long(Worker* w, const Instance& i, Caller caller) {
  flow::Steps* missing = first_missing(i);
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
}

}  // namespace einkorn::codelet
