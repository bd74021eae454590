#include "sda/models.h"
#include "tables/table_fit_of.h"

namespace sda {

TableModel NormalModel() {
  const Normal::PriorOptions usual;
  TableModel model;
  model.name = "normal";
  model.summary = "mean and spread of number columns";
  model.prior = {
      {"mean", usual.mean}, {"weight", usual.weight}, {"shape", usual.shape}, {"rate", usual.rate}};
  model.make = [](const TableMaking& m) {
    return MakeFit(m, Normal(m.spec.columns,
                             {.mean = m.Prior("mean"),
                              .weight = m.Prior("weight"),
                              .shape = m.Prior("shape"),
                              .rate = m.Prior("rate")},
                             m.spec.origin));
  };
  return model;
}

}  // namespace sda
