#include "cluster/job_list.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>

#include "cluster/job.h"

namespace sda::cluster {

std::vector<std::string> ListJobs(const Properties& client) {
  constexpr int kTimeoutMilliseconds = 10'000;
  constexpr std::string_view kPrefix = "sda.";
  const std::string suffix = Job{}.settings_topic().substr(Job{}.settings_topic().find(".log."));
  const Client connection(client);
  connection.ExpectBroker(std::chrono::seconds(10));
  const rd_kafka_metadata_t* metadata = nullptr;
  connection.Expect(
      "the list of topics",
      rd_kafka_metadata(connection.handle(), 1, nullptr, &metadata, kTimeoutMilliseconds),
      "Describe");
  const std::unique_ptr<const rd_kafka_metadata_t, void (*)(const rd_kafka_metadata_t*)> owned(
      metadata, rd_kafka_metadata_destroy);
  std::vector<std::string> names;
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    std::string_view topic = metadata->topics[i].topic;
    if (!topic.starts_with(kPrefix) || !topic.ends_with(suffix)) continue;
    if (topic.size() <= kPrefix.size() + suffix.size()) continue;
    topic.remove_prefix(kPrefix.size());
    topic.remove_suffix(suffix.size());
    names.emplace_back(topic);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace sda::cluster
