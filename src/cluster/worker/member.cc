#include "cluster/worker/member.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cluster/kafka/explain.h"
#include "cluster/kafka/fault_point.h"

namespace sda::cluster {

Member::Member(const Job& job, std::string worker, FoldedOffsets folded_offsets, Context context)
    : job_(job),
      worker_(std::move(worker)),
      folded_offsets_(std::move(folded_offsets)),
      context_(std::move(context)) {
  observer_ = std::make_unique<Consumer>(job_.UncommittedProperties(job_.group()));
  client_ = std::make_unique<Consumer>(job_.ConsumerProperties(""));
  try {
    Join();
  } catch (...) {
    Leave();
    throw;
  }
}

Member::~Member() { Leave(); }

void Member::Join() {
  leaving_ = false;
  Properties properties = job_.ConsumerProperties(job_.group());
  properties["client.id"] = worker_;
  // A minibatch may take long; a dead member is detected by its missing heartbeats, not by this.
  properties.insert({"max.poll.interval.ms", "3600000"});
  properties.insert({"session.timeout.ms", "10000"});
  properties.insert({"heartbeat.interval.ms", "1000"});
  consumer_ = std::make_unique<Consumer>(std::move(properties));
  consumer_->Subscribe(job_.documents, {[this](const auto& p) { return Assigned(p); },
                                        [this](const auto& p, bool lost) { Revoked(p, lost); }});
  checking_ = std::jthread([this](const std::stop_token& stop) { CheckJob(stop); });
  reader_ = std::jthread([this](const std::stop_token& stop) { ReadAhead(stop); });
  // It takes a second, in which the group assigns partitions.
  try {
    producer_ = NewProducer(worker_ + "." + RandomId());
  } catch (const std::exception&) {
    // Made again when it is needed: that throws the reason.
  }
}

void Member::Leave() {
  leaving_ = true;
  {
    std::lock_guard lock(mutex_);
    hand_.reset();  // it is not waited for any more
    changed_.notify_all();
  }
  if (reader_.joinable()) {
    reader_.request_stop();
    reader_.join();
  }
  checking_ = {};
  first_producer_.reset();
  producer_.reset();
  rejected_.clear();
  if (consumer_) consumer_->Close();  // informs the group
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
  context_.Log(fmt::format("{}; joins the job again", why));
  // What it wrote last may still have to be ended, which only the same producer can do.
  if (!last_writer_) last_writer_ = std::move(producer_);
  Leave();
  Join();
  std::lock_guard lock(mutex_);
  ++counts_.rejoined;
}

void Member::Fail(std::exception_ptr failure) {
  std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);  // the first is the most informative
  changed_.notify_all();
}

// What waits of it.
void Member::Forget(int32_t partition) {
  std::erase_if(waiting_, [&](const Document& document) {
    if (document.partition != partition) return false;
    waiting_bytes_ -= document.bytes();
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
        if (Stopping()) return {};
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
    waiting_bytes_ -= document.bytes();
    Partition& partition = partitions_.at(document.partition);
    hand_->first.insert({document.partition, document.offset});
    // After the last document there may be marks of transactions.
    const bool last = --partition.waiting == 0 && partition.end >= 0;
    hand_->next[document.partition] = last ? partition.end : document.offset + 1;
  }
  waiting_since_ = Clock::now();
  changed_.notify_all();  // there is room for more
  return documents;
}

void Member::PutBack(std::vector<Document> documents) {
  std::lock_guard lock(mutex_);
  if (!hand_ || hand_->lost) return;  // they are read again
  while (!documents.empty()) {
    Document& document = documents.back();
    const auto partition = partitions_.find(document.partition);
    if (partition != partitions_.end()) {
      ++partition->second.waiting;
      hand_->next[document.partition] = document.offset;
      if (hand_->first[document.partition] == document.offset) {
        hand_->first.erase(document.partition);
        hand_->next.erase(document.partition);
      }
      waiting_bytes_ += document.bytes();
      waiting_.push_front(std::move(document));
    }
    documents.pop_back();
  }
  changed_.notify_all();  // a partition may be in nobody's hand any more
}

void Member::ExpectReading() const {
  std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

bool Member::Has(int32_t partition) const {
  std::lock_guard lock(mutex_);
  return partitions_.count(partition) > 0;
}

Member::Counts Member::counts() const {
  std::lock_guard lock(mutex_);
  return counts_;
}

void RejectDocuments(std::vector<SetAside> messages, Member* member, const Context& context) {
  constexpr size_t kMostLetters = 100;  // of one minibatch
  if (messages.empty()) return;
  constexpr size_t kMostNamed = 5;
  const size_t named = std::min(kMostNamed, messages.size());
  for (size_t i = 0; i < named; ++i) {
    const bool last = i + 1 == named && messages.size() > named;
    context.Log(fmt::format("{}; ignored{}", Describe(messages[i]),
                            last ? fmt::format(", and {} more", messages.size() - named) : ""));
  }
  if (messages.size() > kMostLetters) {
    const SetAside& last = messages.back();
    SetAside& noted = messages[kMostLetters - 1];
    noted.reason = fmt::format("{}; and {} more after it, up to partition {}, offset {}",
                               noted.reason.substr(0, kMostReasonBytes / 2),
                               messages.size() - kMostLetters, last.partition, last.offset);
    messages.resize(kMostLetters);
  }
  member->Reject(messages);
}

}  // namespace sda::cluster
