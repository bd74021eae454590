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

#include "base/hash.h"
#include "lda/gibbs/gibbs_kernels.h"
#include "lda/gibbs/gibbs_vectors-inl.h"
#include "lda/memory.h"

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A topic's weight has two parts,
//   p_k ~ n_dk factor_k weights_vk + smoothing_k weights_vk.
// Only the few topics of the document have the first. The second is small, and its sum over all
// topics is kept for every word: they are looked at only for the few tokens drawn from it.
//
// One token after the other is a chain of instructions that wait for each other. So the processor
// gets several documents to work on at a time: a token of each is drawn, then all are counted.
//
// kLong: the pieces with weights, one after the other, since several are of one document.
template <bool kExact, bool kFirst, bool kMeans, bool kLong>
class CellSampler {
 public:
  explicit CellSampler(const GibbsCell& cell)
      : cell_(cell),
        rows_(Allocate<float>((2 + 2 * kSlots) * cell.width)),
        step_(rows_.get()),
        running_(step_ + cell.width),
        pieces_(kLong ? cell.long_pieces : cell.pieces),
        next_(pieces_.begin()) {
    if (!pieces_.empty()) last_ = pieces_.back().end - 1;
    for (size_t k = 0; k < cell.topic_count; ++k) {
      step_[k] = cell.unit[k] * cell.smoothing[k];
      least_smooth_ += cell.least * cell.smoothing[k];
    }
    least_smooth_ = std::max(least_smooth_, kLeastTotal);
    for (size_t i = 0; i < kSlots; ++i) {
      slots_[i].weights = running_ + (1 + 2 * i) * cell.width;
      slots_[i].below = slots_[i].weights + cell.width;
    }
  }

  void RunSideBySide() {
    while (!kLong && HasToken(&slots_[0]) && HasToken(&slots_[1]) && HasToken(&slots_[2])) {
      const Drawn drawn_0 = Draw(&slots_[0]);
      const Drawn drawn_1 = Draw(&slots_[1]);
      const Drawn drawn_2 = Draw(&slots_[2]);
      Settle(drawn_0, &slots_[0]);
      Settle(drawn_1, &slots_[1]);
      Settle(drawn_2, &slots_[2]);
    }
    for (Slot& slot : slots_) {
      while (HasToken(&slot)) Settle(Draw(&slot), &slot);
    }
  }

  // What is otherwise done once a sweep is done for each token.
  void RunOneByOne() {
    Slot& slot = slots_[0];
    while (HasToken(&slot)) {
      const uint32_t token = slot.token;
      const size_t row = cell_.token_words[token] * cell_.width;
      GibbsWord& word = cell_.words[cell_.token_words[token]];
      if (!kFirst) {
        const uint32_t old = cell_.token_topics[token];
        float& count = slot.document->count(slot.document->PlaceOf(static_cast<int32_t>(old)));
        count = kLong ? std::max(count - slot.weight, 0.0F) : count - 1;
        TakeOut(old, slot, cell_.weights + row);
        Refresh(old);
      }
      word = {SmoothSum(cell_.smoothing, cell_.weights + row, cell_.width), 0};
      Settle(Draw(&slot), &slot);
      if (kMeans) {
        AddSmoothRow(word.share, cell_.smoothing, cell_.weights + row, cell_.width,
                     cell_.means + row);
        word.share = 0;
      }
      Refresh(cell_.token_topics[token]);
    }
  }

 private:
  using Tag = PlacesTag;
  using IntTag = hn::RebindToSigned<Tag>;
  using V = hn::Vec<Tag>;
  static HWY_INLINE size_t Lanes() { return hn::Lanes(Tag()); }
  static constexpr size_t kPlaces = TopicBlock::kPlaces;
  static constexpr size_t kSlots = 3;
  // Whether the token drawn is still counted.
  static constexpr bool kTakesOut = !kExact && !kFirst;
  static constexpr float kLeastTotal = 1e-30F;  // of p_k, which is divided by it
  // How far ahead memory is prefetched.
  static constexpr ptrdiff_t kPiecesAhead = 4;
  static constexpr uint32_t kTokensAhead = 12;

  // A document in work.
  struct Slot {
    DocumentTopics* document = nullptr;
    float* weights = nullptr;  // of its topics: the first part of p_k
    float* below = nullptr;    // and the sum of them up to each
    uint32_t token = 0;        // the next one
    uint32_t end = 0;
    float weight = 1;    // of each token: kLong
    int64_t tokens = 1;  // the same
  };
  // Constants where there are no weights.
  static HWY_INLINE float Weight(const Slot& slot) { return kLong ? slot.weight : 1.0F; }
  static HWY_INLINE int64_t TokensOf(const Slot& slot) { return kLong ? slot.tokens : 1; }

  struct Drawn {
    uint64_t hash;
    size_t place;  // in the document; beyond its places: from the second part
    float total;   // of p_k
  };

  HWY_INLINE bool HasToken(Slot* slot) {
    if (HWY_LIKELY(slot->token < slot->end)) return true;
    if (next_ == pieces_.end()) return false;
    const GibbsPiece& piece = *next_++;
    slot->token = piece.begin;
    slot->end = piece.end;
    if (kLong) slot->tokens = piece.weight;
    if (kLong) slot->weight = static_cast<float>(piece.weight);
    slot->document = cell_.documents + piece.document;
    if (pieces_.end() - next_ > kPiecesAhead) {
      const TopicBlock* blocks = cell_.documents[next_[kPiecesAhead].document].blocks;
      hwy::Prefetch(blocks);
      hwy::Prefetch(blocks + 1);
    }
    return true;
  }

  HWY_INLINE void PrefetchWord(uint32_t token) const {
    const uint32_t word = cell_.token_words[std::min(token, last_)];
    hwy::Prefetch(cell_.words + word);
    const float* weights = cell_.weights + word * cell_.width;
    for (size_t k = 0; k < cell_.width; k += 16) hwy::Prefetch(weights + k);
  }

  // Draws a place for the slot's next token and takes the token out of the document.
  HWY_INLINE Drawn Draw(Slot* slot) {
    if (slot->document->used == 1) return DrawFrom(1, slot);
    if (slot->document->used == 2) return DrawFrom(2, slot);
    return DrawFrom(slot->document->used, slot);
  }

  // The number of blocks is an argument so that the compiler can know it.
  HWY_INLINE Drawn DrawFrom(size_t used, Slot* slot) {
    const uint32_t token = slot->token;
    if (cell_.width <= 128) PrefetchWord(token + kTokensAhead);
    const uint32_t word = cell_.token_words[token];
    const uint32_t old = cell_.token_topics[token];
    const float* weights = cell_.weights + word * cell_.width;
    const auto own_topic = hn::Set(di_, static_cast<int32_t>(old));
    const V unit = hn::Set(d_, kTakesOut ? cell_.unit[old] * Weight(*slot) : 0);
    const V least = hn::Set(d_, cell_.least);
    TopicBlock* blocks = slot->document->blocks;
    V sum = hn::Zero(d_);
    for (size_t at = 0; at < used * kPlaces; at += Lanes()) {
      TopicBlock& block = blocks[at / kPlaces];
      const size_t i = at % kPlaces;
      const auto topics = hn::Load(di_, block.topics + i);
      V counts = hn::Load(d_, block.counts + i);
      V weight = Gather(weights, block.topics + i);
      if constexpr (kTakesOut) {
        const auto own =
            hn::And(hn::RebindMask(d_, hn::Eq(topics, own_topic)), hn::Gt(counts, hn::Zero(d_)));
        counts = hn::Sub(counts, hn::IfThenElseZero(own, hn::Set(d_, Weight(*slot))));
        if (kLong) counts = hn::Max(counts, hn::Zero(d_));
        hn::Store(counts, d_, block.counts + i);
        weight = hn::Max(hn::Sub(weight, hn::IfThenElseZero(own, unit)), least);
      }
      V p = hn::Mul(counts, weight);
      if constexpr (kExact) p = hn::Mul(p, Gather(cell_.factor, block.topics + i));
      if (kMeans) hn::Store(p, d_, slot->weights + at);
      const V below = hn::Add(sum, PrefixSum(p));
      hn::Store(below, d_, slot->below + at);
      sum = LastLane(below);
    }
    Drawn drawn;
    drawn.hash = Mix(cell_.key + token);
    float smooth = cell_.words[word].smooth;
    if (kTakesOut) smooth = std::max(smooth - step_[old] * Weight(*slot), least_smooth_);
    const V total = hn::Add(sum, hn::Set(d_, smooth));
    drawn.total = hn::GetLane(total);
    const V u = hn::Mul(total, hn::Set(d_, Uniform(drawn.hash)));
    drawn.place = 0;
    for (size_t at = 0; at < used * kPlaces; at += Lanes()) {
      drawn.place += hn::CountTrue(d_, hn::Le(hn::Load(d_, slot->below + at), u));
    }
    return drawn;
  }

  // Counts the token where it was drawn.
  HWY_INLINE void Settle(const Drawn& drawn, Slot* slot) {
    const uint32_t token = slot->token++;
    const size_t row = cell_.token_words[token] * cell_.width;
    float* weights = cell_.weights + row;
    GibbsWord& word = cell_.words[cell_.token_words[token]];
    const uint32_t old = cell_.token_topics[token];
    DocumentTopics& document = *slot->document;
    if (kMeans) AddMeans(drawn, old, cell_.means + row, &word, *slot);
    if (kTakesOut) TakeOut(old, *slot, weights);
    size_t place = drawn.place;
    // A place without a token has no weight, and is drawn only where rounding makes it.
    if (HWY_UNLIKELY(place >= document.used * kPlaces || !(document.count(place) > 0))) {
      place = document.PlaceOf(
          static_cast<int32_t>(DrawSmooth(cell_.smoothing, weights, cell_.topic_count, cell_.width,
                                          Uniform(Mix(drawn.hash)), running_)));
    }
    TopicBlock& block = document.blocks[place / kPlaces];
    const auto topic = static_cast<uint32_t>(block.topics[place % kPlaces]);
    // The whole vector, since the next token reads it whole: a part still on its way to memory
    // would have to be waited for.
    float* counts = block.counts + place % kPlaces / Lanes() * Lanes();
    const auto lane = hn::Set(di_, static_cast<int32_t>(place % Lanes()));
    const auto here = hn::RebindMask(d_, hn::Eq(hn::Iota(di_, 0), lane));
    const V one = hn::IfThenElseZero(here, hn::Set(d_, Weight(*slot)));
    hn::Store(hn::Add(hn::Load(d_, counts), one), d_, counts);
    weights[topic] += cell_.unit[topic] * Weight(*slot);
    cell_.moved[topic] += TokensOf(*slot);
    word.smooth += (kTakesOut ? step_[topic] - step_[old] : step_[topic]) * Weight(*slot);
    if (kMeans) cell_.means[row + topic] -= Step(topic, *slot) * word.share;
    cell_.token_topics[token] = topic;
  }

  // Adds p(z = k) to the means. Of the second part only 1 / total is kept: at the end, the weights
  // of that time are added that often, for this token and those before it. So what it takes out and
  // puts in is counted the other way.
  void AddMeans(const Drawn& drawn, uint32_t old, double* means, GibbsWord* word,
                const Slot& slot) {
    const float scale = Weight(slot) / std::max(drawn.total, kLeastTotal);
    for (size_t b = 0; b < slot.document->used; ++b) {
      for (size_t i = 0; i < kPlaces; ++i) {
        means[slot.document->blocks[b].topics[i]] +=
            static_cast<double>(scale * slot.weights[b * kPlaces + i]);
      }
    }
    if (kTakesOut) means[old] += Step(old, slot) * word->share;
    word->share += static_cast<double>(scale);
  }

  HWY_INLINE void TakeOut(uint32_t k, const Slot& slot, float* weights) {
    weights[k] = std::max(weights[k] - cell_.unit[k] * Weight(slot), cell_.least);
    cell_.moved[k] -= TokensOf(slot);
  }

  // How much a token of topic k adds to smoothing_k weights_k.
  HWY_INLINE double Step(uint32_t k, const Slot& slot) const {
    return static_cast<double>(step_[k] * Weight(slot));
  }

  void Refresh(uint32_t k) {
    const double sum = cell_.sums[k] + cell_.moved[k];
    cell_.factor[k] = static_cast<float>(1 / sum);
    cell_.smoothing[k] = static_cast<float>(cell_.alpha[k] / sum);
    step_[k] = cell_.unit[k] * cell_.smoothing[k];
  }

  const Tag d_{};
  const IntTag di_{};
  const GibbsCell cell_;
  hwy::AlignedFreeUniquePtr<float[]> rows_;
  float* step_;             // unit_k smoothing_k
  float* running_;          // see DrawSmooth
  float least_smooth_ = 0;  // sum_k smoothing_k weights_k is never below it
  uint32_t last_ = 0;       // token of the cell
  Slot slots_[kSlots];
  const std::span<const GibbsPiece> pieces_;
  std::span<const GibbsPiece>::iterator next_;
};

}  // namespace sda::lda::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SDA_LDA_GIBBS_SAMPLER_INL_H_
