#ifndef SDA_CLUSTER_WORKER_MEMBER_H_
#define SDA_CLUSTER_WORKER_MEMBER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cluster/job.h"
#include "cluster/kafka/kafka.h"
#include "cluster/log/dead_letter.h"
#include "cluster/log/note.h"
#include "sda/context.h"

namespace sda::cluster {

// A member of the job's group of workers. Takes documents from the partitions that the group has
// assigned to it and, in one transaction, writes their delta and commits that they were read: so
// each document counts once, also when a member fails.
//
// Partitions that the group wants to move are given up when what was taken from them is committed.
// If the group has removed a member, because it was stopped for too long or disconnected, its
// transactions are refused: others have its documents by then. It drops what it has and joins
// again.
//
// A thread of its own reads ahead and answers the group; the rest is for one other thread.
class Member {
 public:
  struct Document {
    int32_t partition;
    int64_t offset;
    int64_t milliseconds;  // since 1970, by the producer's clock or the broker's; -1: not known
    std::string key;       // empty: none
    std::string text;

    size_t bytes() const { return key.size() + text.size(); }
    // Unique in the topic, from 1. And back: the place of a message that was set aside.
    uint64_t number() const {
      return (static_cast<uint64_t>(partition) << kOffsetBits) + static_cast<uint64_t>(offset) + 1;
    }
    static SetAside Place(const std::string& topic, uint64_t number, std::string reason) {
      const uint64_t offset = (number - 1) & ((uint64_t{1} << kOffsetBits) - 1);
      return {topic, static_cast<int32_t>((number - 1) >> kOffsetBits),
              static_cast<int64_t>(offset), std::move(reason)};
    }
    static constexpr int kOffsetBits = 44;
  };

  // When documents are handed out though there are fewer than requested.
  struct Patience {
    std::chrono::duration<double> wait{10};  // since the first of them came
    bool only_at_end = false;                // and none are left now
    bool at_end_at_once = false;             // without waiting, if none are left now
  };

  using Offsets = std::map<int32_t, int64_t>;  // by partition

  // The offsets up to which, by the log, documents were read: all that is committed now; or, with
  // `begun`, also all that was begun, once it is committed or aborted. Throws KafkaError if that
  // takes long.
  using FoldedOffsets = std::function<Offsets(bool begun)>;

  // A stop of the context ends waiting; errors go to its log.
  Member(const Job& job, std::string worker, FoldedOffsets folded_offsets, Context context);
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  // Waits for documents, at most `count` of them, which are the current ones until Commit() or
  // Drop(). Nothing if give_up() returns true; it is called now and then.
  std::vector<Document> Take(size_t count, const Patience& patience,
                             const std::function<bool()>& give_up);

  // The last of the current documents, in their order, are not current any more: they are the next
  // that are handed out.
  void PutBack(std::vector<Document> documents);
  // Some of the current documents were set aside. That is noted with their commit, if it can be: no
  // commit fails because of that.
  void Reject(const std::vector<SetAside>& messages) {
    for (const SetAside& message : messages) rejected_.push_back({message, worker_});
  }

  using Ranges = std::map<int32_t, OffsetRange>;                        // by partition
  using Write = std::function<void(Producer&, const Ranges& offsets)>;  // may be empty
  // Calls `write` with the offsets of the current documents, and commits these. False if they were
  // reassigned to another member meanwhile: then nothing was written. An exception of `write` is
  // passed on, and nothing was written either.
  bool Commit(const Write& write);
  // Ends the transaction of the last Commit() again (lost_end.h) if it succeeded long ago and the
  // log cannot be read to its end all the same. Called now and then.
  void EndAgainIfLost(int64_t log_position);
  // The same for the worker that breaks the symmetry of the job: if several try, only the last to
  // have called BeFirst() succeeds.
  void BeFirst();

  // The current documents are not committed, and will be read again, by this member or another.
  void Drop();

  // Throws the exception that has ended its reading, if any; Take() does, too.
  void ExpectReading() const;

  // Whether this member has the partition.
  bool Has(int32_t partition) const;
  // Everything in the documents' topic was read and committed, by any member, and can be seen in
  // the log. `folded` has the offsets up to which documents were read, by the log as far as it was
  // read.
  bool GroupIsCaughtUp(const Offsets& folded, int64_t log_position) const;

  struct Counts {
    uint64_t partitions = 0;  // that this member has now
    uint64_t rejoined = 0;    // times it had to join again
    uint64_t expired = 0;     // documents that the topic dropped before they were read
  };
  Counts counts() const;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kTick{100};  // how often possible changes are polled
  static constexpr std::chrono::milliseconds kGroupTick{10};  // how often the group is polled
  static constexpr size_t kMostBytes = size_t{256} << 20;     // of documents in the queue

  struct Partition {
    int64_t committed = 0;         // as far as this member knows
    int64_t end = -1;              // after the last document in the topic, when this was read
    int64_t position = 0;          // after the last document that was read
    uint64_t waiting = 0;          // documents
    std::optional<int64_t> go_to;  // where to read next: the reader has yet to seek there
  };

  void Join();
  void Leave();
  void Rejoin(const std::string& why);
  void ReadAhead(const std::stop_token& stop);
  bool WantsMore() const;
  bool HasEnough();
  void GoBack();
  bool Keep(const Message& message);
  void TellUnreadable(const Message& message);
  struct Beginning {
    std::map<int32_t, int64_t> offsets;  // by partition
    uint64_t expired = 0;
  };
  Offsets FindRead(const std::vector<int32_t>& partitions);
  Beginning FindBeginning(const std::vector<int32_t>& partitions);
  void CheckJob(const std::stop_token& stop);
  bool IsSameJob(const std::stop_token& stop);
  void Fail(std::exception_ptr failure);
  std::map<int32_t, int64_t> Assigned(const std::vector<int32_t>& partitions);
  void Revoked(const std::vector<int32_t>& partitions, bool lost);
  bool TryCommit(const Write& write);
  bool GivesUpLetters(const KafkaError& error);
  std::unique_ptr<Producer> NewProducer(const std::string& id) const;
  void AbortOpen();
  bool Stopping() const { return context_.StopRequested(); }
  void Forget(int32_t partition);
  bool Ready(size_t count, const Patience& patience) const;
  bool AllAtEnd() const;
  std::vector<Document> HandOut(size_t count);
  void CommitEnds();

  const Job job_;
  const std::string worker_;
  const FoldedOffsets folded_offsets_;
  const Context context_;
  Clock::time_point tell_unreadable_{};  // of the thread that reads
  std::atomic<bool> leaving_ = false;
  std::unique_ptr<Consumer> consumer_;
  std::unique_ptr<Consumer> observer_;  // of offsets, also those that a transaction may change
  // For other requests: on the connection of consumer_ an answer waits until a fetch is over.
  std::unique_ptr<Consumer> client_;
  std::unique_ptr<Producer> producer_;
  std::unique_ptr<Producer> first_producer_;  // of BeFirst(), for one transaction
  std::unique_ptr<Producer> last_writer_;     // that wrote to the log last, if not producer_
  Clock::time_point look_for_end_ = Clock::time_point::max();
  std::vector<DeadLetter> rejected_;  // of the current documents
  std::jthread reader_;
  std::jthread checking_;  // that the job is still the same; only Join() starts threads

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::condition_variable_any unchecked_;
  bool job_is_unchecked_ = false;  // since partitions came
  OwnedGroupMetadata metadata_;    // as of the last assignment of partitions
  std::map<int32_t, Partition> partitions_;
  std::deque<Document> waiting_;
  size_t waiting_bytes_ = 0;
  Clock::time_point waiting_since_;
  size_t wanted_ = 1;  // documents of a minibatch
  std::exception_ptr failure_;
  struct Hand {
    std::map<int32_t, int64_t> first;  // offset
    std::map<int32_t, int64_t> next;   // offset after the last
    bool lost = false;                 // a partition was revoked

    Ranges ranges() const {
      Ranges ranges;
      for (const auto& [partition, from] : first) ranges[partition] = {from, next.at(partition)};
      return ranges;
    }
  };
  std::optional<Hand> hand_;
  Counts counts_;
};

// Current documents were set aside: the log names the first of them, and the commit notes some.
void RejectDocuments(std::vector<SetAside> messages, Member* member, const Context& context);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_MEMBER_H_
