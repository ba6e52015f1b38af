// The grain graph as GraphML: plain data keys for every reader, and yEd's own for boxes, colours and labels at the
// places that our layout gives them. By default reduced (layout/reduce.h), and cut (layout/cut.h) where it is too large
// to look at.
//
// Colours are the grain graph's (Muddukrishna 2016, 5.4.1): fork green, join orange, book-keeping turquoise, the
// critical path red; a grain has the colour of its construct.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include "machine/text.h"
#include "report/export/export.h"
#include "report/layout/layout.h"
#include "report/layout/cut.h"
#include "report/output_file.h"
#include "report/layout/reduce.h"
#include "report/table.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using profile::Edge;
using profile::EdgeKind;
using profile::Grain;
using profile::Graph;
using profile::kNone;
using profile::Node;
using profile::NodeKind;
using profile::Profile;

constexpr const char* kRed = "#D01C1C";

// XML 1.0 has no way to write most control characters; printable() has seen to them.
std::string xml(const std::string& text) { return machine::markup(printable(text)); }

// Neighbouring constructs get colours that differ: the golden angle round the circle of hues.
std::string colour_of(uint32_t source) {
  if (source == kNone) return "#C8C8C8";
  const double hue = std::fmod(210 + 137.508 * double(source), 360);
  const double lightness = 0.72 - 0.12 * (source / 3 % 3), saturation = 0.55;
  auto channel = [&](double n) {
    const double k = std::fmod(n + hue / 30, 12), a = saturation * std::min(lightness, 1 - lightness);
    return int(std::lround(255 * (lightness - a * std::max(-1.0, std::min({k - 3, 9 - k, 1.0})))));
  };
  return fmt::format("#{:02X}{:02X}{:02X}", channel(0), channel(8), channel(4));
}

struct GraphmlKey {
  const char *id, *on, *name, *type;
};
constexpr GraphmlKey kGraphmlKeys[] = {
    {"kind", "node", "kind", "string"},      {"grain", "node", "grain", "int"},
    {"gid", "node", "id", "string"},         {"file", "node", "file", "string"},
    {"line", "node", "line", "int"},         {"function", "node", "function", "string"},
    {"thread", "node", "thread", "int"},     {"begin", "node", "begin_ns", "long"},
    {"weight", "node", "weight_ns", "long"}, {"create", "node", "create_cost_ns", "long"},
    {"members", "node", "members", "int"},   {"critical", "node", "critical", "boolean"},
    {"ekind", "edge", "kind", "string"},     {"ecritical", "edge", "critical", "boolean"}};

class GraphmlWriter {
 public:
  GraphmlWriter(const Profile& p, ExportOptions& o) : p_(p), options_(o), places_(p) {}
  std::string run();

 private:
  void choose();
  void head();
  void node(uint32_t n);
  void edge(const Edge& e, size_t number, bool critical);
  template <class T>
  void data(const char* key, const T& value) {
    fmt::format_to(std::back_inserter(text_), "<data key=\"{}\">{}</data>", key, value);
  }
  std::string label(const Node& n) const;
  std::string colour(const Node& n) const;
  uint32_t source_of(const Node& n) const {
    return n.grain != kNone && is_grain(n) ? p_.grains[n.grain].source : n.source;
  }
  static bool is_grain(const Node& n) { return n.kind == NodeKind::fragment || n.kind == NodeKind::chunk; }

  const Profile& p_;
  ExportOptions& options_;
  Places places_;
  OutputFile file_;
  CutGraph cut_;
  ReducedGraph reduced_;
  Layout layout_;
  std::string text_;
};

// Which graph it is to be: with at most max_nodes nodes, as far as putting subtrees together can bring it there.
void GraphmlWriter::choose() {
  cut_.graph = &p_.graph;
  auto reduce = [&] {
    if (!options_.unreduced) return reduce_graph(*cut_.graph, cut_.members);
    ReducedGraph all;
    all.graph = *cut_.graph;
    all.members = cut_.members.empty() ? std::vector<uint32_t>(all.graph.nodes.size(), 1) : cut_.members;
    for (uint32_t i = 0; i < all.graph.nodes.size(); ++i) all.anchor.push_back(i);
    return all;
  };
  reduced_ = reduce();
  const size_t whole = reduced_.graph.nodes.size();
  for (uint32_t grains = options_.max_nodes; reduced_.graph.nodes.size() > options_.max_nodes && grains > 8;
       grains /= 2) {
    cut_.smaller = {};
    cut_.members.clear();
    cut_graph(p_, grains / 2, cut_);
    reduced_ = reduce();
  }
  if (reduced_.graph.nodes.size() < whole)
    options_.note = fmt::format(
        "the graph has {} nodes: subtrees were put together, {} remain; for more, see --max-nodes (editors slow down), "
        "or look at the page of `einkorn report --html`",
        count(whole), count(reduced_.graph.nodes.size()));
  layout_ = compute_layout(*cut_.graph);
}

void GraphmlWriter::head() {
  text_ =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" xmlns:y=\"http://www.yworks.com/xml/graphml\">\n"
      "<key id=\"box\" for=\"node\" yfiles.type=\"nodegraphics\"/>\n<key id=\"stroke\" for=\"edge\" "
      "yfiles.type=\"edgegraphics\"/>\n";
  for (const GraphmlKey& k : kGraphmlKeys)
    text_ += fmt::format("<key id=\"{}\" for=\"{}\" attr.name=\"{}\" attr.type=\"{}\"/>\n", k.id, k.on, k.name, k.type);
  text_ += fmt::format("<graph id=\"{}\" edgedefault=\"directed\">\n", xml(p_.program.empty() ? "grains" : p_.program));
}

std::string GraphmlWriter::label(const Node& n) const {
  if (!is_grain(n)) return "";
  std::string text = n.grain == 0 ? "program" : n.grain == kNone ? "" : places_(source_of(n));
  if (n.kind == NodeKind::chunk && n.grain != kNone) {
    const Grain& g = p_.grains[n.grain];
    if (g.first_iteration >= 0) text = fmt::format("{}-{}", g.first_iteration, g.first_iteration + g.iterations - 1);
  }
  return xml(text) + (text.empty() ? "" : "\n") + duration(n.weight);
}

std::string GraphmlWriter::colour(const Node& n) const {
  switch (n.kind) {
    case NodeKind::fork: return "#7BC47F";
    case NodeKind::join:
    case NodeKind::joint: return "#F5A142";
    case NodeKind::bookkeeping: return "#40C9C6";
    default: return colour_of(source_of(n));
  }
}

void GraphmlWriter::node(uint32_t i) {
  const Node& n = reduced_.graph.nodes[i];
  const uint32_t at = reduced_.anchor[i];
  const double pixel = kUnitsPerPixel;
  text_ += fmt::format("<node id=\"n{}\">", i);
  data("kind", profile::kNodeKindNames[size_t(n.kind)]);
  if (n.grain != kNone) {
    data("grain", n.grain);
    std::string id;
    append_id(p_.grains[n.grain], id);
    data("gid", id);
    if (is_grain(n) && p_.grains[n.grain].create_cost >= 0) data("create", p_.grains[n.grain].create_cost);
  }
  if (const uint32_t s = source_of(n); s < p_.sources.size()) {
    const profile::Source& source = p_.sources[s];
    if (!source.file.empty()) data("file", xml(source.file));
    if (source.line) data("line", source.line);
    if (!source.function.empty()) data("function", xml(source.function));
  }
  if (n.thread != kNone) data("thread", n.thread);
  if (n.begin >= 0) data("begin", n.begin);
  data("weight", n.weight);
  data("members", reduced_.members[i]);
  data("critical", n.critical ? "true" : "false");
  const bool round = n.kind == NodeKind::fork || n.kind == NodeKind::join || n.kind == NodeKind::joint;
  text_ += fmt::format(
      "<data key=\"box\"><y:ShapeNode><y:Geometry x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>"
      "<y:Fill color=\"{}\" transparent=\"false\"/><y:BorderStyle color=\"{}\" type=\"line\" width=\"{}\"/>"
      "<y:NodeLabel fontSize=\"6\">{}</y:NodeLabel><y:Shape type=\"{}\"/></y:ShapeNode></data></node>\n",
      double(layout_.x[at] - layout_.width[at] / 2) / pixel, double(layout_.y[at]) / pixel,
      double(layout_.width[at]) / pixel, double(layout_.height[at]) / pixel, colour(n), n.critical ? kRed : "#606060",
      n.critical ? "2.0" : "0.5", label(n), round ? "ellipse" : "rectangle");
}

void GraphmlWriter::edge(const Edge& e, size_t number, bool critical) {
  const char* colour = critical                         ? kRed
                       : e.kind == EdgeKind::creation   ? "#3E8E41"
                       : e.kind == EdgeKind::join       ? "#D97F12"
                       : e.kind == EdgeKind::dependence ? "#7A4FBF"
                                                        : "#202020";
  text_ += fmt::format("<edge id=\"e{}\" source=\"n{}\" target=\"n{}\">", number, e.from, e.to);
  data("ekind", profile::kEdgeKindNames[size_t(e.kind)]);
  data("ecritical", critical ? "true" : "false");
  text_ += fmt::format(
      "<data key=\"stroke\"><y:PolyLineEdge><y:LineStyle color=\"{}\" type=\"{}\" width=\"{}\"/>"
      "<y:Arrows source=\"none\" target=\"standard\"/></y:PolyLineEdge></data></edge>\n",
      colour, e.kind == EdgeKind::dependence ? "dashed" : "line", critical ? "2.0" : "1.0");
}

std::string GraphmlWriter::run() {
  if (!file_.open(options_.out)) return file_.error();
  choose();
  const Graph& g = reduced_.graph;
  head();
  auto flush = [&](double done) {
    if (text_.size() < 1 << 16) return;
    file_.write(text_);
    text_.clear();
    if (options_.progress) options_.progress(done);
  };
  for (uint32_t i = 0; i < g.nodes.size() && file_.good(); ++i) {
    node(i);
    flush(0.6 * double(i) / double(g.nodes.size()));
  }
  // The critical path is one path: from each of its nodes to the next one in order, where an edge leads there.
  std::vector<uint32_t> next(g.nodes.size(), kNone);
  for (uint32_t i = uint32_t(g.nodes.size()), after = kNone; i-- > 0;)
    if (g.nodes[i].critical) next[i] = after, after = i;
  for (size_t i = 0; i < g.edges.size() && file_.good(); ++i) {
    edge(g.edges[i], i, next[g.edges[i].from] == g.edges[i].to);
    flush(0.6 + 0.4 * double(i) / double(g.edges.size()));
  }
  text_ += "</graph>\n</graphml>\n";
  file_.write(text_);
  file_.commit();
  return file_.error();
}

}  // namespace

std::string export_graphml(const Profile& p, ExportOptions& options) { return GraphmlWriter(p, options).run(); }

}  // namespace einkorn::report
