#include "lda/gibbs_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lda/gibbs_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "lda/gibbs_sampler-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

void SampleCellT(const GibbsCell& cell) {
  CellSampler sampler(cell);
  if (cell.exact) {
    sampler.RunOneByOne();
  } else {
    sampler.RunInPairs();
  }
}

}  // namespace sda::lda::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sda::lda {

HWY_EXPORT(SampleCellT);

void SampleCell(const GibbsCell& cell) { HWY_DYNAMIC_DISPATCH(SampleCellT)(cell); }

}  // namespace sda::lda
#endif  // HWY_ONCE
