#include "tables/classifier_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/machine_memory.h"
#include "base/text.h"
#include "sda/classifier.h"
#include "sda/errors.h"

namespace sda {
namespace {

constexpr const char* kTooMuchForVb = ": --primitive vb cannot take more, --primitive ep can";

bool IsVb(const std::map<std::string, OptionValue>& options, const TableModel& model) {
  return std::get<std::string>(model.Option(options, "primitive")) == "vb";
}

}  // namespace

bool IsDiagonal(const TableFitOptions& options, const TableModel& model, uint64_t features,
                const Context& context) {
  const auto& covariance = std::get<std::string>(model.Option(options.model_options, "covariance"));
  if (covariance != "auto") return covariance == "diagonal";
  if (features <= kMostDenseFeatures) return false;
  if (IsVb(options.model_options, model)) {
    throw UsageError(
        fmt::format("{} features are too many for the dense covariance that --primitive vb needs; "
                    "--covariance dense overrides this",
                    features));
  }
  context.Log(
      fmt::format("{} features: diagonal covariance, overconfident where features are correlated; "
                  "--covariance dense keeps all correlations",
                  Grouped(features)));
  return true;
}

void ExpectMemoryForDense(uint64_t features) {
  constexpr double kMatrices = 8;  // as large as the covariance, that are there at once
  const double coefficients = static_cast<double>(features) + 1;
  ExpectMemoryFor(fmt::format("the covariance of {} features", Grouped(features)),
                  kMatrices * sizeof(double) * coefficients * coefficients,
                  "--covariance diagonal takes a number for each");
}

ColumnScales ScalesForClassifier(const Table& first, const std::vector<std::string>& columns,
                                 const Context& context) {
  ColumnScales scales = ScalesWithoutOutliers(first, context);
  for (const size_t c : scales.with_outliers) {
    context.Log(fmt::format(
        "column \"{}\": outliers in the first minibatch, further than {:g} times the spread of "
        "the rest, do not count for its scale",
        columns[c], kOutlier));
  }
  return scales;
}

void LimitForVb(const TableSpec& spec, const TableModel& model, TableSource* source) {
  if (!IsVb(spec.options, model)) return;
  std::vector<double> centre = spec.origin;
  if (!spec.intercept) centre.assign(centre.size(), 0.0);
  std::vector<double> reach = spec.scale;
  for (double& r : reach) r *= kMostForVb;
  source->Limit(centre, reach,
                fmt::format("a number within {:g} times the spread of the first rows{}", kMostForVb,
                            kTooMuchForVb));
}

void LimitForVb(const TableSpec& spec, const TableModel& model, SvmlightOptions* options) {
  if (IsVb(spec.options, model)) options->largest = kMostForVb;
  options->largest_why = kTooMuchForVb;
}

void NarrowPriorIfDiagonal(TableSpec* spec) {
  if (!spec->diagonal || spec->prior.contains("sd")) return;
  const double features = std::max<double>(2, spec->columns.size()) - 1;
  spec->prior["sd"] = ClassifierOptions().sd / std::sqrt(features);
}

}  // namespace sda
