#ifndef SDA_LDA_INFER_SHARE_OVER_TIME_H_
#define SDA_LDA_INFER_SHARE_OVER_TIME_H_

#include <cstddef>

#include "sda/over_time.h"

namespace sda::lda {

// The share of a topic in some documents, minus that in others. What the topics have wrong is the
// same in both, and partly cancels.
OverTime::Sums::Share ShareDifference(const OverTime::Sums& sums, const OverTime::Sums& others,
                                      size_t topic);

}  // namespace sda::lda

#endif  // SDA_LDA_INFER_SHARE_OVER_TIME_H_
