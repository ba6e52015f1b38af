// The metrics of the golden programs, worked out by hand from their scripts. A line for each grain:
//   exec creation parallelization benefit | optimistic conservative | scatter idle subtree critical      - : absent
// Waits' overhead, by parent, stands above each. Threads run on CPUs 0, 3 and 5: 0 on node 0, the others on node 1.
#pragma once

namespace einkorn::test {

// foo waits 200-280 and its thread runs baz 210-270: overhead 10 + 10, half for each of bar and baz. The primary thread waits
// 150-310: overhead 150-160, 200-205, 245-250, 300-310, all for foo.
// Parallelism, intervals of 10 from 110 on: both threads have most of 110-120 and of 210-240, one has it in between and
// after, none that of 130, 160, 170, 190, 200 and 270: a grain counts as one at least. Whole intervals only: none at
// 130, 160, 180-210, 270 and 290. Idle 160-200 while foo works 160-165, 175-190, 195-200; 250-300 while baz does until
// 270, and foo 280-295; the second thread's 125-140 while the first one's share works 125-130, 135-140.
inline constexpr const char* kFigure53TasksMetrics = R"(
  r0.t0.s0   35  -  -  -        | 1 0 | - 10  35 20
  r0.t1.s0    8  -  -  -        | 2 1 | -  0   8  0
  r0.t0/0    55  5 35 1.57143   | 1 0 | - 40 155 50
  r0.t0/0/0  40 10 20 2         | 1 0 | 3  0  40  0
  r0.t0/0/1  60  5 15 4         | 1 1 | 3 20  60 60
)";

// Book-keeping stands for creation. Chunks on CPUs 0 (three) and 3 (two): of ten pairs four at 0 and six at 3.
// Parallelism, intervals of 20 from 110 on, by threads that have more than half of it: 1 2 2 2 2 2 2 1 (125-130 is no
// half, nor is 120-130); whole ones: 0 2 1 1 1 2 1 0.
// Idle 260-270: the other's last share works 261-262.
inline constexpr const char* kFigure53LoopMetrics = R"(
  r0.t0.s0   5 - - -         | 1 0 | - 0  5  0
  r0.t0.s1   2 - - -         | 1 0 | - 0  2  0
  r0.t1.s0   3 - - -         | 1 0 | - 0  3  3
  r0.t1.s1   1 - - -         | 1 0 | - 1  1  1
  r0[0-3]   40 5 5 8         | 1 0 | 3 0 40  0
  r0[8-11]  38 2 2 19        | 2 1 | 3 0 38  0
  r0[16-19] 40 3 3 13.3333   | 2 1 | 3 0 40  0
  r0[4-7]   60 4 4 15        | 1 0 | 3 0 60  0
  r0[12-15] 70 3 3 23.3333   | 1 0 | 3 0 70 70
)";

// Overhead in waits: the primary's two 6 + 5, fib(3) 6, fib(2) 3, fib(2) under fib(3) 4: half for each of two children.
// Parallelism, intervals of 10 from 20 on: 1 1 2 2 2 1 1 1 1 1; whole ones: one in the first, none else.
// Idle 28-35 (while the share works 28-30, 32-35), 72-110 (the second thread's tasks), 111-116 (the share's 112-115).
inline constexpr const char* kFib4Metrics = R"(
  r0.t0.s0     21 - -   -   | 1 0 | -  5 21 10
  r0.t0.s1      3 - -   -   | 1 0 | -  3  3  3
  r0.t1.s0      3 - -   -   | 1 1 | -  0  3  0
  r0.t0/0      18 2 7.5 2.4 | 1 0 | 3  6 55 11
  r0.t0/1       9 2 7.5 1.2 | 2 0 | 3  0 18  0
  r0.t0/0/0    15 2 5   3   | 1 0 | 0  8 30 13
  r0.t0/0/1     7 2 5   1.4 | 2 0 | 0  0  7  0
  r0.t0/0/0/0   9 1 3   3   | 1 0 | 0  9  9  0
  r0.t0/0/0/1   6 1 3   2   | 1 0 | 0  6  6  6
  r0.t0/1/0     5 1 2.5 2   | 2 0 | 0  0  5  0
  r0.t0/1/1     4 1 2.5 1.6 | 2 0 | 0  0  4  0
)";

// Overhead in waits: the primary's 3 + 5 for A, C and F; the inner primary's 4 for D; A and F do not wait.
// Parallelism, intervals of 10 from 14 on: 1 1 0 1 0 0 0 2 1 0 1; no grain fills one.
// Idle: two threads or three at a time in 41-45, 57-60 and 99-108; a fragment alone bears it all (D 98-105: 1 + 2 x 6),
// two share it (the inner share and G 91-94, G and D 95-98).
inline constexpr const char* kNestedMetrics = R"(
  r0.t0.s0  14 - -        -        | 1 0 | -  8   14  8
  r0.t0.s1   9 - -        -        | 1 0 | -  9    9  4
  r0.t1.s0   3 - -        -        | 1 0 | -  0    3  0
  r1.t0.s0   9 - -        -        | 2 0 | -  1.5  9  6
  r1.t1.s0   3 - -        -        | 2 0 | -  0    3  0
  r0.t0/0    7 2 4.66667  1.5      | 1 0 | 3  7   17  5
  r0.t0/0/0 10 2 2        5        | 1 0 | - 10   10 10
  r0.t0/1   10 3 5.66667  1.76471  | 1 0 | 3  8   32 10
  r0.t0/2    8 2 4.66667  1.71429  | 1 0 | 3  0   16  0
  r0.t0/2/0  8 1 1        8        | 1 0 | -  4    8  0
  r1.t0/0   10 1 5        2        | 1 0 | - 14.5 10 10
)";

// The wait 190-370 takes 50 beside the seven tasks: 50 / 7 for each. The second thread idles 116-365, meanwhile one
// grain works. Parallelism, intervals of 50 from 110 on: one thread has most of each, whatever it executes there; no
// grain fills one.
inline constexpr const char* kDependTasksMetrics = R"(
  r0.t0.s0 66 - -        -        | 1 0 | - 60 66 10
  r0.t1.s0  3 - -        -        | 1 0 | -  0  3  0
  r0.t0/0  20 2 9.14286  2.1875   | 1 0 | 0 20 20 20
  r0.t0/1  10 2 9.14286  1.09375  | 1 0 | 0 10 10  0
  r0.t0/2  30 2 9.14286  3.28125  | 1 0 | 0 30 30 30
  r0.t0/3   5 2 9.14286  0.546875 | 1 0 | 0  5  5  0
  r0.t0/4  40 2 9.14286  4.375    | 1 0 | 0 40 40 40
  r0.t0/5  15 2 9.14286  1.64062  | 1 0 | 0 15 15 15
  r0.t0/6  10 2 9.14286  1.09375  | 1 0 | 0 10 10 10
)";

// Three waits with 10 each, for the three deferred tasks. The undeferred one would have cost what they do: estimated.
// Parallelism, intervals of 40 from 110 on: one thread has most of each; no grain fills one. The second thread idles
// 116-308.
inline constexpr const char* kDependWaitsMetrics = R"(
  r0.t0.s0 26 -  -        - | 1 0 | - 20 26 18
  r0.t0.s1 10 -  -        - | 1 0 | - 10 10  0
  r0.t0.s2 13 -  -        - | 1 0 | - 13 13  5
  r0.t1.s0  3 -  -        - | 1 0 | -  0  3  0
  r0.t0/0  30 2 12 2.5      | 1 0 | 0 30 30  0
  r0.t0/1  50 2 12 4.16667  | 1 0 | 0 50 50 50
  r0.t0/2  15 - 12 1.25     | 1 0 | 0 15 15 15
  r0.t0/3  20 2 12 1.66667  | 1 0 | 0 20 20 20
)";

}  // namespace einkorn::test
