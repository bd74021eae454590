#ifndef SDA_MODELS_H_
#define SDA_MODELS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sda/dense.h"
#include "sda/estimate.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/primitive.h"
#include "sda/table.h"

namespace SDA_EXPORT sda {

// A model whose exact posterior is the prior's natural parameters plus sufficient statistics of the
// data: serial, synchronous and fixed-prior asynchronous runs all give that posterior.
// Each model's closed form is stated in its file under src/models.
template <NaturalParameters Params>
class ConjugateModel : public Primitive<Table, Params> {
 public:
  virtual Params Prior() const = 0;
  virtual void AddStatistics(const Table& data, Params* params) const = 0;
  // Throws std::domain_error where the data so far does not yet make a proper posterior.
  virtual std::vector<Estimate> Describe(const Params& posterior) const = 0;
  // What makes these numbers no posterior of this model, in words that name the parameter and its
  // value; nothing if they are one. It may still be of too few rows for Describe. Everything that
  // loads or saves a posterior asks this.
  virtual std::optional<std::string> FaultIn(const Params& posterior) const = 0;

  Params operator()(const Table& data, const Params& prior, uint64_t /*key*/) const final {
    Params posterior = prior;
    AddStatistics(data, &posterior);
    return posterior;
  }
};

// LogPredictive() of a model is the log of the exact predictive probability, or density, of each
// row: that of the next row, integrated over the posterior. It is log 0 for what cannot be, such as
// a category never seen, and throws std::domain_error where Describe() does.

// Heads or tails: each column holds zeros and ones. Beta prior.
class Coin : public ConjugateModel<Dense> {
 public:
  struct PriorOptions {
    double heads = 1;  // as if this number of ones had been seen; > 0
    double tails = 1;  // and this number of zeros; > 0
  };
  Coin(std::vector<std::string> columns, PriorOptions prior);
  explicit Coin(std::vector<std::string> columns) : Coin(std::move(columns), PriorOptions{}) {}
  Dense Prior() const override;
  void AddStatistics(const Table& data, Dense* params) const override;
  std::vector<Estimate> Describe(const Dense& posterior) const override;
  std::optional<std::string> FaultIn(const Dense& posterior) const override;
  std::vector<double> LogPredictive(const Dense& posterior, const Table& rows) const;

 private:
  std::vector<std::string> columns_;
  PriorOptions prior_;
};

// Counts per unit, such as events per day: each column holds whole numbers >= 0. Gamma prior.
class Poisson : public ConjugateModel<Dense> {
 public:
  struct PriorOptions {
    double shape =
        0.5;          // as if this number of events had been seen; > 0. (1/2, 0) is Jeffreys' prior
    double rate = 0;  // in this number of units; >= 0
  };
  Poisson(std::vector<std::string> columns, PriorOptions prior);
  explicit Poisson(std::vector<std::string> columns)
      : Poisson(std::move(columns), PriorOptions{}) {}
  Dense Prior() const override;
  void AddStatistics(const Table& data, Dense* params) const override;
  std::vector<Estimate> Describe(const Dense& posterior) const override;
  std::optional<std::string> FaultIn(const Dense& posterior) const override;
  std::vector<double> LogPredictive(const Dense& posterior, const Table& rows) const;

 private:
  std::vector<std::string> columns_;
  PriorOptions prior_;
};

// Measurements with unknown mean and precision, each column on its own. Normal-Gamma prior.
class Normal : public ConjugateModel<Dense> {
 public:
  struct PriorOptions {
    double mean = 0;    // prior guess of the mean
    double weight = 0;  // worth this number of measurements; 0: no information
    double shape = 0;   // of the Gamma prior of the precision; shape = rate = 0: p ~ 1/precision
    double rate = 0;
  };
  // origin: a value near the data of each column, subtracted before anything is squared, so that
  // data far from zero loses no digits; empty means zeros. It does not change the posterior.
  Normal(std::vector<std::string> columns, PriorOptions prior, std::vector<double> origin = {});
  explicit Normal(std::vector<std::string> columns) : Normal(std::move(columns), PriorOptions{}) {}
  Dense Prior() const override;
  void AddStatistics(const Table& data, Dense* params) const override;
  std::vector<Estimate> Describe(const Dense& posterior) const override;
  std::optional<std::string> FaultIn(const Dense& posterior) const override;
  std::vector<double> LogPredictive(const Dense& posterior, const Table& rows) const;

 private:
  std::vector<std::string> columns_;
  PriorOptions prior_;
  std::vector<double> origin_;
};

// Shares of categories, which need not be known beforehand: each column holds category numbers.
// Dirichlet prior over the categories seen.
class Categorical : public ConjugateModel<KeyedRows> {
 public:
  struct PriorOptions {
    double concentration = 1;  // as if each category had been seen this number of times; > 0
  };
  Categorical(std::vector<std::string> columns, PriorOptions prior);
  explicit Categorical(std::vector<std::string> columns)
      : Categorical(std::move(columns), PriorOptions{}) {}
  KeyedRows Prior() const override;
  void AddStatistics(const Table& data, KeyedRows* params) const override;
  KeyedRows::Selection Touches(const Table& data) const override;
  std::vector<Estimate> Describe(const KeyedRows& posterior) const override;
  std::optional<std::string> FaultIn(const KeyedRows& posterior) const override;
  std::vector<double> LogPredictive(const KeyedRows& posterior, const Table& rows) const;

  // Names of the categories of each column by number, for Describe; numbers are shown otherwise.
  void SetCategories(std::vector<Dictionary> categories) { categories_ = std::move(categories); }

 private:
  bool HasCategory(size_t column, size_t category) const;

  std::vector<std::string> columns_;
  PriorOptions prior_;
  std::vector<Dictionary> categories_;
};

// Linear regression with unknown coefficients and noise. The last column is the target, the others
// are the features. Normal-inverse-Gamma prior.
class Linear : public ConjugateModel<Dense> {
 public:
  struct PriorOptions {
    double precision = 0;  // of each slope, in units of the noise's precision (ridge); 0: flat
    double shape = 0;      // of the Gamma prior of the noise's precision; shape = rate = 0: p ~ 1/x
    double rate = 0;
  };
  // origin: as for Normal, one value a column, features then target; only with an intercept.
  Linear(std::vector<std::string> features, PriorOptions prior, bool intercept = true,
         std::vector<double> origin = {});
  explicit Linear(std::vector<std::string> features)
      : Linear(std::move(features), PriorOptions{}) {}
  Dense Prior() const override;
  void AddStatistics(const Table& data, Dense* params) const override;
  std::vector<Estimate> Describe(const Dense& posterior) const override;
  std::optional<std::string> FaultIn(const Dense& posterior) const override;
  std::vector<double> LogPredictive(const Dense& posterior, const Table& rows) const;

  // The predictive distribution of the target of each row of features (without the target).
  std::vector<Estimate> Predict(const Dense& posterior, const Table& features) const;

 private:
  struct Solution;
  Solution Solve(const Dense& posterior) const;
  // Of a number of the regression: 1 if there is an intercept, the features, the target.
  std::string NameOf(size_t variable) const;
  std::optional<std::string> FaultAgainstPrior(const Dense& posterior) const;
  double DegreesOfPrior() const;
  size_t coefficients() const { return features_.size() + (intercept_ ? 1 : 0); }

  std::vector<std::string> features_;
  PriorOptions prior_;
  bool intercept_;
  std::vector<double> origin_;
};

}  // namespace sda

#endif  // SDA_MODELS_H_
