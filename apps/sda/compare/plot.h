#ifndef SDA_APPS_COMPARE_PLOT_H_
#define SDA_APPS_COMPARE_PLOT_H_

#include <string>
#include <vector>

namespace sda {

struct PlotPoint {
  double x = 0;
  double y = 0;
  double low = 0;  // of the whisker from low to high; none where they are equal
  double high = 0;
};

struct PlotLine {
  std::string label;
  std::vector<PlotPoint> points;  // ascending in x
};

struct Plot {
  std::string title;  // for screen readers; it is not drawn
  std::string x_label;
  std::string y_label;
  bool log_x = false;  // all x are above 0 then
  bool log_y = false;
  double least_y_range = 0;     // so that noise does not fill the page
  std::vector<double> x_ticks;  // empty: chosen at round numbers
  std::vector<PlotLine> lines;
};

// Positions for about this number of ticks between low and high, at 1, 2 or 5 times powers of ten.
std::vector<double> RoundTicks(double low, double high, int about);
// The same on a logarithmic axis, 0 < low <= high: powers of ten, with 2 and 5 between if few.
std::vector<double> LogTicks(double low, double high);
// 16384 as "16,384", -0.05 as "−0.05"; decimals 0: as many as the number has.
std::string TickLabel(double value, int decimals = 0);
// The characters that mean something in XML replaced, and those that are not allowed there or
// would reorder the text escaped as by Shown().
std::string XmlText(const std::string& text);

// A line plot as a whole SVG document. The lines differ in colour (Okabe and Ito's, which
// colour-blind readers can distinguish), marker and dashes; the legend has the order of the lines'
// right ends, the highest first. At most 8 lines differ.
std::string Svg(const Plot& plot);

}  // namespace sda

#endif  // SDA_APPS_COMPARE_PLOT_H_
