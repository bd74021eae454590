#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

#include "commands/ep_report.h"
#include "commands/fit.h"
#include "commands/fit_checkpoint.h"
#include "commands/topic_learner.h"
#include "commands/topic_options.h"
#include "commands/topic_report.h"
#include "data/io/stopped_at_start.h"
#include "sda/corpus.h"
#include "sda/lda_model.h"
#include "sda/lda_score.h"
#include "sda/loop.h"
#include "sda/prefetch_source.h"
#include "ui/command.h"

namespace sda {
namespace {

uint64_t TokensOf(const Documents& documents) {
  return std::accumulate(documents.counts.begin(), documents.counts.end(), uint64_t{0});
}

// A run of `sda fit` on documents: the posterior, how it is scored along the way, what is shown.
class TopicFit {
 public:
  TopicFit(const FitFlags& flags, FitCheckpoints* checkpoints)
      : flags_(flags),
        checkpoints_(*checkpoints),
        corpus_options_(CorpusOptionsFor(flags, checkpoints_)),
        source_(corpus_options_) {
    if (StopFlag()->load() && source_.vocabulary_size() == 0) {
      throw StoppedAtStart("stopped before the first document; nothing was saved");
    }
    vocabulary_ = source_.vocabulary();
    options_ = LdaOptionsOf(flags, source_.vocabulary_size());
    const bool rereadable =
        std::none_of(flags.inputs.begin(), flags.inputs.end(), [](auto& s) { return s == "-"; });
    if (!corpus_options_.held_out.empty() && rereadable) {
      SetHeldOut(ReadDocuments(corpus_options_, corpus_options_.held_out));
    }
  }

  void Run() {
    RunOptions run_options = RunOptionsOf(flags_);
    run_options.serial_first = 1;  // for all workers to mean the same by topic 1, 2, ...
    learner_ = MakeTopicLearner(
        flags_, options_, [this](const LdaPass& pass) { ShowPass(pass); }, !checkpoints_.on());
    if (learner_.discount) run_options.discount = learner_.discount;
    if (std::count(flags_.inputs.begin(), flags_.inputs.end(), "-") > 0 &&
        corpus_options_.first_minibatch > corpus_options_.minibatch) {
      Say(fmt::format("topics form from the first {} documents, or fewer if the input ends",
                      Grouped(corpus_options_.first_minibatch)));
    }
    if (flags_.follow) Say("waiting for further documents; SIGTERM ends, SIGHUP saves now");
    PrefetchSource<Documents> ahead(&source_);
    TrackedSource<Documents> tracked(&ahead, TokensOf);
    if (checkpoints_.last() != nullptr) GoOn(&tracked);
    const auto saver = checkpoints_.SaverOf(
        {.copy = [this] { return CopyPosterior(*learner_.store); },
         .progress = [&](const IdSet& folded) { return tracked.At(folded); },
         .fixed = [fixed = FixedNotes()] { return fixed; },
         .state = [this] { return StateNotes(); },
         .save_model =
             [this](const PosteriorCopy& copy, const Progress& progress) {
               const auto* posterior = static_cast<const Snapshot<KeyedRows>*>(copy.snapshot.get());
               KeyedRows params = posterior->params;
               if (learner_.ep_stats) RaiseToPositive(options_.eta, options_.vocabulary, &params);
               SaveModel(std::move(params), progress.total());
             }});
    // Where nothing is saved, nothing but this lets the source forget what is done.
    auto count = [&] {
      const IdSet folded = learner_.store->Folded();
      run_.tokens = saver ? tracked.Total(folded).weight : tracked.At(folded).total().weight;
    };
    const std::optional<HangUpWatcher> watcher =
        flags_.follow ? std::make_optional<HangUpWatcher>([&] { saver->SaveNow(); }) : std::nullopt;
    const Observer score = [&](const Summary& s) {
      count();
      ScoreNowAndThen(WithEarlier(s));
      seconds_ = WithEarlier(s).seconds;
    };
    const Observer progress =
        ShowProgress(stderr, "documents", [this](const Summary& s) { return Details(s); });
    const Observer save = [&](const Summary& s) {
      if (saver) saver->Observe(s);
    };
    run_.summary = sda::Run(tracked, *learner_.primitive, *learner_.store, run_options,
                            Observers(score, Observers(progress, save)));
    run_.summary = WithEarlier(run_.summary);
    if (saver && run_.summary.minibatches > 0) checkpoint_failure_ = FailureOfLast(saver.get());
    if (saver) run_.saves = saver->cost();
    run_.summary.stopped = StopFlag()->load();  // a pipe that is not waited for ends, too
  }

  void Finish() {
    if (run_.summary.minibatches == 0) {
      throw StoppedAtStart("stopped before the first minibatch; nothing was saved");
    }
    if (!split_ && source_.held_out().size() > 0) SetHeldOut(source_.held_out());
    if (split_) AddScore(run_.summary);
    CountSmallTopics();
    SaveInSpiteOf(checkpoint_failure_, [&] {
      SaveModel(Release(), {run_.summary.items, run_.tokens});
    });
    CompleteReport();
    const auto report = ToJson(run_, flags_);
    if (!flags_.report.empty()) WriteTextFile(flags_.report, Dump(report) + "\n");
    if (flags_.json) {
      fmt::print("{}\n", Dump(report));
    } else {
      Show(run_);
      Say(fmt::format("{}saved {}; see its topics with: sda topics {}",
                      run_.summary.stopped ? "stopped early; " : "", flags_.output, flags_.output));
    }
    if (checkpoint_failure_) std::rethrow_exception(checkpoint_failure_);
  }

 private:
  // The words are those with which the run began, also if the input has grown since.
  static CorpusOptions CorpusOptionsFor(const FitFlags& flags, const FitCheckpoints& checkpoints) {
    CorpusOptions options = CorpusOptionsOf(flags);
    if (checkpoints.last() == nullptr) return options;
    const std::string format = checkpoints.fixed().at("format").get<std::string>();
    if (flags.follow) {  // what has the name now may be another file, or there may be none
      options.format = CorpusFormatFromName(format);
      options.resume_from = checkpoints.last()->progress.position;
    }
    if (!flags.vocabulary.empty()) return options;
    const auto& words = checkpoints.fixed().at("vocabulary");
    if (format == "text" || format == "jsonl") {
      options.vocabulary = words.get<std::vector<std::string>>();
    } else if (format == "ldac" || format == "svmlight") {
      options.vocabulary_size = words.size();
    }
    return options;
  }

  void SaveModel(KeyedRows posterior, const Progress::Counts& seen) const {
    SaveLdaModel({.options = options_,
                  .vocabulary = vocabulary_,
                  .posterior = std::move(posterior),
                  .documents = seen.items,
                  .tokens = seen.weight,
                  .algorithm = flags_.algorithm + " " + flags_.primitive},
                 flags_.output);
  }

  nlohmann::json FixedNotes() const {
    return {{"format", CorpusFormatName(source_.format())}, {"vocabulary", vocabulary_}};
  }

  // What the observers know, which is not in the posterior.
  nlohmann::json StateNotes() const {
    const LdaStats stats = Stats();
    nlohmann::json state = {{"seconds", seconds_},
                            {"next_score", next_score_},
                            {"curve", nlohmann::json::array()},
                            {"bounds", run_.bounds},
                            {"test_tokens", run_.test_tokens},
                            {"outer_iterations", stats.outer_iterations},
                            {"local_updates", stats.local_updates},
                            {"unconverged_documents", stats.unconverged_documents},
                            {"unconverged_minibatches", stats.unconverged_minibatches}};
    for (const TopicScore& s : run_.curve) {
      state["curve"].push_back({s.documents, s.seconds, s.log_predictive});
    }
    if (learner_.ep_stats) state["ep"] = EpJson(EpStats());
    return state;
  }

  // Goes on from the last checkpoint.
  void GoOn(TrackedSource<Documents>* source) {
    const Checkpoint& last = *checkpoints_.last();
    if (nlohmann::json(vocabulary_) != checkpoints_.fixed().at("vocabulary")) {
      throw std::runtime_error(last.path + ": the words of the input are no longer the same");
    }
    auto posterior = last.Posterior<KeyedRows>();
    if (posterior.params.width() != learner_.store->prior().width()) {
      throw std::runtime_error(last.path + ": does not have the topics of this run");
    }
    posterior.params.ShareWork(learner_.store->prior().shared_pool());
    learner_.store =
        std::make_unique<MemoryStore<KeyedRows>>(learner_.store->prior(), std::move(posterior));
    source->Resume(last.progress);

    const nlohmann::json& state = checkpoints_.state();
    earlier_.items = last.progress.total().items;
    earlier_.minibatches = last.folded.size();
    earlier_.seconds = seconds_ = state.at("seconds").get<double>();
    run_.tokens = last.progress.total().weight;
    next_score_ = state.at("next_score").get<uint64_t>();
    for (const auto& s : state.at("curve")) {
      run_.curve.push_back({s.at(0).get<uint64_t>(), s.at(1).get<double>(), s.at(2).get<double>()});
    }
    run_.bounds = state.at("bounds").get<std::vector<double>>();
    run_.test_tokens = state.at("test_tokens").get<uint64_t>();
    earlier_stats_.outer_iterations = state.at("outer_iterations").get<uint64_t>();
    earlier_stats_.local_updates = state.at("local_updates").get<uint64_t>();
    earlier_stats_.unconverged_documents = state.at("unconverged_documents").get<uint64_t>();
    earlier_stats_.unconverged_minibatches = state.at("unconverged_minibatches").get<uint64_t>();
    if (learner_.ep_stats) earlier_ep_ = EpStatsOf(state.at("ep"));
  }

  // With what was done before the checkpoint from which this run goes on.
  Summary WithEarlier(Summary summary) const {
    summary.items += earlier_.items;
    summary.minibatches += earlier_.minibatches;
    summary.seconds += earlier_.seconds;
    return summary;
  }
  LdaStats Stats() const {
    LdaStats stats = learner_.stats();
    stats.outer_iterations += earlier_stats_.outer_iterations;
    stats.local_updates += earlier_stats_.local_updates;
    stats.unconverged_documents += earlier_stats_.unconverged_documents;
    stats.unconverged_minibatches += earlier_stats_.unconverged_minibatches;
    return stats;
  }

  void SetHeldOut(const Documents& documents) {
    const auto rule = flags_.split == "alternate" ? SplitRule::kAlternate : SplitRule::kHalfTypes;
    split_ = SplitHeldOut(documents, rule);
    if (split_->tested.size() == 0) split_.reset();
    scored_words_.everything = false;
    scored_words_.keys = {documents.words.begin(), documents.words.end()};
    std::sort(scored_words_.keys.begin(), scored_words_.keys.end());
    const auto end = std::unique(scored_words_.keys.begin(), scored_words_.keys.end());
    scored_words_.keys.erase(end, scored_words_.keys.end());
  }

  void AddScore(const Summary& summary) {
    Snapshot<KeyedRows> snapshot;
    learner_.store->Read(learner_.ep_stats ? KeyedRows::Selection() : scored_words_, &snapshot);
    if (learner_.ep_stats) RaiseToPositive(options_.eta, options_.vocabulary, &snapshot.params);
    const LdaScore score = LogPredictive(snapshot.params, *split_, options_);
    run_.test_tokens = score.test_tokens;
    run_.curve.push_back({summary.items, summary.seconds, score.log_predictive});
  }

  // The posterior, which the store then has no more.
  KeyedRows Release() {
    KeyedRows posterior = learner_.store->Release().params;
    if (learner_.ep_stats) raised_ = RaiseToPositive(options_.eta, options_.vocabulary, &posterior);
    return posterior;
  }

  // After 1, 2, 4, 8, ... minibatches, so that scoring costs little and at the same places always.
  void ScoreNowAndThen(const Summary& summary) {
    if (!split_ || summary.finished || summary.minibatches < next_score_) return;
    next_score_ = 2 * summary.minibatches;
    AddScore(summary);
  }

  // Topics with less than a thousandth of the tokens: if many, there were too many topics.
  void CountSmallTopics() {
    Snapshot<KeyedRows> snapshot;
    learner_.store->Read({false, {}}, &snapshot);  // the totals alone
    const auto totals = snapshot.params.totals();
    const double all = std::accumulate(totals.begin(), totals.end(), 0.0);
    run_.small_topics = std::count_if(totals.begin(), totals.end(),
                                      [&](double total) { return total < 0.001 * all; });
  }

  void ShowPass(const LdaPass& pass) {
    run_.bounds.push_back(pass.bound);
    Say(fmt::format("pass {} of {}: bound {:.6g}", pass.pass, options_.outer_iterations,
                    pass.bound));
  }

  std::string Details(const Summary& summary) {
    const CorpusCounts counts = source_.counts();
    std::string text = fmt::format("{} tokens", Grouped(run_.tokens));
    if (!run_.curve.empty())
      text += fmt::format("  held-out {:.4f}", run_.curve.back().log_predictive);
    if (counts.total_bytes > 0 && counts.bytes > 0 && !summary.finished) {
      const double share = std::min(1.0, static_cast<double>(counts.bytes) / counts.total_bytes);
      // The first minibatch takes longer than others of its size, and tells nothing.
      if (!first_seen_) first_seen_ = {summary.seconds, share};
      const auto [seconds, before] = *first_seen_;
      if (share > before) {
        text += fmt::format("  {:.0f} s left",
                            (summary.seconds - seconds) * (1 - share) / (share - before));
      }
    }
    return text;
  }

  void CompleteReport() {
    run_.counts = source_.counts();
    run_.vocabulary = source_.vocabulary_size();
    run_.options = options_;
    run_.stats = Stats();
    if (learner_.ep_stats) run_.ep = EpStats();
  }

  LdaEpStats EpStats() const {
    LdaEpStats stats = Together(earlier_ep_, learner_.ep_stats());
    stats.raised_parameters += raised_;
    return stats;
  }

  const FitFlags& flags_;
  FitCheckpoints& checkpoints_;
  CorpusOptions corpus_options_;
  CorpusSource source_;  // belongs to the thread that reads ahead while the run goes on
  std::vector<std::string> vocabulary_;
  LdaOptions options_;
  std::optional<HeldOutSplit> split_;
  KeyedRows::Selection scored_words_;
  TopicLearner learner_;
  TopicReport run_;         // complete at the end
  Summary earlier_;         // before the checkpoint from which this run went on
  LdaStats earlier_stats_;  // likewise
  LdaEpStats earlier_ep_;   // likewise
  uint64_t raised_ = 0;     // at the end, by EP
  std::exception_ptr checkpoint_failure_;
  double seconds_ = 0;
  std::optional<std::pair<double, double>> first_seen_;  // seconds and share of the input then
  uint64_t next_score_ = 1;
};

}  // namespace

void FitTopics(const FitFlags& given, FitCheckpoints* checkpoints) {
  FitFlags flags = given;
  if (flags.follow) BlockHangUp();
  if (flags.primitive.empty()) flags.primitive = flags.algorithm == "sda" ? "gibbs" : "vb";
  RunOptionsOf(flags);  // bad options are to be found before the input is read
  CheckAlgorithm(flags);
  LdaOptionsOf(flags, 1);
  TopicFit fit(flags, checkpoints);
  fit.Run();
  fit.Finish();
}

}  // namespace sda
