// One program under several schedules with several numbers of threads: what `einkorn simulate` prints.
#pragma once
#include <functional>
#include <string>

#include "schedule/shape.h"
#include "simulate/types.h"

namespace einkorn::simulate {

// What bounds any run: no schedule takes less than max(T1 / P, Tinf, the hold of a lock) on P workers.
struct Bounds {
  double work = 0;    // T1, ns: everything, also what lies outside of regions; without memory
  double serial = 0;  // of it: outside of regions
  double one = 0;     // ns: T1 with what memory takes on one thread under the first schedule
  double costs = 0;   // ns: what the runtime takes beside that there
  double hold = 0;    // ns: the longest that one lock is held in all
  double tiny = 0;    // tiny_share(): of what is not replayed (not_replayed.h)
};

struct Point {
  size_t schedule = 0;  // in Sweep::schedules
  int threads = 0;
  double span = 0;      // Tinf, ns: the longest path, in teams of so many
  double burdened = 0;  // ns: the same with the runtime's costs on it (span.h)
  Outcome outcome;
};

// Bounds on the speed-up at that point, by computing alone: data that is nearer to more threads can make it larger.
// C / max(C / P, Tinf, hold), C: T1 with the runtime's costs on one thread, which more threads divide as well. Where
// nearer data has made the prediction larger, that: nothing that is predicted is above its bound.
double at_most(const Bounds&, const Point&);
double burdened_speedup(
    const Bounds&, const Point&);  // T1 / (T1 / P + (1 - 1 / P) 1.7 burdened): Cilkview; what to expect of stealing
// P / r, r: by how much the threads' work takes longer than on one thread (Olivier 2012, 4.3). < 0: it has no memory
// that could inflate it.
double inflation_speedup(const Bounds&, const Point&);

struct Sweep {
  std::vector<schedule::Schedule> schedules;
  std::vector<std::string> names;  // of them, as they were asked for
  std::vector<int> threads;
  std::vector<schedule::Shape> shapes;  // empty; or one for each of `threads`, which are its workers then
  bool trace = false;                   // outcomes with all that happened
  Bounds bounds;
  double baseline = 0;        // the makespan of one thread under the first schedule, with its costs
  std::vector<Point> points;  // by schedule, then by threads

  schedule::Shape shape_of(size_t point) const {
    return shapes.empty() ? schedule::Shape{} : shapes[point % threads.size()];
  }
};

// What a point of the sweep is run with; `common` has what is the same for all. shape: instead of the schedule's own.
// Workers are where the runtime binds them: schedule::pus_of().
Setup setup_of(const machine::Machine& m, const Setup& common, const schedule::Schedule& schedule, int threads,
               const schedule::Shape& shape = {});

// Runs all of them, on as many threads as this computer has. program_for(n): with teams of n members. progress may be
// empty. The schedules, names and threads of `sweep` are given; the rest is filled in. The same result whatever the
// computer.
void run(const std::function<Program(int)>& program_for, const machine::Machine& m, const Setup& common, Sweep& sweep,
         const std::function<void(double)>& progress);

}  // namespace einkorn::simulate
