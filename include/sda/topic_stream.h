#ifndef SDA_TOPIC_STREAM_H_
#define SDA_TOPIC_STREAM_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sda/topics.h"

namespace SDA_EXPORT sda {

// A topic model that is pushed documents in pieces of any size, and is of use after each of them.
//
// Topics that form from a few hundred documents stay poor, however many follow. So the documents of
// the first pieces are kept until there are options().first_minibatch of them, and the topics form
// anew, from all of them together, whenever there are half as many more. Until then a piece is
// learnt from as it is. When there are enough they form for the last time, and what was kept is
// given up; from then on a piece is a minibatch: TopicSession::Update(). Forming anew costs three
// times what forming once does, at most.
//
// If the number of topics is kAutoTopics, the first piece chooses it, and must have enough
// documents for that: nothing is kept then.
//
// Update() and Run() are called by one thread at a time; session() may be called from any, also
// while these are at work.
class TopicStream {
 public:
  // A new model with these words. Throws UsageError.
  TopicStream(const TopicOptions& options, std::vector<std::string> vocabulary,
              Context context = Context());
  // Continues from a model, and from the documents that the stream it is of had kept. Their topics
  // formed when there were `formed` of them. `notes`: see TopicSession::ContinueNotes().
  explicit TopicStream(TopicModel model, Context context = Context(), Documents kept = {},
                       uint64_t formed = 0, const std::string& notes = "");

  // Learns from these documents. Throws RunError, and UsageError if these are too few to choose the
  // number of topics; it has then learnt nothing.
  Summary Update(Documents documents);
  // Learns from a source until it ends, as TopicSession::Run(); nothing is kept of it.
  Summary Run(Source<Documents>& source, const Observer& observer = {});
  // TopicSession::Refit().
  bool Refit() { return session_->Refit(); }

  // As of now; another one after topics formed anew.
  std::shared_ptr<const TopicSession> session() const;
  const Context& context() const { return context_; }

  // For whoever saves the stream. Not to be called while it learns.
  const Documents& kept() const { return kept_; }
  uint64_t formed() const { return formed_; }

 private:
  bool Enough(const Documents& documents) const;
  Summary FormAnew(Documents documents);

  const Context context_;
  mutable std::mutex mutex_;
  std::shared_ptr<TopicSession> session_;  // the pointer is guarded by it
  bool keeps_ = false;
  Documents kept_;
  uint64_t formed_ = 0;  // documents kept when topics formed last
};

}  // namespace sda

#endif  // SDA_TOPIC_STREAM_H_
