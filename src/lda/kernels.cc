#include "lda/kernels.h"

// Structures and arrays of vectors need a size that is known: on ARM that is NEON, not SVE.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lda/kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "lda/local_vb-inl.h"
#include "lda/special-inl.h"
#include "lda/statistics-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

template <class T>
void ExpectedRowT(const double* lambda, const double* digamma_of_sum, size_t topics, T* row) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const size_t padded = PaddedWidth<T>(topics);
  alignas(HWY_ALIGNMENT) T numbers[HWY_MAX_BYTES / sizeof(T)] = {};
  alignas(HWY_ALIGNMENT) T sums[HWY_MAX_BYTES / sizeof(T)] = {};
  thread_local std::vector<T> decays;
  decays.resize(padded);
  auto least = hn::Set(d, T(2e30));
  for (size_t k = 0; k < padded; k += lanes) {
    const size_t real = topics > k ? std::min(lanes, topics - k) : 0;
    for (size_t i = 0; i < real; ++i) {
      numbers[i] = static_cast<T>(lambda[k + i]);
      sums[i] = static_cast<T>(digamma_of_sum[k + i]);
    }
    const auto mask = hn::FirstN(d, real);
    const auto parts =
        ExpDigammaParts(d, hn::IfThenElse(mask, hn::Load(d, numbers), hn::Set(d, T(1))));
    const auto decay = hn::Add(parts.decay, hn::Load(d, sums));
    least = hn::Min(least, hn::IfThenElse(mask, decay, least));
    hn::Store(parts.scale, d, row + k);
    hn::StoreU(decay, d, decays.data() + k);
  }
  least = hn::MinOfLanes(d, least);
  auto sum = hn::Zero(d);
  for (size_t k = 0; k < padded; k += lanes) {
    const auto mask = hn::FirstN(d, topics > k ? topics - k : 0);
    const auto value = hn::Mul(hn::Load(d, row + k),
                               ExpOfNegative(d, hn::Sub(least, hn::LoadU(d, decays.data() + k))));
    const auto masked = hn::IfThenElseZero(mask, value);
    sum = hn::Add(sum, masked);
    hn::Store(masked, d, row + k);
  }
  const auto scale = hn::Div(hn::Set(d, T(1)), hn::SumOfLanes(d, sum));
  const auto tiny = hn::Set(d, kTiny<T>);
  for (size_t k = 0; k < padded; k += lanes) {
    const auto value = hn::Mul(hn::Load(d, row + k), scale);
    hn::Store(hn::IfThenElseZero(hn::Ge(value, tiny), value), d, row + k);
  }
}

template <class T>
void LocalVbT(const LocalProblem<T>& problem, size_t first, size_t last, const LocalState<T>* warm,
              LocalState<T>* state, T* ratio) {
  thread_local LocalDocument<T> document;  // for its memory
  document.Take(&problem);
  constexpr size_t kUsualTopics = 16;
  state->topics.reserve(kUsualTopics * (last - first));
  state->gamma.reserve(kUsualTopics * (last - first));
  state->weight.reserve(kUsualTopics * (last - first));
  for (size_t d = first; d < last; ++d) {
    const uint64_t next_last = problem.offsets[std::min(d + 2, last)];
    if (warm == nullptr) {
      document.Run(d, nullptr, nullptr, 0, next_last, state, ratio);
    } else {
      const size_t begin = warm->begin[d - first];
      document.Run(d, warm->topics.data() + begin, warm->gamma.data() + begin,
                   warm->begin[d - first + 1] - begin, next_last, state, ratio);
    }
  }
}

void ExpectedRowF32(const double* lambda, const double* digamma_of_sum, size_t topics, float* row) {
  ExpectedRowT(lambda, digamma_of_sum, topics, row);
}
void ExpectedRowF64(const double* lambda, const double* digamma_of_sum, size_t topics,
                    double* row) {
  ExpectedRowT(lambda, digamma_of_sum, topics, row);
}
void LocalVbF32(const LocalProblem<float>& problem, size_t first, size_t last,
                const LocalState<float>* warm, LocalState<float>* state, float* ratio) {
  LocalVbT(problem, first, last, warm, state, ratio);
}
void LocalVbF64(const LocalProblem<double>& problem, size_t first, size_t last,
                const LocalState<double>* warm, LocalState<double>* state, double* ratio) {
  LocalVbT(problem, first, last, warm, state, ratio);
}
void SumOccurrencesF32(std::span<const uint32_t> documents, const float* ratio,
                       const float* weights, const float* row, size_t stride, double* sums) {
  SumOccurrencesT(documents, ratio, weights, row, stride, sums);
}
double ReplaceStatisticsF32(const double* sums, size_t topics, float* statistics, double* totals) {
  return ReplaceStatisticsT(sums, topics, statistics, totals);
}
void SumOccurrencesF64(std::span<const uint32_t> documents, const double* ratio,
                       const double* weights, const double* row, size_t stride, double* sums) {
  SumOccurrencesT(documents, ratio, weights, row, stride, sums);
}
double ReplaceStatisticsF64(const double* sums, size_t topics, double* statistics, double* totals) {
  return ReplaceStatisticsT(sums, topics, statistics, totals);
}

}  // namespace sda::lda::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sda::lda {

HWY_EXPORT(ExpectedRowF32);
HWY_EXPORT(ExpectedRowF64);
HWY_EXPORT(LocalVbF32);
HWY_EXPORT(LocalVbF64);
HWY_EXPORT(SumOccurrencesF32);
HWY_EXPORT(SumOccurrencesF64);
HWY_EXPORT(ReplaceStatisticsF32);
HWY_EXPORT(ReplaceStatisticsF64);

template <>
void ExpectedRow(const double* lambda, const double* digamma_of_sum, size_t topics, float* row) {
  HWY_DYNAMIC_DISPATCH(ExpectedRowF32)(lambda, digamma_of_sum, topics, row);
}
template <>
void ExpectedRow(const double* lambda, const double* digamma_of_sum, size_t topics, double* row) {
  HWY_DYNAMIC_DISPATCH(ExpectedRowF64)(lambda, digamma_of_sum, topics, row);
}
template <>
void LocalVb(const LocalProblem<float>& problem, size_t first, size_t last,
             const LocalState<float>* warm, LocalState<float>* state, float* ratio) {
  HWY_DYNAMIC_DISPATCH(LocalVbF32)(problem, first, last, warm, state, ratio);
}
template <>
void LocalVb(const LocalProblem<double>& problem, size_t first, size_t last,
             const LocalState<double>* warm, LocalState<double>* state, double* ratio) {
  HWY_DYNAMIC_DISPATCH(LocalVbF64)(problem, first, last, warm, state, ratio);
}
template <>
void SumOccurrences(std::span<const uint32_t> documents, const float* ratio, const float* weights,
                    const float* row, size_t stride, double* sums) {
  HWY_DYNAMIC_DISPATCH(SumOccurrencesF32)(documents, ratio, weights, row, stride, sums);
}
template <>
double ReplaceStatistics(const double* sums, size_t topics, float* statistics, double* totals) {
  return HWY_DYNAMIC_DISPATCH(ReplaceStatisticsF32)(sums, topics, statistics, totals);
}
template <>
void SumOccurrences(std::span<const uint32_t> documents, const double* ratio, const double* weights,
                    const double* row, size_t stride, double* sums) {
  HWY_DYNAMIC_DISPATCH(SumOccurrencesF64)(documents, ratio, weights, row, stride, sums);
}
template <>
double ReplaceStatistics(const double* sums, size_t topics, double* statistics, double* totals) {
  return HWY_DYNAMIC_DISPATCH(ReplaceStatisticsF64)(sums, topics, statistics, totals);
}

}  // namespace sda::lda
#endif  // HWY_ONCE
