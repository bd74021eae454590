#include "topics/minibatch_view.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "lda/score/inference.h"
#include "lda/topic_rows.h"

namespace sda {
namespace {

std::string NameOf(const Documents& documents, size_t d) {
  if (d < documents.ids.size() && !documents.ids[d].empty()) return documents.ids[d];
  return d < documents.numbers.size() ? std::to_string(documents.numbers[d]) : "";
}

// The largest few of what it is offered.
template <class Item, size_t kMost>
class Largest {
 public:
  void Offer(double value, const Item& item) {
    if (best_.size() == kMost && value <= best_.back().first) return;
    const auto place = std::find_if(best_.begin(), best_.end(),
                                    [&](const auto& other) { return value > other.first; });
    best_.insert(place, {value, item});
    if (best_.size() > kMost) best_.pop_back();
  }
  const std::vector<std::pair<double, Item>>& items() const { return best_; }

 private:
  std::vector<std::pair<double, Item>> best_;  // the largest first
};

std::vector<std::vector<std::string>> TopWords(const Lesson& lesson) {
  const KeyedRows& change = lesson.change;
  std::vector<Largest<uint64_t, MinibatchView::kWords>> best(change.width());
  for (size_t r = 0; r < change.rows(); ++r) {
    const std::span<const double> row = change.row(r);
    for (size_t k = 0; k < row.size(); ++k) {
      if (row[k] > 0.5) best[k].Offer(row[k], change.key(r));
    }
  }
  std::vector<std::vector<std::string>> words(best.size());
  for (size_t k = 0; k < best.size(); ++k) {
    for (const auto& [value, word] : best[k].items()) words[k].push_back(lesson.word_of(word));
  }
  return words;
}

// Some of the documents, evenly chosen.
Documents Chosen(const Documents& documents) {
  const size_t step =
      (documents.size() + MinibatchView::kDocuments - 1) / MinibatchView::kDocuments;
  Documents chosen;
  for (size_t d = 0; d < documents.size(); d += step) {
    if (chosen.size() == 0) {
      chosen = Slice(documents, d, d + 1);
    } else {
      AppendDocuments(Slice(documents, d, d + 1), &chosen);
    }
  }
  return chosen;
}

// How well the posterior predicts the words of a document, as the mean over its tokens.
class Gains {
 public:
  Gains(const KeyedRows& posterior, const LdaSpec& spec)
      : posterior_(posterior),
        sums_(lda::TopicSums(posterior, spec.vocabulary)),
        all_(std::accumulate(sums_.begin(), sums_.end(), 0.0)) {}

  double Of(const Documents& documents, size_t d, std::span<const double> gamma) const {
    const double sum = std::accumulate(gamma.begin(), gamma.end(), 0.0);
    double gain = 0, tokens = 0;
    for (uint64_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
      const auto row = posterior_.At(documents.words[i]);
      double by_topics = 0, frequency = 0;
      for (size_t k = 0; k < row.size(); ++k) {
        by_topics += gamma[k] / sum * row[k] / sums_[k];
        frequency += row[k] / all_;
      }
      gain += documents.weight(i) * std::log(by_topics / frequency);
      tokens += documents.weight(i);
    }
    return gain / tokens;
  }

 private:
  const KeyedRows& posterior_;
  const std::vector<double> sums_;
  const double all_;
};

std::vector<std::string> FrequentWords(const Lesson& lesson, const Documents& documents, size_t d) {
  Largest<uint64_t, MinibatchView::kWords> best;
  for (uint64_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
    best.Offer(documents.weight(i), documents.words[i]);
  }
  std::vector<std::string> words;
  for (const auto& [weight, word] : best.items()) words.push_back(lesson.word_of(word));
  return words;
}

void LookAtDocuments(const Lesson& lesson, const Context& context, MinibatchView* view) {
  const KeyedRows& prior = lesson.prior;
  const Documents documents = Chosen(lesson.documents);
  const std::vector<double> gamma =
      lda::InferGamma(prior, documents, lesson.spec, {}, context, nullptr).gamma;
  const size_t topics = prior.width();
  const Gains gains(prior, lesson.spec);
  std::vector<Largest<size_t, MinibatchView::kExamples>> best(topics);
  for (size_t d = 0; d < documents.size(); ++d) {
    const std::span<const double> of(gamma.data() + d * topics, topics);
    const double sum = std::accumulate(of.begin(), of.end(), 0.0);
    for (size_t k = 0; k < topics; ++k) {
      if (of[k] > 0.1 * sum) best[k].Offer(of[k] / sum, d);
    }
    if (Tokens(documents, d) < MinibatchView::kLeastTokens) continue;
    const double gain = gains.Of(documents, d, of);
    if (!std::isfinite(gain)) continue;
    view->gains.Add(gain, 1);
    if (!view->worst.empty() && gain >= view->least_gain) continue;
    view->least_gain = gain;
    view->worst = NameOf(documents, d);
    view->worst_words = FrequentWords(lesson, documents, d);
  }
  view->examples.resize(topics);
  for (size_t k = 0; k < topics; ++k) {
    for (const auto& [share, d] : best[k].items()) {
      view->examples[k].push_back(NameOf(documents, d));
    }
  }
}

}  // namespace

MinibatchView ViewOf(const Lesson& lesson, bool with_documents, const Context& context) {
  MinibatchView view;
  view.documents = static_cast<double>(lesson.documents.size());
  view.first = lda::NothingFolded(lesson.prior);
  view.tokens.assign(lesson.change.totals().begin(), lesson.change.totals().end());
  view.known = Tokens(lesson.documents);
  view.unknown = lesson.unknown;
  for (const int64_t time : lesson.documents.times) {
    if (time != kNoTime) view.time = std::max(view.time.value_or(time), time);
  }
  view.words = TopWords(lesson);
  if (with_documents && !view.first) LookAtDocuments(lesson, context, &view);
  return view;
}

}  // namespace sda
