#include "data/bags/append_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "data/io/numbers.h"

namespace sda {

void SortAndMerge(const std::string& name, Record* record) {
  const auto& words = record->words;
  if (std::adjacent_find(words.begin(), words.end(), std::greater_equal<>()) == words.end()) return;
  std::vector<std::pair<uint32_t, uint64_t>> entries;
  entries.reserve(record->words.size());
  for (size_t i = 0; i < record->words.size(); ++i) {
    entries.emplace_back(record->words[i], record->counts[i]);
  }
  std::sort(entries.begin(), entries.end());
  record->words.clear();
  record->counts.clear();
  for (size_t i = 0; i < entries.size();) {
    const uint32_t word = entries[i].first;
    uint64_t sum = 0;
    for (; i < entries.size() && entries[i].first == word; ++i) sum += entries[i].second;
    if (sum > kMaxCount) {
      throw InputError(
          fmt::format("{}: document {}: the counts of a word sum to {}, expected at "
                      "most {}",
                      name, record->number, sum, kMaxCount));
    }
    record->Add(word, sum);
  }
}

void AppendRecord(const Record& record, Documents* out) {
  out->words.insert(out->words.end(), record.words.begin(), record.words.end());
  out->counts.insert(out->counts.end(), record.counts.begin(), record.counts.end());
  out->offsets.push_back(out->words.size());
  out->numbers.push_back(record.number);
}

}  // namespace sda
