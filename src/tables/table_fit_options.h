#ifndef SDA_TABLES_TABLE_FIT_OPTIONS_H_
#define SDA_TABLES_TABLE_FIT_OPTIONS_H_

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "data/tables/table_source.h"
#include "sda/tables.h"
#include "tables/table_model.h"

namespace sda {

// Of validated options: what they mean for the parts of a fit.

// Whether the rows are svmlight, by the format or else by the name of the first input.
bool IsSvmlight(const TableFitOptions& options, const TableModel& model);
// If how fast to forget is to be learnt.
std::optional<ForgettingRates> RatesOf(const TableFitOptions& options);
// Rows of each minibatch of one worker.
uint64_t RowsPerWorker(const TableFitOptions& options);
// Of --delimiter. Throws UsageError.
char DelimiterOf(const std::string& text);
// Of --missing. Throws UsageError.
bool SkipsMissing(const std::string& missing);
TableOptions TableOptionsOf(const TableFitOptions& options, const TableModel& model);
// Without columns, origins and scales, which come from the input.
TableSpec SpecOf(const TableFitOptions& options, const TableModel& model);

// How rows are read for a model that was fitted, with its target or without. What is given here
// counts more than how the rows of the fit were read.
struct ReadingChanges {
  std::string delimiter;  // empty: as before
  std::optional<bool> header;
  std::string missing;  // empty: as before
};
TableOptions OptionsToRead(const TableSpec& spec, const TableModel& model,
                           std::vector<std::string> inputs, bool with_target,
                           const ReadingChanges& changes = {});

// ToJson(), before it is text.
nlohmann::json ToJsonObject(const TableFitOptions& options);

}  // namespace sda

#endif  // SDA_TABLES_TABLE_FIT_OPTIONS_H_
