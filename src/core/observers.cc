#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "sda/observer.h"

namespace sda {
namespace {

std::string Elapsed(double seconds) {
  const auto whole = static_cast<uint64_t>(seconds);
  if (whole < 60) return fmt::format("{:.1f} s", seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

class ProgressLine {
 public:
  ProgressLine(std::FILE* out, std::string items_name,
               std::function<std::string(const Summary&)> details)
      : out_(out),
        items_name_(std::move(items_name)),
        details_(std::move(details)),
        terminal_(isatty(fileno(out)) == 1) {}

  void operator()(const Summary& summary) {
    if (summary.finished) {
      if (shown_) Show(summary);
      if (shown_ && terminal_) std::fputc('\n', out_);
      return;
    }
    if (summary.seconds < next_) return;
    Show(summary);
    next_ = summary.seconds + (terminal_ ? 0.1 : 5);
  }

 private:
  void Show(const Summary& s) {
    std::string line =
        fmt::format("{} {}  {}/s  {}", Grouped(s.items), items_name_,
                    Grouped(static_cast<uint64_t>(s.items_per_second())), Elapsed(s.seconds));
    if (s.staleness_max > 0) {
      line += fmt::format("  staleness {:.1f} mean, {} max", s.staleness_mean(), s.staleness_max);
    }
    const std::string details = details_ ? details_(s) : "";
    if (!details.empty()) line += "  " + details;
    if (s.finished) line += s.stopped ? "  stopped" : "  done";
    // A line that cannot be written must not end the run.
    std::fputs(((terminal_ ? "\r" : "") + line + (terminal_ ? "\x1b[K" : "\n")).c_str(), out_);
    std::fflush(out_);
    shown_ = true;
  }

  std::FILE* out_;
  std::string items_name_;
  std::function<std::string(const Summary&)> details_;
  bool terminal_;
  bool shown_ = false;
  double next_ = 1;  // seconds into the run
};

}  // namespace

Observer Observers(Observer first, Observer second) {
  return [first = std::move(first), second = std::move(second)](const Summary& summary) {
    if (first) first(summary);
    if (second) second(summary);
  };
}

Observer ShowProgress(std::FILE* out, std::string items_name,
                      std::function<std::string(const Summary&)> details) {
  auto line = std::make_shared<ProgressLine>(out, std::move(items_name), std::move(details));
  return [line](const Summary& summary) { (*line)(summary); };
}

std::string ToJson(const Summary& s, const std::string& items_name) {
  return nlohmann::ordered_json{{items_name, s.items},
                                {"minibatches", s.minibatches},
                                {"duplicates", s.duplicates},
                                {"seconds", s.seconds},
                                {items_name + "_per_second", s.items_per_second()},
                                {"staleness_mean", s.staleness_mean()},
                                {"staleness_max", s.staleness_max},
                                {"stopped", s.stopped}}
      .dump(2);
}

}  // namespace sda
