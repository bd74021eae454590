#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/model_file.h"
#include "base/text.h"
#include "sda/topic_model.h"
#include "tables/table_fit.h"
#include "topics/topic_options_json.h"
#include "ui/command.h"

namespace sda {
namespace {

using nlohmann::ordered_json;

// The words that occur most, in the documents that the model was learnt from.
std::vector<std::string> FrequentWords(const TopicModel& model, size_t most) {
  const auto prior = model.posterior.default_row();
  const double prior_sum = std::accumulate(prior.begin(), prior.end(), 0.0);
  std::vector<std::pair<double, size_t>> tokens;
  for (size_t word = 0; word < model.vocabulary.size(); ++word) {
    const auto row = model.posterior.At(word);
    tokens.emplace_back(prior_sum - std::accumulate(row.begin(), row.end(), 0.0), word);
  }
  const size_t count = std::min(most, tokens.size());
  std::partial_sort(tokens.begin(), tokens.begin() + count, tokens.end());
  std::vector<std::string> words;
  for (size_t i = 0; i < count; ++i) words.push_back(model.vocabulary[tokens[i].second]);
  return words;
}

ordered_json TopicJson(const TopicModel& model) {
  return {{"model", "lda"},
          {"documents", model.documents},
          {"tokens", model.tokens},
          {"minibatches", model.minibatches},
          {"topics", model.posterior.width()},
          {"words", model.vocabulary.size()},
          {"most_frequent_words", FrequentWords(model, 20)},
          {"options", ordered_json(TopicOptionsToJson(model.options))}};
}

// A value as the command line takes it.
std::string ValueText(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  const bool same =
      std::adjacent_find(value.begin(), value.end(), std::not_equal_to<>()) == value.end();
  if (same && !value.empty()) return ValueText(value[0]) + (value.size() > 1 ? " for each" : "");
  std::string list;
  for (const auto& item : value) list += (list.empty() ? "" : ",") + ValueText(item);
  return list;
}

std::string TopicText(const TopicModel& model, const std::string& path) {
  constexpr size_t kWords = 8;
  constexpr size_t kMostShown = 80;  // characters of a value
  std::string words;
  for (const std::string& word : FrequentWords(model, kWords)) words += " " + Shown(word);
  std::string text = fmt::format(
      "topic model (lda): {} of {}, learnt from {} with {} in {}\n\n"
      "{:<24}{}\n",
      Plural(model.posterior.width(), "topic", "topics"),
      Plural(model.vocabulary.size(), "word", "words"),
      Plural(model.documents, "document", "documents"), Plural(model.tokens, "token", "tokens"),
      Plural(model.minibatches, "minibatch", "minibatches"), "most frequent words",
      words.empty() ? "" : words.substr(1));
  const nlohmann::json options = TopicOptionsToJson(model.options);
  for (const auto& [key, value] : options.items()) {
    std::string shown = Shown(ValueText(value));
    if (shown.size() > kMostShown) shown = shown.substr(0, kMostShown) + "...";
    text += fmt::format("{:<24}{}\n", FlagOf(key), shown);
  }
  for (const std::string& assumed : model.assumed) text += "\n" + Shown(assumed) + "\n";
  return text + "\nits topics: sda topics " + ShellFile(path) + "\n";
}

}  // namespace

void AddShow(CLI::App* app) {
  CLI::App* command = app->add_subcommand(
      "show", "What a model is, what it was learnt from, and what it knows of its parameters");
  struct Flags {
    std::string model;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  command->add_option("MODEL", flags->model, "A model saved by sda fit")->required();
  command->add_flag("--json", flags->json, "Print JSON");
  command->callback([flags] {
    if (ClaimedModel(flags->model) == "lda") {
      const TopicModel model = LoadTopicModel(flags->model);
      fmt::print("{}",
                 flags->json ? Dump(TopicJson(model)) + "\n" : TopicText(model, flags->model));
      return;
    }
    const auto fit = TableFit::Load(flags->model);
    fmt::print("{}", flags->json ? FitJson(*fit) : FitText(*fit));
  });
}

}  // namespace sda
