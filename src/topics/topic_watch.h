#ifndef SDA_TOPICS_TOPIC_WATCH_H_
#define SDA_TOPICS_TOPIC_WATCH_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/topic_events.h"
#include "topics/minibatch_view.h"
#include "topics/share_history.h"

namespace sda {

// Watches the minibatches of a session for events. What a minibatch shows is found by the worker
// that learns from it; it counts when its delta is folded, so that the events of a serial or
// synchronous run are always the same.
class TopicWatch {
 public:
  // The vocabulary must outlive this. Not of EP, whose posterior may be improper on the way, are
  // the documents looked at.
  TopicWatch(const LdaSpec& spec, const std::vector<std::string>& vocabulary, bool with_documents,
             Context context, OnTopicEvent on_event);

  // A minibatch, the prior it is learnt with, and what it adds to that. From any thread.
  void Offer(uint64_t minibatch, const Documents& documents, const KeyedRows& prior,
             const KeyedRows& change);
  // It is folded; `documents`: those that are, with it.
  void Folded(uint64_t minibatch, uint64_t documents);

  // For checkpoints: what it knows of the minibatches folded, as a JSON object with some keys of
  // its own. Resume() throws InputError.
  std::string ToJson() const;
  void Resume(const std::string& json);

 private:
  void LookAtTopics(const MinibatchView& view, TopicEvent event);
  void LookAtWords(const MinibatchView& view, TopicEvent event);
  void LookAtDocuments(const MinibatchView& view, TopicEvent event);

  const LdaSpec spec_;
  const std::vector<std::string>& vocabulary_;
  const bool with_documents_;
  const Context context_;
  const OnTopicEvent on_event_;
  mutable std::mutex mutex_;
  std::map<uint64_t, MinibatchView> offered_;  // guarded by it; not yet folded
  std::vector<ShareHistory> topics_;           // likewise, and what follows
  ShareHistory unknown_;
  WeightedSpread gains_;  // of documents
};

}  // namespace sda

#endif  // SDA_TOPICS_TOPIC_WATCH_H_
