#ifndef SDA_CLASSIFIER_H_
#define SDA_CLASSIFIER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sda/context.h"
#include "sda/dense.h"
#include "sda/estimate.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/primitive.h"
#include "sda/table.h"

namespace SDA_EXPORT sda {

// How a class depends on the score f = x'w: P(1) = Phi(f), or 1 / (1 + e^-f).
enum class Link { kProbit, kLogistic };

// How a minibatch and a Gaussian prior become a Gaussian posterior.
enum class SiteMethod {
  kEp,  // expectation propagation: each row's factor is replaced by the Gaussian that gives the
        // right mean and variance in the presence of all others
  kVb,  // variational Bayes: the Jaakkola-Jordan bound (logistic), or latent scores independent of
        // the coefficients (probit); overconfident, see docs/ep.md
};

struct ClassifierOptions {
  Link link = Link::kProbit;
  SiteMethod method = SiteMethod::kEp;

  // The prior: w_j ~ Normal(0, sd^2) for a feature measured in units of its scale, and for the
  // intercept, the score at the origin, Normal(0, intercept_sd^2). It is proper, so separable
  // classes, constant or collinear features and a class never seen all have a posterior.
  double sd = 2.5;
  double intercept_sd = 10;

  bool intercept = true;

  // Of each feature: the model sees (x - origin) / scale. Empty: 0 and 1. An origin other than 0
  // needs an intercept. They should not depend on the target.
  std::vector<double> origin;
  std::vector<double> scale;

  // Passes over the rows of a minibatch end when the mean moved by less than this many standard
  // deviations, and each variance by less than this share of itself.
  double tolerance = 1e-4;
  int max_passes = 100;

  // If it is interrupted, a minibatch in work ends with an InterruptedError.
  Context context = Context();

  // Throws UsageError naming field and value.
  void Validate(size_t features) const;
};

// Rows of features, most of which are 0, with the target of each.
struct SparseRows {
  std::vector<size_t> ends;     // row i has the entries [ends[i - 1], ends[i])
  std::vector<uint32_t> index;  // of the feature, from 0; distinct within a row
  std::vector<double> value;
  std::vector<double> target;  // of each row: 0 or 1; empty if there is none

  size_t size() const { return ends.size(); }
  size_t begin(size_t row) const { return row == 0 ? 0 : ends[row - 1]; }
};

// Each feature of a row becomes an entry; the last column is the target if has_target.
SparseRows ToSparse(const Table& table, bool has_target);
// The other way: a table of that many features. Entries of features beyond them are left out.
Table ToTable(const SparseRows& rows, size_t features);

// A feature that is further than this many times its scale from its origin is too much for VB,
// which takes each row for a measurement of the score: a single row on the wrong side would
// dominate, and the Jaakkola-Jordan bound needs the more passes the further it is: within these
// such a row does not need more than max_passes.
inline constexpr double kMostForVb = 1e3;

// Binary regression with the full covariance of the coefficients: p^2 numbers, and p^2 operations a
// row and pass. The last column of the data is the target, 0 or 1, the others are the features.
// Natural parameters: the precision (lower triangle, row by row) and precision times mean.
//
// A delta is the sum of the minibatch's sites, which never have a negative precision, so any sum of
// deltas is a proper posterior under every schedule. It is an approximation: a site is right for
// the posterior of its own minibatch and not revised later, so schedules and minibatch sizes differ
// a little: with EP from the latest posterior by 1% to 4% of a standard deviation (docs/ep.md);
// from the fixed prior by more; with VB and small minibatches by far more, since its overconfidence
// adds up. Of CheckPlugin's promises it keeps all but those of exact primitives.
//
// A row with a huge feature has little weight with EP, if it is on the right side, and the full
// weight of the model if it is not. VB accepts none beyond kMostForVb: it throws std::domain_error
// that names row and feature.
class Classifier : public Primitive<Table, Dense> {
 public:
  explicit Classifier(std::vector<std::string> features, ClassifierOptions options = {});

  Dense Prior() const;
  Dense operator()(const Table& data, const Dense& prior, uint64_t key) const override;
  Dense Change(const Table& data, const Dense& prior, uint64_t key) const override;

  std::vector<Estimate> Describe(const Dense& posterior) const;
  // See ConjugateModel.
  std::optional<std::string> FaultIn(const Dense& posterior) const;
  // The probability of class 1 for each row of features (without the target): its mean is the
  // predictive probability, its interval that of the probability as a parameter.
  std::vector<Estimate> Predict(const Dense& posterior, const Table& features) const;
  // The log of the predictive probability of the class of each row, the last column: finite where
  // 1 - the probability of the other class would be 0. SwapClasses() does not change it.
  std::vector<double> LogPredictive(const Dense& posterior, const Table& rows) const;
  // Coefficients that the prior decides: the data narrowed them to no less than half of its width.
  std::vector<std::string> Undecided(const Dense& posterior) const;

  // Minibatches so far, of this and its copies, whose passes ended at max_passes.
  uint64_t unconverged() const { return *unconverged_; }

  // From now on class 0 is what Describe and Predict call class 1. The prior is symmetric, so this
  // is the same as if the data had been coded the other way.
  void SwapClasses(bool swap) { swapped_ = swap; }

 private:
  // What the posterior says about the scores of rows of features, whatever follows them.
  struct Score {
    double mean;
    double variance;
  };
  std::vector<Score> Scores(const Dense& posterior, const Table& rows) const;

  size_t coefficients() const { return features_.size() + (options_.intercept ? 1 : 0); }
  // Of intervals: a bound in place of the likelihood is overconfident.
  bool IsTooNarrow() const { return options_.method == SiteMethod::kVb; }

  std::vector<std::string> features_;
  ClassifierOptions options_;
  bool swapped_ = false;
  std::shared_ptr<std::atomic<uint64_t>> unconverged_ = std::make_shared<std::atomic<uint64_t>>(0);
};

// The same with independent coefficients, for any number of features: a row of two numbers
// (precision times mean, precision) keyed by the feature, so that a minibatch costs what it
// touches, and features not yet seen have the prior. EP alone. Each factor is matched coefficient
// by coefficient, so features that are correlated, with each other or with the intercept (values
// that are not centred), share their evidence as if each had it alone: their intervals are too
// narrow, and predictions overconfident. 95% intervals of 5 features hold the truth 96 times in 100
// if these are independent, 88 with correlations of 0.3, 57 with 0.8, and 14 if their means are 3
// standard deviations from 0 (docs/ep.md): only for independent features with means of 0, given or
// by `origin`, are they calibrated. So all of them are called approximate. A prior that is narrow,
// together no wider than that of one feature alone, keeps this small; TableSession uses such a
// prior for tables.
class DiagonalClassifier : public Primitive<SparseRows, KeyedRows> {
 public:
  // No features: they are called by their numbers, from 1, and have neither origin nor scale.
  explicit DiagonalClassifier(std::vector<std::string> features, ClassifierOptions options = {});

  KeyedRows Prior() const;
  KeyedRows operator()(const SparseRows& data, const KeyedRows& prior, uint64_t key) const override;
  KeyedRows Change(const SparseRows& data, const KeyedRows& prior, uint64_t key) const override;
  KeyedRows::Selection Touches(const SparseRows& data) const override;

  std::vector<Estimate> Describe(const KeyedRows& posterior) const;
  std::optional<std::string> FaultIn(const KeyedRows& posterior) const;
  std::vector<Estimate> Predict(const KeyedRows& posterior, const SparseRows& rows) const;
  std::vector<double> LogPredictive(const KeyedRows& posterior, const SparseRows& rows) const;
  std::vector<std::string> Undecided(const KeyedRows& posterior) const;
  uint64_t unconverged() const { return *unconverged_; }
  void SwapClasses(bool swap) { swapped_ = swap; }

 private:
  struct Score {
    double mean;
    double variance;
  };
  Score ScoreOf(const KeyedRows& posterior, const SparseRows& rows, size_t i) const;

  double Standardized(uint32_t feature, double x) const;
  std::string NameOf(uint64_t feature) const;

  std::vector<std::string> features_;
  ClassifierOptions options_;
  bool swapped_ = false;
  std::shared_ptr<std::atomic<uint64_t>> unconverged_ = std::make_shared<std::atomic<uint64_t>>(0);
};

}  // namespace sda

#endif  // SDA_CLASSIFIER_H_
