#ifndef SDA_LDA_VB_COUNTERS_H_
#define SDA_LDA_VB_COUNTERS_H_

#include <mutex>

#include "lda/backend.h"
#include "sda/documents.h"
#include "sda/lda_vb.h"

namespace sda::lda {

// LdaStats that several workers add to.
class Counters {
 public:
  // What one minibatch took: `sums` has the updates and the words in log space of all its steps,
  // the rest of the last one.
  void Add(const Documents& documents, const VbSums& sums, int outer_iterations, bool converged) {
    std::lock_guard lock(mutex_);
    ++stats_.minibatches;
    stats_.documents += documents.size();
    stats_.tokens += sums.tokens;
    stats_.outer_iterations += outer_iterations;
    stats_.local_updates += sums.updates;
    stats_.unconverged_documents += sums.unconverged;
    stats_.unconverged_minibatches += !converged;
    stats_.log_space_words += sums.log_space_words;
  }

  LdaStats stats() const {
    std::lock_guard lock(mutex_);
    return stats_;
  }

 private:
  mutable std::mutex mutex_;
  LdaStats stats_;
};

}  // namespace sda::lda

#endif  // SDA_LDA_VB_COUNTERS_H_
