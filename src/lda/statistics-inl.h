// Statistics of one word. Included once per target by Highway's foreach_target.
#if defined(SDA_LDA_STATISTICS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SDA_LDA_STATISTICS_INL_H_
#undef SDA_LDA_STATISTICS_INL_H_
#else
#define SDA_LDA_STATISTICS_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "lda/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

// The loops over topics are plain: the compiler makes vectors of them for each target.

// sums[2 k] += ratio * weight_k of one occurrence.
template <class T>
HWY_INLINE void AddOccurrence(const WeightedTopics<T>& of, T ratio, double* HWY_RESTRICT sums) {
  for (size_t i = 0; i < of.count; ++i) {
    sums[2 * of.topics[i]] += static_cast<double>(ratio * of.weight[i]);
  }
}

// Occurrences go to two sums in turn: neighbours often add to the same topic, and would wait for
// each other.
template <class T>
void SumOccurrencesT(std::span<const Occurrence> occurrences, const T* HWY_RESTRICT ratio,
                     const WeightedTopics<T>* HWY_RESTRICT documents, const T* HWY_RESTRICT row,
                     size_t topics, double* HWY_RESTRICT sums) {
  constexpr size_t kAhead = 8;  // occurrences; what they need is rarely in the L1 cache
  std::fill_n(sums, 2 * topics, 0.0);
  for (size_t i = 0; i < occurrences.size(); ++i) {
    if (i + kAhead < occurrences.size()) {
      const auto [document, entry] = occurrences[i + kAhead];
      hwy::Prefetch(ratio + entry);
      hwy::Prefetch(documents[document].topics);
      hwy::Prefetch(documents[document].weight);
    }
    const auto [document, entry] = occurrences[i];
    AddOccurrence(documents[document], ratio[entry], sums + i % 2);
  }
  for (size_t k = 0; k < topics; ++k) {
    sums[k] = (sums[2 * k] + sums[2 * k + 1]) * static_cast<double>(row[k]);
  }
}

template <class T>
double ReplaceStatisticsT(const double* HWY_RESTRICT sums, size_t topics,
                          T* HWY_RESTRICT statistics, double* HWY_RESTRICT totals) {
  constexpr size_t kLanes = 16;  // sums of their own, so that the loop over them can be vectors
  double change[kLanes] = {};
  const auto replace = [&](size_t k, size_t lane) HWY_ATTR {
    const T after = static_cast<T>(sums[k]);
    change[lane] += static_cast<double>(std::abs(after - statistics[k]));
    totals[k] += static_cast<double>(after);
    statistics[k] = after;
  };
  size_t k = 0;
  for (; k + kLanes <= topics; k += kLanes) {
    for (size_t i = 0; i < kLanes; ++i) replace(k + i, i);
  }
  for (; k < topics; ++k) replace(k, 0);
  return std::accumulate(change, change + kLanes, 0.0);
}

}  // namespace sda::lda::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SDA_LDA_STATISTICS_INL_H_
