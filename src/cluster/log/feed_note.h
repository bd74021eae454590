#ifndef SDA_CLUSTER_LOG_FEED_NOTE_H_
#define SDA_CLUSTER_LOG_FEED_NOTE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "cluster/job.h"
#include "cluster/kafka/kafka.h"

namespace sda::cluster {

// How far a file was fed. Each transaction that publishes documents also writes one, to the topic
// of the job's feeds; the last one counts, and stays when those before it are deleted.
struct FeedNote {
  std::string file;  // as it was given
  uint64_t documents = 0;
  uint64_t hash = kHashOfNothing;  // of these documents, in their order

  // One more document.
  void Add(std::string_view document);

  bool operator==(const FeedNote&) const = default;
};

// As it is in the topic, and back. Throws InputError: the message continues a sentence.
std::string ToJson(const FeedNote& note);
FeedNote ParseFeedNote(std::string_view json);

void WriteFeedNote(const Job& job, const std::string& feed, const FeedNote& note,
                   Producer* producer);

// The last one of the feed; nothing if there is none, or if a stop is requested. Transactions begun
// by then are over when this returns: `on_wait` is called, once, if that takes some seconds, and
// `on_lost` if it takes longer than a broker needs to end one. Throws KafkaError, and InputError
// for a note that cannot be read.
std::optional<FeedNote> ReadFeedNote(const Job& job, const std::string& feed,
                                     const std::stop_token& stop,
                                     const std::function<void()>& on_wait,
                                     const std::function<void()>& on_lost);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_FEED_NOTE_H_
