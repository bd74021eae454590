#include "sda/mixture.h"

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
    options.origin = m.spec.origin;
    options.scale = m.spec.scale;
    options.concentration = m.Prior("concentration");
    options.weight = m.Prior("weight");
    options.spread = m.Prior("spread");
    return MakeFit(m, Mixture(m.spec.columns, options));
  };
  return model;
}

}  // namespace sda
