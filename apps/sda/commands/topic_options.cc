#include "commands/topic_options.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include "ui/command.h"

namespace sda {
namespace {

constexpr int kPasses = 20;
constexpr int64_t kMinibatch = 4'096;
constexpr int64_t kEpMinibatch = 1'024;  // it takes memory for every word of it, many times over
// What is learnt first decides most, and VB is a little better for larger minibatches: see
// docs/quality.md. With very many topics large ones would take too long, and too much memory.
constexpr int64_t kVbMinibatch = 16'384;
constexpr int64_t kFirstMinibatch = 32'768;

// So many documents; fewer with more than 100 topics.
int64_t Fewer(int64_t documents, int topics) { return documents * 100 / std::max(topics, 100); }

int64_t UsualMinibatch(const FitFlags& flags) {
  if (flags.primitive == "ep") return kEpMinibatch;
  if (flags.algorithm != "sda" || flags.primitive != "vb") return kMinibatch;
  return std::max(kMinibatch, Fewer(kVbMinibatch, flags.topics));
}

int64_t FirstMinibatch(const FitFlags& flags) {
  if (flags.algorithm != "sda") return 0;  // as in the paper: like all others
  const int64_t usual = ItemsPerRound(flags, UsualMinibatch(flags));
  if (flags.first_minibatch) {
    CheckMinibatch("--first-minibatch", *flags.first_minibatch);
    if (flags.half_life > 0 && static_cast<double>(*flags.first_minibatch) > flags.half_life / 2) {
      throw std::invalid_argument("--first-minibatch must be at most half of the --half-life");
    }
    return *flags.first_minibatch;
  }
  if (flags.primitive == "ep") return usual;
  // The documents that the words are chosen from are there already; further ones may be slow to
  // come.
  const int64_t first = flags.follow
                            ? static_cast<int64_t>(std::max<uint64_t>(1, flags.vocabulary_from))
                            : Fewer(kFirstMinibatch, flags.topics);
  if (flags.half_life > 0 && static_cast<double>(first) > flags.half_life / 2) return usual;
  return flags.follow ? first : std::max(first, usual);
}

// The cores are shared by the workers: what they do not use serves the documents of a minibatch.
int ThreadsPerWorker(const FitFlags& flags) { return std::max(1, Cores(flags) / flags.workers); }

// Options of EP without it, and others that it has no use for.
void CheckEp(const FitFlags& flags) {
  const std::pair<const char*, bool> of_ep[] = {{"--ep-updates", flags.ep_updates.has_value()},
                                                {"--ep-matching", flags.ep_matching.has_value()},
                                                {"--ep-start", flags.ep_start.has_value()},
                                                {"--ep-damping", flags.ep_damping.has_value()},
                                                {"--ep-tolerance", flags.ep_tolerance.has_value()},
                                                {"--ep-sweeps", flags.ep_sweeps.has_value()},
                                                {"--ep-memory", flags.ep_memory.has_value()}};
  if (flags.primitive != "ep") {
    for (const auto& [option, given] : of_ep) {
      if (given) throw std::invalid_argument(std::string(option) + " goes with --primitive ep");
    }
    return;
  }
  if (flags.algorithm != "sda") {
    throw std::invalid_argument("--algorithm " + flags.algorithm +
                                " goes with --primitive vb: it is made of VB");
  }
  if (flags.precision) {
    throw std::invalid_argument("--precision goes with --primitive vb: EP has one precision");
  }
  if (flags.worker_prior == WorkerPrior::kFixedPrior && flags.ep_start == "sampled") {
    throw std::invalid_argument(
        "--worker-prior fixed goes with --ep-start noise: by sampling, every worker would find "
        "topics of its own");
  }
}

}  // namespace

int Cores(const FitFlags& flags) {
  if (flags.threads > 0) return flags.threads;
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

CorpusOptions CorpusOptionsOf(const FitFlags& flags) {
  CorpusOptions options;
  options.inputs = flags.inputs;
  options.format = CorpusFormatFromName(flags.format);
  options.minibatch = ItemsPerWorker(flags, UsualMinibatch(flags));
  options.first_minibatch = FirstMinibatch(flags);
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
  options.follow = flags.follow;
  options.minibatch_seconds = flags.minibatch_seconds;
  options.on_notice = Say;
  options.stop = StopFlag();
  return options;
}

LdaGibbsOptions GibbsOptionsOf(const FitFlags& flags, uint64_t vocabulary) {
  LdaGibbsOptions options;
  options.topics = flags.topics;
  options.vocabulary = vocabulary;
  options.alpha = flags.alpha;
  if (flags.eta) options.eta = *flags.eta;
  if (flags.sweeps) {
    options.sweeps = *flags.sweeps;
    options.averaged = std::clamp(options.sweeps, 1, options.averaged);
  }
  options.seed = flags.seed;
  options.threads = ThreadsPerWorker(flags);
  options.Validate();
  return options;
}

LdaEpOptions EpOptionsOf(const FitFlags& flags, uint64_t vocabulary) {
  LdaEpOptions options;
  options.topics = flags.topics;
  options.vocabulary = vocabulary;
  options.alpha = flags.alpha;
  if (flags.eta) options.eta = *flags.eta;
  if (flags.ep_updates == "token") options.updates = EpUpdates::kToken;
  if (flags.ep_matching == "log") options.matching = EpMatching::kLog;
  if (flags.ep_damping) options.damping = *flags.ep_damping;
  if (flags.ep_tolerance) options.tolerance = *flags.ep_tolerance;
  if (flags.ep_sweeps) options.sweeps = *flags.ep_sweeps;
  if (flags.ep_memory) {
    if (!(*flags.ep_memory > 0 && *flags.ep_memory <= 1 << 20)) {
      throw std::invalid_argument("--ep-memory must be above 0 and at most 1048576 (GiB)");
    }
    options.memory_bytes = static_cast<uint64_t>(*flags.ep_memory * (1 << 30));
  }
  // Every minibatch is a first one: a start that is the same for all.
  if (flags.worker_prior == WorkerPrior::kFixedPrior || flags.ep_start == "noise") {
    options.start = EpStart::kNoise;
  }
  options.seed = flags.seed;
  options.threads = ThreadsPerWorker(flags);
  options.Validate();
  return options;
}

LdaOptions LdaOptionsOf(const FitFlags& flags, uint64_t vocabulary) {
  if (flags.primitive == "ep") return EpOptionsOf(flags, vocabulary).Model();
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
  if (flags.eta) options.eta = *flags.eta;
  options.precision =
      flags.precision.value_or("float") == "double" ? Precision::kDouble : Precision::kFloat;
  options.seed = flags.seed;
  // A start that is the same for all: by the paper, or since every minibatch is a first one.
  if (flags.algorithm == "ssu" || flags.worker_prior == WorkerPrior::kFixedPrior) {
    options.start = LdaStart::kMixed;
  }
  if (flags.algorithm == "ssu") options.outer_iterations = 1;
  if (flags.algorithm == "batch") {
    options.outer_iterations = flags.passes.value_or(kPasses);
    options.start = LdaStart::kPrior;
    options.outer_tolerance = 0;
  }
  options.threads = ThreadsPerWorker(flags);
  options.Validate();
  return options;
}

void CheckAlgorithm(const FitFlags& flags) {
  const bool svi = flags.algorithm == "svi";
  auto only_for = [&](bool given, const char* option, const char* algorithm) {
    if (given && flags.algorithm != algorithm) {
      throw std::invalid_argument(std::string(option) + " is for --algorithm " + algorithm +
                                  " alone");
    }
  };
  if (flags.follow && !flags.holdout.empty()) {
    throw std::invalid_argument(
        "--holdout does not go with --follow: score the saved model, with sda eval");
  }
  if (flags.follow && flags.algorithm == "batch") {
    throw std::invalid_argument(
        "--algorithm batch does not go with --follow: it needs all documents");
  }
  only_for(flags.first_minibatch.has_value(), "--first-minibatch", "sda");
  only_for(flags.sweeps.has_value(), "--sweeps", "sda");
  only_for(flags.passes.has_value(), "--passes", "batch");
  only_for(flags.total_documents.has_value(), "--total-documents", "svi");
  only_for(flags.tau0.has_value(), "--tau0", "svi");
  only_for(flags.kappa.has_value(), "--kappa", "svi");
  if (svi && !flags.total_documents) {
    throw std::invalid_argument(
        "--algorithm svi needs --total-documents: it aims at the posterior of so many documents");
  }
  CheckEp(flags);
  if (flags.primitive == "gibbs") {
    auto refuse = [](const std::string& option, const std::string& why) {
      throw std::invalid_argument(option + " goes with --primitive vb: " + why);
    };
    if (flags.algorithm != "sda") refuse("--algorithm " + flags.algorithm, "it is made of VB");
    if (flags.precision) refuse("--precision", "sampling has one precision");
    if (flags.worker_prior == WorkerPrior::kFixedPrior) {
      refuse("--worker-prior fixed", "by sampling, every worker would find topics of its own");
    }
  } else if (flags.sweeps) {
    throw std::invalid_argument("--sweeps goes with --primitive gibbs");
  }
  if ((svi || flags.algorithm == "batch") &&
      (flags.schedule != Schedule::kSerial || flags.half_life != 0)) {
    throw std::invalid_argument("--algorithm " + flags.algorithm +
                                " has the serial schedule and no --half-life");
  }
}

}  // namespace sda
