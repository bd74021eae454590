#ifndef SDA_LDA_LDA_POSTERIOR_H_
#define SDA_LDA_LDA_POSTERIOR_H_

#include <optional>
#include <string>

#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"

namespace sda::lda {

// What a parameter of a topic may be. The largest is more than a count of tokens in 64 bits. The
// digamma of the smallest, -1e30, is still a number in single precision, and the probability of a
// word, of which it is a share, is far from underflow: so every score and interval is finite.
inline constexpr double kLeastLambda = 1e-30;
inline constexpr double kLargestLambda = 1e20;
inline constexpr double kLargestVariance = 1e40;

enum class LambdaSigns {
  kPositive,  // of a posterior
  kAny,       // of a sum of EP's changes that was not yet raised: see RaiseToPositive
};

// What makes these rows no posterior of the spec's model, in words that name the word, the topic
// and the number; nothing if they are one. Whoever loads, saves or receives a posterior asks this.
// If its keys are words that come and go (KeyedRows::words()), spec.vocabulary is their number.
// Of a whole posterior, not of a part that CopyTo made. Costs one pass over the rows. spec is
// valid.
std::optional<std::string> FaultIn(const KeyedRows& posterior, const LdaSpec& spec,
                                   LambdaSigns signs = LambdaSigns::kPositive);

}  // namespace sda::lda

#endif  // SDA_LDA_LDA_POSTERIOR_H_
