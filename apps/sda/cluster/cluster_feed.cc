#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cluster/cluster.h"
#include "cluster/kafka/admin.h"
#include "cluster/kafka/fault_point.h"
#include "cluster/log/feed_note.h"
#include "cluster/log/lost_end.h"
#include "cluster/message_stream.h"
#include "sda/errors.h"
#include "sda/observer.h"
#include "ui/command.h"

namespace sda {
namespace {

struct FeedFlags : ClusterFlags {
  std::vector<std::string> inputs;
  std::string format = "auto";
  bool again = false;
};

// The largest message that can be published.
struct Limit {
  uint64_t bytes;
  std::string setting;  // that limits it
};

Limit FindLimit(const cluster::Job& job) {
  constexpr uint64_t kOfClient = 1'000'000;
  const std::string name = "message.max.bytes";
  const auto given = job.client.find(name);
  Limit limit{given == job.client.end() ? kOfClient : std::stoull(given->second),
              name + " of the Kafka client"};
  const cluster::Client client(job.client);
  const auto of_topic = cluster::TopicSetting(client, job.documents, "max.message.bytes");
  if (!of_topic) return limit;
  const uint64_t bytes = std::stoull(*of_topic);
  if (given != job.client.end() && limit.bytes < bytes) return limit;
  return {bytes, "max.message.bytes of topic " + job.documents};
}

// Publishes an input. Each transaction includes a note of how far a file was fed: so a feed that
// was killed resumes where it was, and publishes nothing twice.
class Feed {
 public:
  // Opens the input, one of the flags' inputs.
  Feed(const FeedFlags& flags, const cluster::Job& job, Limit limit, const std::string& input,
       const Context& context)
      : context_(context),
        job_(job),
        limit_(std::move(limit)),
        is_file_(std::filesystem::is_regular_file(input)),
        again_(flags.again),
        id_(cluster::RandomId()) {
    stream_ = MessageStream::Open(input, flags.format,
                                  cluster::JobSettings::FromJson(job_.settings), context);
    note_.file = input == "-" ? "standard input" : input;
    if (!is_file_) return;
    id_ = fmt::format("{:016x}", Fnv1a(std::filesystem::weakly_canonical(input).string()));
  }

  void Run() try {
    cluster::Producer producer(Properties(), context_.token());
    // Only now: the transactions of an earlier feed are committed or aborted, and it cannot commit
    // any more.
    if (is_file_) again_ ? BeginAgain(&producer) : SkipFed(&producer);
    if (IsStopping()) return;
    const auto start = std::chrono::steady_clock::now();
    share_before_ = stream_->Share();
    const Observer progress =
        ShowProgress(stderr, "documents", [this](const Summary& s) { return Details(s); });
    while (FeedSome(&producer)) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      summary_.seconds = elapsed.count();
      progress(summary_);
    }
    summary_.finished = true;
    summary_.stopped = IsStopping();
    progress(summary_);
  } catch (const cluster::KafkaError& e) {
    // The last transaction may have been published or not: the next feed of a file finds out.
    if (!is_file_) {
      throw IoError(fmt::format("{}: {}; {} documents were fed, and perhaps {} more that were read",
                                note_.file, e.what(), Grouped(summary_.counts.items),
                                Grouped(in_work_)));
    }
    if (!IsStopping()) {
      throw IoError(fmt::format("{}: {}; {}", note_.file, e.what(), HowToContinue()));
    }
    unanswered_ = true;
  }

  void Show() const {
    if (summary_.counts.items == 0 && fed_before_ > 0 && !IsStopping()) {
      fmt::print("all of it, {}, was fed before; --again feeds it once more\n",
                 Plural(fed_before_, "document", "documents"));
      return;
    }
    fmt::print("fed {}{} to topic {}", unanswered_ ? "at least " : "",
               Plural(summary_.counts.items, "document", "documents"), job_.documents);
    if (IsStopping()) {
      fmt::print("; stopped early{}{}{}", unanswered_ ? ", while the brokers did not answer" : "",
                 is_file_ ? "; " : "", is_file_ ? HowToContinue() : "");
    }
    fmt::print("\n");
  }

 private:
  std::string HowToContinue() const {
    return begun_again_ ? "the same command without --again continues"
                        : "the same command continues";
  }

  cluster::Properties Properties() const {
    cluster::Properties properties = job_.FeedProperties("feed." + id_);
    properties.insert({"compression.type", "zstd"});
    properties.insert({"linger.ms", "20"});
    properties.insert({"partitioner", "murmur2_random"});  // as other clients of Kafka do it
    // Of a batch, too: a batch that is too large for the topic is refused as a whole.
    properties.insert({"message.max.bytes",
                       std::to_string(std::clamp<uint64_t>(limit_.bytes, 1000, 1'000'000'000))});
    return properties;
  }

  // From here on, this is the feed that continues.
  void BeginAgain(cluster::Producer* producer) {
    producer->Begin();
    cluster::WriteFeedNote(job_, id_, note_, producer);
    producer->Commit();
    begun_again_ = true;
  }

  // Reads what was fed before, and continues after it.
  void SkipFed(cluster::Producer* producer) {
    const auto before = cluster::ReadFeedNote(
        job_, id_, context_.token(),
        [] {
          Say("waits until another feed, which may have been killed, is out of its transaction");
        },
        // Its own last transaction may be among them.
        [&] {
          EndAgain(job_, Unreadable(job_, {job_.documents, job_.feeds_topic()}), producer);
        });
    if (!before || before->documents == 0) return;
    constexpr char kWhatToDo[] =
        "--again feeds all of it as new documents; or put what is new in a file of another name";
    std::string message;
    while (note_.documents < before->documents) {
      if (IsStopping()) return;
      if (!stream_->Next(&message)) {
        throw InputError(fmt::format(
            "{}: has {} documents, though {} were fed from it before: it was truncated, or is "
            "another file; {}",
            note_.file, Grouped(note_.documents), Grouped(before->documents), kWhatToDo));
      }
      note_.Add(message);
    }
    if (note_.hash != before->hash) {
      throw InputError(fmt::format(
          "{}: its first {} documents are not those that were fed from it before (as {}): it was "
          "changed, or is another file; {}",
          note_.file, Grouped(before->documents), before->file, kWhatToDo));
    }
    fed_before_ = note_.documents;
    Say(fmt::format("continues after {} documents", Grouped(fed_before_)));
  }

  // At most that number of documents. False if none are left.
  bool Read(uint64_t documents, std::vector<std::string>* messages) {
    constexpr uint64_t kBytes = 32 << 20;
    uint64_t bytes = 0;
    std::string message;
    std::chrono::steady_clock::time_point until;
    while (messages->size() < documents && bytes < kBytes) {
      // Documents that have arrived must not wait long.
      if (!messages->empty() && !stream_->WaitForMessage(until)) break;
      if (IsStopping() || !stream_->Next(&message)) return false;
      if (messages->empty()) until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
      CheckSize(message);
      bytes += message.size();
      messages->push_back(message);
    }
    return true;
  }

  void CheckSize(const std::string& message) const {
    constexpr uint64_t kFrame = 200;  // key, lengths and what else Kafka puts around a message
    if (message.size() + kFrame <= limit_.bytes) return;
    throw InputError(fmt::format(
        "{}: a document of {} bytes, expected at most {}, by {}; raise that, or shorten "
        "the document or leave it out{}{}",
        stream_->Where(), Grouped(message.size()),
        Grouped(limit_.bytes - std::min(limit_.bytes, kFrame)), limit_.setting,
        is_file_ ? "; then " : "", is_file_ ? HowToContinue() : ""));
  }

  // One transaction. False if nothing is left.
  bool FeedSome(cluster::Producer* producer) {
    constexpr uint64_t kDocuments = 10'000;
    // Read first: a transaction must not wait for a slow pipe.
    std::vector<std::string> messages;
    const bool more = Read(kDocuments, &messages);
    if (messages.empty()) return more;
    in_work_ = messages.size();
    producer->Begin();
    try {
      for (const std::string& message : messages) {
        note_.Add(message);
        producer->Produce(job_.documents, cluster::kAnyPartition, std::to_string(note_.documents),
                          message);
      }
      if (is_file_) cluster::WriteFeedNote(job_, id_, note_, producer);
      producer->Flush();  // so that a feed that ends here leaves a transaction open
      cluster::FaultPoint("feed-produced");
      producer->Commit();
      cluster::FaultPoint("feed-committed");
    } catch (...) {
      producer->Abort();
      throw;
    }
    summary_.counts.items += std::exchange(in_work_, 0);
    return more;
  }

  std::string Details(const Summary& summary) const {
    const double share = stream_->Share();
    if (share <= share_before_ || summary.finished) return "";
    return fmt::format("{:.0f} s left", summary.seconds * (1 - share) / (share - share_before_));
  }

  bool IsStopping() const { return context_.StopRequested(); }

  const Context context_;
  const cluster::Job job_;
  const Limit limit_;
  const bool is_file_;
  const bool again_;
  std::string id_;
  std::unique_ptr<MessageStream> stream_;
  bool begun_again_ = false;
  cluster::FeedNote note_;   // all that was read
  uint64_t fed_before_ = 0;  // documents
  uint64_t in_work_ = 0;     // documents of a transaction that is not over
  bool unanswered_ = false;  // it was stopped in a transaction
  double share_before_ = 0;  // of the input, when it began
  Summary summary_;
};

}  // namespace

void AddClusterFeed(CLI::App* app) {
  CLI::App* command = app->add_subcommand("feed", "Publish documents for a job to learn from");
  auto flags = std::make_shared<FeedFlags>();
  AddClusterOptions(command, flags.get());
  command->add_option("INPUT", flags->inputs, "Documents; - is standard input")->required();
  command->add_option("--format", flags->format,
                      "Of word counts: auto (default), uci, ldac, mm or svmlight");
  command->add_flag("--again", flags->again, "Also feed documents that were fed before");
  command->callback([=] {
    const Context context = ProgramContext();
    const cluster::Job job = flags->Open();
    const Limit limit = FindLimit(job);
    std::vector<std::unique_ptr<Feed>> feeds;  // all are opened before the first is fed
    for (const std::string& input : flags->inputs) {
      feeds.push_back(std::make_unique<Feed>(*flags, job, limit, input, context));
    }
    for (const auto& feed : feeds) {
      if (context.StopRequested() && feed != feeds.front()) break;
      feed->Run();
      feed->Show();
    }
  });
}

}  // namespace sda
