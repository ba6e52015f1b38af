#include "codelet/moving.h"

#include <new>

#include "base/clock.h"
#include "codelet/beside.h"
#include "codelet/region.h"
#include "codelet/unwinding.h"
#include "runtime/sync/barrier.h"
#include "runtime/sync/help.h"
#include "runtime/task/depend.h"
#include "runtime/task/gomp_body.h"
#include "runtime/task/instance.h"
#include "runtime/team/implicit.h"
#include "runtime/team/placed.h"
#include "runtime/team/team.h"
#include "schedule/locales.h"
#include "schedule/regions.h"

namespace einkorn::codelet {

using namespace runtime;

// Of so many phases one is timed: to look at the clock costs as much as to arrive.
constexpr uint64_t kPhasesTimed = 7;

// What of it is the instance's belongs to who has its turn. Its slot is no thread's: the implicit task in it, and the
// counts of constructs, are what is used of it.
struct alignas(kCacheLine) Moving::Part {
  Turn turn;
  std::atomic<uint64_t> entered{~uint64_t(0)};  // the thread of that number is in the region that began so (first_)
  uint32_t icv;                                 // what it has set of the slot that it goes on on
  Instance instance;
  Slot slot;
};

// A thread in such a region.
class Mover {
 public:
  Mover(Moving& m, Worker* w)
      : m_(m), w_(w), team_(w->team), slot_(w->slot), mine_(w->thread_num), n_(m.turns_.instances()) {
    // Release: its counts of tasks, from zero; pairs with tasks_have_ended().
    m_.parts_[mine_].entered.store(m_.first_, std::memory_order_release);
  }

  void run() {
    for (uint64_t phase; !Turns::is_over(phase = m_.turns_.now());)
      if (Turns::claim(m_.parts_[mine_].turn, phase)) go_on(mine_, phase);
      else wait(phase);
    slot_->shares_met = m_.parts_[mine_].slot.shares_met;  // as all have: for reset_shares()
  }

  // ---- for help_until(): until the phase is over, or an instance is there that nobody goes on with ----
  struct ForTurn {
    static constexpr bool kAnyTask = true;
    static constexpr int kLooksSeldom = 64;
    Mover& mover;
    const uint64_t phase;
    bool sleeps = false;
    mutable int number = -1;  // that a task may be run under
    mutable int left = kLooksSeldom;

    // A task is run under a number that nobody else is under: its thread's, unless another one goes on with that
    // instance. There is one: of the other threads each has one at most, and of an instance that has not come to this
    // phase the thread is not here.
    bool may_take(const Slot*) const {
      if (ended()) return false;
      if (number < 0) return mover.is_under_a_number(phase, number);
      left = 1;  // it has run a task, which may have taken long
      return true;
    }
    bool may_take_own() const { return !mover.slot_->deque.seems_empty() && may_take(mover.slot_); }
    // Nothing is left to be run.
    void found_nothing() {
      if (number >= 0) mover.leave_number(std::exchange(number, -1), phase);
    }
    bool ended() const { return mover.m_.turns_.now() != phase; }
    bool done() {
      if (ended() || mover.may_end(phase)) return true;
      if (!sleeps && --left > 0) return false;
      const bool any = mover.left_over(phase);
      left = any ? 1 : kLooksSeldom;  // asked again it says the same
      return any;
    }
    void arm() { sleeps = true; }
    void disarm() { sleeps = false; }
  };

 private:
  // ---- an instance ----
  void begin(int i) {
    Moving::Part& part = m_.parts_[i];
    char* own = m_.owns_ + m_.own_bytes_ * size_t(i);
    part.instance = {m_.frame_,          nullptr, 0, uint32_t(i), own, m_.instances_.procedure, uint32_t(n_),
                     Instance::of_region};
    Slot& s = part.slot;
    s.team = team_;
    reset_slot(&s, team_->icv, uint16_t(slot_->implicit.flags & ~kTaskExtra));
    s.implicit.parent = nullptr;
    s.implicit.record_id = 0;
    s.implicit.depth = 0;
    part.icv = team_->icv;
  }
  void swap_counts(Slot& with) {
    std::swap(slot_->shares_met, with.shares_met);
    std::swap(slot_->singles_met, with.singles_met);
    std::swap(slot_->unfreed, with.unfreed);
  }
  // By who has claimed it.
  void go_on(int i, uint64_t phase) {
    Moving::Part& part = m_.parts_[i];
    if (phase == m_.first_) begin(i);
    Task* t = &part.slot.implicit;
    swap_counts(part.slot);
    std::swap(slot_->implicit.icv, part.icv);
    stand_as(w_, i, slot_);
    t->owner.store(w_->id, std::memory_order_relaxed);
    t->set_base(slot_->deque.bottom());
    w_->current = t;
    // What was to be tried with its thread's tasks (tiny.h) is tried with the instance's.
    if (EK_UNLIKELY(w_->inlining.of == &slot_->implicit)) w_->inlining.of = t;
    const bool ended = run_to_phase(part.instance, phase);
    if (EK_UNLIKELY(team_->placed.load(std::memory_order_relaxed) != nullptr) &&
        EK_UNLIKELY(team_->has_tasks.load(std::memory_order_relaxed)))
      misused(part.instance.procedure, "ek_run",
              "it makes tasks where its codelets may leave their threads (EK_LOCALES)");
    if (EK_UNLIKELY(t->group != nullptr)) misused(part.instance.procedure, "EK_YIELD", "a taskgroup is open there");
    t->owner.store(kNoWorker, std::memory_order_relaxed);  // on no stack: who ends a child here counts as any other
    w_->current = &slot_->implicit;
    stand_as(w_, mine_, slot_);
    std::swap(slot_->implicit.icv, part.icv);
    swap_counts(part.slot);
    // Acquire: as tasks_have_ended().
    auto makes_none = [this] { return !team_->has_tasks.load(std::memory_order_acquire); };
    switch (m_.turns_.arrive(part.turn, uint64_t(i), phase, ended, makes_none)) {
      case Turns::Arrival::others_come: return;
      case Turns::Arrival::over: return wake_others();
      case Turns::Arrival::last: return void(may_end(phase));
      case Turns::Arrival::uneven: is_uneven();
    }
  }
  [[noreturn]] void is_uneven() const {
    misused(m_.instances_.procedure, "ek_run", "some instances have ended where others wait for all (EK_SYNC)");
  }
  // True: it has ended.
  bool run_to_phase(Instance& me, uint64_t phase) {
    const Procedure* p = me.procedure;
    const auto* const at = reinterpret_cast<const void*>(p->run);
    const bool measures = me.id == 0 && (phase - m_.first_) % kPhasesTimed == 0;
    const uint64_t began = measures ? short_times().now() : 0;
    const Instance* const outer = std::exchange(t_region_instance, &me);
    int next;
    for (;;) {
      EK_NOTHING_LEAVES_TO_HERE(ek_left_region);
      next = p->run(&me);
      if (next == kEnd) break;
      check_yield(me, next);
      if (next == kSync) break;
      if (EK_UNLIKELY(next == kNear)) Beside(p, nullptr, 0).post(me);  // ends with a message
      if (outstanding(w_->current) != 0) taskwait(w_, Caller(&at), 0);
    }
    t_region_instance = outer;
    if (measures) *m_.busy_ += short_times().now() - began;
    return next == kEnd;
  }

  // ---- between two of them ----
  // When all instances have arrived. A thread that is not there yet has created and ended no task; nor does one by the
  // time of the second look that was not there in the first, but for what was created before.
  bool tasks_have_ended() const {
    return no_tasks(team_, n_,
                    [this](int i) { return m_.parts_[i].entered.load(std::memory_order_acquire) == m_.first_; });
  }
  // Ends the phase if it is over. False: it is not; or another thread has ended it.
  bool may_end(uint64_t phase) {
    if (!m_.turns_.all_arrived(phase) || !tasks_have_ended()) return false;
    const Turns::Arrival ends = m_.turns_.end_phase(phase);
    if (ends == Turns::Arrival::uneven) is_uneven();
    if (ends != Turns::Arrival::over) return false;
    wake_others();
    return true;
  }
  // Behind the end of a phase.
  void wake_others() {
    // Orders the update of the phase before the load of idle; pairs with heavy_fence() in sleep().
    fence_after_update();
    wake_sleepers();
  }
  void wake_sleepers() {
    if (EK_UNLIKELY(parked(team_->idle.load(std::memory_order_relaxed)))) wake_all(team_, n_);
  }
  bool is_under_a_number(uint64_t phase, int& number) {
    for (int k = 0; k < n_; ++k)
      if (const int i = (mine_ + k) % n_; Turns::hold(m_.parts_[i].turn, phase)) {
        stand_as(w_, i, slot_);
        // Is the phase over by now, the instance is one that is to go on.
        if (EK_UNLIKELY(m_.turns_.now() != phase)) return leave_number(i, phase), false;
        number = i;
        return true;
      }
    return false;
  }
  void leave_number(int i, uint64_t phase) {
    stand_as(w_, mine_, slot_);
    Turns::drop(m_.parts_[i].turn);
    if (EK_LIKELY(m_.turns_.now() == phase)) return;
    // Its thread may have come for it meanwhile, and sleep. The fence orders the store of the turn before the load of
    // idle; pairs with heavy_fence() in sleep().
    full_fence();
    wake_sleepers();
  }
  // Is there an instance that nobody goes on with?
  bool left_over(uint64_t phase) const {
    for (int i = 0; i < n_; ++i)
      if (Turns::is_free(m_.parts_[i].turn, phase)) return true;
    return false;
  }
  // All but the own one.
  int others(int* out) const {
    const Placed* placed = team_->placed.load(std::memory_order_relaxed);
    if (EK_UNLIKELY(placed != nullptr) && (m_.instances_.procedure->flags & kLocales))
      return schedule::up_the_tree(placed->layout, mine_, out);
    for (int k = 1; k < n_; ++k) out[k - 1] = (mine_ + k) % n_;
    return n_ - 1;
  }
  bool take_over(uint64_t phase) {
    bool any = false;
    int order[kMostMoving];
    const int count = others(order);
    for (int k = 0; k < count; ++k) {
      const int i = order[k];
      if (!Turns::claim(m_.parts_[i].turn, phase)) continue;
      any = true;
      go_on(i, phase);
    }
    return any;
  }
  // Behind its own instance, or where another thread has that: until the phase is over, or it has gone on with others.
  void wait(uint64_t phase) {
    auto over = [&] { return m_.turns_.now() != phase; };
    const bool yields = may_yield(team_);
    // Where all have a CPU those that have not come are about to.
    const int looks = yields ? looks_before_yield(team_) : spin_rounds(team_) == 0 ? 0 : schedule::kLooksForLate;
    for (int i = 0; i < looks && !team_->has_tasks.load(std::memory_order_relaxed); ++i)
      for (int look = 0; look < kLooksPerPause; ++look) {
        if (over()) return;
        if (look == 0) pause();
      }
    if (!team_->has_tasks.load(std::memory_order_relaxed)) {
      if (take_over(phase) || over() || (yields && yield_until(over))) return;
    }
    ForTurn turn{*this, phase};
    help_until(w_, turn);
    turn.found_nothing();
    if (!over()) take_over(phase);
  }

  Moving& m_;
  Worker* const w_;
  Team* const team_;
  Slot* const slot_;
  const int mine_, n_;
};

Moving::Moving(int n, size_t own_bytes)
    : instances_{nullptr, n, nullptr},
      parts_(static_cast<Part*>(allocate(sizeof(Part) * size_t(n)))),
      own_bytes_((own_bytes + kCacheLine - 1) & ~size_t(kCacheLine - 1)),
      owns_(own_bytes == 0 ? nullptr : static_cast<char*>(allocate(own_bytes_ * size_t(n)))) {
  for (int i = 0; i < n; ++i) new (&parts_[i]) Part{};
  turns_.set_up(n, g_arrivals_a_line);
}

Moving::~Moving() {
  const auto n = size_t(turns_.instances());
  if (owns_) release(owns_, own_bytes_ * n);
  release(parts_, sizeof(Part) * n);
}

void Moving::on_thread(void* moving) {
  auto& m = *static_cast<Moving*>(moving);
  Worker* w = self();
  if (EK_UNLIKELY(w->team->free != &m.instances_)) return m.body_(m.data_);
  Mover(m, w).run();
}

void Moving::run(Worker* w, const Procedure* p, void* frame, Caller caller, uint64_t* busy, void (*body)(void*),
                 void* data) {
  instances_.procedure = p;
  frame_ = frame;
  busy_ = busy;
  body_ = body;
  data_ = data;
  first_ = turns_.begin();
  const int n = turns_.instances();
  const auto* const function = reinterpret_cast<const void*>(p->run);
  if (EK_UNLIKELY(parallel(w, on_thread, this, n, function, caller, 0, nullptr, nullptr, &instances_) != n))
    return turns_.take_back();
  // What was timed stands for the others.
  const uint64_t phases = (turns_.now() & ~Turns::kOver) - first_, timed = (phases - 1) / kPhasesTimed + 1;
  if (timed < phases) *busy = *busy / timed * phases;
  for (int i = 0; i < n; ++i)
    if (EK_UNLIKELY(parts_[i].slot.implicit.flags & kTaskExtra)) release_implicit_extra(w, &parts_[i].slot);
}

}  // namespace einkorn::codelet
