#ifndef SDA_CLUSTER_JOB_SETTINGS_H_
#define SDA_CLUSTER_JOB_SETTINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/log/body.h"
#include "sda/corpus.h"
#include "sda/keyed_rows.h"
#include "sda/topic_options.h"

namespace sda::cluster {

// What all workers of a job do in the same way. Stored with the job, and never changed.
struct JobSettings {
  // Of the model, its documents and minibatches. Every worker is one of an asynchronous run, so
  // `schedule` is kAsynchronous and `workers` is 1 each. `vocab` is empty: workers
  // do not have the file.
  TopicOptions options;
  std::vector<std::string> vocabulary;  // empty: chosen from the first documents
  Transport transport = Transport::kFloat;
  uint64_t snapshot_every = 0;  // deltas; 0: see Keeper

  // With the words of options.vocab, and a value for everything that has a default. Throws
  // UsageError for what a job cannot have, InputError if the words cannot be read.
  JobSettings Settled() const;

  CorpusOptions Corpus() const;
  KeyedRows Prior() const;

  // One JSON object. FromJson throws InputError.
  std::string ToJson() const;
  static JobSettings FromJson(const std::string& json);
};

// What differs between two sets of settings, for people; empty if nothing does.
std::string SettingsDifference(const std::string& old_settings, const std::string& new_settings);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_JOB_SETTINGS_H_
