#include "topic_options.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "command.h"

namespace sda {
namespace {

constexpr int64_t kMinibatch = 4096;
// Streaming VB with the paper's 0.01 commits to the words of the first minibatches; see
// docs/usage.md.
constexpr double kEta = 0.3;

// The cores are shared by the workers: what they do not use serves the documents of a minibatch.
int ThreadsPerWorker(const FitFlags& flags) {
  const int cores = flags.threads > 0
                        ? flags.threads
                        : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::max(1, cores / flags.workers);
}

}  // namespace

CorpusOptions CorpusOptionsOf(const FitFlags& flags) {
  CorpusOptions options;
  options.inputs = flags.inputs;
  options.format = CorpusFormatFromName(flags.format);
  options.minibatch = ItemsPerWorker(flags, kMinibatch);
  options.first_minibatch = flags.first_minibatch.value_or(ItemsPerRound(flags, kMinibatch));
  CheckMinibatch("--first-minibatch", options.first_minibatch);
  if (flags.algorithm == "batch") options.minibatch = uint64_t{1} << 40;  // all of them
  if (!flags.holdout.empty()) options.held_out = ReadDocumentNumbers(flags.holdout);
  options.vocabulary_file = flags.vocabulary;
  options.text_field = flags.text_field;
  options.vocabulary_documents = flags.vocabulary_from;
  options.stop_words = flags.stop_words;
  options.minimum_word_length = flags.minimum_word_length;
  options.minimum_document_frequency = flags.minimum_documents;
  options.maximum_document_share = flags.maximum_share;
  options.maximum_vocabulary = flags.maximum_vocabulary;
  options.stop = StopFlag();
  return options;
}

LdaGibbsOptions GibbsOptionsOf(const FitFlags& flags, uint64_t vocabulary) {
  LdaGibbsOptions options;
  options.topics = flags.topics;
  options.vocabulary = vocabulary;
  options.alpha = flags.alpha;
  if (flags.eta) options.eta = *flags.eta;
  if (flags.sweeps) options.sweeps = *flags.sweeps;
  options.seed = flags.seed;
  options.threads = ThreadsPerWorker(flags);
  options.Validate();
  return options;
}

LdaOptions LdaOptionsOf(const FitFlags& flags, uint64_t vocabulary) {
  if (flags.primitive == "gibbs") {
    LdaOptions model = GibbsOptionsOf(flags, vocabulary).Model();
    model.seed = flags.seed;
    model.threads = ThreadsPerWorker(flags);
    return model;
  }
  LdaOptions options;
  options.topics = flags.topics;
  options.vocabulary = vocabulary;
  options.alpha = flags.alpha;
  options.eta = flags.eta.value_or(kEta);
  options.precision = flags.precision == "double" ? Precision::kDouble : Precision::kFloat;
  options.seed = flags.seed;
  if (flags.algorithm == "ssu") options.outer_iterations = 1;
  if (flags.algorithm == "batch") {
    options.outer_iterations = flags.passes;
    options.start = LdaStart::kPrior;
    options.outer_tolerance = 0;
  }
  options.threads = ThreadsPerWorker(flags);
  options.Validate();
  return options;
}

void CheckAlgorithm(const FitFlags& flags) {
  const bool svi = flags.algorithm == "svi";
  if (svi && !flags.total_documents) {
    throw std::invalid_argument(
        "--algorithm svi needs --total-documents: it aims at the posterior of so many documents");
  }
  if (!svi && flags.total_documents) {
    throw std::invalid_argument("--total-documents is for --algorithm svi alone");
  }
  if (flags.primitive == "gibbs" && flags.algorithm != "sda") {
    throw std::invalid_argument("--primitive gibbs goes with --algorithm sda");
  }
  if (flags.primitive == "gibbs" && flags.worker_prior == WorkerPrior::kFixedPrior) {
    throw std::invalid_argument(
        "--primitive gibbs goes with --worker-prior latest: from the fixed prior every minibatch "
        "would find topics of its own");
  }
  if ((svi || flags.algorithm == "batch") &&
      (flags.schedule != Schedule::kSerial || flags.half_life != 0)) {
    throw std::invalid_argument("--algorithm " + flags.algorithm +
                                " has the serial schedule and no --half-life");
  }
}

}  // namespace sda
