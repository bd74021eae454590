#ifndef SDA_TABLES_SOME_ROWS_H_
#define SDA_TABLES_SOME_ROWS_H_

#include "sda/classifier.h"
#include "sda/table.h"

namespace sda {

// Rows of a minibatch, evenly spread, to weigh rates of forgetting by: an eighth, so that it costs
// little beside learning; all of them if they are few.
Table SomeOf(const Table& rows);
SparseRows SomeOf(const SparseRows& rows);

}  // namespace sda

#endif  // SDA_TABLES_SOME_ROWS_H_
