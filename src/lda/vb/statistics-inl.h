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

#include "lda/vb/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// sums_k += sum over `count` occurrences of ratio * weight_k, for kVectors vectors of topics from
// k, or for fewer at the end.
template <size_t kVectors, class T>
HWY_INLINE void AddOccurrences(const Occurrence<T>* occurrences, size_t count, const T* weights,
                               size_t stride, size_t k, double* sums) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  if constexpr (kVectors > 1) {
    if (stride - k < kVectors * lanes) {
      return AddOccurrences<kVectors - 1>(occurrences, count, weights, stride, k, sums);
    }
  }
  hn::Vec<decltype(d)> sum[kVectors];
  for (size_t j = 0; j < kVectors; ++j) sum[j] = hn::Zero(d);
  for (size_t i = 0; i < count; ++i) {
    const auto r = hn::Set(d, occurrences[i].ratio);
    const T* weight = weights + occurrences[i].document * stride + k;
    const T* later = weights + occurrences[i + kOccurrencesAhead].document * stride + k;
    for (size_t j = 0; j < kVectors; ++j) {
      hwy::Prefetch(later + j * lanes);
      sum[j] = hn::MulAdd(r, hn::Load(d, weight + j * lanes), sum[j]);
    }
  }
  alignas(HWY_ALIGNMENT) T total[kVectors * HWY_MAX_BYTES / sizeof(T)];
  for (size_t j = 0; j < kVectors; ++j) hn::Store(sum[j], d, total + j * lanes);
  for (size_t i = 0; i < kVectors * lanes; ++i) sums[k + i] += static_cast<double>(total[i]);
}

template <class T>
void SumOccurrencesT(std::span<const Occurrence<T>> occurrences, const T* HWY_RESTRICT weights,
                     const T* HWY_RESTRICT row, size_t stride, double* HWY_RESTRICT sums) {
  constexpr size_t kVectors = 8;  // with some to spare in registers
  constexpr size_t kRun = 16;     // occurrences summed up in T before they go to sums
  for (size_t k = 0; k < stride; k += 64 / sizeof(T)) hwy::Prefetch(row + k);
  std::fill_n(sums, stride, 0.0);
  for (size_t i = 0; i < occurrences.size(); i += kRun) {
    const size_t count = std::min(kRun, occurrences.size() - i);
    for (size_t k = 0; k < stride; k += kVectors * hn::Lanes(hn::ScalableTag<T>())) {
      AddOccurrences<kVectors>(occurrences.data() + i, count, weights, stride, k, sums);
    }
  }
  for (size_t k = 0; k < stride; ++k) sums[k] *= static_cast<double>(row[k]);
}

// The loops over topics are plain: the compiler makes vectors of them for each target.
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
