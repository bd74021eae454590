// Streaming: a posterior after every minibatch, for exactly the data seen so far.

#include <cstdio>
#include <random>

#include "sda/sda.h"

int main() {
  // A biased coin, tossed 1,000 times; the tosses arrive 100 at a time.
  std::mt19937_64 random(1);
  std::bernoulli_distribution toss(0.7);
  sda::Table tosses{1, {}};
  for (int i = 0; i < 1000; ++i) tosses.values.push_back(toss(random));
  sda::MemorySource<sda::Table> source(sda::Split(tosses, 100));

  // The primitive, A(minibatch, prior) -> posterior, and the posterior itself.
  const sda::Coin coin({"heads"}, {.heads = 1, .tails = 1});
  sda::MemoryStore<sda::Dense> store(coin.Prior());

  // The loop. The observer is told after every minibatch.
  sda::Run(source, coin, store, {}, [&](const sda::Summary& summary) {
    if (summary.finished) return;
    const sda::Estimate heads = coin.Describe(store.Read().params)[0];
    std::printf("%5d tosses: %.3f  [%.3f, %.3f]\n", static_cast<int>(summary.counts.items),
                heads.mean, heads.lower, heads.upper);
  });

  const sda::Estimate heads = coin.Describe(store.Read().params)[0];
  return heads.lower < 0.7 && 0.7 < heads.upper ? 0 : 1;
}
