// Vectors of the sampler: rows of weights, and the places of a block. Included once per target by
// Highway's foreach_target.
#if defined(SDA_LDA_GIBBS_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SDA_LDA_GIBBS_VECTORS_INL_H_
#undef SDA_LDA_GIBBS_VECTORS_INL_H_
#else
#define SDA_LDA_GIBBS_VECTORS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lda/gibbs/gibbs_documents.h"

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE float SmoothSum(const float* smoothing, const float* weights, size_t width) {
  const hn::CappedTag<float, 16> d;
  auto sum = hn::Zero(d);
  for (size_t k = 0; k < width; k += hn::Lanes(d)) {
    sum = hn::MulAdd(hn::Load(d, smoothing + k), hn::Load(d, weights + k), sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

HWY_INLINE void AddSmoothRow(double share, const float* smoothing, const float* weights,
                             size_t width, double* means) {
  for (size_t k = 0; k < width; ++k) {
    means[k] += share * static_cast<double>(smoothing[k]) * static_cast<double>(weights[k]);
  }
}

// In [0, 1), a multiple of 2^-24.
HWY_INLINE float Uniform(uint64_t hash) {
  return static_cast<float>(static_cast<int32_t>(hash >> 40)) * 0x1p-24F;
}

// A topic with probability ~ smoothing_k weights_k: where the distribution function passes u, the
// topics in the order of their lane, then of their number. `running` is room for a row.
HWY_NOINLINE size_t DrawSmooth(const float* smoothing, const float* weights, size_t topics,
                               size_t width, float u, float* running) {
  const hn::CappedTag<float, 16> d;
  const size_t lanes = hn::Lanes(d);
  auto sum = hn::Zero(d);
  for (size_t k = 0; k < width; k += lanes) {
    sum = hn::MulAdd(hn::Load(d, smoothing + k), hn::Load(d, weights + k), sum);
    hn::Store(sum, d, running + k);
  }
  const float* last = running + width - lanes;
  float rest = u * hn::GetLane(hn::SumOfLanes(d, sum));
  size_t k = 0;
  while (k + 1 < lanes && rest >= last[k]) rest -= last[k++];
  while (k + lanes < topics && rest >= running[k]) k += lanes;
  return std::min(k, topics - 1);
}

// As many places of a block as a vector holds.
using PlacesTag = hn::CappedTag<float, TopicBlock::kPlaces>;
using Places = hn::Vec<PlacesTag>;

// numbers[at[i]]. AMD's gather instruction takes longer than the loads do.
HWY_INLINE Places Gather(const float* numbers, const int32_t* at) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return Places{_mm256_setr_ps(numbers[at[0]], numbers[at[1]], numbers[at[2]], numbers[at[3]],
                               numbers[at[4]], numbers[at[5]], numbers[at[6]], numbers[at[7]])};
#else
  const PlacesTag d;
  return hn::GatherIndex(d, numbers, hn::Load(hn::RebindToSigned<PlacesTag>(), at));
#endif
}

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE Places PrefixSum(Places v) { return v; }
HWY_INLINE Places LastLane(Places v) { return v; }
#else
static_assert(hn::MaxLanes(PlacesTag()) == 4 || hn::MaxLanes(PlacesTag()) == 8);

HWY_INLINE Places PrefixSum(Places sum) {
  const PlacesTag d;
  sum = hn::Add(sum, hn::ShiftLeftLanes<1>(d, sum));
  sum = hn::Add(sum, hn::ShiftLeftLanes<2>(d, sum));
  if constexpr (hn::MaxLanes(PlacesTag()) == 8) {
    sum = hn::Add(sum, hn::ConcatLowerLower(d, hn::Broadcast<3>(sum), hn::Zero(d)));
  }
  return sum;
}

HWY_INLINE Places LastLane(Places v) {
  v = hn::Broadcast<3>(v);
  if constexpr (hn::MaxLanes(PlacesTag()) == 8) v = hn::ConcatUpperUpper(PlacesTag(), v, v);
  return v;
}
#endif

}  // namespace sda::lda::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SDA_LDA_GIBBS_VECTORS_INL_H_
