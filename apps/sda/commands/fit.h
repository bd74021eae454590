#ifndef SDA_APPS_COMMANDS_FIT_H_
#define SDA_APPS_COMMANDS_FIT_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sda/options.h"

namespace sda {

// The options of `sda fit` that all models have, as given.
struct FitFlags {
  std::vector<std::string> inputs;
  std::string output;
  bool force = false;  // the output may replace any file
  std::string model = "lda";
  Schedule schedule = Schedule::kSerial;
  WorkerPrior worker_prior = WorkerPrior::kLatestPosterior;
  int workers = 1;
  int threads = 0;
  std::optional<int64_t> minibatch;
  std::optional<int64_t> first_minibatch;
  double half_life = 0;
  std::string primitive;  // empty: the model's default
  std::string format = "auto";
  uint64_t seed = 1;
  std::string report;
  bool json = false;
  std::string events;            // file, or - for standard output; empty: none
  std::string checkpoint;        // folder; empty: none
  std::string checkpoint_every;  // empty: the default
  bool resume = false;
  bool follow = false;
  double minibatch_seconds = 10;

  // What may differ when a run is resumed, as checkpoints store it: a JSON object.
  std::string SettingsJson() const;
};

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_FIT_H_
