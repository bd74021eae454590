#ifndef SDA_LDA_GIBBS_CPU_GIBBS_H_
#define SDA_LDA_GIBBS_CPU_GIBBS_H_

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "lda/backend.h"
#include "lda/gibbs/count_variances.h"
#include "lda/gibbs/gibbs_cells.h"
#include "lda/gibbs/gibbs_documents.h"
#include "lda/gibbs/gibbs_kernels.h"
#include "lda/minibatch.h"
#include "sda/thread_pool.h"

namespace sda::lda {

// The sampler's state for one minibatch: a topic for every token, and the counts that follow.
class CpuGibbs : public GibbsMinibatch {
 public:
  CpuGibbs(const LdaSpec& spec, int groups, const Documents& documents, const KeyedRows& prior,
           uint64_t seed, std::shared_ptr<ThreadPool> pool);

  void KeepVariances() override { variances_.emplace(index_.size(), width_); }
  void StartAtRandom() override;
  void StartAt(const KeyedRows& topics) override;
  void Sweep(bool averaged) override;
  void ReuseTwins() override;
  KeyedRows Change() override;

 private:
  bool exact() const { return cells_.groups() == 1; }

  // The sums of the topics, as the coming sweep will see them.
  void MakeUnits();
  void MakeWeights();
  // Adds the tokens to the weights, which are numbers of tokens.
  void CountTokens();
  void SampleCellOf(size_t document_group, size_t word_group, bool first, bool averaged,
                    uint64_t key, int64_t* moved);
  // What an averaged sweep leaves to its end: a part of the means, and the variances.
  void FinishAveraged();
  // Of the documents that have the topic's most frequent word from it, all its tokens move.
  void Split(uint32_t from, uint32_t to);
  // The rows that count as the prior's.
  void SetPrior(const KeyedRows& prior);
  // All counts from the topics of the tokens.
  void Recount();

  // body(piece, token), the documents shared by the threads.
  template <class Body>
  void ForEachToken(const Body& body);
  // body(i) for [0, count), in as many shares as there are groups.
  template <class Body>
  void ForEach(size_t count, const Body& body);

  const KeyedRows& prior_;
  const std::shared_ptr<ThreadPool> pool_;
  const WordIndex index_;
  const GibbsCells cells_;
  const size_t topics_;
  const uint64_t vocabulary_;
  const size_t width_;
  const uint64_t seed_;
  uint64_t sweep_ = 0;
  bool recounted_ = false;  // the weights are not up to date
  std::vector<uint32_t> token_topics_;
  const std::vector<double> alpha_;
  GibbsDocuments document_topics_;
  std::vector<GibbsWord> words_;
  hwy::AlignedFreeUniquePtr<float[]> unit_;  // these three: see GibbsCell
  hwy::AlignedFreeUniquePtr<float[]> factor_;
  hwy::AlignedFreeUniquePtr<float[]> smoothing_;
  std::vector<const double*> prior_rows_;            // of each word
  float least_ = std::numeric_limits<float>::max();  // of the prior's parameters
  float least_weight_ = 0;
  hwy::AlignedFreeUniquePtr<float[]> weights_;
  hwy::AlignedFreeUniquePtr<double[]> means_;
  std::optional<CountVariances> variances_;
  std::vector<double> prior_sums_;
  std::vector<double> sums_;
};

}  // namespace sda::lda

#endif  // SDA_LDA_GIBBS_CPU_GIBBS_H_
