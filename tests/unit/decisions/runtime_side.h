// The runtime's way of asking src/schedule, driven by a script: a team whose threads are structures only, the queues
// that the runtime has, and search(), submit_placed() and share_next() as its threads call them. What they saw and what
// they did is written down, for replay_side.h.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "machine/topology.h"
#include "runtime/loop/share.h"
#include "runtime/settings/icv.h"
#include "runtime/sync/search.h"
#include "runtime/task/footprint.h"
#include "runtime/team/implicit.h"
#include "runtime/team/placed.h"
#include "runtime/team/team.h"
#include "runtime/team/worker.h"
#include "schedule/text.h"

namespace decisions {

namespace rt = einkorn::runtime;
namespace schedule = einkorn::schedule;
namespace machine = einkorn::machine;

// What a worker keeps and the schedule changes.
struct State {
  uint32_t random = 0, last_victim = 0, skip = 0, step = 0, loot = 0;
  uint64_t beyond = 0, within = 0;  // pauses, us
  bool operator==(const State&) const = default;
};
inline std::ostream& operator<<(std::ostream& o, const State& s) {
  return o << "random " << s.random << " last victim " << s.last_victim << " skip " << s.skip << " step " << s.step
           << " loot " << s.loot << " pauses " << s.beyond << " " << s.within;
}

constexpr int kNobody = -1;

// One line of the record: what was seen and what was decided.
struct Asked {
  enum What { push, send, search } what = push;
  int worker = 0;
  std::vector<uint32_t> lengths;  // of all places, before; of the default: whether there is anything
  // push, send: the task, and what was known of it; to which place it went. In a family: a child of the task in which
  // that worker waits.
  int task = 0, family = kNobody;
  int domain = -1;
  bool codelet = false;
  int cluster = -1;
  uint32_t depth = 0;
  std::vector<uint64_t> read, written;
  int place = -1;
  // search: kNobody where nothing was found
  bool last = false, thorough = false, were_short = false;
  int found = kNobody;
  uint64_t us = 0;  // when, where the schedule asks for that
  State after;
};

// In its family's task, for which it may run that task's descendants alone.
constexpr bool waits_in_task(int worker) { return worker % 4 == 3; }

struct Anywhere {
  static constexpr bool kAnyTask = true;
  static bool may_take(const rt::Slot*) { return true; }
};
struct InTask {
  static constexpr bool kAnyTask = false;
};

class Runtime {
 public:
  // by_place: queues of places, as all schedules have but the default, and that on a machine that is not the real one.
  Runtime(const schedule::Schedule& s, const machine::Machine& m, int workers, bool by_place)
      : schedule_(s), by_place_(by_place), team_(rt::new_team(workers)) {
    team_->n = workers;
    team_->icv = rt::initial_icv();
    std::vector<int> pus;
    for (int i = 0; i < workers; ++i) pus.push_back(i % m.pu_count());
    if (by_place) {
      placed_.reset(rt::make_placed(&schedule_, m, pus));
      team_->placed = placed_.get();
    }
    for (int i = 0; i < workers; ++i) {
      auto* w = new (einkorn::allocate(sizeof(rt::Worker))) rt::Worker;
      w->id = rt::WorkerId(kFirstId + i);
      rt::g_workers[w->id] = w;
      w->random.x = random_of(i);
      if (by_place) placed_->workers[size_t(i)].state.random.x = random_of(i);
      rt::enter_team(w, team_, i);
      team_->slots[i].worker = w;
      workers_.push_back(w);
      if (!waits_in_task(i)) continue;
      rt::Task* t = make(w);
      t->owner = w->id;
      w->current = t;
    }
  }
  // Teams and workers are never freed, as in the runtime: they are pages of its own.
  ~Runtime() {
    for (rt::Worker* w : workers_) {
      delete w->hints;
      rt::g_workers[w->id] = nullptr;
    }
  }
  Runtime(Runtime&&) = delete;
  static uint32_t random_of(int worker) { return 2463534242u + uint32_t(worker) * 7919u; }
  rt::Worker* worker(int i) { return workers_[size_t(i)]; }
  rt::Team* team() { return team_; }
  const rt::Placed& placed() const { return *placed_; }

  void push(int worker, int domain, const void* data, size_t bytes, bool codelet = false) {
    rt::Worker* w = workers_[size_t(worker)];
    Asked a = asked(Asked::push, worker);
    rt::Task* t = make_asked(w, a);
    if (by_place_) {
      if (domain >= 0) rt::hint_domain(w, domain);
      if (bytes > 0) rt::hint_range(w, data, bytes, rt::kWrites), rt::hint_range(w, data, bytes / 2, rt::kReads);
      a.domain = domain;
      if ((a.codelet = codelet)) t->notes |= rt::kIsCodelet;
      if (bytes % 3 == 1 || (codelet && domain >= 0)) rt::name_cluster(w, t, a.cluster = worker / 3);
      rt::submit_placed(w, t);
      rt::NodeBytes known;
      if (rt::bytes_of(t, &known)) a.read = known.read, a.written = known.written;
      for (size_t i = 0; i < a.lengths.size(); ++i)
        if (placed_->queues[i].length() != a.lengths[i]) a.place = int(i);
    } else {
      rt::push_task(w, t);
      a.place = worker;
      w->slot->deque.publish();
    }
    record.push_back(std::move(a));
  }
  // The default: into the queue of another, as what the program sends to a node.
  void send(int worker, int to) {
    rt::Worker* w = workers_[size_t(worker)];
    Asked a = asked(Asked::send, worker);
    rt::Task* t = make_asked(w, a);
    rt::note_tasks(workers_[size_t(to)]);
    team_->slots[to].inbox.push(t);
    a.place = to;
    record.push_back(std::move(a));
  }
  void search(int worker, bool last, bool were_short, bool thorough) {
    rt::Worker* w = workers_[size_t(worker)];
    Asked a = asked(Asked::search, worker);
    a.last = last, a.were_short = were_short;
    // So many that they were short, whatever a busy machine does meanwhile; or long ago.
    w->loot = were_short ? schedule::Loot<uint64_t>{kShort, einkorn::ticks()} : schedule::Loot<uint64_t>{1, 0};
    // Of one who waits in a task one of so many is thorough; not where that could lead to a rescue, which has a clock.
    thorough &= by_place_ && waits_in_task(worker) && !schedule::is_closed(schedule_);
    a.thorough = thorough || last;
    if (by_place_) placed_->workers[size_t(worker)].looks = thorough ? schedule::kThorough - 1 : 0;
    rt::Task* t = waits_in_task(worker) ? rt::search(w, InTask{}, false, last) : rt::search(w, Anywhere{}, false, last);
    if (t) a.found = int(number_.at(t));
    a.after.loot = w->loot.count;
    a.after.random = by_place_ ? placed_->workers[size_t(worker)].state.random.x : w->random.x;
    if (by_place_) {
      const rt::Placed::PerWorker& me = placed_->workers[size_t(worker)];
      a.after.last_victim = me.state.last_victim;
      a.after.skip = me.backoff.skip, a.after.step = me.backoff.step;
      a.after.beyond = me.backoff.levels[schedule::kBeyond].pause;
      a.after.within = me.backoff.levels[schedule::kWithin].pause;
      a.us = me.backoff.now;
    } else {
      w->slot->deque.publish();  // what it has kept is seen by all
    }
    record.push_back(std::move(a));
  }

  std::vector<Asked> record;
  static constexpr uint32_t kShort = 1u << 30;

 private:
  static constexpr int kFirstId = 2000;

  rt::Task* make(rt::Worker* w) {
    rt::Task* t = rt::new_block(w, sizeof(rt::GompBody));
    rt::init_task(w, t, rt::kTaskSlowPath);
    return t;
  }
  rt::Task* make_asked(rt::Worker* w, Asked& a) {
    rt::Task* t = make(w);
    a.task = tasks_++;
    number_[t] = a.task;
    a.family = waits_in_task(a.worker) ? a.worker : kNobody;
    a.depth = t->depth;
    return t;
  }
  Asked asked(Asked::What what, int worker) const {
    Asked a;
    a.what = what, a.worker = worker;
    if (by_place_)
      for (size_t i = 0; i < placed_->layout.places.size(); ++i) a.lengths.push_back(placed_->queues[i].length());
    else
      for (size_t i = 0; i < workers_.size(); ++i) {
        const rt::Slot& slot = team_->slots[i];
        a.lengths.push_back(!slot.deque.seems_empty() || !slot.inbox.seems_empty());
      }
    return a;
  }

  const schedule::Schedule schedule_;
  const bool by_place_;
  rt::Team* team_;
  std::unique_ptr<rt::Placed> placed_;
  std::vector<rt::Worker*> workers_;
  std::map<const rt::Task*, int> number_;
  int tasks_ = 0;
};

}  // namespace decisions
