// --goal cores: the fewest threads with which a program takes hardly longer, by predictions. (Muddukrishna 2016, 5.5.3,
// asks for the fewest cores that keep the makespan, and packs the chunks of one loop into bins; here the whole program
// is replayed, with its memory and its waits.)
#pragma once
#include <functional>
#include <vector>

namespace einkorn::tune {

// A predicted wall time by that with the recorded number of threads: the ends of what is not known, low <= high.
struct Ratio {
  double low = -1, high = -1;
};
// For each of these numbers of threads, each below the recorded one. Nothing: nothing more is predicted, then all is
// unknown.
using Predict = std::function<std::vector<Ratio>(const std::vector<int>& threads)>;

// Numbers of threads, at most the recorded one, and what they are predicted to take; the recorded one takes {1, 1}.
// Nothing is predicted: all 0.
struct Fewest {
  int recorded = 0;
  int may = 0, sure = 0;  // the program may keep its time with so many; it does with so many. may <= sure
  Ratio with_may, with_sure;
  bool known() const { return recorded > 0; }
};

// may_lose: of the time, 0.05 for 5 %; finite, not negative. Looks at some numbers first, each about a third above the
// one before, then at those in between: more threads are taken to take no longer.
Fewest fewest_threads(int recorded, double may_lose, const Predict& predict);

}  // namespace einkorn::tune
