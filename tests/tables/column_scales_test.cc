#include "tables/column_scales.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sda {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

// -1 to 1 in even steps.
Table Even(int rows) {
  Table table{1, {}};
  for (int i = 0; i < rows; ++i) table.values.push_back(2.0 * i / (rows - 1) - 1);
  return table;
}

TEST(ColumnScales, AreMeanAndStandardDeviationOfCleanData) {
  const Table table{3, {1, 0, 5, 2, 4, 5, 6, 0, 5}};
  for (const ColumnScales& scales : {ScalesOfAll(table), ScalesWithoutOutliers(table)}) {
    EXPECT_THAT(scales.origin, ElementsAre(3, DoubleNear(4.0 / 3, 1e-12), 5));
    EXPECT_THAT(scales.scale, ElementsAre(DoubleNear(std::sqrt(14.0 / 3), 1e-12), 4, 1));
    EXPECT_THAT(scales.with_outliers, IsEmpty());
  }
}

TEST(ColumnScales, OneOutlierChangesNothingThough) {
  for (const int rows : {20, 200, 1000}) {
    const ColumnScales clean = ScalesOfAll(Even(rows));
    Table table = Even(rows);
    table.values.insert(table.values.begin(), 1e3);
    const ColumnScales scales = ScalesWithoutOutliers(table);
    EXPECT_EQ(scales.origin, clean.origin);
    EXPECT_EQ(scales.scale, clean.scale);
    EXPECT_THAT(scales.with_outliers, ElementsAre(0));
    EXPECT_GT(ScalesOfAll(table).scale[0], 10);
  }
}

TEST(ColumnScales, ManyFarValuesOrQuartilesThatAreEqualAreNoOutliers) {
  Table many = Even(200);
  for (int i = 0; i < 5; ++i) many.values[i] = 1e3;
  Table rare{1, std::vector<double>(200)};
  rare.values[7] = 1e3;
  rare.values[8] = 1;
  for (const Table& table : {many, rare}) {
    const ColumnScales scales = ScalesWithoutOutliers(table);
    EXPECT_EQ(scales.scale, ScalesOfAll(table).scale);
    EXPECT_THAT(scales.with_outliers, IsEmpty());
  }
}

TEST(ColumnScales, OfNoRowsAreZeroAndOne) {
  const ColumnScales scales = ScalesWithoutOutliers({2, {}});
  EXPECT_THAT(scales.origin, ElementsAre(0, 0));
  EXPECT_THAT(scales.scale, ElementsAre(1, 1));
}

TEST(ColumnScales, EndWhenInterrupted) {
  const Context context(1);
  context.Interrupt();
  EXPECT_THROW(ScalesOfAll({1, {1, 2}}, context), InterruptedError);
  EXPECT_THROW(ScalesWithoutOutliers({1, {1, 2}}, context), InterruptedError);
}

}  // namespace
}  // namespace sda
