#ifndef SDA_LDA_VB_COUNTERS_H_
#define SDA_LDA_VB_COUNTERS_H_

#include <mutex>

#include "lda/vb/expectation.h"
#include "sda/documents.h"
#include "sda/lda.h"

namespace sda::lda {

// LdaStats that several workers add to.
class Counters {
 public:
  // What one minibatch took.
  template <class T>
  void Add(const Documents& documents, const Expectation<T>& expectation, int outer_iterations,
           bool converged) {
    std::lock_guard lock(mutex_);
    ++stats_.minibatches;
    stats_.documents += documents.size();
    stats_.tokens += expectation.tokens();
    stats_.outer_iterations += outer_iterations;
    stats_.local_updates += expectation.updates();
    stats_.unconverged_documents += expectation.unconverged();
    stats_.unconverged_minibatches += !converged;
    stats_.log_space_words += expectation.log_space_words();
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
