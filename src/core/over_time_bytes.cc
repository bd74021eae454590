// Sums over time as bytes, for checkpoints.

#include <cmath>
#include <cstring>

#include "base/calendar.h"
#include "sda/errors.h"
#include "sda/over_time.h"

namespace sda {
namespace {

constexpr uint64_t kVersion = 1;

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  uint64_t Whole() { return Numbers<uint64_t>(1)[0]; }
  std::string Text() {
    const auto characters = Numbers<char>(Whole());
    return {characters.begin(), characters.end()};
  }
  template <class T>
  std::vector<T> Numbers(uint64_t count) {
    if (count > bytes_.size() / sizeof(T)) throw InputError("sums over time are cut off");
    std::vector<T> numbers(count);
    if (count > 0) std::memcpy(numbers.data(), bytes_.data(), count * sizeof(T));
    bytes_.remove_prefix(count * sizeof(T));
    return numbers;
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

}  // namespace

void OverTime::SerializeTo(const std::function<void(std::string_view bytes)>& sink) const {
  const auto put = [&](const void* data, size_t size) {
    sink({static_cast<const char*>(data), size});
  };
  const auto whole = [&](uint64_t number) { put(&number, sizeof(number)); };
  whole(kVersion);
  whole(topics_);
  whole(options_.bucket.size());
  put(options_.bucket.data(), options_.bucket.size());
  for (const uint64_t number : {options_.memory, static_cast<uint64_t>(unit_), undated_documents_,
                                undated_tokens_, late_documents_, buckets_.size()}) {
    whole(number);
  }
  for (const auto& [number, sums] : buckets_) {
    whole(static_cast<uint64_t>(number));
    whole(sums.documents);
    whole(sums.tokens);
    for (const auto* part : {&sums.draws, &sums.variances, &sums.shifts}) {
      put(part->data(), part->size() * sizeof(double));
    }
    whole(sums.words.size());
    put(sums.words.data(), sums.words.size() * sizeof(WordDraws));
  }
}

OverTime OverTime::Deserialize(std::string_view bytes) {
  Reader in(bytes);
  if (in.Whole() != kVersion) throw InputError("sums over time are of another version");
  const uint64_t topics = in.Whole();
  OverTimeOptions options;
  options.bucket = in.Text();
  options.memory = in.Whole();
  try {
    options.Validate();
  } catch (const UsageError& e) {
    throw InputError(std::string("sums over time are damaged: ") + e.what());
  }
  OverTime result(topics, options);
  const uint64_t unit = in.Whole();
  if (unit >= kTimeUnits) throw InputError("sums over time have an unknown unit");
  result.unit_ = static_cast<int>(unit);
  result.undated_documents_ = in.Whole();
  result.undated_tokens_ = in.Whole();
  result.late_documents_ = in.Whole();
  for (uint64_t left = in.Whole(); left > 0; --left) {
    Sums& sums = result.buckets_[static_cast<int64_t>(in.Whole())];
    sums.documents = in.Whole();
    sums.tokens = in.Whole();
    sums.draws = in.Numbers<double>(topics);
    sums.variances = in.Numbers<double>(topics);
    if (topics > bytes.size()) throw InputError("sums over time are cut off");
    sums.shifts = in.Numbers<double>(topics * kShifts);
    sums.words = in.Numbers<WordDraws>(in.Whole());
  }
  if (!in.at_end()) throw InputError("sums over time have bytes to spare");
  result.CheckSums();
  return result;
}

// A file may be forged: what is printed must be numbers, and of topics that there are.
void OverTime::CheckSums() const {
  const auto unit = static_cast<TimeUnit>(unit_);
  const auto fail = [](const char* what) {
    throw InputError(std::string("sums over time are damaged: ") + what);
  };
  for (const auto& [number, sums] : buckets_) {
    const bool in_range = number >= UnitOf(unit, BeginOf(TimeUnit::kEver, 0)) &&
                          number <= UnitOf(unit, BeginOf(TimeUnit::kEver, 1) - 1);
    if (!in_range) fail("a bucket is not in the years 0 to 9999");
    if (sums.documents > sums.tokens || sums.tokens >= uint64_t{1} << 60) {
      fail("a bucket's documents or tokens are not possible");
    }
    double all = 0;
    for (const double draws : sums.draws) {
      if (!(draws >= 0 && draws <= 1e18)) fail("a topic's tokens are no number of tokens");
      all += draws;
    }
    if (!(std::abs(all - kDraws * static_cast<double>(sums.tokens)) <= 1e-6 * all)) {
      fail("the topics of a bucket do not add up to its tokens");
    }
    for (const double x : sums.variances) {
      if (!(x >= 0 && x <= 1e36)) fail("a variance is not possible");
    }
    for (const double x : sums.shifts) {
      if (!(std::abs(x) <= 1e36)) fail("a shift is not possible");
    }
    const WordDraws* before = nullptr;
    for (const WordDraws& word : sums.words) {
      const bool ordered = before == nullptr || before->topic < word.topic ||
                           (before->topic == word.topic && before->word < word.word);
      if (word.topic >= topics_ || !ordered) fail("its words are not in order");
      before = &word;
    }
  }
}

}  // namespace sda
