#ifndef SDA_COHERENCE_H_
#define SDA_COHERENCE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sda/documents.h"
#include "sda/export.h"
#include "sda/id_set.h"
#include "sda/keyed_rows.h"

namespace SDA_EXPORT sda {

// A uniform sample, without replacement, of the documents of a stream: the distinct words of each,
// and how often it has them if they are kept.
// Every document has a random number, a hash of its minibatch's id and its place in it, and those
// with the smallest numbers are kept. So the sample depends neither on the order in which the
// minibatches come nor on threads, and a minibatch that is offered again changes nothing. Not for
// several threads at once.
class DocumentSample {
 public:
  static constexpr size_t kMaxDocuments = 10'000;
  static constexpr size_t kMaxWords = size_t{1} << 21;
  // Documents with more distinct words are left out.
  static constexpr size_t kMaxWordsOfDocument = size_t{1} << 16;
  // Kept at most: documents, and distinct words of them together.
  struct Limits {
    size_t documents = kMaxDocuments;
    size_t words = kMaxWords;
    bool counts = false;  // whether the counts of words are kept, too
    bool operator==(const Limits&) const = default;
  };

  DocumentSample() = default;
  explicit DocumentSample(Limits limits) : limits_(limits) {}

  void Offer(uint64_t minibatch, const Documents& documents);
  // Forgets the documents of all other minibatches.
  void KeepOnly(const IdSet& minibatches);

  const Limits& limits() const { return limits_; }
  size_t size() const { return documents_.size(); }
  // The word ids of each document, ascending.
  void ForEach(const std::function<void(std::span<const uint32_t> words)>& visit) const;
  // With their counts, in the order in which they came. Needs Limits::counts.
  Documents InOrder() const;

  // As printable text. Deserialize, with the same limits, throws InputError.
  std::string Serialize() const;
  static DocumentSample Deserialize(std::string_view text, Limits limits);
  static DocumentSample Deserialize(std::string_view text) { return Deserialize(text, {}); }

  bool operator==(const DocumentSample&) const = default;

 private:
  // The random number, and whose it is.
  using Place = std::tuple<uint64_t, uint64_t, uint64_t>;
  static Place PlaceOf(uint64_t minibatch, uint64_t index);
  struct Words {
    std::vector<uint32_t> ids;
    std::vector<uint32_t> counts;  // one for each, if they are kept
    bool operator==(const Words&) const = default;
  };
  void Insert(const Place& place, Words words);

  Limits limits_;
  std::map<Place, Words> documents_;
  size_t words_ = 0;               // in them
  uint64_t below_ = ~uint64_t{0};  // documents with this random number or a larger one do not fit
};

// How well the top words of each topic go together in documents: the mean over pairs of the top
// words of the normalised pointwise mutual information,
//
//   npmi(v, w) = log(p(v, w) / (p(v) p(w))) / -log p(v, w),
//
// p being the share of the sampled documents that have the word, or both. It is 1 for words that
// only come together, 0 for independent ones, -1 for words that never do.
struct TopicCoherence {
  uint64_t words = 0;        // top words of each topic
  uint64_t documents = 0;    // in the sample
  bool all_sampled = true;   // the sample is of all documents learnt from, not of later ones alone
  std::vector<double> npmi;  // by topic; NaN if no two of its top words are in the sample
};

inline constexpr size_t kCoherenceWords = 10;

// Pairs with a word that no sampled document has are left out.
TopicCoherence MeasureCoherence(const KeyedRows& posterior, const DocumentSample& sample,
                                size_t words = kCoherenceWords);

}  // namespace sda

#endif  // SDA_COHERENCE_H_
