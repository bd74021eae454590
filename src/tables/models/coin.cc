#include "sda/models.h"
#include "tables/table_fit_of.h"

namespace sda {

TableModel CoinModel() {
  const Coin::PriorOptions usual;
  TableModel model;
  model.name = "coin";
  model.summary = "share of ones in columns of 0 and 1";
  model.prior = {{"heads", usual.heads}, {"tails", usual.tails}};
  model.kind = ColumnKind::kBinary;
  model.make = [](const TableMaking& m) {
    return MakeFit(m, Coin(m.spec.columns, {.heads = m.Prior("heads"), .tails = m.Prior("tails")}));
  };
  return model;
}

}  // namespace sda
