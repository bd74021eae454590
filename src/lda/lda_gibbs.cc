#include "sda/lda_gibbs.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cmath>
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
        documents_(documents.size()),
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
      prior_sums_.push_back(options.vocabulary * prior.default_row()[k] + prior.totals()[k]);
    }
    sums_ = prior_sums_;
  }

  // Gives every token a topic, all of them alike.
  void StartAtRandom() {
    const uint64_t key = lda::Mix(seed_ ^ sweep_++);
    ForEachToken([&](uint32_t, uint32_t token) {
      const double u = lda::Uniform(lda::Mix(key + token));
      token_topics_[token] = static_cast<uint32_t>(u * static_cast<double>(topics_));
    });
    CountAnew();
  }

  // Sampling from a random start may leave two topics that say the same, while another one says two
  // things. So of twins one takes all tokens, and the other a part of the largest topic; the sweeps
  // that follow tell the two apart.
  void ReuseTwins() {
    for (const auto& [stays, goes] : Twins()) {
      const size_t largest = std::max_element(sums_.begin(), sums_.end()) - sums_.begin();
      if (largest == stays || largest == goes) continue;
      ForEachToken([&, from = goes, to = stays](uint32_t, uint32_t token) {
        if (token_topics_[token] == from) token_topics_[token] = to;
      });
      Split(static_cast<uint32_t>(largest), goes);
      sums_[largest] = 0;
    }
    CountAnew();
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

  // Pairs of topics, each in one pair at most, whose words have a cosine above kTwins; by the words
  // with the most tokens.
  std::vector<std::pair<uint32_t, uint32_t>> Twins() const {
    const size_t words = std::min(index_.size(), kTwinWords);
    std::vector<uint32_t> order(index_.size());
    std::iota(order.begin(), order.end(), 0);
    std::nth_element(
        order.begin(), order.begin() + words - 1, order.end(), [&](uint32_t a, uint32_t b) {
          return std::pair(cells_.word_tokens()[b], a) < std::pair(cells_.word_tokens()[a], b);
        });
    std::vector<double> counts(topics_ * words);  // topic by topic, of length one
    for (size_t i = 0; i < words; ++i) {
      const float* weights = weights_.get() + order[i] * width_;
      for (size_t k = 0; k < topics_; ++k) {
        counts[k * words + i] = weights[k] - static_cast<float>(prior_rows_[order[i]][k]);
      }
    }
    for (size_t k = 0; k < topics_; ++k) {
      const std::span<double> row(counts.data() + k * words, words);
      const double norm = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
      for (double& x : row) x /= std::max(norm, 1e-30);
    }
    std::vector<uint32_t> twin_of(topics_, lda::kNoTopic);
    pool_.ParallelFor(topics_, [&](size_t a) {
      double closest = kTwins;
      for (size_t b = a + 1; b < topics_; ++b) {
        const double* x = counts.data() + a * words;
        const double cosine = std::inner_product(x, x + words, counts.data() + b * words, 0.0);
        if (cosine > closest) {
          closest = cosine;
          twin_of[a] = static_cast<uint32_t>(b);
        }
      }
    });
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    std::vector<bool> taken(topics_, false);
    for (uint32_t a = 0; a < topics_; ++a) {
      if (twin_of[a] == lda::kNoTopic || taken[a] || taken[twin_of[a]]) continue;
      taken[a] = taken[twin_of[a]] = true;
      pairs.emplace_back(a, twin_of[a]);
    }
    return pairs;
  }

  // Of the documents that have the topic's most frequent word from it, all its tokens go.
  void Split(uint32_t from, uint32_t to) {
    size_t word = 0;
    for (size_t w = 1; w < index_.size(); ++w) {
      if (weights_[w * width_ + from] > weights_[word * width_ + from]) word = w;
    }
    std::vector<char> has_word(documents_, 0);
    ForEachToken([&](uint32_t document, uint32_t token) {
      if (token_topics_[token] == from && cells_.words()[token] == word) has_word[document] = 1;
    });
    ForEachToken([&](uint32_t document, uint32_t token) {
      if (token_topics_[token] == from && has_word[document] == 1) token_topics_[token] = to;
    });
  }

  void CountAnew() {
    std::fill_n(document_counts_.get(), documents_ * width_, 0.0F);
    ForEachToken([&](uint32_t document, uint32_t token) {
      ++document_counts_[document * width_ + token_topics_[token]];
    });
    sums_ = prior_sums_;
    for (const uint32_t topic : token_topics_) ++sums_[topic];
    MakeWeights();
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

  static constexpr double kTwins = 0.8;
  static constexpr size_t kTwinWords = 2000;

  mutable ThreadPool pool_;
  const lda::WordIndex index_;
  const lda::GibbsCells cells_;
  const size_t documents_;
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
  std::vector<double> prior_sums_;
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
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    // Early enough for the topics to settle.
    if (first && sweep % 10 == 9 && 3 * sweep < 2 * sweeps) sampler.ReuseTwins();
    sampler.Sweep(sweep >= sweeps - options_.averaged);
    if (first && options_.on_first_sweep) options_.on_first_sweep(sweep + 1, sweeps);
  }
  return sampler.Change();
}

}  // namespace sda
