// The topic model part of `sda demo`: a stream of documents whose themes are known.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "commands/demo.h"
#include "commands/demo_corpus.h"
#include "sda/lda_gibbs.h"
#include "sda/lda_score.h"
#include "sda/lda_topics.h"
#include "sda/loop.h"
#include "ui/command.h"

namespace sda {
namespace {

constexpr size_t kDocuments = 5200;
constexpr size_t kHeldOut = 200;  // the last ones
constexpr size_t kMinibatch = 50;

double Cosine(const std::vector<double>& a, const std::vector<double>& b) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

struct Match {
  size_t topic = 0;
  double cosine = 0;
};

// The topic most like each theme.
std::vector<Match> BestMatches(const KeyedRows& posterior, const DemoCorpus& corpus) {
  std::vector<Match> best(corpus.themes.size());
  for (size_t k = 0; k < posterior.width(); ++k) {
    std::vector<double> topic;
    for (size_t v = 0; v < corpus.vocabulary.size(); ++v) topic.push_back(posterior.At(v)[k]);
    for (size_t theme = 0; theme < best.size(); ++theme) {
      const double cosine = Cosine(topic, corpus.topics[theme]);
      if (cosine > best[theme].cosine) best[theme] = {k, cosine};
    }
  }
  return best;
}

void ShowMatches(const KeyedRows& posterior, const DemoCorpus& corpus, const LdaSpec& spec) {
  const auto matches = BestMatches(posterior, corpus);
  const auto topics = SummarizeTopics(posterior, spec, 5);
  fmt::print("\n{:<10} {:>6}  {:>6}   {}\n", "theme", "topic", "match",
             "its top words, with their share in percent and approximate 95% interval");
  for (size_t theme = 0; theme < matches.size(); ++theme) {
    const Match& match = matches[theme];
    const auto topic = std::find_if(topics.begin(), topics.end(),
                                    [&](const auto& t) { return t.topic == match.topic; });
    std::string words;
    for (const TopicWord& word : topic->top_words) {
      words += fmt::format("{} {:.1f} [{:.1f}, {:.1f}]  ", corpus.vocabulary[word.word],
                           100 * word.probability.mean, 100 * word.probability.lower,
                           100 * word.probability.upper);
    }
    fmt::print("{:<10} {:>6}  {:>6.3f}   {}\n", corpus.themes[theme], match.topic, match.cosine,
               words);
  }
}

}  // namespace

void DemoTopics() {
  const DemoCorpus corpus = MakeDemoCorpus(kDocuments, 7);
  // A few topics to spare, as one would.
  const LdaSpec spec =
      GibbsSpec(static_cast<int>(corpus.themes.size()) + 4, corpus.vocabulary.size());
  std::vector<Documents> minibatches;
  for (size_t first = 0; first + kMinibatch <= kDocuments - kHeldOut; first += kMinibatch) {
    minibatches.push_back(Slice(corpus.documents, first, first + kMinibatch));
  }
  const HeldOutSplit held_out =
      SplitHeldOut(Slice(corpus.documents, kDocuments - kHeldOut, kDocuments));

  fmt::print(
      "Topics of documents: {} documents about {} themes arrive {} at a time. The themes are not\n"
      "told; the held-out score is the mean log probability of words in documents never learnt "
      "from.\n\n",
      Grouped(kDocuments - kHeldOut), corpus.themes.size(), kMinibatch);
  fmt::print("{:>9}  {:>14}  {:>24}\n", "documents", "held-out score",
             "themes found (match > 0.95)");
  MemorySource<Documents> source(minibatches);
  MemoryStore<KeyedRows> store(LdaPrior(spec));
  uint64_t next_shown = kMinibatch;
  Run(source, LdaGibbs(spec), store, {}, [&](const Summary& summary) {
    const bool last = summary.counts.items == minibatches.size() * kMinibatch;
    if (summary.finished || (summary.counts.items < next_shown && !last)) return;
    next_shown = 2 * summary.counts.items;
    const KeyedRows posterior = store.Read().params;
    const auto matches = BestMatches(posterior, corpus);
    const auto found = std::count_if(matches.begin(), matches.end(),
                                     [](const Match& match) { return match.cosine > 0.95; });
    fmt::print("{:>9}  {:>14.4f}  {:>11} of {}\n", Grouped(summary.counts.items),
               LogPredictive(posterior, held_out, spec).log_predictive, found, matches.size());
  });
  ShowMatches(store.Read().params, corpus, spec);
  fmt::print(
      "\nTry it on your own documents, one a line:  sda fit --topics 20 documents.txt -o model\n");
}

}  // namespace sda
