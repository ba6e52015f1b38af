#include "profile/pairing.h"
#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include "profile/types.h"

namespace einkorn::profile {

namespace {

using Numbers = std::vector<uint32_t>;
using Group = std::pair<Numbers, Numbers>;  // places that belong together: of the first, of the second

constexpr double kNever = -1e9;
constexpr size_t kMostCells = 4'000'000;  // of one alignment; larger ones go by order alone

// 0: nothing in common, 1: the same. The first line (the directive) counts as much as those behind it.
double likeness(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const size_t most = std::max(a.size(), b.size());
  double rest = 1;
  if (most > 1) {
    size_t same = 0;
    for (size_t i = 1; i < std::min(a.size(), b.size()); ++i) same += a[i] == b[i];
    rest = double(same) / double(most - 1);
  }
  return 0.5 * (a[0] == b[0]) + 0.5 * rest;
}

double ratio(int64_t a, int64_t b) {
  const int64_t more = std::max(a, b);
  return more > 0 ? double(std::min(a, b)) / double(more) : 1;
}

class Pairer {
 public:
  Pairer(const std::vector<Place>& before, const std::vector<Place>& after, const std::vector<Vote>& votes, bool times)
      : b_(before), a_(after), times_(times), group_b_(before.size(), kNone), group_a_(after.size(), kNone) {
    of_b_.resize(before.size());
    of_a_.resize(after.size());
    for (const Vote& v : votes) {
      votes_[{v.before, v.after}] += v.weight;
      of_b_[v.before] += v.weight;
      of_a_[v.after] += v.weight;
    }
    for (const Place& p : before) all_ += double(p.exec);
    for (const Place& p : after) all_ += double(p.exec);
  }
  Pairing run();

 private:
  using Function = std::pair<std::string, std::string>;  // name, file
  using Functions = std::map<Function, Numbers>;
  Functions functions_of(const std::vector<Place>& places) const;
  void pair_functions();
  void pair_kinds(const Numbers& before, const Numbers& after);
  void align(const Numbers& before, const Numbers& after);
  void pair_rest();
  double text(uint32_t b, uint32_t a) const;
  double votes(uint32_t b, uint32_t a) const;
  double one_to_one(uint32_t b, uint32_t a, bool same_number) const;
  double halves(const Place& whole, const Place& one, const Place& two, double text) const;
  double alone(const Place& p) const { return times_ && all_ > 0 ? -4 * double(p.exec) / all_ : 0; }
  void join(const Numbers& before, const Numbers& after) {
    const auto group = uint32_t(groups_.size());
    groups_.emplace_back(before, after);
    for (uint32_t b : before) group_b_[b] = group;
    for (uint32_t a : after) group_a_[a] = group;
  }

  const std::vector<Place>&b_, &a_;
  const bool times_;
  std::map<std::pair<uint32_t, uint32_t>, double> votes_;
  std::vector<double> of_b_, of_a_;  // votes of a place
  double all_ = 0;                   // execution
  std::vector<Group> groups_;
  Numbers group_b_, group_a_;
};

Pairer::Functions Pairer::functions_of(const std::vector<Place>& places) const {
  Functions out;
  for (uint32_t i = 0; i < places.size(); ++i) out[{places[i].function, places[i].file}].push_back(i);
  return out;
}

// What the texts say for the pair, from 0 to 8; -1: that it is none.
double Pairer::text(uint32_t b, uint32_t a) const {
  if (b_[b].text.empty() || a_[a].text.empty()) return 3;
  const double like = likeness(b_[b].text, a_[a].text);
  return like >= 1 ? 8 : 6 * like;
}

// The part of their grains that are the same ones.
double Pairer::votes(uint32_t b, uint32_t a) const {
  const auto at = votes_.find({b, a});
  return at == votes_.end() ? 0 : at->second / std::max(of_b_[b], of_a_[a]);
}

double Pairer::one_to_one(uint32_t b, uint32_t a, bool same_number) const {
  double score = 0.5 + text(b, a) + (b_[b].grains == a_[a].grains ? 1 : 0);
  if (times_) score += 3 * ratio(b_[b].exec, a_[a].exec);
  if (same_number) score += 4 * votes(b, a);
  return score;
}

// One construct that was split: both parts have something of its work, and only together about all of it.
double Pairer::halves(const Place& whole, const Place& one, const Place& two, double text) const {
  const double together = ratio(whole.exec, one.exec + two.exec);
  if (!times_ || together < 0.6 || std::min(one.exec, two.exec) * 10 < whole.exec || !one.used() || !two.used() ||
      together < 0.15 + std::max(ratio(whole.exec, one.exec), ratio(whole.exec, two.exec)))
    return kNever;
  return 1.5 + text + 3 * together;
}

// Constructs of one kind in one function, in their order: the alignment with the best score.
void Pairer::align(const Numbers& before, const Numbers& after) {
  const size_t n = before.size(), m = after.size();
  if ((n + 1) * (m + 1) > kMostCells) {
    for (size_t i = 0; i < std::min(n, m); ++i) join({before[i]}, {after[i]});
    return;
  }
  enum Move : uint8_t { none, skip_before, skip_after, pair, split, merge };
  std::vector<double> best((n + 1) * (m + 1), kNever);
  std::vector<Move> move(best.size(), none);
  auto at = [m](size_t i, size_t j) { return i * (m + 1) + j; };
  best[0] = 0;
  for (size_t i = 0; i <= n; ++i)
    for (size_t j = 0; j <= m; ++j) {
      auto take = [&](Move how, size_t from, double score) {
        if (best[from] + score > best[at(i, j)]) best[at(i, j)] = best[from] + score, move[at(i, j)] = how;
      };
      if (i && j) take(pair, at(i - 1, j - 1), one_to_one(before[i - 1], after[j - 1], n == m));
      if (i && j > 1 && n != m) {
        const uint32_t b = before[i - 1], one = after[j - 2], two = after[j - 1];
        take(split, at(i - 1, j - 2), halves(b_[b], a_[one], a_[two], std::max(text(b, one), text(b, two))));
      }
      if (i > 1 && j && n != m) {
        const uint32_t a = after[j - 1], one = before[i - 2], two = before[i - 1];
        take(merge, at(i - 2, j - 1), halves(a_[a], b_[one], b_[two], std::max(text(one, a), text(two, a))));
      }
      if (i) take(skip_before, at(i - 1, j), alone(b_[before[i - 1]]));
      if (j) take(skip_after, at(i, j - 1), alone(a_[after[j - 1]]));
    }
  for (size_t i = n, j = m; i || j;) switch (move[at(i, j)]) {
      case pair: join({before[--i]}, {after[--j]}); break;
      case split: join({before[i - 1]}, {after[j - 2], after[j - 1]}), i -= 1, j -= 2; break;
      case merge: join({before[i - 2], before[i - 1]}, {after[j - 1]}), i -= 2, j -= 1; break;
      case skip_before: --i; break;
      default: --j;
    }
}

void Pairer::pair_kinds(const Numbers& before, const Numbers& after) {
  // Constructs without grains (waits) do not count for or against the order of those with some.
  std::map<std::pair<std::string, bool>, Group> kinds;
  for (uint32_t b : before) kinds[{b_[b].construct, b_[b].used()}].first.push_back(b);
  for (uint32_t a : after) kinds[{a_[a].construct, a_[a].used()}].second.push_back(a);
  for (auto& [kind, group] : kinds) {
    auto in_order = [](Numbers& numbers, const std::vector<Place>& places) {
      std::sort(numbers.begin(), numbers.end(), [&](uint32_t x, uint32_t y) {
        return std::tie(places[x].line, places[x].address, x) < std::tie(places[y].line, places[y].address, y);
      });
    };
    in_order(group.first, b_);
    in_order(group.second, a_);
    if (!group.first.empty() && !group.second.empty()) align(group.first, group.second);
  }
}

void Pairer::pair_functions() {
  Functions before = functions_of(b_), after = functions_of(a_);
  auto found = [&](Functions::iterator b, Functions::iterator a) {
    pair_kinds(b->second, a->second);
    before.erase(b);
    after.erase(a);
  };
  for (auto b = before.begin(); b != before.end();) {
    auto here = b++;
    if (auto a = after.find(here->first); a != after.end()) found(here, a);
  }
  // Of one name in files of other names, where there is no other of that name.
  for (auto b = before.begin(); b != before.end();) {
    auto here = b++;
    auto of_name = [&](Functions& all) {
      auto at = all.end();
      size_t count = 0;
      for (auto i = all.begin(); i != all.end(); ++i)
        if (i->first.first == here->first.first) at = i, ++count;
      return count == 1 ? at : all.end();
    };
    if (here->first.first.empty() || of_name(before) == before.end()) continue;
    if (auto a = of_name(after); a != after.end()) found(here, a);
  }
  // With other names: those that have the most grains in common.
  for (;;) {
    double most = 0;
    auto best_b = before.end(), best_a = after.end();
    for (auto b = before.begin(); b != before.end(); ++b)
      for (auto a = after.begin(); a != after.end(); ++a) {
        double common = 0, all = 0;
        for (uint32_t x : b->second) {
          all += of_b_[x];
          for (uint32_t y : a->second)
            if (auto v = votes_.find({x, y}); v != votes_.end() && b_[x].construct == a_[y].construct)
              common += v->second;
        }
        if (common > most && 2 * common > all) most = common, best_b = b, best_a = a;
      }
    if (best_b == before.end() || before.size() * after.size() > kMostCells) return;
    found(best_b, best_a);
  }
}

void Pairer::pair_rest() {
  auto free_ones = [](const std::vector<Place>& places, const Numbers& group) {
    Numbers out;
    for (uint32_t i = 0; i < places.size(); ++i)
      if (group[i] == kNone && places[i].used()) out.push_back(i);
    return out;
  };
  // By text, if that is no other's.
  std::map<std::pair<std::string, std::vector<std::string>>, Group> texts;
  for (uint32_t b : free_ones(b_, group_b_))
    if (!b_[b].text.empty()) texts[{b_[b].construct, b_[b].text}].first.push_back(b);
  for (uint32_t a : free_ones(a_, group_a_))
    if (!a_[a].text.empty()) texts[{a_[a].construct, a_[a].text}].second.push_back(a);
  for (const auto& [text, group] : texts)
    if (group.first.size() == 1 && group.second.size() == 1) join(group.first, group.second);
  // By grains: most of them are those of the other.
  for (const auto& [pair, weight] : votes_) {
    const auto [b, a] = pair;
    if (group_b_[b] == kNone && group_a_[a] == kNone && b_[b].construct == a_[a].construct && votes(b, a) > 0.5)
      join({b}, {a});
  }
}

Pairing Pairer::run() {
  pair_functions();
  pair_rest();
  Pairing out;
  out.before.resize(b_.size());
  out.after.resize(a_.size());
  out.rows = uint32_t(groups_.size());
  for (size_t b = 0; b < b_.size(); ++b) out.before[b] = group_b_[b] != kNone ? group_b_[b] : out.rows++;
  for (size_t a = 0; a < a_.size(); ++a) out.after[a] = group_a_[a] != kNone ? group_a_[a] : out.rows++;
  return out;
}

}  // namespace

std::string comparable_text(const std::string& line) {
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line.compare(i, 2, "//") == 0) break;
    if (line.compare(i, 2, "/*") == 0) {
      const size_t end = line.find("*/", i + 2);
      if (end == std::string::npos) break;
      i = end + 1;
    } else if (!isspace(static_cast<unsigned char>(line[i]))) {
      out += line[i];
    }
  }
  return out;
}

Pairing pair_places(const std::vector<Place>& before, const std::vector<Place>& after, const std::vector<Vote>& votes,
                    bool times) {
  return Pairer(before, after, votes, times).run();
}

}  // namespace einkorn::profile
