// Linear regression: y = x'w + e, e ~ Normal(0, precision t), p coefficients w, of which the first
// may be an intercept.
//   prior       t ~ Gamma(a, b),  w | t ~ Normal(0, precision t L)
//   likelihood  Normal(y | x'w, precision t)
//   posterior   L' = L + X'X,  m = L'^-1 X'y,  a' = a + n / 2,  b' = b + (y'y - m'L'm) / 2
//   marginals   w_j ~ m_j + sqrt(b'/a' (L'^-1)_jj) Student(2 a'),  t ~ Gamma(a', b')
//   predictive  y* ~ x*'m + sqrt(b'/a' (1 + x*'L'^-1 x*)) Student(2 a')
// The joint density is t^((v - 2) / 2) exp(-t (w'L w - 2 h'w + s) / 2), so the natural parameters
// are (L packed by rows of its lower triangle, h = L m, s = 2 b + m'L m, v), to which a row adds (x
// x', x y, y^2, 1), and a = (v - p) / 2. A flat direction of the prior adds nothing to v, a proper
// one adds 1. The intercept's prior is flat, so shifting the origin changes no posterior.

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <stdexcept>

#include "models/estimates.h"
#include "models/faults.h"
#include "sda/errors.h"

namespace sda {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

size_t PackedSize(size_t p) { return p * (p + 1) / 2; }

// A coefficient whose column explains less than this share of itself, given the columns before it,
// cannot be distinguished from them.
constexpr double kDependent = 1e-11;

}  // namespace

// The posterior in the usual parameters, with L' = D C C' D, D diagonal and C lower triangular:
// scaling by D first makes columns of very different units harmless.
struct Linear::Solution {
  VectorXd mean;
  VectorXd scale;   // D
  MatrixXd factor;  // C
  double shape;
  double rate;
  bool rounded;  // the rate is an upper bound: it is lost in rounding

  // u' L'^-1 u.
  double InverseForm(const VectorXd& u) const {
    return factor.triangularView<Eigen::Lower>().solve(u.cwiseQuotient(scale)).squaredNorm();
  }
  double ScaleOf(const VectorXd& u, double extra) const {
    return std::sqrt(rate / shape * (extra + InverseForm(u)));
  }
  Estimate Marginal(std::string name, double offset, const VectorXd& u, double extra) const {
    Estimate e =
        StudentEstimate(std::move(name), offset + u.dot(mean), ScaleOf(u, extra), 2 * shape);
    e.approximate = rounded;
    return e;
  }
};

Linear::Linear(std::vector<std::string> features, PriorOptions prior, bool intercept,
               std::vector<double> origin)
    : features_(std::move(features)),
      prior_(prior),
      intercept_(intercept),
      origin_(std::move(origin)) {
  CheckNotNegative("precision", prior.precision);
  CheckNotNegative("shape", prior.shape);
  CheckNotNegative("rate", prior.rate);
  CheckOrigins(origin_);
  if (origin_.empty()) origin_.assign(features_.size() + 1, 0.0);
  if (origin_.size() != features_.size() + 1) {
    throw std::logic_error("an origin is needed for each feature and the target, or none");
  }
  if (coefficients() == 0) {
    throw UsageError("a regression needs at least one feature or an intercept");
  }
}

Dense Linear::Prior() const {
  const size_t p = coefficients();
  Dense params(PackedSize(p) + p + 2);
  for (size_t j = intercept_ ? 1 : 0; j < p; ++j) params[PackedSize(j) + j] = prior_.precision;
  params[PackedSize(p) + p] = 2 * prior_.rate;
  params[PackedSize(p) + p + 1] = DegreesOfPrior();
  return params;
}

double Linear::DegreesOfPrior() const {
  return 2 * prior_.shape + (prior_.precision > 0 ? static_cast<double>(features_.size()) : 0);
}

void Linear::AddStatistics(const Table& data, Dense* params) const {
  const size_t p = coefficients();
  const size_t n = data.size();
  const size_t first = intercept_ ? 1 : 0;
  // One column a row of data, the target last: its outer products are all the statistics.
  MatrixXd z(p + 1, n);
  for (size_t i = 0; i < n; ++i) {
    const auto row = data.row(i);
    if (intercept_) z(0, i) = 1;
    for (size_t c = 0; c < row.size(); ++c) z(first + c, i) = row[c] - origin_[c];
  }
  MatrixXd sums = MatrixXd::Zero(p + 1, p + 1);
  sums.selfadjointView<Eigen::Lower>().rankUpdate(z);
  // Row by row, its lower triangle is L, then h and s: the order of the parameters.
  for (size_t i = 0; i <= p; ++i) {
    for (size_t j = 0; j <= i; ++j) (*params)[PackedSize(i) + j] += sums(i, j);
  }
  (*params)[PackedSize(p) + p + 1] += static_cast<double>(n);
}

Linear::Solution Linear::Solve(const Dense& posterior) const {
  const size_t p = coefficients();
  const double* h = posterior.data() + PackedSize(p);
  Solution s;
  s.shape = (h[p + 1] - static_cast<double>(p)) / 2;
  if (!(s.shape > 0)) {
    throw std::domain_error("a regression with " + std::to_string(p) +
                            " coefficients needs more rows of data than that, or a prior "
                            "precision and shape above 0");
  }
  s.scale.resize(p);
  s.factor = MatrixXd::Zero(p, p);
  for (size_t i = 0; i < p; ++i) {
    s.scale(i) = std::sqrt(posterior[PackedSize(i) + i]);
    for (size_t j = 0; j <= i; ++j) {
      double sum = posterior[PackedSize(i) + j] / (s.scale(i) * s.scale(j)) -
                   s.factor.row(i).head(j).dot(s.factor.row(j).head(j));
      if (j < i) {
        s.factor(i, j) = sum / s.factor(j, j);
        continue;
      }
      if (!(sum > kDependent)) {
        const std::string name =
            intercept_ && i == 0 ? "the intercept" : "column \"" + features_[i - intercept_] + "\"";
        throw std::domain_error(name +
                                " is constant or a combination of the columns before it: leave it "
                                "out, or give the prior a precision above 0");
      }
      s.factor(i, i) = std::sqrt(sum);
    }
  }
  const auto lower = s.factor.triangularView<Eigen::Lower>();
  const VectorXd right = Eigen::Map<const VectorXd>(h, p).cwiseQuotient(s.scale);
  const VectorXd half = lower.solve(right);
  s.mean = s.factor.transpose().triangularView<Eigen::Upper>().solve(half).cwiseQuotient(s.scale);
  // What is left of the target's squares is the difference of two sums that agree in all the digits
  // they have where the columns explain it to within rounding. Then as much as may be left is
  // taken.
  constexpr double kRounding = 1e-13;
  const double residual = h[p] - half.squaredNorm();
  const double terms = s.mean.cwiseAbs().dot(s.scale);
  const double least = kRounding * std::max(h[p], terms * terms);
  s.rounded = residual < least;
  s.rate = std::max(residual, least) / 2;
  return s;
}

std::vector<Estimate> Linear::Describe(const Dense& posterior) const {
  const size_t p = coefficients();
  const size_t first = intercept_ ? 1 : 0;
  const Solution solution = Solve(posterior);
  std::vector<Estimate> estimates;
  if (intercept_) {
    // Back from the shifted origin: y0 + (w_0 - sum of x0_j w_j).
    VectorXd u(p);
    u(0) = 1;
    for (size_t j = 1; j < p; ++j) u(j) = -origin_[j - 1];
    estimates.push_back(solution.Marginal("intercept", origin_.back(), u, 0));
  }
  for (size_t j = first; j < p; ++j) {
    estimates.push_back(
        solution.Marginal("coef[" + features_[j - first] + "]", 0, VectorXd::Unit(p, j), 0));
  }
  estimates.push_back(InverseRootGammaEstimate("noise_sd", solution.shape, solution.rate));
  if (solution.rounded) {
    estimates.back().lower = 0;
    estimates.back().approximate = true;
  }
  return estimates;
}

std::vector<Estimate> Linear::Predict(const Dense& posterior, const Table& features) const {
  const size_t first = intercept_ ? 1 : 0;
  const Solution solution = Solve(posterior);
  std::vector<Estimate> predictions;
  VectorXd x(coefficients());
  for (size_t i = 0; i < features.size(); ++i) {
    const auto row = features.row(i);
    if (intercept_) x(0) = 1;
    for (size_t c = 0; first + c < coefficients(); ++c) x(first + c) = row[c] - origin_[c];
    predictions.push_back(solution.Marginal("", origin_.back(), x, 1));
  }
  return predictions;
}

std::vector<double> Linear::LogPredictive(const Dense& posterior, const Table& rows) const {
  const size_t first = intercept_ ? 1 : 0;
  const Solution solution = Solve(posterior);
  std::vector<double> logs;
  VectorXd x(coefficients());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = rows.row(i);
    if (intercept_) x(0) = 1;
    for (size_t c = 0; first + c < coefficients(); ++c) x(first + c) = row[c] - origin_[c];
    logs.push_back(LogStudentDensity(row.back() - origin_.back(), x.dot(solution.mean),
                                     solution.ScaleOf(x, 1), 2 * solution.shape));
  }
  return logs;
}

std::string Linear::NameOf(size_t variable) const {
  const size_t first = intercept_ ? 1 : 0;
  if (variable < first) return "the intercept";
  return variable < coefficients() ? "\"" + features_[variable - first] + "\"" : "the target";
}

std::optional<std::string> Linear::FaultIn(const Dense& posterior) const {
  const size_t p = coefficients();
  const double* sums = posterior.data();
  for (size_t i = 0; i <= p; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      const size_t number = PackedSize(i) + j;
      const NumberRange& range = i == j ? kSquares : kSums;
      auto meaning = [&] { return "the products of " + NameOf(i) + " and " + NameOf(j); };
      if (!range.Holds(sums[number])) return FaultText(number, meaning(), sums[number], range);
    }
    for (size_t j = 0; j < i; ++j) {
      const double squares[] = {sums[PackedSize(i) + i], sums[PackedSize(j) + j]};
      if (GoTogether(sums[PackedSize(i) + j], squares[0], squares[1])) continue;
      return fmt::format(
          "the sum of products of {} and {} is {:g}, too much for the sums of their "
          "squares, {:g} and {:g}",
          NameOf(i), NameOf(j), sums[PackedSize(i) + j], squares[0], squares[1]);
    }
  }
  const size_t last = PackedSize(p + 1);
  if (!kCountsOrZero.Holds(sums[last])) {
    return FaultText(last, "the degrees of freedom", sums[last], kCountsOrZero);
  }
  return FaultAgainstPrior(posterior);
}

// Data only adds to the sums of squares. That of the intercept is the number of rows, as are the
// degrees of freedom that are not the prior's.
std::optional<std::string> Linear::FaultAgainstPrior(const Dense& posterior) const {
  constexpr double kRounding = 1e-6;
  const size_t p = coefficients();
  for (size_t j = intercept_ ? 1 : 0; j < p; ++j) {
    const double squares = posterior[PackedSize(j) + j];
    if (squares >= (1 - kRounding) * prior_.precision) continue;
    return fmt::format("the sum of squares of {} is {:g}, below the precision of the prior, {:g}",
                       NameOf(j), squares, prior_.precision);
  }
  if (!intercept_) return std::nullopt;
  const double rows = posterior[0];
  const double freedom = posterior[PackedSize(p + 1)] - DegreesOfPrior();
  if (std::abs(rows - freedom) <= kRounding * (1 + rows + DegreesOfPrior())) return std::nullopt;
  return fmt::format("the sum of squares of the intercept is {:g}, but there are {:g} rows", rows,
                     freedom);
}

}  // namespace sda
