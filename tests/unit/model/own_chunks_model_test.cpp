// First chunks that belong to a loop's threads (src/runtime/loop/own_chunks.h), of threads that come late or not at
// all, in all interleavings within the bounds: each iteration is taken once. Wrong copies of the file are caught.
#include <gtest/gtest.h>

#include "model/model.h"
#include "model/own_chunks_mutants.h"
#include "runtime/loop/own_chunks.h"

namespace {

constexpr int kMostThreads = 3, kEach = 3;  // iterations of a chunk

template <class OwnChunks>
struct Loop {
  OwnChunks own;
  std::atomic<int> runs[kMostThreads * kEach];
};

// Of so many threads, each but the last `absent` takes its own chunk first, and all that it gets after it, in halves.
template <class OwnChunks>
model::Result loop(int threads, int absent, model::Options options) {
  return model::explore(options, [=] {
    auto* s = new (model::arena(sizeof(Loop<OwnChunks>))) Loop<OwnChunks>;
    s->own.open(0, threads);
    for (auto& r : s->runs) r.store(0, std::memory_order_relaxed);
    auto run = [=](uint64_t first, uint64_t count) {
      for (uint64_t i = first; i < first + count; ++i) s->runs[i].fetch_add(1, std::memory_order_relaxed);
    };
    auto chunk_of = [](int num, uint64_t& first, uint64_t& count) { first = uint64_t(num) * kEach, count = kEach; };
    model::Program p;
    for (int t = 0; t < threads - absent; ++t)
      p.threads.push_back([=] {
        uint64_t first, count;
        chunk_of(t, first, count);
        if (t == 0 || s->own.claim(t)) run(first, count);
        while (s->own.take_late(first, count, chunk_of, [](uint64_t left) { return (left + 1) / 2; }))
          run(first, count);
      });
    p.at_end = [=] {
      for (int i = 0; i < threads * kEach; ++i) {
        model::check(s->runs[i].load() != 0, "an iteration was lost");
        model::check(s->runs[i].load() == 1, "an iteration came twice");
      }
    };
    return p;
  });
}

TEST(OwnChunksModel, EachIterationIsTakenOnce) {
  struct {
    int threads, absent;
    model::Options options;
  } const cases[] = {{2, 0, {4, 1}}, {3, 1, {3, 1}}, {3, 0, {2, 1}}};
  for (const auto& [threads, absent, options] : cases) {
    const model::Result r = loop<einkorn::runtime::OwnChunks>(threads, absent, options);
    EXPECT_FALSE(r.failed) << r.message;
    EXPECT_TRUE(r.exhausted) << threads << " threads: not all seen in " << r.executions << " executions";
  }
}

template <class OwnChunks>
void expect_caught(const char* what) {
  bool caught = false;
  for (const int absent : {0, 1})
    caught = caught || loop<OwnChunks>(absent + 2, absent, {3, 1}).failed || loop<OwnChunks>(3, absent, {2, 1}).failed;
  EXPECT_TRUE(caught) << what;
}

#define EK_EXPECT_CAUGHT(name)                                                                             \
  ASSERT_TRUE(mutant_##name::kApplied) << #name ": the text that it changes is gone: model/mutants.cmake"; \
  expect_caught<mutant_##name::OwnChunks>(#name)

TEST(OwnChunksModel, WrongCopiesAreCaught) {
  EK_EXPECT_CAUGHT(claims_in_two_steps);
  EK_EXPECT_CAUGHT(takes_in_two_steps);
  EK_EXPECT_CAUGHT(fills_what_is_not_empty);
  EK_EXPECT_CAUGHT(forgets_that_it_is_full);
  EK_EXPECT_CAUGHT(claims_for_nothing);
}

}  // namespace
