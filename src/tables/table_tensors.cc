#include "tables/table_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sda/errors.h"

namespace sda {

std::vector<NamedTensor> ToTensors(const Dense& params) {
  return {{"posterior", {params.size()}, params.values(), {}}};
}

void FromTensors(const ModelFile& file, const Dense& prior, Dense* params) {
  const auto values = file.doubles("posterior");
  *params = Dense(std::vector<double>(values.begin(), values.end()));
  if (params->size() != prior.size()) {
    throw InputError(fmt::format("{}: has {} parameters, expected {}", file.path(), params->size(),
                                 prior.size()));
  }
}

std::vector<NamedTensor> ToTensors(const KeyedRows& params) {
  NamedTensor keys{"keys", {params.rows()}, {}, {}};
  NamedTensor rows{"posterior", {params.rows(), params.width()}, {}, {}};
  for (size_t r = 0; r < params.rows(); ++r) {
    keys.integers.push_back(static_cast<int64_t>(params.key(r)));
    const auto row = params.row(r);
    rows.doubles.insert(rows.doubles.end(), row.begin(), row.end());
  }
  return {std::move(keys), std::move(rows)};
}

void FromTensors(const ModelFile& file, const KeyedRows& prior, KeyedRows* params) {
  const auto keys = file.integers("keys");
  const auto values = file.doubles("posterior");
  const size_t width = prior.width();
  if (values.size() != keys.size() * width) {
    throw InputError(file.path() + ": keys and posterior do not match");
  }
  *params = prior;
  std::vector<double> change(width);
  for (size_t r = 0; r < keys.size(); ++r) {
    if (keys[r] < 0) throw InputError(file.path() + ": has a bad key");
    const auto before = params->At(keys[r]);
    for (size_t k = 0; k < width; ++k) change[k] = values[r * width + k] - before[k];
    params->Add(keys[r], change);
  }
}

}  // namespace sda
