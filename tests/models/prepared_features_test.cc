#include <gtest/gtest.h>

#include <algorithm>

#include "sda/classifier.h"
#include "tests/base/prepared_keys.h"

namespace sda {
namespace {

// A row for each hundred of these features.
SparseRows RowsOf(const std::vector<uint64_t>& features) {
  SparseRows rows;
  for (size_t i = 0; i < features.size(); ++i) {
    rows.index.push_back(static_cast<uint32_t>(features[i] - 1));
    rows.value.push_back(1);
    if ((i + 1) % 100 != 0) continue;
    rows.ends.push_back(i + 1);
    rows.target.push_back(static_cast<double>(rows.ends.size() % 2));
  }
  return rows;
}

double SecondsToLearn(const std::vector<uint64_t>& features) {
  const SparseRows rows = RowsOf(features);
  const DiagonalClassifier model({}, {});
  return SecondsOf([&] { EXPECT_GT(model(rows, model.Prior(), 0).rows(), features.size()); });
}

TEST(DiagonalClassifier, FeaturesPreparedForOneSlotTakeNoLongerThanOthers) {
  constexpr size_t kFeatures = 30000;
  const double ordinary = SecondsToLearn(OrdinaryKeys(kFeatures));
  EXPECT_LT(SecondsToLearn(KeysOfOneBucket(kFeatures)), 4 * ordinary + 0.3);
  EXPECT_LT(SecondsToLearn(KeysOfOneSlot(kFeatures)), 4 * ordinary + 0.3);
}

}  // namespace
}  // namespace sda
