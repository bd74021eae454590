#ifndef SDA_APPS_COMMANDS_FIT_H_
#define SDA_APPS_COMMANDS_FIT_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sda/options.h"

namespace sda {

// The options of `sda fit`, as given.
struct FitFlags {
  std::vector<std::string> inputs;
  std::string output;
  std::string model = "lda";
  Schedule schedule = Schedule::kSerial;
  WorkerPrior worker_prior = WorkerPrior::kLatestPosterior;
  int workers = 1;
  int threads = 0;
  std::optional<int64_t> minibatch;
  std::optional<int64_t> first_minibatch;
  double half_life = 0;
  std::string report;
  bool json = false;
  std::string checkpoint;        // folder; empty: none
  std::string checkpoint_every;  // empty: the default
  bool resume = false;
  bool follow = false;
  double minibatch_seconds = 10;

  // Models on tables.
  std::string target;
  std::vector<std::string> columns;
  bool no_intercept = false;
  std::vector<std::string> prior;
  std::string covariance = "auto";
  uint64_t features = 0;
  uint64_t components = 2;

  // Topic models.
  int topics = 100;
  std::vector<double> alpha;
  std::optional<double> eta;
  std::string algorithm = "sda";
  std::string primitive;  // empty: gibbs for sda, vb for all others
  std::optional<int> sweeps;
  std::optional<std::string> precision;
  std::optional<std::string> ep_updates;
  std::optional<std::string> ep_matching;
  std::optional<std::string> ep_start;
  std::optional<double> ep_damping;
  std::optional<double> ep_tolerance;
  std::optional<int> ep_sweeps;
  std::optional<double> ep_memory;  // GiB, of each worker
  uint64_t seed = 1;
  std::string format = "auto";
  std::string vocabulary;
  std::string holdout;
  std::string split = "half-types";
  std::optional<int> passes;
  std::optional<double> total_documents;
  std::optional<double> tau0;
  std::optional<double> kappa;
  std::string stop_words = "english";
  int minimum_word_length = 3;
  uint64_t vocabulary_from = 10'000;
  uint64_t minimum_documents = 0;
  double maximum_share = 0.5;
  uint64_t maximum_vocabulary = 10'000;
  std::string text_field = "text";
};

// An option with one of these names, which it keeps as given.
template <class Value>
void AddChoice(CLI::App* command, const std::string& option,
               const std::map<std::string, Value>& choices, Value* value, const std::string& help) {
  command
      ->add_option_function<std::string>(
          option, [=](const std::string& name) { *value = choices.at(name); }, help)
      ->check(CLI::IsMember(choices).description(""))
      ->type_name("NAME");
}

// The options of topic models about documents, for every command that reads some.
CLI::Option_group* AddCorpusOptions(CLI::App* command, FitFlags* flags);
// What --primitive may be.
const std::vector<std::string>& Primitives();

void CheckMinibatch(const char* option, int64_t minibatch);
// A minibatch is what all workers together take in a round, as in the paper.
uint64_t ItemsPerRound(const FitFlags& flags, int64_t default_minibatch);
uint64_t ItemsPerWorker(const FitFlags& flags, int64_t default_minibatch);
RunOptions RunOptionsOf(const FitFlags& flags);

class FitCheckpoints;
void FitTable(const FitFlags& flags, FitCheckpoints* checkpoints);
void FitTopics(const FitFlags& flags, FitCheckpoints* checkpoints);

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_FIT_H_
