#ifndef SDA_TOPICS_PRIMITIVES_H_
#define SDA_TOPICS_PRIMITIVES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda_ep.h"
#include "sda/lda_spec.h"
#include "sda/lda_svi.h"
#include "sda/lda_vb.h"
#include "sda/primitive.h"
#include "sda/topic_options.h"

namespace sda {

// Who wants to know what the first minibatch, or a pass of batch VB, is doing.
struct TopicHooks {
  OnSweep on_start_sweep;  // returns false to cut the first minibatch short
  LdaVb::OnPass on_pass;
};

// A primitive, and what it counts.
struct TopicPrimitive {
  std::unique_ptr<Primitive<Documents, KeyedRows>> primitive;
  std::function<LdaStats()> stats = [] { return LdaStats(); };
  std::function<EpStats()> ep_stats;  // empty unless it is EP
  // Its Change() where this is the number of words now. Empty if their number cannot change.
  std::function<KeyedRows(uint64_t words, const Documents&, const KeyedRows& prior, uint64_t key)>
      among;
};

// What the session has to know of a kind of primitive. A new one adds a file with one of these, and
// a line in primitives.cc.
struct TopicPrimitiveKind {
  const char* name;
  double alpha_sum;  // the default of alpha is this / topics
  double eta;        // the default
  // Documents of a minibatch, and of the first one of sda (0: like all others), by default.
  int64_t (*minibatch)(const TopicOptions&);
  int64_t (*first_minibatch)(const TopicOptions&);
  // Throws UsageError for options that do not go with it.
  void (*check)(const TopicOptions&);
  TopicPrimitive (*make)(const TopicOptions&, const LdaSpec&, const Context&, const TopicHooks&);
};

const std::vector<TopicPrimitiveKind>& TopicPrimitiveKinds();
// Throws UsageError if there is none of that name.
const TopicPrimitiveKind& FindTopicPrimitive(const std::string& name);

// Of --algorithm svi.
SviOptions SviOptionsOf(const TopicOptions& options);

// One each, in files of their own.
TopicPrimitiveKind GibbsPrimitive();
TopicPrimitiveKind VbPrimitive();
TopicPrimitiveKind EpPrimitive();

// This number of documents; fewer with more than 100 topics, where large minibatches would take too
// long, and too much memory.
int64_t Fewer(int64_t documents, int topics);

// What is learnt first decides most (docs/notes/quality.md).
inline constexpr int64_t kFirstMinibatch = 32'768;
inline constexpr int64_t kMinibatch = 4'096;

}  // namespace sda

#endif  // SDA_TOPICS_PRIMITIVES_H_
