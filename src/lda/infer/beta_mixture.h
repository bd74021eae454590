#ifndef SDA_LDA_INFER_BETA_MIXTURE_H_
#define SDA_LDA_INFER_BETA_MIXTURE_H_

#include <cstdint>
#include <vector>

#include "sda/estimate.h"

namespace sda::lda {

// sum over n of weight_n Beta(a + n, b - n): the proportion of a topic that has n of a document's
// tokens with probability weight_n. With one part, n = 0, it is Beta(a, b).
struct BetaMixture {
  struct Part {
    uint32_t n = 0;
    double weight = 1;
    bool operator==(const Part&) const = default;
  };

  double a = 1;
  double b = 1;                    // 0: the proportion is 1
  std::vector<Part> parts = {{}};  // ascending in n < b; the weights sum to 1

  bool operator==(const BetaMixture&) const = default;
  double Mean() const;
  double Variance() const;
  // With the equal-tailed interval that has this probability.
  Estimate Summary(double level) const;

 private:
  struct Value {
    double probability;  // below x
    double slope;        // its derivative in log(x / (1 - x))
  };
  Value At(double log_odds) const;
  double LogOdds(double tail, bool upper) const;
};

}  // namespace sda::lda

#endif  // SDA_LDA_INFER_BETA_MIXTURE_H_
