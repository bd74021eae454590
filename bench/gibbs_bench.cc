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

template <class Field>
void Set(const Settings& settings, const char* name, Field* field) {
  *field = static_cast<Field>(Get(settings, name, static_cast<double>(*field)));
}

sda::LdaSpec Spec(const Settings& settings, uint64_t vocabulary) {
  sda::LdaSpec spec = sda::GibbsSpec(static_cast<int>(Get(settings, "topics", 100)), vocabulary);
  Set(settings, "eta", &spec.eta);
  if (settings.contains("alpha")) spec.alpha = {settings.at("alpha")};
  return spec;
}

sda::GibbsOptions Options(const Settings& settings) {
  sda::GibbsOptions options;
  Set(settings, "sweeps", &options.sweeps);
  Set(settings, "first_sweeps", &options.first_sweeps);
  Set(settings, "averaged", &options.averaged);
  Set(settings, "groups", &options.groups);
  Set(settings, "seed", &options.seed);
  return options;
}

// All documents in the order given, cut into minibatches.
std::vector<Documents> Cut(const Documents& all, const std::vector<size_t>& order, size_t size) {
  std::vector<Documents> minibatches;
  for (const size_t d : order) {
    if (minibatches.empty() || minibatches.back().size() == size) {
      minibatches.emplace_back();
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
  const sda::LdaSpec spec = Spec(settings, corpus.vocabulary);
  const sda::GibbsOptions options = Options(settings);
  const sda::Context context(static_cast<int>(Get(settings, "threads", 1)));
  std::vector<size_t> order(corpus.train_documents);
  std::iota(order.begin(), order.end(), 0);
  if (Get(settings, "shuffle", 0) != 0) {
    std::shuffle(order.begin(), order.end(), std::mt19937_64(options.seed));
  }
  sda::MemorySource<Documents> source(
      Cut(corpus.minibatches.at(0), order, static_cast<size_t>(Get(settings, "minibatch", 4096))));
  corpus.minibatches.clear();
  const sda::LdaGibbs gibbs(spec, options, context);
  sda::MemoryStore<KeyedRows> store(sda::LdaPrior(spec), context);

  const double start = CpuSeconds();
  const sda::Summary summary = sda::Run(source, gibbs, store, {}, {}, context);
  const double seconds = CpuSeconds() - start;

  sda::LdaScore score;
  if (Get(settings, "score", 1) != 0) {
    score =
        sda::LogPredictive(store.Read().params, sda::SplitHeldOut(corpus.held_out), spec, context);
  }
  std::printf(
      "{\"documents\": %llu, \"cpu_seconds\": %.2f, \"documents_per_cpu_second\": %.0f, "
      "\"log_predictive_probability\": %.4f}\n",
      static_cast<unsigned long long>(summary.counts.items), seconds,
      summary.counts.items / seconds, score.log_predictive);
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
