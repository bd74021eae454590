#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

#include "command.h"
#include "fit.h"
#include "sda/corpus.h"
#include "sda/lda_ep.h"
#include "sda/lda_gibbs.h"
#include "sda/lda_model.h"
#include "sda/lda_score.h"
#include "sda/loop.h"
#include "sda/prefetch_source.h"
#include "topic_options.h"

namespace sda {
namespace {

// Gibbs sampling that counts what it is given.
class CountingGibbs : public LdaGibbs {
 public:
  using LdaGibbs::LdaGibbs;
  KeyedRows Change(const Documents& documents, const KeyedRows& prior) const override {
    KeyedRows change = LdaGibbs::Change(documents, prior);
    tokens_ += std::accumulate(documents.counts.begin(), documents.counts.end(), uint64_t{0});
    return change;
  }
  LdaStats stats() const {
    LdaStats stats;
    stats.tokens = tokens_;
    return stats;
  }

 private:
  mutable std::atomic<uint64_t> tokens_ = 0;
};

// The first minibatch takes the longest, and the loop has nothing to show until it is done. Shows
// how far it is, in the manner of ShowProgress().
class StartProgress {
 public:
  // Returns whether nobody wants to stop.
  bool operator()(int sweep, int sweeps) {
    Show(sweep, sweeps);
    return !StopFlag()->load();
  }

 private:
  void Show(int sweep, int sweeps) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    if (elapsed.count() < next_) return;
    const bool terminal = isatty(STDERR_FILENO) == 1;
    const std::string line = fmt::format("topics are forming: sweep {} of {}", sweep, sweeps);
    std::fputs(((terminal ? "\r" : "") + line + (terminal ? "\x1b[K" : "\n")).c_str(), stderr);
    next_ = elapsed.count() + (terminal ? 0.1 : 5);
  }

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double next_ = 1;
};

struct Score {
  uint64_t documents;
  double seconds;
  double log_predictive;
};

// A run of `sda fit` on documents: the posterior, how it is scored along the way, what is shown.
class TopicFit {
 public:
  explicit TopicFit(const FitFlags& flags)
      : flags_(flags), corpus_options_(CorpusOptionsOf(flags)), source_(corpus_options_) {
    if (StopFlag()->load() && source_.vocabulary_size() == 0) {
      throw std::runtime_error("stopped before the first document; nothing was saved");
    }
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
      gibbs_options.on_first_sweep = StartProgress();
      auto gibbs = std::make_unique<CountingGibbs>(gibbs_options);
      stats_ = [gibbs = gibbs.get()] { return gibbs->stats(); };
      primitive_ = std::move(gibbs);
      store_ = std::make_unique<MemoryStore<KeyedRows>>(prior);
    } else if (flags_.primitive == "ep") {
      LdaEpOptions ep_options = EpOptionsOf(flags_, options_.vocabulary);
      ep_options.on_start_sweep = StartProgress();
      auto ep = std::make_unique<LdaEp>(ep_options);
      ep_stats_ = [ep = ep.get()] { return ep->stats(); };
      stats_ = [this] { return LdaStats{.tokens = ep_stats_().tokens}; };
      primitive_ = std::move(ep);
      store_ = std::make_unique<MemoryStore<KeyedRows>>(prior);
    } else {
      LdaVb::OnPass on_pass;
      if (flags_.algorithm == "batch") on_pass = [this](const LdaPass& pass) { ShowPass(pass); };
      LdaOptions vb_options = options_;
      vb_options.on_start_sweep = StartProgress();
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
    PrefetchSource<Documents> ahead(&source_);
    const Observer score = [this](const Summary& s) { ScoreNowAndThen(s); };
    const Observer progress =
        ShowProgress(stderr, "documents", [this](const Summary& s) { return Details(s); });
    summary_ = sda::Run(ahead, *primitive_, *store_, run_options, Observers(score, progress));
    summary_.stopped = StopFlag()->load();  // a pipe that is not waited for ends, too
  }

  void Finish() {
    if (summary_.minibatches == 0) {
      throw std::runtime_error("stopped before the first minibatch; nothing was saved");
    }
    if (!split_ && source_.held_out().size() > 0) SetHeldOut(source_.held_out());
    if (split_) AddScore(summary_);
    CountSmallTopics();
    SaveLdaModel({.options = options_,
                  .vocabulary = source_.vocabulary(),
                  .posterior = Release(),
                  .documents = summary_.items,
                  .tokens = stats_().tokens,
                  .algorithm = flags_.algorithm + " " + flags_.primitive},
                 flags_.output);
    const auto report = Report();
    if (!flags_.report.empty()) WriteTextFile(flags_.report, Dump(report) + "\n");
    if (flags_.json) {
      fmt::print("{}\n", Dump(report));
    } else {
      ShowResult();
    }
  }

 private:
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

  std::string Details(const Summary& summary) const {
    const CorpusCounts counts = source_.counts();
    std::string text = fmt::format("{} tokens", Grouped(stats_().tokens));
    if (!curve_.empty()) text += fmt::format("  held-out {:.4f}", curve_.back().log_predictive);
    if (counts.total_bytes > 0 && counts.bytes > 0 && !summary.finished) {
      const double share = std::min(1.0, static_cast<double>(counts.bytes) / counts.total_bytes);
      text += fmt::format("  {:.0f} s left", summary.seconds * (1 - share) / share);
    }
    return text;
  }

  nlohmann::ordered_json Report() const {
    const CorpusCounts counts = source_.counts();
    auto report = nlohmann::ordered_json::parse(ToJson(summary_, "documents"));
    const LdaStats stats = stats_();
    report["tokens"] = stats.tokens;
    if (flags_.primitive == "vb") {
      report["outer_iterations"] = stats.outer_iterations;
      report["local_updates"] = stats.local_updates;
      report["unconverged_documents"] = stats.unconverged_documents;
      report["unconverged_minibatches"] = stats.unconverged_minibatches;
    }
    if (ep_stats_) report["ep"] = EpReport();
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
    report["peak_rss_bytes"] = PeakMemoryBytes();
    report["model"] = {{"topics", options_.topics},
                       {"algorithm", flags_.algorithm},
                       {"primitive", flags_.primitive},
                       {"eta", options_.eta},
                       {"seed", options_.seed}};
    return report;
  }

  nlohmann::ordered_json EpReport() const {
    const LdaEpStats stats = ep_stats_();
    return {{"messages", stats.messages},
            {"sweeps", stats.sweeps},
            {"updates", stats.updates},
            {"skipped_updates", stats.skipped_updates},
            {"unconverged_minibatches", stats.unconverged_minibatches},
            {"raised_parameters", stats.raised_parameters + raised_}};
  }

  void ShowEp() const {
    const LdaEpStats stats = ep_stats_();
    fmt::print("{} of {} updates of messages were skipped, their cavity not being positive\n",
               Grouped(stats.skipped_updates), Grouped(stats.updates));
    if (stats.unconverged_minibatches > 0) {
      fmt::print("{} of {} minibatches did not converge\n", Grouped(stats.unconverged_minibatches),
                 Grouped(stats.minibatches));
    }
    if (stats.raised_parameters + raised_ > 0) {
      fmt::print("{} parameters were raised, since workers took more away than there was\n",
                 Grouped(stats.raised_parameters + raised_));
    }
  }

  void ShowResult() const {
    const CorpusCounts counts = source_.counts();
    fmt::print("{} documents, {} tokens of {} words, {} topics, {:.1f} s\n",
               Grouped(summary_.items), Grouped(stats_().tokens),
               Grouped(source_.vocabulary_size()), options_.topics, summary_.seconds);
    if (ep_stats_) ShowEp();
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
  CorpusOptions corpus_options_;
  CorpusSource source_;
  LdaOptions options_;
  std::optional<HeldOutSplit> split_;
  KeyedRows::Selection scored_words_;
  std::unique_ptr<Primitive<Documents, KeyedRows>> primitive_;
  std::function<LdaStats()> stats_;       // of the primitive
  std::function<LdaEpStats()> ep_stats_;  // if it is EP
  uint64_t raised_ = 0;                   // at the end, by EP
  std::unique_ptr<MemoryStore<KeyedRows>> store_;
  Summary summary_;
  uint64_t next_score_ = 1;
  uint64_t test_tokens_ = 0;
  int64_t small_topics_ = 0;
  std::vector<Score> curve_;
  std::vector<double> bounds_;
};

}  // namespace

void FitTopics(const FitFlags& given) {
  FitFlags flags = given;
  if (flags.primitive.empty()) flags.primitive = flags.algorithm == "sda" ? "gibbs" : "vb";
  RunOptionsOf(flags);  // bad options are to be found before the input is read
  CheckAlgorithm(flags);
  LdaOptionsOf(flags, 1);
  TopicFit fit(flags);
  fit.Run();
  fit.Finish();
}

}  // namespace sda
