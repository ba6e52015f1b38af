#include "tune/fewest.h"

#include <algorithm>
#include <map>

namespace einkorn::tune {

namespace {

// Of those in between so many at once.
constexpr int kBetween = 8;

// 1, 2, 3, 4, 6, 8, 11, 15, ... below `recorded`.
std::vector<int> some_below(int recorded) {
  std::vector<int> some;
  for (int n = 1; n < recorded; n = std::max(n + 1, (4 * n + 2) / 3)) some.push_back(n);
  return some;
}

class Search {
 public:
  Search(int recorded, const Predict& predict) : predict_(predict) { known_[recorded] = {1, 1}; }

  // False: no answer.
  bool ask(std::vector<int> threads) {
    std::erase_if(threads, [&](int n) { return known_.count(n) != 0; });
    if (threads.empty()) return true;
    const std::vector<Ratio> found = predict_(threads);
    for (size_t i = 0; i < found.size(); ++i) known_[threads[i]] = found[i];
    return !found.empty();
  }

  // The fewest of those asked about with which that end is within the limit.
  int fewest(double Ratio::* end, double limit) const {
    return std::ranges::find_if(known_, [&](const auto& k) { return k.second.*end <= limit; })->first;
  }
  // Until the one below the fewest has been asked about, too.
  bool find(double Ratio::* end, double limit) {
    while (true) {
      const int n = fewest(end, limit);
      const auto at = known_.find(n);
      const int below = at == known_.begin() ? 0 : std::prev(at)->first, gap = n - below;
      if (gap == 1) return true;
      std::vector<int> between;
      const int many = std::min(kBetween, gap - 1);
      for (int i = 1; i <= many; ++i) between.push_back(below + gap * i / (many + 1));
      if (!ask(std::move(between))) return false;
    }
  }
  Ratio of(int n) const { return known_.at(n); }

 private:
  const Predict& predict_;
  std::map<int, Ratio> known_;
};

}  // namespace

Fewest fewest_threads(int recorded, double may_lose, const Predict& predict) {
  const double limit = 1 + may_lose;
  Search search(recorded, predict);
  if (!search.ask(some_below(recorded)) || !search.find(&Ratio::low, limit) || !search.find(&Ratio::high, limit))
    return {};
  Fewest f{.recorded = recorded, .may = search.fewest(&Ratio::low, limit), .sure = search.fewest(&Ratio::high, limit)};
  f.with_may = search.of(f.may), f.with_sure = search.of(f.sure);
  return f;
}

}  // namespace einkorn::tune
