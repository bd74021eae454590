#ifndef SDA_DATA_TABLES_TABLE_SOURCE_H_
#define SDA_DATA_TABLES_TABLE_SOURCE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "data/tables/csv.h"
#include "sda/context.h"
#include "sda/source.h"
#include "sda/table.h"

namespace sda {

enum class ColumnKind {
  kNumber,    // any finite number
  kBinary,    // 0 or 1, false or true
  kCount,     // a whole number of at least 0
  kCategory,  // any text
};

struct TableOptions {
  std::vector<std::string> inputs;  // CSV files with the same header line; "-" is standard input
  ColumnKind kind = ColumnKind::kNumber;
  std::vector<std::string> columns;    // to read, in this order; empty: all but the target
  bool no_columns = false;             // read none: each row is a 0
  std::string target;                  // read as the last column; empty: none
  bool classes = false;                // the target is one of two values of any kind
  size_t minibatch = 1000;             // rows
  size_t first_minibatch = 0;          // rows of the first one; 0: as the others
  std::vector<Dictionary> categories;  // categories numbered already, one for each column
  bool follow = false;                 // the last input never ends, as with CorpusOptions::follow
  double minibatch_seconds = 10;  // after its first row a minibatch is then handed out, unless it
                                  // is one that first_minibatch is about
  std::string resume_from;        // a position to begin at; Resume() is still to be called

  void Validate() const;
};

// Minibatches of rows from CSV files, one after the other. A row that is not read to its end when
// the context is stopped is left out.
class TableSource : public Source<Table> {
 public:
  // Reads the header line. Throws UsageError for bad options, InputError for bad input.
  explicit TableSource(TableOptions options, Context context = Context());

  std::optional<Minibatch<Table>> Next() override;
  void Resume(const std::string& position, const std::vector<uint64_t>& cut) override;

  // The first minibatch, which Next() will still hand out. Only before Next() is called.
  const Table& Peek();

  // From now on a number of column c must be within reach[c] of centre[c]; `expected` describes
  // this in errors.
  void Limit(std::vector<double> centre, std::vector<double> reach, std::string expected);

  const std::vector<std::string>& columns() const { return columns_; }  // the target last
  const std::vector<Dictionary>& categories() const { return categories_; }
  // The names of the categories in the minibatches handed out so far, and perhaps a few more. May
  // be called from any thread.
  std::vector<std::vector<std::string>> CategoryNames() const;

 private:
  // path: of the file, or where it is now. False if there is no header line yet and a stop was
  // requested.
  bool OpenFile(size_t file, const std::string& path);
  bool ReadHeader(std::unique_ptr<Input> input);
  bool OpenFile(size_t file) { return OpenFile(file, options_.inputs[file]); }
  // Only the last one is.
  bool IsFollowed(size_t file) const {
    return options_.follow && file + 1 == options_.inputs.size();
  }
  void Seek(const std::string& position);
  void ChooseColumns();
  std::optional<Minibatch<Table>> ReadMinibatch();
  void PublishCategories();
  std::string Position() const;
  using Clock = std::chrono::steady_clock;
  Clock::duration Patience() const;
  bool ReadRow(Table* table);
  double ReadCell(std::string_view cell, size_t column);
  double ReadClass(std::string_view cell, size_t column);
  double ReadNumber(std::string_view cell, size_t column) const;
  [[noreturn]] void FailCell(std::string_view cell, size_t column, const char* expected) const;

  TableOptions options_;
  const Context context_;
  std::unique_ptr<CsvReader> reader_;
  size_t file_ = 0;
  std::vector<std::string> header_;
  std::vector<std::string> columns_;
  std::vector<size_t> field_of_column_;
  std::vector<Dictionary> categories_;
  mutable std::mutex mutex_;
  std::vector<std::vector<std::string>> category_names_;  // guarded by mutex_
  std::vector<std::string_view> fields_;
  uint64_t next_id_ = 0;
  std::deque<uint64_t> cut_as_before_;  // rows of the minibatches that come next
  bool from_start_ = false;             // of a file that was truncated since it was read
  bool is_there_ = false;               // at options_.resume_from, nothing read
  std::optional<Minibatch<Table>> peeked_;
  std::vector<double> centre_;  // empty: no limit
  std::vector<double> reach_;
  std::string expected_;
};

}  // namespace sda

#endif  // SDA_DATA_TABLES_TABLE_SOURCE_H_
