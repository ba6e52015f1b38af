// Those who wait for a lock in turn (src/flow/lock_queue.h), of threads that look once at each place and of a queue of
// four places, in all interleavings within the bounds: one holds the lock at a time, no sleeper is forgotten, and the
// turn is lost to nobody, or comes back. Wrong copies of the file are caught.
#include <gtest/gtest.h>

#include "model/model.h"
#include "model/mutex_mutants.h"

namespace {

template <class Mutex>
struct Locked {
  Mutex mutex;
  std::atomic<int> inside{0}, count{0};
};

template <class LockQueue>
LockQueue& new_queue() {
  return *(LockQueue::g_used = new (model::arena(sizeof(LockQueue))) LockQueue);
}

// How threads come to the lock.
struct Entries {
  int threads, times;  // each of so many so often
  int stays;           // looks before a sleep
  int crowd = 1;       // the queue is the lock's from the beginning; 0: from when one has looked in vain
  int apart = 0;       // so many are of small teams, and never wait in turn
};

template <class Mutex, class LockQueue>
model::Result entries(const Entries& e, model::Options options) {
  return model::explore(options, [=] {
    LockQueue& queue = new_queue<LockQueue>();
    auto* s = new (model::arena(sizeof(Locked<Mutex>))) Locked<Mutex>;
    if (e.crowd > 0) queue.gathers(&s->mutex, LockQueue::kCrowd);
    model::Program p;
    for (int t = 0; t < e.threads; ++t)
      p.threads.push_back([=] {
        for (int i = 0; i < e.times; ++i) {
          int left = e.stays;
          const auto stays = [&](int pauses) { return left-- > 0 ? pauses : 0; };
          if (t < e.apart) s->mutex.lock_while(Mutex::holder(uint32_t(t)), stays);
          else s->mutex.lock_in_turn(Mutex::holder(uint32_t(t)), stays);
          model::check(s->inside.load(std::memory_order_relaxed) == 0, "two hold it");
          s->inside.store(1, std::memory_order_relaxed);
          s->count.store(s->count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
          s->inside.store(0, std::memory_order_relaxed);
          s->mutex.unlock();
        }
      });
    p.at_end = [=, &queue] {
      model::check(s->count.load() == e.threads * e.times, "an update is lost");
      model::check(!s->mutex.held(), "it is held by nobody");
      model::check(queue.is_empty(), "the turn is lost");
    };
    return p;
  });
}

// Who waits in turn and leaves at any time, without a lock. lost: so many of them never leave (their threads were
// cancelled), and others that come after all that bring the turn back.
template <class LockTurn, class LockQueue>
model::Result leaving(int threads, int lost, model::Options options, bool one_at_a_time = false) {
  return model::explore(options, [=] {
    LockQueue& queue = new_queue<LockQueue>();
    auto* firsts = new (model::arena(sizeof(std::atomic<int>))) std::atomic<int>{0};
    model::Program p;
    for (int t = 0; t < threads; ++t)
      p.threads.push_back([=, &queue] {
        if (t < lost) {
          new (model::arena(sizeof(LockTurn))) LockTurn(queue);
          return;
        }
        LockTurn me(queue);
        me.waits(1);
        if (!one_at_a_time || !me.is_first()) return;
        model::check(firsts->fetch_add(1, std::memory_order_relaxed) == 0, "two are first");
        firsts->fetch_sub(1, std::memory_order_relaxed);
      });
    p.at_end = [=, &queue] {
      for (int i = 0; i < (lost > 0 ? 8 : 0); ++i) LockTurn after(queue);
      model::check(queue.is_empty(), "the turn is lost");
    };
    return p;
  });
}

#define EK_OF(room) mutant_##room::LockTurn, mutant_##room::LockQueue
#define EK_LOCK_OF(room) mutant_##room::Mutex, mutant_##room::LockQueue

void expect_right(const model::Result& r, const char* what, int threads) {
  EXPECT_FALSE(r.failed) << what << ", " << threads << " threads: " << r.message;
  EXPECT_TRUE(r.exhausted) << what << ", " << threads << " threads: not all seen in " << r.executions << " executions";
}

TEST(LockQueueModel, PassesTheTurnByWhoHasGone) {
  ASSERT_TRUE(mutant_hasty::kApplied) << "the text that the copy changes is gone: model/mutants.cmake";
  for (const int threads : {2, 3, 4})
    expect_right(leaving<EK_OF(hasty)>(threads, 0, {threads == 4 ? 2 : 5 - threads, 1}), "leave", threads);
}

TEST(LockQueueModel, BeginsAnewWhereATurnIsGone) {
  for (const int threads : {2, 3, 4})
    expect_right(leaving<EK_OF(hasty)>(threads, 1, {threads == 4 ? 1 : 5 - threads, 1}), "lost", threads);
}

TEST(LockQueueModel, OneIsFirstAtATime) {
  for (const int threads : {2, 3}) expect_right(leaving<EK_OF(hasty)>(threads, 0, {3, 1}, true), "first", threads);
}

TEST(LockQueueModel, ExcludesAndForgetsNobody) {
  struct {
    Entries entries;
    model::Options options;
  } const cases[] = {{{2, 2, 0}, {3, 1}},       {{2, 1, 1}, {3, 2}},       {{2, 3, 1}, {2, 1}},
                     {{3, 1, 0}, {3, 0}},       {{3, 1, 1}, {2, 1}},       {{2, 2, 1, 0}, {2, 1}},
                     {{3, 1, 1, 0}, {2, 0}},    {{2, 2, 1, 1, 1}, {3, 1}}, {{3, 1, 1, 1, 1}, {2, 1}},
                     {{3, 1, 1, 1, 2}, {2, 0}}, {{4, 1, 1}, {1, 0}}};
  for (const auto& [entries_of, options] : cases)
    expect_right(entries<EK_LOCK_OF(hasty)>(entries_of, options), "lock", entries_of.threads);
}

#define EK_CAUGHT(name, room, result)                                                                        \
  TEST(LockQueueModel, name) {                                                                               \
    ASSERT_TRUE(mutant_##room::kApplied) << "the text that the mutant changes is gone: model/mutants.cmake"; \
    const model::Result r = result;                                                                          \
    EXPECT_TRUE(r.failed) << "a wrong queue passed " << r.executions << " executions";                       \
  }
EK_CAUGHT(CatchesOneThatGoesUnseen, goes_unseen, (leaving<EK_OF(goes_unseen)>(2, 0, {3, 1})))
EK_CAUGHT(CatchesOneThatGoesWithoutAWord, goes_without_a_word, (leaving<EK_OF(goes_without_a_word)>(2, 0, {3, 1})))
EK_CAUGHT(CatchesATurnPassedInTwoSteps, passes_in_two_steps, (leaving<EK_OF(passes_in_two_steps)>(2, 0, {3, 1})))
EK_CAUGHT(CatchesATurnOfWhoHasGone, passes_to_who_has_gone, (leaving<EK_OF(passes_to_who_has_gone)>(3, 0, {2, 1})))
EK_CAUGHT(CatchesATurnThatNeverComesBack, never_begins_anew, (leaving<EK_OF(never_begins_anew)>(2, 1, {2, 1})))
EK_CAUGHT(CatchesTwoThatAreFirst, is_always_first, (leaving<EK_OF(is_always_first)>(2, 0, {2, 1}, true)))
EK_CAUGHT(CatchesAFirstOneThatTakesNothing, first_takes_nothing,
          (entries<EK_LOCK_OF(first_takes_nothing)>({3, 1, 1}, {3, 0})))
EK_CAUGHT(CatchesOneOutOfTurnThatTakesNothing, takes_nothing_out_of_turn,
          (entries<EK_LOCK_OF(takes_nothing_out_of_turn)>({3, 1, 1}, {3, 0})))

}  // namespace
