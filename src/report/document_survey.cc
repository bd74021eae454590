#include "report/document_survey.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "lda/score/inference.h"

namespace sda::report {
namespace {

constexpr int kMisfitsForEach = 4;  // see ReportOptions::documents

template <class Documents>
void Keep(const ReportedDocument& document, size_t most, Documents* documents) {
  documents->insert(document);
  if (documents->size() > most) documents->erase(std::prev(documents->end()));
}

// The interval is found at the end, for the documents that are shown. Until then lower and upper
// have the two parameters of its Beta distribution.
ReportedShare Unfinished(double part, double sum) { return {part / sum, part, sum - part}; }

ReportedDocument Finished(ReportedDocument document) {
  document.share = BetaShare(document.share.lower, document.share.upper);
  return document;
}

}  // namespace

DocumentSurvey::DocumentSurvey(const TopicModel& model, const TopicWords& topics,
                               const ReportOptions& options, const Context& context)
    : model_(model),
      topics_(topics),
      options_(options),
      context_(context),
      periods_(topics.topics(), options.periods),
      best_(topics.topics()) {}

double DocumentSurvey::Gain(const Documents& documents, size_t d,
                            std::span<const double> gamma) const {
  const double sum = std::accumulate(gamma.begin(), gamma.end(), 0.0);
  // Most topics have no part in a document that matters.
  std::vector<std::pair<size_t, double>> weights;
  for (size_t k = 0; k < gamma.size(); ++k) {
    const double proportion = gamma[k] / sum;
    if (proportion > 1e-6) weights.emplace_back(k, proportion / topics_.sums[k]);
  }
  double gain = 0, tokens = 0;
  for (uint64_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
    const auto row = topics_.posterior.At(documents.words[i]);
    double probability = 0;
    for (const auto& [k, weight] : weights) probability += weight * row[k];
    const double count = documents.counts[i];
    gain += count * std::log(probability / topics_.frequencies[documents.words[i]]);
    tokens += count;
  }
  return tokens > 0 ? gain / tokens : 0;
}

ReportedDocument DocumentSurvey::Described(const Documents& documents, size_t d, size_t topic,
                                           double gain, std::span<const double> gamma) const {
  ReportedDocument document;
  document.number = d < documents.numbers.size() ? documents.numbers[d] : 0;
  if (d < documents.ids.size()) document.id = documents.ids[d];
  if (d < documents.times.size() && documents.times[d] != kNoTime) {
    document.time = documents.times[d];
  }
  document.tokens = Tokens(documents, d);
  document.topic = topic;
  document.share = Unfinished(gamma[topic], std::accumulate(gamma.begin(), gamma.end(), 0.0));
  document.gain = gain;
  if (d < documents.texts.size()) document.text = Snippet(documents.texts[d], options_.snippet);
  return document;
}

void DocumentSurvey::Rank(const Documents& documents, size_t d, double gain,
                          std::span<const double> gamma) {
  gains_.push_back(static_cast<float>(gain));
  const double sum = std::accumulate(gamma.begin(), gamma.end(), 0.0);
  const auto most = static_cast<size_t>(options_.documents);
  if (most == 0) return;
  for (size_t k = 0; k < gamma.size(); ++k) {
    auto& best = best_[k];
    if (best.size() == most && gamma[k] / sum <= best.rbegin()->share.mean) continue;
    Keep(Described(documents, d, k, gain, gamma), most, &best);
  }
  if (worst_.size() == most * kMisfitsForEach && gain >= worst_.rbegin()->gain) return;
  const size_t largest = std::max_element(gamma.begin(), gamma.end()) - gamma.begin();
  Keep(Described(documents, d, largest, gain, gamma), most * kMisfitsForEach, &worst_);
}

void DocumentSurvey::Add(const Minibatch<Documents>& minibatch) {
  const Documents& documents = minibatch.data;
  const std::vector<double> gammas = lda::InferGamma(model_.posterior, documents, model_.Spec(),
                                                     LocalVbOptions(), context_, nullptr)
                                         .gamma;
  const size_t topics = topics_.topics();
  const auto gamma_of = [&](size_t d) {
    return std::span<const double>(gammas.data() + d * topics, topics);
  };
  std::vector<double> gains(documents.size());
  context_.pool()->ParallelFor(documents.size(),
                               [&](size_t d) { gains[d] = Gain(documents, d, gamma_of(d)); });
  // Those without a known word are among the documents, if the source keeps them.
  uint64_t kept = 0;
  for (size_t d = 0; d < documents.size(); ++d) {
    const uint64_t tokens = Tokens(documents, d);
    if (tokens == 0) {
      ++kept;
      continue;
    }
    const int64_t time = d < documents.times.size() ? documents.times[d] : kNoTime;
    if (time == kNoTime) {
      ++found_.undated;
    } else {
      periods_.Add(time, gamma_of(d));
    }
    if (tokens >= options_.tokens) Rank(documents, d, gains[d], gamma_of(d));
  }
  const uint64_t skipped = std::max(kept, minibatch.counts.skipped);
  found_.documents += documents.size() + skipped - kept;
  found_.skipped += skipped;
}

void DocumentSurvey::Finish(ModelReport* report) const {
  ReportedDocuments found = found_;
  found.misfits_of = gains_.size();
  if (!gains_.empty()) {
    std::vector<float> gains = gains_;
    const auto middle = gains.begin() + gains.size() / 2;
    std::nth_element(gains.begin(), middle, gains.end());
    found.median_gain = *middle;
  }
  for (const auto& document : worst_) found.misfits.push_back(Finished(document));
  Periods::Found periods = periods_.Finish();
  if (periods.periods.empty()) {
    found.undated = 0;
  } else {
    found.unit = UnitName(periods.unit);
    found.outside = periods.outside;
    found.periods = std::move(periods.periods);
  }
  for (ReportedTopic& topic : report->topics) {
    for (const auto& document : best_[topic.topic]) {
      topic.documents.push_back(Finished(document));
    }
  }
  report->input = std::move(found);
}

}  // namespace sda::report
