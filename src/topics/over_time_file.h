#ifndef SDA_TOPICS_OVER_TIME_FILE_H_
#define SDA_TOPICS_OVER_TIME_FILE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/model_file.h"
#include "sda/over_time.h"

namespace sda {

// Sums over time as tensors of a model file: docs/formats.md lists them.
class OverTimeFile {
 public:
  explicit OverTimeFile(const OverTime& sums);

  // This must outlive the tensors.
  void AddTo(std::map<std::string, std::string>* metadata, std::vector<TensorSpec>* tensors) const;

  static bool IsIn(const ModelFile& file);
  // Throws InputError naming the file.
  static OverTime Read(const ModelFile& file, size_t topics);

 private:
  static OverTime ReadSums(const ModelFile& file, size_t topics);

  const OverTime& sums_;
  std::vector<int64_t> buckets_;  // begin, end, documents, tokens
  std::vector<double> tokens_, variances_, shifts_;
  std::vector<int64_t> word_counts_;  // of each topic of each bucket
  std::vector<int64_t> words_;        // word, draws
};

}  // namespace sda

#endif  // SDA_TOPICS_OVER_TIME_FILE_H_
