#include "lda/cpu_backend.h"

#include <algorithm>
#include <utility>

#include "lda/gibbs/cpu_gibbs.h"
#include "lda/topic_rows.h"
#include "lda/vb/cpu_vb.h"

namespace sda::lda {

CpuBackend::CpuBackend(Context context, int workers)
    : context_(std::move(context)), workers_(workers) {}

std::shared_ptr<ThreadPool> CpuBackend::PoolFor(const KeyedRows& prior) {
  if (workers_ == 1 || NothingFolded(prior)) {
    return {std::shared_ptr<ThreadPool>(), context_.pool()};  // the context's own
  }
  return pools_.Take(std::max(1, context_.threads() / workers_));
}

std::unique_ptr<VbMinibatch> CpuBackend::NewVb(const LdaSpec& spec, const LocalVbOptions& local,
                                               const Documents& documents, const KeyedRows& prior) {
  if (local.precision == Precision::kFloat) {
    return std::make_unique<CpuVb<float>>(spec, local, documents, prior, PoolFor(prior),
                                          float_workspaces_.Take());
  }
  return std::make_unique<CpuVb<double>>(spec, local, documents, prior, PoolFor(prior),
                                         double_workspaces_.Take());
}

std::unique_ptr<GibbsMinibatch> CpuBackend::NewGibbs(const LdaSpec& spec, int groups,
                                                     const Documents& documents,
                                                     const KeyedRows& prior, uint64_t seed) {
  return std::make_unique<CpuGibbs>(spec, groups, documents, prior, seed, PoolFor(prior));
}

std::shared_ptr<Backend> BackendOr(std::shared_ptr<Backend> given, const Context& context,
                                   int workers) {
  return given ? std::move(given) : std::make_shared<CpuBackend>(context, workers);
}

}  // namespace sda::lda
