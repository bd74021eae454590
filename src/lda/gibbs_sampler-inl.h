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

// A topic's weight is a product of two rows,
//   p_k ~ factor_k weights_vk,   factor_k = (n_dk + alpha_k) / sum_k,
// where only the token's own topic has to be corrected for the token itself.
//
// One token after the other is a chain of instructions that wait for each other. So the processor
// gets two documents to work on at a time: a token of each is drawn, then both are counted.
class CellSampler {
 public:
  explicit CellSampler(const GibbsCell& cell)
      : cell_(cell),
        padded_((cell.topic_count + Lanes() - 1) / Lanes() * Lanes()),
        rows_(hwy::AllocateAligned<float>((1 + 2 * kSlots) * cell.width)),
        inverse_(rows_.get()),
        next_(cell.pieces.begin()) {
    for (size_t k = 0; k < padded_; ++k) {
      inverse_[k] = k < cell.topic_count ? 1 / static_cast<float>(cell.sums[k]) : 0;
    }
    for (size_t i = 0; i < kSlots; ++i) {
      slots_[i].factor = inverse_ + (1 + 2 * i) * cell.width;
      slots_[i].below = slots_[i].factor + cell.width;
    }
    for (int step = 0; step < 4; ++step) {
      for (int lane = 0; lane < 16; ++lane) {
        from_[16 * step + lane] = std::max(lane - (1 << step), 0);
      }
    }
  }

  void RunInPairs() {
    Slot& a = slots_[0];
    Slot& b = slots_[1];
    while (HasToken(&a) && HasToken(&b)) {
      const Drawn drawn_a = Draw(&a);
      if (cell_.words[b.token] * cell_.width == drawn_a.row) {
        Settle(drawn_a, &a);
        Settle(Draw(&b), &b);
      } else {
        const Drawn drawn_b = Draw(&b);
        Settle(drawn_a, &a);
        Settle(drawn_b, &b);
      }
    }
    // The other one has been asked for a piece only if a had one.
    RunRest(&a);
    RunRest(&b);
  }

  void RunOneByOne() { RunRest(&slots_[0]); }

 private:
  using Tag = hn::CappedTag<float, 16>;
  using V = hn::Vec<Tag>;
  static HWY_INLINE size_t Lanes() { return hn::Lanes(Tag()); }
  static constexpr size_t kSlots = 2;
  // A difference that cancels to less than this share has too few digits.
  static constexpr float kCancellation = 0.01F;
  // Tokens between the asking for a word's row and its use.
  static constexpr uint32_t kAhead = 2;

  // A document in work.
  struct Slot {
    float* counts = nullptr;  // n_dk
    float* factor = nullptr;
    float* below = nullptr;  // see Draw
    uint32_t token = 0;      // the next one
    uint32_t end = 0;
  };

  struct Drawn {
    size_t row;
    float correction;
    float total;  // of the weights
    uint32_t old;
    uint32_t topic;
  };

  bool HasToken(Slot* slot) {
    if (slot->token < slot->end) return true;
    if (next_ == cell_.pieces.end()) return false;
    const GibbsPiece& piece = *next_++;
    if (cell_.pieces.end() - next_ > 1) Prefetch(next_[1]);
    slot->token = piece.begin;
    slot->end = piece.end;
    slot->counts = cell_.document_counts + piece.document * cell_.width;
    for (size_t k = 0; k < padded_; k += Lanes()) {
      const V counts = hn::Add(hn::Load(d_, slot->counts + k), hn::Load(d_, cell_.alpha + k));
      hn::Store(hn::Mul(counts, hn::Load(d_, inverse_ + k)), d_, slot->factor + k);
    }
    return true;
  }

  void RunRest(Slot* slot) {
    while (HasToken(slot)) Settle(Draw(slot), slot);
  }

  // Draws a topic for the slot's next token.
  HWY_INLINE Drawn Draw(Slot* slot) {
    const uint32_t token = slot->token;
    if (token + kAhead < slot->end) PrefetchWord(token + kAhead);
    Drawn drawn;
    drawn.row = cell_.words[token] * cell_.width;
    drawn.old = cell_.topics[token];
    drawn.correction = 0;
    if (drawn.old != kNoTopic) {
      const float with = slot->factor[drawn.old] * cell_.weights[drawn.row + drawn.old];
      const float without = WeightWithout(*slot, drawn.row, drawn.old);
      drawn.correction = without - with;
      if (without < kCancellation * with) {  // then it is really taken out
        Move(drawn.row, drawn.old, -1, slot);
        drawn.old = kNoTopic;
        drawn.correction = 0;
      }
    }
    Invert(static_cast<float>(Mix(cell_.key + token) >> 40) * 0x1p-24F, *slot, &drawn);
    return drawn;
  }

  // Counts the token where it was drawn.
  HWY_INLINE void Settle(const Drawn& drawn, Slot* slot) {
    if (cell_.means != nullptr) AddProbabilities(drawn, *slot);
    const uint32_t token = slot->token++;
    if (drawn.topic == drawn.old) return;
    if (drawn.old != kNoTopic) Move(drawn.row, drawn.old, -1, slot);
    Move(drawn.row, drawn.topic, 1, slot);
    cell_.topics[token] = drawn.topic;
  }

  HWY_INLINE void PrefetchRow(const float* row) const {
    for (size_t k = 0; k < padded_; k += 16) hwy::Prefetch(row + k);
  }

  HWY_INLINE void PrefetchWord(uint32_t token) const {
    PrefetchRow(cell_.weights + cell_.words[token] * cell_.width);
  }

  // What a document needs to begin.
  void Prefetch(const GibbsPiece& piece) const {
    PrefetchRow(cell_.document_counts + piece.document * cell_.width);
    const uint32_t end = std::min(piece.begin + kAhead, piece.end);
    for (uint32_t token = piece.begin; token < end; ++token) PrefetchWord(token);
  }

  // The weight of a topic without one of its tokens.
  HWY_INLINE float WeightWithout(const Slot& slot, size_t row, uint32_t k) const {
    return (slot.counts[k] - 1 + cell_.alpha[k]) *
           std::max(cell_.weights[row + k] - 1, cell_.least) /
           (static_cast<float>(cell_.sums[k]) - 1);
  }

  HWY_INLINE void Move(size_t row, uint32_t k, int tokens, Slot* slot) {
    float& weight = cell_.weights[row + k];
    weight = std::max(weight + static_cast<float>(tokens), cell_.least);
    cell_.sums[k] += tokens;
    inverse_[k] = 1 / static_cast<float>(cell_.sums[k]);
    slot->counts[k] += static_cast<float>(tokens);
    // The whole vector, since the next token reads it whole: a part still on its way to memory
    // would have to be waited for.
    float* factor = slot->factor + k / Lanes() * Lanes();
    const V changed = hn::Set(d_, (slot->counts[k] + cell_.alpha[k]) * inverse_[k]);
    hn::Store(hn::IfThenElse(IsLane(k % Lanes()), changed, hn::Load(d_, factor)), d_, factor);
  }

  HWY_INLINE hn::Mask<Tag> IsLane(size_t lane) const {
    return hn::Eq(hn::Iota(d_, 0), hn::Set(d_, static_cast<float>(lane)));
  }

  // The topic where the distribution function passes u; topics in the order of their lane, then of
  // their number. below_k is the weight of the topics of k's lane up to k, before the correction.
  HWY_INLINE void Invert(float u, const Slot& slot, Drawn* drawn) {
    const float* weights = cell_.weights + drawn->row;
    V sum = hn::Zero(d_);
    for (size_t k = 0; k < padded_; k += Lanes()) {
      sum = hn::MulAdd(hn::Load(d_, slot.factor + k), hn::Load(d_, weights + k), sum);
      hn::Store(sum, d_, slot.below + k);
    }
    const size_t old_lane = drawn->old % Lanes();
    const V correction = hn::IfThenElseZero(IsLane(old_lane), hn::Set(d_, drawn->correction));
    const V up_to = PrefixSum(hn::Add(sum, correction));
    float before[17];  // weight of all lanes below each
    before[0] = 0;
    hn::StoreU(up_to, d_, before + 1);
    drawn->total = before[Lanes()];
    const float at = u * drawn->total;
    const size_t lane = std::min(hn::CountTrue(d_, hn::Le(up_to, hn::Set(d_, at))), Lanes() - 1);
    const float rest = at - before[lane];
    // Up to the token's own topic, and from there on. A table, for a loop without branches.
    const float limits[2] = {rest, lane == old_lane ? rest - drawn->correction : rest};
    size_t passed = 0;
    for (size_t k = lane; k < padded_; k += Lanes()) {
      passed += static_cast<size_t>(slot.below[k] <= limits[k >= drawn->old]);
    }
    // Beyond the last only where rounding made the end of the lane.
    const size_t topic = std::min(lane + passed * Lanes(), cell_.topic_count - 1);
    drawn->topic = static_cast<uint32_t>(topic);
  }

  HWY_INLINE V PrefixSum(V sum) const {
    const V lane = hn::Iota(d_, 0);
    const int32_t* from = from_;
    for (size_t step = 1; step < Lanes(); step *= 2, from += 16) {
      const V moved = hn::TableLookupLanes(sum, hn::SetTableIndices(d_, from));
      const V first = hn::Set(d_, static_cast<float>(step));
      sum = hn::Add(sum, hn::IfThenElseZero(hn::Ge(lane, first), moved));
    }
    return sum;
  }

  void AddProbabilities(const Drawn& drawn, const Slot& slot) const {
    const V scale = hn::Set(d_, 1 / drawn.total);
    const float* weights = cell_.weights + drawn.row;
    float* means = cell_.means + drawn.row;
    for (size_t k = 0; k < padded_; k += Lanes()) {
      const V weight = hn::Mul(hn::Load(d_, slot.factor + k), hn::Load(d_, weights + k));
      hn::Store(hn::MulAdd(weight, scale, hn::Load(d_, means + k)), d_, means + k);
    }
    if (drawn.old != kNoTopic) means[drawn.old] += drawn.correction / drawn.total;
  }

  const Tag d_;
  const GibbsCell cell_;
  const size_t padded_;
  hwy::AlignedFreeUniquePtr<float[]> rows_;
  float* inverse_;  // 1 / sum_k
  Slot slots_[kSlots];
  std::span<const GibbsPiece>::iterator next_;
  alignas(64) int32_t from_[4 * 16];  // the lane 1, 2, 4 and 8 below each, or the first
};

}  // namespace sda::lda::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SDA_LDA_GIBBS_SAMPLER_INL_H_
