#include "cluster/log/dead_letter.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/log/note_json.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

int32_t PartitionField(const nlohmann::json& note) {
  const uint64_t partition = CountField(note, "partition");
  if (partition <= std::numeric_limits<int32_t>::max()) return static_cast<int32_t>(partition);
  throw InputError("has a field partition that is not the number of one");
}

}  // namespace

std::string ToJson(const DeadLetter& letter) {
  const SetAside& message = letter.message;
  return DumpJson({{"version", kLogVersion},
                   {"topic", message.topic},
                   {"partition", message.partition},
                   {"offset", message.offset},
                   {"reason", message.reason.substr(0, kMostReasonBytes)},
                   {"worker", letter.worker}});
}

DeadLetter ParseDeadLetter(std::string_view text) {
  const nlohmann::json note = ParseObject(text, "a value");
  ExpectKnownVersion(note);
  return {.message = {.topic = TextField(note, "topic"),
                      .partition = PartitionField(note),
                      .offset = OffsetField(note, "offset"),
                      .reason = TextField(note, "reason")},
          .worker = TextField(note, "worker")};
}

void WriteDeadLetter(const Job& job, const DeadLetter& letter, Producer* producer) {
  const SetAside& message = letter.message;
  const std::string key = fmt::format("{}/{}/{}", message.topic, message.partition, message.offset);
  producer->Produce(job.rejected_topic(), 0, key, ToJson(letter));
}

std::vector<DeadLetter> ReadDeadLetters(const Job& job, size_t limit, const std::stop_token& stop) {
  constexpr auto kPatience = std::chrono::seconds(10);
  const std::string topic = job.rejected_topic();
  Consumer consumer(job.LookProperties());
  const Client::Range range = consumer.Offsets(topic, 0);
  // Each transaction ends with a mark, so that half of the offsets may hold nothing.
  const auto most = static_cast<int64_t>(std::min<size_t>(limit, 1'000'000));
  const int64_t from = std::max(range.begin, range.end - 3 * most);
  consumer.Assign(topic, 0, from);
  std::deque<DeadLetter> last;
  auto give_up = Clock::now() + kPatience;
  for (int64_t position = from; position < range.end && !stop.stop_requested();) {
    if (Clock::now() > give_up) throw KafkaError("topic " + topic, RD_KAFKA_RESP_ERR__TIMED_OUT);
    const auto message = consumer.Poll(milliseconds(100));
    if (!message) continue;
    // What is not committed yet is not waited for.
    if (message->at_end()) break;
    if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    give_up = Clock::now() + kPatience;
    position = message->offset() + 1;
    try {
      last.push_back(ParseDeadLetter(message->value()));
    } catch (const InputError&) {
      continue;
    }
    if (last.size() > limit) last.pop_front();
  }
  return {last.begin(), last.end()};
}

}  // namespace sda::cluster
