#ifndef SDA_TOPICS_H_
#define SDA_TOPICS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sda/checkpoint.h"
#include "sda/context.h"
#include "sda/documents.h"
#include "sda/export.h"
#include "sda/forgetting.h"
#include "sda/internal/run_record.h"
#include "sda/lda_ep.h"
#include "sda/lda_score.h"
#include "sda/lda_topics.h"
#include "sda/lda_vb.h"
#include "sda/observer.h"
#include "sda/source.h"
#include "sda/topic_events.h"
#include "sda/topic_model.h"
#include "sda/topic_options.h"
#include "sda/topic_search.h"

namespace SDA_EXPORT sda {

// A topic model that learns, driven from either side: Run() pulls minibatches from a source until
// it ends, Update() pushes one. After each of them there is a posterior for exactly the documents
// seen so far.
//
//   sda::TopicSession session({.topics = 20}, words);
//   session.Update(documents);
//   session.Save("model.safetensors");
//
// Run() and Update() are called by one thread at a time; the rest may be called from any thread,
// also while these are at work. Several sessions live side by side in one process.
class TopicSession {
 public:
  // What the primitive reports while it is at work.
  struct Hooks {
    // After each sweep over the first minibatch, which takes the longest. Where it returns false,
    // the minibatch is cut short.
    OnSweep on_start_sweep;
    LdaVb::OnPass on_pass;                // after each pass of --algorithm batch
    OnCandidateSweep on_candidate_sweep;  // while the number of topics is chosen
    OnSweep on_refit_sweep;               // of Refit(), which is cut short where it returns false
    // Of what the stream shows: see topic_events.h. Not with svi, ssu or batch, whose deltas are no
    // counts.
    OnTopicEvent on_event;
  };

  // A new model with these words. Throws UsageError. If the number of topics is kAutoTopics, it is
  // chosen by the first minibatch before that is learnt from. Until then there is no model, and
  // what asks for one throws UsageError.
  TopicSession(const TopicOptions& options, std::vector<std::string> vocabulary,
               Context context = Context(), Hooks hooks = {});
  // Continues from a model: its posterior is where the session starts, while the prior stays eta,
  // so that forgetting decays towards eta. There is no new first minibatch, and the counts
  // continue.
  explicit TopicSession(TopicModel model, Context context = Context(), Hooks hooks = {});
  static TopicSession Load(const std::string& path, Context context = Context());
  ~TopicSession();
  TopicSession(TopicSession&&) noexcept;
  TopicSession& operator=(TopicSession&&) noexcept;

  // Settled. With the number of topics as soon as it is chosen.
  const TopicOptions& options() const;
  // How it was chosen, by this session or before the model was saved from which it continues.
  std::optional<TopicSearch> search() const;
  // To begin with, if it grows: then it is Snapshot() that has the words of the moment. Documents
  // without a dictionary are taken to have words of this list.
  const std::vector<std::string>& vocabulary() const;
  LdaSpec spec() const;  // of this moment

  // The id of the next minibatch.
  uint64_t next_minibatch() const;

  // Learns from the source until it ends or the context is stopped. The ids of its minibatches may
  // start at 0 in every run: they continue those before. Only after Resume() are they taken as they
  // are, and minibatches that are in the posterior skipped. The observer sees, and the return value
  // is, the summary of all that the session has done, runs before a checkpoint or a save included.
  // Throws RunError; an asynchronous run that fails has then stopped the context.
  Summary Run(Source<Documents>& source, const Observer& observer = {});
  // Learns from one minibatch. Throws RunError; the next one can be learnt from all the same.
  Summary Update(Documents documents);

  // Fits the documents that were kept (--intervals sampled) again, together, starting from the
  // posterior, which it replaces: the topics are then those of one minibatch, and their intervals
  // hold what they promise. Of a stream of more documents than are kept, the other ones stay as
  // they were fitted, and so do those of a model that the session continues from. Takes 300 sweeps.
  // Not while Run() or Update() is at work. Returns false, having done nothing, if no document was
  // kept: a saved model has none.
  bool Refit();

  Summary summary() const;
  LdaStats stats() const;
  // If how fast to forget is learnt: half_life is kAutoHalfLife.
  std::optional<ForgettingHistory> forgetting() const;
  bool is_ep() const;
  EpStats ep_stats() const;

  // The model as of now.
  TopicModel Snapshot() const;
  // The same without a copy of the posterior, at the end: the session is of no use after that.
  TopicModel Release();
  void Save(const std::string& path) const { SaveTopicModel(Snapshot(), path); }

  // Topic proportions of documents, of each the `most` largest (0 means all).
  std::vector<DocumentTopics> Infer(const Documents& documents, size_t most = 0,
                                    const InferOptions& options = {}) const;
  // Dirichlet parameters of the proportions of all topics by variational Bayes, documents x topics:
  // for means alone, since it is faster and its spread too small. Those of a document do not depend
  // on the other documents.
  std::vector<double> Proportions(const Documents& documents) const;
  // Held-out score of documents that were not learnt from.
  LdaScore Score(const Documents& documents, SplitRule rule = SplitRule::kHalfTypes) const;
  LdaScore Score(const HeldOutSplit& split) const;  // not of a vocabulary that grows
  // The tokens of each topic in the posterior.
  std::vector<double> TopicTokens() const;

  // For checkpoints: the posterior at one moment, and how to resume from one. Resume() takes the
  // posterior and counts of the checkpoint, `earlier`, the summary of the runs before it, and what
  // Notes() returned when the checkpoint was written, after the copy was made: the number of topics
  // that was chosen, and the sample of documents. Throws InputError if it is not of this model.
  PosteriorCopy CopyOfPosterior() const;
  std::string Notes() const;
  void Resume(const Checkpoint& checkpoint, const Summary& earlier, const std::string& notes = "");
  // The same of what the events are found by, as of the last fold; empty without Hooks::on_event.
  // Resumed after Resume(). Throws InputError.
  std::string EventNotes() const;
  void ResumeEvents(const std::string& notes);
  // Of a session that continues from a model: the Notes() of the session that it is a copy of, when
  // it was saved. With the documents kept, unless that one continued from a model itself: what they
  // are to replace is not known then. Throws InputError.
  void ContinueNotes(const std::string& notes);
  // A model from a copy of the posterior.
  TopicModel ModelOf(const PosteriorCopy& copy) const;

 private:
  void ResumeNotes(const Checkpoint& checkpoint, const std::string& text);

  struct State;
  std::unique_ptr<State> state_;
};

// The options of a session that continues from this model: those of the model, and in place of them
// `given`, a JSON object with the options that the user gave. Throws UsageError if one of these is
// part of the model and differs: the number of topics, alpha, eta, the words, how texts are cut
// into words.
TopicOptions ContinueOptions(const TopicModel& model, const std::string& given);

}  // namespace sda

#endif  // SDA_TOPICS_H_
