#include "cluster/log/delta_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_set>

#include "base/seeded_hash.h"
#include "base/utf8.h"
#include "data/text/vocabulary_choice.h"
#include "sda/errors.h"
#include "sda/options.h"

namespace sda::cluster {
namespace {

constexpr size_t kMostNameBytes = 1024;
constexpr double kMostSeconds = 1e9;

// What is known is discounted by the documents that were to be learnt from, some of which may turn
// out bad.
bool IsDiscountOf(const DeltaNote& note, const LogRules& rules) {
  constexpr double kRounding = 1e-9;  // machines may round the power differently
  if (rules.half_life == 0 || note.documents == 0) return note.discount == 1;
  const Discount discount = HalfLife(rules.half_life);
  return note.discount <= discount(0, note.documents) + kRounding &&
         note.discount >= discount(0, note.documents + note.bad) - kRounding;
}

// As sums of numbers that are each small enough not to wrap.
void CheckSums(const DeltaNote& note, const LogTotals& before) {
  for (const auto& [total, number] :
       {std::pair(before.documents, note.documents), std::pair(before.tokens, note.tokens),
        std::pair(before.skipped, note.skipped), std::pair(before.bad, note.bad)}) {
    if (total + number > kMostTotal) throw InputError("counts more than any job can have");
  }
}

}  // namespace

bool IsPossibleScore(double sum, double tokens) {
  constexpr double kLeast = -750;  // probabilities are doubles, the smallest of which is exp(-745)
  constexpr double kRounding = 1e-9;
  return tokens >= 0 && sum >= kLeast * tokens && sum <= kRounding * tokens;
}

void CheckNumbers(const DeltaNote& note, const LogRules& rules) {
  for (const uint64_t count : {note.documents, note.tokens, note.skipped, note.bad}) {
    if (count > kMostTotal) throw InputError("counts more than any job can have");
  }
  if (note.documents + note.skipped + note.bad == 0) throw InputError("is of no message");
  if (note.documents == 0 && note.tokens > 0) throw InputError("has tokens without documents");
  if (note.score_tokens > note.tokens ||
      !IsPossibleScore(note.score_sum, static_cast<double>(note.score_tokens))) {
    throw InputError("has a score that no documents can have");
  }
  if (!(note.seconds >= 0 && note.seconds <= kMostSeconds)) {
    throw InputError("took a time that is not possible");
  }
  if (!IsDiscountOf(note, rules)) {
    throw InputError("forgets another share than the settings ask for");
  }
  if (note.worker.size() > kMostNameBytes) throw InputError("has a worker with too long a name");
}

void CheckPlace(const DeltaNote& note, const LogTotals& before, const LogRules& rules) {
  CheckSums(note, before);
  const uint64_t messages = note.documents + note.skipped + note.bad;
  const uint64_t most =
      before.documents == 0 ? std::max(rules.minibatch, rules.first_minibatch) : rules.minibatch;
  if (messages > most) {
    throw InputError(fmt::format("is of {} messages, more than a minibatch has", messages));
  }
  if (note.offsets.empty()) throw InputError("names no offsets of documents");
  uint64_t offsets = 0;  // cannot wrap: see the end of the loop
  for (const auto& [partition, range] : note.offsets) {
    if (range.to <= range.from) throw InputError("names an empty range of offsets");
    const auto folded = before.offsets.find(partition);
    if (folded != before.offsets.end() && range.from < folded->second) {
      throw InputError(
          fmt::format("is of documents that were folded before: of partition {} from offset {} on, "
                      "the log is at {}",
                      partition, range.from, folded->second));
    }
    offsets = std::min(kMostTotal, offsets + static_cast<uint64_t>(range.to - range.from));
  }
  if (messages > offsets) throw InputError("counts more messages than its offsets");
}

namespace {

// Those of counts are at most the square of what is counted; the sampler doubles them.
void CheckVariances(const DeltaNote& note, const RowVariances& variances) {
  const KeyedRows* const rows = variances.rows();
  if (rows == nullptr) return;
  const double tokens = static_cast<double>(note.tokens);
  const double most = 4 * tokens * tokens;
  for (size_t r = 0; r < rows->rows(); ++r) {
    bool possible = true;
    for (const double number : rows->row(r)) possible &= number >= 0 && number <= most;
    if (!possible) throw InputError("has a variance that no counts of its tokens can have");
  }
}

}  // namespace

void CheckChange(const DeltaNote& note, const KeyedRows& change, uint64_t words) {
  for (size_t r = 0; r < change.rows(); ++r) {
    if (change.key(r) >= words) throw InputError("has a word that is not in the vocabulary");
    const std::span<const double> row = change.row(r);
    // Also false if one is no number.
    bool possible = true;
    for (const double number : row) possible &= number >= 0;
    if (!possible) throw InputError("has a row with a number that is negative or no number");
  }
  const double mass = std::accumulate(change.totals().begin(), change.totals().end(), 0.0);
  const double tokens = static_cast<double>(note.tokens);
  if (!(std::abs(mass - tokens) <= MassTolerance(note.tokens, change.width()))) {
    throw InputError(
        fmt::format("adds {:.6g} to the posterior, though it has {} tokens", mass, note.tokens));
  }
  CheckVariances(note, change.variances());
}

void CheckWords(const std::vector<std::string>& words, const LogRules& rules) {
  if (words.empty() || words.size() > rules.most_words) {
    throw InputError(fmt::format("has a vocabulary of {} words, must be from 1 to {}", words.size(),
                                 rules.most_words));
  }
  std::unordered_set<std::string_view, SeededHash> seen;
  for (const std::string& word : words) {
    if (word.empty() || word.size() > kMaxWordBytes || !IsValidUtf8(word)) {
      throw InputError("has a vocabulary with a word that is no word");
    }
    if (!seen.insert(word).second) throw InputError("has a vocabulary that repeats a word");
  }
}

}  // namespace sda::cluster
