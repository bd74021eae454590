#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "commands/topics_over_time.h"
#include "sda/lda_topics.h"
#include "sda/topic_model.h"
#include "ui/colour.h"
#include "ui/command.h"
#include "ui/topic_text.h"

namespace sda {
namespace {

struct TopicsFlags {
  std::string model;
  int words = 8;
  bool intervals = false;
  bool json = false;
  OverTimeFlags over_time;
};

constexpr size_t kLineWidth = 100;

// NaN if it is not known.
double CoherenceOf(const TopicModel& model, size_t topic) {
  return model.coherence ? model.coherence->npmi[topic] : std::nan("");
}

// Such as 3 of 5.
std::string FoundBy(const TopicStability& stability, size_t topic) {
  return fmt::format("{} of {}", stability.found_by[topic], stability.runs);
}

// A line about all topics for each thing that was measured.
void PrintMeasured(const TopicModel& model) {
  if (model.coherence) fmt::print("{}", CoherenceText(*model.coherence));
  if (model.stability) fmt::print("{}", StabilityText(*model.stability));
  if (model.coherence || model.stability) fmt::print("\n");
}

// Where all are, none is called so apart.
bool IsApproximate(const TopicModel& model, const TopicWord& word) {
  return word.probability.approximate && !model.ApproximateIntervals();
}

// What is said of the intervals as a whole.
const char* Quality(const TopicModel& model, const std::vector<TopicSummary>& topics) {
  if (model.ApproximateIntervals()) return " (approximate)";
  for (const TopicSummary& topic : topics) {
    for (const TopicWord& word : topic.top_words) {
      if (IsApproximate(model, word)) return " (~: approximate)";
    }
  }
  return "";
}

// Words with their probabilities in percent, as many to a line as fit.
void PrintWords(const TopicModel& model, const TopicSummary& topic) {
  std::string line = "   ";
  for (const TopicWord& word : topic.top_words) {
    const Estimate& p = word.probability;
    const std::string item = fmt::format(
        " {} {:.2f} [{:.2f}, {:.2f}]{}", Shown(model.vocabulary[word.word]), 100 * p.mean,
        100 * p.lower, 100 * p.upper, IsApproximate(model, word) ? "~" : "");
    if (line.size() + item.size() > kLineWidth && line.size() > 3) {
      fmt::print("{}\n", line);
      line = "   ";
    }
    line += item;
  }
  fmt::print("{}\n", line);
}

void PrintIntervals(const TopicModel& model, const std::vector<TopicSummary>& topics) {
  fmt::print(
      "Each word with its share of the topic in percent and the 95% interval of that share{}.\n\n",
      Quality(model, topics));
  PrintMeasured(model);
  for (const TopicSummary& topic : topics) {
    const double coherence = CoherenceOf(model, topic.topic);
    std::string line =
        fmt::format("topic {}: {:.2f}% of the corpus", topic.topic, 100 * topic.share);
    if (!std::isnan(coherence)) line += ", coherence " + CoherenceNumber(coherence);
    if (model.stability) {
      line +=
          fmt::format(", found by {} runs (mean cosine {:.2f})",
                      FoundBy(*model.stability, topic.topic), model.stability->cosine[topic.topic]);
    }
    PrintStrong(line + "\n");
    PrintWords(model, topic);
  }
}

// One line a topic.
void PrintLines(const TopicModel& model, const std::vector<TopicSummary>& topics) {
  fmt::print(
      "The share of each in the corpus, and its top words; --intervals adds their shares.\n\n");
  PrintMeasured(model);
  PrintStrong(fmt::format("topic    share  {}{} top words\n", model.coherence ? "coherence  " : "",
                          model.stability ? "found by runs  " : ""));
  for (const TopicSummary& topic : topics) {
    PrintStrong(fmt::format("{:>5}", topic.topic));
    fmt::print("  {:>6.2f}%  ", 100 * topic.share);
    if (model.coherence) {
      const double coherence = CoherenceOf(model, topic.topic);
      fmt::print("{:>9}  ", std::isnan(coherence) ? "-" : CoherenceNumber(coherence));
    }
    if (model.stability) fmt::print("{:>13}  ", FoundBy(*model.stability, topic.topic));
    for (const TopicWord& word : topic.top_words) {
      fmt::print(" {}", Shown(model.vocabulary[word.word]));
    }
    fmt::print("\n");
  }
}

nlohmann::ordered_json NumberOrNull(double value) {
  return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
}

nlohmann::ordered_json ToJson(const TopicModel& model, const TopicSummary& topic) {
  nlohmann::ordered_json words = nlohmann::ordered_json::array();
  for (const TopicWord& word : topic.top_words) {
    words.push_back({{"word", model.vocabulary[word.word]},
                     {"probability", word.probability.mean},
                     {"lower", word.probability.lower},
                     {"upper", word.probability.upper}});
    if (IsApproximate(model, word)) words.back()["approximate"] = true;
  }
  nlohmann::ordered_json out = {{"topic", topic.topic}, {"share", topic.share}};
  if (model.coherence) out["coherence"] = NumberOrNull(model.coherence->npmi[topic.topic]);
  if (model.stability) {
    out["stability"] = {{"found_by", model.stability->found_by[topic.topic]},
                        {"runs", model.stability->runs},
                        {"cosine", model.stability->cosine[topic.topic]}};
  }
  out["words"] = words;
  return out;
}

void ShowTopics(const TopicsFlags& flags) {
  flags.over_time.Check();
  const TopicModel model = LoadTopicModel(flags.model);
  if (flags.over_time.any()) {
    return ShowTopicsOverTime(model, flags.over_time, flags.words, flags.json);
  }
  const auto topics = SummarizeTopics(model.posterior, model.Spec(), flags.words);
  if (flags.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const TopicSummary& topic : topics) list.push_back(ToJson(model, topic));
    nlohmann::ordered_json out = {{"documents", model.documents},
                                  {"tokens", model.tokens},
                                  {"interval", 0.95},
                                  {"approximate", model.ApproximateIntervals()},
                                  {"topics", list}};
    if (model.coherence) out["coherence_documents"] = model.coherence->documents;
    if (model.search) out["topic_search"] = nlohmann::ordered_json::parse(model.search->ToJson());
    fmt::print("{}\n", Dump(out));
    return;
  }
  fmt::print("{} of {}, from {} with {}.\n", Plural(topics.size(), "topic", "topics"),
             Plural(model.vocabulary.size(), "word", "words"),
             Plural(model.documents, "document", "documents"),
             Plural(model.tokens, "token", "tokens"));
  flags.intervals ? PrintIntervals(model, topics) : PrintLines(model, topics);
}

}  // namespace

void AddTopics(CLI::App* app) {
  CLI::App* command = app->add_subcommand("topics", "Top words of each topic, one line a topic");
  auto flags = std::make_shared<TopicsFlags>();
  command->add_option("MODEL", flags->model, "A topic model saved by sda fit")->required();
  command->add_option("--words", flags->words, "Words of each topic")
      ->check(CLI::Range(0, 1'000'000'000).description(""))
      ->capture_default_str();
  command->add_flag("--intervals", flags->intervals,
                    "Each word with its share of the topic and the 95% interval of it");
  command->add_flag("--json", flags->json, "Print JSON, with the intervals");
  flags->over_time.AddTo(command);
  command->callback([flags] { ShowTopics(*flags); });
}

}  // namespace sda
