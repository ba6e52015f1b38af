#include "profile/codelet_graphs.h"
#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

namespace einkorn::profile {

namespace {

using Arcs = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;  // from, to -> how often

// Appends a graph whose codelets have been appended.
void append(Profile& out, CodeletGraph graph, uint32_t first, const Arcs& arcs) {
  graph.first = first;
  graph.count = uint32_t(out.codelets.size()) - first;
  graph.first_arc = uint32_t(out.codelet_arcs.size());
  graph.arcs = uint32_t(arcs.size());
  for (uint32_t c = first; c < out.codelets.size(); ++c) out.codelets[c].graph = uint32_t(out.codelet_graphs.size());
  for (const auto& [ends, count] : arcs) out.codelet_arcs.push_back({ends.first, ends.second, count});
  out.codelet_graphs.push_back(std::move(graph));
}

// ---- graphs ---------------------------------------------------------------------------------------------------------

// Graphs that have a class in common are one: a program that builds its graph anew has many, of the same classes.
class Graphs {
 public:
  Graphs(const Recording& rec, const std::vector<uint32_t>& site_source, Profile& out)
      : rec_(rec), source_of_(site_source), out_(out), first_of_(out.sources.size(), kNone) {}

  void run() {
    std::vector<uint64_t> runs(rec_.graphs.size());
    for (const RawRun& r : rec_.runs)
      if (r.graph < runs.size()) ++runs[r.graph];
    same_.resize(rec_.graphs.size());
    std::iota(same_.begin(), same_.end(), 0);
    for (uint32_t g = 0; g < rec_.graphs.size(); ++g) {
      if (rec_.graphs[g].state != RawGraph::State::whole) continue;
      for (const record::GraphClass& c : rec_.graphs[g].classes) {
        const uint32_t source = place_of(c);
        if (source == kNone) continue;
        if (first_of_[source] == kNone) first_of_[source] = g;
        else same_[root(g)] = root(first_of_[source]);
      }
    }
    std::map<uint32_t, std::vector<uint32_t>> parts;  // the oldest one first
    std::vector<uint32_t> oldest(rec_.graphs.size(), kNone);
    for (uint32_t g = 0; g < rec_.graphs.size(); ++g) {
      if (rec_.graphs[g].state != RawGraph::State::whole) continue;
      if (oldest[root(g)] == kNone) oldest[root(g)] = g;
      parts[oldest[root(g)]].push_back(g);
    }
    for (const auto& [first, members] : parts) condense(members, runs);
  }

 private:
  uint32_t place_of(const record::GraphClass& c) const {
    return c.site < source_of_.size() ? source_of_[c.site] : kNone;
  }
  uint32_t root(uint32_t g) {
    while (same_[g] != g) g = same_[g] = same_[same_[g]];
    return g;
  }

  void condense(const std::vector<uint32_t>& members, const std::vector<uint64_t>& runs) {
    CodeletGraph graph;
    const auto first = uint32_t(out_.codelets.size());
    std::map<uint32_t, uint32_t> codelet_of;  // source -> codelets
    Arcs arcs;
    std::vector<uint32_t> of_node;
    for (uint32_t g : members) {
      const RawGraph& raw = rec_.graphs[g];
      graph.runs += runs[g];
      if (graph.name.empty()) graph.name = raw.name;
      of_node.assign(raw.nodes, kNone);
      for (size_t c = 0; c < raw.classes.size(); ++c) {
        const uint32_t of = place_of(raw.classes[c]);
        if (of == kNone) continue;
        const auto [at, added] = codelet_of.try_emplace(of, uint32_t(out_.codelets.size()));
        if (added) out_.codelets.emplace_back().source = of;
        // In a damaged recording a class may begin behind the last codelet, or behind the next class.
        const uint32_t end = c + 1 < raw.classes.size() ? std::min(raw.classes[c + 1].first, raw.nodes) : raw.nodes;
        const uint32_t begin = std::min(raw.classes[c].first, end);
        std::fill(of_node.begin() + begin, of_node.begin() + end, at->second);
      }
      if (runs[g] == 0) continue;
      // Most arcs of a node lead to one class.
      std::pair<uint32_t, uint32_t> ends{kNone, kNone};
      uint64_t* count = nullptr;
      for (uint32_t n = 0; n < raw.nodes; ++n)
        for (uint32_t a = raw.begin[n]; a < raw.begin[n + 1]; ++a) {
          const std::pair now{of_node[n], of_node[raw.arcs[a]]};
          if (now.first == kNone || now.second == kNone) continue;
          if (now != ends || !count) ends = now, count = &arcs[now];
          *count += runs[g];
        }
    }
    if (out_.codelets.size() > first) append(out_, std::move(graph), first, arcs);
  }

  const Recording& rec_;
  const std::vector<uint32_t>& source_of_;
  Profile& out_;
  std::vector<uint32_t> first_of_;  // source -> the first graph with a class there
  std::vector<uint32_t> same_;      // graphs, as a forest
};

// ---- procedures -----------------------------------------------------------------------------------------------------

// The text of a stretch's site is ;file;name;line;at;;
struct StretchText {
  std::string_view name;
  uint32_t at = kNone;
};
StretchText parse(std::string_view text) {
  std::string_view field[5];
  for (auto& f : field) {
    const size_t end = text.find(';');
    if (end == text.npos) return {};
    f = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  StretchText out{field[2], kNone};
  std::from_chars(field[4].data(), field[4].data() + field[4].size(), out.at);
  return out;
}

void gather_procedures(const Recording& rec, const std::vector<uint32_t>& source_of, Profile& out) {
  struct Procedure {
    CodeletGraph graph;
    std::map<uint32_t, uint32_t> sources;  // at -> source; then in Profile::codelets
  };
  std::map<uint64_t, Procedure> procedures;  // by the function's address
  std::vector<uint32_t> at_of(rec.sites.size(), kNone);
  for (size_t id = 1; id < rec.sites.size(); ++id) {
    const Site& site = rec.sites[id];
    const bool invoked = site.construct == record::Construct::task && site.flags & record::kSiteProcedure;
    if (!invoked && site.construct != record::Construct::stretch) continue;
    const StretchText text = invoked ? StretchText{{}, 0} : parse(site.text);
    if (text.at == kNone) continue;
    Procedure& p = procedures[site.function];
    p.graph.procedure = true;
    if (p.graph.name.empty()) p.graph.name = text.name;
    if (invoked || p.graph.source == kNone) p.graph.source = source_of[id];
    p.sources.try_emplace(text.at, source_of[id]);
    at_of[id] = text.at;
  }
  std::vector<uint32_t> codelet_of(rec.sites.size(), kNone);
  for (auto& [function, p] : procedures) {
    const auto first = uint32_t(out.codelets.size());
    for (auto& [at, source] : p.sources) {
      Codelet& c = out.codelets.emplace_back();
      c.source = source;
      c.at = at;
      source = uint32_t(out.codelets.size() - 1);
    }
    // Of a procedure that never gives way no record has the name.
    if (p.graph.name.empty() && p.graph.source != kNone) p.graph.name = out.sources[p.graph.source].function;
    append(out, std::move(p.graph), first, {});
  }
  for (size_t id = 1; id < rec.sites.size(); ++id)
    if (at_of[id] != kNone) codelet_of[id] = procedures.at(rec.sites[id].function).sources.at(at_of[id]);
  // Arcs, now that stretches can be told by their codelets.
  Arcs arcs;
  for (Stretch& s : out.graph.stretches) {
    s.codelet = s.codelet < codelet_of.size() ? codelet_of[s.codelet] : kNone;
    if (s.codelet == kNone) continue;
    const uint32_t graph = out.codelets[s.codelet].graph;
    if (s.before == kNone) {
      ++out.codelet_graphs[graph].runs;
      continue;
    }
    // Of one instance, so of one procedure; but in a damaged file.
    const uint32_t before = out.graph.stretches[s.before].codelet;
    if (before != kNone && out.codelets[before].graph == graph) ++arcs[{before, s.codelet}];
  }
  for (const auto& [ends, count] : arcs) {
    CodeletGraph& graph = out.codelet_graphs[out.codelets[ends.first].graph];
    if (graph.arcs == 0) graph.first_arc = uint32_t(out.codelet_arcs.size());
    ++graph.arcs;
    out.codelet_arcs.push_back({ends.first, ends.second, count});
  }
}

}  // namespace

void gather_codelets(const Recording& rec, const std::vector<uint32_t>& site_source, Profile& out) {
  Graphs(rec, site_source, out).run();
  gather_procedures(rec, site_source, out);
}

void time_codelets(Profile& out) {
  if (out.codelets.empty()) return;
  std::vector<uint32_t> class_at(out.sources.size(), kNone), procedure_at(out.sources.size(), kNone);
  for (uint32_t c = 0; c < out.codelets.size(); ++c)
    if (out.codelets[c].at == kNone) class_at[out.codelets[c].source] = c;
  for (uint32_t g = 0; g < out.codelet_graphs.size(); ++g)
    if (const CodeletGraph& graph = out.codelet_graphs[g]; graph.procedure && graph.source != kNone)
      procedure_at[graph.source] = g;
  auto class_of = [&](uint32_t source) { return source != kNone ? class_at[source] : kNone; };

  const Graph& graph = out.graph;
  std::vector<int64_t> exec(graph.stretches.size());
  for (uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (node.kind != NodeKind::fragment && node.kind != NodeKind::chunk) continue;
    const uint32_t s = graph.stretch_of.empty() ? kNone : graph.stretch_of[n];
    if (s != kNone) exec[s] += node.weight;
    uint32_t c = s != kNone ? graph.stretches[s].codelet : kNone;
    if (s == kNone && node.grain != kNone && out.grains[node.grain].kind == GrainKind::task)
      c = class_of(out.grains[node.grain].source);
    if (c != kNone && node.critical) out.codelets[c].critical += node.weight;
  }

  // (codelet, time) of each execution that was recorded.
  std::vector<std::pair<uint32_t, int64_t>> times;
  for (uint32_t s = 0; s < exec.size(); ++s)
    if (graph.stretches[s].codelet != kNone) times.emplace_back(graph.stretches[s].codelet, exec[s]);
  for (const Grain& g : out.grains)
    if (g.kind == GrainKind::task && executed(g))
      if (const uint32_t c = class_of(g.source); c != kNone) times.emplace_back(c, g.exec);
  std::sort(times.begin(), times.end());
  for (size_t i = 0, end; i < times.size(); i = end) {
    Codelet& c = out.codelets[times[i].first];
    for (end = i; end < times.size() && times[end].first == times[i].first; ++end) c.exec += times[end].second;
    c.executed = c.recorded = end - i;
    c.median = times[i + (end - i - 1) / 2].second;
    c.longest = times[end - 1].second;
  }
  for (const Aggregate& a : out.aggregates) {
    if (a.source == kNone) continue;
    if (const uint32_t c = class_at[a.source]; c != kNone) {
      out.codelets[c].executed += a.executed;
      out.codelets[c].exec += a.exec;
    } else if (procedure_at[a.source] != kNone) {
      out.codelet_graphs[procedure_at[a.source]].runs += a.executed;
    }
  }
}

}  // namespace einkorn::profile
