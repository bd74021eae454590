#include "cluster/worker/worker_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/text.h"
#include "cluster/kafka/explain.h"
#include "cluster/log/delta_check.h"
#include "cluster/log/lost_end.h"
#include "cluster/worker/word_sample.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;

constexpr uint64_t kLeastForWords = 1000;  // documents

// Ids that no message has, and times that some do not have.
void ForgetUnknown(Documents* documents) {
  std::vector<std::string>& ids = documents->ids;
  std::vector<int64_t>& times = documents->times;
  if (std::all_of(ids.begin(), ids.end(), [](const auto& id) { return id.empty(); })) ids.clear();
  if (std::any_of(times.begin(), times.end(), [](int64_t t) { return t < 0; })) times.clear();
}

}  // namespace

WorkerSource::WorkerSource(const Job& job, const WorkerOptions& options, Member* member,
                           const LogView* view, MessageDocuments* documents, DeltaWriter* writer,
                           Context context)
    : job_(job),
      client_(job.client),
      options_(options),
      member_(*member),
      view_(*view),
      documents_(*documents),
      writer_(*writer),
      context_(std::move(context)) {}

bool WorkerSource::Ended() {
  if (context_.StopRequested()) return true;
  writer_.EndAgainIfLost();
  return options_.until_caught_up &&
         member_.GroupIsCaughtUp(view_.totals().offsets, view_.position());
}

bool WorkerSource::MustWaitForFirst() const {
  // Words that this worker chose are the job's only if it was first.
  const bool words_are_settled = documents_.has_vocabulary() && chosen_.empty();
  return NothingLearnt() && !(options_.fixed_prior && words_are_settled);
}

bool WorkerSource::SettleVocabulary() {
  while (!documents_.has_vocabulary()) {
    if (!NothingLearnt()) {
      documents_.SetVocabulary(view_.vocabulary(), Repeats::kNeverFound);
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
    sample = ReadWordSample(job_, options_.vocabulary_from, is_document, context_.token());
  } catch (const KafkaError& e) {
    WaitForMore(
        fmt::format("cannot read documents to choose the words from: {}; tries again", e.what()));
    return false;
  }
  if (context_.StopRequested()) return false;
  if (sample.empty() && std::none_of(taken_.begin(), taken_.end(), [&](const auto& document) {
        return is_document(document.text);
      })) {
    writer_.WriteNothing(Parse(std::move(taken_)).counts);
    return false;
  }
  // If none are to follow, one will do.
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
    CheckWords(documents_.vocabulary(), view_.rules());
    chosen_ = documents_.vocabulary();
    writer_.SetWords(chosen_);
    return true;
  } catch (const InputError& e) {
    if (options_.until_caught_up) throw;
    WaitForMore(fmt::format("{}; waits for more documents", e.what()));
    return false;
  }
}

// The current documents are read again, in a while. Logs why, unless that is what was logged last.
void WorkerSource::WaitForMore(const std::string& why, const std::string& more) {
  if (std::exchange(waits_, why) != why) context_.Log(why + more);
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
    Parsed parsed = Parse(std::move(messages));
    // The view may not have the last one yet.
    const uint64_t id = std::max(view_.totals().deltas, next_number_);
    next_number_ = id + 1;
    if (parsed.documents.size() > 0) {
      return Minibatch<Documents>{id, parsed.counts, "", std::move(parsed.documents)};
    }
    if (!writer_.WriteNothing(parsed.counts)) {
      context_.Log("documents without known words were reassigned to another worker");
    }
  }
}

void WorkerSource::Resume(const std::string&, const std::vector<uint64_t>&) {
  throw std::logic_error("a worker continues where its group is");
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
    for (int i = 0; i < 30 && NothingLearnt() && !context_.StopRequested(); ++i) {
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
    if (NothingLearnt() && !context_.StopRequested()) return documents;
  } catch (const KafkaError& e) {
    if (IsHopeless(e.code())) throw;
    context_.Log(fmt::format("cannot begin with the first minibatch: {}; tries again", e.what()));
  }
  member_.Drop();
  return {};
}

// All transactions of others are committed or aborted when this returns. Throws KafkaError if that
// takes long.
void WorkerSource::ReadLogToItsEnd() const {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const int64_t end = Consumer(job_.UncommittedProperties("")).EndOffset(job_.deltas_topic(), 0);
  while (view_.position() < end && !context_.StopRequested()) {
    if (std::chrono::steady_clock::now() > give_up) {
      throw KafkaError("reading the log to its end", RD_KAFKA_RESP_ERR__TIMED_OUT);
    }
    std::this_thread::sleep_for(milliseconds(20));
  }
}

bool WorkerSource::IsFirst() {
  try {
    const int partitions = client_.Partitions(job_.documents);
    for (int32_t p = 0; p < partitions; ++p) {
      if (HasUnread(p)) return member_.Has(p);
    }
  } catch (const KafkaError&) {
    // Unknown.
  }
  return false;
}

// Whether the partition has a document that is still unread.
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
  while (!context_.StopRequested() && std::chrono::steady_clock::now() < give_up) {
    const auto message = consumer.Poll(milliseconds(100));
    if (!message) continue;
    if (message->at_end()) return false;
    if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR || IsEndMark(*message)) continue;
    unread_[partition] = message->offset();
    return true;
  }
  return false;
}

MessageDocuments::Outcome WorkerSource::Add(const Member::Document& message, Documents* documents,
                                            std::string* error) {
  try {
    return documents_.Add(message.text, message.number(), documents, error);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    *error = e.what();  // not even what a message should not be may end a worker
    return MessageDocuments::Outcome::kBad;
  }
}

WorkerSource::Parsed WorkerSource::Parse(std::vector<Member::Document> messages) {
  Parsed parsed;
  Documents& documents = parsed.documents;
  Counts& counts = parsed.counts;
  std::vector<SetAside> bad;
  std::string error;
  uint64_t draws = 0;
  size_t m = 0;
  for (; m < messages.size() && draws < kMaxMinibatchDraws; ++m) {
    const Member::Document& message = messages[m];
    switch (Add(message, &documents, &error)) {
      case MessageDocuments::Outcome::kAdded:
        documents.ids.push_back(message.key);
        documents.times.push_back(message.milliseconds);
        draws += Draws(documents, documents.size() - 1);
        break;
      case MessageDocuments::Outcome::kNoKnownWord:
        ++counts.skipped;
        break;
      case MessageDocuments::Outcome::kBad:
        ++counts.bad;
        bad.push_back({job_.documents, message.partition, message.offset, error});
    }
  }
  member_.PutBack({std::make_move_iterator(messages.begin() + static_cast<ptrdiff_t>(m)),
                   std::make_move_iterator(messages.end())});
  RejectDocuments(bad, &member_, context_);
  ForgetUnknown(&documents);
  counts.items = documents.size();
  counts.tokens = Tokens(documents);
  return parsed;
}

}  // namespace sda::cluster
