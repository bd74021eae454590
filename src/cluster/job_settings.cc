#include "cluster/job_settings.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cluster/log/note_json.h"
#include "data/text/word_file.h"
#include "sda/errors.h"
#include "topics/topic_options_json.h"

namespace sda::cluster {
namespace {

using nlohmann::json;

constexpr char kFloat[] = "float";
constexpr char kDouble[] = "double";

// JSON has no other numbers.
void CheckFinite(const char* option, double value) {
  if (std::isfinite(value)) return;
  throw UsageError(fmt::format("{} is {}, must be a finite number", option, value));
}

void CheckForJobs(const TopicOptions& options) {
  if (options.format != "text" && options.format != "jsonl" && options.format != "ldac") {
    throw UsageError(
        fmt::format("--format is {}, must be text, jsonl or ldac: what one message of the topic "
                    "holds",
                    options.format));
  }
  if (options.stop_words != "english" && options.stop_words != "none") {
    throw UsageError(
        "--stop-words must be english or none: workers do not have the file; give --vocab instead");
  }
  if (options.algorithm != "sda") {
    throw UsageError("--algorithm is " + options.algorithm + ", must be sda");
  }
  if (!options.primitive.empty() && options.primitive != "gibbs" && options.primitive != "vb") {
    throw UsageError("--primitive is " + options.primitive + ", must be gibbs or vb");
  }
  CheckFinite("--half-life", options.half_life);
  CheckFinite("--minibatch-seconds", options.minibatch_seconds);
}

std::vector<std::string> WordsOf(const json& list) {
  if (!list.is_array()) throw InputError("has a vocabulary that is not a list");
  std::vector<std::string> words;
  words.reserve(list.size());
  for (const json& word : list) {
    if (!word.is_string()) throw InputError("has a vocabulary that is not a list of words");
    words.push_back(word.get<std::string>());
  }
  return words;
}

Transport TransportOf(const std::string& name) {
  if (name == kFloat) return Transport::kFloat;
  if (name == kDouble) return Transport::kDouble;
  throw InputError("has a transport that is neither float nor double");
}

}  // namespace

JobSettings JobSettings::Settled() const {
  JobSettings settled = *this;
  if (!options.vocab.empty()) settled.vocabulary = ReadWordFile(options.vocab);
  settled.options.vocab.clear();
  if (options.format == "auto") settled.options.format = "text";
  CheckForJobs(settled.options);
  if (settled.options.format == "ldac" && settled.vocabulary.empty()) {
    throw UsageError(
        "--format ldac needs --vocab FILE: the words that the ids of the documents stand for");
  }
  settled.options.schedule = Schedule::kAsynchronous;
  settled.options.workers = 1;
  settled.options = settled.options.Settled();
  return settled;
}

CorpusOptions JobSettings::Corpus() const {
  CorpusOptions corpus = options.Corpus();
  corpus.vocabulary = vocabulary;
  return corpus;
}

KeyedRows JobSettings::Prior() const { return LdaPrior(options.Spec(1)); }

std::string JobSettings::ToJson() const {
  return DumpJson({{"options", TopicOptionsToJson(options)},
                   {"vocabulary", vocabulary},
                   {"transport", transport == Transport::kDouble ? kDouble : kFloat},
                   {"snapshot_every", snapshot_every}});
}

JobSettings JobSettings::FromJson(const std::string& text) {
  const json stored = ParseObject(text, "settings");
  JobSettings settings;
  try {
    settings.options = TopicOptionsFromJson(Field(stored, "options")).Settled();
  } catch (const UsageError& e) {
    throw InputError(fmt::format("the job's settings cannot be used: {}", e.what()));
  }
  settings.vocabulary = WordsOf(Field(stored, "vocabulary"));
  settings.transport = TransportOf(TextField(stored, "transport"));
  settings.snapshot_every = CountField(stored, "snapshot_every");
  return settings;
}

}  // namespace sda::cluster
