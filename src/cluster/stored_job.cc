#include "cluster/stored_job.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/job_settings.h"
#include "cluster/log/chunks.h"
#include "cluster/log/note.h"
#include "cluster/log/note_json.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kMostMessages = 10'000;
constexpr uint64_t kMostBytes = uint64_t{256} << 20;

// Looks at the messages of a topic, in their order.
class SettingsReader {
 public:
  explicit SettingsReader(const Job& named) : named_(named) {}

  void Add(const Message& message, const std::string& topic) {
    auto set_aside = [&](std::string why) {
      stored.set_aside.push_back(
          {topic, message.partition(), message.offset(), "the settings " + std::move(why)});
    };
    if (stored.job) return set_aside("come after those of the job, which never change");
    try {
      const std::string_view header = message.header(kNoteHeader);
      if (header.empty()) throw InputError("has no note");
      if (auto whole = assembler_.Add(header, message.value(), message.offset())) Use(whole->body);
    } catch (const InputError& e) {
      set_aside(e.what());
    }
  }

  StoredJob stored;

 private:
  void Use(const std::string& text) {
    const json object = ParseObject(text, "settings");
    const auto id = object.find("id");
    if (stored.id.empty() && id != object.end() && id->is_string()) stored.id = *id;
    try {
      ExpectKnownVersion(object);
    } catch (const InputError& e) {
      if (stored.other_version.empty() && object.contains("version")) {
        stored.other_version = e.what();
      }
      throw;
    }
    Job job = ParseStored(text);
    JobSettings::FromJson(job.settings);
    job.name = named_.name;
    job.client = named_.client;
    stored.id = job.id;
    stored.job = std::move(job);
  }

  const Job& named_;
  Assembler assembler_{AnyVersion::kYes};  // of the value is the one that counts
};

}  // namespace

std::string ToStored(const Job& job) {
  json stored = json::parse(job.settings);
  stored["version"] = kLogVersion;
  stored["id"] = job.id;
  if (!job.fed_as.empty()) stored["fed_as"] = job.fed_as;
  stored["documents"] = job.documents;
  stored["owns_documents"] = job.owns_documents;
  return DumpJson(stored);
}

Job ParseStored(std::string_view text) {
  json stored = ParseObject(text, "settings");
  ExpectKnownVersion(stored);
  Job job{.id = TextField(stored, "id"),
          .documents = TextField(stored, "documents"),
          .owns_documents = BoolField(stored, "owns_documents")};
  if (stored.contains("fed_as")) job.fed_as = TextField(stored, "fed_as");
  if (job.id.empty() || job.documents.empty()) {
    throw InputError("has an empty id, or no topic of documents");
  }
  for (const char* name : {"version", "id", "fed_as", "documents", "owns_documents"})
    stored.erase(name);
  job.settings = DumpJson(stored);
  return job;
}

StoredJob ReadStoredJob(const Job& named, const std::string& topic, ReadSettings how,
                        const std::stop_token& stop) {
  Consumer consumer(named.LookProperties());
  consumer.Assign(topic, 0, kFromBeginning);
  SettingsReader reader(named);
  uint64_t messages = 0;
  uint64_t bytes = 0;
  auto error = RD_KAFKA_RESP_ERR__TIMED_OUT;
  const auto give_up = Clock::now() + std::chrono::seconds(30);
  while (Clock::now() < give_up && !stop.stop_requested()) {
    const auto message = consumer.Poll(milliseconds(100));
    if (!message) continue;
    if (message->at_end()) return std::move(reader.stored);
    if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) {
      error = message->error();
      if (consumer.IsGone(topic)) break;
      continue;  // the client retries
    }
    reader.Add(*message, topic);
    bytes += message->value().size();
    const bool enough = how == ReadSettings::kUntilFirst && reader.stored.job;
    if (enough || ++messages >= kMostMessages || bytes >= kMostBytes) {
      return std::move(reader.stored);
    }
  }
  throw KafkaError("topic " + topic, error);
}

void WriteStoredJob(const Job& job, Producer* producer) {
  const std::string body = ToStored(job);
  producer->Begin();
  for (uint64_t i = 0; i < ChunksOf(body); ++i) {
    producer->Produce(job.settings_topic(), 0, "settings", Chunk(body, i), kNoteHeader,
                      ToHeader({.chunk = i, .chunks = ChunksOf(body), .id = job.id}));
  }
  producer->Commit();
}

}  // namespace sda::cluster
