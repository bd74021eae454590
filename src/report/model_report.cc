#include "sda/model_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "report/document_survey.h"
#include "report/model_periods.h"
#include "report/report_words.h"
#include "report/topic_map.h"
#include "sda/errors.h"
#include "sda/topics_over_time.h"

namespace sda {
namespace {

using report::TopicWords;

void CheckAtLeast(const char* field, int64_t value, int64_t least) {
  if (value >= least) return;
  throw UsageError(fmt::format("{} is {}, must be at least {}", field, value, least));
}

// The interval is that of a share among as many documents as the posterior has, each with
// proportions from the prior's Dirichlet: tokens of a document are no independent observations.
ReportedShare ShareOfCorpus(const TopicModel& model, double share) {
  const auto totals = model.posterior.totals();
  const double tokens = std::accumulate(totals.begin(), totals.end(), 0.0);
  if (tokens <= 0 || model.tokens == 0) return {share, 0, 1};
  // A model that forgets has fewer of them than it has seen.
  const double kept = std::min(tokens / static_cast<double>(model.tokens), 1.0);
  const std::vector<double> alpha = model.Spec().Alpha();
  const double alphas = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  const double size = std::max(kept * static_cast<double>(model.documents) * (alphas + 1), 1.0);
  const ReportedShare interval = report::BetaShare(share * size, (1 - share) * size);
  return {share, interval.lower, interval.upper};
}

void AddTopics(const TopicModel& model, const TopicWords& topics, const Context& context,
               ModelReport* out) {
  auto words = report::RelevantWords(topics, out->options.words, context);
  const report::TopicMap map = report::MapTopics(topics, context);
  out->map_shown = map.shown;
  out->map_words = map.words;
  for (size_t k = 0; k < topics.topics(); ++k) {
    ReportedTopic topic;
    topic.topic = k;
    topic.share = ShareOfCorpus(model, topics.shares[k]);
    topic.x = map.points[k].x;
    topic.y = map.points[k].y;
    topic.words = std::move(words[k]);
    if (model.coherence && std::isfinite(model.coherence->npmi[k])) {
      topic.coherence = model.coherence->npmi[k];
    }
    if (model.stability) {
      topic.stability = {.found_by = model.stability->found_by[k],
                         .runs = model.stability->runs,
                         .cosine = model.stability->cosine[k]};
    }
    out->topics.push_back(std::move(topic));
  }
  std::stable_sort(out->topics.begin(), out->topics.end(),
                   [](const auto& a, const auto& b) { return a.share.mean > b.share.mean; });
}

// What is left out, and what must be known of the rest, a sentence each.
std::vector<std::string> Notes(const TopicModel& model, const ModelReport& report) {
  std::vector<std::string> notes;
  const uint64_t vocabulary = report.vocabulary;
  notes.push_back(
      fmt::format("Of each topic, its first {} at every relevance are here, of {} in the model.",
                  Plural(report.options.words, "word", "words"), Grouped(vocabulary)));
  if (report.approximate) {
    notes.emplace_back(
        "The intervals of words are approximate; those of a model fitted with --intervals sampled "
        "are not.");
  } else {
    notes.emplace_back(
        "An interval of a word that ends above 2.2 times its share may begin too high: perhaps the "
        "topic does not have the word.");
  }
  if (const auto& coherence = model.coherence) {
    notes.push_back(fmt::format(
        "Coherence is the mean NPMI of the pairs of a topic's {} most probable words: 0 if they "
        "are "
        "independent, 1 if they are always together. It was measured in a sample of {}{}.",
        coherence->words, Plural(coherence->documents, "document", "documents"),
        coherence->all_sampled ? "" : " from the later part of the stream"));
  }
  if (report.over_time) {
    notes.push_back(fmt::format(
        "Topics over time are those of the {} that the model has learnt from and that have a time, "
        "if none are given: the share of their tokens, with an interval of it{}.",
        Plural(model.posterior.over_time()->documents(), "document", "documents"),
        ApproximateSharesOverTime(model) ? ", which is approximate" : ""));
  }
  if (report.entries.size() < vocabulary) {
    notes.push_back(fmt::format("The {} most frequent words can be looked up, of {}.",
                                Grouped(report.entries.size()), Grouped(vocabulary)));
  }
  notes.push_back(fmt::format(
      "A word that is looked up shows the topics with at least 5% of its tokens, at most {}.",
      report.options.word_topics));
  if (report.map_words < vocabulary) {
    notes.push_back(
        fmt::format("The map tells the {} most probable words apart and takes the others as one.",
                    Grouped(report.map_words)));
  }
  if (report.input) {
    notes.push_back(fmt::format(
        "Documents with fewer than {} are not shown as documents of a topic or of none.",
        Plural(report.options.tokens, "known word", "known words")));
  }
  return notes;
}

}  // namespace

void ReportOptions::Validate() const {
  CheckAtLeast("words", words, 1);
  CheckAtLeast("word_topics", word_topics, 1);
  CheckAtLeast("documents", documents, 0);
  CheckAtLeast("snippet", snippet, 0);
  CheckAtLeast("periods", periods, 1);
}

ModelReport MakeReport(const TopicModel& model, const ReportOptions& options,
                       const Context& context, Source<Documents>* documents) {
  options.Validate();
  const TopicWords topics(model);
  ModelReport out;
  out.options = options;
  out.documents = model.documents;
  out.tokens = model.tokens;
  out.vocabulary = model.vocabulary.size();
  out.primitive = model.options.primitive;
  out.approximate = model.ApproximateIntervals();
  out.relevances = report::Relevances();
  out.words = model.vocabulary;
  AddTopics(model, topics, context, &out);
  out.entries = report::FindEntries(topics, options, context);
  if (documents != nullptr) {
    report::DocumentSurvey survey(model, topics, options, context);
    while (auto minibatch = documents->Next()) survey.Add(*minibatch);
    survey.Finish(&out);
  }
  if (const OverTime* const sums = model.posterior.over_time()) {
    out.over_time = report::PeriodsOf(*sums, static_cast<size_t>(options.periods));
  }
  out.notes = Notes(model, out);
  return out;
}

}  // namespace sda
