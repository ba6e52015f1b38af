#include "report/page/page.h"
#include <algorithm>
#include <string_view>
#include <fmt/format.h>
#include "report/page/data.h"
#include "report/page/meta.h"
#include "report/page/metrics.h"
#include "report/page/source.h"
#include "report/layout/layout.h"
#include "report/layout/cut.h"
#include "report/output_file.h"
#include "report/page/queue_length.h"

// viewer/dist/index.html, linked in by viewer/embed.S.
extern "C" const char einkorn_viewer_page[];
extern "C" const char einkorn_viewer_page_end[];

namespace einkorn::report {
namespace {

using profile::Edge;
using profile::Grain;
using profile::kNone;
using profile::Node;
using profile::Profile;

// Node kinds and edge kinds carry the critical path in this bit of their byte.
constexpr uint8_t kCritical = 0x80;
constexpr uint8_t kKindAggregate = 6;  // after NodeKind's: a node that stands for a subtree that was cut

// The grains that go into the page: all, or for a cut graph those that its nodes name, and their ancestors.
struct ShownGrains {
  std::vector<uint32_t> grain;  // the page's index -> the profile's
  std::vector<uint32_t> place;  // the profile's -> the page's, or kNone

  ShownGrains(const Profile& p, const CutGraph& cut) : place(p.grains.size(), kNone) {
    const bool all = cut.graph == &p.graph;
    std::vector<bool> shown(p.grains.size(), all);
    if (!all)
      for (const Node& n : cut.graph->nodes)
        for (uint32_t g = n.grain; g != kNone && !shown[g]; g = p.grains[g].parent) shown[g] = true;
    for (uint32_t g = 0; g < shown.size(); ++g) {
      if (!shown[g]) continue;
      place[g] = uint32_t(grain.size());
      grain.push_back(g);
    }
  }
  uint32_t at(uint32_t g) const { return g == kNone ? kNone : place[g]; }
};

void add_grains(const Profile& p, const ShownGrains& shown, Columns& c) {
  const size_t n = shown.grain.size();
  auto grain = [&](size_t i) -> const Grain& { return p.grains[shown.grain[i]]; };
  auto u32 = [&](const char* name, bool delta, uint32_t Grain::* field) {
    c.add<uint32_t>(name, n, delta, [&](size_t i) { return grain(i).*field; });
  };
  auto ns = [&](const char* name, bool delta, int64_t Grain::* field) {
    c.add<int64_t>(name, n, delta, [&](size_t i) { return grain(i).*field; });
  };
  c.add<uint32_t>("grain.id0", n, false, [&](size_t i) { return uint32_t(grain(i).id_high >> 32); });
  c.add<uint32_t>("grain.id1", n, false, [&](size_t i) { return uint32_t(grain(i).id_high); });
  c.add<uint32_t>("grain.id2", n, false, [&](size_t i) { return uint32_t(grain(i).id_low >> 32); });
  c.add<uint32_t>("grain.id3", n, false, [&](size_t i) { return uint32_t(grain(i).id_low); });
  c.add<uint8_t>("grain.kind", n, false, [&](size_t i) { return uint8_t(grain(i).kind); });
  c.add<uint16_t>("grain.flags", n, false, [&](size_t i) { return grain(i).flags; });
  c.add<uint16_t>("grain.cpu", n, false, [&](size_t i) { return grain(i).cpu; });
  c.add<uint16_t>("grain.node", n, false, [&](size_t i) { return grain(i).node; });
  if (!p.footprints.empty())
    c.add<uint16_t>("grain.home", n, false, [&](size_t i) {
      return grain(i).footprint < p.footprints.size() ? p.footprints[grain(i).footprint].home : uint16_t(0xffff);
    });
  c.add<uint32_t>("grain.parent", n, true, [&](size_t i) { return shown.at(grain(i).parent); });
  u32("grain.ordinal", false, &Grain::ordinal);
  u32("grain.source", false, &Grain::source);
  u32("grain.region", true, &Grain::region);
  u32("grain.loop", true, &Grain::loop);
  u32("grain.depth", false, &Grain::depth);
  u32("grain.thread", false, &Grain::thread);
  u32("grain.creator", false, &Grain::creator);
  u32("grain.fragments", false, &Grain::fragments);
  u32("grain.children", false, &Grain::children);
  ns("grain.create_begin", true, &Grain::create_begin);
  ns("grain.create_cost", false, &Grain::create_cost);
  ns("grain.begin", true, &Grain::begin);
  c.add<int64_t>("grain.span", n, false, [&](size_t i) {
    const Grain& g = grain(i);
    return g.begin >= 0 && g.end >= g.begin ? g.end - g.begin : -1;
  });
  ns("grain.exec", false, &Grain::exec);
  ns("grain.wait", false, &Grain::wait);
  ns("grain.first_iteration", true, &Grain::first_iteration);
  ns("grain.iterations", false, &Grain::iterations);
}

void add_regions_and_loops(const Profile& p, Columns& c) {
  using profile::LoopInstance;
  using profile::Region;
  const auto& r = p.regions;
  c.add<uint32_t>("region.source", r.size(), false, [&](size_t i) { return r[i].source; });
  c.add<uint32_t>("region.ordinal", r.size(), true, [&](size_t i) { return r[i].ordinal; });
  c.add<uint32_t>("region.team", r.size(), false, [&](size_t i) { return r[i].team; });
  c.add<uint32_t>("region.level", r.size(), false, [&](size_t i) { return r[i].level; });
  const auto& l = p.loops;
  c.add<uint8_t>("loop.schedule", l.size(), false, [&](size_t i) { return l[i].schedule; });
  c.add<uint32_t>("loop.chunk", l.size(), false, [&](size_t i) { return l[i].chunk; });
  c.add<int64_t>("loop.lower", l.size(), false, [&](size_t i) { return l[i].lower; });
  c.add<int64_t>("loop.increment", l.size(), false, [&](size_t i) { return l[i].increment; });
  c.add<int64_t>("loop.iterations", l.size(), false, [&](size_t i) { return int64_t(l[i].iterations); });
}

// The critical path is one path: an edge is on it when it leads from a critical node to the next one in order.
std::vector<uint32_t> critical_successors(const profile::Graph& graph) {
  std::vector<uint32_t> next(graph.nodes.size(), kNone);
  uint32_t after = kNone;
  for (uint32_t i = uint32_t(graph.nodes.size()); i-- > 0;) {
    if (!graph.nodes[i].critical) continue;
    next[i] = after;
    after = i;
  }
  return next;
}

// served: with where the nodes begin in the whole graph; `first`: where cut.graph's do.
void add_graph(const CutGraph& cut, const ShownGrains& shown, const Layout& l, int64_t scale, bool served,
               uint32_t first, Columns& c) {
  const auto& graph = *cut.graph;
  const size_t n = graph.nodes.size();
  std::vector<uint32_t> place(n);  // of a node in the page
  for (uint32_t i = 0; i < n; ++i) place[l.order[i]] = i;
  auto node = [&](size_t i) -> const Node& { return graph.nodes[l.order[i]]; };
  c.add<uint8_t>("node.kind", n, false, [&](size_t i) {
    const uint8_t kind = cut.members_of(l.order[i]) > 1 ? kKindAggregate : uint8_t(node(i).kind);
    return uint8_t(kind | (node(i).critical ? kCritical : 0));
  });
  c.add<uint32_t>("node.grain", n, true, [&](size_t i) { return shown.at(node(i).grain); });
  c.add<uint32_t>("node.source", n, false, [&](size_t i) { return node(i).source; });
  c.add<uint32_t>("node.thread", n, false, [&](size_t i) { return node(i).thread; });
  c.add<uint32_t>("node.members", n, false, [&](size_t i) { return cut.members_of(l.order[i]); });
  if (served) c.add<uint32_t>("node.first", n, true, [&](size_t i) { return cut.first_of(l.order[i]) + first; });
  if (served) c.add<uint8_t>("node.scattered", n, false, [&](size_t i) { return uint8_t(cut.scatters(l.order[i])); });
  c.add<int64_t>("node.begin", n, true, [&](size_t i) { return node(i).begin; });
  c.add<int64_t>("node.weight", n, false, [&](size_t i) { return node(i).weight; });
  c.add<int32_t>("node.x", n, true, [&](size_t i) { return int32_t(l.x[l.order[i]] / scale); });
  c.add<int32_t>("node.y", n, true, [&](size_t i) { return int32_t(l.y[l.order[i]] / scale); });
  c.add<int32_t>("node.width", n, true, [&](size_t i) { return int32_t(l.width[l.order[i]] / scale); });
  c.add<int32_t>("node.height", n, false, [&](size_t i) { return int32_t(l.height[l.order[i]] / scale); });

  // Of which stretch of a procedure's instance a fragment is: its codelet among all of the page's, and its number.
  if (!graph.stretch_of.empty()) {
    auto stretch = [&](size_t i) {
      const uint32_t s = graph.stretch_of[l.order[i]];
      return s == kNone ? profile::Stretch{kNone, kNone, kNone, kNone} : graph.stretches[s];
    };
    c.add<uint32_t>("node.codelet", n, false, [&](size_t i) { return stretch(i).codelet; });
    c.add<uint32_t>("node.visit", n, false, [&](size_t i) { return stretch(i).visit; });
  }

  const std::vector<uint32_t> critical = critical_successors(graph);
  // Beside the node at whose column it is drawn, as the nodes are.
  std::vector<uint32_t> order(graph.edges.size());
  std::vector<uint32_t> begin(n + 1, 0);
  auto key = [&](const Edge& e) { return place[e.kind == profile::EdgeKind::join ? e.from : e.to]; };
  for (const Edge& e : graph.edges) ++begin[key(e) + 1];
  for (size_t i = 0; i < n; ++i) begin[i + 1] += begin[i];
  for (uint32_t i = 0; i < order.size(); ++i) order[begin[key(graph.edges[i])]++] = i;
  auto edge = [&](size_t i) -> const Edge& { return graph.edges[order[i]]; };
  const size_t m = order.size();
  c.add<uint8_t>("edge.kind", m, false, [&](size_t i) {
    return uint8_t(uint8_t(edge(i).kind) | (critical[edge(i).from] == edge(i).to ? kCritical : 0));
  });
  c.add<uint32_t>("edge.from", m, true, [&](size_t i) { return place[edge(i).from]; });
  c.add<uint32_t>("edge.to", m, true, [&](size_t i) { return place[edge(i).to]; });
  c.add<uint8_t>("edge.route", m, false, [&](size_t i) { return uint8_t(edge_route(graph, l, edge(i)).kind); });
}

// Where each thread's time went: per state a byte for every bin of every thread, 255 for the whole bin. Threads whose
// rows would make the page large share neighbouring bins.
constexpr size_t kMostTimelineBytes = 2u << 20;  // of one state

nlohmann::json add_timeline(const Profile& p, Columns& c) {
  const profile::StateBins& t = p.state_bins;
  size_t bins = 0;
  for (const auto& row : t.threads) bins = std::max(bins, row.size());
  if (t.bin_ns == 0 || bins == 0) return nullptr;
  size_t together = 1;
  while (t.threads.size() * (bins / together) > kMostTimelineBytes) together *= 2;
  const size_t columns = (bins + together - 1) / together;
  const double full = double(t.bin_ns) * double(together);
  for (int s = 0; s < profile::kStates; ++s) {
    const std::string name = std::string("timeline.") + profile::kStateNames[s];
    c.add<uint8_t>(name.c_str(), t.threads.size() * columns, false, [&](size_t i) {
      const auto& row = t.threads[i / columns];
      double sum = 0;
      for (size_t b = i % columns * together, end = std::min(row.size(), b + together); b < end; ++b)
        sum += double(row[b][size_t(s)]);
      return uint8_t(std::min(255.0, sum / full * 255 + 0.5));
    });
  }
  return {{"bin_ns", t.bin_ns * int64_t(together)}, {"bins", columns}};
}

nlohmann::json add_queue(const Profile& p, Columns& c) {
  const QueueLength queue = queue_length(p, profile::kMostStateBins);
  if (queue.bin_ns == 0) return nullptr;
  c.add_float("queue.tasks", queue.tasks.size(), [&](size_t i) { return queue.tasks[i]; });
  return {{"bin_ns", queue.bin_ns}};
}

// Puts `text` in place of the one `mark` of the page.
bool fill(std::string& out, std::string_view& page, std::string_view mark, std::string_view text) {
  const size_t at = page.find(mark);
  if (at == std::string_view::npos) return false;
  out.append(page.substr(0, at)).append(text);
  page.remove_prefix(at + mark.size());
  return true;
}

}  // namespace

nlohmann::json page_common(const Profile& p, const profile::Metrics& metrics, const SourceOptions& source) {
  const CitedSource text = source.none ? CitedSource() : cited_source(p, source);
  nlohmann::json meta = page_meta(p, metrics, source.none ? nullptr : &text);
  describe_metrics(p, metrics, meta);
  return meta;
}

bool make_part(const Profile& p, const HtmlOptions& options, PagePart& out, std::string& error) {
  CutGraph cut;
  profile::Graph part;
  const bool whole_graph = options.count == 0;
  if (whole_graph) {
    cut_graph(p, options.max_grains, cut);
  } else {
    const size_t nodes = p.graph.nodes.size();
    if (options.first >= nodes || options.count > nodes - options.first) {
      error = fmt::format("the grain graph has {} nodes: there is no part of {} from {} on", nodes, options.count,
                          options.first);
      return false;
    }
    part = part_of(p.graph, options.first, options.count);
    cut_graph(part, uint64_t(options.max_grains) * 4, cut);
  }
  const Layout layout = compute_layout(*cut.graph);
  const int64_t reach = std::max({-layout.extent.left, layout.extent.right, layout.extent.bottom});
  const int64_t scale = reach / INT32_MAX + 1;  // 1 but for graphs of half a billion pixels

  Columns columns;
  const ShownGrains shown(p, cut);
  add_grains(p, shown, columns);
  add_regions_and_loops(p, columns);
  add_graph(cut, shown, layout, scale, options.served, options.first, columns);
  nlohmann::json timeline = add_timeline(p, columns), queue = add_queue(p, columns);
  out.data = columns.pack(error);
  if (out.data.empty()) return false;

  profile::Metrics computed;
  if (!options.metrics) computed = page_metrics(p);
  const profile::Metrics& of = options.metrics ? *options.metrics : computed;
  nlohmann::json meta = options.common ? *options.common : page_common(p, of, options.source);
  Columns metric_columns;
  add_metrics(of, shown.grain.size(), [&](size_t i) { return shown.grain[i]; }, meta, metric_columns);
  out.metrics = metric_columns.pack(error);
  if (out.metrics.empty()) return false;
  meta["metric_columns"] = metric_columns.description();
  meta["metric_bytes"] = metric_columns.raw_bytes();
  if (options.baseline) meta["baseline"] = page_baseline(*options.baseline);
  meta["format"] = 2;
  meta["columns"] = columns.description();
  meta["raw_bytes"] = columns.raw_bytes();
  meta["layout"] = {{"units_per_pixel", double(kUnitsPerPixel) / double(scale)},
                    {"left", layout.extent.left / scale},
                    {"right", layout.extent.right / scale},
                    {"top", layout.extent.top / scale},
                    {"bottom", layout.extent.bottom / scale},
                    {"linear_up_to_ns", layout.linear_up_to_ns},
                    {"lengths",
                     {{"box", kLengths.box},
                      {"round", kLengths.round},
                      {"floor", kLengths.floor},
                      {"linear", kLengths.linear},
                      {"octave", kLengths.octave},
                      {"fan", kLengths.fan},
                      {"margin", kLengths.margin},
                      {"aside", kLengths.aside}}}};
  meta["graph"] = {{"nodes", p.graph.nodes.size()}, {"edges", p.graph.edges.size()}};
  if (!timeline.is_null()) meta["timeline"] = std::move(timeline);
  if (!queue.is_null()) meta["queue"] = std::move(queue);
  if (!cut.statement.empty()) meta["graph"]["cut"] = cut.statement;
  if (!whole_graph) meta["graph"]["part"] = {{"first", options.first}, {"count", options.count}};
  if (options.served) meta["served"] = true;

  out.meta = script_safe(meta);
  out.served = options.served;
  if (options.served) {
    std::vector<uint32_t> place(layout.order.size());  // of a node in the page
    for (const uint32_t at : layout.order) {
      place[at] = uint32_t(out.nodes.stretches.size());
      out.nodes.stretches.push_back({cut.first_of(at) + options.first, cut.scatters(at) ? 0 : cut.members_of(at)});
    }
    for (const Placed& s : cut.scattered) out.nodes.scattered.push_back({s.node + options.first, place[s.at]});
  }
  out.grains = uint32_t(shown.grain.size());
  out.place = shown.place;
  return true;
}

bool fill_page(const PagePart& part, const std::string& second, std::string& out, std::string& error) {
  std::string_view page(einkorn_viewer_page, size_t(einkorn_viewer_page_end - einkorn_viewer_page));
  out.clear();
  out.reserve(page.size() + part.meta.size() + part.data.size() + part.metrics.size() + second.size());
  // A page from a server asks it for what it does not hold; one from the disk must not ask anybody.
  const bool asks = !part.served || fill(out, page, "default-src 'none'", "default-src 'none'; connect-src 'self'");
  if (!asks || !fill(out, page, "@EINKORN_META@", part.meta) || !fill(out, page, "@EINKORN_DATA@", part.data) ||
      !fill(out, page, "@EINKORN_METRICS@", part.metrics) || !fill(out, page, "<!--second-->", second)) {
    error = "the page inside this einkorn is damaged: build it again";
    return false;
  }
  out.append(page);
  return true;
}

std::string tuning_element(const nlohmann::json* tuning) {
  if (!tuning) return "";
  return fmt::format("<script type=\"application/json\" id=\"einkorn-tuning\">{}</script>\n", script_safe(*tuning));
}

bool make_html(const Profile& p, const HtmlOptions& options, std::string& page, std::string& error) {
  PagePart part;
  return make_part(p, options, part, error) && fill_page(part, tuning_element(options.tuning), page, error);
}

bool write_html(const Profile& p, const HtmlOptions& options, std::string& error) {
  std::string page;
  if (!make_html(p, options, page, error)) return false;
  error = write_file(options.out, page);
  return error.empty();
}

}  // namespace einkorn::report
