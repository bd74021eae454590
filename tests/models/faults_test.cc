// FaultIn() of the models: what prior and data can lead to is valid, absurd numbers are not.

#include "models/faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "sda/classifier.h"
#include "sda/clutter.h"
#include "sda/mixture.h"
#include "sda/models.h"
#include "tests/base/forgery.h"

namespace sda {
namespace {

using ::testing::HasSubstr;

Table RowsOf(size_t columns, size_t rows, const std::function<double(std::mt19937_64&)>& draw) {
  std::mt19937_64 random(7);
  Table table{columns, {}};
  for (size_t i = 0; i < columns * rows; ++i) table.values.push_back(draw(random));
  return table;
}

double Bit(std::mt19937_64& random) { return static_cast<double>(random() % 2); }
double Count(std::mt19937_64& random) { return static_cast<double>(random() % 9); }
double Large(std::mt19937_64& random) {
  return std::normal_distribution<double>(1e12, 1e9)(random);
}

// After no rows, few and many; then with each number replaced. Returns how many of the replaced
// ones it takes.
template <class Model>
int Taken(const Model& model, const Table& data) {
  EXPECT_EQ(model.FaultIn(model.Prior()), std::nullopt);
  for (const size_t rows : {size_t{1}, size_t{2}, data.size()}) {
    const Table some = Split(data, rows)[0];
    EXPECT_EQ(model.FaultIn(model(some, model.Prior(), 0)), std::nullopt) << rows << " rows";
  }
  const auto posterior = model(data, model.Prior(), 0);
  int taken = 0;
  ForEachForgery(posterior.Serialize(), [&](const std::string&, const std::string& bytes) {
    const Dense forged = Dense::Deserialize(bytes);
    if (const auto fault = model.FaultIn(forged)) {
      EXPECT_FALSE(fault->empty());
    } else {
      ++taken;
    }
  });
  return taken;
}

TEST(FaultIn, NoneInWhatPriorAndDataLeadToAndMostAbsurdNumbersAre) {
  // What is taken: 0 where nothing was seen, as far as one number tells, and products of 0 or -1.
  EXPECT_EQ(Taken(Coin({"a", "b"}), RowsOf(2, 20, Bit)), 0);
  EXPECT_EQ(Taken(Poisson({"a"}), RowsOf(1, 20, Count)), 1);
  EXPECT_LE(Taken(Normal({"a"}, {}, {1e12}), RowsOf(1, 20, Large)), 4);
  EXPECT_LE(Taken(Linear({"x"}, {}, true, {1e12, 1e12}), RowsOf(2, 20, Large)), 10);
  EXPECT_LE(Taken(Clutter(1), RowsOf(1, 20, Count)), 3);
  MixtureOptions two;
  two.restarts = 1;
  EXPECT_LE(Taken(Mixture({"x"}, two), RowsOf(1, 20, Count)), 22);
  EXPECT_LE(Taken(Classifier({"x"}), RowsOf(2, 20, Bit)), 9);
}

TEST(FaultIn, NamesTheParameterItsPlaceAndItsValue) {
  EXPECT_EQ(
      Coin({"heads", "b"}).FaultIn(Dense{1, 2, 3, -1}),
      "number 3 (from 0) of the posterior, the zeros of column \"b\", is -1, must be a number "
      "from 1e-20 to 1e+20");
  EXPECT_EQ(
      Poisson({"goals"}).FaultIn(Dense{1e308, 2}),
      "number 0 (from 0) of the posterior, the events of column \"goals\", is 1e+308, must be "
      "a number from 1e-20 to 1e+20");
  EXPECT_EQ(Normal({"a"}).FaultIn(Dense{2, 100, 1, 2}),
            "the weight, the sum and the sum of squares of column \"a\" are 2, 100 and 1, which no "
            "numbers have");
  EXPECT_THAT(*Linear({"x"}).FaultIn(Dense{2, 9, 3, 0, 0, 4, 2}),
              HasSubstr("the sum of products of \"x\" and the intercept is 9, too much"));
  EXPECT_EQ(Linear({"x"}).FaultIn(Dense{2, 1, 3, 0, 0, 4, 2}), std::nullopt);
  EXPECT_EQ(Linear({"x"}).FaultIn(Dense{1e-300, 0, 3, 0, 0, 4, 2}),
            "the sum of squares of the intercept is 1e-300, but there are 2 rows");
  EXPECT_EQ(Linear({"x"}, {.precision = 5}).FaultIn(Dense{2, 1, 3, 0, 0, 4, 3}),
            "the sum of squares of \"x\" is 3, below the precision of the prior, 5");
  EXPECT_THAT(*Classifier({"x"}).FaultIn(Dense{1, 2, 1, 0, 0}), HasSubstr("positive definite"));
  KeyedRows rows({0, 1});
  rows.Set(1, std::vector<double>{0, -1});
  EXPECT_THAT(*DiagonalClassifier({"x"}).FaultIn(rows),
              HasSubstr("the precision of coef[x] is -1"));
  KeyedRows categories({1});
  categories.Set(uint64_t{3} << 40, std::vector<double>{1});
  EXPECT_THAT(*Categorical({"x"}).FaultIn(categories),
              HasSubstr("there is no category 0 of column 3"));
}

TEST(FaultIn, OfRowsFindsTotalsThatAreNotTheirs) {
  KeyedRows rows({1});
  for (uint64_t key = 0; key < 1000; ++key) rows.Set(key, std::vector<double>{key * 0.1 + 1});
  EXPECT_EQ(FaultInTotals(rows), std::nullopt);
  KeyedRows part;
  rows.CopyTo({.everything = false, .keys = {1, 2}}, &part);  // keeps the totals of the whole
  EXPECT_THAT(*FaultInTotals(part), HasSubstr("the total of column 0 (from 0) is 49950"));
}

}  // namespace
}  // namespace sda
