#include "commands/demo.h"

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "sda/loop.h"
#include "sda/models.h"
#include "ui/command.h"

namespace sda {
namespace {

constexpr size_t kRows = 100000;
constexpr size_t kMinibatch = 100;

struct Truth {
  std::string name;
  double value;
};

// Streams the table through the model and shows what is known at 100, 1,000, ... rows.
void Stream(const ConjugateModel<Dense>& model, const Table& table,
            const std::vector<Truth>& truths) {
  MemorySource<Table> source(Split(table, kMinibatch));
  MemoryStore<Dense> store(model.Prior());
  fmt::print("{:>9}", "rows");
  for (const Truth& truth : truths) {
    fmt::print("  {:>30}", fmt::format("{} (truth {})", truth.name, truth.value));
  }
  fmt::print("\n");
  size_t inside = 0;
  size_t shown = 0;
  uint64_t next_shown = kMinibatch;
  Run(source, model, store, {}, [&](const Summary& summary) {
    if (summary.finished || summary.counts.items < next_shown) return;
    next_shown *= 10;
    fmt::print("{:>9}", Grouped(summary.counts.items));
    const auto estimates = model.Describe(store.Read().params);
    for (const Truth& truth : truths) {
      for (const Estimate& e : estimates) {
        if (e.name != truth.name) continue;
        const bool holds = e.lower <= truth.value && truth.value <= e.upper;
        inside += holds;
        ++shown;
        fmt::print("  {:>30}", fmt::format("{:.4f}  [{:.4f}, {:.4f}]{}", e.mean, e.lower, e.upper,
                                           holds ? " " : "!"));
      }
    }
    fmt::print("\n");
  });
  fmt::print("{} of {} intervals hold the truth (95% should).\n\n", inside, shown);
}

void DemoNormal(std::mt19937_64* random) {
  fmt::print(
      "Measurements with unknown mean and spread, arriving {} at a time.\n"
      "After each minibatch there is a posterior for exactly the rows seen so far:\n\n",
      kMinibatch);
  std::normal_distribution<double> noise;
  Table table{1, {}};
  for (size_t i = 0; i < kRows; ++i) table.values.push_back(20 + 3 * noise(*random));
  Stream(Normal({"x"}), table, {{"mean[x]", 20}, {"sd[x]", 3}});
}

void DemoLinear(std::mt19937_64* random) {
  fmt::print("A regression, y = 1 + 2 u - 0.5 v + noise:\n\n");
  std::normal_distribution<double> normal;
  Table table{3, {}};
  for (size_t i = 0; i < kRows; ++i) {
    const double u = normal(*random);
    const double v = normal(*random);
    table.values.insert(table.values.end(), {u, v, 1 + 2 * u - 0.5 * v + normal(*random)});
  }
  Stream(Linear({"u", "v"}), table, {{"intercept", 1}, {"coef[u]", 2}, {"coef[v]", -0.5}});
}

}  // namespace

void AddDemo(CLI::App* app) {
  CLI::App* command =
      app->add_subcommand("demo", "See posteriors tighten as data arrives; needs no data");
  command->callback([] {
    std::mt19937_64 random(4);
    DemoNormal(&random);
    DemoLinear(&random);
    DemoTopics();
  });
}

}  // namespace sda
