#ifndef SDA_TABLES_TABLE_TENSORS_H_
#define SDA_TABLES_TABLE_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/model_file.h"
#include "sda/dense.h"
#include "sda/keyed_rows.h"

namespace sda {

// A tensor that owns its numbers.
struct NamedTensor {
  std::string name;
  std::vector<uint64_t> shape;
  std::vector<double> doubles;
  std::vector<int64_t> integers;
};

// The two parameter spaces as tensors of a model file, and back. Throws InputError naming
// the file if it does not match the prior.
std::vector<NamedTensor> ToTensors(const Dense& params);
std::vector<NamedTensor> ToTensors(const KeyedRows& params);
void FromTensors(const ModelFile& file, const Dense& prior, Dense* params);
void FromTensors(const ModelFile& file, const KeyedRows& prior, KeyedRows* params);

// Of the parameters of a model, independently of what it has learnt.
inline size_t Shape(const Dense& params) { return params.size(); }
inline size_t Shape(const KeyedRows& params) { return params.width(); }

}  // namespace sda

#endif  // SDA_TABLES_TABLE_TENSORS_H_
