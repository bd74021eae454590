#ifndef SDA_LDA_CPU_BACKEND_H_
#define SDA_LDA_CPU_BACKEND_H_

#include <memory>

#include "lda/backend.h"
#include "lda/free_list.h"
#include "lda/vb/expectation.h"
#include "sda/context.h"
#include "sda/thread_pool.h"

namespace sda::lda {

// The processor, with the vector instructions it has. Keeps memory and threads from minibatch to
// minibatch.
class CpuBackend : public Backend {
 public:
  // A minibatch uses all threads of the context if it is alone: with one worker, or while nothing
  // was folded, since then the topics form and no other worker may be at work. Else it uses a
  // share.
  CpuBackend(Context context, int workers);

  std::unique_ptr<VbMinibatch> NewVb(const LdaSpec& spec, const LocalVbOptions& local,
                                     const Documents& documents, const KeyedRows& prior) override;
  std::unique_ptr<GibbsMinibatch> NewGibbs(const LdaSpec& spec, int groups,
                                           const Documents& documents, const KeyedRows& prior,
                                           uint64_t seed) override;

 private:
  std::shared_ptr<ThreadPool> PoolFor(const KeyedRows& prior);

  const Context context_;
  const int workers_;
  FreeList<ThreadPool> pools_;
  FreeList<Workspace<float>> float_workspaces_;
  FreeList<Workspace<double>> double_workspaces_;
};

// The backend given; if none, the processor.
std::shared_ptr<Backend> BackendOr(std::shared_ptr<Backend> given, const Context& context,
                                   int workers);

}  // namespace sda::lda

#endif  // SDA_LDA_CPU_BACKEND_H_
