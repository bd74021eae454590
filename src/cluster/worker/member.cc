#include "cluster/worker/member.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cluster/kafka/explain.h"
#include "cluster/kafka/fault_point.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;

constexpr auto kTick = milliseconds(100);         // how often what may have changed is looked at
constexpr auto kReaderTick = milliseconds(10);    // how often the group is heard
constexpr size_t kMostBytes = size_t{256} << 20;  // of documents that wait

bool IsUnknownTopic(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
         code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC || code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

// The group has moved on, and this member has yet to hear of it.
bool IsOfAnotherGeneration(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION ||
         code == RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS ||
         code == RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID;
}

}  // namespace

Member::Member(const Job& job, std::string worker, FoldedOffsets folded_offsets,
               const std::atomic<bool>* stop, Log log)
    : job_(job),
      worker_(std::move(worker)),
      folded_offsets_(std::move(folded_offsets)),
      stop_(stop),
      log_(std::move(log)) {
  observer_ = std::make_unique<Consumer>(job_.UncommittedProperties(job_.group()));
  client_ = std::make_unique<Consumer>(job_.ConsumerProperties(""));
  Join();
}

Member::~Member() { Leave(); }

void Member::Join() {
  leaving_ = false;
  Properties properties = job_.ConsumerProperties(job_.group());
  properties["client.id"] = worker_;
  // A minibatch may take long; a member that is dead is known by its silence, not by this.
  properties.insert({"max.poll.interval.ms", "3600000"});
  properties.insert({"session.timeout.ms", "10000"});
  properties.insert({"heartbeat.interval.ms", "1000"});
  consumer_ = std::make_unique<Consumer>(std::move(properties));
  consumer_->Subscribe(job_.documents, {[this](const auto& p) { return Assigned(p); },
                                        [this](const auto& p, bool lost) { Revoked(p, lost); }});
  reader_ = std::jthread([this](const std::stop_token& stop) { ReadAhead(stop); });
  // It takes a second, in which the group gives partitions.
  try {
    producer_ = NewProducer(worker_ + "." + RandomId());
  } catch (const std::exception&) {
    // It is made when it is needed, and said then why it cannot.
  }
}

void Member::Leave() {
  leaving_ = true;
  {
    std::lock_guard lock(mutex_);
    hand_.reset();  // nobody waits for it any more
    changed_.notify_all();
  }
  if (reader_.joinable()) {
    reader_.request_stop();
    reader_.join();
  }
  checking_ = {};
  first_producer_.reset();
  producer_.reset();
  if (consumer_) consumer_->Close();  // tells the group
  consumer_.reset();
  std::lock_guard lock(mutex_);
  metadata_.reset();
  partitions_.clear();
  waiting_.clear();
  waiting_bytes_ = 0;
  failure_ = nullptr;
  counts_.partitions = 0;
}

void Member::Rejoin(const std::string& why) {
  log_(fmt::format("{}; joins the job anew", why));
  Leave();
  Join();
  std::lock_guard lock(mutex_);
  ++counts_.rejoined;
}

void Member::ReadAhead(const std::stop_token& stop) {
  try {
    while (!stop.stop_requested()) {
      GoBack();
      while (const auto news = consumer_->PollGroup(milliseconds(0))) Keep(*news);
      if (HasEnough()) continue;
      constexpr int kMost = 1000;  // before the group is heard again
      for (int i = 0; i < kMost; ++i) {
        const auto message = consumer_->Poll(kReaderTick);
        if (!message || !Keep(*message)) break;
      }
    }
  } catch (...) {
    Fail(std::current_exception());
  }
}

bool Member::WantsMore() const {
  return waiting_.size() < 2 * wanted_ && waiting_bytes_ <= kMostBytes;
}

// Waits for a moment if so.
bool Member::HasEnough() {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, kReaderTick, [&] { return WantsMore(); });
}

// To documents that were dropped. Done by the thread that reads, so that nothing read before can
// come after.
void Member::GoBack() {
  std::map<int32_t, int64_t> offsets;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [partition, state] : partitions_) {
      if (state.go_to) offsets[partition] = *state.go_to;
    }
  }
  if (offsets.empty()) return;
  try {
    consumer_->Seek(job_.documents, offsets);
  } catch (const KafkaError&) {
    return;  // tried again
  }
  std::lock_guard lock(mutex_);
  for (const auto& [partition, offset] : offsets) {
    const auto state = partitions_.find(partition);
    if (state != partitions_.end()) state->second.go_to.reset();
  }
}

// False if there are enough for now.
bool Member::Keep(const Message& message) {
  if (message.error() != RD_KAFKA_RESP_ERR_NO_ERROR && !message.at_end()) {
    const bool deleted = IsUnknownTopic(message.error()) && client_->IsGone(job_.documents);
    if (deleted || IsHopeless(message.error())) {
      throw KafkaError("topic " + job_.documents, message.error());
    }
    return true;  // the client goes on trying
  }
  std::lock_guard lock(mutex_);
  const auto found = partitions_.find(message.partition());
  if (found == partitions_.end() || found->second.go_to) return true;
  Partition& partition = found->second;
  if (message.at_end()) {
    if (message.offset() >= partition.position) partition.end = message.offset();
    changed_.notify_all();
    return true;
  }
  if (message.offset() < partition.position) return true;  // it was read before
  partition.position = message.offset() + 1;
  partition.end = -1;
  ++partition.waiting;
  if (waiting_.empty()) waiting_since_ = Clock::now();
  waiting_.push_back({message.partition(), message.offset(), std::string(message.value())});
  waiting_bytes_ += waiting_.back().text.size();
  if (waiting_.size() == wanted_) changed_.notify_all();
  return WantsMore();
}

// Behind what was read, by the group and by the log, of those partitions where either knows. Kafka
// forgets the group's some days after its last member left. And it may never say it: a transaction
// that ends while the broker starts can leave offsets uncertain for good (seen with Kafka 4.3). The
// log alone is enough once every transaction is over that was begun before.
Member::Offsets Member::FindRead(const std::vector<int32_t>& partitions) {
  const int32_t last = *std::max_element(partitions.begin(), partitions.end());
  std::vector<int64_t> committed(last + 1, -1);
  bool known = true;
  try {
    committed = consumer_->Committed(job_.documents, last + 1);
  } catch (const KafkaError& e) {
    if (e.code() != RD_KAFKA_RESP_ERR__TIMED_OUT) throw;
    known = false;
  }
  const Offsets folded = folded_offsets_(!known);
  Offsets read;
  for (const int32_t partition : partitions) {
    const auto in_log = folded.find(partition);
    const int64_t next =
        std::max(committed[partition], in_log == folded.end() ? int64_t{-1} : in_log->second);
    if (next >= 0) read[partition] = next;
  }
  return read;
}

// Throws KafkaError if nobody can say.
Member::Beginning Member::FindBeginning(const std::vector<int32_t>& partitions) {
  Beginning found;
  if (partitions.empty()) return found;
  const Offsets read = FindRead(partitions);
  for (const int32_t partition : partitions) {
    const auto next = read.find(partition);
    auto [kept_from, end] = client_->Offsets(job_.documents, partition);
    // A broker that has just started may not know all of it yet.
    for (int i = 0; i < 10 && next != read.end() && next->second > end && !Stopping(); ++i) {
      std::this_thread::sleep_for(milliseconds(500));
      end = client_->Offsets(job_.documents, partition).end;
    }
    if (next != read.end() && next->second > end) {
      throw std::runtime_error(fmt::format(
          "topic {}, partition {}, ends at offset {}, though the job has read up to {}: was it "
          "deleted and made again? Make a new job for it",
          job_.documents, partition, end, next->second));
    }
    found.offsets[partition] = next == read.end() ? kept_from : std::max(next->second, kept_from);
    if (next != read.end() && kept_from > next->second) found.expired += kept_from - next->second;
  }
  return found;
}

// A job that was deleted and made again has the same topics. Beside the reading, since it takes a
// while.
void Member::CheckJob() {
  checking_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      try {
        return ExpectSameJob(job_, [stop] { return stop.stop_requested(); });
      } catch (const KafkaError& e) {
        if (IsHopeless(e.code())) return Fail(std::current_exception());
        std::this_thread::sleep_for(kTick);
      } catch (...) {
        return Fail(std::current_exception());
      }
    }
  });
}

void Member::Fail(std::exception_ptr failure) {
  std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);  // the first says most
  changed_.notify_all();
}

// Called by the client, which must not meet an exception.
std::map<int32_t, int64_t> Member::Assigned(const std::vector<int32_t>& partitions) {
  if (!partitions.empty()) CheckJob();
  {
    // What is in hand can be committed while the beginning of these is found.
    std::lock_guard lock(mutex_);
    metadata_ = consumer_->GroupMetadata();
    changed_.notify_all();
  }
  Beginning found;
  // To begin anywhere else would be to count twice: so it is asked until there is an answer.
  while (!leaving_ && !Stopping()) {
    try {
      found = FindBeginning(partitions);
      break;
    } catch (const KafkaError& e) {
      if (!IsHopeless(e.code())) {
        std::this_thread::sleep_for(kTick);
        continue;
      }
      Fail(std::current_exception());
      break;
    } catch (...) {
      Fail(std::current_exception());
      break;
    }
  }
  if (found.expired > 0) {
    log_(fmt::format("{} deleted from topic {} unread: its retention is too short",
                     Plural(found.expired, "document was", "documents were"), job_.documents));
  }
  std::lock_guard lock(mutex_);
  counts_.expired += found.expired;
  for (const auto& [partition, offset] : found.offsets) {
    partitions_[partition] = {.committed = offset, .position = offset};
  }
  counts_.partitions = partitions_.size();
  changed_.notify_all();
  return found.offsets;
}

void Member::Revoked(const std::vector<int32_t>& partitions, bool lost) {
  std::unique_lock lock(mutex_);
  auto in_hand = [&] {
    return hand_ && std::any_of(partitions.begin(), partitions.end(),
                                [&](int32_t p) { return hand_->next.count(p) > 0; });
  };
  if (!lost) {
    metadata_ = consumer_->GroupMetadata();  // the group has a new generation
    changed_.notify_all();
    changed_.wait(lock, [&] { return !in_hand(); });
  }
  if (in_hand()) hand_->lost = true;
  for (const int32_t partition : partitions) {
    // Should it come back before the rest is dropped, it is read from where others left it.
    if (hand_) hand_->first.erase(partition);
    Forget(partition);
    partitions_.erase(partition);
  }
  counts_.partitions = partitions_.size();
  changed_.notify_all();
}

// What waits of it.
void Member::Forget(int32_t partition) {
  std::erase_if(waiting_, [&](const Document& document) {
    if (document.partition != partition) return false;
    waiting_bytes_ -= document.text.size();
    return true;
  });
}

bool Member::AllAtEnd() const {
  return std::all_of(partitions_.begin(), partitions_.end(),
                     [](const auto& p) { return p.second.end >= 0; });
}

bool Member::Ready(size_t count, const Patience& patience) const {
  if (waiting_.empty()) return false;
  if (waiting_.size() >= count || waiting_bytes_ > kMostBytes) return true;
  const bool at_end = AllAtEnd();
  if (at_end && patience.at_end_at_once) return true;
  if (patience.only_at_end && !at_end) return false;
  return Clock::now() - waiting_since_ >= patience.wait;
}

std::vector<Member::Document> Member::Take(size_t count, const Patience& patience,
                                           const std::function<bool()>& give_up) {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      wanted_ = count;
      const auto next_look = Clock::now() + kTick;
      while (Clock::now() < next_look) {
        if (failure_) std::rethrow_exception(failure_);
        if (stop_->load(std::memory_order_relaxed)) return {};
        if (Ready(count, patience)) return HandOut(count);
        changed_.wait_until(lock, next_look);
      }
    }
    CommitEnds();
    if (give_up && give_up()) return {};
  }
}

std::vector<Member::Document> Member::HandOut(size_t count) {
  std::vector<Document> documents;
  hand_.emplace();
  while (documents.size() < count && !waiting_.empty()) {
    documents.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    const Document& document = documents.back();
    waiting_bytes_ -= document.text.size();
    Partition& partition = partitions_.at(document.partition);
    hand_->first.insert({document.partition, document.offset});
    // Behind the last document there may be marks of transactions.
    const bool last = --partition.waiting == 0 && partition.end >= 0;
    hand_->next[document.partition] = last ? partition.end : document.offset + 1;
  }
  waiting_since_ = Clock::now();
  changed_.notify_all();  // there is room for more
  return documents;
}

bool Member::Commit(const Write& write) {
  constexpr int kTries = 50;
  for (int i = 0; i < kTries; ++i) {
    try {
      return TryCommit(write);
    } catch (const KafkaError& e) {
      if (IsHopeless(e.code())) throw;
      if (IsUnknownTopic(e.code()) && client_->IsGone(job_.documents)) throw;
      if (Producer* producer = first_producer_ ? first_producer_.get() : producer_.get()) {
        producer->Abort();
      }
      if (Stopping()) break;
      if (!IsOfAnotherGeneration(e.code())) {
        Rejoin(e.what());
        return false;
      }
      // The news will come; then either the documents are lost, or it goes on with them.
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kTick);
    }
  }
  if (Stopping()) {
    Drop();
  } else {
    Rejoin("the group refuses what it has read");
  }
  return false;
}

bool Member::TryCommit(const Write& write) {
  if (!first_producer_ && !producer_) producer_ = NewProducer(worker_ + "." + RandomId());
  Producer& producer = first_producer_ ? *first_producer_ : *producer_;
  Offsets next;
  {
    std::lock_guard lock(mutex_);
    if (hand_) next = hand_->next;
  }
  producer.Begin();
  write(producer, next);
  producer.Flush();  // so a transaction whose offsets are known can be seen in the log
  FaultPoint("produced");
  {
    // While this is locked no partition can go: what the group is told is what this member has.
    std::unique_lock lock(mutex_);
    if (!hand_ || hand_->lost || !metadata_) {
      lock.unlock();
      producer.Abort();
      Drop();
      return false;
    }
    producer.SendOffsets(job_.documents, hand_->next, metadata_.get());
  }
  FaultPoint("offsets-sent");
  producer.Commit();
  FaultPoint("committed");
  first_producer_.reset();
  std::lock_guard lock(mutex_);
  for (const auto& [partition, offset] : hand_->next) {
    const auto state = partitions_.find(partition);
    if (state != partitions_.end()) state->second.committed = offset;
  }
  hand_.reset();
  changed_.notify_all();
  return true;
}

void Member::BeFirst() { first_producer_ = NewProducer("first"); }

std::unique_ptr<Producer> Member::NewProducer(const std::string& id) const {
  auto producer =
      std::make_unique<Producer>(job_.ProducerProperties(id), [this] { return Stopping(); });
  producer->Partitions(job_.deltas_topic());  // it has met it then, and need not ask when it writes
  return producer;
}

void Member::Drop() {
  first_producer_.reset();
  std::lock_guard lock(mutex_);
  if (!hand_) return;
  for (const auto& [partition, first] : hand_->first) {
    const auto state = partitions_.find(partition);
    if (state == partitions_.end()) continue;  // it is read by another now
    Forget(partition);
    state->second.waiting = 0;
    state->second.end = -1;
    state->second.go_to = state->second.position = first;
  }
  hand_.reset();
  changed_.notify_all();
}

void Member::ExpectReading() const {
  std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

bool Member::Has(int32_t partition) const {
  std::lock_guard lock(mutex_);
  return partitions_.count(partition) > 0;
}

// Marks of transactions behind the last document are read, too, though there is nothing to fold.
void Member::CommitEnds() {
  {
    std::lock_guard lock(mutex_);
    if (hand_ || !waiting_.empty()) return;
    Hand ends;
    for (const auto& [partition, state] : partitions_) {
      if (state.end > state.committed) ends.first[partition] = ends.next[partition] = state.end;
    }
    if (ends.next.empty()) return;
    hand_ = std::move(ends);
  }
  Commit([](Producer&, const Offsets&) {});
}

bool Member::GroupIsCaughtUp(const Offsets& folded, int64_t log_position) const {
  try {
    // A transaction that somebody left open keeps deltas behind it from being read.
    if (log_position < observer_->Offsets(job_.deltas_topic(), 0).end) return false;
    const int partitions = client_->Partitions(job_.documents);
    const std::vector<int64_t> committed = observer_->Committed(job_.documents, partitions);
    for (int p = 0; p < partitions; ++p) {
      const Client::Range range = client_->Offsets(job_.documents, p);
      const int64_t read = std::max(committed[p], folded.count(p) > 0 ? folded.at(p) : -1);
      if (range.begin < range.end && read < range.end) return false;
    }
    return true;
  } catch (const KafkaError&) {
    return false;  // nobody can say
  }
}

Member::Counts Member::counts() const {
  std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace sda::cluster
