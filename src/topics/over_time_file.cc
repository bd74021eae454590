#include "topics/over_time_file.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/calendar.h"
#include "base/parse_json.h"
#include "sda/errors.h"

namespace sda {
namespace {

using nlohmann::json;

constexpr const char* kKey = "over_time";
constexpr const char* kBuckets = "over_time_buckets";
constexpr const char* kTokens = "over_time_tokens";
constexpr const char* kVariances = "over_time_variances";
constexpr const char* kShifts = "over_time_shifts";
constexpr const char* kWordCounts = "over_time_word_counts";
constexpr const char* kWords = "over_time_words";

int UnitNamed(const std::string& name) {
  for (int unit = 0; unit < kTimeUnits; ++unit) {
    if (name == UnitName(static_cast<TimeUnit>(unit))) return unit;
  }
  throw InputError("its topics over time have the unknown unit " + name);
}

void Append(const std::vector<double>& numbers, std::vector<double>* all) {
  all->insert(all->end(), numbers.begin(), numbers.end());
}

std::vector<double> Part(const std::vector<double>& all, size_t i, size_t width) {
  return {all.begin() + static_cast<ptrdiff_t>(i * width),
          all.begin() + static_cast<ptrdiff_t>((i + 1) * width)};
}

}  // namespace

OverTimeFile::OverTimeFile(const OverTime& sums) : sums_(sums) {
  for (const OverTime::Period& period : sums.Buckets()) {
    const OverTime::Sums& of_bucket = *period.sums;
    for (const int64_t x : {period.begin, period.end, static_cast<int64_t>(of_bucket.documents),
                            static_cast<int64_t>(of_bucket.tokens)}) {
      buckets_.push_back(x);
    }
    for (size_t k = 0; k < sums.topics(); ++k) tokens_.push_back(of_bucket.Tokens(k));
    Append(of_bucket.variances, &variances_);
    Append(of_bucket.shifts, &shifts_);
    word_counts_.resize(word_counts_.size() + sums.topics());
    int64_t* const counts = word_counts_.data() + word_counts_.size() - sums.topics();
    for (const OverTime::WordDraws& word : of_bucket.words) {
      ++counts[word.topic];
      words_.push_back(static_cast<int64_t>(word.word));
      words_.push_back(word.draws);
    }
  }
}

void OverTimeFile::AddTo(std::map<std::string, std::string>* metadata,
                         std::vector<TensorSpec>* tensors) const {
  (*metadata)[kKey] = json{{"bucket", sums_.options().bucket},
                           {"memory", sums_.options().memory},
                           {"unit", sums_.unit()},
                           {"draws", OverTime::kDraws},
                           {"undated_documents", sums_.undated_documents_},
                           {"undated_tokens", sums_.undated_tokens_},
                           {"late_documents", sums_.late_documents_}}
                          .dump();
  const uint64_t buckets = buckets_.size() / 4;
  const uint64_t topics = sums_.topics();
  tensors->push_back({.name = kBuckets, .shape = {buckets, 4}, .integers = buckets_});
  tensors->push_back({.name = kTokens, .shape = {buckets, topics}, .doubles = tokens_});
  tensors->push_back({.name = kVariances, .shape = {buckets, topics}, .doubles = variances_});
  tensors->push_back(
      {.name = kShifts, .shape = {buckets, topics, OverTime::kShifts}, .doubles = shifts_});
  tensors->push_back({.name = kWordCounts, .shape = {buckets, topics}, .integers = word_counts_});
  tensors->push_back({.name = kWords, .shape = {words_.size() / 2, 2}, .integers = words_});
}

bool OverTimeFile::IsIn(const ModelFile& file) { return file.has_metadata(kKey); }

OverTime OverTimeFile::Read(const ModelFile& file, size_t topics) {
  try {
    OverTime sums = ReadSums(file, topics);
    sums.CheckSums();
    return sums;
  } catch (const InputError& e) {
    if (std::string_view(e.what()).starts_with(file.path())) throw;
    throw InputError(file.path() + ": " + e.what());
  } catch (const UsageError& e) {
    throw InputError(file.path() + ": " + e.what());
  } catch (const json::exception& e) {
    throw InputError(file.path() + ": has bad metadata of topics over time: " + e.what());
  }
}

OverTime OverTimeFile::ReadSums(const ModelFile& file, size_t topics) {
  const json about = ParseJson(file.metadata(kKey));
  if (about.at("draws") != OverTime::kDraws) {
    throw InputError("its topics over time are of another number of draws");
  }
  OverTimeOptions options;
  options.bucket = about.at("bucket").get<std::string>();
  options.memory = about.at("memory").get<uint64_t>();
  OverTime sums(topics, options);
  sums.unit_ = UnitNamed(about.at("unit").get<std::string>());
  sums.undated_documents_ = about.at("undated_documents").get<uint64_t>();
  sums.undated_tokens_ = about.at("undated_tokens").get<uint64_t>();
  sums.late_documents_ = about.at("late_documents").get<uint64_t>();
  const auto buckets = file.integers(kBuckets);
  const auto tokens = file.doubles(kTokens);
  const auto variances = file.doubles(kVariances);
  const auto shifts = file.doubles(kShifts);
  const auto word_counts = file.integers(kWordCounts);
  const auto words = file.integers(kWords);
  const size_t count = buckets.size() / 4;
  if (buckets.size() != 4 * count || tokens.size() != count * topics ||
      variances.size() != tokens.size() || shifts.size() != tokens.size() * OverTime::kShifts ||
      word_counts.size() != tokens.size() || words.size() % 2 != 0) {
    throw InputError("its topics over time do not go together");
  }
  std::vector<OverTime::Sums*> rows;
  for (size_t i = 0; i < count; ++i) {
    // The first one may begin before the year 0.
    const int64_t inside = IsInCalendar(buckets[4 * i]) ? buckets[4 * i] : buckets[4 * i + 1] - 1;
    if (!IsInCalendar(inside)) {
      throw InputError("its topics over time are not in the years 0 to 9999");
    }
    const auto unit = static_cast<TimeUnit>(sums.unit_);
    const int64_t number = UnitOf(unit, inside);
    if (buckets[4 * i] != BeginOf(unit, number) || sums.buckets_.contains(number)) {
      throw InputError("its topics over time have a bucket that is none");
    }
    OverTime::Sums& row = sums.buckets_[number];
    row.documents = static_cast<uint64_t>(buckets[4 * i + 2]);
    row.tokens = static_cast<uint64_t>(buckets[4 * i + 3]);
    row.draws = Part(tokens, i, topics);
    for (double& x : row.draws) x = std::round(x * OverTime::kDraws);
    row.variances = Part(variances, i, topics);
    row.shifts = Part(shifts, i, topics * OverTime::kShifts);
    rows.push_back(&row);
  }
  size_t next = 0;
  for (size_t i = 0; i < word_counts.size(); ++i) {
    if (word_counts[i] < 0 || static_cast<uint64_t>(word_counts[i]) > (words.size() - next) / 2) {
      throw InputError("its topics over time do not have their words");
    }
    for (int64_t left = word_counts[i]; left > 0; --left, next += 2) {
      const auto draws = static_cast<uint64_t>(words[next + 1]);
      if (draws >= uint64_t{1} << 32) {
        throw InputError("its topics over time have a word that is none");
      }
      rows[i / topics]->words.push_back({static_cast<uint64_t>(words[next]),
                                         static_cast<uint32_t>(i % topics),
                                         static_cast<uint32_t>(draws)});
    }
  }
  if (next != words.size()) throw InputError("its topics over time have words of no topic");
  return sums;
}

}  // namespace sda
