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
};

// Lines of text or JSON, as they are.
class LineStream : public MessageStream {
 public:
  LineStream(std::vector<std::string> inputs, CorpusFormat format)
      : inputs_(std::move(inputs)), format_(format) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i] != "-") Open(i);  // so that the last of them does not fail after hours
    }
    lines_ = Open(0);
  }

  bool Next(std::string* message) override {
    std::string_view line;
    while (true) {
      if (!lines_->Next(&line)) {
        if (lines_->stopped() || ++input_ == inputs_.size()) return false;
        lines_ = Open(input_);
        continue;
      }
      if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
      message->assign(line);
      return true;
    }
  }

 private:
  std::unique_ptr<LineReader> Open(size_t input) {
    auto lines = std::make_unique<LineReader>(Input::Open(inputs_[input], StopFlag()));
    const CorpusFormat found = DetectFormat(lines.get());
    if (found != format_) {
      lines->FailWhole(fmt::format("has the format {}, expected {}, as the job was made for",
                                   CorpusFormatName(found), CorpusFormatName(format_)));
    }
    return lines;
  }

  const std::vector<std::string> inputs_;
  const CorpusFormat format_;
  size_t input_ = 0;
  std::unique_ptr<LineReader> lines_;
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

std::unique_ptr<MessageStream> Open(const FeedFlags& flags, const JobSettings& settings) {
  const CorpusFormat of_job = CorpusFormatFromName(settings.fit.format);
  if (IsText(of_job)) return std::make_unique<LineStream>(flags.inputs, of_job);
  CorpusOptions options;
  options.inputs = flags.inputs;
  options.format = CorpusFormatFromName(flags.format);
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
  Feed(const FeedFlags& flags)
      : flags_(flags), job_(flags.Open()), settings_(JobSettings::FromJson(job_.settings)) {
    std::string names;
    bool pipe = false;
    for (const std::string& input : flags.inputs) {
      names += std::filesystem::absolute(input).string() + '\n';
      pipe |= input == "-";
    }
    id_ = pipe ? cluster::RandomId() : fmt::format("{:016x}", std::hash<std::string>()(names));
    may_go_on_ = !pipe && !flags.again;
  }

  void Run() {
    auto stream = Open(flags_, settings_);
    cluster::Properties properties = job_.ProducerProperties("feed." + id_);
    properties.insert({"compression.type", "zstd"});
    properties.insert({"linger.ms", "20"});
    properties.insert({"partitioner", "murmur2_random"});  // as other clients of Kafka do it
    cluster::Producer producer(std::move(properties), [] { return StopFlag()->load(); });
    // Only now: what an earlier feed has begun is committed or undone, and it can commit no more.
    if (may_go_on_) fed_before_ = FedBefore();
    std::string message;
    for (uint64_t i = 0; i < fed_before_; ++i) {
      if (!stream->Next(&message)) {
        throw InputError(fmt::format(
            "the input has {} documents, though {} of it were fed before; it has shrunk", i,
            fed_before_));
      }
    }
    if (fed_before_ > 0) Say(fmt::format("goes on after {} documents", Grouped(fed_before_)));
    summary_.items = fed_before_;
    const auto start = std::chrono::steady_clock::now();
    const Observer progress = ShowProgress(stderr, "documents");
    while (FeedSome(stream.get(), &producer)) {
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
      fmt::print("all {} documents were fed before; --again feeds them once more\n",
                 Grouped(fed_before_));
      return;
    }
    fmt::print("fed {} documents to topic {}{}\n", Grouped(fed), job_.documents,
               StopFlag()->load() ? "; stopped early, the same command goes on" : "");
  }

 private:
  std::string Group() const { return job_.group() + ".feed." + id_; }

  uint64_t FedBefore() const {
    const cluster::Consumer consumer(job_.ConsumerProperties(Group()));
    return static_cast<uint64_t>(
        std::max<int64_t>(0, consumer.Committed(job_.documents, 1).front()));
  }

  // One transaction. False if there is no more.
  bool FeedSome(MessageStream* stream, cluster::Producer* producer) {
    constexpr uint64_t kDocuments = 10'000;
    constexpr uint64_t kBytes = 32 << 20;
    uint64_t bytes = 0;
    uint64_t documents = 0;
    std::string message;
    bool more = true;
    producer->Begin();
    try {
      while (documents < kDocuments && bytes < kBytes) {
        more = !StopFlag()->load() && stream->Next(&message);
        if (!more) break;
        ++documents;
        bytes += message.size();
        producer->Produce(job_.documents, RD_KAFKA_PARTITION_UA,
                          std::to_string(summary_.items + documents), message);
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

  const FeedFlags flags_;
  const cluster::Job job_;
  const JobSettings settings_;
  std::string id_;
  bool may_go_on_ = false;
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
    Feed feed(*flags);
    feed.Run();
    feed.Show();
  });
}

}  // namespace sda
