#include "profile/codelets.h"
#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include "profile/bytes.h"

namespace einkorn::profile {

namespace {

constexpr uint32_t kMostNodes = 1u << 28;
// How many nodes and arcs are looked at to find what lies between the recorded codelets of runs: some seconds for all
// runs together, and for each what it has paid for by its recorded codelets, whatever the others take. A file may have
// many runs of a large graph in few bytes.
constexpr uint64_t kVisits = 1u << 28, kVisitsOfAFiring = 64;
// Memory of what is made, as in bytes_needed() (decode.cpp).
constexpr uint64_t kBytesOfUnseen = 400, kBytesOfArc = 150;

class Making {
 public:
  explicit Making(Recording& rec) : rec_(rec) {}

  void run() {
    rec_.named_dependences = rec_.depends.size();
    auto& runs = rec_.runs;
    // Two of one id, and two firings of one node, only a damaged file has: the first counts.
    std::stable_sort(runs.begin(), runs.end(), [](const RawRun& a, const RawRun& b) { return a.id < b.id; });
    uint32_t nodes = 0;
    for (RawRun& r : runs) {
      const auto at = rec_.graph_at.find(r.graph);
      r.graph = at != rec_.graph_at.end() && is_whole(rec_.graphs[at->second]) ? at->second : kNone;
      if (r.graph != kNone) nodes = std::max(nodes, rec_.graphs[r.graph].nodes);
    }
    marks_.resize(nodes);
    task_of_.resize(nodes, kNone);
    std::vector<uint32_t> order(rec_.firings.size());
    std::iota(order.begin(), order.end(), 0);
    auto key = [&](uint32_t f) { return std::tuple(rec_.firings[f].run, rec_.firings[f].node, f); };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    for (size_t i = 0, end; i < order.size(); i = end) {
      const uint64_t id = rec_.firings[order[i]].run;
      for (end = i; end < order.size() && rec_.firings[order[end]].run == id; ++end) {}
      const auto it =
          std::lower_bound(runs.begin(), runs.end(), id, [](const RawRun& r, uint64_t x) { return r.id < x; });
      if (it != runs.end() && it->id == id) fill(*it, {order.data() + i, end - i});
    }
  }

 private:
  enum Mark : uint8_t { kRecorded = 1, kAfter = 2, kBefore = 4, kUnseen = 8 };

  // All parts of it are there, and each node can be put after all that it waits for: `order`, the same in each
  // recording. Looked into once: a damaged one is not better for the next run.
  static bool is_whole(RawGraph& g) {
    if (g.state == RawGraph::State::unknown)
      g.state = find_order(g) ? RawGraph::State::whole : RawGraph::State::damaged;
    return g.state == RawGraph::State::whole;
  }

  static bool find_order(RawGraph& g) {
    if (g.nodes == 0 || g.begin.size() != size_t(g.nodes) + 1 || g.classes.empty()) return false;
    std::vector<uint32_t> left(g.nodes, 0);
    for (const uint32_t to : g.arcs) {
      if (to >= g.nodes) return false;
      ++left[to];
    }
    std::vector<uint32_t> order;
    order.reserve(g.nodes);
    for (uint32_t n = 0; n < g.nodes; ++n)
      if (left[n] == 0) order.push_back(n);
    for (size_t at = 0; at < order.size(); ++at)
      for (uint32_t a = g.begin[order[at]]; a < g.begin[order[at] + 1]; ++a)
        if (--left[g.arcs[a]] == 0) order.push_back(g.arcs[a]);
    if (order.size() != g.nodes) return false;
    g.position = std::move(left);
    for (uint32_t at = 0; at < g.nodes; ++at) g.position[order[at]] = at;
    g.order = std::move(order);
    return true;
  }

  // The run's codelets, by node. Time and memory by what was recorded of it, whatever the graph has.
  void fill(const RawRun& run, std::span<const uint32_t> firings) {
    const RawGraph* g = run.graph != kNone ? &rec_.graphs[run.graph] : nullptr;
    tasks_.clear();
    const Firing* before = nullptr;
    for (const uint32_t f : firings) {
      Firing& firing = rec_.firings[f];
      if ((g && firing.node >= g->nodes) || (before && before->node == firing.node)) continue;
      before = &firing;
      firing.task = rec_.tasks.push(task(g, run, firing.node));
      tasks_.push_back({firing.node, firing.task});
    }
    if (tasks_.empty()) return;
    own_visits_ = kVisitsOfAFiring * tasks_.size();
    bool exact = false;
    if (g) {
      auto in_order = [g](const Made& a, const Made& b) { return g->position[a.node] < g->position[b.node]; };
      std::sort(tasks_.begin(), tasks_.end(), in_order);
      for (const Made& m : tasks_) marks_[m.node] = kRecorded, task_of_[m.node] = m.task;
      exact = order_them(*g, run);
      for (const Made& m : tasks_) task_of_[m.node] = kNone;
      for (const uint32_t n : touched_) marks_[n] = 0;
      touched_.clear();
      std::sort(tasks_.begin(), tasks_.end(), in_order);
    }
    // Who waits for whom is not known, or not all of it.
    rec_.runs_without_order += !exact;
    if (!exact)
      for (const uint32_t f : firings)
        if (rec_.firings[f].task != kNone) rec_.contexts[rec_.firings[f].context].estimated = true;
    create(run);
  }

  bool may_visit(uint64_t count) {
    const uint64_t own = std::min(count, own_visits_);
    if (count - own > visits_) return false;
    own_visits_ -= own;
    visits_ -= count - own;
    return true;
  }

  // Calls use(successor); false: no more may be looked at.
  template <class Use>
  bool each_arc(const RawGraph& g, uint32_t n, Use&& use) {
    if (!may_visit(1 + g.begin[n + 1] - g.begin[n])) return false;
    for (uint32_t a = g.begin[n]; a < g.begin[n + 1]; ++a) use(g.arcs[a]);
    return true;
  }

  // Marks what lies on a path from one recorded codelet to another. False: that would take too long.
  bool find_between(const RawGraph& g) {
    for (const Made& m : tasks_) touched_.push_back(m.node);
    if (tasks_.size() < 2 || tasks_.size() == g.nodes) return true;
    const uint32_t last = g.position[tasks_.back().node];
    for (size_t i = 0; i < touched_.size(); ++i) {  // and what is added meanwhile
      const bool known = each_arc(g, touched_[i], [&](uint32_t to) {
        if (!marks_[to] && g.position[to] < last) touched_.push_back(to);
        if (g.position[to] <= last) marks_[to] |= kAfter;
      });
      if (!known) return false;
    }
    sort_touched(g, g.position[tasks_.front().node], last);
    for (auto n = touched_.rbegin(); n != touched_.rend(); ++n) {
      bool leads = false;
      if (!each_arc(g, *n, [&](uint32_t to) { leads |= (marks_[to] & (kRecorded | kBefore)) != 0; })) return false;
      if (!leads) continue;
      marks_[*n] |= kBefore;
      if (!(marks_[*n] & kRecorded)) marks_[*n] |= kUnseen, ++unseen_;
    }
    return true;
  }

  // Into the graph's order; their positions are from `first` to `last`.
  void sort_touched(const RawGraph& g, uint32_t first, uint32_t last) {
    if (touched_.size() > (last - first) / 16) {
      touched_.clear();
      for (uint32_t at = first; at <= last; ++at)
        if (marks_[g.order[at]]) touched_.push_back(g.order[at]);
    } else {
      std::sort(touched_.begin(), touched_.end(),
                [&](uint32_t a, uint32_t b) { return g.position[a] < g.position[b]; });
    }
  }

  // Makes tasks of what lies between, and the dependences of all. False: that would take too long, or too much memory.
  bool order_them(const RawGraph& g, const RawRun& run) {
    unseen_ = 0;
    if (!find_between(g)) return false;
    uint64_t arcs = 0;
    for (const uint32_t n : touched_) {
      if (!(marks_[n] & (kRecorded | kUnseen))) continue;
      arcs += 2;
      if (!each_arc(g, n, [&](uint32_t to) { arcs += (marks_[to] & (kRecorded | kUnseen)) != 0; })) return false;
    }
    const uint64_t bytes = unseen_ * kBytesOfUnseen + arcs * kBytesOfArc;
    if (bytes > rec_.room) return false;
    rec_.room -= bytes;
    for (const uint32_t n : touched_) {
      if (!(marks_[n] & kUnseen)) continue;
      RawTask t = task(&g, run, n);
      t.fired = RawTask::Fired::unseen;
      task_of_[n] = rec_.tasks.push(t);
      tasks_.push_back({n, task_of_[n]});
    }
    for (const Made& m : tasks_) depend(g, m.node);
    return true;
  }

  RawTask task(const RawGraph* g, const RawRun& run, uint32_t node) {
    const Step& at = rec_.steps[run.step];
    RawTask t;
    t.site = g ? class_of(*g, node).site : 0;
    t.create_begin = at.end;
    t.create_cost = 0;
    t.creator = at.thread;
    t.creator_node = at.node;
    t.fired = RawTask::Fired::seen;
    t.codelet = {uint32_t(&run - rec_.runs.data()), node};
    return t;
  }

  // Arcs are what dependences on one address a codelet make of it: it writes its own and reads its predecessors'. No
  // program has such addresses.
  void depend(const RawGraph& g, uint32_t n) {
    auto add = [&](uint32_t node, uint64_t address, uint8_t mode) {
      uint32_t& first = rec_.tasks[task_of_[node]].depends;
      first = rec_.depends.push({address, 0, first, mode});
    };
    const uint64_t address = uint64_t(1) << 63 | address_++;
    bool leads = false;
    for (uint32_t a = g.begin[n]; a < g.begin[n + 1]; ++a) {
      if (task_of_[g.arcs[a]] == kNone) continue;
      add(g.arcs[a], address, record::kDependIn);
      leads = true;
    }
    if (leads) add(n, address, record::kDependOut);
  }

  // In the step of the caller that the run ended, one after the other, before its wait.
  void create(const RawRun& run) {
    uint32_t at = run.step;
    const Step first = rec_.steps[at];
    bool added = false;
    for (const Made& m : tasks_) {
      if (added) at = add_after(at, first);
      added = true;
      rec_.steps[at].action = Action::fork;
      rec_.steps[at].ref = m.task;
    }
    at = add_after(at, first);
    rec_.steps[at].action = first.action;
    rec_.steps[at].ref = first.ref;
    if (rec_.contexts[run.context].last_step == run.step) rec_.contexts[run.context].last_step = at;
  }

  uint32_t add_after(uint32_t at, const Step& like) {
    Step s = like;
    s.begin = s.end;
    s.weight = 0;
    s.groups = 0;
    s.kind = StepKind::none;
    s.next = rec_.steps[at].next;
    const uint32_t added = rec_.steps.push(s);
    rec_.steps[at].next = added;
    return added;
  }

  struct Made {
    uint32_t node, task;
  };
  Recording& rec_;
  // By node, of the run at hand; between two runs all as at first.
  std::vector<uint8_t> marks_;
  std::vector<uint32_t> task_of_;
  std::vector<Made> tasks_;
  std::vector<uint32_t> touched_;               // marked
  uint64_t unseen_ = 0;                         // among them
  uint64_t visits_ = kVisits, own_visits_ = 0;  // left: of all, and of the run in hand
  uint64_t address_ = 0;
};

}  // namespace

const record::GraphClass& class_of(const RawGraph& g, uint32_t node) {
  const auto after = std::upper_bound(g.classes.begin(), g.classes.end(), node,
                                      [](uint32_t n, const record::GraphClass& c) { return n < c.first; });
  return *(after - 1);
}

bool read_graph(Bytes bytes, Recording& out) {
  while (!bytes.empty()) {
    record::GraphPiece p;
    if (!take(bytes, &p, 1)) return false;
    if (p.id == 0 || p.nodes > kMostNodes || p.count > p.nodes) return false;
    const auto [at, added] = out.graph_at.try_emplace(p.id, uint32_t(out.graphs.size()));
    if (added) out.graphs.emplace_back();
    RawGraph& g = out.graphs[at->second];
    if (p.first == 0) g = {}, g.nodes = p.nodes;
    std::vector<record::GraphClass> classes;
    std::vector<char> name;
    std::vector<uint32_t> begin;
    const uint32_t arcs = uint32_t(g.arcs.size());
    if (g.nodes != p.nodes || p.first != (g.begin.empty() ? 0 : g.begin.size() - 1) ||
        !take(bytes, classes, p.classes) || !take(bytes, name, (size_t(p.name_bytes) + 3) / 4 * 4) ||
        !take(bytes, begin, size_t(p.count) + 1) || !take(bytes, g.arcs, p.arcs))
      return false;
    uint32_t before = 0;
    for (const uint32_t b : begin) {
      if (b < before || b > p.arcs) return false;
      before = b;
    }
    if (begin.front() != 0 || begin.back() != p.arcs) return false;
    if (p.first == 0) {
      before = 0;
      for (const record::GraphClass& c : classes) {
        if (c.first < before || (&c == classes.data() && c.first != 0)) return false;
        before = c.first;
      }
      g.classes = std::move(classes);
      g.name.assign(name.data(), p.name_bytes);
    }
    if (!g.begin.empty()) g.begin.pop_back();
    for (const uint32_t b : begin) g.begin.push_back(arcs + b);
    // Also of what takes the place of the same graph: no sound file says anything twice.
    out.graph_bytes += 300 + 24 * uint64_t(p.count) + 8 * (uint64_t(p.arcs) + p.classes);
  }
  return true;
}

void make_codelets(Recording& rec) { Making(rec).run(); }

}  // namespace einkorn::profile
