#include "commands/topics_over_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "sda/errors.h"
#include "sda/topics_over_time.h"
#include "ui/colour.h"
#include "ui/command.h"

namespace sda {
namespace {

// What a period is called, by how long it is: 2019-06-30, 2019-06 or 2019.
std::string NameOf(int64_t begin, const std::string& unit) {
  const std::string date = DayOf(begin);
  if (unit == "month" || unit == "quarter") return date.substr(0, 7);
  if (unit == "year" || unit == "decade" || unit == "century") return date.substr(0, 4);
  return date;
}

// How long a bucket is, in words.
std::string LengthOf(const std::string& unit) {
  if (unit == "ever") return "all time";
  return (unit[0] >= '1' && unit[0] <= '9') ? unit : "a " + unit;
}

std::string RangeText(const PeriodOverTime& period) {
  const std::string first = DayOf(period.begin);
  const std::string last = DayOf(period.end - 1);
  return first == last ? first : first + " to " + last;
}

std::string CountText(const PeriodOverTime& period) {
  return fmt::format("{} with {}", Plural(period.documents, "document", "documents"),
                     Plural(period.tokens, "token", "tokens"));
}

std::string Percent(const ShareOverTime& share) {
  return fmt::format("{:>6.2f} [{:.2f}, {:.2f}]", 100 * share.mean, 100 * share.lower,
                     100 * share.upper);
}

void PrintTopWords(const TopicOverTime& topic) {
  for (const WordOverTime& word : topic.words) fmt::print(" {}", Shown(word.word));
  fmt::print("\n");
}

// What is not in the numbers, a line each.
void PrintCounts(const TopicsOverTime& table) {
  if (table.unit != table.bucket) {
    fmt::print(
        "Buckets are {} long, not {}: there were too many for {} MiB "
        "(--over-time-memory of sda fit).\n",
        LengthOf(table.unit), LengthOf(table.bucket), table.memory >> 20);
  }
  if (table.cut_tokens > 0) {
    fmt::print(
        "Words of {:.2f}% of the tokens are not kept, the rarest of their topic and bucket.\n",
        100 * table.cut_tokens / static_cast<double>(table.tokens));
  }
  if (table.undated_documents > 0) {
    fmt::print("{} without a time {} in no bucket.\n",
               Plural(table.undated_documents, "document", "documents"),
               table.undated_documents == 1 ? "is" : "are");
  }
  if (table.late_documents > 0) {
    fmt::print("{} came late, when there were later buckets, and count in their own.\n",
               Plural(table.late_documents, "document", "documents"));
  }
  fmt::print("\n");
}

void PrintPeriod(const TopicsOverTime& table) {
  const PeriodOverTime& period = table.periods[0];
  fmt::print("{}, {}.\n", RangeText(period), CountText(period));
  fmt::print(
      "The share of each topic in percent with its 95% interval{}, and its top words then.\n",
      table.approximate ? " (approximate)" : "");
  if (table.versus) {
    fmt::print("The change is from {}, {}.\n", RangeText(*table.versus), CountText(*table.versus));
  }
  PrintCounts(table);
  PrintStrong(fmt::format("topic  {:<24}{}  top words\n", "share",
                          table.versus ? fmt::format("{:<24}", "change") : ""));
  std::vector<TopicOverTime> topics = period.topics;
  std::stable_sort(topics.begin(), topics.end(), [](const auto& a, const auto& b) {
    return a.change ? a.change->mean > b.change->mean : a.share.mean > b.share.mean;
  });
  for (const TopicOverTime& topic : topics) {
    PrintStrong(fmt::format("{:>5}", topic.topic));
    fmt::print("  {:<24}", Percent(topic.share));
    if (topic.change) fmt::print("{:<24}", Percent(*topic.change));
    fmt::print(" ");
    PrintTopWords(topic);
  }
}

// A line a topic: where its share is lowest and highest.
void PrintBuckets(const TopicsOverTime& table) {
  fmt::print(
      "{} from {} to {}. The lowest and the highest share of each topic in percent, with\n"
      "95% intervals{}, and its top words at the highest. --csv and --json print all.\n",
      Plural(table.periods.size(), ("bucket of " + LengthOf(table.unit)).c_str(),
             ("buckets of " + LengthOf(table.unit)).c_str()),
      DayOf(table.periods.front().begin), DayOf(table.periods.back().end - 1),
      table.approximate ? " (approximate)" : "");
  PrintCounts(table);
  PrintStrong(fmt::format("topic  {:<36}{:<36}  top words\n", "lowest", "highest"));
  const size_t topics = table.periods[0].topics.size();
  std::vector<size_t> order(topics);
  std::iota(order.begin(), order.end(), 0);
  const auto highest = [&](size_t k) {
    return std::max_element(table.periods.begin(), table.periods.end(),
                            [&](const auto& a, const auto& b) {
                              return a.topics[k].share.lower < b.topics[k].share.lower;
                            });
  };
  const auto lowest = [&](size_t k) {
    return std::min_element(table.periods.begin(), table.periods.end(),
                            [&](const auto& a, const auto& b) {
                              return a.topics[k].share.upper < b.topics[k].share.upper;
                            });
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return highest(a)->topics[a].share.mean > highest(b)->topics[b].share.mean;
  });
  for (const size_t k : order) {
    const auto text = [&](const PeriodOverTime& period) {
      return Percent(period.topics[k].share) + " in " + NameOf(period.begin, table.unit);
    };
    PrintStrong(fmt::format("{:>5}", k));
    fmt::print("  {:<36}{:<36} ", text(*lowest(k)), text(*highest(k)));
    PrintTopWords(highest(k)->topics[k]);
  }
}

}  // namespace

void OverTimeFlags::AddTo(CLI::App* command) {
  command->add_flag("--over-time", over_time,
                    "Topics over time, of a model of documents with times (--time-field)");
  command->add_option("--since", since,
                      "Topics in the period from this date on: 2019, 2019-06, 2019-06-30");
  command->add_option("--until", until, "To the end of this date; buckets are whole");
  command
      ->add_option("--versus", versus,
                   "How the shares differ from those of another period: 2018-01..2018-06")
      ->type_name("SINCE..UNTIL");
  command->add_flag("--csv", csv, "Print topics over time or in a period as CSV");
}

void OverTimeFlags::Check() const {
  if (csv && !any()) throw UsageError("--csv goes with --over-time, --since, --until or --versus");
}

void ShowTopicsOverTime(const TopicModel& model, const OverTimeFlags& flags, int words, bool json) {
  if (flags.csv && json) throw UsageError("--csv does not go with --json");
  OverTimeQuery query;
  query.range = TimeRangeBetween(flags.since, flags.until);
  query.by_bucket = flags.over_time;
  query.words = static_cast<size_t>(words);
  if (!flags.versus.empty()) {
    const size_t dots = flags.versus.find("..");
    if (dots == std::string::npos) {
      throw UsageError("--versus is " + Shown(flags.versus) +
                       ", must be a period such as 2018-01..2018-06");
    }
    query.versus = TimeRangeBetween(flags.versus.substr(0, dots), flags.versus.substr(dots + 2));
  }
  const TopicsOverTime table = MakeTopicsOverTime(model, query);
  if (json) {
    fmt::print("{}\n", table.ToJson());
  } else if (flags.csv) {
    if (table.approximate) SayApproximate();
    fmt::print("{}", table.ToCsv());
  } else if (flags.over_time) {
    PrintBuckets(table);
  } else {
    PrintPeriod(table);
  }
}

}  // namespace sda
