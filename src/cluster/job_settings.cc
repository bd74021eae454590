#include "cluster/job_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cluster/log/note_json.h"
#include "data/text/word_file.h"
#include "sda/errors.h"
#include "sda/forgetting.h"
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
  if (options.topics == kAutoTopics) {
    throw UsageError(
        "--topics auto is not for a job, whose workers need the number at its start: find it with "
        "sda fit --topics auto on some of the documents, and give it here");
  }
  if (options.Grows()) {
    throw UsageError(
        "--grow-vocab is not for a job, whose workers have the words chosen at its start: fit with "
        "sda fit --grow-vocab");
  }
  if (options.algorithm != "sda") {
    throw UsageError("--algorithm is " + options.algorithm + ", must be sda");
  }
  if (!options.primitive.empty() && options.primitive != "gibbs" && options.primitive != "vb") {
    throw UsageError("--primitive is " + options.primitive + ", must be gibbs or vb");
  }
  if (options.half_life == kAutoHalfLife) {
    throw UsageError(
        "--half-life auto is not for a job, whose workers do not learn it: find it with sda fit "
        "--half-life auto on some of the documents, and give the number here");
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

// The option of the command line.
std::string OptionName(std::string name) {
  if (name == "vocabulary") return "--vocab";
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

std::string Shown(const json& value) {
  const std::string text = value.is_null() ? "not given" : value.dump();
  return text.size() > 40 ? text.substr(0, 40) + "..." : text;
}

// Fields of objects within objects, too, by the names of the options.
void Flatten(const json& object, const std::string& prefix, std::map<std::string, json>* out) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_object()) {
      Flatten(value, name == "options" ? prefix : prefix + name + ".", out);
    } else {
      (*out)[OptionName(prefix + name)] = value;
    }
  }
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
    CheckForJobs(settings.options);
  } catch (const UsageError& e) {
    throw InputError(fmt::format("has settings that cannot be used: {}", e.what()));
  }
  settings.vocabulary = WordsOf(Field(stored, "vocabulary"));
  if (!settings.options.vocab.empty()) throw InputError("has the name of a file of words");
  if (settings.options.format == "ldac" && settings.vocabulary.empty()) {
    throw InputError("has the format ldac and no words");
  }
  settings.transport = TransportOf(TextField(stored, "transport"));
  settings.snapshot_every = CountField(stored, "snapshot_every");
  return settings;
}

std::string SettingsDifference(const std::string& old_settings, const std::string& new_settings) {
  std::map<std::string, json> old, now;
  Flatten(json::parse(old_settings), "", &old);
  Flatten(json::parse(new_settings), "", &now);
  std::string text;
  for (const auto& [name, value] : now) {
    const auto before = old.find(name);
    if (before != old.end() && before->second == value) continue;
    text += fmt::format("{}{} is {}, not {}", text.empty() ? "" : "; ", name,
                        Shown(before == old.end() ? json() : before->second), Shown(value));
  }
  for (const auto& [name, value] : old) {
    if (now.contains(name)) continue;
    text +=
        fmt::format("{}{} is {}, and not given here", text.empty() ? "" : "; ", name, Shown(value));
  }
  return text;
}

}  // namespace sda::cluster
