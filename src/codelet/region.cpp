#include "codelet/region.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/clock.h"
#include "codelet/beside.h"
#include "codelet/moving.h"
#include "codelet/region_times.h"
#include "codelet/unwinding.h"
#include "runtime/observe/stretches.h"
#include "runtime/places/places.h"
#include "runtime/sync/barrier.h"
#include "runtime/task/gomp_body.h"
#include "runtime/team/implicit.h"
#include "runtime/team/placed.h"
#include "runtime/team/team.h"
#include "schedule/loops.h"
#include "schedule/regions.h"

namespace einkorn::codelet {

using namespace runtime;

namespace {

// What its threads read, each region anew: in one line, where the frame is no more than a few words; each line more is
// a way there for every thread before the first instruction of the program's.
struct alignas(kCacheLine) Pinned {
  const Procedure* const procedure;
  void* frame;
  Beside beside;
  const bool measures;
  alignas(16) char short_frame[256];
  // By the first instance's thread: of short_times(), how long that has run.
  alignas(kCacheLine) uint64_t busy = 0;

  Pinned(const Procedure* p, bool is_measured) : procedure(p), frame(short_frame), measures(is_measured) {
    static_assert(offsetof(Pinned, short_frame) == kCacheLine / 2);
  }
};

// Instance::call of a region's instances: nobody calls them.
void set_beside(Instance& i, Beside* b) { i.call = reinterpret_cast<decltype(i.call)>(b); }
Beside* beside_of(const Instance& i) { return reinterpret_cast<Beside*>(i.call); }

// To the recorder: behind whom it goes on.
void tell_others(Worker* w, const Instance& i) {
  if (EK_LIKELY(!observe::hears_of_stretches(w))) return;
  uint32_t others[2];
  if (const uint32_t count = Beside::others(i, others))
    observe::goes_on_behind(w, beside_of(i)->waits(i), count, others);
}

// On each thread of a parallel region.
void run_pinned(void* data) {
  auto& r = *static_cast<Pinned*>(data);
  Worker* w = runtime::self();
  const Procedure* p = r.procedure;
  Room own(w, p->own_bytes);
  Instance me{r.frame, nullptr, 0, uint32_t(w->thread_num), own.begin(), p, uint32_t(w->team->n), Instance::of_region};
  set_beside(me, &r.beside);
  r.beside.begin(me);
  const auto* const at = reinterpret_cast<const void*>(p->run);
  const bool measures = r.measures && w->thread_num == 0;
  const Instance* const outer = std::exchange(t_region_instance, &me);
  observe::goes_on_in_region(w, me, false);
  for (;;) {
    const uint64_t began = measures ? short_times().now() : 0;
    EK_NOTHING_LEAVES_TO_HERE(ek_left_region);
    const int next = p->run(&me);
    if (measures) r.busy += short_times().now() - began;
    if (next == kEnd) break;
    check_yield(me, next);
    bool waits = true;
    if (next == kSync) {
      barrier(w, record::Construct::barrier, Caller(&at), 0);
    } else if (next == kNear) {
      r.beside.arrive(me);
      waits = r.beside.wait(w, me, Caller(&at));
    } else {
      waits = outstanding(w->current) != 0;
      if (waits) taskwait(w, Caller(&at), 0);
    }
    observe::goes_on_in_region(w, me, !waits);
    if (next == kNear) tell_others(w, me);
  }
  t_region_instance = outer;
  r.beside.end(me);
}

// n: instances at most; asked: threads, as parallel() wants them.
__attribute__((noinline)) void run_on_threads(Worker* w, Pinned& r, int n, int asked, Caller caller) {
  Room room(w, Beside::bytes(r.procedure, n));
  r.beside = Beside(r.procedure, room.begin(), n);
  parallel(w, run_pinned, &r, asked, reinterpret_cast<const void*>(r.procedure->run), caller, 0);
}

// The same where instances belong to no thread. kept: what the last one has left, and this one leaves.
__attribute__((noinline)) void run_moving(Worker* w, Pinned& r, int n, Caller caller, Moving*& kept) {
  const size_t own = r.procedure->own_bytes;
  Moving* m = std::exchange(kept, nullptr);
  if (m && !m->fits(n, own)) {
    delete m;
    m = nullptr;
  }
  if (!m) m = new Moving(n, own);
  m->run(w, r.procedure, r.frame, caller, &r.busy, run_pinned, &r);
  // A region inside of it may have left its own.
  delete std::exchange(kept, m);
}

// ---- by the caller alone --------------------------------------------------------------------------------------------

class Alone {
 public:
  Alone(Worker* w, Times& times, const Procedure* p, void* frame, int n)
      : w_(w), n_(n), procedure_(p), team_(times.team), kept_(may_keep(w, times, n)) {
    Team* outer = w->team;
    if (EK_LIKELY(kept_)) {
      times.team = nullptr;
      outer_slot_ = w->slot;
      outer_task_ = own_task(w);
      outer_num_ = w->thread_num;
      if (EK_UNLIKELY(team_->has_tasks.load(std::memory_order_relaxed) || team_->slots[0].shares_met != 0))
        reset_team(team_);
      team_->single.store(0, std::memory_order_relaxed);
      team_->outer = outer;
      team_->outer_thread_num = outer_num_;
      team_->outer_task = outer_task_;
    } else {
      // The last one's, of another size.
      if (EK_UNLIKELY(times.team != nullptr)) release_team(w, std::exchange(times.team, nullptr));
      team_ = enter_region(w, &region_, n);
      team_->fn = nullptr;
      team_->nested_count = 0;
    }
    team_->level = outer->level + 1;
    team_->active_level = outer->active_level + 1;
    team_->depth = outer->depth + 1;
    team_->icv = w->current->icv;
    team_->group = outer->group;
    const size_t own = in_sixteens(p->own_bytes), each = sizeof(Instance) + own;
    Room room(w, each * size_t(n) + Beside::bytes(p, n));
    instances_ = reinterpret_cast<Instance*>(room.begin());
    char* owns = room.begin() + sizeof(Instance) * size_t(n);
    Beside beside(p, room.begin() + each * size_t(n), n);
    beside_ = &beside;
    free_ = {p, n, instances_};
    team_->free = &free_;
    for (int i = 0; i < n; ++i) {
      if (EK_LIKELY(kept_)) enter_again(i, times.flags);
      else enter_team(w, team_, i), flags_ = w->current->flags;
      instances_[i] = {frame, nullptr, 0, uint32_t(i), owns + own * size_t(i), p, uint32_t(n), Instance::of_region};
      set_beside(instances_[i], beside_);
      beside_->begin(instances_[i]);
      run_to_wait(i);
    }
    for (;;) {
      if (EK_UNLIKELY(near_ != 0)) settle();
      if (EK_LIKELY(ended_ == n)) break;
      next_phase();
    }
    end_tasks();
    for (int i = 0; i < n; ++i) {
      const Task& t = team_->slots[i].implicit;
      if (EK_LIKELY(t.group == nullptr) && EK_LIKELY(!(t.flags & kTaskExtra))) continue;
      be(i);
      end_implicit_task(w);
    }
    leave(times);
  }

 private:
  // As the thread and the team are, may the slots be entered again as they are? (A worksharing construct that is open
  // is to be gone on with behind the region.)
  static bool may_keep(const Worker* w, const Times& times, int n) {
    return EK_LIKELY(times.team != nullptr) && times.instances == n && EK_LIKELY(w->view.share == nullptr) &&
           EK_LIKELY(w->view.doacross == nullptr) && EK_LIKELY(w->view.pending_doacross == nullptr) &&
           EK_LIKELY(is_asymmetric() || times.team->fenced.load(std::memory_order_relaxed));
  }
  void be(int i) {
    stand_as(w_, i, &team_->slots[i]);
    w_->current = &w_->slot->implicit;
  }
  void enter_again(int i, uint16_t flags) {
    Slot* slot = &team_->slots[i];
    stand_in(w_, team_, i, slot);
    if (EK_UNLIKELY(slot->has_tasks)) set_limit(w_);
    reset_slot(slot, team_->icv, flags);
    w_->current = &slot->implicit;
    if (EK_UNLIKELY(w_->hints != nullptr)) forget_hints(w_, w_->current);
  }
  // Its next region of the same kind enters the team again, unless one inside of this one has left one for that.
  void leave(Times& times) {
    team_->free = nullptr;
    if (EK_LIKELY(kept_)) {
      stand_in(w_, team_->outer, outer_num_, outer_slot_);
      w_->current = outer_task_;
      if (EK_UNLIKELY(times.team != nullptr)) return release_team(w_, team_);
    } else {
      team_->departed.store(n_ - 1, std::memory_order_relaxed);  // the team's next region is this thread's, too
      const bool keeps = times.team == nullptr;
      leave_region(w_, &region_, keeps);
      if (!keeps) return;
      times.instances = n_;
      times.flags = flags_;
    }
    times.team = team_;
  }
  // Until it has ended, or waits for others: for all of them, or for those beside it that have not come yet.
  __attribute__((always_inline)) inline void run_to_wait(int i) {
    Instance& me = instances_[i];
    EK_NOTHING_LEAVES_TO_HERE(ek_left_region);
    const int next = procedure_->run(&me);
    if (EK_LIKELY(next == kEnd)) return end(me);
    check_yield(me, next);
    if (EK_UNLIKELY(next != kSync)) go_on_after(me, next);
  }
  void end(const Instance& me) {
    ++ended_;
    beside_->end(me);
  }
  __attribute__((noinline)) void go_on_after(Instance& me, int next) {
    for (;; check_yield(me, next)) {
      if (next == kEnd) return end(me);
      if (next == kSync) return;
      if (next == kNear) {
        beside_->arrive(me);
        if (!beside_->may_go_on(me)) {
          beside_->is_waiting(me) = true;
          ++near_;
          return;
        }
      } else if (outstanding(w_->current) != 0) {
        taskwait(w_, nullptr, 0);
      }
      EK_NOTHING_LEAVES_TO_HERE(ek_left_region);
      next = procedure_->run(&me);
      if (next == kEnd) return end(me);
    }
  }
  // Goes on with those that waited for the ones beside them, as these come, until none waits for such.
  __attribute__((noinline)) void settle() {
    for (bool any = true; near_ != 0 && any;) {
      any = false;
      for (int i = 0; i < n_; ++i) {
        const Instance& it = instances_[i];
        if (!beside_->is_waiting(it) || !beside_->may_go_on(it)) continue;
        beside_->is_waiting(it) = false;
        --near_;
        any = true;
        be(i);
        run_to_wait(i);
      }
    }
    if (near_ != 0)
      misused(procedure_, "ek_run", "an instance waits for one beside it (EK_NEAR) that waits for all (EK_SYNC)");
  }
  void next_phase() {
    if (ended_ != 0) misused(procedure_, "ek_run", "some instances have ended where others wait for all (EK_SYNC)");
    end_tasks();
    for (int i = 0; i < n_; ++i) {
      be(i);
      run_to_wait(i);
    }
  }
  // As their owner takes them: to steal what lies in each slot's queue would take locks and time.
  void end_tasks() {
    if (!team_->has_tasks.load(std::memory_order_relaxed)) return;
    for (int i = 0; i < n_; ++i) {
      be(i);
      while (Task* t = w_->slot->deque.pop(w_->current->base())) run_task(w_, t);
    }
    wait_for_tasks(w_);
  }

  Worker* const w_;
  const int n_;
  const Procedure* const procedure_;
  Team* team_;
  const bool kept_;  // from the last region
  Slot* outer_slot_;
  Task* outer_task_;
  int outer_num_;
  runtime::Region region_;  // if not
  FreeInstances free_;
  uint16_t flags_;  // of the implicit tasks, as they began
  Instance* instances_;
  Beside* beside_;
  int ended_ = 0, near_ = 0;  // near_: those that wait for the ones beside them
};

bool user_binds() {
  static std::atomic<int> known{-1};
  if (const int so = known.load(std::memory_order_relaxed); so >= 0) return so != 0;
  const bool is_so =
      is_set_or_hinted("OMP_PROC_BIND") || is_set_or_hinted("OMP_PLACES") || is_set_or_hinted("GOMP_CPU_AFFINITY");
  known.store(is_so, std::memory_order_relaxed);  // whoever asks finds the same
  return is_so;
}

// Codelets that lie on locales, under a schedule that has these: on threads, which take each other's. Not where the
// user binds threads: an instance is on the place that was named for its number then.
bool goes_by_locales(const Worker* w, const Procedure* p, int n) {
  constexpr uint16_t kAsked = kFree | kLocales;
  if (EK_LIKELY(!g_places_tasks) || (p->flags & (kAsked | kBeside)) != kAsked) return false;
  return n > 1 && p->count != 1 && may_move(n) && g_config.codelets != Codelets::alone && !user_binds() &&
         !g_config.display_affinity && may_move_at_all(w);
}

}  // namespace

void run(const Procedure* p, const void* frame, int instances, Caller caller) {
  check(p, frame, "ek_run");
  if (EK_UNLIKELY(instances < 0)) misused(p, "ek_run", "a negative number of instances");
  Worker* w = runtime::self();
  const int n = threads_of_region(w, instances);
  // At a line's begin, in a place that is not: a stack that is aligned here would have all frames of the program's that
  // follow at one and the same distance from lines, be that a good one or a bad one.
  char place[sizeof(Pinned) + kCacheLine];
  auto& pinned = *new (reinterpret_cast<void*>((uintptr_t(place) + kCacheLine - 1) & ~uintptr_t(kCacheLine - 1)))
                     Pinned(p, (p->flags & kFree) && n > 1 && may_run_alone(w));
  Room apart(w, EK_LIKELY(p->frame_bytes <= sizeof pinned.short_frame) ? 0 : p->frame_bytes);
  if (EK_UNLIKELY(p->frame_bytes > sizeof pinned.short_frame)) pinned.frame = apart.begin();
  copy_bytes(static_cast<char*>(pinned.frame), frame, p->frame_bytes);
  if (EK_UNLIKELY(goes_by_locales(w, p, n))) return run_moving(w, pinned, n, caller, times_of(w).moving);
  if (!pinned.measures) return run_on_threads(w, pinned, n, instances, caller);
  Times& times = times_of(w);
  Times::Entry& entry = entry_of(times, p);
  schedule::RegionTime& time = entry.time;
  const Codelets how = g_config.codelets;
  if (how == Codelets::alone || (EK_LIKELY(how != Codelets::threads) && EK_LIKELY(schedule::runs_untimed(time)))) {
    Alone(w, times, p, pinned.frame, n);
    return;
  }
  const ShortTimes& clock = short_times();
  const uint64_t began = clock.now(), us = clock.in_us;
  const auto sleep = [&] { return threads_sleep(w, began - times.before.threads >= schedule::kPauseUs * us); };
  const schedule::RegionWay way = how == Codelets::threads ? schedule::RegionWay{false, false}
                                                           : schedule::way_of(time, times.before, began, us, sleep);
  if (way.alone) {
    Alone(w, times, p, pinned.frame, n);
    const uint64_t now = clock.now(), took = now - began;
    schedule::ended(times.before, way, now, took);
    if (EK_UNLIKELY(entry.procedure != p)) return;  // a region inside has taken the place
    schedule::learn(time, took, us);
    if (way.tried) schedule::learn_trial(time.trial, true, took, n, us);
  } else {
    // All come together at its end: without a wait before that nobody gains if one's instance is another's.
    const bool has_waits = p->count != 1;
    if ((p->flags & kBeside) == 0 && has_waits && may_move(n)) run_moving(w, pinned, n, caller, times.moving);
    else run_on_threads(w, pinned, n, n, caller);
    const uint64_t now = clock.now(), took = now - began;
    schedule::ended(times.before, way, now, took);
    if (EK_UNLIKELY(entry.procedure != p)) return;
    if (way.tried) schedule::learn_trial(time.trial, false, took, n, us);
    // The work is no less than either: what is in tasks, or in another instance, is only in the second. But so is what
    // it took to wake threads.
    const uint64_t busy = pinned.busy * uint64_t(n);
    schedule::learn(time, way.asleep ? busy : std::max(busy, took), us);
  }
}

uint64_t run_on_team(Worker* w, const Procedure* p, const void* frame, int n, int asked, bool measures, Caller caller) {
  char place[sizeof(Pinned) + kCacheLine];  // as in run()
  auto& pinned = *new (reinterpret_cast<void*>((uintptr_t(place) + kCacheLine - 1) & ~uintptr_t(kCacheLine - 1)))
                     Pinned(p, measures);
  Room apart(w, EK_LIKELY(p->frame_bytes <= sizeof pinned.short_frame) ? 0 : p->frame_bytes);
  if (EK_UNLIKELY(p->frame_bytes > sizeof pinned.short_frame)) pinned.frame = apart.begin();
  copy_bytes(static_cast<char*>(pinned.frame), frame, p->frame_bytes);
  run_on_threads(w, pinned, n, asked, caller);
  return pinned.busy * uint64_t(n);
}

void post(const Instance& self) {
  if (self.kind != Instance::of_region) return;
  Worker* w = t_worker;
  // What a task of the instance says is not told: it is seen where the instance itself comes to EK_NEAR.
  const bool told = t_region_instance == &self && observe::hears_of_stretches(w) && w->current == &w->slot->implicit;
  const uint64_t now = told ? ticks() : 0;
  if (beside_of(self)->post(self) && told) observe::step_done(w, now, beside_of(self)->waits(self) + 1);
}

bool static_part_of(const Instance& self, int64_t begin, int64_t end, int64_t* from, int64_t* to) {
  uint64_t first, count;
  const uint64_t all = end > begin ? uint64_t(end) - uint64_t(begin) : 0;
  schedule::static_part(all, self.id, self.n, first, count);
  *from = int64_t(uint64_t(begin) + first);
  *to = int64_t(uint64_t(begin) + first + count);
  return count != 0;
}

}  // namespace einkorn::codelet

// A region of the program's own may have been begun in between, and left.
int ek_left_region(int, int actions) {
  using namespace einkorn;
  const runtime::Worker* w = runtime::t_worker;
  const runtime::FreeInstances* free = w->team->free;
  const codelet::Instance* its =
      free && free->of_one_thread ? &free->of_one_thread[w->thread_num] : codelet::t_region_instance;
  return its ? codelet::left(actions, *its) : codelet::left(actions, "a region of the program's in one of instances");
}
