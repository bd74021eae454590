#include "sda/lda_model.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/model_file.h"

namespace sda {
namespace {

using nlohmann::json;

constexpr const char* kFormatVersion = "1";

// Words come from data and may be any bytes; what is not UTF-8 is replaced.
std::string Dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

void SaveLdaModel(const LdaModel& model, const std::string& path) {
  const uint64_t words = model.vocabulary.size();
  const uint64_t topics = model.posterior.width();
  const std::vector<double> alpha = model.options.Alpha();
  const auto eta = model.posterior.default_row();
  const json hyperparameters = {{"topics", topics}, {"eta", model.options.eta}, {"alpha", alpha}};
  WriteModelFile(path,
                 {{"format_version", kFormatVersion},
                  {"program_version", SDA_VERSION},
                  {"model", "lda"},
                  {"algorithm", model.algorithm},
                  {"documents", std::to_string(model.documents)},
                  {"tokens", std::to_string(model.tokens)},
                  {"seed", std::to_string(model.options.seed)},
                  {"hyperparameters", Dump(hyperparameters)},
                  {"vocabulary", Dump(model.vocabulary)}},
                 {{.name = "lambda",
                   .shape = {words, topics},
                   .row = [&](uint64_t word) { return model.posterior.At(word); }},
                  {.name = "alpha", .shape = {topics}, .doubles = alpha},
                  {.name = "eta", .shape = {topics}, .doubles = eta}});
}

LdaModel LoadLdaModel(const std::string& path) {
  const ModelFile file(path);
  auto fail = [&](const std::string& what) { throw std::runtime_error(path + ": " + what); };
  if (file.metadata("model") != "lda") {
    fail("is a model of type " + file.metadata("model") + ", expected a topic model (lda)");
  }
  if (file.metadata("format_version") != kFormatVersion) {
    fail("is of format version " + file.metadata("format_version") + ", this program reads " +
         kFormatVersion);
  }
  LdaModel model;
  const auto alpha = file.doubles("alpha");
  const auto eta = file.doubles("eta");
  const auto lambda = file.doubles("lambda");
  const auto& shape = file.shape("lambda");
  const size_t topics = eta.size();
  try {
    model.vocabulary = json::parse(file.metadata("vocabulary")).get<std::vector<std::string>>();
    model.options.eta = json::parse(file.metadata("hyperparameters")).at("eta").get<double>();
    model.documents = std::stoull(file.metadata("documents"));
    model.tokens = std::stoull(file.metadata("tokens"));
    model.options.seed = std::stoull(file.metadata("seed"));
  } catch (const std::runtime_error&) {
    throw;
  } catch (const std::exception& e) {
    fail(std::string("has bad metadata: ") + e.what());
  }
  if (topics == 0 || alpha.size() != topics || shape.size() != 2 || shape[1] != topics ||
      shape[0] != model.vocabulary.size()) {
    fail("its tensors and its vocabulary do not go together");
  }
  auto bad = [](double x) { return !(x > 0) || x > 1e300; };
  if (std::any_of(alpha.begin(), alpha.end(), bad) || std::any_of(eta.begin(), eta.end(), bad) ||
      std::any_of(lambda.begin(), lambda.end(), bad)) {
    fail("holds Dirichlet parameters that are not positive numbers");
  }
  model.algorithm = file.metadata("algorithm");
  model.options.topics = static_cast<int>(topics);
  model.options.vocabulary = model.vocabulary.size();
  model.options.alpha.assign(alpha.begin(), alpha.end());
  model.posterior = KeyedRows(std::vector<double>(eta.begin(), eta.end()));
  std::vector<double> change(topics);
  for (size_t v = 0; v < shape[0]; ++v) {
    const auto row = lambda.subspan(v * topics, topics);
    if (std::equal(row.begin(), row.end(), eta.begin())) continue;  // a word never seen
    for (size_t k = 0; k < topics; ++k) change[k] = row[k] - eta[k];
    model.posterior.Add(v, change);
  }
  return model;
}

}  // namespace sda
