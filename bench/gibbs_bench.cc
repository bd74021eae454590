// Documents per CPU second and held-out score of collapsed Gibbs sampling in one pass over a
// corpus:
//   gibbs_bench DOCWORD TEST_IDS [name=value ...]
// Names: topics alpha eta minibatch sweeps first_sweeps averaged groups threads seed, shuffle=1 for
// documents in random order, score=0 for none. One line of JSON on standard output.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>

#include "docword.h"
#include "sda/lda_gibbs.h"
#include "sda/lda_score.h"
#include "sda/loop.h"

namespace {

using sda::Documents;
using sda::KeyedRows;
using Settings = std::map<std::string, double>;

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
         1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

double Get(const Settings& settings, const std::string& name, double otherwise) {
  const auto found = settings.find(name);
  return found == settings.end() ? otherwise : found->second;
}

sda::LdaGibbsOptions Options(const Settings& settings, uint64_t vocabulary) {
  sda::LdaGibbsOptions options;
  options.vocabulary = vocabulary;
  auto set = [&](const char* name, auto* field) {
    *field = static_cast<std::decay_t<decltype(*field)>>(
        Get(settings, name, static_cast<double>(*field)));
  };
  set("topics", &options.topics);
  set("eta", &options.eta);
  set("sweeps", &options.sweeps);
  set("first_sweeps", &options.first_sweeps);
  set("averaged", &options.averaged);
  set("groups", &options.groups);
  set("threads", &options.threads);
  set("seed", &options.seed);
  if (settings.contains("alpha")) options.alpha = {settings.at("alpha")};
  return options;
}

// All documents in the order given, cut into minibatches.
std::vector<Documents> Cut(const Documents& all, const std::vector<size_t>& order, size_t size) {
  std::vector<Documents> minibatches;
  for (const size_t d : order) {
    if (minibatches.empty() || minibatches.back().size() == size) {
      minibatches.emplace_back().minibatch = minibatches.size() - 1;
    }
    Documents& to = minibatches.back();
    const auto begin = static_cast<ptrdiff_t>(all.offsets[d]);
    const auto end = static_cast<ptrdiff_t>(all.offsets[d + 1]);
    to.words.insert(to.words.end(), all.words.begin() + begin, all.words.begin() + end);
    to.counts.insert(to.counts.end(), all.counts.begin() + begin, all.counts.begin() + end);
    to.numbers.push_back(all.numbers[d]);
    to.offsets.push_back(to.words.size());
  }
  return minibatches;
}

void Run(const std::string& docword, const std::string& test_ids, const Settings& settings) {
  auto corpus = sda::bench::ReadCorpus(docword, test_ids, size_t{1} << 40);
  const sda::LdaGibbsOptions options = Options(settings, corpus.vocabulary);
  std::vector<size_t> order(corpus.train_documents);
  std::iota(order.begin(), order.end(), 0);
  if (Get(settings, "shuffle", 0) != 0) {
    std::shuffle(order.begin(), order.end(), std::mt19937_64(options.seed));
  }
  sda::MemorySource<Documents> source(
      Cut(corpus.minibatches.at(0), order, static_cast<size_t>(Get(settings, "minibatch", 4096))));
  corpus.minibatches.clear();
  const sda::LdaGibbs gibbs(options);
  sda::MemoryStore<KeyedRows> store(sda::LdaPrior(options.Model()));

  const double start = CpuSeconds();
  const sda::Summary summary = sda::Run(source, gibbs, store);
  const double seconds = CpuSeconds() - start;

  sda::LdaScore score;
  if (Get(settings, "score", 1) != 0) {
    score = sda::LogPredictive(store.Read().params, sda::SplitHeldOut(corpus.held_out),
                               options.Model());
  }
  std::printf(
      "{\"documents\": %llu, \"cpu_seconds\": %.2f, \"documents_per_cpu_second\": %.0f, "
      "\"log_predictive_probability\": %.4f}\n",
      static_cast<unsigned long long>(summary.items), seconds, summary.items / seconds,
      score.log_predictive);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: gibbs_bench DOCWORD TEST_IDS [name=value ...]\n");
    return 2;
  }
  Settings settings;
  for (int i = 3; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    settings[argument.substr(0, equals)] = std::stod(argument.substr(equals + 1));
  }
  Run(argv[1], argv[2], settings);
  return 0;
}
