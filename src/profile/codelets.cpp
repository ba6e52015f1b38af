#include "profile/codelets.h"
#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

namespace einkorn::profile {

namespace {

using Bytes = std::span<const std::byte>;

// What is asked for in a file is not to take more memory and time than a program's own graphs do.
constexpr uint64_t kMostNodes = 1u << 28, kMostVisits = 1ull << 31, kMostBetween = 1u << 22;

template <class T>
bool take(Bytes& bytes, T* out, size_t count) {
  if (bytes.size() / sizeof(T) < count) return false;
  if (count) memcpy(out, bytes.data(), count * sizeof(T));
  bytes = bytes.subspan(count * sizeof(T));
  return true;
}

template <class T>
bool take(Bytes& bytes, std::vector<T>& out, size_t count) {
  if (bytes.size() / sizeof(T) < count) return false;
  const size_t before = out.size();
  out.resize(before + count);
  return take(bytes, out.data() + before, count);
}

class Making {
 public:
  explicit Making(Recording& rec) : rec_(rec) {}

  void run() {
    rec_.named_dependences = rec_.depends.size();
    auto& runs = rec_.runs;
    std::sort(runs.begin(), runs.end(), [](const RawRun& a, const RawRun& b) { return a.id < b.id; });
    // Two of one node only a damaged file has: the first counts.
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
  RawGraph* graph_of(const RawRun& run) {
    if (run.graph >= rec_.graphs.size()) return nullptr;
    RawGraph& g = rec_.graphs[run.graph];
    return g.order.empty() && !find_order(g) ? nullptr : &g;
  }

  // Each node after all that it waits for, the same in each recording.
  bool find_order(RawGraph& g) {
    if (g.nodes == 0 || g.begin.size() != size_t(g.nodes) + 1 || g.classes.empty()) return false;
    std::vector<uint32_t> left(g.nodes, 0);
    for (const uint32_t to : g.arcs) {
      if (to >= g.nodes) return false;
      ++left[to];
    }
    std::vector<uint32_t> order;
    for (uint32_t n = 0; n < g.nodes; ++n)
      if (left[n] == 0) order.push_back(n);
    for (size_t at = 0; at < order.size(); ++at)
      for (uint32_t a = g.begin[order[at]]; a < g.begin[order[at] + 1]; ++a)
        if (--left[g.arcs[a]] == 0) order.push_back(g.arcs[a]);
    if (order.size() != g.nodes) return false;
    g.order = std::move(order);
    return true;
  }

  // The run's codelets, by node. Those that lie between them come, too.
  void fill(RawRun& run, std::span<const uint32_t> firings) {
    RawGraph* g = graph_of(run);
    if (!g || run.step == kNone) return;
    enum : uint8_t { kRecorded = 1, kAfter = 2, kBefore = 4 };
    constexpr uint8_t kBetween = kAfter | kBefore;
    marks_.assign(g->nodes, 0);
    task_of_.assign(g->nodes, kNone);
    size_t recorded = 0;
    for (const uint32_t f : firings) {
      Firing& firing = rec_.firings[f];
      if (firing.node >= g->nodes || marks_[firing.node]) continue;
      marks_[firing.node] = kRecorded;
      task_of_[firing.node] = firing.task = rec_.tasks.push(task(*g, run, firing.node));
      ++recorded;
    }
    size_t between = 0;
    visits_ += g->nodes;
    if (recorded > 1 && recorded < g->nodes && visits_ < kMostVisits) {
      auto each_arc = [&](uint32_t n, auto&& use) {
        for (uint32_t a = g->begin[n]; a < g->begin[n + 1]; ++a) use(g->arcs[a]);
      };
      for (const uint32_t n : g->order)
        if (marks_[n]) each_arc(n, [&](uint32_t to) { marks_[to] |= kAfter; });
      for (auto n = g->order.rbegin(); n != g->order.rend(); ++n) {
        each_arc(*n, [&](uint32_t to) { marks_[*n] |= marks_[to] & (kRecorded | kBefore) ? kBefore : 0; });
        between += (marks_[*n] & (kRecorded | kBetween)) == kBetween;
      }
    }
    if (between_ + between > kMostBetween) between = 0;
    between_ += between;
    std::vector<uint32_t> tasks;
    for (const uint32_t n : g->order) {
      if (between > 0 && (marks_[n] & (kRecorded | kBetween)) == kBetween) {
        RawTask t = task(*g, run, n);
        t.fired = RawTask::Fired::unseen;
        task_of_[n] = rec_.tasks.push(t);
      }
      if (task_of_[n] != kNone) tasks.push_back(n);
    }
    if (tasks.empty()) return;
    order_them(*g, tasks);
    create(run, tasks);
  }

  RawTask task(const RawGraph& g, const RawRun& run, uint32_t node) {
    const auto c = std::upper_bound(g.classes.begin(), g.classes.end(), node,
                                    [](uint32_t n, const record::GraphClass& x) { return n < x.first; }) -
                   1;
    const Step& at = rec_.steps[run.step];
    RawTask t;
    t.site = c->site;
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
  void order_them(const RawGraph& g, const std::vector<uint32_t>& nodes) {
    auto add = [&](uint32_t node, uint64_t address, uint8_t mode) {
      uint32_t& first = rec_.tasks[task_of_[node]].depends;
      first = rec_.depends.push({address, 0, first, mode});
    };
    for (const uint32_t n : nodes) {
      const uint64_t address = uint64_t(1) << 63 | address_++;
      bool leads = false;
      for (uint32_t a = g.begin[n]; a < g.begin[n + 1]; ++a) {
        if (task_of_[g.arcs[a]] == kNone) continue;
        add(g.arcs[a], address, record::kDependIn);
        leads = true;
      }
      if (leads) add(n, address, record::kDependOut);
    }
  }

  // In the step of the caller that the run ended, one after the other, before its wait.
  void create(const RawRun& run, const std::vector<uint32_t>& nodes) {
    uint32_t at = run.step;
    const Step first = rec_.steps[at];
    for (const uint32_t n : nodes) {
      if (n != nodes.front()) at = add_after(at, first);
      rec_.steps[at].action = Action::fork;
      rec_.steps[at].ref = task_of_[n];
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

  Recording& rec_;
  std::vector<uint8_t> marks_;     // of the run's nodes
  std::vector<uint32_t> task_of_;  // likewise
  uint64_t visits_ = 0, between_ = 0, address_ = 0;
};

}  // namespace

bool read_graph(Bytes bytes, Recording& out) {
  while (!bytes.empty()) {
    record::GraphPiece p;
    if (!take(bytes, &p, 1)) return false;
    constexpr uint32_t kMostGraphs = 1u << 20;
    if (p.id == 0 || p.id >= kMostGraphs || p.nodes > kMostNodes || p.count > p.nodes) return false;
    if (p.id >= out.graphs.size()) out.graphs.resize(p.id + 1);
    RawGraph& g = out.graphs[p.id];
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
  }
  return true;
}

void make_codelets(Recording& rec) { Making(rec).run(); }

}  // namespace einkorn::profile
