// What the framework itself costs. Run with ./dev bench.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "sda/sda.h"

namespace sda {
namespace {

using Nothing = int;

// Hands out empty minibatches without touching memory.
class EmptySource : public Source<Nothing> {
 public:
  explicit EmptySource(uint64_t count) : count_(count) {}
  std::optional<Minibatch<Nothing>> Next() override {
    if (next_ == count_) return std::nullopt;
    const uint64_t id = next_++;
    return Minibatch<Nothing>{id, {.items = 1}, std::to_string(next_), 0};
  }
  void Resume(const std::string& position, const std::vector<uint64_t>& /*cut*/) override {
    next_ = position.empty() ? 0 : std::stoull(position);
  }

 private:
  uint64_t count_;
  uint64_t next_ = 0;
};

// CPU time of one minibatch of a serial run whose primitive does nothing. Goal: < 2 us for 64.
void SerialMinibatch(benchmark::State& state) {
  const FunctionPrimitive<Nothing, Dense> primitive(
      [](const Nothing&, const Dense& prior) { return prior; });
  constexpr uint64_t kMinibatches = 10000;
  for (auto _ : state) {
    EmptySource source(kMinibatches);
    MemoryStore<Dense> store(Dense(state.range(0), 1.0));
    Run(source, primitive, store);
  }
  state.counters["per_minibatch"] = benchmark::Counter(
      static_cast<double>(kMinibatches),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(SerialMinibatch)->Arg(64)->Arg(4096)->Unit(benchmark::kMillisecond);

constexpr int64_t kLarge = 10'000'000;

// The yardstick: the same bytes copied into memory that is in use already.
void Memcpy(benchmark::State& state) {
  const std::vector<double> from(state.range(0), 1.0);
  std::vector<double> to(state.range(0), 2.0);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size() * sizeof(double));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(Memcpy)->Arg(kLarge)->Unit(benchmark::kMillisecond);

// Goal: at most 1.3 memcpy.
void SnapshotOfStore(benchmark::State& state) {
  const MemoryStore<Dense> store(Dense(state.range(0), 1.0));
  Snapshot<Dense> snapshot;
  store.Read({}, &snapshot);
  for (auto _ : state) {
    store.Read({}, &snapshot);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(SnapshotOfStore)->Arg(kLarge)->Unit(benchmark::kMillisecond);

// Goal: at most 2 memcpy.
void AddToStore(benchmark::State& state) {
  MemoryStore<Dense> store(Dense(state.range(0), 1.0));
  Delta<Dense> delta{0, Dense(state.range(0), 0.5)};
  for (auto _ : state) {
    store.Add(delta);
    ++delta.minibatch;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(AddToStore)->Arg(kLarge)->Unit(benchmark::kMillisecond);

// Rows of 100 numbers: a snapshot and an add of 9,000 of 100,000 rows, as a topic model would.
void KeyedRowsMinibatch(benchmark::State& state) {
  const std::vector<double> ones(100, 1.0);
  KeyedRows prior(std::vector<double>(100, 0.01));
  KeyedRows posterior = prior;
  for (uint64_t key = 0; key < 100000; ++key) posterior.Add(key, ones);
  MemoryStore<KeyedRows> store(prior, {posterior, {}, {}});
  KeyedRows::Selection selection{.everything = false, .keys = {}};
  for (uint64_t i = 0; i < 9000; ++i) selection.keys.push_back(i * 11);
  Snapshot<KeyedRows> snapshot;
  Delta<KeyedRows> delta;
  for (auto _ : state) {
    store.Read(selection, &snapshot);
    delta.change = snapshot.params;
    delta.change -= snapshot.params;
    store.Add(delta);
    ++delta.minibatch;
  }
}
BENCHMARK(KeyedRowsMinibatch)->Unit(benchmark::kMillisecond);

// Wall time of 400 minibatches of 100 us of work each. Goal: 2 workers 1.9 times as fast as 1.
void AsynchronousWorkers(benchmark::State& state) {
  const FunctionPrimitive<Nothing, Dense> primitive([](const Nothing&, const Dense& prior) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
    while (std::chrono::steady_clock::now() < end) {
    }
    return prior;
  });
  RunOptions options;
  options.schedule = Schedule::kAsynchronous;
  options.workers = static_cast<int>(state.range(0));
  for (auto _ : state) {
    EmptySource source(400);
    MemoryStore<Dense> store(Dense(64, 1.0));
    Run(source, primitive, store, options);
  }
}
BENCHMARK(AsynchronousWorkers)
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sda
