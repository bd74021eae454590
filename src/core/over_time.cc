#include "sda/over_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "base/calendar.h"
#include "sda/documents.h"
#include "sda/errors.h"

namespace sda {
namespace {

using WordDraws = OverTime::WordDraws;

// Of a bucket beside its numbers.
constexpr uint64_t kOverhead = 160;
// What is left of the words where some are cut, so that not every minibatch has to.
constexpr double kKeptOfWords = 0.75;

TimeUnit UnitOfOption(const std::string& bucket) {
  if (bucket == "day") return TimeUnit::kDay;
  if (bucket == "week") return TimeUnit::kWeek;
  if (bucket == "month") return TimeUnit::kMonth;
  throw UsageError("--bucket is " + bucket + ", must be one of day, week, month");
}

bool Before(const WordDraws& a, const WordDraws& b) {
  return std::tie(a.topic, a.word) < std::tie(b.topic, b.word);
}

uint32_t Together(uint32_t a, uint32_t b) {
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  return b > kMost - a ? kMost : a + b;
}

std::vector<WordDraws> Together(const std::vector<WordDraws>& a, const std::vector<WordDraws>& b) {
  std::vector<WordDraws> both;
  both.reserve(a.size() + b.size());
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (Before(*x, *y)) {
      both.push_back(*x++);
    } else if (Before(*y, *x)) {
      both.push_back(*y++);
    } else {
      both.push_back({x->word, x->topic, Together(x->draws, y->draws)});
      ++x;
      ++y;
    }
  }
  both.insert(both.end(), x, a.end());
  both.insert(both.end(), y, b.end());
  both.shrink_to_fit();
  return both;
}

void AddUp(const std::vector<double>& other, std::vector<double>* sums) {
  if (sums->empty()) sums->assign(other.size(), 0.0);
  for (size_t i = 0; i < other.size(); ++i) (*sums)[i] += other[i];
}

// body(first, last) for the words of each topic.
template <class Words, class Body>
void ForEachTopic(Words& words, const Body& body) {
  for (auto first = words.begin(); first != words.end();) {
    const auto last = std::find_if(first, words.end(),
                                   [&](const WordDraws& w) { return w.topic != first->topic; });
    body(first, last);
    first = last;
  }
}

// Of the words of each topic the `most` frequent ones.
void KeepFirst(size_t most, std::vector<WordDraws>* words) {
  const auto more = [](const WordDraws& a, const WordDraws& b) {
    return a.draws != b.draws ? a.draws > b.draws : a.word < b.word;
  };
  std::vector<WordDraws> kept;
  ForEachTopic(*words, [&](auto first, auto last) {
    const auto end = first + static_cast<ptrdiff_t>(std::min<size_t>(most, last - first));
    if (end != last) std::nth_element(first, end, last, more);
    std::sort(first, end, Before);
    kept.insert(kept.end(), first, end);
  });
  kept.shrink_to_fit();
  *words = std::move(kept);
}

}  // namespace

void OverTimeOptions::Validate() const {
  UnitOfOption(bucket);
  if (memory >= 1 << 16) return;
  throw UsageError(fmt::format("--over-time-memory is {} bytes, must be at least 65536", memory));
}

void OverTime::Sums::Add(const Sums& other) {
  documents += other.documents;
  tokens += other.tokens;
  AddUp(other.draws, &draws);
  AddUp(other.variances, &variances);
  AddUp(other.shifts, &shifts);
  words = words.empty() ? other.words : Together(words, other.words);
}

std::vector<OverTime::WordDraws> OverTime::Sums::TopWords(size_t topic, size_t most) const {
  std::vector<WordDraws> top;
  const WordDraws from{.word = 0, .topic = static_cast<uint32_t>(topic)};
  for (auto at = std::lower_bound(words.begin(), words.end(), from, Before);
       at != words.end() && at->topic == topic; ++at) {
    top.push_back(*at);
  }
  const size_t kept = std::min(most, top.size());
  std::partial_sort(top.begin(), top.begin() + static_cast<ptrdiff_t>(kept), top.end(),
                    [](const WordDraws& a, const WordDraws& b) {
                      return a.draws != b.draws ? a.draws > b.draws : a.word < b.word;
                    });
  top.resize(kept);
  return top;
}

OverTime::OverTime(size_t topics, const OverTimeOptions& options)
    : topics_(topics), options_(options), unit_(static_cast<int>(UnitOfOption(options.bucket))) {
  options.Validate();
}

const char* OverTime::unit() const { return UnitName(static_cast<TimeUnit>(unit_)); }

std::vector<OverTime::Period> OverTime::Buckets() const {
  const auto unit = static_cast<TimeUnit>(unit_);
  std::vector<Period> periods;
  for (const auto& [number, sums] : buckets_) {
    periods.push_back({BeginOf(unit, number), BeginOf(unit, number + 1), &sums});
  }
  return periods;
}

OverTime::Sums OverTime::Between(int64_t since, int64_t until) const {
  Sums all;
  all.draws.assign(topics_, 0.0);
  all.variances.assign(topics_, 0.0);
  all.shifts.assign(topics_ * kShifts, 0.0);
  for (const Period& period : Buckets()) {
    if (period.begin < until && period.end > since) all.Add(*period.sums);
  }
  return all;
}

uint64_t OverTime::documents() const {
  uint64_t sum = 0;
  for (const auto& [number, sums] : buckets_) sum += sums.documents;
  return sum;
}

uint64_t OverTime::tokens() const {
  uint64_t sum = 0;
  for (const auto& [number, sums] : buckets_) sum += sums.tokens;
  return sum;
}

double OverTime::CutDraws() const {
  double cut = 0;
  for (const auto& [number, sums] : buckets_) {
    cut = std::accumulate(sums.draws.begin(), sums.draws.end(), cut);
    for (const WordDraws& word : sums.words) cut -= word.draws;
  }
  return cut;
}

uint64_t OverTime::BytesOfSums() const {
  return buckets_.size() * (kOverhead + topics_ * (2 + kShifts) * sizeof(double));
}

uint64_t OverTime::Bytes() const {
  uint64_t bytes = BytesOfSums();
  for (const auto& [number, sums] : buckets_) bytes += sums.words.size() * sizeof(WordDraws);
  return bytes;
}

void OverTime::Lengthen() {
  const auto unit = static_cast<TimeUnit>(unit_);
  const TimeUnit longer = Longer(unit);
  std::map<int64_t, Sums> buckets;
  for (auto& [number, sums] : buckets_) {
    const int64_t of_longer = UnitOf(longer, BeginOf(unit, number));
    const auto [at, is_new] = buckets.try_emplace(of_longer);
    if (is_new) {
      at->second = std::move(sums);
    } else {
      at->second.Add(sums);
    }
  }
  buckets_ = std::move(buckets);
  unit_ = static_cast<int>(longer);
}

void OverTime::CutWords(uint64_t bytes) {
  const auto most =
      static_cast<size_t>(kKeptOfWords * static_cast<double>(bytes)) / sizeof(WordDraws);
  std::vector<size_t> counts;  // of words, of each topic of each bucket
  for (const auto& [number, sums] : buckets_) {
    ForEachTopic(sums.words, [&](auto first, auto last) { counts.push_back(last - first); });
  }
  std::sort(counts.begin(), counts.end());
  // The same number of each, as many as fit.
  size_t left = most;
  size_t each = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    each = left / (counts.size() - i);
    if (counts[i] > each) break;
    left -= counts[i];
  }
  for (auto& [number, sums] : buckets_) KeepFirst(each, &sums.words);
}

void OverTime::Fit() {
  while (BytesOfSums() > options_.memory / 2 && buckets_.size() > 1) Lengthen();
  if (Bytes() <= options_.memory) return;
  CutWords(options_.memory - std::min(options_.memory, BytesOfSums()));
}

void OverTime::Add(const OverTime& later) {
  if (later.topics_ != topics_) throw InputError("sums over time are of another number of topics");
  const auto theirs = static_cast<TimeUnit>(later.unit_);
  while (!Divides(theirs, static_cast<TimeUnit>(unit_))) {
    if (!Divides(static_cast<TimeUnit>(unit_), theirs)) {
      throw InputError(
          fmt::format("buckets of a {} and of a {} do not go together: --bucket must "
                      "stay as it was",
                      unit(), later.unit()));
    }
    Lengthen();
  }
  const auto unit = static_cast<TimeUnit>(unit_);
  const int64_t newest = buckets_.empty() ? kNoBucket : buckets_.rbegin()->first;
  for (const auto& [number, sums] : later.buckets_) {
    const int64_t ours = UnitOf(unit, BeginOf(theirs, number));
    if (ours < newest) late_documents_ += sums.documents;
    buckets_[ours].Add(sums);
  }
  undated_documents_ += later.undated_documents_;
  undated_tokens_ += later.undated_tokens_;
  late_documents_ += later.late_documents_;
  Fit();
}

std::vector<int64_t> OverTime::Place(std::span<const int64_t> times) {
  while (true) {
    const auto unit = static_cast<TimeUnit>(unit_);
    std::vector<int64_t> numbers(times.size(), kNoBucket);
    for (size_t d = 0; d < times.size(); ++d) {
      if (IsInCalendar(times[d])) numbers[d] = UnitOf(unit, times[d]);
    }
    std::vector<int64_t> distinct = numbers;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    std::erase(distinct, kNoBucket);
    for (const int64_t number : distinct) At(number);
    if (distinct.size() <= 1 || BytesOfSums() <= options_.memory / 2) return numbers;
    buckets_.clear();
    Lengthen();
  }
}

OverTime::Sums& OverTime::At(int64_t number) {
  Sums& sums = buckets_[number];
  if (sums.draws.empty()) {
    sums.draws.assign(topics_, 0.0);
    sums.variances.assign(topics_, 0.0);
    sums.shifts.assign(topics_ * kShifts, 0.0);
  }
  return sums;
}

void OverTime::AddUndated(uint64_t documents, uint64_t tokens) {
  undated_documents_ += documents;
  undated_tokens_ += tokens;
}

bool OverTime::operator==(const OverTime& other) const {
  return topics_ == other.topics_ && unit_ == other.unit_ && buckets_ == other.buckets_ &&
         undated_documents_ == other.undated_documents_ &&
         undated_tokens_ == other.undated_tokens_ && late_documents_ == other.late_documents_;
}

}  // namespace sda
