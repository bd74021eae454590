#ifndef SDA_TESTS_CORE_TEST_PRIMITIVES_H_
#define SDA_TESTS_CORE_TEST_PRIMITIVES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sda/sda.h"

namespace sda {

using Numbers = std::vector<double>;

// The sum of the numbers and how many there are: the smallest exact model.
inline Dense AddUp(const Numbers& data, const Dense& prior) {
  Dense posterior = prior;
  for (const double x : data) {
    posterior[0] += x;
    posterior[1] += 1;
  }
  return posterior;
}

// An approximation that depends on the prior it is given, so that schedules can be distinguished.
inline Dense Saturate(const Numbers& data, const Dense& prior) {
  Dense posterior = prior;
  for (const double x : data) posterior[0] += x / (1 + posterior[0] * posterior[0]);
  posterior[1] += static_cast<double>(data.size());
  return posterior;
}

// Minibatches 0 .. count - 1; minibatch i holds the single number i + 1.
inline std::vector<Numbers> Counting(size_t count) {
  std::vector<Numbers> minibatches;
  for (size_t i = 0; i < count; ++i) minibatches.push_back({static_cast<double>(i + 1)});
  return minibatches;
}

// A source that calls a function for each minibatch.
class FunctionSource : public Source<Numbers> {
 public:
  using Function = std::function<std::optional<Numbers>(uint64_t id)>;
  explicit FunctionSource(Function function) : function_(std::move(function)) {}
  std::optional<Minibatch<Numbers>> Next() override {
    auto data = function_(next_);
    if (!data) return std::nullopt;
    const uint64_t id = next_++;
    return Minibatch<Numbers>{id, CountsOf(*data), std::to_string(next_), *data};
  }
  void Resume(const std::string& position, const std::vector<uint64_t>& /*cut*/) override {
    next_ = position.empty() ? 0 : std::stoull(position);
  }

 private:
  Function function_;
  uint64_t next_ = 0;
};

inline RunOptions MakeOptions(Schedule schedule, int workers) {
  RunOptions options;
  options.schedule = schedule;
  options.workers = workers;
  return options;
}

}  // namespace sda

#endif  // SDA_TESTS_CORE_TEST_PRIMITIVES_H_
