#include "codelet/graph.h"
#include <algorithm>
#include <cerrno>

#include "base/platform.h"
#include "codelet/run.h"

namespace einkorn::codelet {

namespace {
constexpr uint32_t kNone = ~0u;
constexpr const char* kClosed = ": the graph is closed already, and stays as it is";
std::string text(uint64_t n) { return std::to_string(n); }
}  // namespace

// Kept until close() says it. Behind that it is said at once.
void Graph::fail(std::string why) {
  if (closed_) warn("codelet graph '%s': %s", name_.c_str(), why.c_str());
  else if (wrong_.empty()) wrong_ = std::move(why);
}

int Graph::add_class(Fire fire, void* context, uint32_t count, uint32_t line, const void* from) {
  const std::string at = "class " + text(classes_.size()) + (line ? " of line " + text(line) : "");
  if (closed_) return fail(at + kClosed), -1;
  if (!fire) return fail(at + " has no function"), -1;
  if (count >= kNone - size_) return fail(at + ": more than 4294967294 codelets in one graph"), -1;
  if (classes_.size() == Item::kMostClasses)
    return fail(at + ": more than " + text(Item::kMostClasses) + " classes"), -1;
  classes_.push_back({fire, context, size_, count, line, from, false, false, {}});
  size_ += count;
  return int(classes_.size()) - 1;
}

bool Graph::is_class(int c, const char* what) {
  if (c >= 0 && size_t(c) < classes_.size()) return true;
  fail(std::string(what) + " names class " + std::to_string(c) + ", of " + text(classes_.size()));
  return false;
}

void Graph::add_arc(int from, uint32_t i, int to, uint32_t j) {
  auto is_there = [this](int c, uint32_t n) { return size_t(c) < classes_.size() && n < classes_[size_t(c)].count; };
  if (EK_LIKELY(!closed_ && is_there(from, i) && is_there(to, j))) {
    classes_[size_t(from)].lists = true;
    gathered_.push_back({classes_[size_t(from)].first + i, classes_[size_t(to)].first + j});
    return;
  }
  if (closed_) return fail("an arc from " + label_of(from, i) + " to " + label_of(to, j) + kClosed);
  if (!is_class(from, "an arc") || !is_class(to, "an arc")) return;
  for (auto [c, n] : {std::pair(from, i), {to, j}}) {
    const Class& of = classes_[size_t(c)];
    if (n < of.count) continue;
    return fail("an arc names codelet " + text(n) + " of " + label(of) + ", which has " + text(of.count));
  }
}

void Graph::add_rule(int from, int to, NextOf next) {
  if (closed_) return fail("a rule from " + label_of(from, 0) + " on" + kClosed);
  if (!is_class(from, "a rule") || !is_class(to, "a rule")) return;
  if (!next) return fail("a rule has no function");
  classes_[size_t(from)].rules.push_back({next, uint32_t(to)});
}

std::string Graph::label(const Class& c) const {
  return c.line ? "line " + text(c.line) : "class " + text(size_t(&c - classes_.data()));
}

std::string Graph::label(uint32_t node) const {
  const auto after =
      std::upper_bound(classes_.begin(), classes_.end(), node, [](uint32_t n, const Class& c) { return n < c.first; });
  // Empty classes have the first number of the one behind them.
  const Class& c = *(after - 1);
  return label(c) + " [" + text(node - c.first) + "]";
}

// The same where there may be no such class or codelet.
std::string Graph::label_of(int c, uint32_t i) const {
  const std::string of = size_t(c) < classes_.size() ? label(classes_[size_t(c)]) : "class " + std::to_string(c);
  return of + " [" + text(i) + "]";
}

void Arcs::rule_changed(const Graph* graph, const Class& c, uint32_t i) {
  fatal("codelet graph '%s': the rule of %s gave other successors than when the graph was closed",
        graph->name().c_str(), graph->label(c.first + i).c_str());
}

void Graph::fired_again() const {
  fatal(
      "codelet graph '%s': more than its %u codelets were fired in one run: a rule gave other successors than when the graph was closed",
      name_.c_str(), size_);
}

void Graph::never_ready(uint64_t fired) const {
  // Of those that wait for several one is known by its counter.
  std::string one;
  for (uint32_t n = 0; n < size_ && one.empty(); ++n)
    if (counters_[n].predecessors > 1 &&
        counters_[n].waits.load(std::memory_order_relaxed) != counters_[n].predecessors)
      one = " (" + label(n) + " still waits for " + text(counters_[n].waits.load(std::memory_order_relaxed)) + ")";
  fatal(
      "codelet graph '%s': %llu of %u codelets have never been ready%s: a rule gave other successors than when the graph was closed",
      name_.c_str(), static_cast<unsigned long long>(size_ - fired), size_, one.c_str());
}

// each(node) for what the rules of that node's class name; false: they name what is not there.
template <class Each>
bool Graph::each_by_rule(uint32_t node, Each&& each) {
  const Class& c = classes_[class_of(node)];
  for (const Rule& rule : c.rules) {
    const Class& to = classes_[rule.to];
    uint32_t out[kMostNext];
    const int count = rule.next(c.context, node - c.first, out);
    if (count < 0 || count > kMostNext)
      return fail("the rule of " + label(node) + " gives " + std::to_string(count) +
                  " successors, where 8 are the most"),
             false;
    for (int k = 0; k < count; ++k) {
      if (out[k] >= to.count)
        return fail("the rule of " + label(node) + " names codelet " + text(out[k]) + " of " + label(to) +
                    ", which has " + text(to.count)),
               false;
      each(to.first + out[k]);
    }
  }
  return true;
}

// Of a graph whose arcs are counted.
template <class Each>
void Graph::each_successor(uint32_t node, Each&& each) {
  each_by_rule(node, each);
  for (uint32_t a = arc_begin_[node]; a < arc_begin_[node + 1]; ++a) each(arcs_[a]);
}

void Graph::begin_counting() {
  class_of_.resize(classes_.size() == 1 ? 0 : size_);
  if (!class_of_.empty())
    for (size_t c = 0; c < classes_.size(); ++c)
      std::fill_n(class_of_.begin() + classes_[c].first, classes_[c].count, uint16_t(c));
  counters_ = std::make_unique<Counter[]>(size_);
}

// What the rules answer, in front of the arcs that are listed already; then they are asked no more. Not if that is too
// much to be kept: the rules stay. False: they name what is not there.
bool Graph::list_rules() {
  std::vector<Arc> arcs;
  for (const Class& c : classes_) {
    if (c.rules.empty()) continue;
    for (uint32_t n = c.first; n < c.first + c.count; ++n) {
      if (!each_by_rule(n, [&](uint32_t to) { arcs.push_back({n, to}); })) return false;
      if (size_ + arcs.size() + gathered_.size() > kMostListed) return true;
    }
  }
  for (Class& c : classes_) {
    c.lists |= !c.rules.empty();
    c.rules.clear();
  }
  gathered_.insert(gathered_.begin(), arcs.begin(), arcs.end());
  return true;
}

bool Graph::count_arcs() {
  begin_counting();
  if (gathered_.size() > kNone) return fail("more than 4294967295 arcs in lists: give some by a rule"), false;
  if (!list_rules()) return false;
  count_list([this](auto&& arc) {
    for (const Arc& a : gathered_) arc(a.from, a.to);
  });
  std::vector<Arc>().swap(gathered_);
  for (uint32_t n = 0; n < size_; ++n)
    if (!each_by_rule(n, [&](uint32_t to) { ++counters_[to].predecessors; })) return false;
  return true;
}

// Of the nodes that nothing would ever fire (left: how many each waits for then) some that wait for each other.
std::string Graph::circle(std::vector<uint32_t>& left) {
  std::vector<uint32_t> before(size_, kNone);  // of each of these one that it waits for
  for (uint32_t n = 0; n < size_; ++n)
    if (left[n] != 0) each_successor(n, [&](uint32_t to) { before[to] = n; });
  uint32_t n = uint32_t(std::find_if(left.begin(), left.end(), [](uint32_t l) { return l != 0; }) - left.begin());
  // Each of them waits for one of them: whoever goes back comes round.
  std::vector<bool> seen(size_, false);
  for (; !seen[n]; n = before[n]) seen[n] = true;
  std::vector<uint32_t> way{n};
  for (uint32_t at = before[n]; at != n; at = before[at]) way.push_back(at);
  constexpr size_t kShown = 8;
  std::string out = label(n);
  const size_t shown = std::min(way.size(), kShown);
  for (size_t i = 1; i < shown; ++i) out += " <- " + label(way[i]);
  if (shown < way.size()) out += " <- ... (" + text(way.size()) + " in all)";
  return out + " <- " + label(n);
}

bool Graph::list_arcs(std::vector<uint32_t>& begin, std::vector<uint32_t>& list) {
  begin.reserve(size_t(size_) + 1);
  for (uint32_t n = 0; n < size_; ++n) {
    begin.push_back(uint32_t(list.size()));
    each_successor(n, [&](uint32_t to) { list.push_back(to); });
    if (list.size() > kNone) return false;
  }
  begin.push_back(uint32_t(list.size()));
  return true;
}

void Graph::find_roots() {
  for (size_t c = 0; c < classes_.size(); ++c) {
    const Class& of = classes_[c];
    for (uint32_t i = 0, end; i < of.count; i = end) {
      for (end = i; end < of.count && end - i < Item::kMostCount && counters_[of.first + end].predecessors == 0;) ++end;
      if (end > i) roots_.emplace_back(uint32_t(c), i, end - i);
      else ++end;
    }
  }
}

int Graph::close(std::string* why) {
  const std::string head = "codelet graph '" + name_ + "': ";
  if (closed_) {  // it can be run as it is
    *why = head + "it is closed already";
    return EINVAL;
  }
  // What was wrong once stays so: of the arcs there may be nothing left.
  if (error_ == 0) error_ = !wrong_.empty() || !count_arcs() ? EINVAL : (find_roots(), check_order());
  if (error_ != 0) return *why = head + wrong_, error_;
  finish();
  return 0;
}

void Graph::finish() {
  for (uint32_t n = 0; n < size_; ++n) counters_[n].waits.store(counters_[n].predecessors, std::memory_order_relaxed);
  for (Class& c : classes_) {
    c.by_rule = !c.rules.empty();
    for (Rule& rule : c.rules) {
      rule.counters = counters_.get() + classes_[rule.to].first;
      rule.to_count = classes_[rule.to].count;
      rule.item = Item(rule.to, 0, 1);
    }
  }
  closed_ = true;
}

// Fires all in some order: what is then left waits for itself.
int Graph::check_order() {
  std::vector<uint32_t> left, ready;
  left.reserve(size_);
  for (uint32_t n = 0; n < size_; ++n) {
    left.push_back(counters_[n].predecessors);
    if (left[n] == 0) ready.push_back(n);
  }
  uint32_t fired = 0;
  for (; !ready.empty(); ++fired) {
    const uint32_t n = ready.back();
    ready.pop_back();
    each_successor(n, [&](uint32_t to) {
      if (--left[to] == 0) ready.push_back(to);
    });
  }
  if (fired == size_) return 0;
  fail("codelets wait for each other: " + circle(left));
  return ELOOP;
}

}  // namespace einkorn::codelet

int ek_left_graph(int, int actions) {
  using namespace einkorn;
  const codelet::Hand& hand = *codelet::t_hand;
  const codelet::Graph& graph = *hand.arcs.graph;
  const std::string what = "codelet " + graph.label(hand.of->first + hand.i) + " of graph '" + graph.name() +
                           "', or the rule that says who waits for it";
  return codelet::left(actions, what.c_str());
}
