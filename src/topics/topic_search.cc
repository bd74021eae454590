#include "sda/topic_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/hash.h"
#include "base/text.h"
#include "sda/errors.h"
#include "sda/internal/stopwatch.h"
#include "sda/lda_score.h"
#include "sda/topics.h"

namespace sda {
namespace {

// Measured in docs/notes/quality.md, "The number of topics".
constexpr uint64_t kMostSetAside = 1'000;
constexpr uint64_t kEnough = 200;
constexpr double kShareOfSweeps = 0.25;  // of those that form the topics
constexpr double kWorthDoubling = 0.03;  // twice the topics must have gained this to try more
constexpr double kNormal95 = 1.96;

void Append(const Documents& from, size_t d, Documents* to) {
  const auto first = static_cast<int64_t>(from.offsets[d]);
  const auto last = static_cast<int64_t>(from.offsets[d + 1]);
  to->words.insert(to->words.end(), from.words.begin() + first, from.words.begin() + last);
  to->counts.insert(to->counts.end(), from.counts.begin() + first, from.counts.begin() + last);
  if (!from.weights.empty()) {
    to->weights.insert(to->weights.end(), from.weights.begin() + first,
                       from.weights.begin() + last);
  }
  to->offsets.push_back(to->words.size());
  to->numbers.push_back(d + 1);
}

struct Halves {
  Documents learnt;
  HeldOutSplit scored;
};

// A tenth; of few documents up to a fifth, since too few to score on tell nothing.
uint64_t NumberSetAside(uint64_t documents) {
  return std::min(kMostSetAside, std::max(documents / 10, std::min(documents / 5, kEnough)));
}

// Those set aside are any: which ones depends on the seed, not on their places.
Halves SetAside(const Documents& documents, uint64_t seed) {
  constexpr uint64_t kSettingAside = 11;  // what the random numbers are for
  std::vector<std::pair<uint64_t, size_t>> order;
  for (size_t d = 0; d < documents.size(); ++d) {
    if (documents.offsets[d + 1] - documents.offsets[d] > 1) {
      order.emplace_back(Key(seed, kSettingAside, d), d);
    }
  }
  const uint64_t most = NumberSetAside(order.size());
  std::sort(order.begin(), order.end());
  std::vector<bool> aside(documents.size());
  for (uint64_t i = 0; i < most; ++i) aside[order[i].second] = true;
  Halves halves;
  Documents scored;
  for (size_t d = 0; d < documents.size(); ++d) {
    Append(documents, d, aside[d] ? &scored : &halves.learnt);
  }
  halves.scored = SplitHeldOut(scored);
  return halves;
}

// A candidate, and the scores of its documents.
struct Tried {
  TopicCandidate candidate;
  std::vector<Prediction> documents;
};

class Search {
 public:
  Search(const TopicOptions& options, uint64_t vocabulary, const Halves& halves,
         const Context& context, const OnCandidateSweep& on_sweep)
      : options_(options),
        words_(vocabulary),
        halves_(halves),
        context_(context),
        on_sweep_(on_sweep) {}

  // All of them.
  void TryAll(const std::vector<int>& list) {
    for (const int topics : list) Try(topics);
  }

  // From the middle of an ascending list to where the score falls: towards more topics as long as
  // they gain much, and towards fewer if more were worse.
  void Climb(const std::vector<int>& list) {
    size_t at = list.size() / 2;
    double score = Try(list[at]);
    double gain = kWorthDoubling;
    while (at + 1 < list.size() && gain >= kWorthDoubling) {
      const double next = Try(list[++at]);
      gain = next - std::exchange(score, next);
    }
    if (tried_.size() > 2 || gain > kTopicTolerance) return;
    score = tried_.front().candidate.score;
    for (at = list.size() / 2; at > 0;) {
      const double next = Try(list[--at]);
      if (next < std::exchange(score, next)) break;
    }
  }

  std::vector<TopicCandidate> Candidates();

 private:
  double Try(int topics);

  const TopicOptions& options_;
  const std::vector<std::string> words_;  // without names
  const Halves& halves_;
  const Context& context_;
  const OnCandidateSweep& on_sweep_;
  std::vector<Tried> tried_;
};

double Search::Try(int topics) {
  const Stopwatch watch;
  TopicSession::Hooks hooks;
  hooks.on_start_sweep = [&](int sweep, int sweeps) {
    const int most = std::max(1, static_cast<int>(std::lround(kShareOfSweeps * sweeps)));
    if (on_sweep_) on_sweep_(topics, std::min(sweep, most), most);
    return sweep < most && !context_.StopRequested();
  };
  LdaScore score;
  if (!context_.StopRequested()) {
    TopicSession session(options_.WithTopics(topics), words_, context_, std::move(hooks));
    session.Update(halves_.learnt);
    if (!context_.StopRequested()) score = session.Score(halves_.scored);
  }
  if (context_.StopRequested()) {
    throw StoppedAtStart(
        "stopped while the number of topics was being chosen; nothing was learnt yet");
  }
  const double error = kNormal95 * StandardError(score.of_documents);
  tried_.push_back({.candidate = {.topics = topics,
                                  .score = score.log_predictive,
                                  .lower = score.log_predictive - error,
                                  .upper = score.log_predictive + error,
                                  .seconds = watch.seconds()},
                    .documents = std::move(score.of_documents)});
  const TopicCandidate& c = tried_.back().candidate;
  context_.Log(fmt::format("{}: {:.4f} per token, 95% interval {:.4f} to {:.4f}, {:.1f} s",
                           Plural(topics, "topic", "topics"), c.score, c.lower, c.upper,
                           c.seconds));
  return c.score;
}

std::vector<TopicCandidate> Search::Candidates() {
  const Tried& best = *std::max_element(
      tried_.begin(), tried_.end(),
      [](const Tried& a, const Tried& b) { return a.candidate.score < b.candidate.score; });
  std::vector<TopicCandidate> candidates;
  for (const Tried& tried : tried_) {
    std::vector<Prediction> differences = best.documents;
    for (size_t d = 0; d < differences.size(); ++d) {
      differences[d].log_sum -= tried.documents[d].log_sum;
    }
    candidates.push_back(tried.candidate);
    candidates.back().below_best = best.candidate.score - tried.candidate.score;
    candidates.back().below_best_error = kNormal95 * StandardError(differences);
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const auto& a, const auto& b) { return a.topics < b.topics; });
  return candidates;
}

void Choose(TopicSearch* search) {
  for (const TopicCandidate& candidate : search->candidates) {
    if (candidate.below_best <= search->tolerance) search->topics = candidate.topics;
  }
}

}  // namespace

TopicSearch ChooseTopics(const TopicOptions& given, uint64_t vocabulary, const Documents& documents,
                         const Context& context, const OnCandidateSweep& on_sweep) {
  const TopicOptions options = given.Settled();
  const Stopwatch watch;
  const std::vector<int> list = options.try_topics.value_or(
      std::vector<int>(std::begin(kUsualTopics), std::end(kUsualTopics)));
  const Halves halves = SetAside(documents, options.seed);
  TopicSearch search{.topics = list.front(),
                     .documents = halves.scored.tested.size(),
                     .test_tokens = Tokens(halves.scored.tested),
                     .learnt_documents = halves.learnt.size(),
                     .tolerance = documents.size() < static_cast<uint64_t>(*options.first_minibatch)
                                      ? kTopicTolerance
                                      : kTopicToleranceOfStream};
  if (search.documents < 2) {
    context.Log(fmt::format("{}: too few to choose the number of topics by, taking {}",
                            Plural(documents.size(), "document", "documents"), search.topics));
    return search;
  }
  context.Log(fmt::format(
      "choosing the number of topics: each candidate learns from {} of the first documents and is "
      "scored on {} others",
      Grouped(search.learnt_documents), Grouped(search.documents)));
  Search trials(options, vocabulary, halves, context, on_sweep);
  options.try_topics ? trials.TryAll(list) : trials.Climb(list);
  search.candidates = trials.Candidates();
  Choose(&search);
  search.seconds = watch.seconds();
  context.Log(fmt::format("{} taken: the most within {} of the best score",
                          Plural(search.topics, "topic is", "topics are"), search.tolerance));
  return search;
}

}  // namespace sda
