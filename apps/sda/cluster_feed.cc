#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <memory>

#include "cluster.h"
#include "cluster/fault_point.h"
#include "cluster/kafka.h"
#include "command.h"
#include "data/document_reader.h"
#include "data/format.h"
#include "data/line_reader.h"
#include "sda/observer.h"

namespace sda {
namespace {

struct FeedFlags : ClusterFlags {
  std::vector<std::string> inputs;
  std::string format = "auto";
  bool again = false;
};

// The documents of files, one by one, each as the message it becomes.
class MessageStream {
 public:
  virtual ~MessageStream() = default;
  // False at the end.
  virtual bool Next(std::string* message) = 0;
  // Until Next() need not wait: false if it is not so by then.
  virtual bool WaitForMessage(std::chrono::steady_clock::time_point) { return true; }
};

// Lines of text or JSON, as they are.
class LineStream : public MessageStream {
 public:
  LineStream(const std::string& input, CorpusFormat format)
      : lines_(Input::Open(input, StopFlag())) {
    const CorpusFormat found = DetectFormat(&lines_);
    if (found == format) return;
    lines_.FailWhole(
        fmt::format("has the format {}, expected {}, as the job was made for (make one "
                    "with: sda cluster create JOB --format {})",
                    CorpusFormatName(found), CorpusFormatName(format),
                    IsText(found) ? CorpusFormatName(found) : "ldac --vocab FILE"));
  }

  bool Next(std::string* message) override {
    std::string_view line;
    do {
      if (!lines_.Next(&line)) return false;
    } while (line.find_first_not_of(" \t") == std::string_view::npos);
    message->assign(line);
    return true;
  }

  bool WaitForMessage(std::chrono::steady_clock::time_point until) override {
    return lines_.WaitForLine(until);
  }

 private:
  LineReader lines_;
};

// Bags of words of any format, as lines of LDA-C with the ids of the job's words.
class BagStream : public MessageStream {
 public:
  explicit BagStream(CorpusOptions options) : source_(std::move(options)) {
    if (IsText(source_.format())) {
      throw InputError(
          fmt::format("the input has the format {}, expected counts of words, as the "
                      "job was made for",
                      CorpusFormatName(source_.format())));
    }
  }

  bool Next(std::string* message) override {
    if (next_ == documents_.size()) {
      auto minibatch = source_.Next();
      if (!minibatch) return false;
      documents_ = std::move(minibatch->data);
      next_ = 0;
    }
    const uint64_t begin = documents_.offsets[next_];
    const uint64_t end = documents_.offsets[++next_];
    *message = std::to_string(end - begin);
    for (uint64_t i = begin; i < end; ++i) {
      fmt::format_to(std::back_inserter(*message), " {}:{}", documents_.words[i],
                     documents_.counts[i]);
    }
    return true;
  }

 private:
  CorpusSource source_;
  Documents documents_;
  size_t next_ = 0;
};

std::unique_ptr<MessageStream> Open(const std::string& input, const std::string& format,
                                    const JobSettings& settings) {
  const CorpusFormat of_job = CorpusFormatFromName(settings.fit.format);
  CorpusOptions options;
  options.inputs = {input};
  options.format = CorpusFormatFromName(format);
  if (IsText(of_job)) {
    if (options.format != CorpusFormat::kAuto && options.format != of_job) {
      throw std::invalid_argument(fmt::format("--format is {}, though the job was made for {}",
                                              format, settings.fit.format));
    }
    return std::make_unique<LineStream>(input, of_job);
  }
  options.vocabulary = settings.vocabulary;
  options.minibatch = 1000;
  options.stop = StopFlag();
  return std::make_unique<BagStream>(std::move(options));
}

// Publishes a corpus. Each transaction also notes how many documents it has published so far, as an
// offset of a group of its own: so a feed that was killed goes on where it was, and publishes
// nothing twice.
class Feed {
 public:
  // Opens the input, one of the flags' inputs.
  Feed(const FeedFlags& flags, const cluster::Job& job, const std::string& input)
      : job_(job), is_file_(input != "-"), again_(flags.again) {
    stream_ = Open(input, flags.format, JobSettings::FromJson(job_.settings));
    id_ = cluster::RandomId();
    if (!is_file_) return;
    const std::string path = std::filesystem::weakly_canonical(input).string();
    uint64_t hash = 14695981039346656037ull;  // FNV-1a: the same for every build of the program
    for (const unsigned char c : path) hash = (hash ^ c) * 1099511628211ull;
    id_ = fmt::format("{:016x}", hash);
  }

  void Run() {
    cluster::Properties properties = job_.ProducerProperties("feed." + id_);
    properties.insert({"compression.type", "zstd"});
    properties.insert({"linger.ms", "20"});
    properties.insert({"partitioner", "murmur2_random"});  // as other clients of Kafka do it
    cluster::Producer producer(std::move(properties), [] { return StopFlag()->load(); });
    // Only now: what an earlier feed has begun is committed or undone, and it can commit no more.
    if (is_file_ && !again_) fed_before_ = FedBefore();
    std::string message;
    for (uint64_t i = 0; i < fed_before_; ++i) {
      if (!stream_->Next(&message)) {
        throw InputError(
            fmt::format("the input has {}, though {} of it {} fed before; it has shrunk",
                        Plural(i, "document", "documents"), Grouped(fed_before_),
                        fed_before_ == 1 ? "was" : "were"));
      }
    }
    if (fed_before_ > 0) Say("goes on after " + Plural(fed_before_, "document", "documents"));
    summary_.items = fed_before_;
    const auto start = std::chrono::steady_clock::now();
    const Observer progress = ShowProgress(stderr, "documents");
    while (FeedSome(&producer)) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      summary_.seconds = elapsed.count();
      progress(summary_);
    }
    summary_.finished = true;
    progress(summary_);
  }

  void Show() const {
    const uint64_t fed = summary_.items - fed_before_;
    if (fed == 0 && fed_before_ > 0) {
      fmt::print("all of it, {}, was fed before; --again feeds it once more\n",
                 Plural(fed_before_, "document", "documents"));
      return;
    }
    fmt::print("fed {} to topic {}{}\n", Plural(fed, "document", "documents"), job_.documents,
               !StopFlag()->load()   ? ""
               : is_file_ && !again_ ? "; stopped early, the same command goes on"
                                     : "; stopped early");
  }

 private:
  std::string Group() const { return job_.group() + ".feed." + id_; }

  uint64_t FedBefore() const {
    const cluster::Consumer consumer(job_.ConsumerProperties(Group()));
    return static_cast<uint64_t>(
        std::max<int64_t>(0, consumer.Committed(job_.documents, 1).front()));
  }

  // One transaction. False if there is no more.
  bool FeedSome(cluster::Producer* producer) {
    constexpr uint64_t kDocuments = 10'000;
    constexpr uint64_t kBytes = 32 << 20;
    uint64_t bytes = 0;
    std::vector<std::string> messages;
    std::string message;
    bool more = true;
    // Read first: a transaction must not wait for a slow pipe, and what has come is not to wait
    // long.
    std::chrono::steady_clock::time_point until;
    while (messages.size() < kDocuments && bytes < kBytes) {
      if (!messages.empty() && !stream_->WaitForMessage(until)) break;
      more = !StopFlag()->load() && stream_->Next(&message);
      if (!more) break;
      if (messages.empty()) until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
      bytes += message.size();
      messages.push_back(message);
    }
    const uint64_t documents = messages.size();
    producer->Begin();
    try {
      for (uint64_t i = 0; i < documents; ++i) {
        producer->Produce(job_.documents, RD_KAFKA_PARTITION_UA,
                          std::to_string(summary_.items + i + 1), messages[i]);
      }
      if (documents > 0) {
        const cluster::OwnedGroupMetadata group(
            rd_kafka_consumer_group_metadata_new(Group().c_str()));
        producer->SendOffsets(job_.documents,
                              {{0, static_cast<int64_t>(summary_.items + documents)}}, group.get());
      }
      cluster::FaultPoint("feed-produced");
      producer->Commit();
      cluster::FaultPoint("feed-committed");
    } catch (...) {
      producer->Abort();
      throw;
    }
    summary_.items += documents;
    return more;
  }

  const cluster::Job job_;
  const bool is_file_;
  const bool again_;
  std::unique_ptr<MessageStream> stream_;
  std::string id_;
  uint64_t fed_before_ = 0;
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
  command->add_flag("--again", flags->again, "Also what was fed before");
  command->callback([=] {
    const cluster::Job job = flags->Open();
    std::vector<std::unique_ptr<Feed>> feeds;  // all are opened before the first is fed
    for (const std::string& input : flags->inputs) {
      feeds.push_back(std::make_unique<Feed>(*flags, job, input));
    }
    for (const auto& feed : feeds) {
      if (StopFlag()->load() && feed != feeds.front()) break;
      feed->Run();
      feed->Show();
    }
  });
}

}  // namespace sda
