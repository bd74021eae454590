#include "data/tables/one_hot.h"

#include <algorithm>
#include <utility>

namespace sda {

std::vector<std::string> OneHotColumn::Names() const {
  std::vector<std::string> names;
  for (size_t i = all_levels ? 0 : 1; i < levels.size(); ++i) {
    names.push_back(column + "=" + levels[i]);
  }
  return names;
}

LevelReader::LevelReader(OneHotColumn column) : column_(std::move(column)) {
  for (size_t i = 0; i < column_.levels.size(); ++i) places_.emplace(column_.levels[i], i);
}

size_t LevelReader::Learn(std::string_view level) {
  const auto [entry, is_new] = numbers_.try_emplace(std::string(level), names_.size());
  if (is_new) {
    names_.emplace_back(level);
    rows_.push_back(0);
  }
  ++rows_[entry->second];
  return entry->second;
}

void LevelReader::Settle() {
  const auto before = [&](const std::string& a, const std::string& b) {
    const uint64_t rows_a = rows_[numbers_.at(a)];
    const uint64_t rows_b = rows_[numbers_.at(b)];
    return rows_a != rows_b ? rows_a > rows_b : a < b;
  };
  column_.levels = names_;
  if (names_.empty()) return;
  std::iter_swap(column_.levels.begin(),
                 std::min_element(column_.levels.begin(), column_.levels.end(), before));
  std::sort(column_.levels.begin() + 1, column_.levels.end());
  for (size_t i = 0; i < column_.levels.size(); ++i) places_.emplace(column_.levels[i], i);
}

bool LevelReader::Append(std::string_view level, std::vector<double>* values) const {
  const auto found = places_.find(std::string(level));
  AppendPlace(found == places_.end() ? 0 : found->second, values);
  return found != places_.end();
}

bool LevelReader::AppendLearnt(size_t number, std::vector<double>* values) const {
  return Append(names_[number], values);
}

void LevelReader::AppendPlace(size_t place, std::vector<double>* values) const {
  const size_t begin = values->size();
  values->resize(begin + column_.width());
  const size_t first = column_.all_levels ? 0 : 1;
  if (place >= first) (*values)[begin + place - first] = 1;
}

}  // namespace sda
