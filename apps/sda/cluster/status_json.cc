#include <nlohmann/json.hpp>

#include "cluster/status_text.h"

namespace sda {

using nlohmann::ordered_json;

namespace {

template <class T>
ordered_json OrNull(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json Workers(const cluster::JobStatus& s) {
  ordered_json workers = ordered_json::array();
  for (const auto& worker : s.workers) {
    workers.push_back({{"name", worker.name},
                       {"host", worker.host},
                       {"keeper", worker.keeper},
                       {"documents_per_second", worker.documents_per_second},
                       {"partitions", worker.partitions}});
  }
  return workers;
}

ordered_json Partitions(const cluster::JobStatus& s) {
  ordered_json partitions = ordered_json::array();
  for (size_t p = 0; p < s.partitions.size(); ++p) {
    const auto& partition = s.partitions[p];
    partitions.push_back({{"partition", p},
                          {"lag", partition.lag},
                          {"begin_offset", partition.begin},
                          {"next_offset", partition.next},
                          {"end_offset", partition.end}});
  }
  return partitions;
}

ordered_json SetAside(const cluster::JobStatus& s) {
  ordered_json messages = ordered_json::array();
  for (const auto& message : s.set_aside.last) {
    messages.push_back({{"topic", message.topic},
                        {"partition", message.partition},
                        {"offset", message.offset},
                        {"reason", message.reason}});
  }
  return messages;
}

}  // namespace

std::string StatusJson(const cluster::JobStatus& s, bool in_one_line) {
  ordered_json keeper;
  for (const auto& worker : s.workers) {
    if (worker.keeper) keeper = worker.name;
  }
  ordered_json json = {
      {"job", s.job},
      {"documents_topic", s.documents},
      {"documents", s.totals.documents},
      {"tokens", s.totals.tokens},
      {"deltas", s.totals.deltas},
      {"skipped", s.totals.skipped},
      {"bad", s.totals.bad},
      {"set_aside", s.set_aside.count},
      {"last_set_aside", SetAside(s)},
      {"lag", s.lag()},
      {"lag_is_exact", s.lag_is_exact()},
      {"idle", s.idle()},
      {"documents_per_second", s.documents_per_second},
      {"seconds_left", OrNull(s.seconds_left())},
      {"seconds_since_last_delta", OrNull(s.seconds_since)},
      {"seconds_from_first_to_last_delta",
       1e-3 * static_cast<double>(s.totals.last_milliseconds - s.totals.first_milliseconds)},
      {"staleness_last", s.totals.staleness_last},
      {"staleness_mean", s.totals.staleness_mean()},
      {"staleness_max", s.totals.staleness_max},
      {"held_out_score",
       s.totals.score_tokens > 0 ? ordered_json(s.totals.score()) : ordered_json()},
      {"log",
       {{"topic", s.deltas},
        {"begin_offset", s.log_begin},
        {"end_offset", s.log_end},
        {"bytes", s.totals.bytes},
        {"deltas_since_snapshot", s.deltas_since_snapshot()},
        {"bytes_since_snapshot", s.bytes_since_snapshot()}}},
      {"snapshot", nullptr},
      {"keeper", keeper},
      {"workers", Workers(s)},
      {"partitions", Partitions(s)},
  };
  if (s.snapshot) {
    json["snapshot"] = {{"bytes", s.snapshot->bytes},
                        {"deltas", s.snapshot->deltas},
                        {"seconds_since", s.snapshot->seconds_since}};
  }
  // A worker's name may contain bytes that are not UTF-8.
  return json.dump(in_one_line ? -1 : 2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace sda
