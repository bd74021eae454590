// Statistics of one word. Included once per target by Highway's foreach_target.
#if defined(SDA_LDA_STATISTICS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SDA_LDA_STATISTICS_INL_H_
#undef SDA_LDA_STATISTICS_INL_H_
#else
#define SDA_LDA_STATISTICS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lda/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

// The loops over topics are plain: the compiler makes vectors of them for each target.

template <class T>
void SumOccurrencesT(std::span<const Occurrence> occurrences, const T* HWY_RESTRICT ratio,
                     const WeightedTopics<T>* HWY_RESTRICT documents, const T* HWY_RESTRICT row,
                     size_t topics, double* HWY_RESTRICT sums) {
  std::fill_n(sums, topics, 0.0);
  for (const auto [document, entry] : occurrences) {
    const WeightedTopics<T>& of = documents[document];
    const T r = ratio[entry];
    for (size_t i = 0; i < of.count; ++i)
      sums[of.topics[i]] += static_cast<double>(r * of.weight[i]);
  }
  for (size_t k = 0; k < topics; ++k) sums[k] *= static_cast<double>(row[k]);
}

template <class T>
double ReplaceStatisticsT(const double* HWY_RESTRICT sums, size_t topics,
                          T* HWY_RESTRICT statistics, double* HWY_RESTRICT totals) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  auto change = hn::Zero(d);
  double rest = 0;
  size_t k = 0;
  for (; k + lanes <= topics; k += lanes) {
    alignas(HWY_ALIGNMENT) double moved[HWY_MAX_BYTES / sizeof(double)];
    for (size_t i = 0; i < lanes; ++i) {
      const T after = static_cast<T>(sums[k + i]);
      moved[i] = std::abs(static_cast<double>(after - statistics[k + i]));
      totals[k + i] += static_cast<double>(after);
      statistics[k + i] = after;
    }
    change = hn::Add(change, hn::Load(d, moved));
  }
  for (; k < topics; ++k) {
    const T after = static_cast<T>(sums[k]);
    rest += std::abs(static_cast<double>(after - statistics[k]));
    totals[k] += static_cast<double>(after);
    statistics[k] = after;
  }
  return hn::GetLane(hn::SumOfLanes(d, change)) + rest;
}

}  // namespace sda::lda::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SDA_LDA_STATISTICS_INL_H_
