#include "tables/table_export.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/model_file.h"
#include "base/text.h"
#include "sda/errors.h"
#include "tables/table_fit.h"

namespace sda {
namespace {

std::string Number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

}  // namespace

std::string EstimatesCsv(const std::vector<Estimate>& estimates) {
  std::string out = "name,mean,sd,lower,upper\n";
  for (const Estimate& e : estimates) {
    out += fmt::format("{},{},{},{},{}\n", CsvField(e.name), Number(e.mean), Number(e.sd),
                       Number(e.lower), Number(e.upper));
  }
  return out;
}

std::string TableModelJson(const TableFit& fit) {
  using nlohmann::ordered_json;
  ordered_json list = ordered_json::array();
  for (const Estimate& e : fit.Describe()) {
    list.push_back(
        {{"name", e.name}, {"mean", e.mean}, {"sd", e.sd}, {"lower", e.lower}, {"upper", e.upper}});
    if (e.approximate) list.back()["approximate"] = true;
  }
  ordered_json out = {{"model", fit.spec().model},
                      {"rows", fit.spec().rows},
                      {"interval", 0.95},
                      {"parameters", list}};
  const auto notes = fit.Notes();
  if (!notes.empty()) out["notes"] = notes;
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

void ExportParameters(const TableFit& fit, const std::string& path) {
  if (path.ends_with(".json")) return WriteFile(path, {TableModelJson(fit)});
  if (path.ends_with(".csv")) return WriteFile(path, {EstimatesCsv(fit.Describe())});
  throw UsageError("parameters is " + Quoted(path) + ", must end in .csv or .json");
}

}  // namespace sda
