#ifndef SDA_TABLES_TABLE_ROWS_H_
#define SDA_TABLES_TABLE_ROWS_H_

#include <memory>
#include <string>
#include <vector>

#include "core/run_checkpoints.h"
#include "sda/tracked_source.h"
#include "tables/table_fit.h"

namespace sda {

// The rows of a fit, CSV or svmlight.
class TableRows {
 public:
  virtual ~TableRows() = default;
  // fit->Fit() with these rows; if tracked, At() returns its progress.
  virtual Summary Fit(TableFit* fit, const RunOptions& options, const Observer& observer,
                      const Context& context, bool tracked) = 0;
  virtual void Resume(const Progress& progress) = 0;
  virtual Progress At(const IdSet& folded) = 0;
  // As of the minibatches handed out so far. From any thread.
  virtual std::vector<std::vector<std::string>> CategoryNames() const = 0;
  // Notices about rows that were left out or have unknown levels.
  virtual void LogNotes(const TableSpec& spec, const Context& context) const = 0;
};

// Those of a source that was read for this model.
void LogRowNotes(const TableSource& source, const TableSpec& spec, const Context& context);

// The rows, and the spec of a model that fits them: with the columns, and with their origins and
// scales and the number of features, which come from the first rows, or from the checkpoint that
// the fit is resumed from.
struct OpenedRows {
  std::unique_ptr<TableRows> rows;
  TableSpec spec;
};
// The checkpoints must outlive them.
OpenedRows OpenRows(const TableFitOptions& options, const TableModel& model,
                    RunCheckpoints* checkpoints, const Context& context);

// The origins and scales that a model takes from its first rows.
void SetScales(const TableModel& model, const Table& first, const Context& context,
               TableSpec* spec);

// What of that a checkpoint has to keep: RunCheckpoints::fixed().
nlohmann::json FixedOf(const TableSpec& spec, const TableRows& rows);

}  // namespace sda

#endif  // SDA_TABLES_TABLE_ROWS_H_
