// Speed-up over threads with its bounds, as one self-contained file: `einkorn simulate --plot`.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace einkorn::report {

using Line = std::vector<std::pair<double, double>>;  // threads, speed-up; by threads

struct SpeedupPlot {
  struct Curve {
    std::string name;
    Line points;
    Line other;  // of a prediction that is a range: its other end at the same threads, else empty. Shaded in between
    Line inflation;  // P / r, where that is known
  };
  std::string title, subtitle;
  std::vector<Curve> curves;  // at most kMostCurves
  Line at_most;               // work / span bound
  Line burdened;
};

inline constexpr size_t kMostCurves = 8;  // as many can be told apart

// SVG: light or dark as the viewer's system is. A curve has its colour (Okabe and Ito's, for all kinds of sight) and
// its marker. Both axes are logarithmic, so that the same distance below "as many as threads" is the same efficiency
// everywhere. Titles and names are text, not markup. Points with a speed-up that is not above 0 are left out.
std::string speedup_svg(const SpeedupPlot& plot);

// The same in a page, with `table` (text in columns) below it.
std::string speedup_html(const SpeedupPlot& plot, const std::string& table);

}  // namespace einkorn::report
