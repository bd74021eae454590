#ifndef SDA_APPS_COMPARE_COMPARE_RUN_H_
#define SDA_APPS_COMPARE_COMPARE_RUN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compare/compare_plan.h"

namespace sda {

// The result of a run of `sda fit`, from its report and from the system's accounting of its
// process.
struct RunResult {
  struct Point {
    uint64_t documents;
    double seconds;
    double score;
  };
  std::string name;
  std::string error;       // empty: it succeeded
  double score = 0;        // held-out log predictive probability
  double score_error = 0;  // half of its 95% interval over documents
  uint64_t test_tokens = 0;
  uint64_t documents = 0;
  double eta = 0;  // as it was, also by default
  double wall_seconds = 0;
  double cpu_seconds = 0;
  uint64_t peak_bytes = 0;
  std::vector<Point> curve;  // score along the way
};

// Runs `sda fit` in separate processes, in a folder with the corpus, and keeps the result of each
// in runs/NAME.json there. A result is used again only for the same command, corpus and version of
// the program.
class Runner {
 public:
  // hash_of: CorpusCopy::hash of a corpus by its name.
  Runner(std::string folder, std::function<std::string(const std::string&)> hash_of);

  // The result of an earlier run; nothing unless it succeeded.
  std::optional<RunResult> Earlier(const RunSettings& settings) const;

  // Calls tick now and then. When tick returns false, ends the process and returns nothing.
  std::optional<RunResult> Run(const RunSettings& settings, const std::function<bool()>& tick);

 private:
  std::string PathOf(const RunSettings& settings, const char* suffix) const;

  const std::string folder_;
  const std::function<std::string(const std::string&)> hash_of_;
};

}  // namespace sda

#endif  // SDA_APPS_COMPARE_COMPARE_RUN_H_
