#include "cluster/worker/word_sample.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>

#include "cluster/kafka/kafka.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

Properties SampleProperties(const Job& job) {
  Properties properties = job.ConsumerProperties("");
  properties.insert({"queued.min.messages", "10000"});
  properties.insert({"queued.max.messages.kbytes", "16384"});
  return properties;
}

}  // namespace

std::vector<uint64_t> SampleShares(const std::vector<uint64_t>& sizes, uint64_t most) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sizes[a] < sizes[b]; });
  std::vector<uint64_t> shares(sizes.size());
  for (size_t i = 0; i < order.size(); ++i) {
    shares[order[i]] = std::min(sizes[order[i]], most / (order.size() - i));
    most -= shares[order[i]];
  }
  return shares;
}

std::vector<std::string> ReadWordSample(const Job& job, uint64_t most,
                                        const std::function<bool(std::string_view)>& is_document,
                                        const std::stop_token& stop) {
  constexpr uint64_t kMostBytes = uint64_t{256} << 20;
  constexpr auto kPatience = std::chrono::seconds(30);
  Consumer consumer(SampleProperties(job));
  const int partitions = consumer.Partitions(job.documents);
  std::vector<Client::Range> ranges;
  std::vector<uint64_t> sizes;
  for (int p = 0; p < partitions; ++p) {
    ranges.push_back(consumer.Offsets(job.documents, p));
    sizes.push_back(static_cast<uint64_t>(ranges.back().end - ranges.back().begin));
  }
  const std::vector<uint64_t> shares = SampleShares(sizes, most);
  struct Wanted {
    uint64_t documents;
    uint64_t bytes;
  };
  std::map<int32_t, Wanted> wanted;  // by partition
  std::map<int32_t, int64_t> offsets;
  for (int p = 0; p < partitions; ++p) {
    if (shares[p] == 0) continue;
    wanted[p] = {shares[p], kMostBytes / partitions};
    offsets[p] = ranges[p].begin;
  }
  consumer.Assign(job.documents, offsets);
  std::vector<std::string> documents;
  auto give_up = Clock::now() + kPatience;
  while (!wanted.empty() && !stop.stop_requested()) {
    if (Clock::now() > give_up) {
      throw KafkaError("topic " + job.documents, RD_KAFKA_RESP_ERR__TIMED_OUT);
    }
    const auto message = consumer.Poll(milliseconds(100));
    if (!message) continue;
    const int32_t partition = message->partition();
    const auto open = wanted.find(partition);
    if (open == wanted.end()) continue;
    const bool at_end = message->at_end() || message->offset() >= ranges[partition].end;
    if (!at_end && message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    give_up = Clock::now() + kPatience;
    Wanted& left = open->second;
    if (!at_end && is_document(message->value())) {
      documents.emplace_back(message->value());
      --left.documents;
      left.bytes -= std::min<uint64_t>(left.bytes, message->value().size());
    }
    if (!at_end && left.documents > 0 && left.bytes > 0) continue;
    wanted.erase(open);
    consumer.Pause(job.documents, {partition});
  }
  return documents;
}

}  // namespace sda::cluster
