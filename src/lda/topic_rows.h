#ifndef SDA_LDA_TOPIC_ROWS_H_
#define SDA_LDA_TOPIC_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sda/keyed_rows.h"

namespace sda::lda {

// Sums over the vocabulary of each topic's parameters.
inline std::vector<double> TopicSums(const KeyedRows& rows, uint64_t vocabulary) {
  std::vector<double> sums;
  for (size_t k = 0; k < rows.width(); ++k) {
    sums.push_back(static_cast<double>(vocabulary) * rows.default_row()[k] + rows.totals()[k]);
  }
  return sums;
}

// The row of words[v]. A prior made for the minibatch has its rows in the order of its words.
inline std::span<const double> RowOf(const KeyedRows& rows, std::span<const uint64_t> words,
                                     size_t v) {
  const uint64_t word = words[v];
  return v < rows.rows() && rows.key(v) == word ? rows.row(v) : rows.At(word);
}

// Whether nothing was learnt yet.
inline bool NothingFolded(const KeyedRows& prior) {
  return std::all_of(prior.totals().begin(), prior.totals().end(),
                     [](double total) { return total == 0; });
}

}  // namespace sda::lda

#endif  // SDA_LDA_TOPIC_ROWS_H_
