#ifndef SDA_TOPIC_FIT_H_
#define SDA_TOPIC_FIT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sda/background_saver.h"
#include "sda/context.h"
#include "sda/corpus.h"
#include "sda/export.h"
#include "sda/topics.h"

namespace SDA_EXPORT sda {

// A whole job from files to a model: what `sda fit` does.
struct TopicFitOptions {
  TopicOptions topics;
  std::vector<std::string> inputs;  // see CorpusOptions
  std::string output;               // where the model is saved; empty: it is not

  // A model to continue from, or none. `given` is then a JSON object with those of the options that
  // were given; all others are the model's. See ContinueOptions.
  std::string from;
  std::string given = "{}";

  std::string holdout;  // file of the numbers of documents to score on, and never to learn from
  SplitRule split = SplitRule::kHalfTypes;

  // Folder of checkpoints, or none; seconds (30s) or minibatches between them; whether to resume
  // from the last one.
  std::string checkpoint;
  std::string checkpoint_every;
  bool resume = false;

  // File to which the events of the stream are appended (topic_events.h), a line of JSON each; or
  // none.
  std::string events;

  // What may differ when the run is resumed, for whoever resumes without giving it again: a JSON
  // object, stored in checkpoints.
  std::string settings = "{}";

  // Throws UsageError.
  void Validate() const;
  // What the result depends on, as checkpoints have it, and back. FromJson throws InputError.
  std::string ToJson() const;
  static TopicFitOptions FromJson(const std::string& json);
};

struct TopicScore {
  uint64_t documents = 0;
  double seconds = 0;
  double log_predictive = 0;
};

// The sums over time of the model, if it has them: see over_time.h.
struct OverTimeReport {
  std::string unit;      // of the buckets
  std::string bucket;    // that were asked for: the unit is longer if there were too many
  uint64_t buckets = 0;  // with documents
  uint64_t memory = 0;   // bytes, at most
  uint64_t late_documents = 0;
  uint64_t undated_documents = 0;
  double cut_share = 0;  // of the tokens: their words are not kept
};

// What a fit did, from its first document on.
struct TopicReport {
  Summary summary;
  CorpusCounts counts;
  uint64_t vocabulary = 0;                    // words of the model
  std::optional<WordLedger::Accounts> words;  // how they came, if the vocabulary grows
  TopicOptions options;                       // settled
  LdaStats stats;
  std::optional<EpStats> ep;
  std::vector<TopicScore> curve;
  std::vector<double> bounds;  // of --algorithm batch
  uint64_t test_tokens = 0;
  double score_error = 0;  // half the 95% interval over documents of the last held-out score
  std::optional<TopicSearch> search;            // how the number of topics was chosen, if it was
  std::optional<TopicCoherence> coherence;      // of the topics
  std::optional<TopicStability> stability;      // of the topics, if several seeds ran: seed_runs.h
  std::optional<OverTimeReport> over_time;      // if documents have times
  std::optional<ForgettingHistory> forgetting;  // if how fast to forget was learnt
  int64_t small_topics = 0;                     // with less than a thousandth of the tokens
  BackgroundSaver::Cost saves;

  // As --report writes it: one JSON object.
  std::string ToJson() const;
};

class TopicFit {
 public:
  // Who watches. All may be empty.
  struct Watchers {
    Observer progress;  // after every minibatch, with the summary of the whole fit
    std::function<void(int sweep, int sweeps)> on_start_sweep;
    std::function<void(const LdaPass& pass, int passes)> on_pass;
    OnCandidateSweep on_candidate_sweep;  // while the number of topics is chosen
    // Of the documents that are fitted again at the end: --intervals sampled.
    std::function<void(int sweep, int sweeps)> on_refit_sweep;
    std::function<void(TopicModel model)> on_model;  // at the end, after it was saved
    OnTopicEvent on_event;
  };

  // Opens the inputs, chooses the words, finds the checkpoint. Throws UsageError, InputError or
  // IoError.
  TopicFit(TopicFitOptions options, Context context, Watchers watchers = {});
  ~TopicFit();

  // Learns until the input ends or the context is stopped, scores along the way, saves the model
  // and checkpoints, and returns what was done. Throws RunError, or what went wrong with a save;
  // the model is then saved all the same if it can be. Throws StoppedAtStart if nothing was learnt.
  TopicReport Run();

  // From any thread, while Run() is at work: saves as soon as possible; what was read of the input;
  // the last held-out score.
  void SaveNow();
  CorpusCounts counts() const;
  std::optional<double> last_score() const;
  // The sizes of the minibatches.
  const CorpusOptions& corpus_options() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sda

#endif  // SDA_TOPIC_FIT_H_
