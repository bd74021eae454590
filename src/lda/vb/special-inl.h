// Special functions on vectors. Included once per target by Highway's foreach_target.
#if defined(SDA_LDA_SPECIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SDA_LDA_SPECIAL_INL_H_
#undef SDA_LDA_SPECIAL_INL_H_
#else
#define SDA_LDA_SPECIAL_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <concepts>

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// exp(digamma(x)) = scale * exp(-decay) for x > 0, with scale > 0. No logarithm is needed, and a
// common part of the decays can be taken out before the exponential, which then cannot underflow.
template <class V>
struct ExpDigamma {
  V scale;
  V decay;
};

// By digamma(x) = digamma(x + n) - d/dx log(x (x + 1) ... (x + n - 1)), the factors taken in pairs
// (x + i)(x + n - 1 - i) = a + i (n - 1 - i), a = x (x + n - 1), and Stirling's series at x + n.
// Float: n = 4, absolute error of the decay below 3e-7 (plus rounding of 1 / x for x < 1).
template <class D>
requires std::same_as < hn::TFromD<D>,
float > HWY_INLINE ExpDigamma<hn::Vec<D>> ExpDigammaParts(D d, hn::Vec<D> x) {
  const auto c = [d](double value) HWY_ATTR { return hn::Set(d, static_cast<float>(value)); };
  const auto y = hn::Add(x, c(4));
  const auto a = hn::Mul(x, hn::Add(x, c(3)));
  const auto b = hn::Add(a, c(2));
  const auto shift = hn::Div(hn::Mul(hn::MulAdd(x, c(2), c(3)), hn::Add(a, b)), hn::Mul(a, b));
  const auto z = hn::Div(c(1), y);
  const auto z2 = hn::Mul(z, z);
  auto series = hn::MulAdd(z2, c(1.0 / 252), c(-1.0 / 120));
  series = hn::MulAdd(z2, series, c(1.0 / 12));
  series = hn::MulAdd(z, series, c(0.5));
  return {y, hn::Min(hn::MulAdd(z, series, shift), c(1e30))};
}

// Double: n = 8, absolute error of the decay below 1e-15 (plus rounding of 1 / x for x < 1).
template <class D>
requires std::same_as < hn::TFromD<D>,
double > HWY_INLINE ExpDigamma<hn::Vec<D>> ExpDigammaParts(D d, hn::Vec<D> x) {
  const auto c = [d](double value) HWY_ATTR { return hn::Set(d, value); };
  const auto y = hn::Add(x, c(8));
  const auto a0 = hn::Mul(x, hn::Add(x, c(7)));
  const auto a1 = hn::Add(a0, c(6));
  const auto a2 = hn::Add(a0, c(10));
  const auto a3 = hn::Add(a0, c(12));
  const auto a01 = hn::Mul(a0, a1);
  const auto a23 = hn::Mul(a2, a3);
  const auto sum = hn::MulAdd(hn::Add(a0, a1), a23, hn::Mul(hn::Add(a2, a3), a01));
  const auto shift = hn::Div(hn::Mul(hn::MulAdd(x, c(2), c(7)), sum), hn::Mul(a01, a23));
  const auto z = hn::Div(c(1), y);
  const auto z2 = hn::Mul(z, z);
  auto series = hn::MulAdd(z2, c(-3617.0 / 8160), c(1.0 / 12));
  series = hn::MulAdd(z2, series, c(-691.0 / 32760));
  series = hn::MulAdd(z2, series, c(1.0 / 132));
  series = hn::MulAdd(z2, series, c(-1.0 / 240));
  series = hn::MulAdd(z2, series, c(1.0 / 252));
  series = hn::MulAdd(z2, series, c(-1.0 / 120));
  series = hn::MulAdd(z2, series, c(1.0 / 12));
  series = hn::MulAdd(z, series, c(0.5));
  return {y, hn::Min(hn::MulAdd(z, series, shift), c(1e30))};
}

// exp(x) for x <= 0. Float: relative error below 3e-7 for x > -86, and at most e^-86 below that.
template <class D>
requires std::same_as < hn::TFromD<D>,
float > HWY_INLINE hn::Vec<D> ExpOfNegative(D d, hn::Vec<D> x) {
  const auto c = [d](double value) HWY_ATTR { return hn::Set(d, static_cast<float>(value)); };
  x = hn::Max(x, c(-86));
  const auto power = hn::NearestInt(hn::Mul(x, c(1.4426950408889634)));
  const auto n = hn::ConvertTo(d, power);
  const auto r = hn::NegMulAdd(n, c(-2.12194440e-4), hn::NegMulAdd(n, c(0.693359375), x));
  // The exponential series of r, |r| <= log(2) / 2, its terms taken in pairs.
  const auto r2 = hn::Mul(r, r);
  const auto high = hn::MulAdd(r2, c(1.0 / 720), hn::MulAdd(r, c(1.0 / 120), c(1.0 / 24)));
  const auto middle = hn::MulAdd(r, c(1.0 / 6), c(0.5));
  const auto series = hn::MulAdd(r2, hn::MulAdd(r2, high, middle), hn::Add(r, c(1)));
  const auto exponent = hn::ShiftLeft<23>(power);
  return hn::BitCast(d, hn::Add(hn::BitCast(hn::RebindToSigned<D>(), series), exponent));
}

template <class D>
requires std::same_as < hn::TFromD<D>,
double > HWY_INLINE hn::Vec<D> ExpOfNegative(D d, hn::Vec<D> x) { return hn::Exp(d, x); }

}  // namespace sda::lda::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SDA_LDA_SPECIAL_INL_H_
