#ifndef SDA_SERVICE_METRICS_TEXT_H_
#define SDA_SERVICE_METRICS_TEXT_H_

#include <string>
#include <utility>
#include <vector>

#include "cluster/status/job_status.h"
#include "cluster/worker/worker_numbers.h"

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

std::string WorkerMetrics(const cluster::WorkerNumbers& worker);

std::string JobMetrics(const cluster::JobStatus& status);
// Of a job that does not answer now.
std::string JobDownMetrics(const std::string& job);

}  // namespace sda

#endif  // SDA_SERVICE_METRICS_TEXT_H_
