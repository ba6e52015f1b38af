// EK_NEAR: an instance of a region waits for the two beside it, id - 1 and id + 1, instead of for all.
#pragma once
#include "codelet/procedure.h"
#include "flow/steps.h"

namespace einkorn::codelet {

// Of an instance: what it has posted, for the others, and its own count of waits.
// Always true between two of its steps: posted is `waits` or one more (it has posted early, by ek_post()).
struct alignas(2 * kCacheLine) Place {
  flow::Steps posted;  // a line that is on its way to those beside it while the instance counts in the other one
  alignas(kCacheLine) uint32_t waits = 0;  // the instance's alone
  bool is_waiting = false;                 // where a single thread runs all instances
  flow::Steps* beside[2];                  // of the two others; its own where there is none: nobody waits for that
};

// Of a region whose procedure has the flag kBeside: n places, of memory that the region brings.
class Beside {
 public:
  static size_t bytes(const Procedure* p, int n) {
    return p->flags & kBeside ? (sizeof(Place) * size_t(n) + alignof(Place)) : 0;
  }
  Beside(const Procedure* p, char* memory, int n) {  // of bytes(p, n)
    if (EK_UNLIKELY(p->flags & kBeside)) make_places(memory, n);
  }

  // It begins.
  void begin(const Instance& i) {
    if (EK_UNLIKELY(places_ != nullptr)) find_beside(i);
  }
  // The instance has done its part of the next step, if it did not say so before.
  void post(const Instance& i) {
    if (EK_UNLIKELY(!places_))
      misused(i.procedure, "ek_run", "its instances wait for those beside them (EK_NEAR) without its flag EK_BESIDE");
    Place& p = places_[i.id];
    if (!p.posted.posted(p.waits + 1)) p.posted.post(p.waits + 1);
  }
  // It has come to EK_NEAR.
  void arrive(const Instance& i) {
    post(i);
    ++places_[i.id].waits;
  }
  // It is over: nobody waits for it any more.
  void end(const Instance& i) {
    if (EK_UNLIKELY(places_ != nullptr)) places_[i.id].posted.end();
  }

  // Have those beside it come as far as it has arrived?
  bool may_go_on(const Instance& i) const { return !first_missing(i); }
  // By the thread that it is pinned to.
  // False: it need not.
  bool wait(Worker* w, const Instance& i, Caller caller) {
    const Place& p = places_[i.id];
    bool waits = false;
    for (const flow::Steps* other : p.beside) {
      if (EK_LIKELY(other->reached(p.waits))) continue;
      waits = true;
      if (EK_UNLIKELY(w->stream != nullptr) || EK_UNLIKELY(!comes_soon(*other, p.waits))) {
        wait_long(w, i, caller);
        break;
      }
    }
    return waits;
  }
  // Where a single thread runs them: it waits so.
  bool& is_waiting(const Instance& i) { return places_[i.id].is_waiting; }

 private:
  // Mostly the other one is as far in next to no time. A pause takes as long as a line's way here.
  static bool comes_soon(const flow::Steps& other, uint32_t step) {
    for (int look = 0; look < kSoon; ++look)
      if (other.reached(step)) return true;
    return false;
  }
  static constexpr int kSoon = 100;
  void wait_long(Worker* w, const Instance& i, Caller caller);
  void make_places(char* memory, int n);
  void find_beside(const Instance& i);
  flow::Steps* first_missing(const Instance& i) const {
    const Place& p = places_[i.id];
    for (flow::Steps* other : p.beside)
      if (!other->reached(p.waits)) return other;
    return nullptr;
  }

  Place* places_ = nullptr;
};

}  // namespace einkorn::codelet
