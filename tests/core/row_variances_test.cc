#include "sda/row_variances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sda/errors.h"
#include "sda/keyed_rows.h"

namespace sda {
namespace {

using testing::ElementsAre;

KeyedRows Rows(uint64_t key, const std::vector<double>& row) {
  KeyedRows rows(std::vector<double>(row.size(), 0.0));
  rows.Set(key, row);
  return rows;
}

// A change of one row, with its variances.
KeyedRows Change(uint64_t key, const std::vector<double>& row,
                 const std::vector<double>& variances) {
  KeyedRows change = Rows(key, row);
  change.SetVariances(RowVariances(Rows(key, variances)));
  return change;
}

TEST(RowVariancesTest, OfSumsAddUpAndAreNoPartOfTheRows) {
  KeyedRows posterior({0.5, 0.5});
  posterior += Change(3, {1, 2}, {0.1, 0.2});
  posterior += Change(3, {1, 1}, {0.1, 0.1});
  posterior += Change(4, {1, 1}, {0.5, 0});
  EXPECT_THAT(posterior.At(3), ElementsAre(2.5, 3.5));
  EXPECT_THAT(posterior.totals(), ElementsAre(3, 4));
  EXPECT_THAT(posterior.variances().At(3),
              ElementsAre(testing::DoubleNear(0.2, 1e-15), testing::DoubleNear(0.3, 1e-15)));
  EXPECT_THAT(posterior.variances().At(4), ElementsAre(0.5, 0));
  EXPECT_TRUE(posterior.variances().At(5).empty());
}

TEST(RowVariancesTest, ADiscountMultipliesThemByItsSquare) {
  const KeyedRows prior({1, 1});
  KeyedRows a = prior;
  a += Change(0, {8, 4}, {16, 4});
  KeyedRows b = a;
  DiscountTowards(prior, 0.5, &a, nullptr);
  EXPECT_THAT(a.At(0), ElementsAre(5, 3));
  EXPECT_THAT(a.variances().At(0), ElementsAre(4, 1));
  b -= prior;
  b *= 0.5;
  b += prior;
  EXPECT_EQ(a.Serialize(), b.Serialize());
}

TEST(RowVariancesTest, ASumWithSomethingUnknownIsUnknown) {
  KeyedRows posterior({1.0});
  EXPECT_TRUE(posterior.variances().known());
  posterior += Change(0, {1}, {1});
  const uint64_t keys[] = {0};
  const auto fill = [](size_t, double* row) { *row = 1; };
  posterior += posterior.Difference(keys, fill, nullptr);  // of an approximation without them
  EXPECT_FALSE(posterior.variances().known());
  EXPECT_EQ(posterior.variances().rows(), nullptr);
  posterior += Change(0, {1}, {1});
  EXPECT_FALSE(posterior.variances().known());
}

TEST(RowVariancesTest, ACopyHasThemAndACopyOfAPartDoesNot) {
  const KeyedRows change = Change(7, {1, 2}, {3, 4});
  const KeyedRows copy = change;
  EXPECT_THAT(copy.variances().At(7), ElementsAre(3, 4));
  KeyedRows part;
  change.CopyTo({.everything = false, .keys = {7}}, &part);
  EXPECT_THAT(part.At(7), ElementsAre(1, 2));
  EXPECT_FALSE(part.variances().known());
}

TEST(RowVariancesTest, TheDifferenceOfTwoPosteriorsHasThoseOfWhatCameBetween) {
  KeyedRows before({1, 1});
  before += Change(0, {1, 2}, {3, 4});
  KeyedRows after = before;
  after += Change(1, {5, 6}, {7, 8});
  after -= before;
  EXPECT_THAT(after.variances().At(0), ElementsAre(0, 0));
  EXPECT_THAT(after.variances().At(1), ElementsAre(7, 8));
}

TEST(RowVariancesTest, SurviveSerialisationAndAreUnknownInBytesOfEarlierVersions) {
  KeyedRows unknown = Change(7, {1, 2}, {3, 4});
  unknown.SetVariances(RowVariances::Unknown());
  for (const KeyedRows& rows : {Change(7, {1, 2}, {3, 4}), KeyedRows({1, 1}), unknown}) {
    const std::string bytes = rows.Serialize();
    const KeyedRows back = KeyedRows::Deserialize(bytes);
    EXPECT_EQ(back.Serialize(), bytes);
    EXPECT_EQ(back.variances().known(), rows.variances().known());
  }
  const std::string bytes = KeyedRows({1, 1}).Serialize();
  const KeyedRows old = KeyedRows::Deserialize(std::string_view(bytes).substr(0, bytes.size() - 1));
  EXPECT_FALSE(old.variances().known());
  EXPECT_THAT(old.default_row(), ElementsAre(1, 1));
}

TEST(RowVariancesTest, DamagedBytesAreRefused) {
  const std::string rows = KeyedRows({1, 1}).Serialize();
  const std::string narrow = KeyedRows({1}).Serialize();
  const std::string plain = rows.substr(0, rows.size() - 1);
  for (const std::string& bad :
       {plain + '\3', plain + "\1x", plain + '\2', plain + '\2' + narrow,
        plain + '\2' + rows.substr(0, rows.size() - 2), plain + '\2' + rows}) {
    EXPECT_THROW(KeyedRows::Deserialize(bad), InputError) << bad.size();
  }
}

}  // namespace
}  // namespace sda
