#include "lda/gibbs/gibbs_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lda/gibbs/gibbs_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "lda/gibbs/gibbs_sampler-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

template <bool kFirst, bool kMeans>
void SampleCellWith(const GibbsCell& cell) {
  if (cell.exact) {
    CellSampler<true, kFirst, kMeans, false>(cell).RunOneByOne();
  } else {
    CellSampler<false, kFirst, kMeans, false>(cell).RunSideBySide();
  }
  if (cell.long_pieces.empty()) return;
  if (cell.exact) {
    CellSampler<true, kFirst, kMeans, true>(cell).RunOneByOne();
  } else {
    CellSampler<false, kFirst, kMeans, true>(cell).RunSideBySide();
  }
}

void SampleCellT(const GibbsCell& cell) {
  if (cell.first) {
    SampleCellWith<true, false>(cell);
  } else if (cell.means == nullptr) {
    SampleCellWith<false, false>(cell);
  } else {
    SampleCellWith<false, true>(cell);
  }
}

float SmoothT(const float* smoothing, const float* weights, size_t width) {
  return SmoothSum(smoothing, weights, width);
}

void AddSmoothT(double share, const float* smoothing, const float* weights, size_t width,
                double* means) {
  AddSmoothRow(share, smoothing, weights, width, means);
}

}  // namespace sda::lda::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sda::lda {

HWY_EXPORT(SampleCellT);
HWY_EXPORT(SmoothT);
HWY_EXPORT(AddSmoothT);

void SampleCell(const GibbsCell& cell) { HWY_DYNAMIC_DISPATCH(SampleCellT)(cell); }

float Smooth(const float* smoothing, const float* weights, size_t width) {
  return HWY_DYNAMIC_DISPATCH(SmoothT)(smoothing, weights, width);
}

void AddSmooth(double share, const float* smoothing, const float* weights, size_t width,
               double* means) {
  HWY_DYNAMIC_DISPATCH(AddSmoothT)(share, smoothing, weights, width, means);
}

}  // namespace sda::lda
#endif  // HWY_ONCE
