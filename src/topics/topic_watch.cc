#include "topics/topic_watch.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "base/parse_json.h"
#include "sda/errors.h"

namespace sda {
namespace {

using nlohmann::json;

// A topic counts from this part of the share that it would have if all were alike.
constexpr double kLeastPart = 0.5;
constexpr ShareHistory::Rules kUnknownRules = {.factor = 1.25, .least = 0.01};

// A document fits no topic if they tell this part of what they usually do of a document, and it
// lies this number of standard deviations from the others.
constexpr double kLeastGain = 0.1;
constexpr double kDeviations = 4;
constexpr double kLeastDocuments = 500;  // to compare with

}  // namespace

TopicWatch::TopicWatch(int topics, bool with_documents, Context context, OnTopicEvent on_event)
    : with_documents_(with_documents),
      context_(std::move(context)),
      on_event_(std::move(on_event)),
      topics_(topics) {}

void TopicWatch::Offer(uint64_t minibatch, const Lesson& lesson) {
  MinibatchView view = ViewOf(lesson, with_documents_, context_);
  std::lock_guard lock(mutex_);
  offered_.insert_or_assign(minibatch, std::move(view));
}

void TopicWatch::Folded(uint64_t minibatch, uint64_t documents) {
  std::lock_guard lock(mutex_);
  const auto view = offered_.extract(minibatch);
  if (view.empty() || view.mapped().first) return;
  TopicEvent event;
  event.minibatch = minibatch;
  event.documents = documents;
  event.time = view.mapped().time;
  LookAtTopics(view.mapped(), event);
  LookAtWords(view.mapped(), event);
  LookAtDocuments(view.mapped(), event);
}

void TopicWatch::LookAtTopics(const MinibatchView& view, TopicEvent event) {
  const double all = std::accumulate(view.tokens.begin(), view.tokens.end(), 0.0);
  if (!(all > 0)) return;
  const ShareHistory::Rules rules = {.least = kLeastPart / static_cast<double>(topics_.size())};
  for (size_t k = 0; k < topics_.size(); ++k) {
    topics_[k].Add(std::clamp(view.tokens[k] / all, 0.0, 1.0), view.documents);
    const auto change = topics_[k].TakeChange(rules);
    if (!change) continue;
    const bool grows = change->now > change->before;
    event.kind = grows ? TopicEvent::Kind::kTopicGrowing : TopicEvent::Kind::kTopicFading;
    event.topic = k;
    event.before = change->before;
    event.now = change->now;
    event.probability = change->probability;
    event.words = view.words[k];
    event.examples = view.examples.empty() ? std::vector<std::string>() : view.examples[k];
    on_event_(event);
  }
}

void TopicWatch::LookAtWords(const MinibatchView& view, TopicEvent event) {
  const auto all = static_cast<double>(view.known + view.unknown);
  unknown_.Add(static_cast<double>(view.unknown) / all, view.documents);
  const auto change = unknown_.TakeChange(kUnknownRules);
  if (!change || change->now < change->before) return;
  event.kind = TopicEvent::Kind::kUnknownWordsRising;
  event.before = change->before;
  event.now = change->now;
  event.probability = change->probability;
  on_event_(event);
}

void TopicWatch::LookAtDocuments(const MinibatchView& view, TopicEvent event) {
  const double deviation = gains_.count > 1 ? std::sqrt(gains_.squares / (gains_.count - 1)) : 0;
  if (gains_.count >= kLeastDocuments && view.gains.count > 0 &&
      view.least_gain < kLeastGain * gains_.mean &&
      view.least_gain < gains_.mean - kDeviations * deviation) {
    event.kind = TopicEvent::Kind::kDocumentFitsNoTopic;
    event.gain = view.least_gain;
    event.usual_gain = gains_.mean;
    event.examples = {view.worst};
    event.words = view.worst_words;
    on_event_(event);
  }
  gains_ += view.gains;
}

std::string TopicWatch::ToJson() const {
  std::lock_guard lock(mutex_);
  json topics = json::array();
  for (const ShareHistory& history : topics_) topics.push_back(history.ToJson());
  return json{{"topics", std::move(topics)},
              {"unknown", unknown_.ToJson()},
              {"gains", {gains_.count, gains_.weight, gains_.mean, gains_.squares}}}
      .dump();
}

void TopicWatch::Resume(const std::string& text) {
  try {
    const json notes = ParseJson(text);
    const json& topics = notes.at("topics");
    if (topics.size() != topics_.size()) throw InputError("not of this number of topics");
    std::lock_guard lock(mutex_);
    for (size_t k = 0; k < topics_.size(); ++k) topics_[k] = ShareHistory::FromJson(topics[k]);
    unknown_ = ShareHistory::FromJson(notes.at("unknown"));
    const json& gains = notes.at("gains");
    gains_ = {gains.at(0), gains.at(1), gains.at(2), gains.at(3)};
  } catch (const std::exception& e) {
    throw InputError(std::string("the notes of the events are bad: ") + e.what());
  }
}

}  // namespace sda
