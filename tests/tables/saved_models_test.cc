#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tables/table_fit.h"
#include "tables/table_tensors.h"
#include "tests/base/prepared_keys.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

// Models of every released format load for ever: a fixture of each, written by `sda fit` of that
// version.
struct Fixture {
  const char* model;
  const char* parameter;
  double mean;
  double lower;
};

const Fixture kOfVersion01[] = {
    {"coin", "probability[won]", 0.6666666666666666, 0.2835820638819105},
    {"categorical", "share[side=home]", 0.6666666666666666, 0.2835820638819105},
    {"normal", "mean[goals]", 1.25, 0.09894666688001164},
    {"poisson", "rate[goals]", 1.625, 0.6260938139762915},
    {"linear", "intercept", 0.5051618531797992, 0.30034218721404593},
    {"probit", "intercept", 0.025466779998988498, -0.5914588480973985},
    {"logistic", "intercept", 0.026687773804358716, -1.0811316461099978},
    {"mixture", "weight[1]", 0.37293729372937295, 0.31941344916744735},
};

std::string PathOf(const Fixture& fixture) {
  return std::string(SDA_FIXTURES "/models/0.1/") + fixture.model + ".safetensors";
}

std::string Bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(SavedModels, OfVersion01HaveTheirNumbers) {
  for (const Fixture& fixture : kOfVersion01) {
    const auto fit = TableFit::Load(PathOf(fixture));
    EXPECT_EQ(fit->spec().model, fixture.model);
    const Estimate first = fit->Describe().at(0);
    EXPECT_EQ(first.name, fixture.parameter);
    EXPECT_NEAR(first.mean, fixture.mean, 1e-12) << fixture.model;
    EXPECT_NEAR(first.lower, fixture.lower, 1e-9) << fixture.model;
  }
}

TEST(SavedModels, OfVersion01AreSavedAgainAsTheyWere) {
  for (const Fixture& fixture : kOfVersion01) {
    const TemporaryFile copy("");
    TableFit::Load(PathOf(fixture))->Save(copy.path());
    EXPECT_EQ(Bytes(copy.path()), Bytes(PathOf(fixture))) << fixture.model;
  }
}

// What it does not say of its rows is unknown, not nothing.
TEST(SavedModels, AMixtureOfVersion01SaysApproximate) {
  const auto mixture = TableFit::Load(SDA_FIXTURES "/models/0.1/mixture.safetensors");
  for (const Estimate& e : mixture->Describe()) EXPECT_TRUE(e.approximate) << e.name;
}

TEST(SavedModels, OptionsOfTheModelAreRead) {
  const auto mixture = TableFit::Load(SDA_FIXTURES "/models/0.1/mixture.safetensors");
  EXPECT_EQ(mixture->spec().options.at("components"), OptionValue(uint64_t{3}));
  EXPECT_EQ(mixture->spec().options.at("seed"), OptionValue(uint64_t{5}));
  const auto logistic = TableFit::Load(SDA_FIXTURES "/models/0.1/logistic.safetensors");
  EXPECT_TRUE(logistic->spec().diagonal);
  EXPECT_EQ(logistic->spec().options.at("primitive"), OptionValue(std::string("ep")));
}

double SecondsToLoad(const std::vector<uint64_t>& keys) {
  KeyedRows rows({0});
  for (const uint64_t key : keys) rows.Set(key, std::vector<double>{1});
  const TemporaryFile file("");
  std::vector<TensorSpec> views;
  const std::vector<NamedTensor> tensors = ToTensors(rows);
  for (const NamedTensor& t : tensors)
    views.push_back({t.name, t.shape, t.doubles, t.integers, {}});
  WriteModelFile(file.path(), {}, views);
  const ModelFile saved(file.path());
  KeyedRows loaded;
  return SecondsOf([&] { FromTensors(saved, KeyedRows({0}), &loaded, 0); });
}

TEST(SavedModels, KeysPreparedForOneSlotTakeNoLongerThanOthers) {
  constexpr size_t kKeys = 40000;
  const double ordinary = SecondsToLoad(OrdinaryKeys(kKeys));
  EXPECT_LT(SecondsToLoad(KeysOfOneBucket(kKeys)), 20 * ordinary + 0.1);
  EXPECT_LT(SecondsToLoad(KeysOfOneSlot(kKeys)), 20 * ordinary + 0.1);
}

}  // namespace
}  // namespace sda
