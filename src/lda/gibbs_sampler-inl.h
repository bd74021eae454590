// Samples the tokens of one cell. Included once per target by Highway's foreach_target.
#if defined(SDA_LDA_GIBBS_SAMPLER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SDA_LDA_GIBBS_SAMPLER_INL_H_
#undef SDA_LDA_GIBBS_SAMPLER_INL_H_
#else
#define SDA_LDA_GIBBS_SAMPLER_INL_H_
#endif

#include <hwy/aligned_allocator.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "lda/gibbs_kernels.h"
#include "lda/hash.h"

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Samples the tokens of a cell in order. A topic's weight is a product of two rows,
//   p_k ~ factor_k weights_vk,   factor_k = (n_dk + alpha_k) / sum_k,
// where only the token's own topic has to be corrected for the token itself.
class CellSampler {
 public:
  using Tag = hn::CappedTag<float, 16>;
  using V = hn::Vec<Tag>;

  explicit CellSampler(const GibbsCell& cell)
      : cell_(cell),
        lanes_(hn::Lanes(d_)),
        padded_((cell.topic_count + lanes_ - 1) / lanes_ * lanes_),
        rows_(hwy::AllocateAligned<float>(3 * cell.width)),
        inverse_(rows_.get()),
        factor_(inverse_ + cell.width),
        below_(factor_ + cell.width),
        end_(cell.pieces.empty() ? 0 : cell.pieces.back().end) {
    for (size_t k = 0; k < padded_; ++k) {
      inverse_[k] = k < cell.topic_count ? 1 / static_cast<float>(cell.sums[k]) : 0;
    }
    for (int step = 0; step < 4; ++step) {
      for (int lane = 0; lane < 16; ++lane) {
        from_[16 * step + lane] = std::max(lane - (1 << step), 0);
      }
    }
  }

  void Run(const GibbsPiece& piece) {
    document_ = cell_.document_counts + piece.document * cell_.width;
    for (size_t k = 0; k < padded_; k += lanes_) {
      const V counts = hn::Add(hn::Load(d_, document_ + k), hn::Load(d_, cell_.alpha + k));
      hn::Store(hn::Mul(counts, hn::Load(d_, inverse_ + k)), d_, factor_ + k);
    }
    for (uint32_t token = piece.begin; token < piece.end; ++token) {
      Prefetch(token + kAhead);
      SampleToken(token);
    }
  }

 private:
  static constexpr float kCancellation = 0.01F;
  // Tokens between the asking for a word's row and its use.
  static constexpr uint32_t kAhead = 3;

  void Prefetch(uint32_t token) const {
    if (token >= end_) return;
    const size_t row = cell_.words[token] * cell_.width;
    for (size_t k = 0; k < padded_; k += 16) hwy::Prefetch(cell_.weights + row + k);
  }

  void SampleToken(uint32_t token) {
    const size_t row = cell_.words[token] * cell_.width;
    uint32_t old = cell_.topics[token];
    float correction = 0;
    if (old != kNoTopic) {
      const float with = factor_[old] * cell_.weights[row + old];
      const float without = WeightWithout(row, old);
      correction = without - with;
      // Where the difference would have few digits, the token is really taken out.
      if (without < kCancellation * with) {
        Move(row, old, -1);
        old = kNoTopic;
        correction = 0;
      }
    }
    const float u = static_cast<float>(Mix(cell_.key + token) >> 40) * 0x1p-24F;
    const uint32_t topic = Draw(cell_.weights + row, old, correction, u);
    if (cell_.means != nullptr) AddProbabilities(row, old, correction);
    if (topic == old) return;
    if (old != kNoTopic) Move(row, old, -1);
    Move(row, topic, 1);
    cell_.topics[token] = topic;
  }

  // The weight of a topic without one of its tokens.
  float WeightWithout(size_t row, uint32_t k) const {
    return (document_[k] - 1 + cell_.alpha[k]) * std::max(cell_.weights[row + k] - 1, cell_.least) /
           (static_cast<float>(cell_.sums[k]) - 1);
  }

  void Move(size_t row, uint32_t k, int tokens) {
    float& weight = cell_.weights[row + k];
    weight = std::max(weight + static_cast<float>(tokens), cell_.least);
    cell_.sums[k] += tokens;
    inverse_[k] = 1 / static_cast<float>(cell_.sums[k]);
    document_[k] += static_cast<float>(tokens);
    factor_[k] = (document_[k] + cell_.alpha[k]) * inverse_[k];
  }

  // Inverse of the distribution function at u, topics in the order of their lane, then of their
  // number: below_k is the weight of the topics of k's lane up to k, as if the token's own topic
  // did not have to be corrected. That is done for its lane at the end.
  uint32_t Draw(const float* weights, uint32_t old, float correction, float u) {
    V sum = hn::Zero(d_);
    for (size_t k = 0; k < padded_; k += lanes_) {
      sum = hn::MulAdd(hn::Load(d_, factor_ + k), hn::Load(d_, weights + k), sum);
      hn::Store(sum, d_, below_ + k);
    }
    const size_t old_lane = old % lanes_;
    const V up_to = PrefixSum(hn::Add(sum, hn::LoadU(d_, OnlyLane(old_lane, correction))));
    hn::StoreU(up_to, d_, before_ + 1);
    total_ = before_[lanes_];
    const float at = u * total_;
    const size_t lane = std::min(hn::CountTrue(d_, hn::Le(up_to, hn::Set(d_, at))), lanes_ - 1);
    const float rest = at - before_[lane];
    // Up to the token's own topic, and from there on. A table, for a loop without branches.
    const float limits[2] = {rest, lane == old_lane ? rest - correction : rest};
    size_t topic = lane;
    for (size_t k = lane; k < padded_; k += lanes_) {
      topic += below_[k] <= limits[k >= old] ? lanes_ : 0;
    }
    // Beyond the last only where rounding made the end of the lane.
    return static_cast<uint32_t>(std::min(topic, cell_.topic_count - 1));
  }

  // A vector of zeros but for one lane, at the place returned.
  const float* OnlyLane(size_t lane, float value) {
    only_[16] = value;
    return only_ + 16 - lane;
  }

  V PrefixSum(V sum) const {
    const V lane = hn::Iota(d_, 0);
    const int32_t* from = from_;
    for (size_t step = 1; step < lanes_; step *= 2, from += 16) {
      const V moved = hn::TableLookupLanes(sum, hn::SetTableIndices(d_, from));
      const V first = hn::Set(d_, static_cast<float>(step));
      sum = hn::Add(sum, hn::IfThenElseZero(hn::Ge(lane, first), moved));
    }
    return sum;
  }

  void AddProbabilities(size_t row, uint32_t old, float correction) const {
    const V scale = hn::Set(d_, 1 / total_);
    const float* weights = cell_.weights + row;
    float* means = cell_.means + row;
    for (size_t k = 0; k < padded_; k += lanes_) {
      const V weight = hn::Mul(hn::Load(d_, factor_ + k), hn::Load(d_, weights + k));
      hn::Store(hn::MulAdd(weight, scale, hn::Load(d_, means + k)), d_, means + k);
    }
    if (old != kNoTopic) means[old] += correction / total_;
  }

  const Tag d_;
  const GibbsCell cell_;
  const size_t lanes_;
  const size_t padded_;
  hwy::AlignedFreeUniquePtr<float[]> rows_;
  float* inverse_;  // 1 / sum_k
  float* factor_;
  float* below_;
  float* document_ = nullptr;
  float total_ = 0;
  const uint32_t end_;  // of the cell's tokens
  float only_[32] = {};
  float before_[17] = {};             // weight of the topics of all lanes below
  alignas(64) int32_t from_[4 * 16];  // the lane 1, 2, 4 and 8 below each, or the first
};

}  // namespace sda::lda::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SDA_LDA_GIBBS_SAMPLER_INL_H_
