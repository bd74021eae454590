#include "sda/topic_model.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/model_file.h"
#include "sda/errors.h"
#include "topics/topic_options_json.h"

namespace sda {
namespace {

using nlohmann::json;

constexpr const char* kFormatVersion = "1";

// Words come from data and may be any bytes; what is not UTF-8 is replaced.
std::string Dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// The options of a model; those that sda 0.1 did not save have their defaults, and are listed.
TopicOptions ReadOptions(const ModelFile& file, TopicModel* model) {
  if (file.has_metadata("options")) return TopicOptions::FromJson(file.metadata("options"));
  TopicOptions options;
  const std::string& algorithm = file.metadata("algorithm");  // such as "sda gibbs"
  const size_t space = algorithm.find(' ');
  options.algorithm = algorithm.substr(0, space);
  if (space != std::string::npos) options.primitive = algorithm.substr(space + 1);
  model->assumed_options = {"stop_words", "min_word_length", "text_field", "vocab_from",
                            "min_df",     "max_share",       "max_vocab"};
  model->assumed.push_back("how documents were read is not saved in it; assuming --stop-words " +
                           options.stop_words + ", --min-word-length " +
                           std::to_string(options.min_word_length) + " and --text-field " +
                           options.text_field);
  return options;
}

uint64_t ReadMinibatches(const ModelFile& file, std::vector<std::string>* assumed) {
  if (file.has_metadata("minibatches")) return std::stoull(file.metadata("minibatches"));
  assumed->push_back("the number of minibatches is not saved in it; assuming 1");
  return 1;
}

// SVI has no default for it, and sda 0.1 did not save it.
void AssumeTotalDocuments(TopicModel* model) {
  if (model->options.algorithm != "svi" || model->options.total_documents) return;
  model->options.total_documents = static_cast<double>(std::max<uint64_t>(1, model->documents));
  model->assumed.push_back(
      "the number of documents in the whole stream is not saved in it; assuming "
      "--total-documents " +
      std::to_string(model->documents) + ", those it has learnt from");
}

void ReadMetadata(const ModelFile& file, TopicModel* model) {
  auto fail = [&](const std::string& what) { throw InputError(file.path() + ": " + what); };
  if (file.metadata("model") != "lda") {
    fail("is a model of type " + file.metadata("model") + ", expected a topic model (lda)");
  }
  if (file.metadata("format_version") != kFormatVersion) {
    fail("is of format version " + file.metadata("format_version") + ", this program reads " +
         kFormatVersion);
  }
  try {
    model->options = ReadOptions(file, model);
    model->vocabulary = json::parse(file.metadata("vocabulary")).get<std::vector<std::string>>();
    model->options.eta = json::parse(file.metadata("hyperparameters")).at("eta").get<double>();
    model->minibatches = ReadMinibatches(file, &model->assumed);
    model->documents = std::stoull(file.metadata("documents"));
    model->tokens = std::stoull(file.metadata("tokens"));
    model->options.seed = std::stoull(file.metadata("seed"));
    AssumeTotalDocuments(model);
  } catch (const InputError& e) {
    if (std::string_view(e.what()).starts_with(file.path())) throw;
    fail(e.what());
  } catch (const std::exception& e) {
    fail(std::string("has bad metadata: ") + e.what());
  }
}

}  // namespace

CorpusOptions TopicModel::Corpus(std::vector<std::string> inputs) const {
  CorpusOptions corpus;
  corpus.inputs = std::move(inputs);
  corpus.text_field = options.text_field;
  corpus.minimum_word_length = options.min_word_length;
  // They only tell what is not counted as unknown; a file of them may not be here.
  corpus.stop_words = options.stop_words == "english" ? "english" : "none";
  corpus.vocabulary = vocabulary;
  return corpus;
}

void SaveTopicModel(const TopicModel& model, const std::string& path) {
  const uint64_t words = model.vocabulary.size();
  const uint64_t topics = model.posterior.width();
  const std::vector<double> alpha = model.Spec().Alpha();
  const auto eta = model.posterior.default_row();
  const json hyperparameters = {{"topics", topics}, {"eta", *model.options.eta}, {"alpha", alpha}};
  TopicOptions options = model.options;
  options.alpha.clear();  // a tensor of its own
  options.vocab.clear();  // the words are in the model; how the stream was read is over
  options.format = TopicOptions().format;
  options.follow = false;
  WriteModelFile(path,
                 {{"format_version", kFormatVersion},
                  {"program_version", SDA_VERSION},
                  {"model", "lda"},
                  {"algorithm", model.options.algorithm + " " + model.options.primitive},
                  {"options", options.ToJson()},
                  {"minibatches", std::to_string(model.minibatches)},
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

TopicModel LoadTopicModel(const std::string& path) {
  const ModelFile file(path);
  auto fail = [&](const std::string& what) { throw InputError(path + ": " + what); };
  TopicModel model;
  ReadMetadata(file, &model);
  const auto alpha = file.doubles("alpha");
  const auto eta = file.doubles("eta");
  const auto lambda = file.doubles("lambda");
  const auto& shape = file.shape("lambda");
  const size_t topics = eta.size();
  if (topics == 0 || alpha.size() != topics || shape.size() != 2 || shape[1] != topics ||
      shape[0] != model.vocabulary.size()) {
    fail("its tensors and its vocabulary do not go together");
  }
  auto bad = [](double x) { return !(x > 0) || x > 1e300; };
  if (std::any_of(alpha.begin(), alpha.end(), bad) || std::any_of(eta.begin(), eta.end(), bad) ||
      std::any_of(lambda.begin(), lambda.end(), bad)) {
    fail("holds Dirichlet parameters that are not positive numbers");
  }
  model.options.topics = static_cast<int>(topics);
  model.options.alpha.assign(alpha.begin(), alpha.end());
  model.posterior = KeyedRows(std::vector<double>(eta.begin(), eta.end()));
  for (size_t v = 0; v < shape[0]; ++v) {
    const auto row = lambda.subspan(v * topics, topics);
    if (std::equal(row.begin(), row.end(), eta.begin())) continue;  // a word never seen
    model.posterior.Set(v, row);
  }
  return model;
}

}  // namespace sda
