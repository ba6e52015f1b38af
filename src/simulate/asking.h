// A worker of a replay looks for a task: schedule::search_queues() or search_places(), as in the runtime, and how these
// get at a replay's queues.
#pragma once
#include <algorithm>
#include <deque>
#include <limits>
#include <vector>

#include "schedule/push.h"
#include "schedule/ws_search.h"
#include "schedule/place_search.h"
#include "simulate/types.h"

namespace einkorn::simulate {

// Queues by place, oldest first; and, for the default, what others than its worker have sent there.
class Queues final : public schedule::View {
 public:
  using Queue = std::deque<uint32_t>;

  explicit Queues(size_t places) : queues_(places), sent_(places), tickets_(places + 1) {}
  uint32_t length(int place) const override { return uint32_t(of(place).size() + sent_[size_t(place)].size()); }
  uint64_t queued() const override { return queued_; }
  uint32_t ticket(int place) override { return tickets_[size_t(place + 1)]++; }
  const Queue& of(int place) const { return queues_[size_t(place)]; }
  const Queue& sent_to(int place) const { return sent_[size_t(place)]; }

  void push(int place, uint32_t task) { push_to(queues_[size_t(place)], task); }
  void send(int place, uint32_t task) { push_to(sent_[size_t(place)], task); }
  // Was anything queued in this region?
  bool had_tasks() const { return had_tasks_; }
  void begin_region() { had_tasks_ = false; }

  template <class Allowed>
  uint32_t take_youngest(int place, Allowed&& allowed, uint32_t walk = ~0u) {
    Queue& q = queues_[size_t(place)];
    for (size_t i = q.size(); i-- > 0 && walk-- > 0;)
      if (allowed(q[i])) return take(q, i);
    return kNone;
  }
  // Up to `most` of the oldest, until one is not allowed; sent: the oldest that is allowed, and what follows it so.
  template <class Allowed>
  std::vector<uint32_t> take_oldest(int place, uint32_t most, Allowed&& allowed) {
    std::vector<uint32_t> out;
    for (Queue& q = queues_[size_t(place)]; out.size() < most && !q.empty() && allowed(q.front());)
      out.push_back(take(q, 0));
    return out;
  }
  template <class Allowed>
  std::vector<uint32_t> take_sent(int place, uint32_t most, Allowed&& allowed) {
    std::vector<uint32_t> out;
    Queue& q = sent_[size_t(place)];
    const auto at = size_t(std::find_if(q.begin(), q.end(), allowed) - q.begin());
    while (out.size() < most && at < q.size() && allowed(q[at])) out.push_back(take(q, at));
    return out;
  }
  // Wherever it lies.
  template <class Allowed>
  uint32_t take_any(int place, Allowed&& allowed) {
    const uint32_t task = take_youngest(place, allowed);
    if (task != kNone) return task;
    const std::vector<uint32_t> sent = take_sent(place, 1, allowed);
    return sent.empty() ? kNone : sent[0];
  }

 private:
  uint32_t take(Queue& q, size_t i) {
    const uint32_t task = q[i];
    q.erase(q.begin() + long(i));
    --queued_;
    return task;
  }
  void push_to(Queue& q, uint32_t task) {
    ++queued_;
    had_tasks_ = true;
    q.push_back(task);
  }
  std::vector<Queue> queues_, sent_;
  bool had_tasks_ = false;
  uint64_t queued_ = 0;
  std::vector<uint32_t> tickets_;  // of all, then by place
};

// What a worker keeps from one search to the next.
struct Thief {
  schedule::WorkerState state;
  schedule::BackoffState backoff;
  schedule::Loot<double> loot{0, -std::numeric_limits<double>::max()};
};

// What a search has found.
struct Found {
  uint32_t task = kNone;
  int place = -1;
  bool own = false;
  uint32_t count = 0;  // with those that are kept
  explicit operator bool() const { return task != kNone; }
};

// One search. Allowed: may the worker run that task now?
template <class Allowed>
class Looks {
 public:
  using Item = Found;

  Looks(const schedule::Context& c, Queues& queues, Thief& me, double now, double long_task,
        const schedule::Looking& how, const Allowed& allowed)
      : last(how.last), c_(c), queues_(queues), me_(me), now_(now), long_task_(long_task), how_(how), may_(allowed) {}

  Found search() {
    return c_.schedule.is_default ? schedule::search_queues(*this)
                                  : schedule::search_places(c_, me_.backoff, how_, *this);
  }
  uint32_t failed() const { return failed_; }  // places visited in which nothing was that it may run

  // search_places()
  Found take(const schedule::Visit& v, schedule::End end) {
    if (end == schedule::End::oldest)
      return visited(keep(v.place, v.own, queues_.take_oldest(v.place, v.most, may_), false));
    const uint32_t walk = end == schedule::End::youngest ? 1 : schedule::walk_of(how_.thorough);
    return visited({queues_.take_youngest(v.place, may_, walk), v.place, v.own, 1});
  }
  static Found rescue() { return {}; }  // Engine::rescue(): where nothing else moves

  // search_queues()
  const bool force = false, last;
  bool any_task() const { return how_.any_task; }
  schedule::RandomState& random() const { return c_.state.random; }
  uint32_t self() const { return uint32_t(c_.worker); }
  uint32_t workers() const { return uint32_t(c_.layout.workers.size()); }
  schedule::Loot<double>& loot() const { return me_.loot; }
  double now() const { return now_; }
  double long_task() const { return long_task_; }
  Found own() {
    const uint32_t task = queues_.take_youngest(home(), may_);
    return {task, home(), true, 1};
  }
  Found own_inbox(uint32_t most) { return keep(home(), true, queues_.take_sent(home(), most, may_), true); }
  bool beyond(Found*) const { return queues_.had_tasks(); }
  const int* victim(int v) const { return &c_.layout.workers[size_t(v)].own[0]; }
  static constexpr int most_looks() { return INT_MAX; }  // it is asked once, not until it has found something
  bool has(const int* victim) const { return !queues_.of(*victim).empty(); }
  bool inbox_has(const int* victim, uint32_t least) const { return queues_.sent_to(*victim).size() >= least; }
  static bool is_stuck(const int*) { return false; }  // a replay's queues are never private
  template <class Amount>
  Found steal(const int* victim, Amount&& amount, bool, bool, uint32_t* count) {
    const uint32_t most = amount(uint32_t(queues_.of(*victim).size()));
    const Found f = keep(*victim, false, queues_.take_oldest(*victim, most, may_), true);
    *count = f.count;
    return visited(f);
  }
  Found take_sent(const int* victim, uint32_t most) {
    return visited(keep(*victim, false, queues_.take_sent(*victim, most, may_), true));
  }

 private:
  int home() const { return c_.self().own[0]; }
  Found visited(Found f) { return failed_ += !f, f; }
  // The first is run, the others are kept; reversed: so that it takes them in this order there.
  Found keep(int place, bool own, std::vector<uint32_t> some, bool reversed) {
    if (some.empty()) return {};
    if (reversed) std::reverse(some.begin() + 1, some.end());
    for (size_t i = 1; i < some.size(); ++i) queues_.push(schedule::kept_at(c_.layout, c_.worker, place), some[i]);
    return {some[0], place, own, uint32_t(some.size())};
  }

  const schedule::Context& c_;
  Queues& queues_;
  Thief& me_;
  const double now_, long_task_;
  const schedule::Looking& how_;
  const Allowed& may_;
  uint32_t failed_ = 0;
};

}  // namespace einkorn::simulate
