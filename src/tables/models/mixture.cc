#include "sda/mixture.h"

#include <fmt/format.h>

#include "base/machine_memory.h"
#include "base/text.h"
#include "tables/table_fit_of.h"

namespace sda {

TableModel MixtureModel() {
  const MixtureOptions usual;
  TableModel model;
  model.name = "mixture";
  model.summary = "clusters of rows: a mixture of Gaussians";
  model.prior = {
      {"concentration", usual.concentration}, {"weight", usual.weight}, {"spread", usual.spread}};
  model.clusters = true;
  model.options = {{"components", "Number of clusters", uint64_t{usual.components}, {}},
                   {"seed", "Of the random numbers", usual.seed, {}}};
  model.make = [](const TableMaking& m) {
    MixtureOptions options;
    options.components = m.Whole("components");
    options.seed = m.Whole("seed");
    options.context = m.context;
    options.origin = m.spec.origin;
    options.scale = m.spec.scale;
    constexpr double kMatrices = 25;  // of all pairs of columns, of each cluster, at once
    const auto columns = static_cast<double>(m.spec.columns.size());
    ExpectMemoryFor(
        fmt::format("a mixture of {} clusters of {} columns", Grouped(options.components),
                    Grouped(m.spec.columns.size())),
        kMatrices * static_cast<double>(options.components) * sizeof(double) * columns * columns,
        "choose fewer with --components or --columns");
    options.concentration = m.Prior("concentration");
    options.weight = m.Prior("weight");
    options.spread = m.Prior("spread");
    return MakeFit(m, Mixture(m.spec.columns, options));
  };
  return model;
}

}  // namespace sda
