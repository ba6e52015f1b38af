// The times that steer waiting, waking and taking by force, in nanoseconds, each with its reason. What is compared with
// differences of ticks() is made ticks by in_ticks() (clock.h). Pauses and rounds are counted, not timed: how many
// stands with the decisions, in schedule/ws_search.h (searching) and schedule/lock_looks.h; what a task may last that
// is run at once in schedule/tiny.h, in ns as well.
#pragma once
#include <cstdint>

namespace einkorn::inline base::tunables {

// ---- taking work from others ----------------------------------------------------------------------------------------

// Tasks that last longer are long: a thief takes no more than a part of each one's part of them, since several of few
// would be far from an equal part.
inline constexpr uint64_t kLongTask = 10'000;
// Of tasks that last longer an owner takes back one at a time of what it had given to thieves. It takes a lock for
// each, which is a percent or two of such a task. What it kept to itself, beside the task that it runs, nobody else
// could run while the others have nothing left to do.
inline constexpr uint64_t kLongToKeep = 4'000;
// An owner that has created nothing for so long is deep in the program's code, or has no CPU: what it keeps to itself
// is taken by force, which costs both some microseconds (schedule/ws_search.h).
inline constexpr uint64_t kSilentOwner = 5'000;
// In a large team an owner lets the others have what it has made no more often. What it made after the last time it
// keeps, until it makes another one, or that is taken by force.
inline constexpr uint64_t kPublishGap = 400;
// Pieces of a taskloop that are run before it is asked whether somebody wants some of them: to ask takes a line that
// others write.
inline constexpr uint64_t kPiecesUnasked = 2'500;
// A batch of a dynamic loop's chunks that took less, by threads, was short, and the next one is longer: the counter's
// line makes only so many trips a microsecond.
inline constexpr uint64_t kBriefBatch = 1'024;
// Codelets: after so long a thread looks whether others should help it, which need not know when it has enough.
inline constexpr uint64_t kCodeletLook = 5'000;
// To wake a thread costs its waker some microseconds, and a region of sleeping threads as many a thread: graphs of
// codelets that take less are run without.
inline constexpr uint64_t kWorthWaking = 3'000, kWorthARegion = 10'000;
// Loops of codelets (schedule/tploop.h): to invoke a procedure of a loop, with its wait for its codelets, and to run
// one of these: two with a codelet each cost 2 us more than two codelets (bench/loop_forms.py, two CPUs).
inline constexpr uint64_t kLoopProcedure = 1'000, kLoopCodelet = 400;

// Two threads count in the team's word that they have arrived at a barrier. In a larger team four neighbours gather
// first, and the last one of them arrives for all: n at one line take n times its way, and all who wait look at it each
// time.
inline constexpr int kArrivalsAtTeam = 2, kArrivalsALine = 4;
// Threads that add up their values of a reduction by atomic updates of one line each; more do it in a barrier.
inline constexpr int kReducedApart = 32;
// In a team of more threads, if each has a CPU, they wait for a lock in turn once many do (flow/lock_queue.h).
// Predicted (docs/large.md), ns an entry with that and without: 96 threads of 2 x 64 cores 488 for 588, 128 466 for
// 997, 192 504 for 1,002; of 24 x 8 cores 2,162 for 3,409, 1,900 for 18,711, 2,449 for 22,755. On six machines with 48
// to 80 threads it takes at most 1.23 times as long as without, or down to an eighth; with 40 1.2 to 1.5 times as long
// on three. None of so many cores was there to try.
inline constexpr int kLooksApart = 47;
// Those who look for work count in the team's word, which is exact, as long as they are no more; else with their
// neighbours first.
inline constexpr int kSearchersAtTeam = 4;

// ---- waiting awake (flow/linger.h) ----------------------------------------------------------------------------------

// After its first looks a thread stays awake for so long: between two parallel loops there often is a millisecond of
// serial code, and to wake a thread after that costs as much as a loop of 100 us is long.
inline constexpr uint64_t kLinger = 5'000'000;
// A thread that finds that it was not running for so long has given its CPU to others, who need it.
inline constexpr uint64_t kAway = 200'000;
// Whether more threads of the machine want to run than can is asked so often, as it costs a file of /proc; again so
// soon after a yes, since a thread of the kernel's that runs for a moment is nobody to give way to.
inline constexpr uint64_t kAskWhetherFull = 1'000'000, kAskAgain = 100'000;
// Where the CPUs are wanted the threads of a process wait awake for one part in so many of their time, and save up for
// so long each; when that is used up, they leave their CPUs in each wait for so long (flow/giving_way.h).
inline constexpr uint64_t kAwakePart = 16, kAwakeSaved = 1'000'000, kGivesWay = 20'000'000,
                          kGivesWayAtMost = 640'000'000;
// A thread looks no more often whether it shares its CPU with one of its team: to go to another one costs some 50 us,
// and lasts, if nothing moves it back. Where a thread was it is believed to be for so long.
inline constexpr uint64_t kMoveAgain = 2'000'000, kWhereaboutsLast = 4'000'000;
// A thread's wait for its CPU is measured over no less: below that a single turn of another one's decides.
inline constexpr uint64_t kCpuWaitWindow = 200'000;
// Yields instead of a sleep, at most. A sleep and a wake cost several yields, and the kernel does not move what ran
// less than half a millisecond ago; but that a CPU has more threads than others have it sees only where nobody wants it
// any more (on machines of many CPUs it compares busy ones four times a second).
inline constexpr uint64_t kYields = 200'000;

// ---- sleeping -------------------------------------------------------------------------------------------------------

// Of who must look up from time to time (a team's watcher; who may be left alone with a task): its naps double from the
// first, which delays nobody who is woken, to the last, which costs no CPU time to speak of.
inline constexpr int64_t kFirstNap = 1'000'000, kLongestNap = 100'000'000;
// Kernels without futex_waitv: of two words one is slept on, the other looked at so often.
inline constexpr int64_t kLookAtOther = 10'000'000;
// Fences without membarrier(2): other processors' stores have drained after so long (base/platform.cpp).
inline constexpr int64_t kStoresDrain = 10'000'000;
// Threads that are late to leave a team, which takes them a moment: looked for so often, as they do not ring.
inline constexpr int64_t kLateLook = 50'000;
// Threads that end are waited for, each time for so long, sooner where one could not be told yet; and so many times at
// most, since the program's own code (destructors of thread-local objects) may keep one for ever.
inline constexpr int64_t kEndLook = 10'000'000, kEndLookNow = 1'000'000;
inline constexpr int kEndLooks = 100;

// ---- tasks out of reach of those who wait for them (rescue, team/placed_search.cpp) ---------------------------------

// What all others were seen to look at in vain counts for so long; a place from which nobody has taken anything for so
// long is stuck. Where the program relies on tasks staying where the schedule has put them, it must be surer.
struct Patience {
  uint64_t lately, longest;
};
inline constexpr Patience kRescue{40'000'000, 50'000'000}, kRescueOfStaying{2'000'000, 10'000'000'000};
// A lock, a turn, or a region inside that keeps a thread for so long is no short one: it does not come back at once.
inline constexpr uint64_t kHalted = 2'000'000;

}  // namespace einkorn::inline base::tunables
