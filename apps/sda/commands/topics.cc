#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "sda/lda_topics.h"
#include "sda/topic_model.h"
#include "ui/command.h"

namespace sda {
namespace {

struct TopicsFlags {
  std::string model;
  int words = 8;
  bool json = false;
};

constexpr size_t kLineWidth = 100;

// Words with their probabilities in percent, as many to a line as fit.
void PrintWords(const TopicModel& model, const TopicSummary& topic) {
  std::string line = "   ";
  for (const TopicWord& word : topic.top_words) {
    const Estimate& p = word.probability;
    const std::string item = fmt::format(" {} {:.2f} [{:.2f}, {:.2f}]", model.vocabulary[word.word],
                                         100 * p.mean, 100 * p.lower, 100 * p.upper);
    if (line.size() + item.size() > kLineWidth && line.size() > 3) {
      fmt::print("{}\n", line);
      line = "   ";
    }
    line += item;
  }
  fmt::print("{}\n", line);
}

nlohmann::ordered_json ToJson(const TopicModel& model, const TopicSummary& topic) {
  nlohmann::ordered_json words = nlohmann::ordered_json::array();
  for (const TopicWord& word : topic.top_words) {
    words.push_back({{"word", model.vocabulary[word.word]},
                     {"probability", word.probability.mean},
                     {"lower", word.probability.lower},
                     {"upper", word.probability.upper}});
  }
  return {{"topic", topic.topic}, {"share", topic.share}, {"words", words}};
}

void ShowTopics(const TopicsFlags& flags) {
  const TopicModel model = LoadTopicModel(flags.model);
  const auto topics = SummarizeTopics(model.posterior, model.Spec(), flags.words);
  if (flags.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const TopicSummary& topic : topics) list.push_back(ToJson(model, topic));
    const nlohmann::ordered_json out = {{"documents", model.documents},
                                        {"tokens", model.tokens},
                                        {"interval", 0.95},
                                        {"topics", list}};
    fmt::print("{}\n", Dump(out));
    return;
  }
  fmt::print(
      "{} topics of {} words, from {} documents with {} tokens.\n"
      "Each word with its share of the topic in percent and the 95% interval of that share.\n\n",
      topics.size(), Grouped(model.vocabulary.size()), Grouped(model.documents),
      Grouped(model.tokens));
  for (const TopicSummary& topic : topics) {
    fmt::print("topic {}: {:.2f}% of the corpus\n", topic.topic, 100 * topic.share);
    PrintWords(model, topic);
  }
}

}  // namespace

void AddTopics(CLI::App* app) {
  CLI::App* command =
      app->add_subcommand("topics", "Top words of each topic, with credible intervals");
  auto flags = std::make_shared<TopicsFlags>();
  command->add_option("MODEL", flags->model, "A topic model saved by sda fit")->required();
  command->add_option("--words", flags->words, "Words of each topic")
      ->check(CLI::NonNegativeNumber.description(""))
      ->capture_default_str();
  command->add_flag("--json", flags->json, "Print JSON");
  command->callback([flags] { ShowTopics(*flags); });
}

}  // namespace sda
