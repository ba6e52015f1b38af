// Graphs of codelets as SVG: the codelets of a procedure below each other, as they stand in the text; what leads past
// some of them, or back, on the left, each in a lane of its own; what a codelet invokes on the right.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "compiler/graph.h"

namespace einkorn::compiler {

namespace {

constexpr double kLetter = 6.6, kHeight = 36, kGap = 26, kLane = 12, kMargin = 16, kHead = 44, kWidest = 1100;
constexpr size_t kMostLetters = 44;

// As printf, into a string.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  va_list values, again;
  va_start(values, format);
  va_copy(again, values);
  std::string out(size_t(vsnprintf(nullptr, 0, format, values)), '\0');
  vsnprintf(out.data(), out.size() + 1, format, again);
  va_end(again);
  va_end(values);
  return out;
}

std::string markup(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else
      out += static_cast<signed char>(c) < 0x20 || c == 0x7f
                 ? '?'
                 : c;  // other bytes than ASCII's, too, which a file's name may have
  }
  return out;
}

std::string shortened(const std::string& text, size_t most = kMostLetters) {
  return text.size() <= most ? text : text.substr(0, most - 2) + "..";
}

double width_of(const std::string& text) { return kLetter * double(shortened(text).size()); }

const char* kind_of(GraphNode::Kind kind) {
  return kind == GraphNode::invocation    ? "invocation"
         : kind == GraphNode::computation ? "computation"
                                          : "synchronisation";
}
const char* kind_of(GraphArc::Kind kind) {
  return kind == GraphArc::each ? "each" : kind == GraphArc::gather ? "gather" : "spread";
}

std::string shape(GraphNode::Kind kind, double x, double y, double w, double h) {
  if (kind != GraphNode::synchronisation)
    return text("<rect x=\"%.5g\" y=\"%.5g\" width=\"%.5g\" height=\"%.5g\" rx=\"%.5g\"/>", x, y, w, h,
                kind == GraphNode::computation ? 3 : h / 2);
  return text("<polygon points=\"%.5g,%.5g %.5g,%.5g %.5g,%.5g %.5g,%.5g %.5g,%.5g %.5g,%.5g\"/>", x + 10, y,
              x + w - 10, y, x + w, y + h / 2, x + w - 10, y + h, x + 10, y + h, x, y + h / 2);
}

std::string text_at(double x, double y, const std::string& words, const char* kind = "",
                    const char* anchor = "middle") {
  return text("<text class=\"%s\" x=\"%.5g\" y=\"%.5g\" text-anchor=\"%s\">%s</text>", kind, x, y, anchor,
              markup(words).c_str());
}

const char kArrow[] = " marker-end=\"url(#einkorn-arrow)\"";

// Down to the next one: three strands where several instances go that way.
std::string strands(GraphArc::Kind kind, double x, double y, double to_y) {
  if (kind == GraphArc::each) return text("<path d=\"M%.5g %.5gV%.5g\"%s/>", x, y, to_y - 5, kArrow);
  std::string out;
  for (const double away : {-18.0, 18.0, 0.0}) {
    const bool gather = kind == GraphArc::gather;
    out += text("<path d=\"M%.5g %.5gL%.5g %.5g\"%s/>", x + (gather ? away : away / 6), y, x + (gather ? 0 : away),
                to_y - 5, gather && away != 0 ? "" : kArrow);
  }
  return out;
}

class Panel {
 public:
  explicit Panel(Graph graph) : graph_(std::move(graph)) {
    double row = kHead;
    for (const GraphNode& n : graph_.nodes) {
      const double w = std::max(width_of(n.name), width_of(n.more)) + 34;
      if (n.beside < 0) {
        top_.push_back(row);
        row += kHeight + kGap;
        widest_ = std::max(widest_, w);
        free_ = top_.back();
      } else {  // below each other, and what follows below all of them
        top_.push_back(free_);
        free_ += kHeight + 6;
        row = std::max(row, free_ + kGap);
        beside_ = std::max(beside_, w);
      }
    }
    lanes();
    left_ = lanes_.empty() ? 0 : kLane * double(*std::max_element(lane_.begin(), lane_.end()) + 1) + 10;
    height_ = row - kGap + 8;
    width_ = std::max(
        {left_ + widest_ + (beside_ > 0 ? beside_ + 34 : 0), width_of(graph_.title), width_of(graph_.name) * 1.1});
  }
  double width() const { return width_; }
  double height() const { return height_; }

  std::string draw(double x, double y) const {
    std::string out = text("<g class=\"procedure\" data-name=\"%s\" transform=\"translate(%.5g %.5g)\">\n",
                           markup(graph_.name).c_str(), x, y);
    out += text_at(0, 14, shortened(graph_.name), "name", "start") + "\n";
    out += text_at(0, 31, shortened(graph_.title), "more", "start") + "\n";
    for (size_t a = 0; a < graph_.arcs.size(); ++a) out += arc(a);
    for (size_t n = 0; n < graph_.nodes.size(); ++n) out += node(n);
    return out + "</g>\n";
  }

 private:
  bool is_straight(const GraphArc& a) const {
    if (a.to < a.from) return false;
    for (int n = a.from + 1; n < a.to; ++n)
      if (graph_.nodes[size_t(n)].beside < 0) return false;
    return true;
  }
  // Short ones inside: each in the first lane that is free beside all that it passes.
  void lanes() {
    lane_.assign(graph_.arcs.size(), -1);
    std::vector<size_t> order;
    for (size_t a = 0; a < graph_.arcs.size(); ++a)
      if (!is_straight(graph_.arcs[a]) && graph_.nodes[size_t(graph_.arcs[a].to)].beside < 0) order.push_back(a);
    const auto span = [&](size_t a) { return std::abs(graph_.arcs[a].to - graph_.arcs[a].from); };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return span(a) < span(b); });
    for (const size_t a : order) {
      const auto [low, high] = std::minmax(graph_.arcs[a].from, graph_.arcs[a].to);
      size_t lane = 0;
      const auto taken = [&](const auto& other) { return other.first < high && low < other.second; };
      while (lane < lanes_.size() && std::any_of(lanes_[lane].begin(), lanes_[lane].end(), taken)) ++lane;
      if (lane == lanes_.size()) lanes_.emplace_back();
      lanes_[lane].emplace_back(low, high);
      lane_[a] = int(lane);
    }
  }

  std::string node(size_t number) const {
    const GraphNode& n = graph_.nodes[number];
    const double w = n.beside < 0 ? widest_ : beside_, y = top_[number];
    const double x = n.beside < 0 ? left_ : left_ + widest_ + 34;
    std::string out = text("<g class=\"node %s\" data-number=\"%zu\" data-line=\"%u\"><title>%s: %s%s%s</title>",
                           kind_of(n.kind), number, n.line, kind_of(n.kind), markup(n.name).c_str(),
                           n.more.empty() ? "" : "; ", markup(n.more).c_str());
    out += shape(n.kind, x, y, w, kHeight) + text_at(x + w / 2, y + (n.more.empty() ? 22 : 15), shortened(n.name));
    if (!n.more.empty()) out += text_at(x + w / 2, y + 29, shortened(n.more), "more");
    return out + "</g>\n";
  }

  std::string arc(size_t number) const {
    const GraphArc& a = graph_.arcs[number];
    const double from = top_[size_t(a.from)], to = top_[size_t(a.to)];
    std::string path;
    if (lane_[number] >= 0) {  // out on the left below the middle, in above it
      const double lane = left_ - 10 - kLane * lane_[number], y1 = from + kHeight * 0.7, y2 = to + kHeight * 0.3;
      const double turn = y2 > y1 ? 5 : -5;
      path = text("<path d=\"M%.5g %.5gH%.5gq-5 0 -5 %gV%.5gq0 %g 5 %gH%.5g\"%s/>", left_, y1, lane + 5, turn,
                  y2 - turn, turn, turn, left_ - 5, kArrow);
    } else if (graph_.nodes[size_t(a.to)].beside >= 0) {
      const double x = left_ + widest_;
      path = text("<path d=\"M%.5g %.5gh17V%.5gH%.5g\"%s/>", x, from + kHeight / 2, to + kHeight / 2, x + 29, kArrow);
    } else {
      path = strands(a.kind, left_ + widest_ / 2, from + kHeight, to);
    }
    return text("<g class=\"arc %s\" data-from=\"%d\" data-to=\"%d\">%s</g>\n", kind_of(a.kind), a.from, a.to,
                path.c_str());
  }

  Graph graph_;
  std::vector<double> top_;
  std::vector<std::vector<std::pair<int, int>>> lanes_;
  std::vector<int> lane_;
  double widest_ = 150, beside_ = 0, left_ = 0, free_ = 0, width_ = 0, height_ = 0;
};

const char kStyle[] =
    "<style>\n"
    ".einkorn-codelets{--paper:#fff;--ink:#1b1f24;--soft:#5b6470;--line:#8a929c;--computation:#dde7f3;--invocation:#f6e3c5;"
    "--synchronisation:#d8ead9}\n"
    "@media(prefers-color-scheme:dark){.einkorn-codelets{--paper:#16191d;--ink:#e6e8ea;--soft:#a3abb5;--line:#7b838d;"
    "--computation:#26374a;--invocation:#4d3b1d;--synchronisation:#25432b}}\n"
    ".einkorn-codelets text{font:12px ui-monospace,monospace;fill:var(--ink)}\n"
    ".einkorn-codelets .more{fill:var(--soft);font-size:11px}\n"
    ".einkorn-codelets .name{font-weight:600;font-size:13px}\n"
    ".einkorn-codelets .paper{fill:var(--paper)}\n"
    ".einkorn-codelets .node rect,.einkorn-codelets .node polygon{stroke:var(--line)}\n"
    ".einkorn-codelets .computation{fill:var(--computation)}.einkorn-codelets .invocation{fill:var(--invocation)}"
    ".einkorn-codelets .synchronisation{fill:var(--synchronisation)}\n"
    ".einkorn-codelets path{fill:none;stroke:var(--soft);stroke-width:1.2}.einkorn-codelets .gather{stroke-dasharray:5 2}"
    ".einkorn-codelets .spread{stroke-dasharray:2 2}\n"
    ".einkorn-codelets marker path{fill:var(--soft);stroke:none}\n"
    "</style>\n"
    "<defs><marker id=\"einkorn-arrow\" viewBox=\"0 0 8 8\" refX=\"3\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
    "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n";

// What shapes and arrows mean, in a line.
std::string legend(double x, double y) {
  std::string out = text("<g class=\"legend\" transform=\"translate(%.5g %.5g)\">\n", x, y);
  double at = 0;
  const auto name = [&](const char* words) {
    out += text_at(at + 36, 12, words, "more", "start") + "\n";
    at += 52 + kLetter * double(strlen(words));
  };
  for (const GraphNode::Kind kind : {GraphNode::invocation, GraphNode::computation, GraphNode::synchronisation}) {
    out += text("<g class=\"node %s\">%s</g>", kind_of(kind), shape(kind, at, 0, 30, 16).c_str());
    name(kind_of(kind));
  }
  for (const GraphArc::Kind kind : {GraphArc::each, GraphArc::gather, GraphArc::spread}) {
    out += text("<g class=\"arc %s\"><path d=\"M%.5g 8h25\"%s/></g>", kind_of(kind), at, kArrow);
    name(kind == GraphArc::each ? "i to i" : kind == GraphArc::gather ? "all to sync" : "sync to all");
  }
  return out + "</g>\n";
}

}  // namespace

std::string picture(const std::string& file, const std::vector<Plan>& plans) {
  std::vector<Panel> panels;
  std::vector<std::string> left;
  for (const Plan& plan : plans)
    if (plan.why_not.empty()) panels.emplace_back(graph_of(plan));
    else if (!is_procedure(plan))
      left.push_back("region of " + plan.function->name + "(), line " + std::to_string(plan.line) + ": stays OpenMP's");
  const double top = 68;
  double x = kMargin, y = top, row = 0, width = 780;
  std::string drawn;
  for (const Panel& panel : panels) {
    if (x > kMargin && x + panel.width() + kMargin > kWidest) x = kMargin, y += row + 24, row = 0;
    drawn += panel.draw(x, y);
    row = std::max(row, panel.height());
    x += panel.width() + 40;
    width = std::max(width, x - 40 + kMargin);
  }
  y += row + (row > 0 ? 16 : 0);
  for (const std::string& line : left) {
    drawn += text_at(kMargin, y + 12, shortened(line, 90), "more left", "start") + "\n";
    y += 18;
  }
  const double height = y + kMargin;
  std::string out = text(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
      "class=\"einkorn-codelets\">\n<title>codelets of %s</title>\n",
      width, height, width, height, markup(file).c_str());
  out += kStyle + text("<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
  return out + text_at(kMargin, 24, file, "name", "start") + "\n" + legend(kMargin, 36) + drawn + "</svg>\n";
}

}  // namespace einkorn::compiler
