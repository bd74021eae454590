#ifndef SDA_OVER_TIME_H_
#define SDA_OVER_TIME_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sda/export.h"

namespace SDA_EXPORT sda {

struct OverTimeOptions {
  // Periods that documents are added up in, to begin with: day, week or month, in UTC.
  std::string bucket = "day";
  // Bytes. Within it buckets become longer and rare words are cut, in this order; both are counted.
  uint64_t memory = uint64_t{64} << 20;

  // Throws UsageError naming the option and its value.
  void Validate() const;
};

// What topics had of the documents of each period: sums over documents, which are all that is kept
// of them. So those of any longer period are sums again, documents may come in any order, and the
// deltas of minibatches add up. A document counts once, in the bucket of its own time, in full,
// however much of the posterior is forgotten later.
//
// The topics of the tokens are not known. They are drawn kDraws times, in sweeps of the sampler
// that are some way apart, and all numbers of tokens are sums of whole draws: exact, in any order.
class OverTime {
 public:
  static constexpr int kDraws = 3;
  // Random directions in which the topics may be wrong: see docs/math.md.
  static constexpr int kShifts = 16;

  // Tokens of a word in a topic: draws / kDraws. At most 2^32 - 1 draws are kept of one.
  struct WordDraws {
    uint64_t word = 0;
    uint32_t topic = 0;
    uint32_t draws = 0;
    bool operator==(const WordDraws&) const = default;
  };

  // Of the documents of a bucket, or of several.
  struct Sums {
    uint64_t documents = 0;
    uint64_t tokens = 0;
    std::vector<double> draws;      // of each topic; of all, tokens * kDraws
    std::vector<double> variances;  // of the error of draws / kDraws, if the topics were known
    // Topic by topic: how many more tokens it would have if the topics were wrong in one of the
    // directions, by about a standard deviation.
    std::vector<double> shifts;
    std::vector<WordDraws> words;  // by topic, then word; a part of draws: the others were cut

    void Add(const Sums& other);
    double Tokens(size_t topic) const { return draws[topic] / kDraws; }
    // The share of the tokens, with a 95% interval of the share that documents of these words have.
    struct Share {
      double mean = 0, lower = 0, upper = 0;
    };
    Share ShareOf(size_t topic) const;
    // The words with the most tokens, at most so many, the most frequent first; tokens in draws.
    std::vector<WordDraws> TopWords(size_t topic, size_t most) const;
    bool operator==(const Sums&) const = default;
  };

  struct Period {
    int64_t begin = 0;  // milliseconds since 1970 (UTC)
    int64_t end = 0;    // that of the next one
    const Sums* sums = nullptr;
  };

  OverTime(size_t topics, const OverTimeOptions& options);

  size_t topics() const { return topics_; }
  const OverTimeOptions& options() const { return options_; }
  // What a bucket is: day, week, 4 weeks, month, quarter, year, decade, ...; coarser than the
  // option if there were too many.
  const char* unit() const;
  // Those with documents, the first one first.
  std::vector<Period> Buckets() const;
  // The sum of all buckets that have a part in [since, until).
  Sums Between(int64_t since, int64_t until) const;

  uint64_t documents() const;  // in the buckets
  uint64_t tokens() const;
  // Without a time, or with one that is not in the years 0 to 9999: in no bucket.
  uint64_t undated_documents() const { return undated_documents_; }
  uint64_t undated_tokens() const { return undated_tokens_; }
  // That came when there was a later bucket. They are in their own.
  uint64_t late_documents() const { return late_documents_; }
  // Tokens (in draws) whose words were cut.
  double CutDraws() const;
  // That this takes.
  uint64_t Bytes() const;

  // Those of documents that came after these. Throws InputError if they do not go together.
  void Add(const OverTime& later);

  // For a minibatch: buckets as long as they must be for these times. Returns the number of each
  // document's bucket, kNoBucket for one without.
  static constexpr int64_t kNoBucket = INT64_MIN;
  std::vector<int64_t> Place(std::span<const int64_t> times);
  // The sums of such a bucket, to be added to.
  Sums& At(int64_t number);
  void AddUndated(uint64_t documents, uint64_t tokens);
  // To be called after that: cuts what is beyond the memory.
  void Fit();

  // Reading what was written; Deserialize throws InputError.
  void SerializeTo(const std::function<void(std::string_view bytes)>& sink) const;
  static OverTime Deserialize(std::string_view bytes);
  bool operator==(const OverTime& other) const;

 private:
  friend class OverTimeFile;  // of a model file
  uint64_t BytesOfSums() const;
  void Lengthen();
  void CutWords(uint64_t bytes);
  void CheckSums() const;

  size_t topics_;
  OverTimeOptions options_;
  int unit_;
  std::map<int64_t, Sums> buckets_;  // by number of the unit
  uint64_t undated_documents_ = 0;
  uint64_t undated_tokens_ = 0;
  uint64_t late_documents_ = 0;
};

}  // namespace sda

#endif  // SDA_OVER_TIME_H_
