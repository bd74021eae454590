#ifndef SDA_DATA_TABLES_TABLE_SOURCE_H_
#define SDA_DATA_TABLES_TABLE_SOURCE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "data/tables/csv.h"
#include "data/tables/one_hot.h"
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

// Rows that something is to be said about.
struct RowNotes {
  uint64_t rows = 0;
  std::vector<std::string> first;  // where the first of them are, and what is in them

  void Add(const std::string& note) {
    constexpr size_t kMost = 3;
    if (++rows <= kMost) first.push_back(note);
  }
  // "x.csv:3 (column "a"), ..."
  std::string Examples() const;
};

struct TableOptions {
  std::vector<std::string> inputs;  // CSV files with the same header line; "-" is standard input
  ColumnKind kind = ColumnKind::kNumber;
  std::vector<std::string> columns;  // to read, in this order; empty: all but the target
  bool no_columns = false;           // read none: each row is a 0
  std::string target;                // read as the last column; empty: none
  bool classes = false;              // the target is one of two values of any kind
  size_t minibatch = 1000;           // rows
  size_t first_minibatch = 0;        // rows of the first one; 0: as the others
  char delimiter = ',';              // between fields
  // Whether the first line names the columns; if not, they are called 1, 2, ... If unset, it does,
  // but one that looks like data is refused.
  std::optional<bool> header;
  bool skip_missing = false;  // leave out rows with a missing value in a column that is read
  std::vector<OneHotColumn> one_hot;   // those of the columns that are text; kind is kNumber
  std::vector<Dictionary> categories;  // categories numbered already, one for each column
  bool follow = false;                 // the last input never ends, as with CorpusOptions::follow
  double minibatch_seconds = 10;  // after its first row a minibatch is then handed out, unless it
                                  // is one that first_minibatch is about
  std::string resume_from;        // a position to begin at; Resume() is still to be called
  std::function<void(const std::string& position)> on_start;  // as that of CorpusOptions

  void Validate() const;
};

// The first of the names, for messages.
std::string ListOfColumns(const std::vector<std::string>& names);

// Minibatches of rows from CSV files, one after the other. A row that is not read to its end when
// the context is stopped is left out.
class TableSource : public Source<Table> {
 public:
  // Reads the header line. Throws UsageError for bad options, InputError for bad input.
  explicit TableSource(TableOptions options, Context context = Context());

  // The position of the start of a table whose last input is followed and is this file.
  static std::string StartOf(FileIdentity followed);

  std::optional<Minibatch<Table>> Next() override;
  void Resume(const std::string& position, const std::vector<uint64_t>& cut) override;

  // The first minibatch, which Next() will still hand out. Only before Next() is called.
  const Table& Peek();

  // Of one_hot, with the levels; those not given are known once the first minibatch was read.
  std::vector<OneHotColumn> one_hot() const;
  // Of the minibatch handed out last: the number of each row in the input, from 1, with those that
  // were left out counted. Not after Peek().
  const std::vector<uint64_t>& row_numbers() const { return row_numbers_; }
  // Rows so far that were left out for a missing value, or had a level that is not known.
  const RowNotes& skipped() const { return skipped_; }
  const RowNotes& unknown_levels() const { return unknown_levels_; }

  // From now on a number of column c must be within reach[c] of centre[c]; `expected` describes
  // this in errors.
  void Limit(std::vector<double> centre, std::vector<double> reach, std::string expected);

  // The target last; with one_hot a name for each column of 0 and 1 that is known.
  std::vector<std::string> columns() const;
  const std::vector<std::string>& columns_read() const { return columns_; }  // from the file
  const std::vector<Dictionary>& categories() const { return categories_; }
  // The names of the categories in the minibatches handed out so far, and perhaps a few more. May
  // be called from any thread.
  std::vector<std::vector<std::string>> CategoryNames() const;

 private:
  // False if there is no header line yet and a stop was requested.
  bool OpenFile(size_t file);
  bool ReadHeader(std::unique_ptr<Input> input);
  // So that an error in a later file is found before hours are spent on those before it.
  void CheckOtherHeaders();
  void ExpectAllFields() const;
  // Holds the file of the last input open from the start on: another may have its name when its
  // turn comes. modified: as that of its identity.
  void HoldFollowed(const std::string& path, uint64_t modified = 0);
  [[noreturn]] void FailStopped() const;
  // Only the last one is.
  bool IsFollowed(size_t file) const {
    return options_.follow && file + 1 == options_.inputs.size();
  }
  void Seek(const std::string& position);
  // Of the first line, unless the options decide it. Throws for one that looks like data.
  bool IsHeader() const;
  void ChooseColumns();
  void FindOneHotColumns();
  std::optional<Minibatch<Table>> ReadMinibatch();
  void PublishCategories();
  std::string Position() const;
  using Clock = std::chrono::steady_clock;
  Clock::duration Patience() const;
  // The next row that is not left out.
  bool ReadRow(Table* table);
  bool ReadFields();
  // The first of the columns that has no value in this row.
  std::optional<size_t> MissingColumn() const;
  void ReadLevel(std::string_view cell, size_t column, Table* table);
  // The numbers of levels in the first minibatch become columns of 0 and 1.
  void SettleLevels(Table* table);
  // Of a column among those that are handed out.
  size_t PlaceOf(size_t column) const;
  double ReadCell(std::string_view cell, size_t column);
  double ReadClass(std::string_view cell, size_t column);
  double ReadNumber(std::string_view cell, size_t column) const;
  [[noreturn]] void FailCell(std::string_view cell, size_t column, const char* expected) const;

  static constexpr size_t kNoLevels = static_cast<size_t>(-1);

  TableOptions options_;
  const Context context_;
  std::unique_ptr<CsvReader> reader_;
  std::unique_ptr<Input> followed_;  // the last input, until its turn comes
  size_t file_ = 0;
  std::vector<std::string> header_;
  std::vector<std::string> columns_;
  std::vector<size_t> field_of_column_;
  std::vector<LevelReader> levels_;
  std::vector<size_t> level_of_column_;  // kNoLevels: it is not of text
  bool levels_known_ = true;
  RowNotes skipped_;
  RowNotes unknown_levels_;
  uint64_t row_number_ = 0;
  std::vector<uint64_t> row_numbers_;
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
