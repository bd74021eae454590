#ifndef SDA_TOPICS_TOPIC_WATCH_H_
#define SDA_TOPICS_TOPIC_WATCH_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "sda/context.h"
#include "sda/topic_events.h"
#include "topics/minibatch_view.h"
#include "topics/share_history.h"

namespace sda {

// Watches the minibatches of a session for events. What a minibatch shows is found by the worker
// that learns from it; it counts when its delta is folded, so that the events of a serial or
// synchronous run are always the same.
class TopicWatch {
 public:
  // Not of EP, whose posterior may be improper on the way, are the documents looked at.
  TopicWatch(int topics, bool with_documents, Context context, OnTopicEvent on_event);

  // What a minibatch shows. From any thread.
  void Offer(uint64_t minibatch, const Lesson& lesson);
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
