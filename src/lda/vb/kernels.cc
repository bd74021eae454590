#include "lda/vb/kernels.h"

// Structures and arrays of vectors need a size that is known: on ARM that is NEON, not SVE.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lda/vb/kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "lda/vb/local_vb-inl.h"
#include "lda/vb/special-inl.h"
#include "lda/vb/statistics-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

template <class T>
void ExpectedRowT(const double* HWY_RESTRICT lambda, const T* HWY_RESTRICT digamma_of_sum,
                  size_t topics, T* HWY_RESTRICT decays, T* HWY_RESTRICT row) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const size_t padded = PaddedWidth<T>(topics);
  for (size_t k = 0; k < topics; ++k) row[k] = static_cast<T>(lambda[k]);
  std::fill(row + topics, row + padded, T(1));
  auto least = hn::Set(d, T(2e30));
  for (size_t k = 0; k < padded; k += lanes) {
    const auto parts = ExpDigammaParts(d, hn::Load(d, row + k));
    const auto decay = hn::Add(parts.decay, hn::LoadU(d, digamma_of_sum + k));
    const auto mask = hn::FirstN(d, topics > k ? topics - k : 0);
    least = hn::Min(least, hn::IfThenElse(mask, decay, least));
    hn::Store(parts.scale, d, row + k);
    hn::StoreU(decay, d, decays + k);
  }
  least = hn::MinOfLanes(d, least);
  auto sum = hn::Zero(d);
  for (size_t k = 0; k < padded; k += lanes) {
    const auto mask = hn::FirstN(d, topics > k ? topics - k : 0);
    const auto value =
        hn::Mul(hn::Load(d, row + k), ExpOfNegative(d, hn::Sub(least, hn::LoadU(d, decays + k))));
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
              LocalScratch<T>* scratch, LocalState<T>* state) {
  LocalDocument<T> document(scratch);
  document.Take(&problem);
  constexpr size_t kUsualTopics = 16;
  state->topics.reserve(kUsualTopics * (last - first));
  state->gamma.reserve(kUsualTopics * (last - first));
  for (size_t d = first; d < last; ++d) {
    const uint64_t next_last = problem.offsets[std::min(d + 2, last)];
    if (warm == nullptr) {
      document.Run(d, nullptr, nullptr, 0, next_last, state);
    } else {
      const size_t begin = warm->begin[d - first];
      document.Run(d, warm->topics.data() + begin, warm->gamma.data() + begin,
                   warm->begin[d - first + 1] - begin, next_last, state);
    }
  }
}

void ExpectedRowF32(const double* lambda, const float* digamma_of_sum, size_t topics,
                    float* scratch, float* row) {
  ExpectedRowT(lambda, digamma_of_sum, topics, scratch, row);
}
void ExpectedRowF64(const double* lambda, const double* digamma_of_sum, size_t topics,
                    double* scratch, double* row) {
  ExpectedRowT(lambda, digamma_of_sum, topics, scratch, row);
}
void LocalVbF32(const LocalProblem<float>& problem, size_t first, size_t last,
                const LocalState<float>* warm, LocalScratch<float>* scratch,
                LocalState<float>* state) {
  LocalVbT(problem, first, last, warm, scratch, state);
}
void LocalVbF64(const LocalProblem<double>& problem, size_t first, size_t last,
                const LocalState<double>* warm, LocalScratch<double>* scratch,
                LocalState<double>* state) {
  LocalVbT(problem, first, last, warm, scratch, state);
}
void SumOccurrencesF32(std::span<const Occurrence<float>> occurrences, const float* weights,
                       const float* row, size_t stride, double* sums) {
  SumOccurrencesT(occurrences, weights, row, stride, sums);
}
double ReplaceStatisticsF32(const double* sums, size_t topics, float* statistics, double* totals) {
  return ReplaceStatisticsT(sums, topics, statistics, totals);
}
void SumOccurrencesF64(std::span<const Occurrence<double>> occurrences, const double* weights,
                       const double* row, size_t stride, double* sums) {
  SumOccurrencesT(occurrences, weights, row, stride, sums);
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
void ExpectedRow(const double* lambda, const float* digamma_of_sum, size_t topics, float* scratch,
                 float* row) {
  HWY_DYNAMIC_DISPATCH(ExpectedRowF32)(lambda, digamma_of_sum, topics, scratch, row);
}
template <>
void ExpectedRow(const double* lambda, const double* digamma_of_sum, size_t topics, double* scratch,
                 double* row) {
  HWY_DYNAMIC_DISPATCH(ExpectedRowF64)(lambda, digamma_of_sum, topics, scratch, row);
}
template <>
void LocalVb(const LocalProblem<float>& problem, size_t first, size_t last,
             const LocalState<float>* warm, LocalScratch<float>* scratch,
             LocalState<float>* state) {
  HWY_DYNAMIC_DISPATCH(LocalVbF32)(problem, first, last, warm, scratch, state);
}
template <>
void LocalVb(const LocalProblem<double>& problem, size_t first, size_t last,
             const LocalState<double>* warm, LocalScratch<double>* scratch,
             LocalState<double>* state) {
  HWY_DYNAMIC_DISPATCH(LocalVbF64)(problem, first, last, warm, scratch, state);
}
template <>
void SumOccurrences(std::span<const Occurrence<float>> occurrences, const float* weights,
                    const float* row, size_t stride, double* sums) {
  HWY_DYNAMIC_DISPATCH(SumOccurrencesF32)(occurrences, weights, row, stride, sums);
}
template <>
double ReplaceStatistics(const double* sums, size_t topics, float* statistics, double* totals) {
  return HWY_DYNAMIC_DISPATCH(ReplaceStatisticsF32)(sums, topics, statistics, totals);
}
template <>
void SumOccurrences(std::span<const Occurrence<double>> occurrences, const double* weights,
                    const double* row, size_t stride, double* sums) {
  HWY_DYNAMIC_DISPATCH(SumOccurrencesF64)(occurrences, weights, row, stride, sums);
}
template <>
double ReplaceStatistics(const double* sums, size_t topics, double* statistics, double* totals) {
  return HWY_DYNAMIC_DISPATCH(ReplaceStatisticsF64)(sums, topics, statistics, totals);
}

}  // namespace sda::lda
#endif  // HWY_ONCE
