#ifndef SDA_LDA_REQUIRE_H_
#define SDA_LDA_REQUIRE_H_

#include <fmt/format.h>

#include <string>

#include "sda/errors.h"

namespace sda::lda {

// Throws UsageError naming an option's field and value, unless ok.
template <class Number>
void Require(bool ok, const char* field, Number value, const std::string& rule) {
  if (!ok) {
    throw UsageError(fmt::format("{} is {}, must be {}", field, value, rule));
  }
}

}  // namespace sda::lda

#endif  // SDA_LDA_REQUIRE_H_
