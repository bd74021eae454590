#include "sda/models.h"
#include "tables/table_fit_of.h"

namespace sda {

TableModel PoissonModel() {
  const Poisson::PriorOptions usual;
  TableModel model;
  model.name = "poisson";
  model.summary = "rate of count columns";
  model.prior = {{"shape", usual.shape}, {"rate", usual.rate}};
  model.kind = ColumnKind::kCount;
  model.make = [](const TableMaking& m) {
    return MakeFit(m,
                   Poisson(m.spec.columns, {.shape = m.Prior("shape"), .rate = m.Prior("rate")}));
  };
  return model;
}

}  // namespace sda
