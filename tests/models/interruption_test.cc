// A person who waits for a long minibatch can end it.
#include <gtest/gtest.h>

#include <random>

#include "sda/classifier.h"
#include "sda/mixture.h"

namespace sda {
namespace {

Table Rows(size_t rows) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Table table{3, {}};
  for (size_t i = 0; i < rows; ++i) {
    const double a = normal(random), b = normal(random);
    table.values.insert(table.values.end(), {a, b, a + b > 0 ? 1.0 : 0.0});
  }
  return table;
}

// A minibatch in work ends without a result, and the model is of use afterwards.
template <class Model, class Data>
void ExpectInterrupted(const Model& model, const Data& data, const Context& context) {
  context.Interrupt();
  EXPECT_THROW(model(data, model.Prior(), 0), InterruptedError);
  context.ClearInterrupt();
  model(data, model.Prior(), 0);
}

TEST(Interruption, EndsAMinibatchOfAClassifier) {
  const Table rows = Rows(50);
  for (const SiteMethod method : {SiteMethod::kEp, SiteMethod::kVb}) {
    ClassifierOptions options;
    options.method = method;
    ExpectInterrupted(Classifier({"a", "b"}, options), rows, options.context);
  }
  const ClassifierOptions options;
  ExpectInterrupted(DiagonalClassifier({"a", "b"}, options), ToSparse(rows, true), options.context);
}

TEST(Interruption, EndsAMinibatchOfAMixture) {
  const MixtureOptions options;
  ExpectInterrupted(Mixture({"a", "b", "c"}, options), Rows(50), options.context);
}

}  // namespace
}  // namespace sda
