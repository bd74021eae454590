// Sums across lanes, of many vectors at once. Included once per target by Highway's foreach_target.
#if defined(SDA_LDA_SUMS_OF_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SDA_LDA_SUMS_OF_LANES_INL_H_
#undef SDA_LDA_SUMS_OF_LANES_INL_H_
#else
#define SDA_LDA_SUMS_OF_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR

// Lane i is the sum over the lanes of the i-th of the Lanes(d) vectors at `in`.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> SumsOfLanes(D d, const T* in) {
  alignas(HWY_ALIGNMENT) T sums[HWY_MAX_BYTES / sizeof(T)];
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < lanes; ++i) {
    sums[i] = hn::GetLane(hn::SumOfLanes(d, hn::Load(d, in + i * lanes)));
  }
  return hn::Load(d, sums);
}

#else

// Within each 128-bit block: its sums of as many vectors as a block has lanes.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> SumsOfBlocks(D d, const T* in) {
  const size_t lanes = hn::Lanes(d);
  const auto a = hn::Load(d, in);
  const auto b = hn::Load(d, in + lanes);
  const auto ab = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  if constexpr (sizeof(T) == 8) {
    return ab;
  } else {
    const auto e = hn::Load(d, in + 2 * lanes);
    const auto f = hn::Load(d, in + 3 * lanes);
    const auto ef = hn::Add(hn::InterleaveLower(d, e, f), hn::InterleaveUpper(d, e, f));
    const hn::Repartition<double, D> wide;
    const auto ab2 = hn::BitCast(wide, ab);
    const auto ef2 = hn::BitCast(wide, ef);
    return hn::Add(hn::BitCast(d, hn::InterleaveLower(wide, ab2, ef2)),
                   hn::BitCast(d, hn::InterleaveUpper(wide, ab2, ef2)));
  }
}

// Lane i is the sum over the lanes of the i-th of the Lanes(d) vectors at `in`. All in registers: a
// vector loaded from sums stored one by one would wait until those have left the store queue.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> SumsOfLanes(D d, const T* in) {
  constexpr size_t kBlocks = hn::MaxLanes(D()) * sizeof(T) / 16;
  const size_t step = hn::Lanes(d) * (16 / sizeof(T));
  if constexpr (kBlocks == 1) {
    return SumsOfBlocks(d, in);
  } else {
    const auto halves = [d](hn::Vec<D> a, hn::Vec<D> b) HWY_ATTR {
      return hn::Add(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
    };
    if constexpr (kBlocks == 2) {
      return halves(SumsOfBlocks(d, in), SumsOfBlocks(d, in + step));
    } else {
      static_assert(kBlocks == 4);
      const auto even = halves(SumsOfBlocks(d, in), SumsOfBlocks(d, in + 2 * step));
      const auto odd = halves(SumsOfBlocks(d, in + step), SumsOfBlocks(d, in + 3 * step));
      return hn::Add(hn::OddEvenBlocks(odd, even),
                     hn::SwapAdjacentBlocks(hn::OddEvenBlocks(even, odd)));
    }
  }
}

#endif

}  // namespace sda::lda::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SDA_LDA_SUMS_OF_LANES_INL_H_
