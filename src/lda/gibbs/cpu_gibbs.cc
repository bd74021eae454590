#include "lda/gibbs/cpu_gibbs.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "lda/gibbs/twin_topics.h"
#include "lda/memory.h"
#include "lda/topic_rows.h"
#include "lda/vb/kernels.h"

namespace sda::lda {
namespace {

// Rounding of weights that go up and down does not add up over more sweeps than these.
constexpr uint64_t kFreshWeights = 8;
constexpr uint64_t kMostInFloats = uint64_t{1} << 24;

template <class T>
hwy::AlignedFreeUniquePtr<T[]> Zeros(size_t count) {
  auto numbers = Allocate<T>(count);
  PreferLargePages(numbers.get(), count * sizeof(T));
  std::fill_n(numbers.get(), count, T(0));
  return numbers;
}

}  // namespace

template <class Body>
void CpuGibbs::ForEachToken(const Body& body) {
  pool_->ParallelFor(cells_.groups(), [&](size_t g) {
    for (size_t h = 0; h < cells_.groups(); ++h) {
      cells_.ForEachPiece(g, h, [&](const GibbsPiece& piece) {
        for (uint32_t token = piece.begin; token < piece.end; ++token) body(piece, token);
      });
    }
  });
}

template <class Body>
void CpuGibbs::ForEach(size_t count, const Body& body) {
  const size_t groups = cells_.groups();
  pool_->ParallelFor(groups, [&](size_t g) {
    for (size_t i = g * count / groups; i < (g + 1) * count / groups; ++i) body(i);
  });
}

CpuGibbs::CpuGibbs(const LdaSpec& spec, int groups, const Documents& documents,
                   const KeyedRows& prior, uint64_t seed, std::shared_ptr<ThreadPool> pool)
    : prior_(prior),
      pool_(std::move(pool)),
      index_(documents, spec.vocabulary, pool_.get()),
      cells_(documents, index_, groups),
      topics_(spec.topics),
      vocabulary_(spec.vocabulary),
      width_(PaddedWidth<float>(topics_)),
      seed_(seed),
      token_topics_(cells_.words().size()),
      alpha_(spec.Alpha()),
      document_topics_(documents, topics_),
      words_(index_.size()),
      unit_(Zeros<float>(width_)),
      factor_(Zeros<float>(width_)),
      smoothing_(Zeros<float>(width_)),
      weights_(Zeros<float>(index_.size() * width_)),
      means_(Zeros<double>(index_.size() * width_)) {
  SetPrior(prior);
}

void CpuGibbs::SetPrior(const KeyedRows& prior) {
  prior_rows_.clear();
  least_ = std::numeric_limits<float>::max();
  for (const uint64_t word : index_.words) {
    prior_rows_.push_back(prior.At(word).data());
    for (size_t k = 0; k < topics_; ++k) {
      least_ = std::min(least_, static_cast<float>(prior_rows_.back()[k]));
    }
  }
  prior_sums_ = TopicSums(prior, vocabulary_);
  sums_ = prior_sums_;
}

void CpuGibbs::StartAt(const KeyedRows& topics) {
  SetPrior(topics);
  Sweep(false);
  SetPrior(prior_);
  Recount();
}

void CpuGibbs::StartAtRandom() {
  const uint64_t key = Mix(seed_ ^ sweep_++);
  ForEachToken([&](const GibbsPiece&, uint32_t token) {
    const double u = Uniform(Mix(key + token));
    token_topics_[token] = static_cast<uint32_t>(u * static_cast<double>(topics_));
  });
  Recount();
}

void CpuGibbs::ReuseTwins() {
  const auto twins =
      TwinTopics(cells_.words(), token_topics_, cells_.word_tokens(), topics_, pool_.get());
  for (const auto& [stays, goes] : twins) {
    const size_t largest = std::max_element(sums_.begin(), sums_.end()) - sums_.begin();
    if (largest == stays || largest == goes) continue;
    ForEachToken([&, from = goes, to = stays](const GibbsPiece&, uint32_t token) {
      if (token_topics_[token] == from) token_topics_[token] = to;
    });
    Split(static_cast<uint32_t>(largest), goes);
    sums_[largest] = 0;
  }
  if (!twins.empty()) Recount();
}

// Cells of a step share neither documents nor words; the changes they make to the sums of the
// topics meet after the sweep.
void CpuGibbs::Sweep(bool averaged) {
  const size_t groups = cells_.groups();
  const bool first = sweep_ == 0;
  MakeUnits();
  const uint64_t key = Mix(seed_ ^ sweep_++);
  std::vector<std::vector<int64_t>> moved(groups, std::vector<int64_t>(topics_, 0));
  for (size_t step = 0; step < groups; ++step) {
    pool_->ParallelFor(groups, [&](size_t g) {
      SampleCellOf(g, (g + step) % groups, first, averaged, key, moved[g].data());
    });
  }
  for (size_t g = 0; g < groups; ++g) {
    for (size_t k = 0; k < topics_; ++k) sums_[k] += static_cast<double>(moved[g][k]);
  }
  if (averaged) FinishAveraged();
}

// Rounding can leave means slightly below zero. They are rescaled to sum up to the word's tokens.
KeyedRows CpuGibbs::Change() {
  weights_.reset();  // which are large, as the result is
  const auto fill = [&](size_t w, double* row) {
    const double* means = means_.get() + w * width_;
    double sum = 0;
    for (size_t k = 0; k < topics_; ++k) sum += row[k] = std::max(0.0, means[k]);
    const double tokens = static_cast<double>(cells_.word_tokens()[w]);
    if (!(sum > 0)) std::fill_n(row, topics_, 1.0);  // too little for a number
    const double scale = tokens / (sum > 0 ? sum : static_cast<double>(topics_));
    for (size_t k = 0; k < topics_; ++k) row[k] *= scale;
  };
  KeyedRows change = prior_.Difference(index_.words, fill, pool_.get());
  if (variances_ && variances_->known()) {
    const auto variances = [&](size_t w, double* row) { variances_->Variances(w, topics_, row); };
    change.SetVariances(RowVariances(prior_.Difference(index_.words, variances, pool_.get())));
  }
  return change;
}

void CpuGibbs::MakeUnits() {
  std::vector<float> change(width_, 0.0F);
  float smallest = std::numeric_limits<float>::max();
  for (size_t k = 0; k < topics_; ++k) {
    const double inverse = 1 / sums_[k];
    const float unit = exact() ? 1 : static_cast<float>(inverse);
    change[k] = unit / unit_[k];
    unit_[k] = unit;
    factor_[k] = exact() ? static_cast<float>(inverse) : 1;
    smoothing_[k] = static_cast<float>(exact() ? alpha_[k] * inverse : alpha_[k]);
    smallest = std::min(smallest, unit);
  }
  least_weight_ = least_ * smallest;
  const bool fresh = std::exchange(recounted_, false) || sweep_ % kFreshWeights == 0;
  if (fresh) MakeWeights();
  ForEach(words_.size(), [&](size_t w) {
    float* weights = weights_.get() + w * width_;
    if (!fresh) {
      for (size_t k = 0; k < width_; ++k) weights[k] *= change[k];
    }
    words_[w] = {Smooth(smoothing_.get(), weights, width_), 0};
  });
  ForEach(document_topics_.size(), [&](size_t d) { document_topics_[d].Shrink(); });
}

void CpuGibbs::MakeWeights() {
  ForEach(words_.size(), [&](size_t w) {
    for (size_t k = 0; k < topics_; ++k) {
      weights_[w * width_ + k] = static_cast<float>(prior_rows_[w][k]);
    }
  });
  if (sweep_ > 0) CountTokens();
  ForEach(words_.size(), [&](size_t w) {
    for (size_t k = 0; k < topics_; ++k) weights_[w * width_ + k] *= unit_[k];
  });
}

void CpuGibbs::CountTokens() {
  // Floats count up to 2^24, so the tokens of words with more are counted apart.
  std::unordered_map<uint32_t, std::vector<double>> frequent;
  for (size_t w = 0; w < words_.size(); ++w) {
    if (cells_.word_tokens()[w] <= kMostInFloats) continue;
    frequent.emplace(static_cast<uint32_t>(w), std::vector<double>(topics_, 0.0));
  }
  pool_->ParallelFor(cells_.groups(), [&](size_t word_group) {
    for (size_t g = 0; g < cells_.groups(); ++g) {
      cells_.ForEachPiece(g, word_group, [&](const GibbsPiece& piece) {
        const auto weight = static_cast<float>(piece.weight);
        for (uint32_t token = piece.begin; token < piece.end; ++token) {
          const uint32_t word = cells_.words()[token];
          const uint32_t topic = token_topics_[token];
          if (frequent.empty() || cells_.word_tokens()[word] <= kMostInFloats) {
            weights_[word * width_ + topic] += weight;
          } else {
            frequent.find(word)->second[topic] += piece.weight;
          }
        }
      });
    }
  });
  for (const auto& [word, counts] : frequent) {
    for (size_t k = 0; k < topics_; ++k) {
      weights_[word * width_ + k] = static_cast<float>(prior_rows_[word][k] + counts[k]);
    }
  }
}

void CpuGibbs::Split(uint32_t from, uint32_t to) {
  std::vector<uint64_t> tokens_of(index_.size(), 0);
  for (size_t token = 0; token < token_topics_.size(); ++token) {
    if (token_topics_[token] == from) ++tokens_of[cells_.words()[token]];
  }
  const size_t word = std::max_element(tokens_of.begin(), tokens_of.end()) - tokens_of.begin();
  std::vector<char> has_word(document_topics_.size(), 0);
  ForEachToken([&](const GibbsPiece& piece, uint32_t token) {
    if (token_topics_[token] == from && cells_.words()[token] == word) has_word[piece.document] = 1;
  });
  ForEachToken([&](const GibbsPiece& piece, uint32_t token) {
    if (token_topics_[token] == from && has_word[piece.document] == 1) token_topics_[token] = to;
  });
}

void CpuGibbs::Recount() {
  ForEach(document_topics_.size(), [&](size_t d) { document_topics_[d].used = 0; });
  ForEachToken([&](const GibbsPiece& piece, uint32_t token) {
    DocumentTopics& topics = document_topics_[piece.document];
    topics.count(topics.PlaceOf(static_cast<int32_t>(token_topics_[token]))) +=
        static_cast<float>(piece.weight);
  });
  sums_ = prior_sums_;
  for (size_t cell = 0; cell < cells_.groups() * cells_.groups(); ++cell) {
    cells_.ForEachPiece(cell / cells_.groups(), cell % cells_.groups(), [&](const auto& piece) {
      for (uint32_t token = piece.begin; token < piece.end; ++token) {
        sums_[token_topics_[token]] += piece.weight;
      }
    });
  }
  recounted_ = true;
}

void CpuGibbs::FinishAveraged() {
  auto inverse_unit = Zeros<float>(width_);
  for (size_t k = 0; k < topics_; ++k) inverse_unit[k] = 1 / unit_[k];
  if (variances_) variances_->BeginSweep();
  ForEach(words_.size(), [&](size_t w) {
    const float* weights = weights_.get() + w * width_;
    AddSmooth(words_[w].share, smoothing_.get(), weights, width_, means_.get() + w * width_);
    if (variances_) variances_->Add(w, weights, inverse_unit.get());
  });
}

void CpuGibbs::SampleCellOf(size_t document_group, size_t word_group, bool first, bool averaged,
                            uint64_t key, int64_t* moved) {
  GibbsCell cell;
  cell.pieces = cells_.pieces(document_group, word_group);
  cell.long_pieces = cells_.long_pieces(document_group, word_group);
  cell.token_words = cells_.words().data();
  cell.token_topics = token_topics_.data();
  cell.topic_count = topics_;
  cell.width = width_;
  cell.alpha = alpha_.data();
  cell.unit = unit_.get();
  cell.factor = factor_.get();
  cell.smoothing = smoothing_.get();
  cell.documents = document_topics_.data();
  cell.words = words_.data();
  cell.weights = weights_.get();
  cell.least = least_weight_;
  cell.means = averaged ? means_.get() : nullptr;
  cell.sums = sums_.data();
  cell.moved = moved;
  cell.exact = exact();
  cell.first = first;
  cell.key = key;
  SampleCell(cell);
}

}  // namespace sda::lda
