#ifndef SDA_CHECKER_H_
#define SDA_CHECKER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sda/export.h"
#include "sda/loop.h"

namespace SDA_EXPORT sda {

// What CheckPlugin needs to know of a prior, a stream of data and a primitive.
template <class Data, NaturalParameters Params>
struct Plugin {
  Params prior;
  const Primitive<Data, Params>* primitive = nullptr;
  // Items [begin, end) of one fixed stream.
  std::function<Data(uint64_t begin, uint64_t end)> data;
  uint64_t items = 1000;
  uint64_t minibatch = 37;
  // The primitive gives the exact posterior. Then all schedules must agree with it, to tolerance.
  bool exact = false;
  double tolerance = 1e-10;  // relative, number by number
};

// Checks the plug-in against the promises of the framework and returns those it broke, a sentence
// each; empty if all is well. Call it in the test of every new model.
template <class Data, NaturalParameters Params>
class PluginChecker {
 public:
  explicit PluginChecker(const Plugin<Data, Params>& plugin) : plugin_(plugin) {}

  std::vector<std::string> Check() {
    CheckParameterSpace();
    CheckStore();
    CheckSchedules();
    if (plugin_.exact) CheckExact();
    return std::move(broken_);
  }

 private:
  void Expect(bool holds, const std::string& promise) {
    if (!holds) broken_.push_back(promise);
  }
  void ExpectClose(const Params& a, const Params& b, const std::string& promise) {
    const double difference = MaxRelativeDifference(a, b);
    Expect(difference <= plugin_.tolerance,
           promise + " (relative difference " + std::to_string(difference) + ")");
  }
  static bool Same(const Params& a, const Params& b) { return a.Serialize() == b.Serialize(); }

  Params Posterior(uint64_t begin, uint64_t end, const Params& prior) const {
    return (*plugin_.primitive)(plugin_.data(begin, end), prior, begin);
  }
  Params DeltaOf(uint64_t begin, uint64_t end) const {
    Params delta = Posterior(begin, end, plugin_.prior);
    delta -= plugin_.prior;
    return delta;
  }

  MemorySource<Data> MakeSource() const {
    std::vector<Data> minibatches;
    std::vector<uint64_t> sizes;
    for (uint64_t begin = 0; begin < plugin_.items; begin += plugin_.minibatch) {
      const uint64_t end = std::min(plugin_.items, begin + plugin_.minibatch);
      minibatches.push_back(plugin_.data(begin, end));
      sizes.push_back(end - begin);
    }
    size_t i = 0;
    return MemorySource<Data>(std::move(minibatches),
                              [&](const Data&) { return Counts{.items = sizes[i++]}; });
  }

  Params RunWith(const RunOptions& options, int threads = 0) const {
    auto source = MakeSource();
    const Context context(threads);
    MemoryStore<Params> store(plugin_.prior, context);
    Run(source, *plugin_.primitive, store, options, {}, context);
    return store.Read().params;
  }

  static RunOptions Options(Schedule schedule, int workers) {
    RunOptions options;
    options.schedule = schedule;
    options.workers = workers;
    return options;
  }

  void CheckParameterSpace() {
    const Params& prior = plugin_.prior;
    const Params q = Posterior(0, plugin_.minibatch, prior);
    const Params delta = DeltaOf(0, plugin_.minibatch);
    Params sum = prior;
    sum += delta;
    ExpectClose(sum, q, "prior + (q - prior) is q");

    const Params other = DeltaOf(plugin_.minibatch, 2 * plugin_.minibatch);
    Params one_way = prior;
    one_way += delta;
    one_way += other;
    Params other_way = prior;
    other_way += other;
    other_way += delta;
    ExpectClose(one_way, other_way, "the order of deltas does not matter");

    Params zero = q;
    zero -= q;
    Params same = q;
    same += zero;
    ExpectClose(same, q, "q - q is zero: adding it changes nothing");

    Params half = delta;
    half *= 0.5;
    half += half;
    ExpectClose(half, delta, "two halves of a delta are the delta");

    Expect(Same(Params::Deserialize(q.Serialize()), q), "parameters survive serialisation");
    Params copy;
    CopyPart(q, {}, Context(), &copy);
    Expect(Same(copy, q), "a copy of everything is equal");
  }

  void CheckStore() {
    MemoryStore<Params> store(plugin_.prior);
    const Delta<Params> delta{7, DeltaOf(0, plugin_.minibatch)};
    Expect(store.Add(delta).folded, "a new delta is folded");
    const Params before = store.Read().params;
    Expect(!store.Add(delta).folded, "a delta offered twice is refused");
    Expect(Same(before, store.Read().params), "a delta offered twice changes nothing");
    Expect(store.Read().folded.Contains(7), "a snapshot knows its minibatches");
  }

  void CheckSchedules() {
    const Params serial = RunWith(Options(Schedule::kSerial, 1));
    Expect(Same(serial, RunWith(Options(Schedule::kSerial, 1))), "a serial run can be repeated");
    Expect(Same(serial, RunWith(Options(Schedule::kAsynchronous, 1))),
           "asynchronous with one worker is serial, bit for bit");
    Expect(Same(serial, RunWith(Options(Schedule::kSynchronous, 1))),
           "synchronous with one worker is serial, bit for bit");
    for (const int workers : {2, 5}) {
      const Params one_thread = RunWith(Options(Schedule::kSynchronous, workers), 1);
      for (const int threads : {2, 5}) {
        Expect(Same(one_thread, RunWith(Options(Schedule::kSynchronous, workers), threads)),
               "synchronous with " + std::to_string(workers) +
                   " workers does not depend on the threads, bit for bit");
      }
    }
  }

  void CheckExact() {
    const Params batch = Posterior(0, plugin_.items, plugin_.prior);
    ExpectClose(RunWith(Options(Schedule::kSerial, 1)), batch, "serial is the batch posterior");
    for (const int workers : {1, 2, 5}) {
      const std::string with = " with " + std::to_string(workers) + " workers";
      ExpectClose(RunWith(Options(Schedule::kSynchronous, workers)), batch,
                  "synchronous" + with + " is the batch posterior");
      RunOptions fixed = Options(Schedule::kAsynchronous, workers);
      fixed.worker_prior = WorkerPrior::kFixedPrior;
      ExpectClose(RunWith(fixed), batch,
                  "asynchronous from the fixed prior" + with + " is the batch posterior");
    }
  }

  const Plugin<Data, Params>& plugin_;
  std::vector<std::string> broken_;
};

template <class Data, NaturalParameters Params>
std::vector<std::string> CheckPlugin(const Plugin<Data, Params>& plugin) {
  return PluginChecker<Data, Params>(plugin).Check();
}

}  // namespace sda

#endif  // SDA_CHECKER_H_
