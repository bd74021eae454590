#ifndef SDA_APPS_COMPARE_COMPARE_FIGURES_H_
#define SDA_APPS_COMPARE_COMPARE_FIGURES_H_

#include <string>
#include <vector>

#include "compare/compare_results.h"
#include "compare/plot.h"

namespace sda {

struct Figure {
  std::string file;
  std::string caption;
  Plot plot;
};

// The pictures of an experiment, if it has some.
std::vector<Figure> FiguresOf(const Comparison& comparison, const Experiment& experiment);

}  // namespace sda

#endif  // SDA_APPS_COMPARE_COMPARE_FIGURES_H_
