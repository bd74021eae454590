#include "tables/table_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/seeded_hash.h"
#include "sda/errors.h"

namespace sda {

std::vector<NamedTensor> ToTensors(const Dense& params) {
  return {{"posterior", {params.size()}, params.values(), {}}};
}

void FillUp(const Dense& prior, size_t before, Dense* params) {
  if (before == 0 || params->size() != before) return;
  std::vector<double> values = prior.values();
  std::copy(params->values().begin(), params->values().end(), values.begin());
  *params = Dense(std::move(values));
}

Dense CutBack(const Dense& prior, size_t before, const Dense& params) {
  const auto& values = params.values();
  const auto first = static_cast<std::ptrdiff_t>(before);
  if (before == 0 || !std::equal(values.begin() + first, values.end(),
                                 prior.values().begin() + first, prior.values().end())) {
    return params;
  }
  return Dense(std::vector<double>(values.begin(), values.begin() + first));
}

void FromTensors(const ModelFile& file, const Dense& prior, Dense* params, size_t before) {
  const auto values = file.doubles("posterior");
  *params = Dense(std::vector<double>(values.begin(), values.end()));
  FillUp(prior, before, params);
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

void FromTensors(const ModelFile& file, const KeyedRows& prior, KeyedRows* params,
                 size_t /*before*/) {
  const auto keys = file.integers("keys");
  const auto values = file.doubles("posterior");
  const size_t width = prior.width();
  if (values.size() != keys.size() * width) {
    throw InputError(file.path() + ": keys and posterior do not match");
  }
  *params = prior;
  std::unordered_set<int64_t, SeededHash> seen;
  for (size_t r = 0; r < keys.size(); ++r) {
    if (keys[r] < 0 || !seen.insert(keys[r]).second) {
      throw InputError(fmt::format("{}: tensor keys, number {} (from 0), is {}, must be {}",
                                   file.path(), r, keys[r],
                                   keys[r] < 0 ? "at least 0" : "there only once"));
    }
    params->Set(keys[r], std::span(values).subspan(r * width, width));
  }
}

}  // namespace sda
