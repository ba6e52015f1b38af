// A chart of a few lines as SVG text, to stand in a page or in a document: a library of charts would be the larger part
// of both.
#include "report/page/speedup_plot.h"

#include "machine/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/wording.h"

namespace einkorn::report {

namespace {

constexpr double kWidth = 760, kHeight = 520, kLeft = 64, kRight = 208, kTop = 62, kBottom = 52;

// Okabe and Ito's colours, those that are too light on white or too dark on black changed for the other background.
constexpr const char* kLight[kMostCurves] = {"#0072b2", "#c04e00", "#00795a", "#a8447f",
                                             "#3a7ca5", "#a56a00", "#111111", "#7a7200"};
constexpr const char* kDark[kMostCurves] = {"#56a8e8", "#ff8a3d", "#2ec79b", "#e58fc3",
                                            "#9fd6f5", "#ffc04d", "#f2f2f2", "#f0e442"};

// Powers of two on both axes.
struct Axes {
  double from_x = 0, to_x = 1, from_y = 0, to_y = 1;  // log2
  double x(double v) const { return kLeft + (std::log2(v) - from_x) / (to_x - from_x) * (kWidth - kLeft - kRight); }
  double y(double v) const {
    return kHeight - kBottom - (std::log2(v) - from_y) / (to_y - from_y) * (kHeight - kTop - kBottom);
  }
};

Line shown(const Line& line) {
  Line out;
  for (const auto& p : line)
    if (p.first > 0 && p.second > 0 && std::isfinite(p.second)) out.push_back(p);
  return out;
}

Axes axes_of(const SpeedupPlot& plot) {
  Axes a;
  double most_x = 2, most_y = 2, least_y = 1, least_x = 1e300;
  for (const SpeedupPlot::Curve& c : plot.curves)
    for (const Line* line : {&c.points, &c.other})
      for (const auto& [x, y] : shown(*line)) {
        most_x = std::max(most_x, x);
        least_x = std::min(least_x, x);
        most_y = std::max(most_y, y);
        least_y = std::min(least_y, y);
      }
  for (const auto& [x, y] : shown(plot.at_most)) most_y = std::max(most_y, y);
  a.from_x = least_x < most_x ? std::floor(std::log2(least_x)) : 0;
  a.to_x = std::max(std::log2(most_x), a.from_x + 1);
  a.from_y = std::floor(std::log2(least_y));
  a.to_y = std::log2(most_y * 1.1);
  return a;
}

std::string path_of(const Axes& a, const Line& line, const char* attributes) {
  std::string d;
  for (const auto& [x, y] : shown(line)) d += fmt::format("{}{:.1f} {:.1f}", d.empty() ? "M" : " L", a.x(x), a.y(y));
  return d.empty() ? "" : fmt::format("<path clip-path=\"url(#speedup-field)\" d=\"{}\" {}/>\n", d, attributes);
}

// What lies between the ends of a range.
std::string band_of(const Axes& a, const SpeedupPlot::Curve& c, size_t colour) {
  Line corners = shown(c.points);
  const Line other = shown(c.other);
  corners.insert(corners.end(), other.rbegin(), other.rend());
  std::string points;
  for (const auto& [x, y] : corners) points += fmt::format("{:.1f},{:.1f} ", a.x(x), a.y(y));
  return fmt::format("<polygon class=\"band\" points=\"{}\" style=\"fill:var(--c{});fill-opacity:0.18\"/>\n", points,
                     colour);
}

// Eight shapes about a point.
std::string marker(size_t kind, double x, double y) {
  auto polygon = [&](std::initializer_list<std::pair<double, double>> corners) {
    std::string points;
    for (auto [dx, dy] : corners) points += fmt::format("{:.1f},{:.1f} ", x + dx, y + dy);
    return fmt::format("<polygon points=\"{}\"/>", points);
  };
  switch (kind) {
    case 0: return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>", x, y);
    case 1: return polygon({{-4, -4}, {4, -4}, {4, 4}, {-4, 4}});
    case 2: return polygon({{0, -5}, {5, 4}, {-5, 4}});
    case 3: return polygon({{0, -5.5}, {5.5, 0}, {0, 5.5}, {-5.5, 0}});
    case 4: return polygon({{0, 5}, {5, -4}, {-5, -4}});
    case 5: return fmt::format("<circle class=\"hollow\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>", x, y);
    case 6:
      return fmt::format("<rect class=\"hollow\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"8\" height=\"8\"/>", x - 4, y - 4);
    default:
      return polygon({{-1.5, -5},
                      {1.5, -5},
                      {1.5, -1.5},
                      {5, -1.5},
                      {5, 1.5},
                      {1.5, 1.5},
                      {1.5, 5},
                      {-1.5, 5},
                      {-1.5, 1.5},
                      {-5, 1.5},
                      {-5, -1.5},
                      {-1.5, -1.5}});
  }
}

std::string style() {
  std::string light, dark;
  for (size_t i = 0; i < kMostCurves; ++i) {
    light += fmt::format("--c{}:{};", i, kLight[i]);
    dark += fmt::format("--c{}:{};", i, kDark[i]);
  }
  return fmt::format(
      "<style>\n"
      ".speedup{{--ground:#ffffff;--ink:#1b1b1b;--soft:#595959;--grid:#e3e3e3;{}font:13px system-ui,sans-serif}}\n"
      "@media (prefers-color-scheme:dark){{.speedup{{--ground:#16181c;--ink:#ececec;--soft:#a8a8a8;--grid:#33373d;{}}}}}\n"
      ".speedup text{{fill:var(--ink)}} .speedup .soft{{fill:var(--soft)}} .speedup path{{fill:none;stroke-width:2}}\n"
      ".speedup .hollow{{fill:var(--ground);stroke:currentColor;stroke-width:2}}\n"
      ".speedup .grid{{stroke:var(--grid);stroke-width:1}} .speedup .bound{{stroke:var(--soft);stroke-width:1.5}}\n"
      "</style>\n",
      light, dark);
}

std::string grid(const Axes& a) {
  std::string out;
  const double bottom = kHeight - kBottom, right = kWidth - kRight;
  for (int k = int(std::ceil(a.from_x - 1e-9)); k <= int(std::floor(a.to_x + 1e-9)); ++k) {
    const double x = a.x(std::exp2(k));
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:g}</text>\n",
        x, kTop, bottom, bottom + 18, std::exp2(k));
  }
  if (a.to_x - std::floor(a.to_x + 1e-9) > 0.4)  // there is room for the largest, too
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{:g}</text>\n", right, bottom + 18,
                       std::round(std::exp2(a.to_x)));
  for (int k = int(std::ceil(a.from_y - 1e-9)); k <= int(std::floor(a.to_y + 1e-9)); ++k) {
    const double y = a.y(std::exp2(k));
    out += fmt::format(
        "<line class=\"grid\" x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n",
        y, kLeft, right, kLeft - 8, y + 4, std::exp2(k));
  }
  out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">threads</text>\n", (kLeft + right) / 2,
                     kHeight - 12);
  out += fmt::format(
      "<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">speed-up over one thread, predicted</text>\n",
      (kTop + bottom) / 2);
  return out;
}

}  // namespace

std::string speedup_svg(const SpeedupPlot& plot) {
  const Axes a = axes_of(plot);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"speedup\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" aria-labelledby=\"speedup-title speedup-text\">\n"
      "<title id=\"speedup-title\">{2}</title>\n",
      kWidth, kHeight, machine::markup(plot.title));
  std::string text;  // the figures themselves, for who cannot see the picture
  for (const SpeedupPlot::Curve& c : plot.curves) {
    text += fmt::format("{}:", c.name);
    const Line points = shown(c.points), other = shown(c.other);
    for (size_t i = 0; i < points.size(); ++i) {
      text += i < other.size() ? fmt::format(" {:.2f} to", other[i].second) : "";
      text += fmt::format(" {:.2f} with {:g} threads;", points[i].second, points[i].first);
    }
    text += ' ';
  }
  out += fmt::format("<desc id=\"speedup-text\">Predicted speed-up. {}</desc>\n", machine::markup(text)) + style();
  out += fmt::format("<clipPath id=\"speedup-field\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n",
                     kLeft, kTop, kWidth - kLeft - kRight, kHeight - kTop - kBottom);
  out += fmt::format("<rect width=\"{}\" height=\"{}\" style=\"fill:var(--ground)\"/>\n", kWidth, kHeight);
  out += fmt::format("<text x=\"{}\" y=\"24\" style=\"font-weight:600;font-size:15px\">{}</text>\n", kLeft,
                     machine::markup(plot.title));
  out += fmt::format("<text class=\"soft\" x=\"{}\" y=\"44\">{}</text>\n", kLeft, machine::markup(plot.subtitle)) +
         grid(a);

  const double right = kWidth - kRight;
  double legend = kTop + 12;
  auto entry = [&](const std::string& sample, const std::string& label) {
    out += fmt::format("<g transform=\"translate({} {})\">{}<text x=\"40\" y=\"4\">{}</text></g>\n", right + 16, legend,
                       sample, machine::markup(label));
    legend += 22;
  };
  auto short_name = [](const std::string& s) { return s.size() > 22 ? s.substr(0, 20) + "..." : s; };
  out += path_of(a, {{std::exp2(a.from_x), std::exp2(a.from_x)}, {std::exp2(a.to_x), std::exp2(a.to_x)}},
                 "class=\"bound\"");
  out += path_of(a, plot.at_most, "class=\"bound\" stroke-dasharray=\"8 4\"");
  out += path_of(a, plot.burdened, "class=\"bound\" stroke-dasharray=\"2 3\"");
  bool inflated = false, ranges = false;
  for (size_t i = 0; i < plot.curves.size() && i < kMostCurves; ++i)
    if (!shown(plot.curves[i].other).empty()) out += band_of(a, plot.curves[i], i), ranges = true;
  for (size_t i = 0; i < plot.curves.size() && i < kMostCurves; ++i) {
    const SpeedupPlot::Curve& c = plot.curves[i];
    const std::string colour = fmt::format("stroke:var(--c{})", i);
    out += path_of(a, c.inflation,
                   fmt::format("style=\"{};stroke-width:1\" stroke-dasharray=\"6 3 1 3\"", colour).c_str());
    inflated |= !shown(c.inflation).empty();
    out += path_of(a, c.points, fmt::format("style=\"{}\"", colour).c_str());
    out += fmt::format("<g style=\"fill:var(--c{0});color:var(--c{0})\">", i);
    for (const auto& [x, y] : shown(c.points)) out += marker(i, a.x(x), a.y(y));
    out += "</g>\n";
    const Line points = shown(c.points), other = shown(c.other);
    const std::string from = other.empty() ? "" : fmt::format("{:.3g}-", other.back().second);
    entry(fmt::format("<path d=\"M0 0H32\" style=\"{0}\"/><g style=\"fill:var(--c{1});color:var(--c{1})\">{2}</g>",
                      colour, i, marker(i, 16, 0)),
          points.empty() ? short_name(c.name)
                         : fmt::format("{}: {}{:.3g}", short_name(c.name), from, points.back().second));
  }
  legend += 8;
  entry("<path class=\"bound\" d=\"M0 0H32\"/>", "as many as threads");
  if (!shown(plot.at_most).empty())
    entry("<path class=\"bound\" stroke-dasharray=\"8 4\" d=\"M0 0H32\"/>", "work / longest path");
  if (!shown(plot.burdened).empty())
    entry("<path class=\"bound\" stroke-dasharray=\"2 3\" d=\"M0 0H32\"/>", "burdened");
  if (ranges)
    entry("<rect class=\"soft\" y=\"-6\" width=\"32\" height=\"12\" style=\"fill:var(--soft);fill-opacity:0.25\"/>",
          "memory unknown");
  if (inflated) entry("<path class=\"bound\" stroke-dasharray=\"6 3 1 3\" d=\"M0 0H32\"/>", "threads / inflation");
  return out + "</svg>\n";
}

std::string speedup_html(const SpeedupPlot& plot, const std::string& table) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\"><title>{}</title>\n"
      "<style>body{{margin:24px;background:#fff;color:#1b1b1b}} svg{{max-width:100%;height:auto}} pre{{overflow-x:auto}}\n"
      "@media (prefers-color-scheme:dark){{body{{background:#16181c;color:#ececec}}}}</style></head>\n<body>\n{}<pre>{}</pre>\n</body></html>\n",
      machine::markup(plot.title), speedup_svg(plot), machine::markup(table));
}

}  // namespace einkorn::report
