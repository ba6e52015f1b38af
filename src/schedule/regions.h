// Whether a region of codelets is worth other threads (codelets.md of our own; Arteaga, Zuckerman and Gao 2017 start a
// procedure's codelets on all units): by how long all its instances took together, the last time; and where that leaves
// it open, by trying both.
#pragma once
#include <algorithm>
#include <cstdint>

namespace einkorn::schedule {

// Of regions of one kind, by one thread: which way is the quicker one, alone or with threads. Most are run in that way;
// now and then some in the other, and where that may turn out to be quicker again and again, until it is known. Regions
// of one kind may differ: the levels of a search, say, which grow and shrink, or take turns. So each is compared with
// the one right before it, and with all that there were lately; how much these differ says which of the two proves
// more.
struct RegionTrial {
  // What runs took in all, ticks, and the sum of its squares. What is long ago fades.
  struct Seen {
    double runs = 0, took = 0, squares = 0;
    double mean() const { return took / runs; }
    double variance() const { return std::max(0.0, squares / runs - mean() * mean()); }
    void add(double t) { runs += 1, took += t, squares += t * t; }
    // Counts no more than so many.
    void fade(double most) {
      if (runs > most) *this = {most, took * most / runs, squares * most / runs};
    }
  } usual, other, less;        // runs in the usual way; in the other; by how much each row of these took less than
  double latest = 0;           // the one before it
  uint32_t in_row = 0;         // runs in the other way, one behind the other, so far,
  double row = 0;              // and what they took
  uint32_t begun = 0;          // of those that may start threads, and fill caches: not counted
  bool alone = false;          // the quicker one, as far as is known; at first nobody knows
  uint32_t keep = 0, gap = 0;  // so many more before the other is run, and so many the last time; 0: none was yet
};

struct RegionTime {
  uint64_t work = ~uint64_t(0);  // of all instances; at first nobody knows
  uint32_t unread = 0;           // so many regions more are not timed
  RegionTrial trial;
};

// Of one thread's regions, of all kinds, ticks. A series is of those that follow each other without a pause.
struct RegionsBefore {
  uint64_t threads = 0, any = 0;    // when the latest one with threads ended, and the latest one that was timed
  uint64_t series = 0, latest = 0;  // what this series took so far, and the one before it
  uint64_t slept = 0;               // of `series`, since `threads`: those that ran alone only as threads slept
};

// A region costs its caller that much with threads that spin, and with threads that sleep; and behind a pause of so
// long another series begins. Microseconds.
inline constexpr uint64_t kRegionAwakeUs = 1, kRegionAsleepUs = 10, kPauseUs = 50;

// Work of less than this may take longer with threads than without, whatever it costs to begin: where they pull what
// they share back and forth, which counts as work, too. Of more, who has the program in sight would see one step that
// takes as long as all threads together. Microseconds.
inline constexpr uint64_t kTriedUs = 20'000;
// One that is run in the other way takes as long as all its threads together would, at worst: so many that are not come
// before it, for each of these threads, and twice as many before the next one. And it leaves what it used in one
// thread's caches, from where the next one has to fetch it: the longer it is the more that may be, and the less likely
// threads make it slower. (A sweep over 4 MB in 110 us took eight times as long in all when it was tried once.) So it
// is the same again for each so many microseconds that one takes.
inline constexpr uint32_t kFirstGap = 96, kMostGaps = 32, kLongerEachUs = 48, kMostLonger = 4;
inline uint32_t first_gap(double took, int threads, uint64_t us) {
  const double longer = std::min(took / double(kLongerEachUs * us), double(kMostLonger));
  return kFirstGap * uint32_t(std::max(threads - 1, 1)) * (1 + uint32_t(longer));
}
// The other way is run so many times in a row, of which the first does not count, nor does the first in the usual way
// behind them: what they use is in other caches. (The levels of a search took 2.3 us each by one thread, 5 by two, and
// 27 where one thread ran the first one behind two.)
inline constexpr uint32_t kInRow = 4;
// What may be quicker is tried again after so many (with kInRow and the first one behind these 11: no multiple of what
// may come in turns), and has to be so in so many runs at least; nor is it tried on and on where less than a tenth is
// to be won, as each time costs.
inline constexpr uint32_t kBegun = 4, kSoonAgain = 6, kFewest = 9, kMost = 63, kMostOfLittle = 9;

struct RegionWay {
  bool alone, tried;
  bool asleep = false;  // the threads, and that counted
};

// A series that takes so long is long: to wake threads in it costs a twentieth, at most. Microseconds.
inline constexpr uint64_t kLongSeriesUs = 200;

// How the next one is run. Two threads halve the work, at best; to wake them costs more than that of a short one. But
// many may follow, of which none may say that there is no more: where the series before was long, threads are woken
// when this one has taken as long as they cost to be worth it, else when it is long itself. now: ticks. us: ticks of a
// microsecond. sleep(): do the threads? tried: how long it takes is for learn_trial().
template <class Sleep>
RegionWay way_of(RegionTime& t, RegionsBefore& before, uint64_t now, uint64_t us, Sleep&& sleep) {
  const bool paused = now - before.any >= kPauseUs * us;
  if (paused) before.latest = before.series, before.series = before.slept = 0;
  if (t.work < us * kRegionAwakeUs) return {true, false};
  if (t.work >= kTriedUs * us) return {false, false};
  if (t.trial.begun == 0) t.trial.alone = t.work < 2 * us * kRegionAwakeUs;
  const bool alone = t.trial.alone;
  const uint64_t worth_it = 2 * kRegionAsleepUs * us, is_long = kLongSeriesUs * us;
  // Behind a row of runs alone threads sleep only as that was tried.
  if (!alone && t.work < worth_it && (paused || t.trial.in_row == 0) && sleep())
    return {before.slept < (before.latest >= is_long ? worth_it : is_long), false, true};
  if (t.trial.gap != 0 && t.trial.keep == 0) return {!alone, true};
  return {alone, true};
}
// One has ended, that was run so and took that long.
inline void ended(RegionsBefore& before, RegionWay way, uint64_t now, uint64_t took) {
  before.any = now;
  before.series += took;
  if (!way.alone) before.threads = now, before.slept = 0;
  else if (way.asleep) before.slept += took;
}

// One took that long, ticks, with so many threads or alone. us: as above.
inline void learn_trial(RegionTrial& t, bool alone, uint64_t took, int threads, uint64_t us) {
  constexpr uint32_t kOften = 16;
  constexpr double kLately = 128, kLongAgo = 4, kUnusual = 4;
  if (t.begun < kBegun) return void(++t.begun);
  // Of many in the usual way some tell as much, and to count one costs a twentieth of a short one.
  if (alone == t.alone && t.keep > kOften && t.keep % 7 != 0) return void(--t.keep);
  // What has been interrupted, or had to start threads first, proves nothing.
  const double its = t.usual.runs >= 2 ? std::min(double(took), kUnusual * t.usual.mean()) : double(took);
  if (alone == t.alone) {
    if (t.in_row != 0) return void(t.in_row = 0);
    t.usual.fade(kLately);
    t.usual.add(its);
    t.latest = its;
    if (t.gap == 0) t.gap = t.keep = first_gap(t.usual.mean(), threads, us);
    if (t.keep != 0) --t.keep;
    return;
  }
  const uint32_t gap = first_gap(t.usual.mean(), threads, us);
  if (++t.in_row == 1) {
    t.row = 0;
    if (t.gap >= gap) t.other.fade(kLongAgo), t.less.fade(kLongAgo / (kInRow - 1));
    return;
  }
  t.other.add(its);
  t.row += its;
  if (t.in_row != kInRow) return;
  t.less.add(t.latest - t.row / (kInRow - 1));
  const double runs = t.other.runs, usual = t.usual.mean();
  double less = usual - t.other.mean(), error = t.usual.variance() * (1 / t.usual.runs + 1 / runs);
  if (const double of_rows = t.less.variance() / std::max(t.less.runs - 1, 1.0); t.less.runs >= 3 && of_rows < error)
    less = t.less.mean(), error = of_rows;
  const bool is_much = less > 0.1 * usual, is_sure = less > 0.03 * usual && less * less > 4 * error;
  if (runs >= kFewest && is_sure) {
    t.alone ^= true;
    t.usual = t.other = t.less = {};
    t.in_row = 0;
    t.gap = t.keep = gap;
  } else if (runs < (is_much ? kMost : kMostOfLittle) && (less > 0 || less * less < error)) {
    t.gap = t.keep = kSoonAgain;
  } else {
    t.gap = t.keep = t.gap < gap ? gap : std::min(2 * t.gap, kMostGaps * gap);
  }
}

// Who has nothing to do looks so often, a pause each time, whether all others have come for what is theirs, before it
// takes over what is left: some microseconds, as a thread that has a CPU comes sooner.
inline constexpr int kLooksForLate = 64;

// To look at the clock costs a fifth of a region that does nothing. One that is that far from being worth threads, also
// while these are awake, is timed seldom: should it become long, that is seen after so many at most.
inline constexpr uint32_t kUntimed = 15;
inline constexpr uint64_t kShortOfAwake = 4;
// Runs alone, and nobody looks at the clock for it?
inline bool runs_untimed(RegionTime& t) { return t.unread != 0 && t.unread-- != 0; }

// What took longer once is believed at once: else a region would stay alone that has become long. us: as above.
inline void learn(RegionTime& t, uint64_t work, uint64_t us) {
  t.work = t.work == ~uint64_t(0) || work > t.work ? work : (t.work + work) / 2;
  t.unread = t.work < 2 * us * kRegionAwakeUs / kShortOfAwake ? kUntimed : 0;
}

}  // namespace einkorn::schedule
