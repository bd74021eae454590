// Transposes small squares. Included once per target by Highway's foreach_target.
#if defined(SDA_LDA_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SDA_LDA_TRANSPOSE_INL_H_
#undef SDA_LDA_TRANSPOSE_INL_H_
#else
#define SDA_LDA_TRANSPOSE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Numbers in a vector of 128 bits, which every target has.
template <class T>
inline constexpr size_t kSquareSide = HWY_TARGET == HWY_SCALAR ? 1 : 16 / sizeof(T);

// The square of kSquareSide rows at `in`, in_stride apart, transposed to `out`.
template <class T>
HWY_INLINE void TransposeSquare(const T* in, [[maybe_unused]] size_t in_stride, T* out,
                                [[maybe_unused]] size_t out_stride) {
#if HWY_TARGET == HWY_SCALAR
  *out = *in;
#else
  const hn::CappedTag<T, kSquareSide<T> > d;
  const auto r0 = hn::LoadU(d, in);
  const auto r1 = hn::LoadU(d, in + in_stride);
  const auto low = hn::InterleaveLower(d, r0, r1);
  const auto high = hn::InterleaveUpper(d, r0, r1);
  if constexpr (sizeof(T) == 8) {
    hn::StoreU(low, d, out);
    hn::StoreU(high, d, out + out_stride);
  } else {
    const hn::Repartition<double, decltype(d)> pairs;
    const auto r2 = hn::LoadU(d, in + 2 * in_stride);
    const auto r3 = hn::LoadU(d, in + 3 * in_stride);
    const auto a = hn::BitCast(pairs, low);
    const auto b = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
    const auto e = hn::BitCast(pairs, high);
    const auto f = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
    const auto store = [&](size_t i, auto row)
                           HWY_ATTR { hn::StoreU(hn::BitCast(d, row), d, out + i * out_stride); };
    store(0, hn::InterleaveLower(pairs, a, b));
    store(1, hn::InterleaveUpper(pairs, a, b));
    store(2, hn::InterleaveLower(pairs, e, f));
    store(3, hn::InterleaveUpper(pairs, e, f));
  }
#endif
}

}  // namespace sda::lda::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SDA_LDA_TRANSPOSE_INL_H_
