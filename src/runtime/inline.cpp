#include "runtime/inline.h"

namespace einkorn::runtime {

namespace {

// Ticks a task, what it takes to make it included: some 60 ns, 250 where the recorder's stamps are in it, or where dependences
// would have to be entered into a table.
constexpr uint64_t kTiny = 150, kTinyRecorded = 600, kTinyDependent = 600;
constexpr uint64_t kFirstTime = 1000;    // a batch: instructions that were not in the cache, and what is done here
constexpr uint64_t kQuick = 1500;        // ticks from one creation to the next
constexpr int kBatch = 64, kMostSkipped = 1 << 12, kMostAfterLong = 1 << 13;

void queue_more(Worker* w, Inlining& my, int count, uint64_t now) {
  my.batch = 0;
  my.credit = 0;
  my.skip = count;
  my.began = now;
  my.created = w->current->created;
  w->slot->deque.allow(count);
}

int more(int skip) { return skip < kMostSkipped ? 2 * skip : kMostSkipped; }

// What was long has held up all others for that long: so long it may cost to queue what might have been run at once.
int skip_after(int skip, uint64_t took) {
  const uint64_t lost = took / kTiny < kMostAfterLong ? took / kTiny : kMostAfterLong;
  return uint64_t(more(skip)) > lost ? more(skip) : int(lost);
}

}  // namespace

bool asks_for_tiny(Worker* w, bool dependent) {
  Inlining& my = w->inlining;
  const uint64_t now = ticks();
  // By others than the current task, on this thread.
  const uint32_t created = uint32_t(w->slot->created.load(std::memory_order_relaxed)) - w->current->created;
  if (my.of != w->current) {
    my.of = w->current;
    return queue_more(w, my, Inlining::kFirst, now), false;
  }
  if (my.batch == 0) {
    if (w->current->created - my.created < uint32_t(my.skip)) return false;  // the queue grows
    // Others' places are asked for (placed.h), or creation is not what the time goes into.
    if (!g_config.schedule->is_default || w->hints != nullptr || now - my.began > kQuick * uint64_t(my.skip))
      return queue_more(w, my, more(my.skip), now), false;
    my.batch = 1;
  } else if (my.batch == Inlining::kBroken) {
    my.batch = 1;
  } else {
    const uint64_t took = now - my.began, tiny = dependent ? kTinyDependent : w->stream ? kTinyRecorded : kTiny;
    if (took > tiny * uint64_t(my.batch) + kFirstTime || created != my.created)
      return queue_more(w, my, skip_after(my.skip, took), now), false;
    my.batch = my.batch < kBatch ? 2 * my.batch : kBatch;
    if (my.batch == kBatch) {
      my.skip = Inlining::kFirst;
      w->slot->deque.limit(0);  // what is made next, too
    }
  }
  my.credit = my.batch - 1;
  my.began = now;
  my.created = created;
  return true;
}

}  // namespace einkorn::runtime
