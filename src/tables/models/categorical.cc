#include "sda/models.h"
#include "tables/table_fit_of.h"

namespace sda {

TableModel CategoricalModel() {
  TableModel model;
  model.name = "categorical";
  model.summary = "shares of the categories in text columns";
  model.prior = {{"concentration", Categorical::PriorOptions().concentration}};
  model.kind = ColumnKind::kCategory;
  model.make = [](const TableMaking& m) {
    return MakeFit(m, Categorical(m.spec.columns, {.concentration = m.Prior("concentration")}));
  };
  return model;
}

}  // namespace sda
