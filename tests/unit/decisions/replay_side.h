// The simulator's way of asking, fed with what the runtime has seen (runtime_side.h).
#pragma once
#include <algorithm>

#include <gtest/gtest.h>

#include "decisions/runtime_side.h"
#include "simulate/asking.h"

namespace decisions {

namespace simulate = einkorn::simulate;

class Replay {
 public:
  Replay(const schedule::Schedule& s, const machine::Machine& m, int workers)
      : schedule_(s), layout_(make(s, m, workers)), queues_(layout_.places.size()), thieves_(size_t(workers)) {
    for (int i = 0; i < workers; ++i) thieves_[size_t(i)].state.random.x = Runtime::random_of(i);
  }

  // The same view, then the same question: is the answer the same? One line of the record.
  void expect(const Asked& a) {
    for (size_t i = 0; i < a.lengths.size(); ++i) {
      const uint32_t length = queues_.length(int(i));
      ASSERT_EQ(one_each(a) ? length > 0 : length, a.lengths[i]) << "queue " << i;
    }
    if (a.what == Asked::search) return expect_search(a);
    if (int(family_.size()) <= a.task) family_.resize(size_t(a.task) + 1, kNobody);
    family_[size_t(a.task)] = a.family;
    if (a.what == Asked::send) return queues_.send(a.place, uint32_t(a.task));
    schedule::TaskFacts facts;
    facts.domain = a.domain;
    facts.codelet = a.codelet;
    facts.cluster = a.cluster;
    facts.depth = a.depth;
    if (!a.read.empty()) facts.read = a.read.data(), facts.written = a.written.data();
    ASSERT_EQ(schedule::choose_place(asking(a.worker), facts), a.place);
    queues_.push(a.place, uint32_t(a.task));
  }

 private:
  static schedule::Layout make(const schedule::Schedule& s, const machine::Machine& m, int workers) {
    std::vector<int> pus;
    for (int i = 0; i < workers; ++i) pus.push_back(i % m.pu_count());
    return schedule::make_layout(s, m, pus);
  }
  // The runtime's own queues tell no more than whether they seem empty.
  bool one_each(const Asked& a) const {
    return schedule_.is_default && std::all_of(a.lengths.begin(), a.lengths.end(), [](uint32_t n) { return n <= 1; });
  }
  schedule::Context asking(int w) { return {schedule_, layout_, queues_, thieves_[size_t(w)].state, w}; }

  void expect_search(const Asked& a) {
    simulate::Thief& me = thieves_[size_t(a.worker)];
    const double now = 1e6;
    me.loot = a.were_short ? schedule::Loot<double>{Runtime::kShort, now} : schedule::Loot<double>{1, 0};
    const bool any = !waits_in_task(a.worker);
    const schedule::LeftOut left = schedule::leaves_out(schedule_, me.backoff, a.thorough, a.us);
    const schedule::Looking how{any, !any, a.last, a.thorough, left, true};
    auto may = [&](uint32_t t) { return any || family_[t] == a.worker; };
    const schedule::Context c = asking(a.worker);
    simulate::Looks looks(c, queues_, me, now, 4000.0, how, may);
    const simulate::Found found = looks.search();
    ASSERT_EQ(found ? int(found.task) : kNobody, a.found) << (any ? "in a barrier" : "in a task");
    const State after{me.state.random.x,
                      me.state.last_victim,
                      me.backoff.skip,
                      me.backoff.step,
                      me.loot.count,
                      me.backoff.levels[schedule::kBeyond].pause,
                      me.backoff.levels[schedule::kWithin].pause};
    ASSERT_EQ(after, a.after);
  }

  const schedule::Schedule schedule_;
  const schedule::Layout layout_;
  simulate::Queues queues_;
  std::vector<simulate::Thief> thieves_;
  std::vector<int> family_;  // by task
};

}  // namespace decisions
