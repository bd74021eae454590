#ifndef SDA_SERVICE_METRICS_TEXT_H_
#define SDA_SERVICE_METRICS_TEXT_H_

#include <string>
#include <utility>
#include <vector>

#include "cluster/status/job_status.h"

namespace sda {

// Metrics in Prometheus' text format, version 0.0.4.
class MetricsText {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  // On every sample.
  explicit MetricsText(Labels common) : common_(std::move(common)) {}

  // What follows, until the next call, are samples of this metric.
  MetricsText& Counter(const std::string& name, const std::string& help);
  MetricsText& Gauge(const std::string& name, const std::string& help);
  MetricsText& Sample(double value, const Labels& labels = {});

  const std::string& text() const { return text_; }

 private:
  MetricsText& Begin(const std::string& name, const char* type, const std::string& help);

  const Labels common_;
  std::string name_;
  std::string text_;
};

// What one worker has done since it started, and what it sees.
struct WorkerNumbers {
  std::string job;
  std::string worker;
  uint64_t documents = 0;  // folded, in so many
  uint64_t minibatches = 0;
  uint64_t lost = 0;  // minibatches that went to another before they were committed
  double computing_seconds = 0;
  uint64_t staleness_last = 0;
  uint64_t staleness_max = 0;
  uint64_t staleness_sum = 0;
  uint64_t partitions = 0;
  uint64_t rejoined = 0;
  uint64_t expired = 0;
  bool keeper = false;
  uint64_t snapshots = 0;
  int64_t view_position = 0;
  uint64_t view_deltas = 0;
  uint64_t view_documents = 0;
  uint64_t view_loads = 0;
};
std::string WorkerMetrics(const WorkerNumbers& worker);

std::string JobMetrics(const cluster::JobStatus& status);
// Of a job that cannot be asked now.
std::string JobDownMetrics(const std::string& job);

}  // namespace sda

#endif  // SDA_SERVICE_METRICS_TEXT_H_
