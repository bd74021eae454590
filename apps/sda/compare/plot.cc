#include "compare/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/text.h"

namespace sda {
namespace {

constexpr double kWidth = 760, kHeight = 380;
constexpr double kLeft = 76, kRight = 546, kTop = 14, kBottom = 322;  // of the area with the lines
constexpr double kLegend = 562, kLegendRow = 24;

struct Look {
  const char* colour;
  const char* dashes;
  const char* marker;  // a path around 0, 0
};
constexpr Look kLooks[] = {
    {"#0072b2", "", "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0z"},  // circle
    {"#d55e00", "7 3", "M-4,-4h8v8h-8z"},                              // square
    {"#009e73", "2 3", "M0,-5.5L5,4h-10z"},                            // triangle
    {"#cc79a7", "9 3 2 3", "M0,-5.5L5.5,0L0,5.5L-5.5,0z"},             // diamond
    {"#000000", "4 2", "M0,5.5L5,-4h-10z"},                            // triangle, down
    {"#e69f00", "", "M-1.6,-5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z"},  // cross
    {"#56b4e9", "12 3", "M-5,-2.5h10v5h-10z"},                                      // bar
    {"#7f7f7f", "1 2", "M-2.5,-5h5v10h-5z"},                                        // upright bar
};

// From numbers to positions on the page.
class Axis {
 public:
  Axis(double low, double high, bool log, double from, double to)
      : log_(log), low_(Shape(low)), high_(Shape(high)), from_(from), to_(to) {}
  double operator()(double value) const {
    return from_ + (to_ - from_) * (Shape(value) - low_) / (high_ - low_);
  }

 private:
  double Shape(double value) const { return log_ ? std::log(value) : value; }
  bool log_;
  double low_, high_, from_, to_;
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  void Add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // A margin at both ends, and a minimum width.
  void Widen(bool log, double share) {
    if (!(low <= high)) low = high = 1;
    if (log) {
      const double factor = low == high ? 2 : std::pow(high / low, share);
      low /= factor;
      high *= factor;
    } else {
      const double room = low == high ? std::max(0.5, 0.1 * std::abs(low)) : share * (high - low);
      low -= room;
      high += room;
    }
  }
};

std::string Text(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     XmlText(text));
}

std::string Segment(double x1, double y1, double x2, double y2, const char* colour,
                    const char* dashes = "", double width = 1) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
      "stroke-width=\"{}\" stroke-dasharray=\"{}\"/>\n",
      x1, y1, x2, y2, colour, width, *dashes != 0 ? dashes : "none");
}

std::string Marker(double x, double y, const Look& look) {
  return fmt::format(
      "<path transform=\"translate({:.1f} {:.1f})\" d=\"{}\" fill=\"#ffffff\" "
      "fill-opacity=\"0.75\" "
      "stroke=\"{}\" stroke-width=\"1.6\"/>\n",
      x, y, look.marker, look.colour);
}

// Enough decimals to distinguish equally spaced ticks: all labels of an axis have the same number.
int DecimalsOf(const std::vector<double>& ticks) {
  if (ticks.size() < 2) return 0;
  return std::max(0, static_cast<int>(-std::floor(std::log10(ticks[1] - ticks[0]) + 1e-9)));
}

std::string Grid(const Plot& plot, const Axis& x, const Axis& y, const std::vector<double>& x_ticks,
                 const std::vector<double>& y_ticks) {
  std::string out;
  const int decimals = plot.log_y ? 0 : DecimalsOf(y_ticks);
  for (const double tick : y_ticks) {
    out += Segment(kLeft, y(tick), kRight, y(tick), "#dddddd");
    out += Text(kLeft - 8, y(tick) + 4, "end", TickLabel(tick, decimals));
  }
  double free = kLeft - 40;  // labels must not run into each other
  for (const double tick : x_ticks) {
    const std::string label = TickLabel(tick);
    const double half = 3.6 * static_cast<double>(label.size()) + 4;
    out += Segment(x(tick), kTop, x(tick), kBottom, "#eeeeee");
    out += Segment(x(tick), kBottom, x(tick), kBottom + 5, "#333333");
    if (x(tick) - half < free) continue;
    out += Text(x(tick), kBottom + 19, "middle", label);
    free = x(tick) + half;
  }
  out += Segment(kLeft, kBottom, kRight, kBottom, "#333333");
  out += Segment(kLeft, kTop, kLeft, kBottom, "#333333");
  out += Text((kLeft + kRight) / 2, kHeight - 14, "middle", plot.x_label);
  const double middle = (kTop + kBottom) / 2;
  out += fmt::format(
      "<text x=\"14\" y=\"{:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {:.1f})\">{}"
      "</text>\n",
      middle, middle, XmlText(plot.y_label));
  return out;
}

std::string DrawLine(const PlotLine& line, const Look& look, const Axis& x, const Axis& y) {
  std::string path, whiskers, markers;
  for (const PlotPoint& p : line.points) {
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : "L", x(p.x), y(p.y));
    if (p.low < p.high) {
      whiskers += Segment(x(p.x), y(p.low), x(p.x), y(p.high), look.colour);
      for (const double end : {p.low, p.high}) {
        whiskers += Segment(x(p.x) - 3, y(end), x(p.x) + 3, y(end), look.colour);
      }
    }
    markers += Marker(x(p.x), y(p.y), look);
  }
  return fmt::format(
             "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" "
             "stroke-dasharray=\"{}\"/>\n",
             path, look.colour, *look.dashes != 0 ? look.dashes : "none") +
         whiskers + markers;
}

}  // namespace

std::vector<double> RoundTicks(double low, double high, int about) {
  const double raw = (high - low) / about;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  const double share = raw / power;  // from 1 to 10
  const double step = power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  const auto last = static_cast<int64_t>(std::floor(high / step + 1e-9));
  for (auto i = static_cast<int64_t>(std::ceil(low / step - 1e-9)); i <= last; ++i) {
    ticks.push_back(static_cast<double>(i) * step);
  }
  return ticks;
}

std::vector<double> LogTicks(double low, double high) {
  const bool few = high / low < 1000;
  std::vector<double> ticks;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10) {
    for (const double multiple : {1.0, 2.0, 5.0}) {
      const double tick = multiple * power;
      if ((multiple == 1 || few) && tick >= low && tick <= high) ticks.push_back(tick);
    }
  }
  return ticks.size() < 2 ? RoundTicks(low, high, 5) : ticks;
}

std::string TickLabel(double value, int decimals) {
  const bool whole = decimals <= 0 && value == std::round(value) && std::abs(value) < 1e15;
  const std::string digits = whole          ? Grouped(static_cast<uint64_t>(std::abs(value)))
                             : decimals > 0 ? fmt::format("{:.{}f}", std::abs(value), decimals)
                                            : fmt::format("{:.6g}", std::abs(value));
  return value < 0 ? "\xe2\x88\x92" + digits : digits;  // a minus sign
}

std::string XmlText(const std::string& text) {
  std::string out;
  for (const char c : Shown(text, "\n")) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string Svg(const Plot& plot) {
  Range xs, ys;
  for (const PlotLine& line : plot.lines) {
    for (const PlotPoint& p : line.points) {
      xs.Add(p.x);
      for (const double y : {p.y, p.low, p.high}) ys.Add(y);
    }
  }
  if (ys.high - ys.low < plot.least_y_range) {
    const double middle = (ys.low + ys.high) / 2;
    ys.Add(middle - plot.least_y_range / 2);
    ys.Add(middle + plot.least_y_range / 2);
  }
  xs.Widen(plot.log_x, 0.03);
  ys.Widen(plot.log_y, 0.05);
  const Axis x(xs.low, xs.high, plot.log_x, kLeft, kRight);
  const Axis y(ys.low, ys.high, plot.log_y, kBottom, kTop);
  std::vector<double> x_ticks = plot.x_ticks;
  if (x_ticks.empty()) {
    x_ticks = plot.log_x ? LogTicks(xs.low, xs.high) : RoundTicks(xs.low, xs.high, 6);
  }
  const auto y_ticks = plot.log_y ? LogTicks(ys.low, ys.high) : RoundTicks(ys.low, ys.high, 6);

  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\" "
      "font-size=\"13\" fill=\"#222222\">\n<title>{2}</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      kWidth, kHeight, XmlText(plot.title));
  out += Grid(plot, x, y, x_ticks, y_ticks);

  std::vector<size_t> order;  // of the legend
  for (size_t i = 0; i < plot.lines.size(); ++i) {
    if (!plot.lines[i].points.empty()) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return plot.lines[a].points.back().y > plot.lines[b].points.back().y;
  });
  double row = kTop + 12;
  for (const size_t i : order) {
    const Look& look = kLooks[i % std::size(kLooks)];
    out += DrawLine(plot.lines[i], look, x, y);
    out += Segment(kLegend, row, kLegend + 30, row, look.colour, look.dashes, 1.8);
    out += Marker(kLegend + 15, row, look);
    out += Text(kLegend + 38, row + 4.5, "start", plot.lines[i].label);
    row += kLegendRow;
  }
  return out + "</svg>\n";
}

}  // namespace sda
