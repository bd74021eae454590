#include "cluster/worker/worker_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/text.h"
#include "cluster/kafka/explain.h"
#include "cluster/worker/word_sample.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;

constexpr uint64_t kLeastForWords = 1000;  // documents

// A number for a document that no other of the topic has.
uint64_t NumberOf(const Member::Document& document) {
  return (static_cast<uint64_t>(document.partition) << 44) +
         static_cast<uint64_t>(document.offset) + 1;
}

}  // namespace

WorkerSource::WorkerSource(const Job& job, const WorkerOptions& options, Member* member,
                           const LogView* view, MessageDocuments* documents,
                           const std::atomic<bool>* stop, Member::Log log)
    : job_(job),
      client_(RD_KAFKA_PRODUCER, job.client),
      options_(options),
      member_(*member),
      view_(*view),
      documents_(*documents),
      stop_(*stop),
      log_(std::move(log)) {}

bool WorkerSource::Ended() {
  return stop_ || (options_.until_caught_up &&
                   member_.GroupIsCaughtUp(view_.totals().offsets, view_.position()));
}

bool WorkerSource::MustWaitForFirst() const {
  // Words that this worker chose are the job's only if it was first.
  const bool words_are_settled = documents_.has_vocabulary() && chosen_.empty();
  return NothingLearnt() && !(options_.fixed_prior && words_are_settled);
}

bool WorkerSource::SettleVocabulary() {
  while (!documents_.has_vocabulary()) {
    if (!NothingLearnt()) {
      documents_.SetVocabulary(view_.vocabulary());
      break;
    }
    taken_ = TakeFirst();
    if (!taken_.empty()) {
      if (ChooseVocabulary()) break;
      taken_.clear();
    } else if (Ended()) {
      return false;
    }
  }
  return true;
}

bool WorkerSource::ChooseVocabulary() {
  const auto is_document = [this](std::string_view message) {
    return documents_.AnyReadable({&message, 1});
  };
  std::vector<std::string> sample;
  try {
    sample = ReadWordSample(job_, options_.vocabulary_from, is_document,
                            [this] { return stop_.load(); });
  } catch (const KafkaError& e) {
    WaitForMore(
        fmt::format("cannot read documents to choose the words from: {}; tries again", e.what()));
    return false;
  }
  if (stop_) return false;
  if (sample.empty() && std::none_of(taken_.begin(), taken_.end(), [&](const auto& document) {
        return is_document(document.text);
      })) {
    counts_ = {.bad = taken_.size()};
    log_(fmt::format("topic {}: {}, no document among them; left out", job_.documents,
                     Plural(taken_.size(), "message", "messages")));
    commit_nothing(counts_);
    return false;
  }
  // If no more are to come, one will do.
  const uint64_t least =
      options_.until_caught_up
          ? 1
          : std::min({kLeastForWords, options_.first_minibatch, options_.vocabulary_from});
  if (sample.size() < least) {
    WaitForMore(fmt::format("waits for {} documents to choose the words from", least),
                fmt::format(": {} so far; or give --vocab", sample.size()));
    return false;
  }
  try {
    documents_.ChooseVocabulary(std::vector<std::string_view>(sample.begin(), sample.end()));
    chosen_ = documents_.vocabulary();
    return true;
  } catch (const InputError& e) {
    if (options_.until_caught_up) throw;
    WaitForMore(fmt::format("{}; waits for more documents", e.what()));
    return false;
  }
}

// What is in hand is read again, in a while. Says why, unless it is what was said before.
void WorkerSource::WaitForMore(const std::string& why, const std::string& more) {
  if (std::exchange(waits_, why) != why) log_(why + more);
  member_.Drop();
  std::this_thread::sleep_for(std::chrono::seconds(1));
}

std::optional<Minibatch<Documents>> WorkerSource::Next() {
  while (true) {
    std::vector<Member::Document> messages = std::exchange(taken_, {});
    while (messages.empty()) {
      messages = MustWaitForFirst() ? TakeFirst() : Take();
      if (messages.empty() && Ended()) return std::nullopt;
    }
    // Words that this worker chose count only if it was first.
    if (!chosen_.empty() && !NothingLearnt() && view_.vocabulary() != chosen_) {
      member_.Drop();
      start_over_ = true;
      return std::nullopt;
    }
    Documents documents = Parse(messages);
    if (documents.size() > 0) {
      const uint64_t items = documents.size();
      return Minibatch<Documents>{next_id_++, items, "", std::move(documents)};
    }
    counts_.vocabulary.clear();  // the words are the job's when something was learnt with them
    if (!commit_nothing(counts_)) log_("documents without known words went to another worker");
  }
}

void WorkerSource::Resume(const std::string&) {
  throw std::logic_error("a worker goes on where its group is");
}

std::vector<Member::Document> WorkerSource::Take() {
  Member::Patience patience{.wait = std::chrono::duration<double>(options_.minibatch_seconds),
                            .at_end_at_once = options_.until_caught_up};
  return member_.Take(options_.minibatch, patience, [this] { return Ended(); });
}

// The first minibatch of the job, if it is this worker's to take; else nothing, after a while.
std::vector<Member::Document> WorkerSource::TakeFirst() {
  member_.ExpectReading();
  if (!IsFirst()) {
    for (int i = 0; i < 30 && NothingLearnt() && !stop_; ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    return {};
  }
  Member::Patience patience{.wait = std::chrono::duration<double>(options_.minibatch_seconds),
                            .only_at_end = true,
                            .at_end_at_once = options_.until_caught_up};
  auto documents = member_.Take(options_.first_minibatch, patience,
                                [this] { return Ended() || !NothingLearnt() || !IsFirst(); });
  if (documents.empty()) return {};
  try {
    member_.BeFirst();
    ReadLogToItsEnd();
    if (NothingLearnt() && !stop_) return documents;
  } catch (const KafkaError& e) {
    if (IsHopeless(e.code())) throw;
    log_(fmt::format("cannot begin with the first minibatch: {}; tries again", e.what()));
  }
  member_.Drop();
  return {};
}

// All that others have begun is committed or undone when this returns.
void WorkerSource::ReadLogToItsEnd() const {
  const int64_t end = client_.Offsets(job_.deltas_topic(), 0).end;
  while (view_.position() < end && !stop_) std::this_thread::sleep_for(milliseconds(20));
}

bool WorkerSource::IsFirst() {
  try {
    const int partitions = client_.Partitions(job_.documents);
    for (int32_t p = 0; p < partitions; ++p) {
      if (HasUnread(p)) return member_.Has(p);
    }
  } catch (const KafkaError&) {
    // Nobody can say.
  }
  return false;
}

// Whether the partition has a document that nobody has read yet.
bool WorkerSource::HasUnread(int32_t partition) {
  const auto read = view_.totals().offsets;
  const Client::Range range = client_.Offsets(job_.documents, partition);
  const int64_t from =
      std::max(range.begin, read.count(partition) > 0 ? read.at(partition) : int64_t{0});
  const auto known = unread_.find(partition);
  if (known != unread_.end() && known->second >= from) return true;
  if (from >= range.end) return false;
  Consumer consumer(job_.LookProperties());
  consumer.Assign(job_.documents, partition, from);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!stop_ && std::chrono::steady_clock::now() < give_up) {
    const auto message = consumer.Poll(milliseconds(100));
    if (!message) continue;
    if (message->at_end()) return false;
    if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    unread_[partition] = message->offset();
    return true;
  }
  return false;
}

Documents WorkerSource::Parse(const std::vector<Member::Document>& messages) {
  counts_ = {};
  counts_.vocabulary = NothingLearnt() ? chosen_ : std::vector<std::string>();
  Documents documents;
  std::string error;
  for (const Member::Document& message : messages) {
    switch (documents_.Add(message.text, NumberOf(message), &documents, &error)) {
      case MessageDocuments::Outcome::kAdded:
        break;
      case MessageDocuments::Outcome::kNoKnownWord:
        ++counts_.skipped;
        break;
      case MessageDocuments::Outcome::kBad:
        if (++counts_.bad == 1) {
          log_(fmt::format("topic {}, partition {}, offset {}: {}; left out", job_.documents,
                           message.partition, message.offset, error));
        }
    }
  }
  counts_.documents = documents.size();
  counts_.tokens = std::accumulate(documents.counts.begin(), documents.counts.end(), uint64_t{0});
  // The view may have yet to hear of the last one.
  documents.minibatch = std::max(view_.totals().deltas, next_number_);
  next_number_ = documents.minibatch + 1;
  return documents;
}

}  // namespace sda::cluster
