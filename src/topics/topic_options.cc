#include "sda/topic_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/minibatch_size.h"
#include "sda/errors.h"
#include "sda/forgetting.h"
#include "topics/primitives.h"

namespace sda {
namespace {

constexpr int kPasses = 20;  // of batch VB
constexpr int kAnyTopics = 100;

std::optional<int64_t> FirstMinibatchOf(const TopicOptions& options, const TopicPrimitiveKind& kind,
                                        int64_t minibatch) {
  if (options.first_minibatch) {
    CheckMinibatch("--first-minibatch", *options.first_minibatch, options.half_life);
    return *options.first_minibatch;
  }
  if (options.algorithm != "sda") return std::nullopt;  // as in the paper: like all others
  const int64_t usual = kind.first_minibatch(options);
  if (usual == 0) return minibatch;
  // The documents that the words are chosen from are there already; further ones may be slow to
  // come.
  const int64_t first =
      options.follow ? static_cast<int64_t>(std::max<uint64_t>(1, options.vocab_from)) : usual;
  if (options.half_life > 0 && static_cast<double>(first) > options.half_life / 2) return minibatch;
  return options.follow ? first : std::max(first, minibatch);
}

void CheckChoice(const char* option, const std::string& value,
                 std::initializer_list<const char*> choices) {
  std::string list;
  for (const char* choice : choices) {
    if (value == choice) return;
    list += (list.empty() ? "" : ", ") + std::string(choice);
  }
  throw UsageError(fmt::format("{} is {}, must be one of {}", option, value, list));
}

void CheckChoices(const TopicOptions& o) {
  CheckChoice("--algorithm", o.algorithm, {"sda", "svi", "ssu", "batch"});
  if (o.precision) CheckChoice("--precision", *o.precision, {"float", "double"});
  if (o.intervals) CheckChoice("--intervals", *o.intervals, {"quick", "sampled", "off"});
  if (o.ep_updates) CheckChoice("--ep-updates", *o.ep_updates, {"type", "token"});
  if (o.ep_matching) CheckChoice("--ep-matching", *o.ep_matching, {"moments", "log"});
  if (o.ep_start) CheckChoice("--ep-start", *o.ep_start, {"sampled", "noise"});
}

// What has no other limit: infinity has no place in JSON, and is no number of documents or seconds.
void CheckNumbers(const TopicOptions& o) {
  constexpr double kMost = 1e15;
  const std::pair<const char*, std::optional<double>> numbers[] = {
      {"--ep-tolerance", o.ep_tolerance},
      {"--minibatch-seconds", o.minibatch_seconds},
      {"--vocab-from", o.vocab_from},
      {"--min-df", o.min_df}};
  for (const auto& [option, number] : numbers) {
    if (number && !(*number >= 0 && *number <= kMost)) {
      throw UsageError(
          fmt::format("{} is {:g}, must be at least 0 and at most {:g}", option, *number, kMost));
    }
  }
}

void CheckAlgorithm(const TopicOptions& o) {
  auto only_for = [&](bool given, const char* option, const char* algorithm) {
    if (given && o.algorithm != algorithm) {
      throw UsageError(std::string(option) + " is for --algorithm " + algorithm + " alone");
    }
  };
  if (o.follow && o.algorithm == "batch") {
    throw UsageError("--algorithm batch does not go with --follow: it needs all documents");
  }
  only_for(o.first_minibatch.has_value(), "--first-minibatch", "sda");
  only_for(o.sweeps.has_value(), "--sweeps", "sda");
  only_for(o.passes.has_value(), "--passes", "batch");
  only_for(o.total_documents.has_value(), "--total-documents", "svi");
  only_for(o.tau0.has_value(), "--tau0", "svi");
  only_for(o.kappa.has_value(), "--kappa", "svi");
  if (o.algorithm == "svi" && !o.total_documents) {
    throw UsageError(
        "--algorithm svi needs --total-documents: it aims at the posterior of that many "
        "documents");
  }
  if ((o.algorithm == "svi" || o.algorithm == "batch") &&
      (o.schedule != Schedule::kSerial || o.half_life != 0)) {
    throw UsageError("--algorithm " + o.algorithm + " has the serial schedule and no --half-life");
  }
}

void CheckIntervals(const TopicOptions& o) {
  if (o.intervals && o.primitive != "gibbs") {
    throw UsageError("--intervals goes with --primitive gibbs");
  }
  if (o.keep_documents && !o.SamplesIntervals()) {
    throw UsageError("--keep-documents goes with --intervals sampled");
  }
  if (o.keep_documents && *o.keep_documents < 1) {
    throw UsageError(fmt::format("--keep-documents is {}, must be at least 1", *o.keep_documents));
  }
  if (!o.SamplesIntervals()) return;
  if (o.follow) {
    throw UsageError(
        "--intervals sampled does not go with --follow: it needs the end of the input");
  }
  if (o.half_life != 0) {
    throw UsageError(
        "--intervals sampled does not go with --half-life: documents fitted again count in full");
  }
}

void CheckOverTime(const TopicOptions& o) {
  if (!o.bucket && !o.over_time_memory) return;
  if (o.bucket) CheckChoice("--bucket", *o.bucket, {"off", "day", "week", "month"});
  if (o.bucket == "off" && o.over_time_memory) {
    throw UsageError("--over-time-memory does not go with --bucket off");
  }
  constexpr double kLeast = 1;
  constexpr double kMost = 1 << 20;
  if (o.over_time_memory && !(*o.over_time_memory >= kLeast && *o.over_time_memory <= kMost)) {
    throw UsageError(fmt::format("--over-time-memory is {:g}, must be from {} to {} MiB",
                                 *o.over_time_memory, kLeast, kMost));
  }
}

void CheckWords(const TopicOptions& o) {
  if (!o.Grows()) return;
  const auto refuse = [](const std::string& option, const std::string& why) {
    throw UsageError("--grow-vocab does not go with " + option + ": " + why);
  };
  if (!o.vocab.empty()) refuse("--vocab", "the words of a file stay as they are");
  if (o.algorithm != "sda") refuse("--algorithm " + o.algorithm, "it adds no statistics up");
  if (o.primitive == "ep") refuse("--primitive ep", "its messages are about words of its prior");
  if (o.phrases.value_or(false)) {
    refuse("--phrases", "they are chosen from the first documents");
  }
  if (o.SamplesIntervals()) {
    refuse("--intervals sampled", "the documents kept have words of different moments");
  }
  if (o.half_life == kAutoHalfLife) {
    refuse("--half-life auto", "the words would have to be the same at all its rates");
  }
  if (o.bucket.value_or("off") != "off") {
    refuse("--bucket", "topics over time are kept of words that stay");
  }
  if (o.worker_prior == WorkerPrior::kFixedPrior) {
    refuse("--worker-prior fixed", "that prior does not know of new words");
  }
}

void CheckTopics(const TopicOptions& o) {
  if (o.try_topics && o.topics != kAutoTopics) {
    throw UsageError("--try-topics goes with --topics auto");
  }
  if (o.topics != kAutoTopics) return;
  if (o.algorithm != "sda") {
    throw UsageError("--topics auto goes with --algorithm sda, not " + o.algorithm);
  }
  if (o.alpha.size() > 1) {
    throw UsageError("--alpha has a number for each topic, so --topics cannot be auto");
  }
  if (!o.try_topics) return;
  const std::vector<int>& list = *o.try_topics;
  if (list.empty()) throw UsageError("--try-topics is empty, must have at least one number");
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] < 1 || (i > 0 && list[i] <= list[i - 1])) {
      throw UsageError(
          fmt::format("--try-topics is {}, must be ascending, from 1 on", fmt::join(list, ",")));
    }
  }
}

void CheckPrimitive(const TopicOptions& o, const TopicPrimitiveKind& kind) {
  const std::pair<const char*, bool> of_ep[] = {
      {"--ep-updates", o.ep_updates.has_value()},     {"--ep-matching", o.ep_matching.has_value()},
      {"--ep-start", o.ep_start.has_value()},         {"--ep-damping", o.ep_damping.has_value()},
      {"--ep-tolerance", o.ep_tolerance.has_value()}, {"--ep-sweeps", o.ep_sweeps.has_value()},
      {"--ep-memory", o.ep_memory.has_value()}};
  for (const auto& [option, given] : of_ep) {
    if (given && o.primitive != "ep") {
      throw UsageError(std::string(option) + " goes with --primitive ep");
    }
  }
  kind.check(o);
}

}  // namespace

void TopicOptions::Validate() const { static_cast<void>(Settled()); }

TopicOptions TopicOptions::Settled() const {
  TopicOptions settled = *this;
  if (primitive.empty()) settled.primitive = algorithm == "sda" ? "gibbs" : "vb";
  CheckChoices(settled);
  CheckNumbers(settled);
  const TopicPrimitiveKind& kind = FindTopicPrimitive(settled.primitive);
  CheckAlgorithm(settled);
  CheckTopics(settled);
  CheckIntervals(settled);
  CheckOverTime(settled);
  CheckWords(settled);
  settled.Run();
  CheckPrimitive(settled, kind);
  settled.minibatch = ItemsPerRound(minibatch, half_life, kind.minibatch(settled));
  if (algorithm == "batch" && !passes) settled.passes = kPasses;
  settled.first_minibatch = FirstMinibatchOf(settled, kind, *settled.minibatch);
  if (!eta) settled.eta = kind.eta;
  if (topics >= 1 && alpha.empty()) settled.alpha = {kind.alpha_sum / topics};
  CorpusOptions corpus = settled.Corpus();
  corpus.inputs = {"-"};  // any
  corpus.Validate();
  // A bad option is found before the input is read, whatever the number of words.
  const TopicOptions any = topics == kAutoTopics ? settled.WithTopics(kAnyTopics) : settled;
  const LdaSpec spec = any.Spec(1);
  spec.Validate();
  kind.make(any, spec, Context(1), {});
  return settled;
}

TopicOptions TopicOptions::WithTopics(int number) const {
  TopicOptions options = *this;
  options.topics = number;
  options.try_topics.reset();
  if (options.alpha.empty() && !options.primitive.empty()) {
    options.alpha = {FindTopicPrimitive(options.primitive).alpha_sum / number};
  }
  return options;
}

LdaSpec TopicOptions::Spec(uint64_t vocabulary) const {
  return {.topics = topics, .vocabulary = vocabulary, .alpha = alpha, .eta = eta.value_or(0)};
}

std::optional<OverTimeOptions> TopicOptions::Timing() const {
  if (bucket == "off" || Grows()) return std::nullopt;
  OverTimeOptions options;
  if (bucket) options.bucket = *bucket;
  if (over_time_memory) {
    options.memory = static_cast<uint64_t>(*over_time_memory * (uint64_t{1} << 20));
  }
  return options;
}

RunOptions TopicOptions::Run() const {
  if (worker_prior == WorkerPrior::kFixedPrior && schedule != Schedule::kAsynchronous) {
    throw UsageError("--worker-prior is for --schedule async alone");
  }
  RunOptions options;
  options.schedule = schedule;
  options.worker_prior = worker_prior;
  options.workers = workers;
  options.serial_first = 1;  // for all workers to mean the same by topic 1, 2, ...
  if (half_life != 0 && half_life != kAutoHalfLife) options.discount = HalfLife(half_life);
  if (algorithm == "svi") options.discount = SviDiscount(SviOptionsOf(*this));
  options.Validate();
  return options;
}

CorpusOptions TopicOptions::Corpus() const {
  CorpusOptions options;
  options.format = CorpusFormatFromName(format);
  options.minibatch = (minibatch.value_or(0) + workers - 1) / workers;
  options.first_minibatch = first_minibatch.value_or(0);
  if (algorithm == "batch") options.minibatch = kWholeStream;
  options.vocabulary_file = vocab;
  options.text_field = text_field;
  options.vocabulary_documents = vocab_from;
  options.stop_words = stop_words;
  options.minimum_word_length = min_word_length;
  options.minimum_document_frequency = min_df;
  options.maximum_document_share = max_share;
  options.maximum_vocabulary = max_vocab;
  options.follow = follow;
  options.minibatch_seconds = minibatch_seconds;
  options.text_column = text_column.value_or("");
  options.id_field = id_field.value_or("");
  options.time_field = time_field.value_or("");
  options.strip = strip.value_or("");
  options.stemmer = stemmer.value_or("");
  options.phrases = phrases.value_or(false);
  options.grow = Grows();
  // What is not chosen there is missing in the whole first minibatch.
  if (Grows() && vocab_from == TopicOptions().vocab_from) {
    options.vocabulary_documents = std::max(vocab_from, options.first_minibatch);
  }
  return options;
}

}  // namespace sda
