// Tasks and chunks that were not recorded one by one: the stretches in which a thread ran them, and their counts.
#include <algorithm>
#include "profile/decode_thread.h"

namespace einkorn::profile {

namespace {

constexpr uint64_t kMostTasks = uint64_t(1) << 48;  // of one record: sums in a hostile file stay below 2^64

}  // namespace

// Of the time up to now, so many ticks were spent in these states, and the rest in the state before. Their order in
// time is not known.
void ThreadDecoder::aggregate(const uint64_t* extra) {
  const int64_t end = ticks_.ns(tick_);
  advance(ticks_.ns(tick_ - std::min(extra[0], tick_)));
  const int64_t whole = std::max<int64_t>(end - now_, 0);
  static constexpr State kStatesInOrder[] = {State::work, State::overhead, State::idle, State::blocked};
  int64_t parts[4], own = whole;
  for (int i = 0; i < 4; ++i) {
    double share = extra[0] ? std::min(1.0, double(extra[i + 1]) / double(extra[0])) : 0;
    parts[i] = std::min(own, int64_t(share * double(whole)));
    own -= parts[i];
  }
  advance(now_ + own);
  for (int i = 0; i < 4; ++i) charge(kStatesInOrder[i], now_ + parts[i]);
}

void ThreadDecoder::subtree(uint32_t site, const uint64_t* extra) {
  RawSubtree s;
  s.ancestor = extra[0];
  s.site = site;
  s.host = stack_.empty() ? kNone : top().host;
  s.created = std::min(extra[1], kMostTasks);
  s.executed = std::min(extra[2], kMostTasks);
  s.work = ticks_.duration(extra[3]);
  s.least = ticks_.duration(extra[4]);
  s.most = ticks_.duration(extra[5]);
  for (int i = 0; i < record::kHistogramBuckets; ++i)
    s.histogram[size_t(i)] = uint32_t(extra[6 + i / 2] >> (i % 2 * 32));
  out_.subtrees.push_back(s);
}

// The time up to t was not to be recorded: it belongs to nobody.
void ThreadDecoder::outside(int64_t t) {
  if (t <= now_) return;
  clock_.outside(now_, t);
  if (counted_) joined_ += t - now_;
  outside_ += t - now_;
  now_ = t;
}

}  // namespace einkorn::profile
