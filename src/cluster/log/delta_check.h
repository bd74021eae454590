#ifndef SDA_CLUSTER_LOG_DELTA_CHECK_H_
#define SDA_CLUSTER_LOG_DELTA_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/log/log_rules.h"
#include "cluster/log/log_totals.h"
#include "cluster/log/note.h"
#include "sda/keyed_rows.h"

// What every delta of a worker is. All throw InputError otherwise: the message continues "the delta
// ...". A worker checks its own before it commits it.
namespace sda::cluster {

// Its numbers alone.
void CheckNumbers(const DeltaNote& note, const LogRules& rules);
// Whether so many tokens can have that log probability. (A worker leaves out a score that is not.)
bool IsPossibleScore(double sum, double tokens);

// Its place in a log that adds up to this: documents that are not yet folded, and no more than a
// minibatch may have.
void CheckPlace(const DeltaNote& note, const LogTotals& before, const LogRules& rules);

// Its rows, in a job with that many words.
void CheckChange(const DeltaNote& note, const KeyedRows& change, uint64_t words);

// Words that were chosen from documents.
void CheckWords(const std::vector<std::string>& words, const LogRules& rules);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_DELTA_CHECK_H_
