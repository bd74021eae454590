#ifndef SDA_TOPIC_OPTIONS_H_
#define SDA_TOPIC_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sda/corpus.h"
#include "sda/export.h"
#include "sda/lda_spec.h"
#include "sda/options.h"
#include "sda/over_time.h"

namespace SDA_EXPORT sda {

// As TopicOptions::topics; --topics auto on the command line, "auto" in JSON.
inline constexpr int kAutoTopics = -1;

// Variances take as much memory as the posterior: 1 GiB for that many numbers.
inline constexpr uint64_t kMostQuickIntervals = uint64_t{1} << 27;
inline constexpr int64_t kKeptDocuments = 100'000;

// Everything that the topics found depend on, but the documents. What is empty has a default that
// depends on the other options: Settle() fills it in. The options of the command line have the same
// names, and so have the keys of the JSON.
struct TopicOptions {
  // The model. Prior of a document's topics: one number, or one each; default 2/K (gibbs), 1/K (vb,
  // ep). Prior of a topic's words: default 0.15 (gibbs), 0.3 (vb), 1 (ep).
  // topics may be kAutoTopics: chosen by the first minibatch, see topic_search.h.
  int topics = 100;
  std::vector<double> alpha;
  std::optional<double> eta;
  // kAutoTopics: all of these are tried, instead of the usual ones; ascending.
  std::optional<std::vector<int>> try_topics;

  // sda, or, for comparison, svi, ssu or batch, which are made of VB.
  std::string algorithm = "sda";
  // gibbs, vb or ep. Default gibbs for sda, vb for the others.
  std::string primitive;
  uint64_t seed = 1;

  // Of single primitives and algorithms.
  std::optional<int> sweeps;               // gibbs: over each minibatch but the first; default 10
  std::optional<std::string> precision;    // vb: of the kernels, float (default) or double
  std::optional<std::string> ep_updates;   // ep: a message each type (default) or token
  std::optional<std::string> ep_matching;  // ep: of moments (default) or log
  std::optional<std::string> ep_start;     // ep: sampled (default) or noise
  std::optional<double> ep_damping;
  std::optional<double> ep_tolerance;
  std::optional<int> ep_sweeps;
  std::optional<double> ep_memory;        // GiB, of each worker
  std::optional<int> passes;              // batch: over the corpus; default 20
  std::optional<double> total_documents;  // svi: in the whole stream
  std::optional<double> tau0;             // svi: delay of the learning rate; default 64
  std::optional<double> kappa;            // svi: its decay; default 0.5

  // The run: see RunOptions. A half-life of 0 forgets nothing.
  Schedule schedule = Schedule::kSerial;
  int workers = 1;
  WorkerPrior worker_prior = WorkerPrior::kLatestPosterior;
  double half_life = 0;  // documents; kAutoHalfLife (forgetting.h): learnt

  // Documents per round, over all workers; and in the first minibatch, from which topics form. The
  // defaults depend on the primitive and the number of topics.
  std::optional<int64_t> minibatch;
  std::optional<int64_t> first_minibatch;
  double minibatch_seconds = 10;  // see CorpusOptions

  // How documents are read: see CorpusOptions, whose fields these become.
  std::string format = "auto";
  std::string text_field = "text";
  std::string vocab;  // file
  uint64_t vocab_from = 10'000;
  uint64_t min_df = 0;
  double max_share = 0.5;
  uint64_t max_vocab = 10'000;
  std::string stop_words = "english";
  int min_word_length = 3;
  bool follow = false;
  std::optional<std::string> text_column;
  std::optional<std::string> id_field;
  std::optional<std::string> time_field;
  std::optional<std::string> strip;
  std::optional<std::string> stemmer;
  std::optional<bool> phrases;

  // Whether the vocabulary grows with the stream, of texts: words enter when they have been in
  // min_df documents (0: 5), and those with the fewest tokens leave when there are more than
  // max_vocab (see word_ledger.h). Default false: they are chosen from the first documents.
  std::optional<bool> grow_vocab;

  // Whether models hold the sample of documents from which the coherence of the topics is measured
  // (see coherence.h), so that a run that continues from one goes on with it: the words of up to
  // 10,000 documents, without their order. Checkpoints always do. Default false.
  std::optional<bool> keep_sample;

  // gibbs: how the intervals of the topics' words are made. quick, the default where topics times
  // words are at most kMostQuickIntervals: each minibatch adds the variances of its counts; the
  // intervals are approximate. sampled: documents are kept too, and fitted together at the end (see
  // TopicSession::Refit). off: no variances; the intervals are as if the topic of every word were
  // known.
  std::optional<std::string> intervals;
  // sampled: documents kept at most, a uniform sample; default kKeptDocuments.
  std::optional<int64_t> keep_documents;

  // Topics over time, of documents that have a time: see OverTimeOptions, whose fields these
  // become. Of what has no default here: off, day (default), week or month; MiB, default 64.
  std::optional<std::string> bucket;
  std::optional<double> over_time_memory;

  // Throws UsageError naming the option and its value, also for options that conflict.
  void Validate() const;

  // These options with a value for everything that has a default. Validates them.
  TopicOptions Settled() const;

  // Of settled options.
  LdaSpec Spec(uint64_t vocabulary) const;
  // Nothing if the times of documents are not to be looked at.
  std::optional<OverTimeOptions> Timing() const;
  bool Grows() const { return grow_vocab.value_or(false); }
  bool SamplesIntervals() const { return intervals == "sampled"; }
  bool ApproximateTopics() const { return primitive == "vb" && topics > 1; }
  CorpusOptions Corpus() const;  // but the inputs
  RunOptions Run() const;

  // The same with this number of topics instead of kAutoTopics. Of settled options, settled: only
  // alpha then depends on the number.
  TopicOptions WithTopics(int topics) const;

  // One JSON object, with what is not set left out. FromJson takes each key that is missing as not
  // set, and throws InputError for keys it does not know and values of another type.
  std::string ToJson() const;
  static TopicOptions FromJson(const std::string& json);
};

// The names of the primitives, the default first.
const std::vector<std::string>& TopicPrimitives();

}  // namespace sda

#endif  // SDA_TOPIC_OPTIONS_H_
