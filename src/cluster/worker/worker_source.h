#ifndef SDA_CLUSTER_WORKER_WORKER_SOURCE_H_
#define SDA_CLUSTER_WORKER_WORKER_SOURCE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/job.h"
#include "cluster/log/log_view.h"
#include "cluster/worker/member.h"
#include "data/text/message_documents.h"
#include "sda/documents.h"
#include "sda/source.h"

namespace sda::cluster {

struct WorkerOptions {
  uint64_t minibatch = 4096;              // documents
  uint64_t first_minibatch = 32768;       // of the job
  uint64_t vocabulary_from = 10'000;      // documents from which words are chosen
  double minibatch_seconds = 10;          // after which fewer documents will do
  bool until_caught_up = false;           // ends when everything was read, by whomever
  bool fixed_prior = false;               // minibatches start from the job's prior
  std::optional<uint64_t> max_staleness;  // deltas that a view may lack when a minibatch starts
};

// The documents that come to one worker, as minibatches.
//
// Topics have no order of their own, so two workers that both started from the prior would mean
// different things by topic 1. One minibatch therefore goes first, alone, and all others wait for
// it: that of the worker that has the first partition with a document in it. Should two believe
// that they are this worker, Kafka lets only one of them commit (see Member::BeFirst).
class WorkerSource : public Source<Documents> {
 public:
  // All must outlive this. `documents` may have no vocabulary yet; view is polled by somebody else.
  WorkerSource(const Job& job, const WorkerOptions& options, Member* member, const LogView* view,
               MessageDocuments* documents, const std::atomic<bool>* stop, Member::Log log);

  // Waits until the words of the job are known: from its settings, from the log, or chosen from
  // documents of the whole topic by the worker that is first. False if the stream ends before.
  bool SettleVocabulary();

  std::optional<Minibatch<Documents>> Next() override;
  // A worker goes on where its group is.
  void Resume(const std::string& position) override;

  // Another worker was first, and chose other words than this one: all has to be made anew.
  bool must_start_over() const { return start_over_; }

  // What the minibatch handed out last is made of.
  struct Counts {
    uint64_t documents = 0;
    uint64_t tokens = 0;
    uint64_t skipped = 0;
    uint64_t bad = 0;
    std::vector<std::string> vocabulary;  // chosen for it
  };
  const Counts& counts() const { return counts_; }

  // Called with what no document was found in, to commit that it was read.
  std::function<bool(const Counts&)> commit_nothing;

 private:
  bool NothingLearnt() const { return view_.totals().documents == 0; }
  bool MustWaitForFirst() const;
  std::vector<Member::Document> TakeFirst();
  std::vector<Member::Document> Take();
  bool IsFirst();
  bool HasUnread(int32_t partition);
  // False if the documents that there are are no good for it: then none is in hand.
  bool ChooseVocabulary();
  void WaitForMore(const std::string& why, const std::string& more = "");
  void ReadLogToItsEnd() const;
  bool Ended();
  Documents Parse(const std::vector<Member::Document>& messages);

  const Job job_;
  const Client client_;
  const WorkerOptions options_;
  Member& member_;
  const LogView& view_;
  MessageDocuments& documents_;
  const std::atomic<bool>& stop_;
  const Member::Log log_;

  std::vector<Member::Document> taken_;  // by SettleVocabulary()
  std::map<int32_t, int64_t> unread_;    // offset of a document that was unread, by partition
  std::vector<std::string> chosen_;      // words, by this worker, not yet committed
  std::string waits_;                    // why, as was said last
  Counts counts_;
  bool start_over_ = false;
  uint64_t next_number_ = 0;  // of a minibatch, in the job
  uint64_t next_id_ = 0;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_WORKER_SOURCE_H_
