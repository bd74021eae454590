// How well streams are predicted by what was learnt before, for several half-lives and for one that
// is learnt: every item is scored before it is learnt from. Seeds are fixed.
//
//   forgetting_bench topics FILE MINIBATCH FIRST SINCE HALF_LIFE... [--shuffle] [--four]
//   forgetting_bench tables
//
// topics: FILE is a bag of words (docword.NAME.txt.gz); FIRST documents go first. Prints, for each
// half-life in documents (0: nothing is forgotten; auto) and seeds 1 and 2 (--four: to 4), the log
// predictive probability per token of all documents, and of those from number SINCE on. --shuffle
// takes the documents in a random order: without drift. tables: rows of generated streams, with and
// without drift, the score per row.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>

#include "sda/sda.h"

namespace {

using namespace sda;

struct Mean {
  double sum = 0;
  double count = 0;
  void Add(double total, double number) {
    sum += total;
    count += number;
  }
  double value() const { return sum / std::max(1.0, count); }
};

double HalfLifeOf(const std::string& text) {
  return text == "auto" ? kAutoHalfLife : std::stod(text);
}

struct Corpus {
  std::vector<std::string> words;
  Documents documents;
};

Corpus ReadCorpus(const std::string& path, bool shuffle) {
  CorpusOptions options;
  options.inputs = {path};
  options.minibatch = kWholeStream;
  CorpusSource source(options);
  Corpus corpus{source.vocabulary(), source.Next().value().data};
  if (!shuffle) return corpus;
  std::vector<size_t> order(corpus.documents.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  Documents shuffled;
  for (const size_t d : order) AppendDocuments(Slice(corpus.documents, d, d + 1), &shuffled);
  corpus.documents = std::move(shuffled);
  return corpus;
}

struct Cut {
  size_t minibatch, first, since;
};

void RunTopics(const Corpus& corpus, const Cut& cut, const std::string& half_life, uint64_t seed) {
  TopicOptions options;
  options.half_life = HalfLifeOf(half_life);
  options.minibatch = static_cast<int64_t>(cut.minibatch);
  options.intervals = "off";
  options.seed = seed;
  TopicSession session(options, corpus.words, Context(1));
  Mean all, late;
  double seconds = 0;
  for (size_t begin = 0; begin < corpus.documents.size();) {
    const size_t size =
        std::min(begin == 0 ? cut.first : cut.minibatch, corpus.documents.size() - begin);
    Documents part = Slice(corpus.documents, begin, begin + size);
    if (begin > 0) {
      const LdaScore score = session.Score(part);
      const auto tokens = static_cast<double>(score.test_tokens);
      all.Add(score.log_predictive * tokens, tokens);
      if (begin >= cut.since) late.Add(score.log_predictive * tokens, tokens);
    }
    seconds = session.Update(std::move(part)).seconds;
    begin += size;
  }
  std::printf("half-life %-8s seed %d  all %.4f  late %.4f  %.1f s", half_life.c_str(),
              static_cast<int>(seed), all.value(), late.value(), seconds);
  if (const auto learnt = session.forgetting()) {
    std::printf("  learnt %.0f, effective %.0f, change points:", learnt->points.back().half_life,
                learnt->points.back().effective);
    for (const auto& change : learnt->change_points) {
      std::printf(" %d", static_cast<int>(change.items));
    }
  }
  std::printf("\n");
  std::fflush(stdout);
}

constexpr size_t kRows = 1000;  // of a minibatch
constexpr size_t kMinibatches = 200;

// Rows x, y with y = slope x + noise; kind: steady, jump (the slope changes its sign every 50
// minibatches) or walk (it drifts a little in each).
std::vector<Table> MakeRows(const std::string& kind, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Table> made;
  double slope = 1;
  for (size_t i = 0; i < kMinibatches; ++i) {
    if (kind == "jump" && i > 0 && i % 50 == 0) slope = -slope;
    if (kind == "walk") slope += 0.05 * normal(random);
    Table rows{2, {}};
    for (size_t r = 0; r < kRows; ++r) {
      const double x = normal(random);
      rows.values.insert(rows.values.end(), {x, slope * x + normal(random)});
    }
    made.push_back(std::move(rows));
  }
  return made;
}

void RunTable(const std::string& kind, const std::string& half_life, uint64_t seed) {
  const Linear model({"x"});
  MemorySource<Table> source(MakeRows(kind, seed));
  const auto score = [&](const Table& rows, const Dense& params) -> std::vector<double> {
    try {
      return model.LogPredictive(params, rows);
    } catch (const std::domain_error&) {
      return {};  // nothing was learnt yet
    }
  };
  const auto scorer = [&](const Minibatch<Table>& minibatch, const Dense& prior) {
    const std::vector<double> scores = score(minibatch.data, prior);
    return Prediction{std::accumulate(scores.begin(), scores.end(), 0.0), scores.size()};
  };
  RunOptions options;
  Summary summary;
  ForgettingHistory history;
  if (half_life == "auto") {
    ForgettingStore<Dense> store(model.Prior(), ForgettingRates(kRows), Context(1));
    options.discount = store.discount();
    const auto weigher = [&](const Minibatch<Table>& minibatch) {
      std::vector<std::vector<double>> scores;
      for (const Dense& params : store.ReadRates({}).by_rate) {
        scores.push_back(score(minibatch.data, params));
      }
      return scores[0].empty() ? std::vector<double>() : EvidenceOf(scores);
    };
    summary =
        sda::Run<Table, Dense>(source, model, store, options, {}, Context(1), scorer, weigher);
    history = store.rates().history();
  } else {
    MemoryStore<Dense> store(model.Prior(), Context(1));
    if (half_life != "0") options.discount = HalfLife(std::stod(half_life));
    summary = sda::Run<Table, Dense>(source, model, store, options, {}, Context(1), scorer);
  }
  std::printf("%-7s half-life %-8s seed %d  %.4f per row", kind.c_str(), half_life.c_str(),
              static_cast<int>(seed),
              summary.prediction.log_sum / static_cast<double>(summary.prediction.tested));
  if (half_life == "auto") {
    std::printf("  effective %.0f, change points:", history.points.back().effective);
    for (const auto& change : history.change_points) {
      std::printf(" %d", static_cast<int>(change.items));
    }
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() == 1 && args[0] == "tables") {
    for (const char* kind : {"steady", "jump", "walk"}) {
      for (const char* half_life : {"0", "50000", "16000", "5000", "2000", "auto"}) {
        for (const uint64_t seed : {1, 2, 3}) RunTable(kind, half_life, seed);
      }
    }
    return 0;
  }
  const bool shuffle = std::erase(args, "--shuffle") > 0;
  const uint64_t seeds = std::erase(args, "--four") > 0 ? 4 : 2;
  if (args.size() < 6 || args[0] != "topics") {
    std::fprintf(stderr, "usage: at the top of bench/forgetting_bench.cc\n");
    return 2;
  }
  const Corpus corpus = ReadCorpus(args[1], shuffle);
  const Cut cut{std::stoul(args[2]), std::stoul(args[3]), std::stoul(args[4])};
  for (size_t i = 5; i < args.size(); ++i) {
    for (uint64_t seed = 1; seed <= seeds; ++seed) RunTopics(corpus, cut, args[i], seed);
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
