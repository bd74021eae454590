#ifndef SDA_PYTHON_TABLES_H_
#define SDA_PYTHON_TABLES_H_

#include <nanobind/nanobind.h>

namespace sda::python {

// Adds TableModel: the models on tables.
void BindTables(nanobind::module_* module);

}  // namespace sda::python

#endif  // SDA_PYTHON_TABLES_H_
