#ifndef SDA_TOPICS_SAMPLED_PRIMITIVE_H_
#define SDA_TOPICS_SAMPLED_PRIMITIVE_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sda/coherence.h"
#include "sda/documents.h"
#include "sda/id_set.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/primitive.h"
#include "topics/topic_watch.h"

namespace sda {

// The samples of the documents of a session: one to measure coherence with, and if they are wanted
// the documents to fit again. From any thread.
class SharedSample {
 public:
  // From now on, documents are kept with their counts.
  void Keep(size_t documents);
  Documents Kept() const;

  void Offer(uint64_t minibatch, const Documents& documents);
  // That of a model that had this number of minibatches, if it has one, and whether it is of all
  // its documents.
  void Continue(std::optional<DocumentSample> sample, bool of_all, uint64_t minibatches);

  DocumentSample Copy() const;
  TopicCoherence Coherence(const KeyedRows& posterior) const;

  // For checkpoints: a JSON object with some keys of its own. It may hold documents of minibatches
  // that are not in the posterior; Resume() forgets them, and they come again.
  std::string ToJson() const;
  void Resume(const std::string& json, const IdSet& folded);

 private:
  mutable std::mutex mutex_;
  DocumentSample sample_;  // guarded by it, and so are all below
  std::optional<DocumentSample> kept_;
  uint64_t first_ = 0;  // minibatch that was offered, if those before it were not
};

// A primitive whose documents are offered to a sample when they have been learnt from, and shown to
// a watch, if there is one.
class SampledPrimitive : public Primitive<Documents, KeyedRows> {
 public:
  // All must outlive this. The watch may be null.
  SampledPrimitive(const Primitive<Documents, KeyedRows>& primitive, const LdaSpec& spec,
                   const std::vector<std::string>& vocabulary, SharedSample* sample,
                   TopicWatch* watch)
      : primitive_(primitive),
        spec_(spec),
        vocabulary_(vocabulary),
        sample_(*sample),
        watch_(watch) {}

  KeyedRows operator()(const Documents& documents, const KeyedRows& prior,
                       uint64_t key) const override {
    return primitive_(documents, prior, key);
  }
  KeyedRows Change(const Documents& documents, const KeyedRows& prior,
                   uint64_t key) const override {
    KeyedRows change = primitive_.Change(documents, prior, key);
    sample_.Offer(key, documents);
    if (watch_ != nullptr) {
      watch_->Offer(key, {documents, prior, change, spec_, UnknownTokens(documents),
                          [this](uint64_t word) { return vocabulary_[word]; }});
    }
    return change;
  }
  KeyedRows::Selection Touches(const Documents& documents) const override {
    return primitive_.Touches(documents);
  }

 private:
  const Primitive<Documents, KeyedRows>& primitive_;
  const LdaSpec& spec_;
  const std::vector<std::string>& vocabulary_;
  SharedSample& sample_;
  TopicWatch* const watch_;
};

}  // namespace sda

#endif  // SDA_TOPICS_SAMPLED_PRIMITIVE_H_
