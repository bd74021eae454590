#include "models/mixture_information.h"

#include <cmath>
#include <stdexcept>

#include "models/faults.h"

namespace sda {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Index SizeOf(Index p) { return 1 + p + p * (p + 1) / 2; }

// one, v, lower triangle of m by rows.
template <class Vector, class Matrix>
VectorXd Packed(double one, const Vector& v, const Matrix& m) {
  const Index p = v.size();
  VectorXd packed(SizeOf(p));
  packed(0) = one;
  packed.segment(1, p) = v;
  Index next = 1 + p;
  for (Index i = 0; i < p; ++i) {
    for (Index j = 0; j <= i; ++j) packed(next++) = m(i, j);
  }
  return packed;
}

// Sum of weight u u' over the rows whose weight is not nothing.
MatrixXd WeightedProducts(const MatrixXd& u, const VectorXd& weights) {
  constexpr double kNothing = 1e-12;
  MatrixXd some(u.rows(), u.cols());
  Index n = 0;
  for (Index i = 0; i < u.cols(); ++i) {
    if (weights(i) > kNothing) some.col(n++) = u.col(i) * std::sqrt(weights(i));
  }
  return some.leftCols(n) * some.leftCols(n).transpose();
}

bool AreSums(const std::vector<ComponentSums>& sums, const MixtureOptions& options) {
  try {
    for (const ComponentSums& k : sums) {
      const ComponentPosterior q = PosteriorOf(k, options);
      if (!(q.concentration > 0 && q.strength > 0 && k.rows > -0.5)) return false;
    }
    return true;
  } catch (const std::domain_error&) {
    return false;
  }
}

}  // namespace

VectorXd Flat(const std::vector<ComponentSums>& sums) {
  const Index size = SizeOf(sums[0].sum.size());
  VectorXd flat(size * static_cast<Index>(sums.size()));
  Index at = 0;
  for (const ComponentSums& k : sums) {
    flat.segment(at, size) = Packed(k.rows, k.sum, k.square);
    at += size;
  }
  return flat;
}

std::vector<ComponentSums> FromFlat(const VectorXd& flat, Index p) {
  std::vector<ComponentSums> sums(flat.size() / SizeOf(p));
  const double* next = flat.data();
  for (ComponentSums& k : sums) {
    k.rows = *next++;
    k.sum = Eigen::Map<const VectorXd>(next, p);
    next += p;
    k.square.resize(p, p);
    for (Index i = 0; i < p; ++i) {
      for (Index j = 0; j <= i; ++j) k.square(i, j) = k.square(j, i) = *next++;
    }
  }
  return sums;
}

double RowsOf(const std::vector<ComponentSums>& sums) {
  double rows = 0;
  for (const ComponentSums& k : sums) rows += k.rows;
  return rows;
}

MixtureInformation NoInformation(Index numbers, size_t components) {
  const Index size = numbers / static_cast<Index>(components);
  return {0, VectorXd::Zero(numbers), std::vector<MatrixXd>(components, MatrixXd::Zero(size, size)),
          MatrixXd::Zero(numbers, numbers)};
}

MixtureInformation InformationOf(const MatrixXd& x, const MatrixXd& r, const VectorXd& sums,
                                 double rows) {
  const Index size = SizeOf(x.rows());
  MatrixXd u(size, x.cols());
  for (Index i = 0; i < x.cols(); ++i) {
    u.col(i) = Packed(1, x.col(i), x.col(i) * x.col(i).transpose());
  }
  MixtureInformation info = NoInformation(sums.size(), static_cast<size_t>(r.cols()));
  info.rows = static_cast<double>(x.cols());
  info.moments = info.rows / rows * sums;
  auto block = [&](Index k, Index l) { return info.missing.block(k * size, l * size, size, size); };
  for (Index k = 0; k < r.cols(); ++k) {
    info.whole[static_cast<size_t>(k)] = WeightedProducts(u, r.col(k));
    for (Index l = 0; l < k; ++l) {
      const MatrixXd both = WeightedProducts(u, r.col(k).cwiseProduct(r.col(l)));
      block(k, l) -= both;
      block(l, k) -= both;
      block(k, k) += both;
      block(l, l) += both;
    }
  }
  for (MatrixXd& k : info.whole) k *= rows * rows;
  info.missing *= rows * rows;
  return info;
}

std::optional<std::string> FaultInInformation(const MixtureInformation& information, Index p) {
  constexpr double kRounding = 1e-6;
  const Index size = SizeOf(p);
  const auto components = static_cast<Index>(information.whole.size());
  auto differ = [&](double a, double b, double beside) {
    return !(std::abs(a - b) <= kRounding * (std::abs(beside) + 1e-20));
  };
  double rows = 0;
  for (Index k = 0; k < components; ++k) {
    const auto moments = information.moments.segment(k * size, size);
    const MatrixXd& whole = information.whole[static_cast<size_t>(k)];
    rows += moments(0);
    for (Index i = 0; i < p; ++i) {
      const Index square = 1 + p + i * (i + 3) / 2;
      if (!GoTogether(moments(1 + i), moments(0), moments(square))) {
        return "the moments of a component are none";
      }
      for (Index j = 0; j <= i; ++j) {
        const Index product = 1 + p + i * (i + 1) / 2 + j;
        if (differ(whole(product, 0), whole(1 + i, 1 + j),
                   std::sqrt(whole(1 + i, 1 + i) * whole(1 + j, 1 + j)))) {
          return "the information of a component is none of rows";
        }
      }
    }
  }
  if (differ(rows, information.rows, rows)) return "the moments are not those of the rows";
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < components * size; ++j) {
      double sum = 0;
      double most = 0;
      for (Index k = 0; k < components; ++k) {
        sum += information.missing(k * size + i, j);
        most += std::abs(information.missing(k * size + i, j));
      }
      if (differ(sum, 0, most)) return "rows that leave a component do not arrive in others";
    }
  }
  return std::nullopt;
}

Response::Response(const MixtureState& state, const MixtureOptions& options)
    : state_(state), options_(options) {
  const MixtureInformation& info = state.information;
  const auto p = state.sums[0].sum.size();
  const double variance = options.spread * options.spread;
  const Index size = SizeOf(p);
  whole_ = MatrixXd::Zero(info.missing.rows(), info.missing.rows());
  double weights = 0;
  for (const MatrixXd& k : info.whole) weights += k(0, 0);
  const double weight = weights > 0 ? info.rows / weights : 0;
  missing_ = info.missing * weight;
  for (size_t k = 0; k < info.whole.size(); ++k) {
    const Index first = static_cast<Index>(k) * size;
    whole_.block(first, first, size, size) = info.whole[k] * weight;
    // The prior counts as a row of its own spread.
    auto diagonal = whole_.diagonal().segment(first, size);
    diagonal(0) += 1;
    diagonal.segment(1, p).array() += variance;
    diagonal.tail(size - 1 - p).array() += variance * variance;
  }
  whole_solver_.compute(whole_);
  known_solver_.compute(whole_ - missing_);
  if (whole_solver_.info() != Eigen::Success || known_solver_.info() != Eigen::Success) {
    throw std::domain_error("the information of a mixture is not positive definite");
  }
}

std::vector<ComponentSums> Response::At(const VectorXd& moments) const {
  const MixtureInformation& info = state_.information;
  return Towards(Flat(state_.sums) +
                 missing_ * whole_solver_.solve(info.rows * moments - info.moments));
}

// s = sums + missing whole^-1 (s - moments), so s = whole (whole - missing)^-1
// (sums - missing whole^-1 moments).
std::vector<ComponentSums> Response::Settled() const {
  const MixtureInformation& info = state_.information;
  const VectorXd fixed = Flat(state_.sums) - missing_ * whole_solver_.solve(info.moments);
  return Towards(whole_ * known_solver_.solve(fixed));
}

std::vector<ComponentSums> Response::Towards(const VectorXd& sums) const {
  const VectorXd from = Flat(state_.sums);
  for (double share = 1; share > 0.1; share /= 2) {
    auto there = FromFlat(from + share * (sums - from), state_.sums[0].sum.size());
    if (AreSums(there, options_)) return there;
  }
  return state_.sums;
}

double Response::Wider(const VectorXd& derivative) const {
  const VectorXd scaled = whole_ * derivative;
  return scaled.dot(known_solver_.solve(scaled)) / derivative.dot(scaled);
}

}  // namespace sda
