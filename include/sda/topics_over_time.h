#ifndef SDA_TOPICS_OVER_TIME_H_
#define SDA_TOPICS_OVER_TIME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sda/export.h"
#include "sda/over_time.h"
#include "sda/topic_model.h"

namespace SDA_EXPORT sda {

// From a moment up to another one, in milliseconds since 1970 (UTC).
struct TimeRange {
  int64_t begin = 0;
  int64_t end = 0;
};

// The whole of what a date names: 2019 is a year, 2019-06 a month, 2019-06-30 a day; everything
// else that the time of a document can be is a moment. Throws UsageError, which names the option.
TimeRange TimeRangeOf(const std::string& date, const char* option);
// From the begin of one date to the end of another; what is empty has no end.
TimeRange TimeRangeBetween(const std::string& since, const std::string& until);

// The day that a moment is in, such as 2019-06-30.
std::string DayOf(int64_t milliseconds);

// What is asked of the sums over time of a model. Buckets are whole: one that has a part of a range
// is in it.
struct OverTimeQuery {
  TimeRange range{INT64_MIN, INT64_MAX};
  bool by_bucket = false;  // a period for each bucket in the range, or one for all of them
  // If given: how the shares differ from those of this range.
  std::optional<TimeRange> versus;
  size_t words = 8;  // of each topic of a period
};

// A share of tokens, or the difference of two, with a 95% interval.
struct ShareOverTime {
  double mean = 0;
  double lower = 0;
  double upper = 0;
};

struct WordOverTime {
  std::string word;
  double tokens = 0;
};

struct TopicOverTime {
  size_t topic = 0;
  double tokens = 0;
  ShareOverTime share;
  std::optional<ShareOverTime> change;  // share - that of `versus`
  std::vector<WordOverTime> words;      // the most frequent first
};

struct PeriodOverTime {
  int64_t begin = 0;
  int64_t end = 0;
  uint64_t documents = 0;
  uint64_t tokens = 0;
  std::vector<TopicOverTime> topics;  // by number
};

struct TopicsOverTime {
  std::string unit;    // of the buckets now
  std::string bucket;  // that were asked for
  uint64_t memory = 0;
  uint64_t late_documents = 0;     // that came after a later bucket had begun
  uint64_t undated_documents = 0;  // in no bucket
  uint64_t undated_tokens = 0;
  uint64_t tokens = 0;      // in all buckets
  double cut_tokens = 0;    // of words that are kept no more
  bool approximate = true;  // the intervals: docs/uncertainty.md
  std::vector<PeriodOverTime> periods;
  std::optional<PeriodOverTime> versus;  // without topics

  // One JSON object; and CSV, a line for each topic of each period.
  std::string ToJson() const;
  std::string ToCsv() const;
};

// Whether the intervals of its shares may hold less than they promise: docs/uncertainty.md.
bool ApproximateSharesOverTime(const TopicModel& model);

// Throws InputError if the model has none, and UsageError if no document is in a range.
TopicsOverTime MakeTopicsOverTime(const TopicModel& model, const OverTimeQuery& query);

}  // namespace sda

#endif  // SDA_TOPICS_OVER_TIME_H_
