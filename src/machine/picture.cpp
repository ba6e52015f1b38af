// The machine as SVG: boxes in boxes, each as large as what is in it, and the distances as a table of shades.
#include <algorithm>
#include <cmath>

#include "machine/describe.h"
#include "machine/text.h"

namespace einkorn::machine {

namespace {

constexpr double kCore = 14, kGap = 4, kLabel = 15;
constexpr int kMostCores = 4096;  // more do not make a picture: each cache then says how many it has

struct Box {
  const char* kind;   // CSS class
  std::string label;  // above the children; empty: no line for it
  std::string title;  // tooltip
  std::vector<Box> children;
  double w = kCore, h = kCore;
  int columns = 1;
  double child_w = 0, child_h = 0;
};

std::string escaped(const std::string& s) {
  std::string shown = utf8(s);
  std::erase_if(shown, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return markup(shown);
}

// Children in rows and columns, about `shape` times as wide as high.
void lay_out(Box& b, double shape) {
  if (b.children.empty()) {
    if (!b.label.empty()) b.w = std::max(b.w, 6.3 * double(b.label.size()) + 2 * kGap), b.h = kLabel + kGap;
    return;
  }
  for (Box& c : b.children) {
    lay_out(c, shape);
    b.child_w = std::max(b.child_w, c.w);
    b.child_h = std::max(b.child_h, c.h);
  }
  double n = double(b.children.size());
  double columns = std::ceil(std::sqrt(n * shape * (b.child_h + kGap) / (b.child_w + kGap)));
  b.columns = int(std::clamp(columns, 1.0, n));
  // Full rows look better, if they are not much shorter: 64 in 8 columns rather than in 11.
  for (int c = b.columns; c >= b.columns * 0.6; --c)
    if (int(b.children.size()) % c == 0) {
      b.columns = c;
      break;
    }
  int rows = int(std::ceil(n / b.columns));
  b.w = std::max(b.columns * (b.child_w + kGap) + kGap, b.label.empty() ? 0 : 6.3 * double(b.label.size()) + 2 * kGap);
  b.h = rows * (b.child_h + kGap) + kGap + (b.label.empty() ? 0 : kLabel);
}

void draw(std::string& out, const Box& b, double x, double y) {
  out += text("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\">%s%s%s</rect>\n",
              b.kind, x, y, b.w, b.h, b.title.empty() ? "" : "<title>", escaped(b.title).c_str(),
              b.title.empty() ? "" : "</title>");
  if (!b.label.empty())
    out += text("<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x + kGap, y + kLabel - kGap, escaped(b.label).c_str());
  double top = y + kGap + (b.label.empty() ? 0 : kLabel);
  for (size_t i = 0; i < b.children.size(); ++i) {
    const int row = int(i) / b.columns, column = int(i) % b.columns;
    draw(out, b.children[i], x + kGap + column * (b.child_w + kGap), top + row * (b.child_h + kGap));
  }
}

Box structure(const Machine& m) {
  Box machine{"machine", "", "", {}};
  std::vector<std::vector<int>> cpus_of_core(static_cast<size_t>(m.cores));
  for (const Pu& p : m.pus) cpus_of_core[size_t(p.core)].push_back(p.os);
  auto node_box = [&](int node) {
    const Node& n = m.nodes[size_t(node)];
    std::string label =
        n.memory_bytes ? text("node %d  %s", node, bytes_text(n.memory_bytes).c_str()) : text("node %d", node);
    return Box{"node", label, label, {}};
  };
  const Pu* last = nullptr;
  for (const Pu& p : m.pus) {
    bool socket = !last || last->socket != p.socket, node = socket || last->node != p.node,
         llc = node || last->llc != p.llc;
    bool core = llc || last->core != p.core;
    if (socket) machine.children.push_back({"socket", text("socket %d", p.socket), text("socket %d", p.socket), {}});
    auto& nodes = machine.children.back().children;
    if (node) nodes.push_back(node_box(p.node));
    auto& llcs = nodes.back().children;
    if (llc) {
      std::string size = m.llc_bytes ? bytes_text(m.llc_bytes) : "";
      llcs.push_back({"llc", size, text("last-level cache %d%s%s", p.llc, size.empty() ? "" : ", ", size.c_str()), {}});
    }
    if (core && m.cores <= kMostCores)
      llcs.back().children.push_back(
          {"core", "", text("core %d: CPU %s", p.core, list_text(cpus_of_core[size_t(p.core)]).c_str()), {}});
    last = &p;
  }
  // Memory without CPUs: beside the nodes of its socket.
  std::vector<bool> drawn(m.nodes.size());
  for (const Pu& p : m.pus) drawn[size_t(p.node)] = true;
  for (int i = 0; i < m.node_count(); ++i)
    if (!drawn[size_t(i)]) machine.children[size_t(m.nodes[size_t(i)].socket)].children.push_back(node_box(i));
  return machine;
}

// Shades from none (the node itself) to full (the farthest).
void draw_distances(std::string& out, const Machine& m, double x, double y, double cell) {
  const int n = m.node_count();
  float most = *std::max_element(m.distance.begin(), m.distance.end()),
        least = *std::min_element(m.distance.begin(), m.distance.end());
  bool figures = cell >= 19, heads = cell >= 12;
  out += text("<text x=\"%.1f\" y=\"%.1f\">distances between nodes, %s</text>\n", x, y - 20,
              m.distance_measured ? "measured" : "as the system tells them");
  for (int i = 0; heads && i < n; ++i) {
    out += text("<text class=\"head\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%d</text>\n", x + (i + 0.5) * cell,
                y - 4, i);
    out += text("<text class=\"head\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%d</text>\n", x - 4,
                y + (i + 0.5) * cell + 3, i);
  }
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      float d = m.distance_between(a, b);
      double shade = most > least ? double((d - least) / (most - least)) : 0;
      out += text(
          "<rect class=\"shade\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
          "fill-opacity=\"%.2f\"><title>from node %d "
          "to node %d: %g</title></rect>\n",
          x + b * cell, y + a * cell, cell, cell, 0.04 + 0.6 * shade, a, b, double(d));
      if (figures)
        out += text("<text class=\"figure\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%.0f</text>\n",
                    x + (b + 0.5) * cell, y + (a + 0.5) * cell + 3, double(d));
    }
}

}  // namespace

std::string picture(const Machine& m) {
  Box machine = structure(m);
  lay_out(machine, 1.5);
  const int n = m.node_count();
  const double cell = std::clamp(400.0 / n, 5.0, 24.0), table = n > 1 && n <= 256 ? n * cell : 0;
  const double margin = 16, top = 48;
  const double table_x = margin + machine.w + 56;
  const double width =
      std::max(table > 0 ? std::max(table_x + table, table_x + 280) + margin : machine.w + 2 * margin, 420.0);
  const double height = top + std::max(machine.h, table > 0 ? table + 28 : 0) + margin;
  std::string heading =
      text("%s: %d CPUs, %d cores, %d nodes, %d sockets", m.name.c_str(), m.pu_count(), m.cores, n, m.sockets);
  std::string out = text(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
      "role=\"img\" class=\"einkorn-machine\">\n<title>%s</title>\n",
      width, height, width, height, escaped(heading).c_str());
  // Class names of its own: the picture may stand in a page with styles.
  out +=
      "<style>\n"
      ".einkorn-machine{--paper:#fff;--ink:#1b1f24;--line:#8a929c;--socket:#f1f3f5;--node:#dde7f3;--llc:#c3d6ec;--core:"
      "#3f6fa8;--far:#c2410c}\n"
      "@media(prefers-color-scheme:dark){.einkorn-machine{--paper:#16191d;--ink:#e6e8ea;--line:#6b737d;--socket:#"
      "21262c;"
      "--node:#26374a;--llc:#2f4b69;--core:#86b4ea;--far:#fb923c}}\n"
      ".einkorn-machine text{font:11px system-ui,sans-serif;fill:var(--ink)}\n"
      ".einkorn-machine .heading{font-size:14px;font-weight:600}\n"
      ".einkorn-machine .head,.einkorn-machine .figure{font-size:9px}\n"
      ".einkorn-machine rect{stroke:var(--line);stroke-width:.6}\n"
      ".einkorn-machine .paper,.einkorn-machine .machine{fill:var(--paper);stroke:none}\n"
      ".einkorn-machine .socket{fill:var(--socket)}.einkorn-machine .node{fill:var(--node)}\n"
      ".einkorn-machine .llc{fill:var(--llc)}.einkorn-machine .core{fill:var(--core);stroke:none}\n"
      ".einkorn-machine .shade{fill:var(--far);stroke-width:.3}\n"
      "</style>\n";
  out += text("<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
  out += text("<text class=\"heading\" x=\"%.0f\" y=\"24\">%s</text>\n", margin, escaped(heading).c_str());
  draw(out, machine, margin, top - kGap);
  if (table > 0) draw_distances(out, m, table_x, top + 28, cell);
  return out + "</svg>\n";
}

}  // namespace einkorn::machine
