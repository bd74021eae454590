#include "lda/lda_posterior.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "lda/topic_rows.h"
#include "models/faults.h"
#include "sda/word_ledger.h"

namespace sda::lda {
namespace {

NumberRange RangeOf(LambdaSigns signs) {
  return {signs == LambdaSigns::kAny ? -kLargestLambda : kLeastLambda, kLargestLambda};
}

// The first topic of which the parameter is not valid.
std::optional<size_t> FaultInRow(std::span<const double> row, const NumberRange& range) {
  for (size_t k = 0; k < row.size(); ++k) {
    if (!range.Holds(row[k])) return k;
  }
  return std::nullopt;
}

// The sum over the vocabulary of a topic's parameters is computed from the totals. If lambda is far
// below eta, these cancel, and what is left is rounding.
std::optional<std::string> FaultInSums(const KeyedRows& posterior, uint64_t vocabulary) {
  constexpr double kRounding = 1e-6;
  const double unseen = static_cast<double>(vocabulary - posterior.rows());
  std::vector<double> exact;
  for (const double eta : posterior.default_row()) exact.push_back(unseen * eta);
  for (size_t r = 0; r < posterior.rows(); ++r) {
    for (size_t k = 0; k < exact.size(); ++k) exact[k] += posterior.row(r)[k];
  }
  const std::vector<double> sums = TopicSums(posterior, vocabulary);
  for (size_t k = 0; k < exact.size(); ++k) {
    if (std::abs(sums[k] - exact[k]) <= kRounding * exact[k]) continue;
    return fmt::format("lambda of topic {} (from 0) has the sum {}, too far below eta", k,
                       exact[k]);
  }
  return std::nullopt;
}

bool IsWord(const KeyedRows& posterior, uint64_t key, const LdaSpec& spec) {
  const WordLedger* const words = posterior.words();
  return words == nullptr ? key < spec.vocabulary : words->Find(key) != WordLedger::kNone;
}

std::optional<std::string> FaultInVariances(const KeyedRows& posterior, const LdaSpec& spec) {
  const KeyedRows* const rows = posterior.variances().rows();
  if (rows == nullptr) return std::nullopt;
  const NumberRange range = {0, kLargestVariance};
  for (size_t r = 0; r < rows->rows(); ++r) {
    if (!IsWord(posterior, rows->key(r), spec) ||
        rows->width() != static_cast<size_t>(spec.topics)) {
      return fmt::format("it has variances of word {} (from 0) and {} topics, which it has not",
                         rows->key(r), rows->width());
    }
    if (const auto topic = FaultInRow(rows->row(r), range)) {
      return FaultText(
          fmt::format("variance of word {} and topic {} (both from 0)", rows->key(r), *topic),
          rows->row(r)[*topic], range);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FaultIn(const KeyedRows& posterior, const LdaSpec& spec,
                                   LambdaSigns signs) {
  if (posterior.words() != nullptr && posterior.words()->size() != spec.vocabulary) {
    return fmt::format("it has {} words, must have {}", posterior.words()->size(), spec.vocabulary);
  }
  if (posterior.width() != static_cast<size_t>(spec.topics)) {
    return fmt::format("it has {} topics, must have {}", posterior.width(), spec.topics);
  }
  const NumberRange range = RangeOf(signs);
  if (const auto topic = FaultInRow(posterior.default_row(), range)) {
    return FaultText(fmt::format("eta of topic {} (from 0)", *topic),
                     posterior.default_row()[*topic], range);
  }
  for (size_t r = 0; r < posterior.rows(); ++r) {
    if (!IsWord(posterior, posterior.key(r), spec)) {
      return fmt::format("it has a row for word {} (from 0), but the vocabulary has {} words",
                         posterior.key(r), spec.vocabulary);
    }
    if (const auto topic = FaultInRow(posterior.row(r), range)) {
      return FaultText(
          fmt::format("lambda of word {} and topic {} (both from 0)", posterior.key(r), *topic),
          posterior.row(r)[*topic], range);
    }
  }
  if (const auto fault = FaultInTotals(posterior)) return fault;
  if (const auto fault = FaultInVariances(posterior, spec)) return fault;
  return signs == LambdaSigns::kAny ? std::nullopt : FaultInSums(posterior, spec.vocabulary);
}

}  // namespace sda::lda
