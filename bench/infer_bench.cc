// What intervals of a document's topic proportions cost, and how often they hold the truth.
//
//   infer_bench speed       CPU milliseconds per document of 100 tokens
//   infer_bench coverage N  N simulated documents of each kind, their true topics given: how
//                           often 95% intervals of proportions above 0.05 hold the true one, with
//                           a standard error
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "sda/lda_topics.h"

namespace sda {
namespace {

constexpr ProportionIntervals kKinds[] = {ProportionIntervals::kSampled,
                                          ProportionIntervals::kLinearResponse};

std::vector<double> Dirichlet(size_t size, double alpha, std::mt19937_64* random) {
  std::gamma_distribution<double> gamma(alpha);
  std::vector<double> draw(size);
  double sum = 0;
  for (double& x : draw) sum += x = gamma(*random) + 1e-300;
  for (double& x : draw) x /= sum;
  return draw;
}

// A model whose topics are known as well as a million tokens each make them.
struct Simulation {
  Simulation(int topics, uint64_t vocabulary, double eta, double alpha_of_topics, uint64_t seed)
      : random(seed),
        spec{.topics = topics, .vocabulary = vocabulary, .alpha = {alpha_of_topics}},
        posterior(LdaPrior(spec)) {
    std::vector<std::vector<double>> beta;
    for (int k = 0; k < topics; ++k) beta.push_back(Dirichlet(vocabulary, eta, &random));
    std::vector<double> row(topics);
    for (uint64_t v = 0; v < vocabulary; ++v) {
      for (int k = 0; k < topics; ++k) row[k] = 1e6 * beta[k][v];
      posterior.Add(v, row);
    }
    for (int k = 0; k < topics; ++k) {
      std::vector<double> weights(vocabulary);
      for (uint64_t v = 0; v < vocabulary; ++v) weights[v] = posterior.At(v)[k];
      words.emplace_back(weights.begin(), weights.end());
    }
  }

  // Appends a document and returns its proportions.
  std::vector<double> Add(size_t tokens, Documents* documents) {
    const std::vector<double> theta = Dirichlet(spec.topics, spec.alpha[0], &random);
    std::discrete_distribution<size_t> topic(theta.begin(), theta.end());
    std::vector<uint32_t> drawn;
    for (size_t i = 0; i < tokens; ++i) drawn.push_back(words[topic(random)](random));
    std::sort(drawn.begin(), drawn.end());
    for (size_t i = 0; i < tokens; ++i) {
      if (i > 0 && drawn[i] == drawn[i - 1]) {
        ++documents->counts.back();
        continue;
      }
      documents->words.push_back(drawn[i]);
      documents->counts.push_back(1);
    }
    documents->offsets.push_back(documents->words.size());
    return theta;
  }

  std::mt19937_64 random;
  LdaSpec spec;
  KeyedRows posterior;
  std::vector<std::discrete_distribution<uint32_t>> words;  // of each topic
};

double CpuSeconds(const Simulation& model, const Documents& documents, size_t most,
                  const InferOptions& options) {
  const std::clock_t start = std::clock();
  InferTopics(model.posterior, documents, model.spec, Context(1), most, options);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void Speed() {
  for (const int topics : {10, 100, 1000}) {
    for (const double alpha_sum : {1.0, 2.0, 10.0}) {
      Simulation model(topics, 10000, 0.1, alpha_sum / topics, 1);
      Documents documents;
      for (int d = 0; d < 500; ++d) model.Add(100, &documents);
      std::printf("K = %4d, sum of alpha %4.1f:", topics, alpha_sum);
      for (const auto kind : kKinds) {
        for (const size_t most : {size_t{10}, size_t{0}}) {
          const double seconds = CpuSeconds(model, documents, most, {.intervals = kind});
          std::printf("  %s%s %.2f ms", NameOf(kind), most == 0 ? " (all)" : "",
                      1e3 * seconds / static_cast<double>(documents.size()));
        }
      }
      std::printf("\n");
    }
  }
}

struct Case {
  int topics;
  uint64_t vocabulary;
  double eta, alpha;
  size_t tokens;
};

void Cover(const Case& of, size_t count, const InferOptions& options) {
  constexpr size_t kPerModel = 100;
  double held = 0, all = 0, width = 0;
  std::vector<std::pair<double, double>> models;
  for (size_t done = 0; done < count; done += kPerModel) {
    Simulation model(of.topics, of.vocabulary, of.eta, of.alpha, done + 1);
    Documents documents;
    std::vector<std::vector<double>> truth;
    for (size_t d = 0; d < kPerModel; ++d) truth.push_back(model.Add(of.tokens, &documents));
    const auto found = InferTopics(model.posterior, documents, model.spec, Context(), 0, options);
    double of_model = 0, of_all = 0;
    for (size_t d = 0; d < kPerModel; ++d) {
      for (const TopicShare& share : found[d].topics) {
        const Estimate& p = share.proportion;
        if (p.mean <= 0.05) break;
        const double theta = truth[d][share.topic];
        of_model += p.lower <= theta && theta <= p.upper;
        ++of_all;
        width += p.upper - p.lower;
      }
    }
    models.emplace_back(of_model, of_all);
    held += of_model;
    all += of_all;
  }
  double squares = 0;  // the simulated sets are the clusters
  for (const auto& [in, of_all] : models) squares += std::pow(in - held / all * of_all, 2);
  std::printf("K %d, V %d, eta %.2g, alpha %.2g, %d tokens, %s: %.3f +- %.3f, mean width %.3f\n",
              of.topics, static_cast<int>(of.vocabulary), of.eta, of.alpha,
              static_cast<int>(of.tokens), NameOf(options.intervals), held / all,
              std::sqrt(squares) / all, width / all);
  std::fflush(stdout);
}

void Coverage(size_t count) {
  const Case cases[] = {
      {10, 1000, 0.1, 0.1, 80},    {10, 1000, 0.1, 0.1, 25},    {10, 500, 0.5, 0.3, 60},
      {100, 5000, 0.15, 0.02, 80}, {100, 5000, 0.15, 0.02, 25}, {10, 500, 0.5, 0.3, 2000},
  };
  for (const Case& of : cases) {
    for (const auto kind : kKinds) Cover(of, count, {.intervals = kind});
  }
}

}  // namespace
}  // namespace sda

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "speed") {
    sda::Speed();
  } else if (what == "coverage" && count == 3) {
    sda::Coverage(std::strtoull(arguments[2], nullptr, 10));
  } else {
    std::fprintf(stderr, "usage: infer_bench speed | infer_bench coverage DOCUMENTS\n");
    return 2;
  }
}
