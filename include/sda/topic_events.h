#ifndef SDA_TOPIC_EVENTS_H_
#define SDA_TOPIC_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// Something that a stream of documents shows while topics are learnt from it.
struct TopicEvent {
  enum class Kind {
    kTopicGrowing,         // a topic's share of the tokens has become larger
    kTopicFading,          // or smaller
    kUnknownWordsRising,   // the share of words outside the vocabulary has become larger
    kDocumentFitsNoTopic,  // the topics describe a document hardly better than the frequencies of
                           // words
  };
  Kind kind = Kind::kTopicGrowing;
  uint64_t minibatch = 0;       // the id of the one that completed it
  uint64_t documents = 0;       // learnt from by then
  std::optional<int64_t> time;  // of the latest document of the minibatch, milliseconds since 1970

  std::optional<size_t> topic;  // from 0
  // Shares of the tokens before and since the change, and the probability that the share has indeed
  // moved in this direction.
  double before = 0;
  double now = 0;
  double probability = 0;

  // The topic's most frequent words in the minibatch; of a document, its words.
  std::vector<std::string> words;
  // Documents of the minibatch: with the most of the topic, or the one that fits no topic. Their
  // ids or, where they have none, their numbers in the stream.
  std::vector<std::string> examples;
  // Of a document: how much better the topics predict each of its tokens than the frequencies of
  // words do (natural logarithm), and what is usual in this stream.
  std::optional<double> gain;
  std::optional<double> usual_gain;
};

// topic_growing, topic_fading, unknown_words_rising, document_fits_no_topic.
std::string NameOf(TopicEvent::Kind kind);

// One line, without its end: a JSON object with six significant digits.
std::string ToJson(const TopicEvent& event);

// Called by one thread at a time, in the order of the folds, before the observers of that fold.
using OnTopicEvent = std::function<void(const TopicEvent&)>;

}  // namespace sda

#endif  // SDA_TOPIC_EVENTS_H_
