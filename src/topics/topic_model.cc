#include "sda/topic_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/model_file.h"
#include "base/parse_json.h"
#include "base/text.h"
#include "lda/lda_posterior.h"
#include "models/faults.h"
#include "sda/errors.h"
#include "topics/coherence_json.h"
#include "topics/grown_words_json.h"
#include "topics/over_time_file.h"
#include "topics/topic_options_json.h"
#include "topics/topic_stability_json.h"

namespace sda {
namespace {

using nlohmann::json;

constexpr const char* kFormatVersion = "1";
constexpr const char* kVariances = "lambda_variance";

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

// Of minibatches, documents and tokens: sums of such counts are numbers, too.
constexpr uint64_t kMostCount = uint64_t{1} << 60;

// A whole number, written as std::to_string() writes it.
uint64_t ReadWhole(const ModelFile& file, const char* key, uint64_t most) {
  const std::string& text = file.metadata(key);
  uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || std::to_string(value) != text || value > most) {
    throw InputError(fmt::format("{}: {} is {}, must be a whole number from 0 to {}", file.path(),
                                 key, Quoted(text), most));
  }
  return value;
}

uint64_t ReadCount(const ModelFile& file, const char* key) {
  return ReadWhole(file, key, kMostCount);
}

uint64_t ReadMinibatches(const ModelFile& file, std::vector<std::string>* assumed) {
  if (file.has_metadata("minibatches")) return ReadCount(file, "minibatches");
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

// What only later versions of sda than 0.1 save, and only some models have.
void ReadExtras(const ModelFile& file, TopicModel* model) {
  if (file.has_metadata("topic_search")) {
    model->search = TopicSearch::FromJson(file.metadata("topic_search"));
  }
  if (file.has_metadata("coherence")) {
    model->coherence = CoherenceFromJson(ParseJson(file.metadata("coherence")));
  }
  if (file.has_metadata("stability")) {
    model->stability = StabilityFromJson(ParseJson(file.metadata("stability")));
  }
  if (file.has_metadata("grown_words")) {
    model->words = GrownWordsFromJson(ParseJson(file.metadata("grown_words")), model->vocabulary);
  }
  if (file.has_metadata("document_sample")) {
    model->sample = DocumentSample::Deserialize(file.metadata("document_sample"));
  }
}

void ReadMetadata(const ModelFile& file, TopicModel* model) {
  auto fail = [&](const std::string& what) { throw InputError(file.path() + ": " + what); };
  if (file.metadata("model") != "lda") {
    fail("is a " + file.metadata("model") +
         " model, which has no topics; look at it with: sda show " + ShellFile(file.path()));
  }
  if (file.metadata("format_version") != kFormatVersion) {
    fail("is of format version " + file.metadata("format_version") + ", this program reads " +
         kFormatVersion);
  }
  try {
    model->options = ReadOptions(file, model);
    model->vocabulary = ParseJson(file.metadata("vocabulary")).get<std::vector<std::string>>();
    if (file.has_metadata("stop_words")) {
      model->stop_words = ParseJson(file.metadata("stop_words")).get<std::vector<std::string>>();
    }
    model->options.eta = ParseJson(file.metadata("hyperparameters")).at("eta").get<double>();
    model->minibatches = ReadMinibatches(file, &model->assumed);
    if (file.has_metadata("refitted_share")) {
      model->refitted_share = ParseJson(file.metadata("refitted_share")).get<double>();
    }
    model->documents = ReadCount(file, "documents");
    model->tokens = ReadCount(file, "tokens");
    model->options.seed = ReadWhole(file, "seed", std::numeric_limits<uint64_t>::max());
    AssumeTotalDocuments(model);
    ReadExtras(file, model);
  } catch (const InputError& e) {
    if (std::string_view(e.what()).starts_with(file.path())) throw;
    fail(e.what());
  } catch (const json::exception& e) {
    fail(std::string("has bad metadata: ") + e.what());
  }
}

// Earlier versions did not have them, and some primitives do not.
RowVariances ReadVariances(const ModelFile& file, const std::vector<uint64_t>& shape) {
  if (!file.has_tensor(kVariances)) return RowVariances::Unknown();
  if (file.shape(kVariances) != shape) {
    throw InputError(file.path() + ": its tensors lambda and " + kVariances +
                     " do not go together");
  }
  KeyedRows rows(std::vector<double>(shape[1], 0.0));
  file.ForEachRow(kVariances, [&](uint64_t word, std::span<const double> row) {
    if (std::any_of(row.begin(), row.end(), [](double x) { return x != 0; })) rows.Set(word, row);
  });
  return RowVariances(std::move(rows));
}

// What makes this no model that can be saved, loaded and used.
std::optional<std::string> FaultIn(const TopicModel& model) {
  try {
    model.options.Validate();
    model.Spec().Validate();
  } catch (const UsageError& e) {
    return e.what();
  }
  for (const auto& [name, count] : {std::pair("minibatches", model.minibatches),
                                    {"documents", model.documents},
                                    {"tokens", model.tokens}}) {
    if (count > kMostCount)
      return fmt::format("{} is {}, must be at most {}", name, count, kMostCount);
  }
  if (!(model.refitted_share >= 0 && model.refitted_share <= 1)) {
    return fmt::format("refitted_share is {}, must be from 0 to 1", model.refitted_share);
  }
  return lda::FaultIn(model.posterior, model.Spec());
}

}  // namespace

CorpusOptions TopicModel::Corpus(std::vector<std::string> inputs) const {
  CorpusOptions corpus;
  corpus.inputs = std::move(inputs);
  corpus.text_field = options.text_field;
  corpus.minimum_word_length = options.min_word_length;
  // Models of earlier versions do not hold the words of a file, which may not be here.
  corpus.stop_words = options.stop_words == "english" ? "english" : "none";
  corpus.stop_word_list = stop_words;
  corpus.text_column = options.text_column.value_or("");
  corpus.id_field = options.id_field.value_or("");
  corpus.time_field = options.time_field.value_or("");
  corpus.strip = options.strip.value_or("");
  corpus.stemmer = options.stemmer.value_or("");
  corpus.phrases = options.phrases.value_or(false);
  corpus.vocabulary = vocabulary;
  return corpus;
}

void SaveTopicModel(const TopicModel& model, const std::string& path) {
  if (const auto fault = FaultIn(model)) throw InputError(path + ": " + NotSavedText(*fault));
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
  std::map<std::string, std::string> metadata = {
      {"format_version", kFormatVersion},
      {"program_version", SDA_VERSION},
      {"model", "lda"},
      {"algorithm", model.options.algorithm + " " + model.options.primitive},
      {"options", options.ToJson()},
      {"minibatches", std::to_string(model.minibatches)},
      {"documents", std::to_string(model.documents)},
      {"tokens", std::to_string(model.tokens)},
      {"seed", std::to_string(model.options.seed)},
      {"hyperparameters", Dump(hyperparameters)},
      {"vocabulary", Dump(model.vocabulary)}};
  if (model.stop_words) metadata["stop_words"] = Dump(*model.stop_words);
  if (model.words) metadata["grown_words"] = Dump(GrownWordsToJson(*model.words));
  if (model.search) metadata["topic_search"] = model.search->ToJson();
  if (model.coherence) metadata["coherence"] = Dump(CoherenceToJson(*model.coherence));
  if (model.stability) metadata["stability"] = Dump(StabilityToJson(*model.stability));
  if (model.sample) metadata["document_sample"] = model.sample->Serialize();
  if (model.refitted_share > 0) metadata["refitted_share"] = json(model.refitted_share).dump();
  std::vector<TensorSpec> tensors = {
      {.name = "lambda",
       .shape = {words, topics},
       .row = [&](uint64_t word) { return model.posterior.At(word); }},
      {.name = "alpha", .shape = {topics}, .doubles = alpha},
      {.name = "eta", .shape = {topics}, .doubles = eta}};
  if (const KeyedRows* const variances = model.posterior.variances().rows()) {
    tensors.push_back({.name = kVariances, .shape = {words, topics}, .row = [=](uint64_t word) {
                         return variances->At(word);
                       }});
  }
  std::optional<OverTimeFile> over_time;
  if (const OverTime* const sums = model.posterior.over_time()) {
    over_time.emplace(*sums);
    over_time->AddTo(&metadata, &tensors);
  }
  WriteModelFile(path, metadata, tensors);
}

TopicModel LoadTopicModel(const std::string& path) {
  const ModelFile file(path);
  auto fail = [&](const std::string& what) { throw InputError(path + ": " + what); };
  TopicModel model;
  ReadMetadata(file, &model);
  const auto alpha = file.doubles("alpha");
  const auto eta = file.doubles("eta");
  const auto& shape = file.shape("lambda");
  const size_t topics = eta.size();
  if (topics == 0 || alpha.size() != topics || shape.size() != 2 || shape[1] != topics ||
      shape[0] != model.vocabulary.size()) {
    fail("its tensors and its vocabulary do not go together");
  }
  model.options.topics = static_cast<int>(topics);
  if (model.coherence && model.coherence->npmi.size() != topics) {
    fail("its coherence is not of its topics");
  }
  if (model.stability && model.stability->found_by.size() != topics) {
    fail("its stability is not of its topics");
  }
  model.options.alpha = alpha;
  model.posterior = KeyedRows(eta);
  file.ForEachRow("lambda", [&](uint64_t word, std::span<const double> row) {
    if (std::equal(row.begin(), row.end(), eta.begin())) return;  // a word never seen
    model.posterior.Set(word, row);
  });
  model.posterior.SetVariances(ReadVariances(file, shape));
  if (OverTimeFile::IsIn(file)) model.posterior.SetOverTime(OverTimeFile::Read(file, topics));
  if (const auto fault = FaultIn(model)) fail("holds no valid model: " + *fault);
  return model;
}

}  // namespace sda
