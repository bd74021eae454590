#ifndef SDA_LDA_VB_CPU_VB_H_
#define SDA_LDA_VB_CPU_VB_H_

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lda/backend.h"
#include "lda/free_list.h"
#include "lda/minibatch.h"
#include "lda/topic_rows.h"
#include "lda/vb/expectation.h"
#include "sda/thread_pool.h"

namespace sda::lda {

// E steps of one minibatch by the kernels of kernels.h.
template <class T>
class CpuVb : public VbMinibatch {
 public:
  CpuVb(const LdaSpec& spec, const LocalVbOptions& local, const Documents& documents,
        const KeyedRows& prior, std::shared_ptr<ThreadPool> pool,
        typename FreeList<Workspace<T>>::Lease workspace)
      : prior_(prior),
        prior_sums_(TopicSums(prior, spec.vocabulary)),
        pool_(std::move(pool)),
        workspace_(std::move(workspace)),
        index_(workspace_->index) {
    index_.Build(documents, spec.vocabulary, pool_.get());
    prior_rows_.reserve(index_.size());
    for (size_t v = 0; v < index_.size(); ++v) {
      prior_rows_.push_back(RowOf(prior, index_.words, v).data());
    }
    expectation_ = std::make_unique<Expectation<T>>(spec, local, documents, index_, pool_.get(),
                                                    workspace_.get());
  }

  std::span<const uint64_t> words() const override { return index_.words; }

  void StartAt(Topics topics) override { topics_ = std::move(topics); }

  void StartAtPosterior() override {
    topics_.row = [this](size_t v, double* row) {
      const auto statistics = expectation_->statistics(v);
      const double* const prior = prior_rows_[v];
      for (size_t k = 0; k < statistics.size(); ++k) {
        row[k] = prior[k] + static_cast<double>(statistics[k]);
      }
    };
    topics_.sums.resize(prior_sums_.size());
    for (size_t k = 0; k < prior_sums_.size(); ++k) {
      topics_.sums[k] = prior_sums_[k] + expectation_->statistics_sums()[k];
    }
  }

  VbSums Step(bool warm) override { return expectation_->Run(topics_, warm); }
  VbSums InferDocuments() override { return expectation_->RunDocuments(topics_); }

  KeyedRows Statistics(double scale) const override { return expectation_->Change(prior_, scale); }
  std::vector<double> Gamma() const override { return expectation_->Gamma(); }

 private:
  const KeyedRows& prior_;
  const std::vector<double> prior_sums_;
  std::vector<const double*> prior_rows_;  // of the minibatch's words
  const std::shared_ptr<ThreadPool> pool_;
  const typename FreeList<Workspace<T>>::Lease workspace_;
  WordIndex& index_;
  std::unique_ptr<Expectation<T>> expectation_;
  Topics topics_;
};

}  // namespace sda::lda

#endif  // SDA_LDA_VB_CPU_VB_H_
