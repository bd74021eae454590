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
// the file if it does not match the prior. before: files of earlier versions may hold only this
// number of parameters, the first; 0: all of them.
std::vector<NamedTensor> ToTensors(const Dense& params);
std::vector<NamedTensor> ToTensors(const KeyedRows& params);
void FromTensors(const ModelFile& file, const Dense& prior, Dense* params, size_t before);
void FromTensors(const ModelFile& file, const KeyedRows& prior, KeyedRows* params, size_t before);

// Parameters of an earlier version become those of this one, with the prior's for those it had not.
// And back, if none of those has been learnt: such a file is saved again as it was.
void FillUp(const Dense& prior, size_t before, Dense* params);
inline void FillUp(const KeyedRows&, size_t, KeyedRows*) {}
Dense CutBack(const Dense& prior, size_t before, const Dense& params);
inline const KeyedRows& CutBack(const KeyedRows&, size_t, const KeyedRows& params) {
  return params;
}

// Of the parameters of a model, independently of what it has learnt.
inline size_t Shape(const Dense& params) { return params.size(); }
inline size_t Shape(const KeyedRows& params) { return params.width(); }

}  // namespace sda

#endif  // SDA_TABLES_TABLE_TENSORS_H_
