// A mixture of Gaussians; mixture_vb.cc has the equations, mixture_estimates.cc the estimates. The
// predictive density of component k, with p columns, precision ~ Wishart(n, S^-1) and mean strength
// b, is a Student density with n - p + 1 degrees of freedom, location m and scale matrix
// S (1 + b) / (b (n - p + 1)).

#include "sda/mixture.h"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "models/estimates.h"
#include "models/faults.h"
#include "models/mixture_estimates.h"
#include "models/mixture_information.h"
#include "models/mixture_vb.h"
#include "sda/errors.h"

namespace sda {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Of a component: none is left but for rounding where a run forgets.
constexpr NumberRange kRows{-1e-6, 1e20};

size_t SizeOf(size_t p) { return 1 + p + p * (p + 1) / 2; }

// The information takes the square of the numbers of all components; of more than these it is not
// kept.
constexpr size_t kMostSums = 800;
bool KeepsInformation(const MixtureOptions& options, size_t p) {
  return options.joint && options.components > 1 && options.components * SizeOf(p) <= kMostSums;
}

size_t Triangle(size_t n) { return n * (n + 1) / 2; }

// Of the parameters: the sums of the components; then, if it is kept, the information: rows,
// moments, and the lower triangles of whole and missing.
size_t SizeOfAll(const MixtureOptions& options, size_t p) {
  const size_t sums = options.components * SizeOf(p);
  if (!KeepsInformation(options, p)) return sums;
  return 2 * sums + 1 + options.components * Triangle(SizeOf(p)) + Triangle(sums);
}

const double* UnpackTriangle(const double* next, MatrixXd* matrix) {
  for (Eigen::Index i = 0; i < matrix->rows(); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) (*matrix)(i, j) = (*matrix)(j, i) = *next++;
  }
  return next;
}

void PackTriangle(const MatrixXd& matrix, std::vector<double>* values) {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) values->push_back(matrix(i, j));
  }
}

MixtureState Unpack(const Dense& params, const MixtureOptions& options, size_t p) {
  if (params.size() != SizeOfAll(options, p)) {
    throw std::logic_error("the parameters are those of another mixture");
  }
  const auto size = static_cast<Eigen::Index>(options.components * SizeOf(p));
  const double* next = params.data();
  MixtureState state;
  state.sums = FromFlat(Eigen::Map<const VectorXd>(next, size), static_cast<Eigen::Index>(p));
  if (!KeepsInformation(options, p)) return state;
  state.information = NoInformation(size, options.components);
  next += size;
  state.information.rows = *next++;
  state.information.moments = Eigen::Map<const VectorXd>(next, size);
  next += size;
  for (MatrixXd& k : state.information.whole) next = UnpackTriangle(next, &k);
  UnpackTriangle(next, &state.information.missing);
  return state;
}

Dense Pack(const MixtureState& state) {
  const VectorXd flat = Flat(state.sums);
  const MixtureInformation& information = state.information;
  std::vector<double> values(flat.data(), flat.data() + flat.size());
  if (information.kept()) {
    values.push_back(information.rows);
    values.insert(values.end(), information.moments.data(),
                  information.moments.data() + flat.size());
    for (const MatrixXd& k : information.whole) PackTriangle(k, &values);
    PackTriangle(information.missing, &values);
  }
  return Dense(std::move(values));
}

double At(const std::vector<double>& values, size_t i, double otherwise) {
  return values.empty() ? otherwise : values[i];
}

// One column a row of the table, standardized.
MatrixXd Standardize(const Table& rows, const MixtureOptions& options) {
  MatrixXd x(rows.columns, rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t c = 0; c < rows.columns; ++c) {
      x(c, i) = (rows.row(i)[c] - At(options.origin, c, 0)) / At(options.scale, c, 1);
      if (!(std::abs(x(c, i)) <= 1e70)) {
        throw std::domain_error(
            "a value is not within 1e70 times the spread of its column in the "
            "first minibatch");
      }
    }
  }
  return x;
}

std::vector<ComponentSums> SettledSums(const Dense& posterior, const MixtureOptions& options,
                                       size_t p) {
  const MixtureState state = Unpack(posterior, options, p);
  return state.information.rows > 0 ? Response(state, options).Settled() : state.sums;
}

// Of each row (from above to below) and component: log of its concentration times its predictive
// density, but for the factors that all rows and components have in common.
MatrixXd LogDensities(const Dense& posterior, const Table& rows, const MixtureOptions& options,
                      double* concentrations) {
  const auto p = static_cast<double>(rows.columns);
  const MatrixXd x = Standardize(rows, options);
  const auto sums = SettledSums(posterior, options, rows.columns);
  MatrixXd log_density(x.cols(), static_cast<Eigen::Index>(sums.size()));
  for (size_t k = 0; k < sums.size(); ++k) {
    const ComponentPosterior q = PosteriorOf(sums[k], options);
    *concentrations += q.concentration;
    const double dof = q.dof - p + 1;
    const double widening = (1 + q.strength) / q.strength;
    const MatrixXd scaled = q.factor.triangularView<Eigen::Lower>().solve(x.colwise() - q.mean);
    const double constant = std::log(q.concentration) + boost::math::lgamma((dof + p) / 2) -
                            boost::math::lgamma(dof / 2) - q.log_det_scatter / 2 -
                            p / 2 * std::log(widening);
    log_density.col(static_cast<Eigen::Index>(k)) =
        constant -
        (dof + p) / 2 * (scaled.colwise().squaredNorm().transpose().array() / widening + 1).log();
  }
  return log_density;
}

}  // namespace

void MixtureOptions::Validate(size_t columns) const {
  if (components < 1 || components > 1000) {
    throw UsageError("components is " + std::to_string(components) +
                     ", must be at least 1 and at most 1000");
  }
  if (columns == 0) throw UsageError("a mixture needs at least one column");
  CheckPositive("concentration", concentration);
  CheckPositive("weight", weight);
  CheckPositive("spread", spread);
  for (const auto* values : {&origin, &scale}) {
    if (!values->empty() && values->size() != columns) {
      throw UsageError("an origin and a scale are needed for each column, or none");
    }
  }
  CheckOrigins(origin);
  CheckScales(scale);
  if (restarts < 1 || max_iterations < 1 || !(tolerance > 0)) {
    throw UsageError("restarts, max_iterations and tolerance must be above 0");
  }
}

Mixture::Mixture(std::vector<std::string> columns, MixtureOptions options)
    : columns_(std::move(columns)), options_(std::move(options)) {
  options_.Validate(columns_.size());
}

Dense Mixture::Prior() const {
  const auto p = static_cast<Eigen::Index>(columns_.size());
  const double variance = options_.spread * options_.spread;
  const ComponentSums one{0, VectorXd::Zero(p), variance * MatrixXd::Identity(p, p)};
  const Dense prior = Pack({std::vector<ComponentSums>(options_.components, one), {}});
  std::vector<double> values = prior.values();
  values.resize(SizeOfAll(options_, columns_.size()));
  return Dense(std::move(values));
}

size_t Mixture::SizeBefore() const { return options_.components * SizeOf(columns_.size()); }

Dense Mixture::operator()(const Table& data, const Dense& prior, uint64_t key) const {
  Dense posterior = prior;
  posterior += Change(data, prior, key);
  return posterior;
}

Dense Mixture::Change(const Table& data, const Dense& prior, uint64_t /*key*/) const {
  const MixtureState from = Unpack(prior, options_, columns_.size());
  return Pack(FitMixture(Standardize(data, options_), from, options_));
}

std::vector<Estimate> Mixture::Describe(const Dense& posterior) const {
  return MixtureEstimates(columns_, options_, Unpack(posterior, options_, columns_.size()));
}

Table Mixture::Responsibilities(const Dense& posterior, const Table& rows) const {
  if (rows.size() == 0) return {options_.components, {}};
  double concentrations = 0;
  const MatrixXd log_density = LogDensities(posterior, rows, options_, &concentrations);
  Table result{options_.components, {}};
  for (Eigen::Index i = 0; i < log_density.rows(); ++i) {
    VectorXd weights = (log_density.row(i).array() - log_density.row(i).maxCoeff()).exp();
    weights /= weights.sum();
    result.values.insert(result.values.end(), weights.data(), weights.data() + weights.size());
  }
  return result;
}

std::vector<double> Mixture::LogPredictive(const Dense& posterior, const Table& rows) const {
  if (rows.size() == 0) return {};
  double concentrations = 0;
  const MatrixXd log_density = LogDensities(posterior, rows, options_, &concentrations);
  double common = -std::log(concentrations);
  for (size_t c = 0; c < columns_.size(); ++c) {
    common -=
        std::log(boost::math::constants::pi<double>()) / 2 + std::log(At(options_.scale, c, 1));
  }
  std::vector<double> logs;
  for (Eigen::Index i = 0; i < log_density.rows(); ++i) {
    const double most = log_density.row(i).maxCoeff();
    logs.push_back(common + most + std::log((log_density.row(i).array() - most).exp().sum()));
  }
  return logs;
}

std::optional<std::string> Mixture::FaultInInformation(const Dense& posterior) const {
  for (size_t i = SizeBefore(); i < posterior.size(); ++i) {
    if (kSums.Holds(posterior[i])) continue;
    return FaultText(i, "the information of the rows", posterior[i], kSums);
  }
  const MixtureState state = Unpack(posterior, options_, columns_.size());
  if (!state.information.kept()) return std::nullopt;
  const double rows = RowsOf(state.sums);
  if (!(state.information.rows >= 0 && state.information.rows <= rows + 1e-6 * (1 + rows))) {
    return FaultText("the rows of the information", state.information.rows, {0, rows});
  }
  if (const auto fault = sda::FaultInInformation(state.information, state.sums[0].sum.size())) {
    return fault;
  }
  if (state.information.rows == 0) return std::nullopt;
  try {
    const Response response(state, options_);
    return std::nullopt;
  } catch (const std::domain_error& e) {
    return e.what();
  }
}

std::optional<std::string> Mixture::FaultIn(const Dense& posterior) const {
  const size_t p = columns_.size();
  for (size_t i = 0; i < SizeBefore(); ++i) {
    const size_t in_component = i % SizeOf(p);
    const NumberRange& range = in_component == 0 ? kRows : kSums;
    if (range.Holds(posterior[i])) continue;
    return FaultText(i,
                     (in_component == 0   ? "the rows of component "
                      : in_component <= p ? "a sum of component "
                                          : "a sum of products of component ") +
                         std::to_string(i / SizeOf(p) + 1),
                     posterior[i], range);
  }
  size_t component = 0;
  for (const ComponentSums& sums : Unpack(posterior, options_, p).sums) {
    ++component;
    try {
      const ComponentPosterior q = PosteriorOf(sums, options_);
      if (kCounts.Holds(q.concentration) && kCounts.Holds(q.strength)) continue;
      return FaultText("the weight of component " + std::to_string(component),
                       std::min(q.concentration, q.strength), kCounts);
    } catch (const std::domain_error& e) {
      return "component " + std::to_string(component) + ": " + e.what();
    }
  }
  return FaultInInformation(posterior);
}

}  // namespace sda
