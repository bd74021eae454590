#include "cluster/log/snapshot_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "cluster/log/delta_check.h"
#include "cluster/log/note_json.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

// What a log can add up to at that place.
void CheckTotals(const SnapshotNote& note, const LogTotals& totals) {
  for (const uint64_t count : {totals.documents, totals.tokens, totals.skipped, totals.bad,
                               totals.bytes, totals.set_aside.count}) {
    if (count > kMostTotal) throw InputError("counts more than any job can have");
  }
  const auto read = static_cast<uint64_t>(note.read_to);
  if (totals.deltas > read || totals.set_aside.count > read) {
    throw InputError("counts more deltas than the log has messages");
  }
  if (totals.staleness_max > totals.deltas || totals.staleness_last > totals.staleness_max ||
      (totals.deltas > 0 && totals.staleness_sum / totals.deltas > totals.staleness_max)) {
    throw InputError("has a staleness that no delta can have");
  }
  const bool learnt = totals.documents > 0;
  if ((!learnt && totals.tokens > 0) || (totals.deltas == 0 && (learnt || totals.skipped > 0))) {
    throw InputError("has tokens or documents that are not of any delta");
  }
  if (totals.first_milliseconds < 0 || totals.first_milliseconds > totals.last_milliseconds) {
    throw InputError("has times of deltas that cannot be");
  }
  double offsets = 0;
  for (const auto& [partition, to] : totals.offsets) offsets += static_cast<double>(to);
  if (static_cast<double>(totals.documents + totals.skipped + totals.bad) > offsets) {
    throw InputError("counts more messages than its offsets");
  }
  if (!IsPossibleScore(totals.score_sum, totals.score_tokens)) {
    throw InputError("has a score that no documents can have");
  }
}

// The sum over all rows of what was learnt, by topic. Throws if a number is not that of a
// posterior.
std::vector<double> LearntIn(const KeyedRows& posterior, const KeyedRows& prior, uint64_t words) {
  constexpr double kRounding = 1e-9;
  const std::span<const double> eta = prior.default_row();
  if (!std::equal(eta.begin(), eta.end(), posterior.default_row().begin())) {
    throw InputError("has another prior than the job");
  }
  std::vector<double> sums(prior.width());
  for (size_t r = 0; r < posterior.rows(); ++r) {
    if (posterior.key(r) >= words) throw InputError("has a word that is not in the vocabulary");
    const std::span<const double> row = posterior.row(r);
    bool possible = true;  // false if one is no number
    for (size_t k = 0; k < row.size(); ++k) {
      possible &= row[k] >= eta[k] * (1 - kRounding);
      sums[k] += row[k] - eta[k];
    }
    if (!possible) throw InputError("has a number that is below that of the prior, or no number");
  }
  return sums;
}

void CheckVariances(const RowVariances& variances, uint64_t words) {
  const KeyedRows* const rows = variances.rows();
  for (size_t r = 0; rows != nullptr && r < rows->rows(); ++r) {
    bool possible = rows->key(r) < words;
    for (const double number : rows->row(r)) possible &= number >= 0 && std::isfinite(number);
    if (!possible) throw InputError("has a variance that is negative, or no number");
  }
}

}  // namespace

void CheckSnapshot(const SnapshotNote& note, const LogTotals& totals, const SnapshotBody& body,
                   const LogRules& rules) {
  if (note.position > note.read_to || (note.pending.empty() && note.position < note.read_to)) {
    throw InputError("has a place in the log that cannot be");
  }
  CheckTotals(note, totals);
  const bool has_words = rules.words == 0 && totals.documents > 0;
  if (has_words) CheckWords(body.vocabulary, rules);
  if (!has_words && !body.vocabulary.empty()) throw InputError("has a vocabulary too many");
  const uint64_t words = has_words ? body.vocabulary.size() : rules.words;

  const std::vector<double> sums = LearntIn(body.posterior, rules.prior, words);
  CheckVariances(body.posterior.variances(), words);
  const double tolerance = MassTolerance(totals.tokens, rules.prior.width());
  for (size_t k = 0; k < sums.size(); ++k) {
    if (!(std::abs(sums[k] - body.posterior.totals()[k]) <= tolerance)) {
      throw InputError("has totals that are not those of its rows");
    }
  }
  const double mass = std::accumulate(sums.begin(), sums.end(), 0.0);
  const double missing = static_cast<double>(totals.tokens) - mass;
  if (!(missing >= -tolerance && (rules.half_life > 0 || missing <= tolerance))) {
    throw InputError(
        fmt::format("holds {:.6g} tokens, though its deltas have {}", mass, totals.tokens));
  }
}

CheckedSnapshots::CheckedSnapshots(LogRules rules, std::string topic, int64_t log_begin,
                                   LogQuestions questions)
    : rules_(std::move(rules)),
      topic_(std::move(topic)),
      log_begin_(log_begin),
      questions_(std::move(questions)),
      assembler_(rules_.SnapshotLimits()) {}

void CheckedSnapshots::Add(const LogMessage& message) {
  try {
    if (message.header.empty()) throw InputError("has no note");
    const SnapshotNote note = ParseSnapshotHeader(message.header);
    if (note.job != rules_.job) return;  // of a job of this name that was deleted
    auto whole = assembler_.Add(message.header, message.value, message.offset);
    for (const Assembler::GivenUp& other : assembler_.TakeGivenUp()) {
      Aside(other.first_offset, other.why);
    }
    if (whole) Check(std::move(*whole), message.milliseconds);
  } catch (const NewerVersion& e) {
    questions_.expect_same_version();
    Aside(message.offset, e.what());
  } catch (const InputError& e) {
    Aside(message.offset, e.what());
  }
}

void CheckedSnapshots::Check(Assembler::Whole whole, int64_t milliseconds) {
  Snapshot snapshot;
  snapshot.note = ParseSnapshotHeader(whole.header);
  snapshot.bytes = whole.body.size();
  snapshot.milliseconds = milliseconds;
  const SnapshotNote& note = snapshot.note;
  if (note.position < log_begin_) return;  // the log before the next one was deleted since
  if (newest_ && note.read_to < newest_->note.read_to) return;
  snapshot.totals = LogTotals::FromJson(note.totals);
  CheckPlaces(note, snapshot.totals);
  constexpr int64_t kDay = 86'400'000;  // by which clocks may differ
  if (snapshot.totals.last_milliseconds > milliseconds + kDay) {
    throw InputError("is of deltas that were written after it");
  }
  snapshot.body = UnpackSnapshot(whole.body, rules_.prior.width(),
                                 rules_.MostRowBytes(0) + rules_.MostWordBytes());
  whole = {};
  CheckSnapshot(note, snapshot.totals, snapshot.body, rules_);
  newest_ = std::move(snapshot);
}

void CheckedSnapshots::CheckPlaces(const SnapshotNote& note, const LogTotals& totals) const {
  if (note.read_to > questions_.end_of_log(note.read_to)) {
    throw InputError(fmt::format("is of the log up to offset {}, which it has not", note.read_to));
  }
  for (const auto& [partition, to] : totals.offsets) {
    if (questions_.end_of(partition, to) >= to) continue;
    throw InputError(fmt::format(
        "is of documents that do not exist: of partition {}, up to offset {}", partition, to));
  }
}

void CheckedSnapshots::Aside(int64_t offset, std::string_view reason) {
  set_aside_.Add({.topic = topic_,
                  .offset = offset,
                  .reason = fmt::format("the snapshot {}", reason).substr(0, kMostReasonBytes)});
}

}  // namespace sda::cluster
