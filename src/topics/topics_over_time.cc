#include "sda/topics_over_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/calendar.h"
#include "data/text/document_time.h"
#include "lda/infer/share_over_time.h"
#include "sda/errors.h"

namespace sda {
namespace {

// Of the variance of a topic's tokens, where the intervals hold what they promise: topics that have
// more are so alike that a drift of one passes for one of the others (docs/uncertainty.md).
constexpr double kMostPerToken = 0.8;

ShareOverTime Shared(const OverTime::Sums::Share& share) {
  return {share.mean, share.lower, share.upper};
}

// Words are rows of the model; one that has left it has its number alone.
std::string NameOf(const TopicModel& model, uint64_t word) {
  return word < model.vocabulary.size() ? model.vocabulary[word] : fmt::format("(word {})", word);
}

PeriodOverTime Empty(const TimeRange& range, const OverTime::Sums& sums) {
  return {range.begin, range.end, sums.documents, sums.tokens, {}};
}

PeriodOverTime PeriodOf(const TopicModel& model, const TimeRange& range, const OverTime::Sums& sums,
                        const OverTime::Sums* versus, size_t words) {
  PeriodOverTime period = Empty(range, sums);
  for (size_t k = 0; k < model.posterior.width(); ++k) {
    TopicOverTime topic{k, sums.Tokens(k), Shared(sums.ShareOf(k)), std::nullopt, {}};
    if (versus != nullptr) topic.change = Shared(lda::ShareDifference(sums, *versus, k));
    for (const OverTime::WordDraws& word : sums.TopWords(k, words)) {
      topic.words.push_back({NameOf(model, word.word), 1.0 * word.draws / OverTime::kDraws});
    }
    period.topics.push_back(std::move(topic));
  }
  return period;
}

// The part of a range that has buckets with documents, as they begin and end.
TimeRange Covered(const OverTime& sums, const TimeRange& range, const char* options) {
  TimeRange covered{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  for (const OverTime::Period& bucket : sums.Buckets()) {
    if (bucket.begin >= range.end || bucket.end <= range.begin) continue;
    covered.begin = std::min(covered.begin, bucket.begin);
    covered.end = std::max(covered.end, bucket.end);
  }
  if (covered.begin < covered.end) return covered;
  throw UsageError(fmt::format("{}: no document of the model is of that time", options));
}

}  // namespace

TimeRange TimeRangeOf(const std::string& date, const char* option) {
  const auto moment = ParseTime(date);
  if (!moment || !IsInCalendar(*moment)) {
    throw UsageError(fmt::format(
        "{} is {}, must be a date such as 2019, 2019-06, 2019-06-30 or 2019-06-30T12:00:00Z",
        option, date));
  }
  const auto whole = [&](TimeUnit unit) {
    const int64_t number = UnitOf(unit, *moment);
    return TimeRange{BeginOf(unit, number), BeginOf(unit, number + 1)};
  };
  const bool is_date = date.find_first_not_of("0123456789-") == std::string::npos;
  const auto parts = std::count(date.begin(), date.end(), '-');
  if (is_date && parts == 0 && date.size() == 4) return whole(TimeUnit::kYear);
  if (is_date && parts == 1) return whole(TimeUnit::kMonth);
  if (is_date && (parts == 2 || date.size() == 8)) return whole(TimeUnit::kDay);
  return {*moment, *moment + 1};
}

std::string DayOf(int64_t milliseconds) {
  const std::string text = FormatTime(milliseconds);
  return text.substr(0, text.find('T'));
}

TimeRange TimeRangeBetween(const std::string& since, const std::string& until) {
  TimeRange range{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  if (!since.empty()) range.begin = TimeRangeOf(since, "--since").begin;
  if (!until.empty()) range.end = TimeRangeOf(until, "--until").end;
  if (range.begin >= range.end) {
    throw UsageError(fmt::format("--since is {}, which is after --until, {}", since, until));
  }
  return range;
}

bool ApproximateSharesOverTime(const TopicModel& model) {
  if (model.options.primitive != "gibbs" || model.posterior.over_time() == nullptr) return true;
  double variances = 0;
  double tokens = 0;
  for (const OverTime::Period& bucket : model.posterior.over_time()->Buckets()) {
    const std::vector<double>& of_bucket = bucket.sums->variances;
    variances = std::accumulate(of_bucket.begin(), of_bucket.end(), variances);
    tokens += static_cast<double>(bucket.sums->tokens);
  }
  return variances > kMostPerToken * tokens;
}

TopicsOverTime MakeTopicsOverTime(const TopicModel& model, const OverTimeQuery& query) {
  const OverTime* const sums = model.posterior.over_time();
  if (sums == nullptr) {
    throw InputError(
        "the model has no topics over time: they are kept by sda fit with --time-field");
  }
  TopicsOverTime out;
  out.unit = sums->unit();
  out.bucket = sums->options().bucket;
  out.memory = sums->options().memory;
  out.late_documents = sums->late_documents();
  out.undated_documents = sums->undated_documents();
  out.undated_tokens = sums->undated_tokens();
  out.tokens = sums->tokens();
  out.cut_tokens = sums->CutDraws() / OverTime::kDraws;
  out.approximate = ApproximateSharesOverTime(model);
  std::optional<OverTime::Sums> versus;
  if (query.versus) {
    const TimeRange covered = Covered(*sums, *query.versus, "--versus");
    versus = sums->Between(covered.begin, covered.end);
    out.versus = Empty(covered, *versus);
  }
  const OverTime::Sums* const others = versus ? &*versus : nullptr;
  const TimeRange covered = Covered(*sums, query.range, "--since, --until");
  if (!query.by_bucket) {
    out.periods.push_back(
        PeriodOf(model, covered, sums->Between(covered.begin, covered.end), others, query.words));
    return out;
  }
  for (const OverTime::Period& bucket : sums->Buckets()) {
    if (bucket.begin < covered.begin || bucket.end > covered.end) continue;
    out.periods.push_back(
        PeriodOf(model, {bucket.begin, bucket.end}, *bucket.sums, others, query.words));
  }
  return out;
}

}  // namespace sda
