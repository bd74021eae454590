#ifndef SDA_TABLES_TABLE_EXPORT_H_
#define SDA_TABLES_TABLE_EXPORT_H_

#include <string>
#include <vector>

#include "sda/estimate.h"

namespace sda {

// The parameters of a model on tables, as Describe() gives them. A mean or standard deviation that
// the posterior does not have is an empty field, and null in JSON.
std::string EstimatesCsv(const std::vector<Estimate>& estimates);
// What `sda show --json` prints, too.
std::string TableModelJson(const class TableFit& fit);

// Replaces the file at path, which ends in .csv or .json, all at once. Throws UsageError and
// IoError.
void ExportParameters(const TableFit& fit, const std::string& path);

}  // namespace sda

#endif  // SDA_TABLES_TABLE_EXPORT_H_
