#include "sda/lda_gibbs.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/hash.h"
#include "lda/gibbs/gibbs_cells.h"
#include "lda/gibbs/gibbs_kernels.h"
#include "lda/gibbs/twin_topics.h"
#include "lda/memory.h"
#include "lda/minibatch.h"
#include "lda/score/inference.h"
#include "lda/vb/kernels.h"
#include "sda/thread_pool.h"

namespace sda {
namespace {

template <class T>
hwy::AlignedFreeUniquePtr<T[]> Zeros(size_t count) {
  auto numbers = lda::Allocate<T>(count);
  lda::PreferLargePages(numbers.get(), count * sizeof(T));
  std::fill_n(numbers.get(), count, T(0));
  return numbers;
}

// The sampler's state for one minibatch: a topic for every token, and the counts that follow.
class Sampler {
 public:
  Sampler(const LdaGibbsOptions& options, const Documents& documents, const KeyedRows& prior)
      : shared_pool_(lda::SharedPool(prior, options.threads)),
        own_pool_(shared_pool_ ? 1 : options.threads),
        pool_(shared_pool_ ? *shared_pool_ : own_pool_),
        index_(documents, options.vocabulary, &pool_),
        cells_(documents, index_, options.groups),
        topics_(options.topics),
        width_(lda::PaddedWidth<float>(options.topics)),
        seed_(Key(options.seed, 5, documents.minibatch)),
        token_topics_(cells_.words().size()),
        alpha_(options.Model().Alpha()),
        document_topics_(documents, topics_),
        words_(index_.size()),
        unit_(Zeros<float>(width_)),
        factor_(Zeros<float>(width_)),
        smoothing_(Zeros<float>(width_)),
        weights_(Zeros<float>(index_.size() * width_)),
        means_(Zeros<double>(index_.size() * width_)),
        prior_sums_(lda::TopicSums(prior, options.vocabulary)) {
    for (const uint64_t word : index_.words) {
      prior_rows_.push_back(prior.At(word).data());
      for (size_t k = 0; k < topics_; ++k) {
        least_ = std::min(least_, static_cast<float>(prior_rows_.back()[k]));
      }
    }
    sums_ = prior_sums_;
  }

  // Gives every token a topic, all of them alike.
  void StartAtRandom() {
    const uint64_t key = Mix(seed_ ^ sweep_++);
    ForEachToken([&](uint32_t, uint32_t token) {
      const double u = Uniform(Mix(key + token));
      token_topics_[token] = static_cast<uint32_t>(u * static_cast<double>(topics_));
    });
    CountAnew();
  }

  // Sampling from a random start may leave two topics that say the same, while another one says two
  // things. So of twins one takes all tokens, and the other a part of the largest topic; the sweeps
  // that follow tell the two apart.
  void ReuseTwins() {
    const auto twins =
        lda::TwinTopics(cells_.words(), token_topics_, cells_.word_tokens(), topics_, &pool_);
    for (const auto& [stays, goes] : twins) {
      const size_t largest = std::max_element(sums_.begin(), sums_.end()) - sums_.begin();
      if (largest == stays || largest == goes) continue;
      ForEachToken([&, from = goes, to = stays](uint32_t, uint32_t token) {
        if (token_topics_[token] == from) token_topics_[token] = to;
      });
      Split(static_cast<uint32_t>(largest), goes);
      sums_[largest] = 0;
    }
    if (!twins.empty()) CountAnew();
  }

  // Samples every token once. Cells of a step share neither documents nor words; the changes they
  // make to the sums of the topics meet after the sweep.
  void Sweep(bool averaged) {
    const size_t groups = cells_.groups();
    const bool first = sweep_ == 0;
    MakeUnits();
    const uint64_t key = Mix(seed_ ^ sweep_++);
    std::vector<std::vector<int32_t>> moved(groups, std::vector<int32_t>(topics_, 0));
    for (size_t step = 0; step < groups; ++step) {
      pool_.ParallelFor(groups, [&](size_t g) {
        SampleCell(g, (g + step) % groups, first, averaged, key, moved[g].data());
      });
    }
    for (size_t g = 0; g < groups; ++g) {
      for (size_t k = 0; k < topics_; ++k) sums_[k] += moved[g][k];
    }
    if (averaged) AddSmoothing();
  }

  // The means of the averaged sweeps, where rounding can leave a little less than nothing: made to
  // hold the word's tokens.
  KeyedRows Change() {
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
    return KeyedRows::Difference(topics_, index_.words, fill, &pool_);
  }

 private:
  // Rounding of weights that go up and down does not add up over more sweeps than these.
  static constexpr uint64_t kFreshWeights = 8;

  bool exact() const { return cells_.groups() == 1; }

  // The sums of the topics, as the coming sweep will see them.
  void MakeUnits() {
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
    const bool fresh = std::exchange(counted_anew_, false) || sweep_ % kFreshWeights == 0;
    if (fresh) MakeWeights();
    ForEachWord([&](size_t w) {
      float* weights = weights_.get() + w * width_;
      if (!fresh) {
        for (size_t k = 0; k < width_; ++k) weights[k] *= change[k];
      }
      words_[w] = {lda::Smooth(smoothing_.get(), weights, width_), 0};
    });
    ForEachDocument([&](size_t d) { document_topics_[d].Shrink(); });
  }

  void MakeWeights() {
    ForEachWord([&](size_t w) {
      for (size_t k = 0; k < topics_; ++k) {
        weights_[w * width_ + k] = static_cast<float>(prior_rows_[w][k]);
      }
    });
    const size_t groups = cells_.groups();
    if (sweep_ > 0) {
      pool_.ParallelFor(groups, [&](size_t word_group) {
        for (size_t g = 0; g < groups; ++g) {
          for (const lda::GibbsPiece& piece : cells_.pieces(g, word_group)) {
            for (uint32_t token = piece.begin; token < piece.end; ++token) {
              ++weights_[cells_.words()[token] * width_ + token_topics_[token]];
            }
          }
        }
      });
    }
    ForEachWord([&](size_t w) {
      for (size_t k = 0; k < topics_; ++k) weights_[w * width_ + k] *= unit_[k];
    });
  }

  // Of the documents that have the topic's most frequent word from it, all its tokens go.
  void Split(uint32_t from, uint32_t to) {
    std::vector<uint64_t> tokens_of(index_.size(), 0);
    for (size_t token = 0; token < token_topics_.size(); ++token) {
      if (token_topics_[token] == from) ++tokens_of[cells_.words()[token]];
    }
    const size_t word = std::max_element(tokens_of.begin(), tokens_of.end()) - tokens_of.begin();
    std::vector<char> has_word(document_topics_.size(), 0);
    ForEachToken([&](uint32_t document, uint32_t token) {
      if (token_topics_[token] == from && cells_.words()[token] == word) has_word[document] = 1;
    });
    ForEachToken([&](uint32_t document, uint32_t token) {
      if (token_topics_[token] == from && has_word[document] == 1) token_topics_[token] = to;
    });
  }

  void CountAnew() {
    ForEachDocument([&](size_t d) { document_topics_[d].used = 0; });
    ForEachToken([&](uint32_t document, uint32_t token) {
      lda::DocumentTopics& topics = document_topics_[document];
      ++topics.count(topics.PlaceOf(static_cast<int32_t>(token_topics_[token])));
    });
    sums_ = prior_sums_;
    for (const uint32_t topic : token_topics_) ++sums_[topic];
    counted_anew_ = true;
  }

  // body(document, token), the documents shared by the threads.
  template <class Body>
  void ForEachToken(const Body& body) {
    pool_.ParallelFor(cells_.groups(), [&](size_t g) {
      for (size_t h = 0; h < cells_.groups(); ++h) {
        for (const lda::GibbsPiece& piece : cells_.pieces(g, h)) {
          for (uint32_t token = piece.begin; token < piece.end; ++token) {
            body(piece.document, token);
          }
        }
      }
    });
  }

  // The part of the means that the sampler has left to the end of the sweep.
  void AddSmoothing() {
    ForEachWord([&](size_t w) {
      lda::AddSmooth(words_[w].share, smoothing_.get(), weights_.get() + w * width_, width_,
                     means_.get() + w * width_);
    });
  }

  template <class Body>
  void ForEachWord(const Body& body) {
    ForEach(words_.size(), body);
  }
  template <class Body>
  void ForEachDocument(const Body& body) {
    ForEach(document_topics_.size(), body);
  }

  // In as many shares as there are groups.
  template <class Body>
  void ForEach(size_t count, const Body& body) {
    const size_t groups = cells_.groups();
    pool_.ParallelFor(groups, [&](size_t g) {
      for (size_t i = g * count / groups; i < (g + 1) * count / groups; ++i) body(i);
    });
  }

  void SampleCell(size_t document_group, size_t word_group, bool first, bool averaged, uint64_t key,
                  int32_t* moved) {
    lda::GibbsCell cell;
    cell.pieces = cells_.pieces(document_group, word_group);
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
    lda::SampleCell(cell);
  }

  const std::shared_ptr<ThreadPool> shared_pool_;
  ThreadPool own_pool_;
  ThreadPool& pool_;
  const lda::WordIndex index_;
  const lda::GibbsCells cells_;
  const size_t topics_;
  const size_t width_;
  const uint64_t seed_;
  uint64_t sweep_ = 0;
  bool counted_anew_ = false;  // the weights are not
  std::vector<uint32_t> token_topics_;
  const std::vector<double> alpha_;
  lda::GibbsDocuments document_topics_;
  std::vector<lda::GibbsWord> words_;
  hwy::AlignedFreeUniquePtr<float[]> unit_;  // these three: see GibbsCell
  hwy::AlignedFreeUniquePtr<float[]> factor_;
  hwy::AlignedFreeUniquePtr<float[]> smoothing_;
  std::vector<const double*> prior_rows_;            // of each word
  float least_ = std::numeric_limits<float>::max();  // of the prior's parameters
  float least_weight_ = 0;
  hwy::AlignedFreeUniquePtr<float[]> weights_;
  hwy::AlignedFreeUniquePtr<double[]> means_;
  const std::vector<double> prior_sums_;
  std::vector<double> sums_;
};

}  // namespace

LdaGibbs::LdaGibbs(LdaGibbsOptions options) : options_(std::move(options)) { options_.Validate(); }

LdaGibbs::~LdaGibbs() = default;

KeyedRows::Selection LdaGibbs::Touches(const Documents& documents) const {
  return {false, lda::DistinctWords(documents, options_.vocabulary)};
}

KeyedRows LdaGibbs::operator()(const Documents& documents, const KeyedRows& prior) const {
  KeyedRows posterior = prior;
  posterior += Change(documents, prior);
  return posterior;
}

KeyedRows LdaGibbs::Change(const Documents& documents, const KeyedRows& prior) const {
  Sampler sampler(options_, documents, prior);
  const bool first = lda::NothingFolded(prior);
  if (first) {
    sampler.StartAtRandom();
  } else {
    sampler.Sweep(false);
  }
  int sweeps = first ? options_.first_sweeps : options_.sweeps;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    // Early enough for the topics to settle.
    if (first && sweep % 10 == 9 && 3 * sweep < 2 * sweeps) sampler.ReuseTwins();
    sampler.Sweep(sweep >= sweeps - options_.averaged);
    if (first && options_.on_first_sweep && !options_.on_first_sweep(sweep + 1, sweeps)) {
      sweeps = std::min(sweeps, sweep + 1 + options_.averaged);
    }
  }
  return sampler.Change();
}

}  // namespace sda
