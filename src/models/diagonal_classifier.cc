// Binary regression as in classifier.cc, with independent coefficients w_j ~ Normal given by
// (h_j, P_j), precision times mean and precision. Row i's factor is replaced by one site for each
// of its coefficients: EP in which mean and variance of each coefficient are matched. With the
// cavity means m_j and variances v_j of the row's coefficients,
//   f ~ Normal(sum of x_j m_j, sum of x_j^2 v_j),   d1, d2 the slopes of log E[link(f)],
//   new mean m_j + v_j x_j d1,   new variance v_j - v_j^2 x_j^2 d2.

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include "base/seeded_hash.h"
#include "models/classifier_parts.h"
#include "models/estimates.h"
#include "models/faults.h"
#include "models/likelihood.h"
#include "sda/errors.h"

namespace sda {
namespace {

constexpr uint64_t kIntercept = 0;  // key; feature f has key f + 1

std::vector<uint64_t> KeysOf(const SparseRows& data, bool intercept) {
  std::vector<uint64_t> keys(data.index.begin(), data.index.end());
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (uint64_t& key : keys) ++key;
  if (intercept) keys.insert(keys.begin(), kIntercept);
  return keys;
}

struct Pair {
  double linear = 0;
  double precision = 0;
};

// The rows of a minibatch with its coefficients numbered 0, 1, ... in place of their keys.
struct LocalRows {
  std::vector<size_t> ends;
  std::vector<uint32_t> coefficient;
  std::vector<double> x;
  std::vector<double> signs;
};

// One row's sites are taken out, its factor put in, and its sites computed again.
void UpdateRow(const LocalRows& rows, size_t begin, size_t end, double sign, Link link, double step,
               std::vector<Pair>* sites, std::vector<Pair>* q) {
  double mean = 0;
  double variance = 0;
  for (size_t e = begin; e < end; ++e) {
    const Pair& posterior = (*q)[rows.coefficient[e]];
    const double precision = posterior.precision - (*sites)[e].precision;
    if (!(precision > 1e-9 * posterior.precision)) return;  // rounding alone
    mean += rows.x[e] * (posterior.linear - (*sites)[e].linear) / precision;
    variance += rows.x[e] * rows.x[e] / precision;
  }
  if (variance == 0) return;
  const Slopes slopes = SlopesOf(link, sign * mean, variance);
  for (size_t e = begin; e < end; ++e) {
    Pair& posterior = (*q)[rows.coefficient[e]];
    Pair& site = (*sites)[e];
    const double x = rows.x[e];
    const double cavity_precision = posterior.precision - site.precision;
    const double cavity_mean = (posterior.linear - site.linear) / cavity_precision;
    const double curvature = x * x * slopes.second;
    const double left = 1 - curvature / cavity_precision;  // of the variance
    if (!(left > 1e-9)) continue;
    const Pair change = {
        step * ((cavity_mean * curvature + x * sign * slopes.first) / left - site.linear),
        step * (curvature / left - site.precision)};
    site.linear += change.linear;
    site.precision += change.precision;
    posterior.linear += change.linear;
    posterior.precision += change.precision;
  }
}

bool Converged(const std::vector<Pair>& before, const std::vector<Pair>& after, double tolerance) {
  for (size_t j = 0; j < after.size(); ++j) {
    const double p = after[j].precision;
    const double moved = after[j].linear / p - before[j].linear / before[j].precision;
    if (!(std::abs(moved) * std::sqrt(p) <= tolerance)) return false;
    if (!(std::abs(p - before[j].precision) <= tolerance * p)) return false;
  }
  return true;
}

// The sum of the sites of each coefficient.
std::vector<Pair> SumSites(const LocalRows& rows, const std::vector<Pair>& sites, size_t count) {
  std::vector<Pair> sums(count);
  for (size_t e = 0; e < sites.size(); ++e) {
    sums[rows.coefficient[e]].linear += sites[e].linear;
    sums[rows.coefficient[e]].precision += sites[e].precision;
  }
  return sums;
}

std::vector<Pair> DiagonalSites(const LocalRows& rows, const std::vector<Pair>& prior,
                                const ClassifierOptions& options, bool* converged) {
  constexpr int kUndamped = 10;  // passes
  std::vector<Pair> sites(rows.x.size());
  std::vector<Pair> sums(prior.size());
  std::vector<Pair> q = prior;
  *converged = false;
  for (int pass = 0; pass < options.max_passes && !*converged; ++pass) {
    const std::vector<Pair> before = q;
    for (size_t i = 0, begin = 0; i < rows.ends.size(); begin = rows.ends[i++]) {
      options.context.ThrowIfInterrupted();
      UpdateRow(rows, begin, rows.ends[i], rows.signs[i], options.link, pass < kUndamped ? 1 : 0.5,
                &sites, &q);
    }
    sums = SumSites(rows, sites, prior.size());
    for (size_t j = 0; j < q.size(); ++j) {
      q[j] = {prior[j].linear + sums[j].linear, prior[j].precision + sums[j].precision};
    }
    *converged = Converged(before, q, options.tolerance);
  }
  return sums;
}

}  // namespace

DiagonalClassifier::DiagonalClassifier(std::vector<std::string> features, ClassifierOptions options)
    : features_(std::move(features)), options_(std::move(options)) {
  options_.Validate(features_.size());
  if (options_.method != SiteMethod::kEp) {
    throw UsageError("a diagonal covariance goes with the primitive ep alone");
  }
}

KeyedRows DiagonalClassifier::Prior() const {
  const double precision = 1 / (options_.sd * options_.sd);
  KeyedRows prior({0, precision});
  if (options_.intercept) {
    const double of_intercept = 1 / (options_.intercept_sd * options_.intercept_sd);
    prior.Add(kIntercept, std::vector<double>{0, of_intercept - precision});
  }
  return prior;
}

KeyedRows::Selection DiagonalClassifier::Touches(const SparseRows& data) const {
  return {.everything = false, .keys = KeysOf(data, options_.intercept)};
}

double DiagonalClassifier::Standardized(uint32_t feature, double x) const {
  if (!features_.empty() && feature >= features_.size()) {
    throw std::domain_error("there is no feature " + std::to_string(feature + 1));
  }
  return Standardize(options_, features_, feature, x);
}

KeyedRows DiagonalClassifier::operator()(const SparseRows& data, const KeyedRows& prior,
                                         uint64_t key) const {
  KeyedRows posterior = prior;
  posterior += Change(data, prior, key);
  return posterior;
}

KeyedRows DiagonalClassifier::Change(const SparseRows& data, const KeyedRows& prior,
                                     uint64_t /*key*/) const {
  const std::vector<uint64_t> keys = KeysOf(data, options_.intercept);
  std::unordered_map<uint64_t, uint32_t, SeededHash> numbers;
  std::vector<Pair> local_prior;
  for (const uint64_t key : keys) {
    numbers.emplace(key, static_cast<uint32_t>(numbers.size()));
    local_prior.push_back({prior.At(key)[0], prior.At(key)[1]});
  }
  LocalRows rows;
  for (size_t i = 0; i < data.size(); ++i) {
    if (options_.intercept) {
      rows.coefficient.push_back(0);
      rows.x.push_back(1);
    }
    for (size_t e = data.begin(i); e < data.ends[i]; ++e) {
      rows.coefficient.push_back(numbers.at(data.index[e] + uint64_t{1}));
      rows.x.push_back(Standardized(data.index[e], data.value[e]));
    }
    rows.ends.push_back(rows.x.size());
    rows.signs.push_back(SignOf(data.target[i]));
  }
  bool converged = false;
  const std::vector<Pair> sums = DiagonalSites(rows, local_prior, options_, &converged);
  if (!converged) ++*unconverged_;
  KeyedRows change({0, 0});
  for (size_t k = 0; k < keys.size(); ++k) {
    change.Add(keys[k], std::vector<double>{sums[k].linear, sums[k].precision});
  }
  return change;
}

std::string DiagonalClassifier::NameOf(uint64_t feature) const {
  return "coef[" + (feature < features_.size() ? features_[feature] : std::to_string(feature + 1)) +
         "]";
}

std::vector<Estimate> DiagonalClassifier::Describe(const KeyedRows& posterior) const {
  std::vector<uint64_t> keys;
  for (size_t r = 0; r < posterior.rows(); ++r) keys.push_back(posterior.key(r));
  std::sort(keys.begin(), keys.end());
  const double sign = swapped_ ? -1 : 1;
  std::vector<Estimate> estimates;
  double intercept = 0;
  double intercept_variance = 0;
  for (const uint64_t key : keys) {
    const auto row = posterior.At(key);
    const double mean = sign * row[0] / row[1];
    const double variance = 1 / row[1];
    if (key == kIntercept) {
      intercept += mean;
      intercept_variance += variance;
      continue;
    }
    const size_t feature = key - 1;
    const double scale = ScaleOf(options_, feature);
    const double shift = OriginOf(options_, feature) / scale;
    intercept -= shift * mean;
    intercept_variance += shift * shift * variance;
    estimates.push_back(NormalEstimate(NameOf(feature), mean / scale, std::sqrt(variance) / scale));
  }
  if (options_.intercept) {
    estimates.insert(estimates.begin(),
                     NormalEstimate("intercept", intercept, std::sqrt(intercept_variance)));
  }
  for (Estimate& e : estimates) e.approximate = keys.size() > 1;
  return estimates;
}

DiagonalClassifier::Score DiagonalClassifier::ScoreOf(const KeyedRows& posterior,
                                                      const SparseRows& rows, size_t i) const {
  Score score{0, 0};
  auto add = [&](uint64_t key, double x) {
    const auto row = posterior.At(key);
    score.mean += x * row[0] / row[1];
    score.variance += x * x / row[1];
  };
  if (options_.intercept) add(kIntercept, 1);
  for (size_t e = rows.begin(i); e < rows.ends[i]; ++e)
    add(rows.index[e] + uint64_t{1}, Standardized(rows.index[e], rows.value[e]));
  return score;
}

std::vector<Estimate> DiagonalClassifier::Predict(const KeyedRows& posterior,
                                                  const SparseRows& rows) const {
  std::vector<Estimate> predictions;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto [mean, variance] = ScoreOf(posterior, rows, i);
    predictions.push_back(ProbabilityEstimate(options_.link, (swapped_ ? -1 : 1) * mean, variance));
    predictions.back().approximate = posterior.rows() > 1;
  }
  return predictions;
}

std::vector<double> DiagonalClassifier::LogPredictive(const KeyedRows& posterior,
                                                      const SparseRows& rows) const {
  std::vector<double> logs;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto [mean, variance] = ScoreOf(posterior, rows, i);
    logs.push_back(LogMeanOf(options_.link, SignOf(rows.target[i]) * mean, variance));
  }
  return logs;
}

std::vector<std::string> DiagonalClassifier::Undecided(const KeyedRows& posterior) const {
  std::vector<std::string> names;
  for (size_t r = 0; r < posterior.rows(); ++r) {
    const bool is_intercept = posterior.key(r) == kIntercept;
    const double prior_sd = is_intercept ? options_.intercept_sd : options_.sd;
    if (1 / std::sqrt(posterior.row(r)[1]) > kUndecidedShare * prior_sd) {
      names.push_back(is_intercept ? "intercept" : NameOf(posterior.key(r) - 1));
    }
  }
  return names;
}

std::optional<std::string> DiagonalClassifier::FaultIn(const KeyedRows& posterior) const {
  auto is_valid = [](std::span<const double> row) {
    return kLinears.Holds(row[0]) && kPrecisions.Holds(row[1]);
  };
  auto fault_in = [](std::span<const double> row, const std::string& name) {
    return kLinears.Holds(row[0]) ? FaultText("the precision of " + name, row[1], kPrecisions)
                                  : FaultText("precision times mean of " + name, row[0], kLinears);
  };
  const uint64_t most = features_.empty() ? uint64_t{1} << 32 : features_.size();
  for (size_t r = 0; r < posterior.rows(); ++r) {
    const uint64_t key = posterior.key(r);
    if (key > most || (key == kIntercept && !options_.intercept)) {
      return "there is no coefficient of number " + std::to_string(key);
    }
    if (is_valid(posterior.row(r))) continue;
    return fault_in(posterior.row(r), key == kIntercept ? "intercept" : NameOf(key - 1));
  }
  if (!is_valid(posterior.default_row())) {
    return fault_in(posterior.default_row(), "a feature never seen");
  }
  return FaultInTotals(posterior);
}

}  // namespace sda
