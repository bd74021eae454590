#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

#include "command.h"
#include "ep_report.h"
#include "fit.h"
#include "fit_checkpoint.h"
#include "sda/corpus.h"
#include "sda/lda_ep.h"
#include "sda/lda_gibbs.h"
#include "sda/lda_model.h"
#include "sda/lda_score.h"
#include "sda/loop.h"
#include "sda/prefetch_source.h"
#include "start_progress.h"
#include "topic_options.h"

namespace sda {
namespace {

uint64_t TokensOf(const Documents& documents) {
  return std::accumulate(documents.counts.begin(), documents.counts.end(), uint64_t{0});
}

struct Score {
  uint64_t documents;
  double seconds;
  double log_predictive;
};

// A run of `sda fit` on documents: the posterior, how it is scored along the way, what is shown.
class TopicFit {
 public:
  TopicFit(const FitFlags& flags, FitCheckpoints* checkpoints)
      : flags_(flags),
        checkpoints_(*checkpoints),
        corpus_options_(CorpusOptionsFor(flags, checkpoints_)),
        source_(corpus_options_) {
    if (StopFlag()->load() && source_.vocabulary_size() == 0) {
      throw std::runtime_error("stopped before the first document; nothing was saved");
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
    KeyedRows prior = LdaPrior(options_);
    prior.ShareWork(std::make_shared<ThreadPool>(Cores(flags_)));
    if (flags_.algorithm == "svi") {
      SviOptions svi{.total_documents = *flags_.total_documents};
      if (flags_.tau0) svi.tau0 = *flags_.tau0;
      if (flags_.kappa) svi.kappa = *flags_.kappa;
      svi.Validate();
      auto svi_step = std::make_unique<LdaSvi>(options_, svi);
      stats_ = [step = svi_step.get()] { return step->stats(); };
      primitive_ = std::move(svi_step);
      run_options.discount = SviDiscount(svi);
      store_ = std::make_unique<MemoryStore<KeyedRows>>(
          prior, Snapshot<KeyedRows>{SviStart(options_, prior), {}});
    } else if (flags_.primitive == "gibbs") {
      LdaGibbsOptions gibbs_options = GibbsOptionsOf(flags_, options_.vocabulary);
      gibbs_options.on_first_sweep = StartProgress(!checkpoints_.on());
      primitive_ = std::make_unique<LdaGibbs>(gibbs_options);
      stats_ = [] { return LdaStats(); };
      store_ = std::make_unique<MemoryStore<KeyedRows>>(prior);
    } else if (flags_.primitive == "ep") {
      LdaEpOptions ep_options = EpOptionsOf(flags_, options_.vocabulary);
      ep_options.on_start_sweep = StartProgress(!checkpoints_.on());
      auto ep = std::make_unique<LdaEp>(ep_options);
      ep_stats_ = [ep = ep.get()] { return ep->stats(); };
      stats_ = [] { return LdaStats(); };
      primitive_ = std::move(ep);
      store_ = std::make_unique<MemoryStore<KeyedRows>>(prior);
    } else {
      LdaVb::OnPass on_pass;
      if (flags_.algorithm == "batch") on_pass = [this](const LdaPass& pass) { ShowPass(pass); };
      LdaOptions vb_options = options_;
      vb_options.on_start_sweep = StartProgress(!checkpoints_.on());
      auto vb = std::make_unique<LdaVb>(vb_options, on_pass);
      stats_ = [vb = vb.get()] { return vb->stats(); };
      primitive_ = std::move(vb);
      store_ = std::make_unique<MemoryStore<KeyedRows>>(prior);
    }
    if (std::count(flags_.inputs.begin(), flags_.inputs.end(), "-") > 0 &&
        corpus_options_.first_minibatch > corpus_options_.minibatch) {
      Say(fmt::format("topics form from the first {} documents, or fewer if the input ends",
                      Grouped(corpus_options_.first_minibatch)));
    }
    if (flags_.follow) Say("waiting for further documents; SIGTERM ends, SIGHUP saves now");
    PrefetchSource<Documents> ahead(&source_);
    TrackedSource<Documents> tracked(&ahead, TokensOf);
    if (checkpoints_.last() != nullptr) GoOn(&tracked, prior.shared_pool());
    const auto saver = checkpoints_.SaverOf(
        {.copy = [this] { return CopyPosterior(*store_); },
         .progress = [&](const IdSet& folded) { return tracked.At(folded); },
         .fixed = [fixed = FixedNotes()] { return fixed; },
         .state = [this] { return StateNotes(); },
         .save_model =
             [this](const PosteriorCopy& copy, const Progress& progress) {
               const auto* posterior = static_cast<const Snapshot<KeyedRows>*>(copy.snapshot.get());
               KeyedRows params = posterior->params;
               if (ep_stats_) RaiseToPositive(options_.eta, options_.vocabulary, &params);
               SaveModel(std::move(params), progress.total());
             }});
    // Where nothing is saved, nothing but this lets the source forget what is done.
    auto count = [&] {
      const IdSet folded = store_->Folded();
      tokens_ = saver ? tracked.Total(folded).weight : tracked.At(folded).total().weight;
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
    summary_ = sda::Run(tracked, *primitive_, *store_, run_options,
                        Observers(score, Observers(progress, save)));
    summary_ = WithEarlier(summary_);
    if (saver && summary_.minibatches > 0) saver->Finish();
    if (saver) save_cost_ = saver->cost();
    summary_.stopped = StopFlag()->load();  // a pipe that is not waited for ends, too
  }

  void Finish() {
    if (summary_.minibatches == 0) {
      throw std::runtime_error("stopped before the first minibatch; nothing was saved");
    }
    if (!split_ && source_.held_out().size() > 0) SetHeldOut(source_.held_out());
    if (split_) AddScore(summary_);
    CountSmallTopics();
    SaveModel(Release(), {summary_.items, tokens_});
    const auto report = Report();
    if (!flags_.report.empty()) WriteTextFile(flags_.report, Dump(report) + "\n");
    if (flags_.json) {
      fmt::print("{}\n", Dump(report));
    } else {
      ShowResult();
    }
  }

 private:
  // The words are those with which the run began, also if the input has grown since.
  static CorpusOptions CorpusOptionsFor(const FitFlags& flags, const FitCheckpoints& checkpoints) {
    CorpusOptions options = CorpusOptionsOf(flags);
    if (checkpoints.last() == nullptr || !flags.vocabulary.empty()) return options;
    const auto& words = checkpoints.fixed().at("vocabulary");
    const std::string format = checkpoints.fixed().at("format").get<std::string>();
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
                            {"bounds", bounds_},
                            {"test_tokens", test_tokens_},
                            {"outer_iterations", stats.outer_iterations},
                            {"local_updates", stats.local_updates},
                            {"unconverged_documents", stats.unconverged_documents},
                            {"unconverged_minibatches", stats.unconverged_minibatches}};
    for (const Score& s : curve_) {
      state["curve"].push_back({s.documents, s.seconds, s.log_predictive});
    }
    if (ep_stats_) state["ep"] = EpJson(EpStats());
    return state;
  }

  // Goes on from the last checkpoint.
  void GoOn(TrackedSource<Documents>* source, const std::shared_ptr<ThreadPool>& pool) {
    const Checkpoint& last = *checkpoints_.last();
    if (nlohmann::json(vocabulary_) != checkpoints_.fixed().at("vocabulary")) {
      throw std::runtime_error(last.path + ": the words of the input are no longer the same");
    }
    auto posterior = last.Posterior<KeyedRows>();
    if (posterior.params.width() != store_->prior().width()) {
      throw std::runtime_error(last.path + ": does not have the topics of this run");
    }
    posterior.params.ShareWork(pool);
    store_ = std::make_unique<MemoryStore<KeyedRows>>(store_->prior(), std::move(posterior));
    source->Resume(last.progress);

    const nlohmann::json& state = checkpoints_.state();
    earlier_.items = last.progress.total().items;
    earlier_.minibatches = last.folded.size();
    earlier_.seconds = seconds_ = state.at("seconds").get<double>();
    tokens_ = last.progress.total().weight;
    next_score_ = state.at("next_score").get<uint64_t>();
    for (const auto& s : state.at("curve")) {
      curve_.push_back({s.at(0).get<uint64_t>(), s.at(1).get<double>(), s.at(2).get<double>()});
    }
    bounds_ = state.at("bounds").get<std::vector<double>>();
    test_tokens_ = state.at("test_tokens").get<uint64_t>();
    earlier_stats_.outer_iterations = state.at("outer_iterations").get<uint64_t>();
    earlier_stats_.local_updates = state.at("local_updates").get<uint64_t>();
    earlier_stats_.unconverged_documents = state.at("unconverged_documents").get<uint64_t>();
    earlier_stats_.unconverged_minibatches = state.at("unconverged_minibatches").get<uint64_t>();
    if (ep_stats_) earlier_ep_ = EpStatsOf(state.at("ep"));
  }

  // With what was done before the checkpoint from which this run goes on.
  Summary WithEarlier(Summary summary) const {
    summary.items += earlier_.items;
    summary.minibatches += earlier_.minibatches;
    summary.seconds += earlier_.seconds;
    return summary;
  }
  LdaStats Stats() const {
    LdaStats stats = stats_();
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
    store_->Read(ep_stats_ ? KeyedRows::Selection() : scored_words_, &snapshot);
    if (ep_stats_) RaiseToPositive(options_.eta, options_.vocabulary, &snapshot.params);
    const LdaScore score = LogPredictive(snapshot.params, *split_, options_);
    test_tokens_ = score.test_tokens;
    curve_.push_back({summary.items, summary.seconds, score.log_predictive});
  }

  // The posterior, which the store then has no more.
  KeyedRows Release() {
    KeyedRows posterior = store_->Release().params;
    if (ep_stats_) raised_ = RaiseToPositive(options_.eta, options_.vocabulary, &posterior);
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
    store_->Read({false, {}}, &snapshot);  // the totals alone
    const auto totals = snapshot.params.totals();
    const double all = std::accumulate(totals.begin(), totals.end(), 0.0);
    small_topics_ = std::count_if(totals.begin(), totals.end(),
                                  [&](double total) { return total < 0.001 * all; });
  }

  void ShowPass(const LdaPass& pass) {
    bounds_.push_back(pass.bound);
    Say(fmt::format("pass {} of {}: bound {:.6g}", pass.pass, options_.outer_iterations,
                    pass.bound));
  }

  std::string Details(const Summary& summary) {
    const CorpusCounts counts = source_.counts();
    std::string text = fmt::format("{} tokens", Grouped(tokens_));
    if (!curve_.empty()) text += fmt::format("  held-out {:.4f}", curve_.back().log_predictive);
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

  nlohmann::ordered_json Report() const {
    const CorpusCounts counts = source_.counts();
    auto report = nlohmann::ordered_json::parse(ToJson(summary_, "documents"));
    const LdaStats stats = Stats();
    report["tokens"] = tokens_;
    if (flags_.primitive == "vb") {
      report["outer_iterations"] = stats.outer_iterations;
      report["local_updates"] = stats.local_updates;
      report["unconverged_documents"] = stats.unconverged_documents;
      report["unconverged_minibatches"] = stats.unconverged_minibatches;
    }
    if (ep_stats_) report["ep"] = EpJson(EpStats());
    report["documents_skipped"] = counts.skipped;
    report["unknown_tokens"] = counts.unknown_tokens;
    report["replaced_utf8"] = counts.replaced_utf8;
    report["vocabulary"] = source_.vocabulary_size();
    if (!curve_.empty()) {
      report["log_predictive_probability"] = curve_.back().log_predictive;
    } else {
      report["log_predictive_probability"] = nullptr;
    }
    report["test_tokens"] = test_tokens_;
    report["small_topics"] = small_topics_;
    report["curve"] = nlohmann::ordered_json::array();
    for (const Score& s : curve_) {
      report["curve"].push_back({{"documents", s.documents},
                                 {"seconds", s.seconds},
                                 {"log_predictive_probability", s.log_predictive}});
    }
    if (!bounds_.empty()) report["bound"] = bounds_;
    if (save_cost_.saves > 0) {
      report["saves"] = {{"count", save_cost_.saves},
                         {"copy_seconds", save_cost_.copy_seconds},
                         {"write_seconds", save_cost_.write_seconds}};
    }
    report["peak_rss_bytes"] = PeakMemoryBytes();
    report["model"] = {{"topics", options_.topics},
                       {"algorithm", flags_.algorithm},
                       {"primitive", flags_.primitive},
                       {"eta", options_.eta},
                       {"seed", options_.seed}};
    return report;
  }

  LdaEpStats EpStats() const {
    LdaEpStats stats = Together(earlier_ep_, ep_stats_());
    stats.raised_parameters += raised_;
    return stats;
  }

  void ShowResult() const {
    const CorpusCounts counts = source_.counts();
    fmt::print("{} documents, {} tokens of {} words, {} topics, {:.1f} s\n",
               Grouped(summary_.items), Grouped(tokens_), Grouped(source_.vocabulary_size()),
               options_.topics, summary_.seconds);
    if (ep_stats_) fmt::print("{}", EpText(EpStats(), summary_.minibatches));
    if (small_topics_ > 0) {
      fmt::print("{} of the topics have less than 0.1% of the tokens\n", small_topics_);
    }
    if (counts.skipped > 0) {
      fmt::print("{} documents without a known word were skipped\n", Grouped(counts.skipped));
    }
    if (counts.replaced_utf8 > 0) {
      fmt::print("{} invalid UTF-8 sequences were replaced\n", Grouped(counts.replaced_utf8));
    }
    if (!curve_.empty()) {
      fmt::print("held-out log predictive probability {:.4f} per token, on {} tokens\n",
                 curve_.back().log_predictive, Grouped(test_tokens_));
    }
    Say(fmt::format("{}saved {}; see its topics with: sda topics {}",
                    summary_.stopped ? "stopped early; " : "", flags_.output, flags_.output));
  }

  const FitFlags& flags_;
  FitCheckpoints& checkpoints_;
  CorpusOptions corpus_options_;
  CorpusSource source_;  // belongs to the thread that reads ahead while the run goes on
  std::vector<std::string> vocabulary_;
  LdaOptions options_;
  std::optional<HeldOutSplit> split_;
  KeyedRows::Selection scored_words_;
  std::unique_ptr<Primitive<Documents, KeyedRows>> primitive_;
  std::function<LdaStats()> stats_;       // of the primitive
  std::function<LdaEpStats()> ep_stats_;  // if it is EP
  LdaEpStats earlier_ep_;                 // before the checkpoint from which this run went on
  uint64_t raised_ = 0;                   // at the end, by EP
  std::unique_ptr<MemoryStore<KeyedRows>> store_;
  Summary summary_;
  Summary earlier_;         // before the checkpoint from which this run went on
  LdaStats earlier_stats_;  // likewise
  BackgroundSaver::Cost save_cost_;
  uint64_t tokens_ = 0;  // folded
  double seconds_ = 0;
  std::optional<std::pair<double, double>> first_seen_;  // seconds and share of the input then
  uint64_t next_score_ = 1;
  uint64_t test_tokens_ = 0;
  int64_t small_topics_ = 0;
  std::vector<Score> curve_;
  std::vector<double> bounds_;
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
