#include "service/metrics_text.h"

#include <fmt/format.h>

#include <cmath>

namespace sda {
namespace {

// As the format has it: backslash, quote and line feed.
std::string Escaped(const std::string& value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

}  // namespace

MetricsText& MetricsText::Begin(const std::string& name, const char* type,
                                const std::string& help) {
  name_ = name;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  return *this;
}

MetricsText& MetricsText::Counter(const std::string& name, const std::string& help) {
  return Begin(name, "counter", help);
}

MetricsText& MetricsText::Gauge(const std::string& name, const std::string& help) {
  return Begin(name, "gauge", help);
}

MetricsText& MetricsText::Sample(double value, const Labels& labels) {
  text_ += name_;
  char before = '{';
  for (const Labels* some : {&common_, &labels}) {
    for (const auto& [label, text] : *some) {
      text_ += fmt::format("{}{}=\"{}\"", before, label, Escaped(text));
      before = ',';
    }
  }
  text_ += fmt::format("{} {}\n", before == ',' ? "}" : "", Number(value));
  return *this;
}

namespace {

// Of a worker or of a job: both have the same three numbers.
template <class Numbers>
void AddStaleness(const std::string& of, const Numbers& numbers, MetricsText* m) {
  m->Gauge(of + "_staleness_deltas",
           "Deltas of others between the view that the last delta started from and itself.")
      .Sample(numbers.staleness_last);
  m->Gauge(of + "_staleness_max_deltas", "The largest staleness of a delta.")
      .Sample(numbers.staleness_max);
  m->Counter(of + "_staleness_deltas_total", "Sum of the staleness of all deltas.")
      .Sample(numbers.staleness_sum);
}

}  // namespace

std::string WorkerMetrics(const cluster::WorkerNumbers& w) {
  MetricsText m({{"job", w.job}, {"worker", w.worker}});
  m.Counter("sda_worker_documents_total", "Documents that this worker has folded.")
      .Sample(w.documents);
  m.Counter("sda_worker_minibatches_total", "Minibatches that this worker has folded.")
      .Sample(w.minibatches);
  m.Counter("sda_worker_lost_minibatches_total",
            "Minibatches whose documents went to another worker before they were committed.")
      .Sample(w.lost);
  m.Counter("sda_worker_computing_seconds_total", "Time spent computing deltas.")
      .Sample(w.computing_seconds);
  AddStaleness("sda_worker", w, &m);
  m.Gauge("sda_worker_partitions", "Partitions of the documents' topic that this worker holds.")
      .Sample(w.partitions);
  m.Counter("sda_worker_rejoins_total", "Times that this worker had to join the job again.")
      .Sample(w.rejoined);
  m.Counter("sda_worker_expired_documents_total",
            "Documents that the topic dropped before they were read.")
      .Sample(w.expired);
  m.Gauge("sda_worker_keeper", "1 if this worker writes the snapshots of the job.")
      .Sample(w.keeper ? 1 : 0);
  m.Counter("sda_worker_snapshots_total", "Snapshots that this worker has written.")
      .Sample(w.snapshots);
  m.Gauge("sda_worker_view_offset", "Offset up to which this worker has read the log of deltas.")
      .Sample(w.view_position);
  m.Gauge("sda_worker_view_deltas", "Deltas in this worker's view of the posterior.")
      .Sample(w.view_deltas);
  m.Gauge("sda_worker_view_documents", "Documents in this worker's view of the posterior.")
      .Sample(w.view_documents);
  m.Counter("sda_worker_view_loads_total", "Times that the view began from a snapshot.")
      .Sample(w.view_loads);
  m.Counter("sda_worker_set_aside_messages_total",
            "Messages of the log and the snapshots that no worker wrote, by this worker's view.")
      .Sample(w.set_aside);
  return m.text();
}

std::string JobMetrics(const cluster::JobStatus& s) {
  MetricsText m({{"job", s.job}});
  m.Gauge("sda_job_up", "1 if the brokers answer.").Sample(1);
  m.Counter("sda_job_documents_total", "Documents folded.").Sample(s.totals.documents);
  m.Counter("sda_job_tokens_total", "Tokens in the documents folded.").Sample(s.totals.tokens);
  m.Counter("sda_job_deltas_total", "Deltas in the log.").Sample(s.totals.deltas);
  m.Counter("sda_job_delta_bytes_total", "Bytes of these deltas.").Sample(s.totals.bytes);
  m.Counter("sda_job_skipped_documents_total", "Documents without a known word.")
      .Sample(s.totals.skipped);
  m.Counter("sda_job_bad_messages_total", "Messages that are not documents.").Sample(s.totals.bad);
  m.Counter("sda_job_set_aside_messages_total",
            "Messages of the log of deltas that no worker wrote.")
      .Sample(s.set_aside.count - s.not_in_log);
  m.Gauge("sda_job_set_aside_others",
          "Messages now in the topics of snapshots and settings that no worker wrote.")
      .Sample(s.not_in_log);
  m.Gauge("sda_job_lag_documents", "Documents in the topic that are not yet folded.")
      .Sample(s.lag());
  m.Gauge("sda_job_partition_lag_documents", "The same by partition of the topic.");
  for (size_t p = 0; p < s.partitions.size(); ++p) {
    m.Sample(s.partitions[p].lag, {{"partition", std::to_string(p)}});
  }
  m.Gauge("sda_job_documents_per_second", "Rate over the last minute; 0 when idle.")
      .Sample(s.documents_per_second);
  AddStaleness("sda_job", s.totals, &m);
  if (s.totals.score_tokens > 0) {
    m.Gauge("sda_job_held_out_score",
            "Log predictive probability per token of documents before they were learnt from.")
        .Sample(s.totals.score());
  }
  if (s.totals.deltas > 0) {
    m.Gauge("sda_job_last_delta_timestamp_seconds", "When the last delta was written.")
        .Sample(s.totals.last_milliseconds / 1000.0);
  }
  m.Gauge("sda_job_log_since_snapshot_bytes", "Bytes of the deltas after the newest snapshot.")
      .Sample(s.bytes_since_snapshot());
  if (s.snapshot) {
    m.Gauge("sda_job_snapshot_bytes", "Size of the newest snapshot.").Sample(s.snapshot->bytes);
    m.Gauge("sda_job_snapshot_age_seconds", "Time since the newest snapshot was written.")
        .Sample(s.snapshot->seconds_since);
  }
  m.Gauge("sda_job_workers", "Workers that have joined.").Sample(s.workers.size());
  if (!s.workers.empty()) {
    m.Gauge("sda_job_worker_partitions", "Partitions that a worker holds.");
    for (const auto& w : s.workers) {
      m.Sample(w.partitions.size(), {{"worker", w.name}, {"host", w.host}});
    }
    m.Gauge("sda_job_worker_keeper", "1 for the worker that writes the snapshots.");
    for (const auto& w : s.workers) m.Sample(w.keeper ? 1 : 0, {{"worker", w.name}});
    m.Gauge("sda_job_worker_documents_per_second", "Rate of a worker, as that of the job.");
    for (const auto& w : s.workers) m.Sample(w.documents_per_second, {{"worker", w.name}});
  }
  return m.text();
}

std::string JobDownMetrics(const std::string& job) {
  return MetricsText({{"job", job}})
      .Gauge("sda_job_up", "1 if the brokers answer.")
      .Sample(0)
      .text();
}

}  // namespace sda
