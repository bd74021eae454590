#include "sda/parameters.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "sda/dense.h"
#include "sda/errors.h"
#include "sda/keyed_rows.h"
#include "tests/base/prepared_keys.h"

namespace sda {
namespace {

static_assert(NaturalParameters<Dense>);
static_assert(NaturalParameters<KeyedRows>);

std::vector<double> ToVector(std::span<const double> row) { return {row.begin(), row.end()}; }
using Row = std::vector<double>;

TEST(Dense, DifferentSizesDoNotGoTogether) {
  Dense a(3);
  EXPECT_THROW(a += Dense(2), std::logic_error);
  EXPECT_THROW(a -= Dense(4), std::logic_error);
}

TEST(Dense, DamagedBytesAreRefused) { EXPECT_THROW(Dense::Deserialize("1234567"), InputError); }

TEST(Dense, TheRelativeDifferenceSeesNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(MaxRelativeDifference(Dense{1, 2}, Dense{1, nan}) <= 1);
  EXPECT_DOUBLE_EQ(MaxRelativeDifference(Dense{1, 2}, Dense{1, 4}), 0.5);
}

TEST(Parameters, ADiscountKeepsAShareOfWhatWasLearnt) {
  Dense params{3, 10};
  DiscountTowards(Dense{1, 2}, 0.25, &params);
  EXPECT_EQ(params, (Dense{1.5, 4}));
}

TEST(KeyedRows, AKeyNeverSeenHasTheDefaultRow) {
  KeyedRows rows({0.5, 2});
  EXPECT_EQ(ToVector(rows.At(17)), (Row{0.5, 2}));
  rows.Add(17, Row{1, 1});
  EXPECT_EQ(ToVector(rows.At(17)), (Row{1.5, 3}));
  EXPECT_EQ(ToVector(rows.At(18)), (Row{0.5, 2}));
}

TEST(KeyedRows, TotalsAreTheSumOfWhatWasAdded) {
  KeyedRows rows({0.5, 2});
  rows.Add(3, Row{1, 10});
  rows.Add(9, Row{2, 20});
  rows.Add(3, Row{4, 40});
  EXPECT_EQ(ToVector(rows.totals()), (Row{7, 70}));
}

TEST(KeyedRows, SumsAndDifferencesAreTakenKeyByKey) {
  KeyedRows a(Row{1});
  a.Add(1, Row{10});
  a.Add(2, Row{20});
  KeyedRows b(Row{5});
  b.Add(2, Row{100});
  b.Add(3, Row{200});
  KeyedRows sum = a;
  sum += b;
  KeyedRows difference = a;
  difference -= b;
  for (const uint64_t key : {1, 2, 3, 4}) {
    EXPECT_EQ(sum.At(key)[0], a.At(key)[0] + b.At(key)[0]) << key;
    EXPECT_EQ(difference.At(key)[0], a.At(key)[0] - b.At(key)[0]) << key;
  }
  EXPECT_EQ(sum.totals()[0], 330);
  EXPECT_EQ(difference.totals()[0], -270);
}

TEST(KeyedRows, APartialCopyHasTheRowsAskedForAndTheTotalsOfTheWhole) {
  KeyedRows rows(Row{1});
  for (uint64_t key = 0; key < 1000; ++key) rows.Add(key, Row{double(key)});
  KeyedRows part(Row{7, 7, 7});  // of another width: the copy must not care
  rows.CopyTo({.everything = false, .keys = {5, 2000, 7}}, &part);
  EXPECT_EQ(part.rows(), 3u);
  EXPECT_EQ(part.At(5)[0], 6);
  EXPECT_EQ(part.At(7)[0], 8);
  EXPECT_EQ(part.At(2000)[0], 1);
  EXPECT_EQ(part.At(6)[0], 1) << "not asked for, so the default row";
  EXPECT_EQ(part.totals()[0], 999 * 1000 / 2);
}

TEST(KeyedRows, ADeltaFromAPartialCopyFoldsIntoTheWhole) {
  KeyedRows whole(Row{1});
  for (uint64_t key = 0; key < 10; ++key) whole.Add(key, Row{1});
  KeyedRows prior;
  whole.CopyTo({.everything = false, .keys = {3, 77}}, &prior);
  KeyedRows delta = prior;
  delta.Add(3, Row{5});
  delta.Add(77, Row{6});
  delta -= prior;
  EXPECT_EQ(delta.default_row()[0], 0);
  whole += delta;
  EXPECT_EQ(whole.At(3)[0], 7);
  EXPECT_EQ(whole.At(77)[0], 7);
  EXPECT_EQ(whole.At(4)[0], 2);
  EXPECT_EQ(whole.totals()[0], 21);
}

TEST(KeyedRows, GrowsOverManyBlocks) {
  const Row ones(1000, 1.0);
  KeyedRows rows(Row(1000, 0.25));
  for (uint64_t key = 0; key < 500; ++key) rows.Add(key * 1000003, ones);
  for (uint64_t key = 0; key < 500; ++key) EXPECT_EQ(rows.At(key * 1000003)[999], 1.25);
  EXPECT_EQ(rows.totals()[0], 500);
  EXPECT_EQ(MaxRelativeDifference(KeyedRows::Deserialize(rows.Serialize()), rows), 0);
}

TEST(KeyedRows, DamagedBytesAreRefused) {
  KeyedRows rows(Row{1, 2});
  rows.Add(4, Row{1, 1});
  rows.Add(5, Row{1, 1});
  const std::string bytes = rows.Serialize();
  // Without the last byte, that of the variances, they are those of an earlier version.
  for (size_t n = 0; n < bytes.size() - 1; ++n) {
    EXPECT_THROW(KeyedRows::Deserialize(bytes.substr(0, n)), InputError) << n;
  }
  EXPECT_THROW(KeyedRows::Deserialize(bytes + "x"), InputError);
  std::string huge = bytes;
  huge[6] = 1;  // claims rows of 2^48 numbers
  EXPECT_THROW(KeyedRows::Deserialize(huge), InputError);
  std::string repeated = bytes;
  const size_t keys = 16 + 2 * 2 * 8;
  repeated[keys + 8] = repeated[keys];
  EXPECT_THROW(KeyedRows::Deserialize(repeated), InputError);
}

TEST(KeyedRows, WidthsMustAgree) {
  KeyedRows rows(Row{1, 2});
  EXPECT_THROW(rows.Add(1, Row{1}), std::logic_error);
  EXPECT_THROW(rows += KeyedRows(Row{1}), std::logic_error);
}

TEST(KeyedRows, SetMakesARowThatOneToTheLastBitAndKeepsTheTotals) {
  KeyedRows rows({0.1, 0.3});
  const Row third = {1.0 / 3, 1e-17};  // 0.3 + (1e-17 - 0.3) would be something else
  rows.Set(5, third);
  EXPECT_EQ(ToVector(rows.At(5)), third);
  rows.Add(6, Row{2, 4});
  rows.Set(5, Row{7, 8});
  EXPECT_EQ(ToVector(rows.At(5)), (Row{7, 8}));
  EXPECT_EQ(rows.rows(), 2u);
  EXPECT_DOUBLE_EQ(rows.totals()[0], 7 - 0.1 + 2);
  EXPECT_DOUBLE_EQ(rows.totals()[1], 8 - 0.3 + 4);
  EXPECT_THROW(rows.Set(5, Row{1}), std::logic_error);
}

TEST(KeyedRows, ADifferenceHasTheRowsGivenWhateverThePool) {
  const KeyedRows prior(Row(50, 0.5));
  std::vector<uint64_t> keys(3000);
  std::iota(keys.begin(), keys.end(), 17);
  const auto fill = [](size_t i, double* row) { std::fill_n(row, 50, 1.0 / (1.0 + i)); };
  const KeyedRows alone = prior.Difference(keys, fill, nullptr);
  EXPECT_EQ(alone.default_row()[0], 0);
  EXPECT_EQ(alone.At(17 + 9)[49], 0.1);
  ThreadPool pool(3);
  EXPECT_EQ(prior.Difference(keys, fill, &pool).Serialize(), alone.Serialize());
}

double SecondsToAdd(const std::vector<uint64_t>& keys) {
  return SecondsOf([&] {
    KeyedRows rows({0});
    for (const uint64_t key : keys) rows.Add(key, Row{1});
    EXPECT_EQ(rows.rows(), keys.size());
  });
}

// Ids of words and features come from the data; a file of 1 MB took 50 s instead of one.
TEST(KeyedRows, KeysPreparedForOneSlotTakeNoLongerThanOthers) {
  constexpr size_t kKeys = 40000;
  EXPECT_LT(SecondsToAdd(KeysOfOneSlot(kKeys)), 20 * SecondsToAdd(OrdinaryKeys(kKeys)) + 0.1);
}

}  // namespace
}  // namespace sda
