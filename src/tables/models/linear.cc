#include <fmt/format.h>

#include "base/machine_memory.h"
#include "base/text.h"
#include "sda/errors.h"
#include "sda/models.h"
#include "tables/table_fit_of.h"

namespace sda {

TableModel LinearModel() {
  const Linear::PriorOptions usual;
  TableModel model;
  model.name = "linear";
  model.summary = "regression of a target column on the others";
  model.prior = {{"precision", usual.precision}, {"shape", usual.shape}, {"rate", usual.rate}};
  model.has_target = true;
  model.make = [](const TableMaking& m) {
    const TableSpec& spec = m.spec;
    constexpr double kMatrices = 3;  // of all pairs of columns, that are there at once
    const auto columns = static_cast<double>(spec.columns.size());
    ExpectMemoryFor(fmt::format("a regression on {} columns", Grouped(spec.columns.size())),
                    kMatrices * sizeof(double) * columns * columns, "choose fewer with --columns");
    return MakeFit(m, Linear(FeaturesOf(spec),
                             {.precision = m.Prior("precision"),
                              .shape = m.Prior("shape"),
                              .rate = m.Prior("rate")},
                             spec.intercept, spec.intercept ? spec.origin : std::vector<double>()));
  };
  return model;
}

}  // namespace sda
