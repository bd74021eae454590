#ifndef SDA_CLUSTER_WORKER_WORKER_SOURCE_H_
#define SDA_CLUSTER_WORKER_WORKER_SOURCE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/job.h"
#include "cluster/log/log_view.h"
#include "cluster/worker/delta_writer.h"
#include "cluster/worker/member.h"
#include "cluster/worker/worker_options.h"
#include "data/text/message_documents.h"
#include "sda/context.h"
#include "sda/documents.h"
#include "sda/source.h"

namespace sda::cluster {

// The documents that come to one worker, as minibatches.
//
// Topics have no order of their own, so two workers that both started from the prior would have
// different topics under number 1. One minibatch therefore goes first, alone, and all others wait
// for it: that of the worker that has the first partition with a document in it. If two workers
// both take this role, Kafka lets only one of them commit (see Member::BeFirst).
class WorkerSource : public Source<Documents> {
 public:
  // All must outlive this. `documents` may have no vocabulary yet; the view is polled by another
  // thread. The writer commits messages that hold nothing to learn from, and is given the words
  // that this worker chooses.
  WorkerSource(const Job& job, const WorkerOptions& options, Member* member, const LogView* view,
               MessageDocuments* documents, DeltaWriter* writer, Context context);

  // Waits until the words of the job are known: from its settings, from the log, or chosen from
  // documents of the whole topic by the worker that is first. False if the stream ends before.
  bool SettleVocabulary();

  // The id is unique among the job's minibatches, as far as this worker knows them.
  std::optional<Minibatch<Documents>> Next() override;
  // A worker continues where its group is: throws std::logic_error.
  void Resume(const std::string& position, const std::vector<uint64_t>& cut) override;

  // Another worker was first, and chose other words than this one: everything has to start again.
  bool must_start_over() const { return start_over_; }

 private:
  bool NothingLearnt() const { return view_.totals().documents == 0; }
  bool MustWaitForFirst() const;
  std::vector<Member::Document> TakeFirst();
  std::vector<Member::Document> Take();
  bool IsFirst();
  bool HasUnread(int32_t partition);
  // False if the available documents are not suitable: then none is current.
  bool ChooseVocabulary();
  void WaitForMore(const std::string& why, const std::string& more = "");
  void ReadLogToItsEnd() const;
  bool Ended();
  MessageDocuments::Outcome Add(const Member::Document& message, Documents* documents,
                                std::string* error);
  struct Parsed {
    Documents documents;
    Counts counts;
  };
  // Of the first messages, as many as fit in a minibatch. The others are put back.
  Parsed Parse(std::vector<Member::Document> messages);

  const Job job_;
  const Client client_;
  const WorkerOptions options_;
  Member& member_;
  const LogView& view_;
  MessageDocuments& documents_;
  DeltaWriter& writer_;
  const Context context_;

  std::vector<Member::Document> taken_;  // by SettleVocabulary()
  std::map<int32_t, int64_t> unread_;    // offset of a document that was unread, by partition
  std::vector<std::string> chosen_;      // words, by this worker, not yet committed
  std::string waits_;                    // why, as was logged last
  bool start_over_ = false;
  uint64_t next_number_ = 0;  // of a minibatch, in the job
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_WORKER_SOURCE_H_
