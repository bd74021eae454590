// Models and checkpoints with right checksums and absurd numbers, of every model: they are refused
// by a message that names the file, or all that is shown of them is finite.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sda/errors.h"
#include "tables/table_fit.h"
#include "tests/base/forgery.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A model of each kind that the program knows; a new one needs a fixture here, too.
std::string FixtureOf(const TableModel& model) {
  return SDA_FIXTURES "/models/0.1/" + model.name + ".safetensors";
}

std::vector<std::string> Fixtures() {
  std::vector<std::string> paths;
  for (const TableModel& model : TableModels()) paths.push_back(FixtureOf(model));
  return paths;
}

bool HasRows(const TableFit& fit) {
  return fit.spec().model == "categorical" || fit.spec().diagonal;
}

// All that sda show and sda predict print.
void ExpectFinite(const TableFit& fit, const std::string& what) {
  for (const Estimate& e : fit.Describe()) {
    EXPECT_FALSE(std::isnan(e.mean) || std::isnan(e.sd)) << what << ": " << e.name;
    EXPECT_TRUE(std::isfinite(e.lower) && std::isfinite(e.upper)) << what << ": " << e.name;
  }
  const size_t columns = fit.spec().columns.size() - (fit.model().has_target ? 1 : 0);
  const Table rows{columns, std::vector<double>(3 * columns, 2.5)};
  try {
    for (const auto& row : fit.Predict(rows).rows) {
      for (const double x : row) EXPECT_TRUE(std::isfinite(x)) << what;
    }
  } catch (const UsageError&) {  // it does not predict
  } catch (const std::domain_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("row 1"));
  }
}

// Nothing else may be thrown.
void ExpectRefusedOrFinite(const std::string& path, const std::string& what, int* refused) {
  try {
    ExpectFinite(*TableFit::Load(path), what);
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), StartsWith(path)) << what;
    ++*refused;
  }
}

TEST(Forged, ModelsWithAbsurdNumbersAreRefusedOrFinite) {
  for (const std::string& path : Fixtures()) {
    ForgedModel model(path);
    const std::string bytes = model.tensors;
    const TemporaryFile forged("");
    int refused = 0;
    ForEachForgery(bytes, [&](const std::string& what, const std::string& tensors) {
      model.tensors = tensors;
      model.Write(forged.path());
      ExpectRefusedOrFinite(forged.path(), path + ": " + what, &refused);
    });
    EXPECT_GE(refused, static_cast<int>(5 * bytes.size() / sizeof(double))) << path;
  }
}

// Every number in the JSON, in turn.
void ForEachNumber(const json& whole, const std::function<void(const json&)>& try_json) {
  const json flat = whole.flatten();
  for (const auto& [place, value] : flat.items()) {
    if (!value.is_number()) continue;
    for (const json& number : {json(1e308), json(-1e308), json(1e-300), json(0), json(-1),
                               json(1.5), json(nullptr), json("12abc")}) {
      json forged = flat;
      forged[place] = number;
      try_json(forged.unflatten());
    }
  }
}

TEST(Forged, ModelsWithAbsurdOptionsAreRefusedOrFinite) {
  for (const std::string& path : Fixtures()) {
    ForgedModel model(path);
    const TemporaryFile forged("");
    int refused = 0;
    ForEachNumber(json::parse(model.metadata("spec").get<std::string>()), [&](const json& spec) {
      model.metadata("spec") = spec.dump();
      model.Write(forged.path());
      ExpectRefusedOrFinite(forged.path(), path + ": " + spec.dump(), &refused);
    });
    EXPECT_GE(refused, 4) << path;  // of the number of rows alone
  }
}

TEST(Forged, TheMessageNamesTheFileTheNumberAndWhatItShouldBe) {
  ForgedModel model(SDA_FIXTURES "/models/0.1/normal.safetensors");
  const TemporaryFile forged("");
  ForgedModel number = model;
  const double nan = kAbsurd[0];
  std::memcpy(number.tensors.data() + 2 * sizeof(double), &nan, sizeof(nan));
  number.Write(forged.path());
  EXPECT_EQ(
      MessageOf<InputError>([&] { TableFit::Load(forged.path()); }),
      forged.path() +
          ": holds no valid posterior: number 2 (from 0) of the posterior, the sum of squares "
          "of column \"goals\", is nan, must be a number from 0 to 1e+305");
  json spec = json::parse(model.metadata("spec").get<std::string>());
  spec["rows"] = -5;
  model.metadata("spec") = spec.dump();
  model.Write(forged.path());
  EXPECT_THAT(MessageOf<InputError>([&] { TableFit::Load(forged.path()); }),
              HasSubstr(": is not a model on tables: rows: -5 is not a value of its type"));
}

TEST(Forged, TheClassesOfATargetAreOneOrTwo) {
  for (const char* name : {"probit", "logistic"}) {
    ForgedModel model(SDA_FIXTURES "/models/0.1/" + std::string(name) + ".safetensors");
    const json spec = json::parse(model.metadata("spec").get<std::string>());
    const TemporaryFile forged("");
    auto message = [&](const json& classes) {
      json changed = spec;
      changed["categories"] = std::vector<json>(spec.at("columns").size(), json::array());
      changed["categories"].back() = classes;
      model.metadata("spec") = changed.dump();
      model.Write(forged.path());
      return MessageOf<InputError>([&] { TableFit::Load(forged.path())->Notes(); });
    };
    for (const json& classes : {json::array(), json{"a", "a"}, json{"a", "b", "c"}}) {
      EXPECT_THAT(message(classes), AllOf(StartsWith(forged.path()), HasSubstr("classes, must")));
    }
    EXPECT_EQ(message({"a"}), "");
    EXPECT_EQ(message({"a", "b"}), "");
  }
}

TEST(Forged, AnOptionThatIsNestedDeeplyIsRefused) {
  ForgedModel model(SDA_FIXTURES "/models/0.1/mixture.safetensors");
  json spec = json::parse(model.metadata("spec").get<std::string>());
  spec["seed"] = "nested";
  std::string text = spec.dump();
  constexpr size_t kDepth = 2'000'000;
  const std::string nested = std::string(kDepth, '[') + std::string(kDepth, ']');
  text.replace(text.find("\"nested\""), 8, nested);
  model.metadata("spec") = text;
  const TemporaryFile forged("");
  model.Write(forged.path());
  EXPECT_THAT(MessageOf<InputError>([&] { TableFit::Load(forged.path()); }),
              AllOf(StartsWith(forged.path()), HasSubstr("nested more than 100 deep")));
}

TEST(Forged, KeysThatRepeatAreRefused) {
  ForgedModel model(SDA_FIXTURES "/models/0.1/categorical.safetensors");
  model.SetTensor("keys", std::string(model.TensorBytes("keys").size(), '\0'));
  const TemporaryFile forged("");
  model.Write(forged.path());
  EXPECT_THAT(MessageOf<InputError>([&] { TableFit::Load(forged.path()); }),
              HasSubstr("tensor keys, number 1 (from 0), is 0, must be there only once"));
}

TEST(Forged, TensorsThatOverlapHaveGapsOrRepeatAreRefused) {
  const ForgedModel model(SDA_FIXTURES "/models/0.1/categorical.safetensors");
  const TemporaryFile forged("");
  auto message = [&](const std::function<void(ForgedModel*)>& change) {
    ForgedModel changed = model;
    change(&changed);
    changed.Write(forged.path());
    return MessageOf<InputError>([&] { TableFit::Load(forged.path()); });
  };
  EXPECT_EQ(message([](ForgedModel*) {}), "");
  const auto overlap = [](ForgedModel* m) {
    m->header["posterior"]["data_offsets"] = m->header["keys"]["data_offsets"];
  };
  EXPECT_THAT(message(overlap), HasSubstr(forged.path() + ": is not a model: its tensors overlap"));
  const auto gap = [](ForgedModel* m) { m->header.erase("keys"); };
  EXPECT_THAT(message(gap), HasSubstr("is not a model: "));
  const auto beyond = [](ForgedModel* m) { m->header["posterior"]["data_offsets"][1] = 1u << 30; };
  EXPECT_THAT(message(beyond), HasSubstr("tensor posterior is incomplete"));
  const auto product = [](ForgedModel* m) {
    m->header["posterior"]["shape"] = {uint64_t{1} << 33, uint64_t{1} << 33};
  };
  EXPECT_THAT(message(product), HasSubstr("tensor posterior has a wrong shape"));
  const auto type = [](ForgedModel* m) { m->header["posterior"]["dtype"] = "F32"; };
  EXPECT_THAT(message(type), HasSubstr("tensor posterior has a wrong type"));
  std::string twice = model.header.dump();
  const std::string checksum = model.header["__metadata__"]["checksum"];
  twice.replace(twice.find(checksum), checksum.size(), "00000000");
  twice.insert(1, "\"posterior\":" + model.header["posterior"].dump() + ",");
  model.WriteText(forged.path(), twice);
  EXPECT_THAT(MessageOf<InputError>([&] { TableFit::Load(forged.path()); }),
              HasSubstr("its header has \"posterior\" twice"));
}

std::string PosteriorBytes(const TableFit& fit, const PosteriorCopy& copy) {
  if (HasRows(fit)) {
    return static_cast<const Snapshot<KeyedRows>*>(copy.snapshot.get())->params.Serialize();
  }
  return static_cast<const Snapshot<Dense>*>(copy.snapshot.get())->params.Serialize();
}

TEST(Forged, CheckpointsWithAbsurdNumbersAreRefusedOrLeadToModelsThatLoad) {
  for (const std::string& path : Fixtures()) {
    const auto fit = TableFit::Load(path);
    const std::string bytes = PosteriorBytes(*fit, fit->CopyOfPosterior());
    const TemporaryFile file("");
    const TemporaryFile saved("");
    const TemporaryFile good("");
    Checkpoint::Write(
        good.path(), IdSet(), [&](const ByteSink& sink) { sink(bytes); }, {}, "{}");
    const std::string checkpoint = BytesOf(good.path());
    int refused = 0;
    ForEachForgery(bytes, [&](const std::string& what, const std::string& posterior) {
      WriteBytes(file.path(), ForgedCheckpoint(checkpoint, posterior));
      try {
        fit->Restore(Checkpoint::Load(file.path()));
      } catch (const InputError& e) {
        EXPECT_THAT(e.what(), StartsWith(file.path() + ": ")) << what;
        EXPECT_THAT(e.what(), Not(HasSubstr("damaged"))) << what;
        ++refused;
        return;
      }
      fit->Save(saved.path());
      int unused = 0;
      ExpectRefusedOrFinite(saved.path(), path + ": " + what, &unused);
    });
    EXPECT_GE(refused, static_cast<int>(bytes.size() / sizeof(double)) * 5) << path;
    fit->Restore(Checkpoint::Load(good.path()));
    ExpectFinite(*fit, path);
  }
}

}  // namespace
}  // namespace sda
