#ifndef SDA_PYTHON_RUN_H_
#define SDA_PYTHON_RUN_H_

#include <nanobind/nanobind.h>

namespace sda::python {

// Adds `run`, the loop of the library with a primitive and a source that are Python's.
void BindRun(nanobind::module_* module);

}  // namespace sda::python

#endif  // SDA_PYTHON_RUN_H_
