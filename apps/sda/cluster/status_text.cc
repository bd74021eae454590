#include "cluster/status_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace sda {
namespace {

using cluster::JobStatus;

std::string Rounded(double number) { return Grouped(static_cast<uint64_t>(std::llround(number))); }

// A rate is small or large.
std::string Rate(double per_second) {
  if (per_second == 0) return "0";
  return per_second < 10 ? fmt::format("{:.1f}", per_second) : Rounded(per_second);
}

// A number of documents that may be a few too many.
std::string Lag(const JobStatus& s) {
  return (s.lag_is_exact() ? "" : "about ") + Grouped(s.lag());
}

// Down, so that 100% means all.
double Share(const JobStatus& s) {
  const double all = static_cast<double>(s.read() + s.lag());
  return all == 0 ? 0 : static_cast<double>(s.read()) / all;
}

std::string Documents(const JobStatus& s) {
  if (s.read() + s.lag() == 0) {
    return fmt::format("none yet; feed some: sda cluster feed {} INPUT", s.job);
  }
  return fmt::format("{} folded, {} to go", Grouped(s.totals.documents), Lag(s));
}

std::string RateText(const JobStatus& s) {
  if (s.idle()) {
    const std::string idle = "idle";
    if (s.lag() == 0 && s.read() > 0) return idle + ", all caught up";
    if (s.lag() == 0 || !s.workers.empty()) return idle;
    return idle + fmt::format("; no worker, start one: sda cluster work {}", s.job);
  }
  std::string text = Rate(s.documents_per_second) + " documents/s";
  if (s.lag() == 0) return text + ", all caught up";
  return text + fmt::format(", about {} left", Duration(std::max(1.0, *s.seconds_left())));
}

std::string Ago(double seconds) { return seconds < 1 ? "just now" : Duration(seconds) + " ago"; }

std::string Deltas(const JobStatus& s) {
  std::string text = Grouped(s.totals.deltas);
  if (s.seconds_since) text += fmt::format(", the last one {}", Ago(*s.seconds_since));
  return text;
}

std::string Snapshot(const JobStatus& s) {
  if (!s.snapshot) return "none yet";
  return fmt::format("{}, of the first {}, {}", Bytes(s.snapshot->bytes),
                     Plural(s.snapshot->deltas, "delta", "deltas"), Ago(s.snapshot->seconds_since));
}

std::string SetAside(const JobStatus& s) {
  std::string text = Plural(s.set_aside.count, "message", "messages");
  if (!s.set_aside.last.empty()) text += ", such as " + Describe(s.set_aside.last.back());
  return text;
}

// Columns as wide as needed; numbers are right-aligned. What a worker calls itself may hold
// anything.
std::vector<std::string> Table(std::vector<std::vector<std::string>> rows,
                               const std::vector<bool>& is_number) {
  std::vector<size_t> widths(is_number.size(), 0);
  for (auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      row[c] = Shown(row[c]);
      widths[c] = std::max(widths[c], Columns(row[c]));
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      line += c == 0 ? "" : "  ";
      line += is_number[c] ? fmt::format("{:>{}}", row[c], widths[c])
                           : fmt::format("{:<{}}", row[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

// How many, and which, if the list is not too long.
std::string Held(const std::vector<int32_t>& partitions) {
  constexpr size_t kMost = 40;  // characters
  if (partitions.empty()) return "none";
  std::string which = Ranges(partitions);
  if (which.size() > kMost) which = which.substr(0, which.rfind(',', kMost)) + ", ...";
  return fmt::format("{} ({})", partitions.size(), which);
}

std::vector<std::string> WorkerTable(const JobStatus& s) {
  std::vector<std::vector<std::string>> rows = {
      {"worker", "", "host", "documents/s", "partitions"}};
  for (const auto& worker : s.workers) {
    rows.push_back({worker.name, worker.keeper ? "keeper" : "", worker.host,
                    Rate(worker.documents_per_second), Held(worker.partitions)});
  }
  return Table(rows, {false, false, false, true, false});
}

std::string HolderOf(const JobStatus& s, int32_t partition) {
  for (const auto& worker : s.workers) {
    const auto& held = worker.partitions;
    if (std::find(held.begin(), held.end(), partition) != held.end()) return worker.name;
  }
  return "";
}

std::vector<std::string> PartitionTable(const JobStatus& s) {
  std::vector<std::vector<std::string>> rows = {{"partition", "to go", "next", "end", "worker"}};
  for (size_t p = 0; p < s.partitions.size(); ++p) {
    const auto& partition = s.partitions[p];
    rows.push_back({std::to_string(p), Grouped(partition.lag), std::to_string(partition.next),
                    std::to_string(partition.end), HolderOf(s, static_cast<int32_t>(p))});
  }
  return Table(rows, {true, true, true, true, false});
}

constexpr char kDim[] = "\x1b[2m";
constexpr char kGreen[] = "\x1b[32m";
constexpr char kPlain[] = "\x1b[0m";

std::string In(const char* color, const std::string& text, const StatusStyle& style) {
  return style.color ? color + text + kPlain : text;
}

}  // namespace

std::vector<std::string> StatusLines(const JobStatus& s, const StatusStyle& style) {
  std::vector<std::string> lines;
  auto add = [&](const char* label, const std::string& value) {
    lines.push_back(In(kDim, fmt::format("{:<11}", label), style) + value);
  };
  auto add_table = [&](std::vector<std::string> table) {
    lines.emplace_back();
    table.front() = In(kDim, table.front(), style);
    lines.insert(lines.end(), table.begin(), table.end());
  };
  const auto percent = static_cast<int>(std::floor(100 * Share(s)));
  const size_t bar = std::clamp<size_t>(style.width, 30, 78) - 18;
  add("job", fmt::format("{}, learns from topic {} ({})", Shown(s.job), Shown(s.documents),
                         Plural(s.partitions.size(), "partition", "partitions")));
  add("progress",
      fmt::format("{} {:3}%", In(kGreen, Bar(Share(s), bar, style.unicode), style), percent));
  add("documents", Documents(s));
  add("rate", RateText(s));
  add("tokens", Grouped(s.totals.tokens));
  add("deltas", Deltas(s));
  add("left out", fmt::format("{} without a known word, {}{}", Grouped(s.totals.skipped),
                              Plural(s.totals.bad, "bad message", "bad messages"),
                              s.totals.bad > 0 ? ", named in topic " + Shown(s.rejected) : ""));
  if (s.set_aside.count > 0) add("set aside", SetAside(s));
  add("staleness", fmt::format("{} last, {:.1f} mean, {} max", s.totals.staleness_last,
                               s.totals.staleness_mean(), s.totals.staleness_max));
  add("held-out", s.totals.score_tokens > 0
                      ? fmt::format("{:.4f} per token, before learning", s.totals.score())
                      : "not known yet");
  add("log", fmt::format("{} since the {}; {} in all", Bytes(s.bytes_since_snapshot()),
                         s.snapshot ? "snapshot" : "start", Bytes(s.totals.bytes)));
  add("snapshot", Snapshot(s));
  add("workers", s.workers.empty() ? "none" : Grouped(s.workers.size()));
  if (!s.workers.empty()) add_table(WorkerTable(s));
  if (style.partitions) add_table(PartitionTable(s));
  return lines;
}

std::string StatusLine(const JobStatus& s) {
  std::string line = fmt::format("{}  {}  {}", s.job, Documents(s), RateText(s));
  if (s.totals.score_tokens > 0) line += fmt::format("  held-out {:.4f}", s.totals.score());
  return line + fmt::format("  staleness {}  {}", s.totals.staleness_last,
                            Plural(s.workers.size(), "worker", "workers"));
}

std::string Ranges(const std::vector<int32_t>& numbers) {
  std::string text;
  for (size_t begin = 0, end = 0; begin < numbers.size(); begin = end) {
    end = begin + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[begin]);
    if (end - begin > 1) text += fmt::format("-{}", numbers[end - 1]);
  }
  return text;
}

std::string Duration(double seconds) {
  const auto s = static_cast<uint64_t>(std::llround(std::clamp(seconds, 0.0, 1e9)));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
  if (s < 48 * 3600) return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
  return fmt::format("{} days", s / (24 * 3600));
}

std::string Bytes(uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  constexpr std::array<const char*, 5> kUnits = {"kB", "MB", "GB", "TB", "PB"};
  double number = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  while (number >= 999.5 && unit + 1 < kUnits.size()) {
    number /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", number, number < 9.95 ? 1 : 0, kUnits[unit]);
}

std::string Bar(double share, size_t width, bool unicode) {
  constexpr size_t kEighths = 8;
  constexpr std::array<const char*, kEighths> kPart = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double cells = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
  const auto full = static_cast<size_t>(cells);
  std::string bar;
  if (!unicode) return "[" + std::string(full, '#') + std::string(width - full, '.') + "]";
  for (size_t i = 0; i < full; ++i) bar += "█";
  size_t left = width - full;
  const auto part = static_cast<size_t>((cells - static_cast<double>(full)) * kEighths);
  if (left > 0 && part > 0) {
    bar += kPart[part];
    --left;
  }
  for (size_t i = 0; i < left; ++i) bar += "░";
  return bar;
}

}  // namespace sda
