#include "sda/lda_gibbs.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "lda/gibbs_cells.h"
#include "lda/gibbs_kernels.h"
#include "lda/hash.h"
#include "lda/kernels.h"
#include "lda/minibatch.h"
#include "sda/thread_pool.h"

namespace sda {
namespace {

using Floats = hwy::AlignedFreeUniquePtr<float[]>;

Floats Zeros(size_t count) {
  Floats numbers = hwy::AllocateAligned<float>(std::max<size_t>(count, 1));
  std::fill_n(numbers.get(), count, 0.0F);
  return numbers;
}

// The sampler's state for one minibatch: a topic for every token, and the counts that follow.
class Sampler {
 public:
  Sampler(const LdaGibbsOptions& options, const Documents& documents, const KeyedRows& prior)
      : pool_(options.threads),
        index_(documents, options.vocabulary, &pool_),
        cells_(documents, index_, options.groups),
        topics_(options.topics),
        width_(lda::PaddedWidth<float>(options.topics)),
        seed_(lda::Key(options.seed, 5, documents.minibatch)),
        token_topics_(cells_.words().size(), lda::kNoTopic),
        alpha_(Zeros(width_)),
        document_counts_(Zeros(documents.size() * width_)),
        weights_(Zeros(index_.size() * width_)),
        means_(Zeros(index_.size() * width_)) {
    const std::vector<double> alpha = options.Model().Alpha();
    std::copy(alpha.begin(), alpha.end(), alpha_.get());
    for (const uint64_t word : index_.words) {
      prior_rows_.push_back(prior.At(word).data());
      for (size_t k = 0; k < topics_; ++k) {
        least_ = std::min(least_, static_cast<float>(prior_rows_.back()[k]));
      }
    }
    for (size_t k = 0; k < topics_; ++k) {
      sums_.push_back(options.vocabulary * prior.default_row()[k] + prior.totals()[k]);
    }
  }

  // Gives every token a topic, all of them alike.
  void StartAtRandom() {
    const size_t groups = cells_.groups();
    const uint64_t key = lda::Mix(seed_ ^ sweep_++);
    pool_.ParallelFor(groups, [&](size_t g) {
      for (size_t h = 0; h < groups; ++h) {
        for (const lda::GibbsPiece& piece : cells_.pieces(g, h)) {
          for (uint32_t token = piece.begin; token < piece.end; ++token) {
            const double u = lda::Uniform(lda::Mix(key + token));
            const auto topic = static_cast<uint32_t>(u * static_cast<double>(topics_));
            token_topics_[token] = topic;
            ++document_counts_[piece.document * width_ + topic];
          }
        }
      }
    });
    for (const uint32_t topic : token_topics_) ++sums_[topic];
    MakeWeights();
  }

  // Samples every token once. Cells of a step share neither documents nor words; the changes they
  // make to the sums of the topics meet after the step.
  void Sweep(bool averaged) {
    const size_t groups = cells_.groups();
    if (sweep_ % kFreshWeights == 0) MakeWeights();
    const uint64_t key = lda::Mix(seed_ ^ sweep_++);
    std::vector<std::vector<double>> sums(groups);
    for (size_t step = 0; step < groups; ++step) {
      pool_.ParallelFor(groups, [&](size_t g) {
        sums[g] = sums_;
        SampleCell(g, (g + step) % groups, averaged, key, sums[g].data());
      });
      const std::vector<double> before = sums_;
      for (size_t g = 0; g < groups; ++g) {
        for (size_t k = 0; k < topics_; ++k) sums_[k] += sums[g][k] - before[k];
      }
    }
  }

  // The means of the averaged sweeps. They are sums in float: made to hold the word's tokens.
  KeyedRows Change() const {
    KeyedRows change(std::vector<double>(topics_, 0.0));
    std::vector<double> row(topics_);
    for (size_t w = 0; w < index_.size(); ++w) {
      const float* means = means_.get() + w * width_;
      const double sum = std::accumulate(means, means + topics_, 0.0);
      const double scale = static_cast<double>(cells_.word_tokens()[w]) / sum;
      for (size_t k = 0; k < topics_; ++k) row[k] = scale * static_cast<double>(means[k]);
      change.Add(index_.words[w], row);
    }
    return change;
  }

 private:
  // Rounding of weights that go up and down does not add up over more sweeps than these.
  static constexpr uint64_t kFreshWeights = 8;

  void MakeWeights() {
    pool_.ParallelFor(index_.size(), [&](size_t w) {
      std::copy_n(prior_rows_[w], topics_, weights_.get() + w * width_);
    });
    if (sweep_ == 0) return;
    const size_t groups = cells_.groups();
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

  void SampleCell(size_t document_group, size_t word_group, bool averaged, uint64_t key,
                  double* sums) {
    lda::GibbsCell cell;
    cell.pieces = cells_.pieces(document_group, word_group);
    cell.words = cells_.words().data();
    cell.topics = token_topics_.data();
    cell.topic_count = topics_;
    cell.width = width_;
    cell.alpha = alpha_.get();
    cell.document_counts = document_counts_.get();
    cell.weights = weights_.get();
    cell.least = least_;
    cell.means = averaged ? means_.get() : nullptr;
    cell.sums = sums;
    cell.exact = cells_.groups() == 1;
    cell.key = key;
    lda::SampleCell(cell);
  }

  ThreadPool pool_;
  const lda::WordIndex index_;
  const lda::GibbsCells cells_;
  const size_t topics_;
  const size_t width_;
  const uint64_t seed_;
  uint64_t sweep_ = 0;
  std::vector<uint32_t> token_topics_;
  Floats alpha_;
  Floats document_counts_;
  std::vector<const double*> prior_rows_;  // of each word
  float least_ = std::numeric_limits<float>::max();
  Floats weights_;
  Floats means_;
  std::vector<double> sums_;
};

bool NothingFolded(const KeyedRows& prior) {
  return std::all_of(prior.totals().begin(), prior.totals().end(),
                     [](double total) { return total == 0; });
}

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
  const bool first = NothingFolded(prior);
  if (first) {
    sampler.StartAtRandom();
  } else {
    sampler.Sweep(false);
  }
  const int sweeps = first ? options_.first_sweeps : options_.sweeps;
  for (int sweep = 0; sweep < sweeps; ++sweep) sampler.Sweep(sweep >= sweeps - options_.averaged);
  return sampler.Change();
}

}  // namespace sda
