#ifndef SDA_LDA_REQUIRE_H_
#define SDA_LDA_REQUIRE_H_

#include <string>

#include "sda/errors.h"

namespace sda::lda {

// Throws UsageError naming an option's field and value, unless ok.
template <class Number>
void Require(bool ok, const char* field, Number value, const std::string& rule) {
  if (!ok) {
    throw UsageError(std::string(field) + " is " + std::to_string(value) + ", must be " + rule);
  }
}

}  // namespace sda::lda

#endif  // SDA_LDA_REQUIRE_H_
