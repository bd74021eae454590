#ifndef SDA_DATA_TABLES_SVMLIGHT_SOURCE_H_
#define SDA_DATA_TABLES_SVMLIGHT_SOURCE_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "data/io/line_reader.h"
#include "sda/classifier.h"
#include "sda/context.h"
#include "sda/source.h"

namespace sda {

struct SvmlightOptions {
  std::vector<std::string> inputs;  // "-" is standard input
  uint64_t features = 0;            // a larger feature number is an error; 0: any is read
  bool labels = true;               // false: the label may be any number and is ignored
  double largest = 0;               // value, of either sign; 0: any finite number
  std::string largest_why;          // the reason, for the error message
  size_t minibatch = 1000;          // rows
  Dictionary classes;               // numbered already

  void Validate() const;
};

// Minibatches of rows `label feature:value feature:value ... # comment`, features from 1 and in
// ascending order. Blank lines, comments and pairs qid:N are ignored. Labels are two
// values of any kind.
class SvmlightSource : public Source<SparseRows> {
 public:
  // The stream ends when the context is stopped.
  explicit SvmlightSource(SvmlightOptions options, Context context = Context());

  std::optional<Minibatch<SparseRows>> Next() override;
  void Resume(const std::string& position, const std::vector<uint64_t>& cut) override;

  const Dictionary& classes() const { return classes_; }
  // The names of the classes in the minibatches handed out so far. May be called from any thread.
  std::vector<std::vector<std::string>> CategoryNames() const;
  uint64_t largest_feature() const { return largest_feature_; }  // seen so far

 private:
  void OpenFile(size_t file);
  bool ReadRow(SparseRows* rows);
  void ReadPair(std::string_view pair, SparseRows* rows);

  SvmlightOptions options_;
  const Context context_;
  std::unique_ptr<LineReader> lines_;
  size_t file_ = 0;
  Dictionary classes_;
  mutable std::mutex mutex_;
  std::vector<std::string> class_names_;  // guarded by mutex_
  uint64_t largest_feature_ = 0;
  uint64_t next_id_ = 0;
};

// The largest feature number in the files, which are read from end to end. Throws
// UsageError for standard input, which cannot be read twice.
uint64_t CountFeatures(const SvmlightOptions& options, const Context& context = Context());

}  // namespace sda

#endif  // SDA_DATA_TABLES_SVMLIGHT_SOURCE_H_
