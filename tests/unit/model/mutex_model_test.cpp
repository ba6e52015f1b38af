// The lock of src/flow/mutex.h, of threads that look once before they sleep, in all interleavings within the bounds:
// one holds it at a time and sees what the one before did, and no sleeper is forgotten. Wrong copies of the file are
// caught.
#include <gtest/gtest.h>

#include <utility>

#include "model/model.h"
#include "model/mutex_mutants.h"

namespace {

template <class Mutex>
struct Shared {
  Mutex mutex;
  std::atomic<int> inside{0}, count{0};
};

// Each of so many threads is in the section so often.
template <class Mutex>
model::Result sections(int threads, int times, model::Options options, bool stays_once = false) {
  return model::explore(options, [=] {
    auto* s = new (model::arena(sizeof(Shared<Mutex>))) Shared<Mutex>;
    model::Program p;
    for (int t = 0; t < threads; ++t)
      p.threads.push_back([=] {
        for (int i = 0; i < times; ++i) {
          bool stays = stays_once;
          s->mutex.lock_while(Mutex::holder(uint32_t(t)),
                              [&](int pauses) { return std::exchange(stays, false) ? pauses : 0; });
          model::check(s->inside.load(std::memory_order_relaxed) == 0, "two hold it");
          s->inside.store(1, std::memory_order_relaxed);
          s->count.store(s->count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
          s->inside.store(0, std::memory_order_relaxed);
          s->mutex.unlock();
        }
      });
    p.at_end = [=] {
      model::check(s->count.load() == threads * times, "an update is lost");
      model::check(!s->mutex.held(), "it is held by nobody");
    };
    return p;
  });
}

TEST(MutexModel, ExcludesAndForgetsNobody) {
  ASSERT_TRUE(mutant_hasty::kApplied) << "the text that the copy changes is gone: model/mutants.cmake";
  struct {
    int threads, times;
    model::Options options;
    bool stays_once;
  } const cases[] = {
      {2, 2, {3, 2}, false}, {2, 2, {3, 2}, true}, {3, 1, {3, 1}, false}, {3, 1, {2, 1}, true}, {3, 2, {3, 0}, false}};
  for (const auto& [threads, times, options, stays_once] : cases) {
    const model::Result r = sections<mutant_hasty::Mutex>(threads, times, options, stays_once);
    EXPECT_FALSE(r.failed) << r.message;
    EXPECT_TRUE(r.exhausted) << threads << " threads: not all seen in " << r.executions << " executions";
  }
}

template <class Mutex>
void expect_caught(bool applied, int threads, model::Options options) {
  ASSERT_TRUE(applied) << "the text that the mutant changes is gone: model/mutants.cmake";
  const model::Result r = sections<Mutex>(threads, 2, options);
  EXPECT_TRUE(r.failed) << "a wrong lock passed " << r.executions << " executions";
}
#define EK_MUTANT(name, room) \
  TEST(MutexModel, name) { expect_caught<room::Mutex>(room::kApplied, 3, {4, 0}); }
EK_MUTANT(CatchesOneThatIsWokenAndForgetsTheOthers, mutant_forgets_others)
EK_MUTANT(CatchesOneThatTakesItUnmarked, mutant_takes_unmarked)
EK_MUTANT(CatchesASleepWithoutMark, mutant_sleeps_unmarked)
EK_MUTANT(CatchesALookApart, mutant_stores_free)
EK_MUTANT(CatchesALookThatTakesNothing, mutant_takes_nothing)
#define EK_WEAK_MUTANT(name, room)                                     \
  TEST(MutexModel, name) {                                             \
    model::Options options{2, 2};                                      \
    options.memory = model::Memory::weak; /* x86 orders all of that */ \
    expect_caught<room::Mutex>(room::kApplied, 2, options);            \
  }
EK_WEAK_MUTANT(CatchesAReleaseThatOrdersNothing, mutant_frees_unordered)
EK_WEAK_MUTANT(CatchesATryThatOrdersNothing, mutant_tries_unordered)
EK_WEAK_MUTANT(CatchesASleeperThatOrdersNothing, mutant_takes_unordered)

}  // namespace
