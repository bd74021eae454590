#include "sda/topic_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "core/run_checkpoints.h"
#include "data/format.h"
#include "data/io/input.h"
#include "sda/errors.h"
#include "sda/internal/stopwatch.h"
#include "sda/prefetch_source.h"
#include "sda/tracked_source.h"
#include "topics/current_saver.h"
#include "topics/event_file.h"
#include "topics/held_out_scores.h"
#include "topics/provisional_model.h"
#include "topics/stats_json.h"
#include "topics/topic_fit_setup.h"

namespace sda {

using nlohmann::json;

class TopicFit::Impl {
 public:
  Impl(TopicFitOptions options, Context context, Watchers watchers)
      : options_(WithModel(std::move(options), context, &model_)),
        topics_(options_.topics.Settled()),
        context_(std::move(context)),
        watchers_(std::move(watchers)),
        checkpoints_(CheckpointPlanOf(options_, model_ ? model_->minibatches : 0, context_)),
        corpus_options_(WithFirst(CorpusOf(options_, topics_, model_, &checkpoints_))),
        source_(corpus_options_, context_) {
    if (!options_.from.empty() && !options_.topics.vocab.empty() && IsText(source_.format())) {
      throw UsageError("--vocab is given, but the words are those of the model to continue from");
    }
    CheckFields(options_, source_.format());
    if (context_.StopRequested() && source_.vocabulary_size() == 0) {
      throw StoppedAtStart("stopped before the first document; nothing was learnt yet");
    }
    const bool twice = std::all_of(options_.inputs.begin(), options_.inputs.end(), CanReadTwice);
    if (!corpus_options_.held_out.empty() && twice) {
      scores_.SetDocuments(ReadDocuments(corpus_options_, corpus_options_.held_out, context_),
                           options_.split);
    }
    session_ = MakeSession();
    scores_.StartAfter(session_->next_minibatch());
  }

  TopicReport Run() {
    Learn();
    report_.summary.stopped |= source_.stopped();  // a pipe that is not waited for ends, too
    return Finish();
  }

  void SaveNow() { saver_.SaveNow(); }
  CorpusCounts counts() const { return source_.counts(); }
  std::optional<double> last_score() const { return scores_.last(); }
  const CorpusOptions& corpus_options() const { return corpus_options_; }

 private:
  // A stream that is followed and brings few documents has a model of those that came all the same;
  // with checkpoints it is its place that is kept, until there are enough.
  CorpusOptions WithFirst(CorpusOptions options) {
    if (checkpoints_.on()) return options;
    options.on_first_documents = [this](const std::vector<std::string>& vocabulary,
                                        const Documents& documents) {
      SaveProvisionalModel({options_.output, topics_, AwaitedDocuments(corpus_options_)},
                           vocabulary, documents, context_);
      provisional_ = documents.size();
    };
    return options;
  }

  std::unique_ptr<TopicSession> MakeSession() {
    TopicSession::Hooks hooks;
    // A first minibatch may be cut short unless a run that is resumed would do it in full.
    hooks.on_start_sweep = [this](int sweep, int sweeps) {
      if (watchers_.on_start_sweep) watchers_.on_start_sweep(sweep, sweeps);
      const bool cut = !checkpoints_.on() && context_.StopRequested();
      if (cut && sweep < sweeps && !std::exchange(start_cut_, true)) {
        context_.Log(
            fmt::format("stopped after {} of {} sweeps over the first minibatch: the topics are "
                        "less well formed than those of a whole run",
                        sweep, sweeps));
      }
      return !cut;
    };
    hooks.on_refit_sweep = [this](int sweep, int sweeps) {
      if (watchers_.on_refit_sweep) watchers_.on_refit_sweep(sweep, sweeps);
      return !context_.StopRequested();
    };
    hooks.on_candidate_sweep = watchers_.on_candidate_sweep;
    if (!options_.events.empty()) events_.emplace(options_.events, options_.resume, context_);
    if (events_ || watchers_.on_event) {
      hooks.on_event = [this](const TopicEvent& event) {
        if (events_) events_->Write(event);
        if (watchers_.on_event) watchers_.on_event(event);
      };
    }
    hooks.on_pass = [this](const LdaPass& pass) {
      report_.bounds.push_back(pass.bound);
      if (watchers_.on_pass) watchers_.on_pass(pass, *topics_.passes);
    };
    if (!model_) {
      return std::make_unique<TopicSession>(topics_, source_.vocabulary(), context_,
                                            std::move(hooks));
    }
    model_->options = topics_;
    return std::make_unique<TopicSession>(std::move(*model_), context_, std::move(hooks));
  }

  // Of a stream that is followed, or continues that of a model.
  Progress StartOfStream() const {
    Progress start;
    start.position = corpus_options_.resume_from;
    start.next = session_->next_minibatch();
    start.before = session_->summary().counts;
    return start;
  }

  // Nobody reads ahead any more when this returns.
  void Learn() {
    PrefetchSource<Documents> ahead(&source_);
    TrackedSource<Documents> tracked(&ahead, StartOfStream());
    Resume(&tracked);
    const auto saver = checkpoints_.SaverOf(StepsOf(&tracked));
    const CurrentSaver::Use in_use(&saver_, saver.get());
    Source<Documents>& stream = saver != nullptr ? static_cast<Source<Documents>&>(tracked) : ahead;
    try {
      RunSession(stream, saver.get());
    } catch (...) {
      context_.RequestStop();  // the thread that reads ahead may be waiting for input
      throw;
    }
  }

  RunCheckpoints::Run StepsOf(TrackedSource<Documents>* tracked) {
    return {.copy = [this] { return session_->CopyOfPosterior(); },
            .progress = [tracked](const IdSet& folded) { return tracked->At(folded); },
            .fixed =
                [this, fixed = WhatStays(source_, session_->vocabulary())] {
                  json all = fixed;
                  all["session"] = session_->Notes();
                  return all;
                },
            .state = [this] { return StateNotes(); },
            .minibatches_before = session_->next_minibatch(),
            .save_model =
                [this](const PosteriorCopy& copy, const Progress&) {
                  SaveTopicModel(Complete(session_->ModelOf(copy)), options_.output);
                }};
  }

  // With the stop words, if those who have the model alone could not tell them.
  TopicModel Complete(TopicModel model) const {
    const std::string& choice = options_.topics.stop_words;
    if (choice != "english" && choice != "none") model.stop_words = source_.stop_words();
    if (model.words) model.words->frequent = source_.frequent_words();
    return model;
  }

  void RunSession(Source<Documents>& stream, BackgroundSaver* saver) {
    report_.summary = session_->Run(stream, [&](const Summary& summary) {
      scores_.MaybeScore(*session_, summary);
      if (watchers_.progress) watchers_.progress(summary);
      if (saver != nullptr) saver->Observe(summary);
    });
    if (saver == nullptr) return;
    if (report_.summary.minibatches > 0) {
      try {
        saver->Finish();
      } catch (...) {
        checkpoint_failure_ = std::current_exception();  // the model is still to be saved
      }
    }
    report_.saves = saver->cost();
  }

  TopicReport Finish() {
    if (report_.summary.minibatches == 0 && provisional_ > 0) {
      throw StoppedAtStart(fmt::format(
          "stopped before the first minibatch; {} is a provisional model of the {} that "
          "came",
          options_.output, Plural(provisional_, "document", "documents")));
    }
    if (report_.summary.minibatches == 0) {
      throw StoppedAtStart("stopped before the first minibatch; nothing was learnt yet");
    }
    // Of an input that can be read only once.
    if (!scores_.has_documents() && source_.held_out().size() > 0) {
      scores_.SetDocuments(source_.held_out(), options_.split);
    }
    if (topics_.SamplesIntervals() && !report_.summary.stopped) {
      const Stopwatch watch;
      session_->Refit();
      report_.summary.seconds += watch.seconds();
    }
    scores_.Score(*session_, report_.summary);
    report_.forgetting = session_->forgetting();
    const std::vector<double> tokens = session_->TopicTokens();
    const double all = std::accumulate(tokens.begin(), tokens.end(), 0.0);
    report_.small_topics =
        std::count_if(tokens.begin(), tokens.end(), [&](double t) { return t < 0.001 * all; });
    SaveInSpiteOf(checkpoint_failure_, context_, [&] {
      TopicModel model = Complete(session_->Release());
      report_.search = model.search;
      report_.coherence = model.coherence;
      report_.vocabulary = model.vocabulary.size();
      if (model.words) report_.words = model.words->accounts;
      report_.over_time = OverTimeOf(model);
      if (!options_.output.empty()) SaveTopicModel(model, options_.output);
      if (watchers_.on_model) watchers_.on_model(std::move(model));
    });
    report_.counts = source_.counts();
    report_.options = session_->options();
    report_.stats = Together(earlier_stats_, session_->stats());
    if (session_->is_ep()) report_.ep = Together(earlier_ep_, session_->ep_stats());
    report_.curve = scores_.curve();
    report_.test_tokens = scores_.test_tokens();
    report_.score_error = scores_.error();
    if (checkpoint_failure_) std::rethrow_exception(checkpoint_failure_);
    return report_;
  }

  // What the observers know, which is not in the posterior.
  json StateNotes() const {
    json state = {{"summary", SerializeSummary(session_->summary())},
                  {"scores", scores_.ToJson()},
                  {"bounds", report_.bounds},
                  {"stats", LdaStatsToJson(Together(earlier_stats_, session_->stats()))}};
    if (const std::string events = session_->EventNotes(); !events.empty()) {
      state["events"] = events;
    }
    if (session_->is_ep()) {
      state["ep"] = EpStatsToJson(Together(earlier_ep_, session_->ep_stats()));
    }
    return state;
  }

  void Resume(TrackedSource<Documents>* source) {
    const Checkpoint* const last = checkpoints_.last();
    if (last == nullptr) return;
    if (json(session_->vocabulary()) != checkpoints_.fixed().at("vocabulary")) {
      throw InputError(last->path + ": the words of the input are no longer the same");
    }
    const json& state = checkpoints_.state();
    session_->Resume(*last, DeserializeSummary(state.at("summary").get<std::string>()),
                     checkpoints_.fixed().value("session", ""));
    session_->ResumeEvents(state.value("events", ""));
    source->Resume(last->progress);
    scores_.FromJson(state.at("scores"));
    report_.bounds = state.at("bounds").get<std::vector<double>>();
    earlier_stats_ = LdaStatsFromJson(state.at("stats"));
    if (session_->is_ep()) earlier_ep_ = EpStatsFromJson(state.at("ep"));
  }

  std::optional<TopicModel> model_;  // to continue from, until the session has it
  const TopicFitOptions options_;
  const TopicOptions topics_;  // of them, settled
  const Context context_;
  const Watchers watchers_;
  RunCheckpoints checkpoints_;
  uint64_t provisional_ = 0;  // documents in the last provisional model
  const CorpusOptions corpus_options_;
  CorpusSource source_;  // belongs to the thread that reads ahead while the run is under way
  HeldOutScores scores_;
  std::optional<EventFile> events_;
  std::unique_ptr<TopicSession> session_;
  TopicReport report_;      // complete at the end
  LdaStats earlier_stats_;  // before the checkpoint from which this run resumed
  EpStats earlier_ep_;      // likewise
  std::exception_ptr checkpoint_failure_;
  bool start_cut_ = false;  // sweeps over the first minibatch; was said
  CurrentSaver saver_;
};

TopicFit::TopicFit(TopicFitOptions options, Context context, Watchers watchers)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(context), std::move(watchers))) {}
TopicFit::~TopicFit() = default;

TopicReport TopicFit::Run() { return impl_->Run(); }
void TopicFit::SaveNow() { impl_->SaveNow(); }
CorpusCounts TopicFit::counts() const { return impl_->counts(); }
std::optional<double> TopicFit::last_score() const { return impl_->last_score(); }
const CorpusOptions& TopicFit::corpus_options() const { return impl_->corpus_options(); }

}  // namespace sda
