// EK_NEAR: an instance of a region waits for the two beside it, id - 1 and id + 1, instead of for all.
#pragma once
#include "codelet/procedure.h"
#include "flow/steps.h"

namespace einkorn::codelet {

// Of an instance: what it has posted, for the others, and its own counts.
// Always true between two of its steps: told is `waits` or one more (it has posted early, by ek_post()), and what is
// posted.
struct alignas(kCacheLine) Place {
  flow::Steps posted;
  // Apart from the line at which others look, and which they take away by that (some processors hand over even what is
  // only read, if it was written last): who looked at it before the next post would wait for it, and the post behind
  // that.
  alignas(kCacheLine) uint32_t waits = 0, told = 0;  // the instance's alone
  bool is_waiting = false;                           // where a single thread runs all instances
  // For whom it waits: two others, or one twice; or nobody: then itself, which has always come as far. (Worked
  // out once, as a step of little work is some tens of nanoseconds.)
  const flow::Steps* beside[2] = {&posted, &posted};
};

// Of a region whose procedure has the flag kBeside: n places, of memory that the region brings.
class Beside {
 public:
  static size_t bytes(const Procedure* p, int n) {
    return p->flags & kBeside ? sizeof(Place) * size_t(n) + kCacheLine : 0;
  }
  Beside() = default;
  Beside(const Procedure* p, char* memory, int n) {  // of bytes(p, n)
    if (EK_UNLIKELY(p->flags & kBeside)) make_places(memory, n);
  }
  // The instance begins: i.n are there, which may be fewer than n.
  void begin(const Instance& i) {
    if (EK_UNLIKELY(places_ != nullptr)) find_others(i);
  }

  // The instance has done its part of the next step. False: it has said so before.
  bool post(const Instance& i) {
    if (EK_UNLIKELY(!places_))
      misused(i.procedure, "ek_run", "its instances wait for those beside them (EK_NEAR) without its flag EK_BESIDE");
    Place& p = places_[i.id];
    if (p.told != p.waits) return false;
    p.posted.post(++p.told);
    return true;
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
  bool may_go_on(const Instance& i) const { return !first_missing(places_[i.id]); }
  // By the thread that it is pinned to.
  // False: it need not.
  bool wait(Worker* w, const Instance& i, Caller caller);
  // For the recorder: how often it has come to EK_NEAR; and who is beside it: how many.
  uint32_t waits(const Instance& i) const { return places_[i.id].waits; }
  static uint32_t others(const Instance& i, uint32_t (&others)[2]);

  // Where a single thread runs them: it waits so.
  bool& is_waiting(const Instance& i) { return places_[i.id].is_waiting; }

 private:
  void make_places(char* memory, int n);
  void find_others(const Instance& i);
  static flow::Steps* first_missing(const Place& p) {
    for (const flow::Steps* other : p.beside)
      if (!other->reached(p.waits)) return const_cast<flow::Steps*>(other);
    return nullptr;
  }

  Place* places_ = nullptr;
};

}  // namespace einkorn::codelet
