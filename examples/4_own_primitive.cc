// Your own primitive: the library has no model of waiting times, so here is one. Waiting times x
// are exponential with rate r, r ~ Gamma(a, b); the posterior is Gamma(a + rows, b + sum of x).
// Streams, workers, asynchrony, forgetting and observers all come with it.

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "sda/checker.h"
#include "sda/sda.h"

using Times = std::vector<double>;

class WaitingTimes : public sda::Primitive<Times, sda::Dense> {
 public:
  sda::Dense Prior() const { return {1, 1}; }  // natural parameters: (a, b)

  sda::Dense operator()(const Times& times, const sda::Dense& prior,
                        uint64_t /*key*/) const override {
    sda::Dense posterior = prior;
    for (const double x : times) {
      posterior[0] += 1;
      posterior[1] += x;
    }
    return posterior;
  }
};

int main() {
  const WaitingTimes primitive;
  auto data = [](uint64_t begin, uint64_t end) {
    Times times;
    for (uint64_t i = begin; i < end; ++i) {
      std::mt19937_64 random(i);
      times.push_back(std::exponential_distribution<double>(2.5)(random));
    }
    return times;
  };

  // Does it keep the promises of the framework? The checker knows them all.
  sda::Plugin<Times, sda::Dense> plugin{primitive.Prior(), &primitive, data};
  plugin.exact = true;
  for (const std::string& broken : CheckPlugin(plugin)) std::printf("broken: %s\n", broken.c_str());

  std::vector<Times> minibatches;
  for (uint64_t i = 0; i < 5000; i += 50) minibatches.push_back(data(i, i + 50));
  sda::MemorySource<Times> source(minibatches);
  sda::MemoryStore<sda::Dense> store(primitive.Prior());
  sda::Run(source, primitive, store, {.schedule = sda::Schedule::kAsynchronous, .workers = 4});

  const sda::Dense gamma = store.Read().params;
  const double mean = gamma[0] / gamma[1];
  std::printf("rate %.3f +- %.3f (truth 2.5)\n", mean, std::sqrt(gamma[0]) / gamma[1]);
  return CheckPlugin(plugin).empty() && std::abs(mean - 2.5) < 0.2 ? 0 : 1;
}
