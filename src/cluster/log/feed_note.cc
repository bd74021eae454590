#include "cluster/log/feed_note.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/log/lost_end.h"
#include "cluster/log/note_json.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// A job of this name that was deleted has other ones.
std::string KeyOf(const Job& job, const std::string& feed) { return job.feeds_id() + "." + feed; }

}  // namespace

void FeedNote::Add(std::string_view document) {
  ++documents;
  hash = Fnv1a(document, Fnv1a(std::to_string(document.size()) + ":", hash));
}

std::string ToJson(const FeedNote& note) {
  return DumpJson({{"version", kLogVersion},
                   {"file", note.file},
                   {"documents", note.documents},
                   {"hash", note.hash}});
}

FeedNote ParseFeedNote(std::string_view text) {
  const nlohmann::json note = ParseObject(text, "a value");
  ExpectKnownVersion(note);
  return {.file = TextField(note, "file"),
          .documents = CountField(note, "documents"),
          .hash = CountField(note, "hash")};
}

void WriteFeedNote(const Job& job, const std::string& feed, const FeedNote& note,
                   Producer* producer) {
  producer->Produce(job.feeds_topic(), 0, KeyOf(job, feed), ToJson(note));
}

std::optional<FeedNote> ReadFeedNote(const Job& job, const std::string& feed,
                                     const std::stop_token& stop,
                                     const std::function<void()>& on_wait,
                                     const std::function<void()>& on_lost) {
  constexpr auto kPatience = std::chrono::minutes(20);  // no transaction lasts longer than 15
  constexpr auto kLong = std::chrono::seconds(3);
  // Up to here, not to what can be read now: another feed, whose transaction is still open, keeps
  // what this one has committed after it from being read.
  const int64_t end = Consumer(job.UncommittedProperties("")).EndOffset(job.feeds_topic(), 0);
  Consumer consumer(job.ConsumerProperties(""));
  consumer.Assign(job.feeds_topic(), 0, kFromBeginning);
  const std::string key = KeyOf(job, feed);
  std::optional<FeedNote> last;
  const auto start = Clock::now();
  auto news = start;
  bool told = false;
  bool lost = false;
  for (int64_t position = 0; position < end && !stop.stop_requested();) {
    const auto message = consumer.Poll(milliseconds(100));
    const auto now = Clock::now();
    if (now - start > kLong && !std::exchange(told, true)) on_wait();
    if (now - start > kUntilLost && !std::exchange(lost, true)) on_lost();
    if (now - news > kPatience) {
      throw KafkaError("topic " + job.feeds_topic(), RD_KAFKA_RESP_ERR__TIMED_OUT);
    }
    if (!message) continue;
    if (message->at_end()) position = std::max(position, message->offset());
    if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    news = now;
    position = message->offset() + 1;
    if (message->key() != key) continue;
    try {
      last = ParseFeedNote(message->value());
    } catch (const InputError& e) {
      // Not skipped: the note that it replaced is gone, and documents would be fed twice.
      throw InputError(fmt::format(
          "topic {}, offset {}: the note of how far this file was fed {}; --again feeds all of the "
          "file, as new documents",
          job.feeds_topic(), message->offset(), e.what()));
    }
  }
  return last;
}

}  // namespace sda::cluster
