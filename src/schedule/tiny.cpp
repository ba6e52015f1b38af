#include "schedule/tiny.h"

namespace einkorn::schedule {

namespace {

// In ns. A task, as kTiny, where the recorder's stamps are in it, or where dependences would have to be entered into a
// table.
constexpr uint64_t kTinyRecorded = 240, kTinyDependent = 600;
constexpr uint64_t kFirstTime = 1000;  // a batch: instructions that were not in the cache, and what is done here
constexpr uint64_t kQuick = 1500;      // from one creation to the next
constexpr int kBatch = 64, kMostSkipped = 1 << 12, kMostAfterLong = 1 << 13;
constexpr uint8_t kMostBreaks = 6, kMostRefuted = 10;  // powers of two: of tasks, of regions

TinyAnswer queue_more(Inlining& my, const Creation& c, int count) {
  my.batch = 0;
  my.credit = 0;
  my.skip = count;
  my.breaks = 0;
  my.began = c.now;
  my.due = c.created + uint32_t(count);
  return {false, count};
}

int more(int skip) { return skip < kMostSkipped ? 2 * skip : kMostSkipped; }

// What was long has held up so many others: as many may be queued that might have been run at once.
int skip_after(int skip, uint64_t held_up) {
  const uint64_t lost = held_up < kMostAfterLong ? held_up : kMostAfterLong;
  return uint64_t(more(skip)) > lost ? more(skip) : int(lost);
}

void end_trial(Inlining& my, bool proven) {
  if (!my.on_trial) return;
  my.on_trial = false;
  if (!proven) {
    my.regions = uint16_t(1u << my.refuted);
    if (my.refuted < kMostRefuted) ++my.refuted;
  } else if (my.refuted == 0 || ++my.proven >> my.refuted == 0) {
    return;
  } else {
    --my.refuted;
  }
  my.proven = 0;
}

}  // namespace

void not_at_once(Inlining& my, uint32_t created) {
  my.credit = 0;
  my.batch = Inlining::kBroken;
  my.due = created + (1u << my.breaks);
  if (my.breaks < kMostBreaks) ++my.breaks;
}

TinyAnswer tiny_at_once(Inlining& my, const Creation& c) {
  TinyAnswer answer{true};
  if (my.of != c.creator) {
    my.of = c.creator;
    my.function = c.function;
    my.on_trial = false;
    return queue_more(my, c, Inlining::kFirst);
  }
  if (my.batch == 0 && int32_t(c.created - my.due) < 0) return {false};  // the queue grows
  // Or creation is not what the time goes into.
  if (c.placed || (my.batch == 0 && c.now - my.began > c.time(kQuick * uint64_t(my.skip))))
    return queue_more(my, c, more(my.skip));
  if (my.batch <= 0) {
    my.batch = 1;
  } else {
    const uint64_t took = c.now - my.began, tiny = c.dependent ? kTinyDependent : c.recorded ? kTinyRecorded : kTiny;
    if (took > c.time(tiny * uint64_t(my.batch) + kFirstTime) || c.created_beside != my.created) {
      end_trial(my, false);
      const uint64_t one = c.time(kTiny);  // 0 by a clock that is coarser than that
      return queue_more(my, c, skip_after(my.skip, took / (one ? one : 1)));
    }
    my.breaks = 0;
    my.batch = my.batch < kBatch ? 2 * my.batch : kBatch;
    if (my.batch == kBatch) {
      my.skip = Inlining::kFirst;
      end_trial(my, true);
      answer.queues_no_more = true;
    }
  }
  my.credit = my.batch - 1;
  my.began = c.now;
  my.created = c.created_beside;
  return answer;
}

void judge_fine(Inlining& my, bool fine) {
  const bool is_first = !fine && !my.in_doubt;
  my.in_doubt = is_first;
  if (is_first) {
    my.credit = 0;  // the next one is timed
    return;
  }
  my.skip = fine ? 0 : my.skip == 0 ? kAdaptiveCredit : more(my.skip);
  my.credit = fine ? kAdaptiveCredit : -my.skip;
}

}  // namespace einkorn::schedule
