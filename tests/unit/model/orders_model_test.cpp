// The hand-over of work to a thread (flow/orders.h) by itself, in all interleavings within the bounds: each order is
// done once, none is lost, and who is told the last one is not at work. Wrong copies of the file are caught.
#include <gtest/gtest.h>

#include "flow/workers.h"
#include "model/model.h"
#include "model/orders_mutants.h"

namespace {

// The file itself, and a wrong copy of it.
struct Right {
  template <class Work>
  using Orders = einkorn::flow::Orders<Work>;
  using Dock = einkorn::flow::Dock;
  // Half of those that are left to wake for each that is woken.
  template <class Member>
  static void tell(int n, Member&& member) {
    einkorn::flow::tell<2>(n, member);
  }
  template <class Member>
  static void wake(einkorn::flow::Sleepers those, Member&& member) {
    einkorn::flow::wake_all<2>(those, member);
  }
};
#define EK_WRONG(mutant)                                               \
  struct mutant##_orders {                                             \
    template <class Work>                                              \
    using Orders = mutant::Orders<Work>;                               \
    using Dock = mutant::Dock;                                         \
    template <class Member>                                            \
    static void tell(int n, Member&& member) {                         \
      mutant::tell<2>(n, member);                                      \
    }                                                                  \
    template <class Member>                                            \
    static void wake(einkorn::flow::Sleepers those, Member&& member) { \
      mutant::wake_all<2>(those, member);                              \
    }                                                                  \
    static constexpr bool kApplied = mutant::kApplied;                 \
  }
EK_WRONG(mutant_takes_first);
EK_WRONG(mutant_same_count);
EK_WRONG(mutant_tells_without_fence);
EK_WRONG(mutant_asks_dock_first);
EK_WRONG(mutant_ends_unseen);
EK_WRONG(mutant_ends_anywhere);
EK_WRONG(mutant_leaves_all_to_others);

struct alignas(64) Work {
  std::atomic<int> done{0};
  int number = 0;
  void* members[3] = {};  // of more than one
};

// What the Workers of src/flow serve, one thread of them.
template <class Kind>
struct Host {
  struct Worker {
    einkorn::flow::ParkWord park{0};
    typename Kind::template Orders<Work> orders;
    typename Kind::Dock dock;
    Worker* next_idle = nullptr;
    bool ours = true, left = false;
    int works = 0;  // that are behind it; not atomic: seen at once
    uint32_t id = 0;
  };
  using Workers = einkorn::flow::Workers<Host>;
  static inline Workers* all;
  static auto& workers() { return *all; }
  static einkorn::flow::Sleepers wait(Worker* w) {
    return einkorn::flow::park_until(w->park, [w] { return w->orders.is_new(w->dock); });
  }
  static void wake(Work* work, einkorn::flow::Sleepers those) {
    Kind::wake(those, [work](int i) { return static_cast<Worker*>(work->members[i]); });
  }
  static void run(Worker* w, Work* work, int number) {
    model::check(work->members[0] || number == work->number, "another one's part");
    work->done.fetch_add(1);
    ++w->works;
  }
  static void leaves(Worker* w) { w->left = true; }
  static void halts(Worker*) {}
};

template <class Kind>
typename Host<Kind>::Worker* new_worker() {
  einkorn::base::g_asymmetric = true;
  Host<Kind>::all = new (model::arena(sizeof(typename Host<Kind>::Workers))) typename Host<Kind>::Workers;
  return new (model::arena(sizeof(typename Host<Kind>::Worker))) typename Host<Kind>::Worker;
}

void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}
void await(const std::atomic<int>& at, int value) {
  while (at.load() < value) model::pause();
}

// The same work again and again, and then to leave.
template <class Kind>
model::Result gives() {
  return model::explore({3, 2}, [] {
    auto* w = new_worker<Kind>();
    auto* work = new (model::arena(sizeof(Work))) Work;
    model::Program p;
    p.threads = {[=] {
                   for (int i = 1; i <= 3; ++i) {
                     work->number = i;
                     w->orders.give(work, i);
                     Kind::tell(1, [=](int) { return w; });
                     await(work->done, i);
                   }
                   w->orders.give(w->orders.kLeave);
                   Kind::tell(1, [=](int) { return w; });
                 },
                 [=] {
                   while (Host<Kind>::all->serve(w)) {}
                 }};
    p.at_end = [=] { model::check(work->done.load() == 3 && w->left, "not all was done"); };
    return p;
  });
}
TEST(OrdersModel, EachOrderIsDoneOnce) { expect_right(gives<Right>()); }

template <class Kind>
void expect_caught(const model::Result& r) {
  ASSERT_TRUE(Kind::kApplied) << "the text that the mutant changes is gone: model/mutants.cmake";
  EXPECT_TRUE(r.failed);
}
TEST(OrdersModel, CatchesAnOrderLikeTheOneBefore) {
  expect_caught<mutant_same_count_orders>(gives<mutant_same_count_orders>());
}
TEST(OrdersModel, CatchesATellWithoutFence) {
  expect_caught<mutant_tells_without_fence_orders>(gives<mutant_tells_without_fence_orders>());
}

// Three do one work: who has been woken wakes another one.
template <class Kind>
model::Result wakes_by_halves() {
  return model::explore({2, 1}, [] {
    using Its = Host<Kind>;
    auto* work = new (model::arena(sizeof(Work))) Work;
    for (void*& m : work->members) m = new_worker<Kind>();
    auto member = [work](int i) { return static_cast<typename Its::Worker*>(work->members[i]); };
    model::Program p;
    p.threads = {[=] {
      for (int i = 0; i < 3; ++i) member(i)->orders.give(work, i + 1);
      Kind::tell(3, member);
    }};
    for (int i = 0; i < 3; ++i) p.threads.push_back([=] { Its::all->serve(member(i)); });
    p.at_end = [=] { model::check(work->done.load() == 3, "not all was done"); };
    return p;
  });
}
TEST(OrdersModel, WhoIsWokenWakesOthers) { expect_right(wakes_by_halves<Right>()); }
TEST(OrdersModel, CatchesOthersLeftToOneThatIsAwake) {
  expect_caught<mutant_leaves_all_to_others_orders>(wakes_by_halves<mutant_leaves_all_to_others_orders>());
}
TEST(OrdersModel, CatchesATellOfSeveralWithoutFence) {
  expect_caught<mutant_tells_without_fence_orders>(wakes_by_halves<mutant_tells_without_fence_orders>());
}

// Who ends the thread knows nothing of the work that it is given just then.
template <class Kind>
model::Result ends() {
  return model::explore({3, 2}, [] {
    auto* w = new_worker<Kind>();
    auto* work = new (model::arena(sizeof(Work))) Work;
    model::Program p;
    p.threads = {[=] {
                   work->number = 1;
                   w->orders.give(work, 1);
                   Kind::tell(1, [=](int) { return w; });
                   while (!w->orders.give_if_docked(w->dock, w->orders.kLeave)) model::pause();
                   model::check(w->works == 1, "told to leave before its work is done");
                   model::check(work->done.load() == 1, "the same");  // so it is a word of both: work takes a while
                   Kind::tell(1, [=](int) { return w; });
                 },
                 [=] {
                   while (Host<Kind>::all->serve(w)) {}
                 }};
    p.at_end = [=] { model::check(work->done.load() == 1 && w->left, "not all was done"); };
    return p;
  });
}
TEST(OrdersModel, TheLastOrderComesBetweenTwoWorks) { expect_right(ends<Right>()); }
TEST(OrdersModel, CatchesTakingBeforeItHasLeftTheDock) {
  expect_caught<mutant_takes_first_orders>(ends<mutant_takes_first_orders>());
}
TEST(OrdersModel, CatchesALookAtTheDockBeforeTheOrder) {
  expect_caught<mutant_asks_dock_first_orders>(ends<mutant_asks_dock_first_orders>());
}
TEST(OrdersModel, CatchesALastOrderOverOneThatIsNotTaken) {
  expect_caught<mutant_ends_unseen_orders>(ends<mutant_ends_unseen_orders>());
}
TEST(OrdersModel, CatchesALastOrderAtWork) {
  expect_caught<mutant_ends_anywhere_orders>(ends<mutant_ends_anywhere_orders>());
}

}  // namespace
