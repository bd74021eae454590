#include "cluster/log/feed_note.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

namespace sda::cluster {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// A job of this name that was deleted has other ones.
std::string KeyOf(const Job& job, const std::string& feed) { return job.id + "." + feed; }

FeedNote Parse(const Job& job, const Message& message) {
  try {
    const json note = json::parse(message.value());
    return {.file = note.at("file"), .documents = note.at("documents"), .hash = note.at("hash")};
  } catch (const json::exception& e) {
    throw std::runtime_error(fmt::format("topic {}, offset {}: no note of a feed: {}",
                                         job.feeds_topic(), message.offset(), e.what()));
  }
}

}  // namespace

void FeedNote::Add(std::string_view document) {
  ++documents;
  hash = Fnv1a(document, Fnv1a(std::to_string(document.size()) + ":", hash));
}

void WriteFeedNote(const Job& job, const std::string& feed, const FeedNote& note,
                   Producer* producer) {
  const json value = {{"file", note.file}, {"documents", note.documents}, {"hash", note.hash}};
  producer->Produce(job.feeds_topic(), 0, KeyOf(job, feed),
                    value.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::optional<FeedNote> ReadFeedNote(const Job& job, const std::string& feed,
                                     const std::function<bool()>& stop,
                                     const std::function<void()>& on_wait) {
  constexpr auto kPatience = std::chrono::minutes(20);  // no transaction lasts longer than 15
  constexpr auto kLong = std::chrono::seconds(3);
  // Up to here, not to what can be read now: another feed, whose transaction is still open, keeps
  // what this one has committed after it from being read.
  const int64_t end =
      Client(RD_KAFKA_CONSUMER, job.UncommittedProperties("")).Offsets(job.feeds_topic(), 0).end;
  Consumer consumer(job.ConsumerProperties(""));
  consumer.Assign(job.feeds_topic(), 0, RD_KAFKA_OFFSET_BEGINNING);
  const std::string key = KeyOf(job, feed);
  std::optional<FeedNote> last;
  const auto start = Clock::now();
  auto news = start;
  bool told = false;
  for (int64_t position = 0; position < end && !stop();) {
    const auto message = consumer.Poll(milliseconds(100));
    const auto now = Clock::now();
    if (now - start > kLong && !std::exchange(told, true)) on_wait();
    if (now - news > kPatience) {
      throw KafkaError("topic " + job.feeds_topic(), RD_KAFKA_RESP_ERR__TIMED_OUT);
    }
    if (!message) continue;
    if (message->at_end()) position = std::max(position, message->offset());
    if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    news = now;
    position = message->offset() + 1;
    if (message->key() == key) last = Parse(job, *message);
  }
  return last;
}

}  // namespace sda::cluster
