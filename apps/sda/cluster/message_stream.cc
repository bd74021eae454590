#include "cluster/message_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/bags/ldac_writer.h"
#include "data/document_reader.h"
#include "data/format.h"
#include "data/io/line_reader.h"
#include "sda/corpus.h"
#include "sda/errors.h"

namespace sda {
namespace {

double ShareOf(uint64_t bytes, uint64_t total) {
  return total == 0 ? 0 : std::min(1.0, static_cast<double>(bytes) / static_cast<double>(total));
}

// Lines of text or JSON, as they are.
class LineStream : public MessageStream {
 public:
  LineStream(const std::string& input, CorpusFormat format, const Context& context)
      : lines_(Input::Open(input, context)) {
    const CorpusFormat found = DetectFormat(&lines_);
    if (found == format) return;
    if (found == CorpusFormat::kCsv) {
      lines_.FailWhole("is CSV, expected " + std::string(CorpusFormatName(format)) +
                       ", for which the job was created; write its texts as lines of that format");
    }
    lines_.FailWhole(
        fmt::format("has the format {}, expected {}, for which the job was created (create another "
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

  std::string Where() const override {
    return fmt::format("{}:{}", lines_.input().name(), lines_.line());
  }

  double Share() const override {
    return ShareOf(lines_.input().bytes_read(), lines_.input().bytes_total());
  }

 private:
  LineReader lines_;
};

// Bags of words of any format, as lines of LDA-C with the ids of the job's words.
class BagStream : public MessageStream {
 public:
  BagStream(CorpusOptions options, const Context& context)
      : name_(options.inputs.front()), source_(std::move(options), context) {
    if (IsText(source_.format())) {
      throw InputError(fmt::format(
          "the input has the format {}, expected word counts, for which the job was created",
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
    *message = LdacLine(documents_, next_++);
    return true;
  }

  std::string Where() const override {
    return fmt::format("{}, document {}", name_ == "-" ? "standard input" : name_,
                       documents_.numbers[next_ - 1]);
  }

  double Share() const override {
    const CorpusCounts counts = source_.counts();
    return ShareOf(counts.bytes, counts.total_bytes);
  }

 private:
  const std::string name_;
  CorpusSource source_;
  Documents documents_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<MessageStream> MessageStream::Open(const std::string& input,
                                                   const std::string& format,
                                                   const cluster::JobSettings& settings,
                                                   const Context& context) {
  const CorpusFormat of_job = CorpusFormatFromName(settings.options.format);
  CorpusOptions options;
  options.inputs = {input};
  options.format = CorpusFormatFromName(format);
  if (IsText(of_job)) {
    if (options.format != CorpusFormat::kAuto && options.format != of_job) {
      throw UsageError(fmt::format("--format is {}, though the job was created for {}", format,
                                   settings.options.format));
    }
    return std::make_unique<LineStream>(input, of_job, context);
  }
  options.vocabulary = settings.vocabulary;
  options.minibatch = 1000;
  return std::make_unique<BagStream>(std::move(options), context);
}

}  // namespace sda
