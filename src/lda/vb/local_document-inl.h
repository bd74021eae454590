// One document in LocalVB: its topics, their weights and its rows. Included once per target by
// Highway's foreach_target.
#if defined(SDA_LDA_LOCAL_DOCUMENT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SDA_LDA_LOCAL_DOCUMENT_INL_H_
#undef SDA_LDA_LOCAL_DOCUMENT_INL_H_
#else
#define SDA_LDA_LOCAL_DOCUMENT_INL_H_
#endif

#include <hwy/aligned_allocator.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lda/memory.h"
#include "lda/vb/kernels.h"
#include "lda/vb/special-inl.h"
#include "lda/vb/sums_of_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The state of LocalVB for one document. In the first updates all topics have weight, and the
// words' rows are used where they lie. Once few topics have ("active"), the rows' entries of those
// are packed into a matrix, topic by topic, so that normalisers come out as vectors over words and
// nothing is summed across lanes but once per topic. The words are divided into blocks of kBlock
// vectors, a block's topics lying one after the other, so that a block stays in the L1 cache from
// its normalisers to its sums.
template <class T>
class LocalDocument : private LocalScratch<T> {
 public:
  // Uses the memory of *scratch until its end.
  explicit LocalDocument(LocalScratch<T>* scratch)
      : LocalScratch<T>(std::move(*scratch)), lender_(scratch) {}
  ~LocalDocument() { *lender_ = std::move(static_cast<LocalScratch<T>&>(*this)); }
  LocalDocument(const LocalDocument&) = delete;
  LocalDocument& operator=(const LocalDocument&) = delete;

  // From now on the documents are those of the problem.
  void Take(const LocalProblem<T>* problem) {
    problem_ = problem;
    topics_ = problem->topics;
    stride_ = PaddedWidth<T>(topics_);
    const size_t padded = stride_ + 64 / sizeof(T);
    ids_.resize(padded);
    slots_.resize(padded);
    for (auto* v : {&gamma_, &weight_, &alpha_, &sums_}) {
      Reserve(padded, v);
      std::fill_n(v->get(), padded, T(0));
    }
    Reserve(padded * hn::Lanes(d_), &partial_);
  }

  // Runs LocalVB of a document, from gamma of some topics or, where warm_topics is null, from ones.
  // The next document to run has the entries after this one's up to next_last.
  void Run(size_t document, const uint32_t* warm_topics, const T* warm_gamma, size_t warm_count,
           uint64_t next_last, LocalState<T>* state);

 private:
  using D = hn::ScalableTag<T>;
  using typename LocalScratch<T>::Buffer;
  using typename LocalScratch<T>::Id;
  using LocalScratch<T>::alpha_;
  using LocalScratch<T>::counts_;
  using LocalScratch<T>::gamma_;
  using LocalScratch<T>::ids_;
  using LocalScratch<T>::matrix_;
  using LocalScratch<T>::partial_;
  using LocalScratch<T>::ratio_;
  using LocalScratch<T>::slots_;
  using LocalScratch<T>::sums_;
  using LocalScratch<T>::weight_;
  static constexpr size_t kBlock = 4;
  static constexpr size_t kWords = 4;        // whose rows are used together while not packed
  static constexpr int kAhead = 2;           // rows of the next document, with each packed update
  static constexpr size_t kAlwaysPack = 32;  // active topics
  static void Reserve(size_t size, Buffer* buffer) {
    if (size <= buffer->size) return;
    buffer->data = Allocate<T>(size + size / 2);
    buffer->size = size + size / 2;
    std::fill_n(buffer->get(), buffer->size, T(0));
  }

  const T* Row(size_t i) const { return problem_->rows + words_[i] * stride_; }

  // Packed updates mostly wait for what they computed last, so rows of the next document can come
  // from the L3 cache meanwhile, a few with each.
  void FetchAhead() {
    for (int i = 0; i < kAhead && next_entry_ < next_last_; ++i, ++next_entry_) {
      const T* row = problem_->rows + problem_->words[next_entry_] * stride_;
      for (size_t k = 0; k < stride_; k += 64 / sizeof(T)) hwy::Prefetch(row + k);
    }
  }
  void Open(size_t document);
  double FirstUpdate();
  void TakeWarm(const uint32_t* topics, const T* gamma, size_t count);
  void ComputeWeights();
  void ChooseTopics();
  void Drop();
  void Pack();
  // Whether the tokens ensure that some gamma is 1/2 or more.
  bool HasLargeGamma() const { return 2 * tokens_ >= active_; }
  size_t ComputeWeight(hn::Vec<D> gamma, hn::Vec<D> least, hn::Mask<D> real, size_t i);
  // The sums over words of the active topics from i, after Sum().
  hn::Vec<D> Sums(size_t i) {
    return packed_ == 0 ? hn::Load(d_, sums_.get() + i)
                        : SumsOfLanes(d_, partial_.get() + i * hn::Lanes(d_));
  }
  bool Sum() { return packed_ == 0 ? SumRows() : SumBlocks(); }
  bool SumRows();
  void AddRows(const T* ratio);
  template <size_t kVectors>
  void AddColumns(const T* ratio, size_t k);
  bool SumBlocks();
  template <size_t kVectors>
  bool SumBlock(size_t first);
  hn::Vec<D> Ratio(hn::Vec<D> norm, size_t first, hn::Mask<D>* fine);
  double Update();
  double LogSpaceUpdate();
  void Finish(size_t document, LocalState<T>* state);
  void LeaveForStatistics(size_t document);
  std::vector<T> DenseGamma();

  const LocalProblem<T>* problem_ = nullptr;
  size_t topics_ = 0;
  size_t stride_ = 0;
  const D d_{};

  uint64_t first_entry_ = 0;
  uint64_t next_entry_ = 0, next_last_ = 0;
  size_t size_ = 0;  // distinct words
  uint64_t tokens_ = 0;
  const uint32_t* words_ = nullptr;

  size_t active_ = 0;          // all topics, in their order, while packed_ is 0
  size_t alive_ = 0;           // active topics of nonzero weight
  size_t packed_ = 0;          // topics in matrix_; 0: the rows are used where they lie
  double dropped_change_ = 0;  // |change of gamma| still to come of topics dropped before it
  uint64_t log_space_words_ = 0;
  LocalScratch<T>* const lender_;
};

template <class T>
void LocalDocument<T>::Open(size_t document) {
  first_entry_ = problem_->offsets[document];
  size_ = problem_->offsets[document + 1] - first_entry_;
  words_ = problem_->words + first_entry_;
  const size_t width = kBlock * hn::Lanes(d_);
  const size_t padded = (size_ + width - 1) / width * width;
  Reserve(padded, &counts_);
  Reserve(padded, &ratio_);
  Reserve(padded * hn::Lanes(d_), &partial_);
  tokens_ = 0;
  if (problem_->fractions != nullptr) {
    double sum = 0;
    for (size_t i = 0; i < size_; ++i) {
      counts_[i] = static_cast<T>(problem_->fractions[first_entry_ + i]);
      sum += problem_->fractions[first_entry_ + i];
    }
    tokens_ = static_cast<uint64_t>(sum);
  } else {
    for (size_t i = 0; i < size_; ++i) {
      counts_[i] = static_cast<T>(problem_->counts[first_entry_ + i]);
      tokens_ += problem_->counts[first_entry_ + i];
    }
  }
  std::fill(counts_.get() + size_, counts_.get() + padded, T(0));
  dropped_change_ = 0;
  packed_ = 0;
}

template <class T>
void LocalDocument<T>::TakeWarm(const uint32_t* topics, const T* gamma, size_t count) {
  active_ = count;
  for (size_t i = 0; i < count; ++i) {
    ids_[i] = topics[i];
    alpha_[i] = problem_->alpha[topics[i]];
    gamma_[i] = gamma[i];
  }
}

// weight = exp(digamma(gamma) + least) of the active topics from i. Returns how many are not tiny.
template <class T>
HWY_INLINE size_t LocalDocument<T>::ComputeWeight(hn::Vec<D> gamma, hn::Vec<D> least,
                                                  hn::Mask<D> real, size_t i) {
  const auto parts = ExpDigammaParts(d_, gamma);
  const auto weight = hn::Mul(parts.scale, ExpOfNegative(d_, hn::Sub(least, parts.decay)));
  const auto keep = hn::And(real, hn::Ge(weight, hn::Set(d_, kTiny<T>)));
  hn::Store(hn::IfThenElseZero(keep, weight), d_, weight_.get() + i);
  return hn::CountTrue(d_, keep);
}

// weight = exp(digamma(gamma)) of the active topics. Where the tokens do not ensure that some gamma
// is 1/2 or more, all are divided by a common factor that leaves some topic a weight of 4 or more.
template <class T>
void LocalDocument<T>::ComputeWeights() {
  const size_t lanes = hn::Lanes(d_);
  auto least = hn::Zero(d_);
  if (!HasLargeGamma()) {
    least = hn::Set(d_, T(2e30));
    for (size_t i = 0; i < active_; i += lanes) {
      const auto real = hn::FirstN(d_, active_ - i);
      const auto parts = ExpDigammaParts(d_, hn::Load(d_, gamma_.get() + i));
      least = hn::IfThenElse(real, hn::Min(least, parts.decay), least);
    }
    least = hn::MinOfLanes(d_, least);
  }
  alive_ = 0;
  for (size_t i = 0; i < active_; i += lanes) {
    const auto real = hn::FirstN(d_, active_ - i);
    alive_ += ComputeWeight(hn::Load(d_, gamma_.get() + i), least, real, i);
  }
}

// Leaves out topics without weight where that pays.
template <class T>
void LocalDocument<T>::ChooseTopics() {
  if (packed_ == 0) {
    if (active_ == topics_ && alive_ > std::max(kAlwaysPack, topics_ / 2)) return;
    Drop();
    Pack();
  } else if (alive_ < active_) {
    Drop();
  }
}

// Takes topics without weight out. The next update would set their gamma to alpha.
template <class T>
void LocalDocument<T>::Drop() {
  const size_t lanes = hn::Lanes(d_);
  const hn::RebindToUnsigned<D> unsigned_tag;
  auto lost = hn::Zero(d_);
  size_t kept = 0;
  for (size_t i = 0; i < active_; i += lanes) {
    const auto weight = hn::Load(d_, weight_.get() + i);
    const auto keep = hn::Ne(weight, hn::Zero(d_));
    const auto gamma = hn::Load(d_, gamma_.get() + i);
    const auto alpha = hn::Load(d_, alpha_.get() + i);
    const auto change = hn::IfThenZeroElse(keep, hn::Abs(hn::Sub(gamma, alpha)));
    lost = hn::Add(lost, hn::IfThenElseZero(hn::FirstN(d_, active_ - i), change));
    hn::StoreU(hn::Compress(weight, keep), d_, weight_.get() + kept);
    hn::StoreU(hn::Compress(gamma, keep), d_, gamma_.get() + kept);
    hn::StoreU(hn::Compress(alpha, keep), d_, alpha_.get() + kept);
    const auto keep_id = hn::RebindMask(unsigned_tag, keep);
    for (Id* ids : {ids_.data(), slots_.data()}) {
      const auto id = hn::LoadU(unsigned_tag, ids + i);
      hn::StoreU(hn::Compress(id, keep_id), unsigned_tag, ids + kept);
    }
    kept += hn::CountTrue(d_, keep);
  }
  dropped_change_ += hn::GetLane(hn::SumOfLanes(d_, lost));
  active_ = kept;
  std::fill_n(weight_.get() + kept, lanes, T(0));
}

// Four words at a time, so that what is written lies side by side. Lanes without a word keep what
// documents before left there: their ratio is zero, because their count is.
template <class T>
void LocalDocument<T>::Pack() {
  const size_t width = kBlock * hn::Lanes(d_);  // a multiple of four
  packed_ = active_;
  Reserve((size_ + width - 1) / width * width * packed_, &matrix_);
  for (size_t a = 0; a < active_; ++a) slots_[a] = static_cast<Id>(a);
  const Id* const ids = ids_.data();
  for (size_t i = 0; i < size_; i += 4) {
    const T* rows[4];
    for (size_t j = 0; j < 4; ++j) rows[j] = Row(std::min(i + j, size_ - 1));
    T* HWY_RESTRICT column = matrix_.get() + i / width * width * packed_ + i % width;
    for (size_t a = 0; a < active_; ++a, column += width) {
      for (size_t j = 0; j < 4; ++j) column[j] = rows[j][ids[a]];
    }
  }
}

}  // namespace sda::lda::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SDA_LDA_LOCAL_DOCUMENT_INL_H_
