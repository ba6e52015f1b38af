// EK_NEAR: an instance of a region waits for the two beside it, id - 1 and id + 1, instead of for all.
#pragma once
#include "codelet/procedure.h"
#include "flow/steps.h"

namespace einkorn::codelet {

// Between two instances that wait for each other: what each has posted, of[0] by the one with the lower id. On one
// line: a post fetches it to write, and so brings what the other has posted; of two that do so at once, one is second
// and goes on without another way of the line. (With a line for each, which both fetched, a step took up to twice as
// long, by how the two fell into step.)
struct alignas(kCacheLine) Border {
  flow::Steps of[2];
};
// Of an instance: the border to the one behind it (the last: to the first), and its own counts.
// Always true between two of its steps: told is `waits` or one more (it has posted early, by ek_post()), and what is
// posted.
struct Place {
  Border border;
  // Apart from the line that others take away.
  alignas(kCacheLine) uint32_t waits = 0, told = 0;  // the instance's alone
  bool is_waiting = false;                           // where a single thread runs all instances
  // Where it posts, and for whom it waits: two others, or one twice; or nobody: then itself, which has always come as
  // far. (Worked out once, as a step of little work is some tens of nanoseconds.)
  flow::Steps* posted[2] = {&border.of[0], &border.of[0]};
  flow::Steps* beside[2] = {&border.of[0], &border.of[0]};
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
    ++p.told;
    p.posted[0]->post(p.told);
    if (p.posted[1] != p.posted[0]) p.posted[1]->post(p.told);
    return true;
  }
  // It has come to EK_NEAR.
  void arrive(const Instance& i) {
    post(i);
    ++places_[i.id].waits;
  }
  // It is over: nobody waits for it any more.
  void end(const Instance& i) {
    if (EK_UNLIKELY(places_ != nullptr))
      for (flow::Steps* posted : places_[i.id].posted) posted->end();  // the same, maybe: twice is once
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
    for (flow::Steps* other : p.beside)
      if (!other->reached(p.waits)) return other;
    return nullptr;
  }

  Place* places_ = nullptr;
};

}  // namespace einkorn::codelet
