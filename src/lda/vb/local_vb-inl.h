// The updates of LocalVB. Included once per target by Highway's foreach_target.
#if defined(SDA_LDA_LOCAL_VB_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SDA_LDA_LOCAL_VB_INL_H_
#undef SDA_LDA_LOCAL_VB_INL_H_
#else
#define SDA_LDA_LOCAL_VB_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lda/vb/kernels.h"
#include "lda/vb/local_document-inl.h"
#include "lda/vb/log_space.h"
#include "lda/vb/sums_of_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sda::lda::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// sums_ = sum_v ratio_v row_v, in registers over the words for as many topics as fit there.
template <class T>
void LocalDocument<T>::AddRows(const T* ratio) {
  for (size_t k = 0; k < stride_; k += 8 * hn::Lanes(d_)) AddColumns<8>(ratio, k);
}

// Of kVectors vectors from topic k, or of fewer at the end.
template <class T>
template <size_t kVectors>
HWY_INLINE void LocalDocument<T>::AddColumns(const T* ratio, size_t k) {
  const size_t lanes = hn::Lanes(d_);
  if constexpr (kVectors > 1) {
    if (stride_ - k < kVectors * lanes) return AddColumns<kVectors - 1>(ratio, k);
  }
  hn::Vec<D> sum[kVectors];
  for (size_t j = 0; j < kVectors; ++j) sum[j] = hn::Zero(d_);
  for (size_t i = 0; i < size_; ++i) {
    const auto r = hn::Set(d_, ratio[i]);
    const T* row = Row(i) + k;
    for (size_t j = 0; j < kVectors; ++j) {
      sum[j] = hn::MulAdd(r, hn::Load(d_, row + j * lanes), sum[j]);
    }
  }
  for (size_t j = 0; j < kVectors; ++j) hn::Store(sum[j], d_, sums_.get() + k + j * lanes);
}

// From gamma = 1 all topics have one weight, so phi_v is the row of v itself. Returns the sum over
// topics of |change of gamma|.
template <class T>
double LocalDocument<T>::FirstUpdate() {
  AddRows(counts_.get());
  active_ = topics_;
  const size_t lanes = hn::Lanes(d_);
  const hn::RebindToUnsigned<D> unsigned_tag;
  auto change = hn::Zero(d_);
  for (size_t k = 0; k < topics_; k += lanes) {
    const auto alpha = hn::LoadU(d_, problem_->alpha + k);
    const auto gamma = hn::Add(alpha, hn::Load(d_, sums_.get() + k));
    hn::Store(alpha, d_, alpha_.get() + k);
    hn::Store(gamma, d_, gamma_.get() + k);
    hn::StoreU(hn::Iota(unsigned_tag, static_cast<Id>(k)), unsigned_tag, ids_.data() + k);
    change = hn::Add(change, hn::IfThenElseZero(hn::FirstN(d_, topics_ - k),
                                                hn::Abs(hn::Sub(gamma, hn::Set(d_, T(1))))));
  }
  return hn::GetLane(hn::SumOfLanes(d_, change));
}

// partial_ = sum_v ratio_v row_v over the packed words, with ratio_v = n_v / sum_k weight_k row_vk;
// a topic's lanes are still to be added up. Returns whether a normaliser is too small. SumRows() is
// the same for rows where they lie, but leaves sums_.
template <class T>
bool LocalDocument<T>::SumBlocks() {
  const size_t lanes = hn::Lanes(d_);
  bool fine = true;
  for (size_t first = 0; first < size_; first += kBlock * lanes) {
    const size_t words = size_ - first;
    fine &= words > 3 * lanes   ? SumBlock<4>(first)
            : words > 2 * lanes ? SumBlock<3>(first)
            : words > lanes     ? SumBlock<2>(first)
                                : SumBlock<1>(first);
  }
  return !fine;
}

// n / norm of the words from `first`; 0 where norm is too small; `fine` then becomes false.
template <class T>
HWY_INLINE hn::Vec<hn::ScalableTag<T>> LocalDocument<T>::Ratio(hn::Vec<D> norm, size_t first,
                                                               hn::Mask<D>* fine) {
  const auto n = hn::Load(d_, counts_.get() + first);
  const auto is_fine = hn::Ge(norm, hn::Set(d_, kSmall<T>));
  *fine = hn::And(*fine, hn::Or(is_fine, hn::Eq(n, hn::Zero(d_))));
  return hn::IfThenElseZero(is_fine, hn::Div(n, norm));
}

// Returns whether all normalisers are fine.
template <class T>
template <size_t kVectors>
bool LocalDocument<T>::SumBlock(size_t first) {
  const size_t lanes = hn::Lanes(d_);
  const size_t width = kBlock * lanes;
  const T* block = matrix_.get() + first * packed_;
  hn::Vec<D> ratio[kVectors];
  for (size_t j = 0; j < kVectors; ++j) ratio[j] = hn::Zero(d_);
  for (size_t a = 0; a < active_; ++a) {
    const auto weight = hn::Set(d_, weight_[a]);
    const T* row = block + slots_[a] * width;
    for (size_t j = 0; j < kVectors; ++j) {
      ratio[j] = hn::MulAdd(weight, hn::Load(d_, row + j * lanes), ratio[j]);
    }
  }
  auto fine = hn::FirstN(d_, lanes);
  for (size_t j = 0; j < kVectors; ++j) {
    ratio[j] = Ratio(ratio[j], first + j * lanes, &fine);
    hn::Store(ratio[j], d_, ratio_.get() + first + j * lanes);
  }
  for (size_t a = 0; a < active_; ++a) {
    const T* row = block + slots_[a] * width;
    T* partial = partial_.get() + a * lanes;
    auto sum = first == 0 ? hn::Zero(d_) : hn::Load(d_, partial);
    for (size_t j = 0; j < kVectors; ++j) {
      sum = hn::MulAdd(ratio[j], hn::Load(d_, row + j * lanes), sum);
    }
    hn::Store(sum, d_, partial);
  }
  return hn::AllTrue(d_, fine);
}

template <class T>
bool LocalDocument<T>::SumRows() {
  const size_t lanes = hn::Lanes(d_);
  const T* rows[kWords];
  for (size_t i = 0; i < size_; i += kWords) {
    hn::Vec<D> sum[kWords];
    for (size_t j = 0; j < kWords; ++j) {
      rows[j] = Row(std::min(i + j, size_ - 1));
      sum[j] = hn::Zero(d_);
    }
    for (size_t k = 0; k < stride_; k += lanes) {
      const auto weight = hn::Load(d_, weight_.get() + k);
      for (size_t j = 0; j < kWords; ++j) {
        sum[j] = hn::MulAdd(weight, hn::Load(d_, rows[j] + k), sum[j]);
      }
    }
    for (size_t j = 0; j < kWords; ++j) hn::Store(sum[j], d_, partial_.get() + (i + j) * lanes);
  }
  auto fine = hn::FirstN(d_, lanes);
  for (size_t i = 0; i < size_; i += lanes) {
    const auto ratio = Ratio(SumsOfLanes(d_, partial_.get() + i * lanes), i, &fine);
    hn::Store(ratio, d_, ratio_.get() + i);
  }
  AddRows(ratio_.get());
  return !hn::AllTrue(d_, fine);
}

// gamma <- alpha + sum_v n_v phi_v, and the weights from it. Returns the sum over topics of
// |change|.
template <class T>
double LocalDocument<T>::Update() {
  if (Sum()) {
    const double change = LogSpaceUpdate();
    ComputeWeights();
    return change;
  }
  const size_t lanes = hn::Lanes(d_);
  auto change = hn::Zero(d_);
  size_t alive = 0;
  for (size_t i = 0; i < active_; i += lanes) {
    const auto real = hn::FirstN(d_, active_ - i);
    const auto gamma =
        hn::MulAdd(hn::Load(d_, weight_.get() + i), Sums(i), hn::Load(d_, alpha_.get() + i));
    const auto before = hn::Load(d_, gamma_.get() + i);
    change = hn::Add(change, hn::IfThenElseZero(real, hn::Abs(hn::Sub(gamma, before))));
    hn::Store(gamma, d_, gamma_.get() + i);
    alive += ComputeWeight(gamma, hn::Zero(d_), real, i);
  }
  alive_ = alive;
  if (!HasLargeGamma()) ComputeWeights();
  const double total = hn::GetLane(hn::SumOfLanes(d_, change)) + dropped_change_;
  dropped_change_ = 0;
  return total;
}

template <class T>
std::vector<T> LocalDocument<T>::DenseGamma() {
  std::vector<T> gamma(problem_->alpha, problem_->alpha + topics_);
  for (size_t a = 0; a < active_; ++a) gamma[ids_[a]] = gamma_[a];
  return gamma;
}

// The update where some words need log space: these may bring dropped topics back, so all topics
// are active after it. Sums() holds the other words' part.
template <class T>
double LocalDocument<T>::LogSpaceUpdate() {
  const std::vector<T> before = DenseGamma();
  std::vector<double> gamma(problem_->alpha, problem_->alpha + topics_);
  for (size_t i = 0; i < active_; i += hn::Lanes(d_)) hn::Store(Sums(i), d_, sums_.get() + i);
  for (size_t a = 0; a < active_; ++a) {
    gamma[ids_[a]] += static_cast<double>(weight_[a]) * static_cast<double>(sums_[a]);
  }
  std::vector<double> phi(topics_);
  for (size_t i = 0; i < size_; ++i) {
    if (ratio_[i] != T(0)) continue;
    problem_->expected_log_beta(words_[i], phi.data());
    LogSpacePhi(before, counts_[i], phi.data());
    for (size_t k = 0; k < topics_; ++k) gamma[k] += phi[k];
    ++log_space_words_;
  }
  double change = dropped_change_;
  dropped_change_ = 0;
  active_ = topics_;
  for (size_t k = 0; k < topics_; ++k) {
    change += std::abs(gamma[k] - static_cast<double>(before[k]));
    ids_[k] = static_cast<Id>(k);
    alpha_[k] = problem_->alpha[k];
    gamma_[k] = static_cast<T>(gamma[k]);
  }
  packed_ = 0;
  return change;
}

// The statistics take phi at the last gamma.
template <class T>
void LocalDocument<T>::Finish(size_t document, LocalState<T>* state) {
  if (packed_ == 0 && active_ < topics_) Pack();
  if (Sum()) {
    const std::vector<T> gamma = DenseGamma();
    for (size_t i = 0; i < size_; ++i) {
      if (ratio_[i] != T(0)) continue;
      std::vector<double> phi(topics_);
      problem_->expected_log_beta(words_[i], phi.data());
      LogSpacePhi(gamma, counts_[i], phi.data());
      state->log_space.push_back({first_entry_ + i, std::move(phi)});
      ++log_space_words_;
    }
  }
  if (problem_->occurrences != nullptr) LeaveForStatistics(document);
  state->topics.insert(state->topics.end(), ids_.begin(), ids_.begin() + active_);
  state->gamma.insert(state->gamma.end(), gamma_.get(), gamma_.get() + active_);
  state->begin.push_back(state->topics.size());
}

template <class T>
void LocalDocument<T>::LeaveForStatistics(size_t document) {
  const uint32_t* places = problem_->places + first_entry_;
  for (size_t i = 0; i < size_; ++i) {
    problem_->occurrences[places[i]] = {static_cast<uint32_t>(document), ratio_[i]};
  }
  T* const weights = problem_->weights + document * stride_;
  std::fill_n(weights, stride_, T(0));
  for (size_t a = 0; a < active_; ++a) weights[ids_[a]] = weight_[a];
}

template <class T>
void LocalDocument<T>::Run(size_t document, const uint32_t* warm_topics, const T* warm_gamma,
                           size_t warm_count, uint64_t next_last, LocalState<T>* state) {
  Open(document);
  next_entry_ = first_entry_ + size_;
  next_last_ = next_last;
  if (size_ == 0) {
    state->begin.push_back(state->topics.size());
    return;
  }
  const double enough = problem_->tolerance * static_cast<double>(topics_);
  int updates = 0;
  bool converged = false;
  if (warm_topics == nullptr) {
    converged = FirstUpdate() < enough;
    updates = 1;
  } else {
    TakeWarm(warm_topics, warm_gamma, warm_count);
  }
  ComputeWeights();
  while (!converged && updates < problem_->updates) {
    ChooseTopics();
    if (packed_ != 0) FetchAhead();
    converged = Update() < enough;
    ++updates;
  }
  Finish(document, state);
  state->tokens += tokens_;
  state->updates += updates;
  state->unconverged += !converged;
  state->log_space_words += log_space_words_;
  log_space_words_ = 0;
}

}  // namespace sda::lda::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SDA_LDA_LOCAL_VB_INL_H_
