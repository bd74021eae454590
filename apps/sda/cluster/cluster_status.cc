#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

#include "cluster/cluster.h"
#include "cluster/status/job_reader.h"
#include "cluster/status_text.h"
#include "sda/errors.h"
#include "service/metrics_server.h"
#include "service/metrics_text.h"
#include "ui/command.h"
#include "ui/escaped_output.h"

namespace sda {
namespace {

using Clock = std::chrono::steady_clock;

struct StatusFlags : ClusterFlags {
  bool watch = false;
  bool json = false;
  bool partitions = false;
  double interval = 1;         // seconds
  std::optional<int> metrics;  // port
};

bool IsTerminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && term != nullptr && std::string(term) != "dumb";
}

bool TakesUnicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string locale = value;
    return locale.find("UTF-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

struct TerminalSize {
  size_t columns = 80;
  size_t rows = 24;
  bool operator==(const TerminalSize&) const = default;
};

TerminalSize SizeOfTerminal() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

StatusStyle StyleOf(const StatusFlags& flags) {
  StatusStyle style{.partitions = flags.partitions};
  if (IsTerminal()) {
    const char* no_color = std::getenv("NO_COLOR");
    style.unicode = TakesUnicode();
    style.color = no_color == nullptr || *no_color == '\0';
    style.width = SizeOfTerminal().columns;
  }
  return style;
}

void Write(const std::string& text, std::FILE* out = stdout) {
  std::fputs(text.c_str(), out);
  if (std::fflush(out) != 0) throw IoError("cannot write to standard output");
}

// With escape sequences, those of StatusLines() and Repaint().
void Paint(const std::string& text) { Write(text, PlainStandardOutput()); }

// Text on a terminal that is redrawn in place.
class Picture {
 public:
  void Show(const std::vector<std::string>& lines) {
    const TerminalSize size = SizeOfTerminal();
    std::string out;
    if (size_ && *size_ != size) {  // the terminal has rewrapped the text in an unknown way
      out = "\x1b[2J\x1b[H";
      lines_ = 0;
    }
    size_ = size;
    Paint(out + Repaint(lines, lines_, size.columns, size.rows, &lines_));
  }

 private:
  std::optional<TerminalSize> size_;
  size_t lines_ = 0;
};

// Polls a job until it is stopped.
class Watch {
 public:
  explicit Watch(const StatusFlags& flags) : flags_(flags), on_terminal_(IsTerminal()) {
    if (!flags.metrics) return;
    metrics_ = JobDownMetrics(flags.job);
    server_ = std::make_unique<MetricsServer>(*flags.metrics, [this] {
      std::lock_guard lock(mutex_);
      return metrics_;
    });
  }

  void Run() {
    auto reader = std::make_unique<cluster::JobReader>(flags_.Open(), context_.token());
    if (server_) Say("sda: metrics at " + server_->url());
    while (!context_.StopRequested()) {
      const auto next = Clock::now() + std::chrono::duration<double>(flags_.interval);
      try {
        cluster::JobStatus status = reader->Read();
        if (context_.StopRequested()) break;  // it is not complete
        Answered(std::move(status));
      } catch (const cluster::KafkaError& e) {
        Failed(e.unreachable() ? "no Kafka broker answers at " + Brokers() : e.what());
      } catch (const cluster::JobIsGone&) {
        // librdkafka (2.0.2) may wait for ever to release a topic that was deleted.
        static cluster::JobReader* const kept = reader.release();
        (void)kept;
        throw;
      }
      while (Clock::now() < next && !context_.StopRequested()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    }
    if (Paints()) Paint("\r\x1b[K");  // the terminal has shown ^C
  }

 private:
  std::string Brokers() const { return flags_.Client().at("bootstrap.servers"); }
  bool Paints() const { return flags_.watch && on_terminal_ && !flags_.json; }

  void Answered(cluster::JobStatus status) {
    if (failed_since_ && !Paints()) Say("sda: the brokers answer again");
    failed_since_.reset();
    if (server_) SetMetrics(JobMetrics(status));
    if (Paints()) {
      picture_.Show(StatusLines(status, StyleOf(flags_)));
    } else if (flags_.watch) {
      Write((flags_.json ? StatusJson(status, true) : StatusLine(status)) + "\n");
    }
    last_ = std::move(status);
  }

  // The last numbers stay on the terminal, but are no longer served as metrics.
  void Failed(const std::string& why) {
    const bool first = !failed_since_;
    if (first) failed_since_ = Clock::now();
    if (server_) SetMetrics(JobDownMetrics(flags_.job));
    if (!Paints()) {
      if (first) Say(fmt::format("sda: {}; keeps trying", why));
      return;
    }
    StatusStyle style = StyleOf(flags_);
    const bool color = std::exchange(style.color, false);
    std::vector<std::string> lines;
    if (last_) lines = StatusLines(*last_, style);
    for (std::string& line : lines) line = color ? "\x1b[2m" + line + "\x1b[0m" : line;
    const std::chrono::duration<double> since = Clock::now() - *failed_since_;
    const std::string how_long = since.count() < 1 ? "" : " for " + Duration(since.count());
    lines.insert(lines.begin(), fmt::format("{}; keeps trying{}", why, how_long));
    picture_.Show(lines);
  }

  void SetMetrics(std::string text) {
    std::lock_guard lock(mutex_);
    metrics_ = std::move(text);
  }

  const StatusFlags flags_;
  const Context context_ = ProgramContext();
  const bool on_terminal_;
  Picture picture_;
  std::optional<cluster::JobStatus> last_;
  std::optional<Clock::time_point> failed_since_;
  std::mutex mutex_;
  std::string metrics_;  // guarded by it
  std::unique_ptr<MetricsServer> server_;
};

void ShowOnce(const StatusFlags& flags) {
  const Context context = ProgramContext();
  cluster::JobReader reader(flags.Open(), context.token());
  const cluster::JobStatus status = reader.Read();
  CheckNotStopped(context);
  if (flags.json) {
    Write(StatusJson(status, false) + "\n");
    return;
  }
  for (const std::string& line : StatusLines(status, StyleOf(flags))) Paint(line + "\n");
}

}  // namespace

void AddClusterStatus(CLI::App* app) {
  CLI::App* command = app->add_subcommand("status", "Show the progress of a job and its workers");
  auto flags = std::make_shared<StatusFlags>();
  AddClusterOptions(command, flags.get());
  command->add_flag("-v,--partitions", flags->partitions, "Show every partition of the documents");
  command->add_flag("--watch", flags->watch, "Refresh the status until Ctrl-C");
  command->add_option("--interval", flags->interval, "Seconds between two updates")
      ->capture_default_str();
  command->add_flag("--json", flags->json, "Print a JSON object; with --watch, one in each line");
  command
      ->add_option("--metrics", flags->metrics,
                   "Serve the job's metrics for Prometheus on this port of 127.0.0.1, until\n"
                   "Ctrl-C; 0: a free port, which is printed on standard error")
      ->check(CLI::Range(0, 65'535).description(""))
      ->type_name("PORT");
  command->callback([=] {
    if (!(flags->interval >= 0.1 && flags->interval <= 86'400)) {
      throw UsageError(fmt::format("--interval is {}, must be at least 0.1 and at most 86,400",
                                   flags->interval));
    }
    if (flags->watch || flags->metrics) {
      Watch(*flags).Run();
    } else {
      ShowOnce(*flags);
    }
  });
}

}  // namespace sda
