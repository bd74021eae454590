#ifndef SDA_DATA_TEXT_PHRASES_H_
#define SDA_DATA_TEXT_PHRASES_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/seeded_hash.h"
#include "data/text/word_table.h"

namespace sda {

// Pairs of words that are one: "new york". In lists of words an empty one stands where those beside
// it are not neighbours in the text.

// Chooses pairs from the first documents: those that are together often enough, and much more often
// than their words alone would be. The measure is the normalized pointwise mutual information,
//   log(p(a b) / (p(a) p(b))) / -log p(a b),
// which is 0 for words that know nothing of each other and 1 for those that are always together.
class PhraseChoice {
 public:
  static constexpr double kLeastAssociation = 0.5;

  PhraseChoice();

  // The words of one document, in order.
  void Add(std::span<const std::string_view> document);

  // As words with a blank in them, in alphabetical order.
  std::vector<std::string> Choose() const;

 private:
  WordTable words_;
  std::vector<uint64_t> count_;                               // of each
  std::unordered_map<uint64_t, uint32_t, SeededHash> pairs_;  // by the numbers of both words
  uint64_t tokens_ = 0;
  uint64_t documents_ = 0;
  size_t most_pairs_;  // before those met only once are forgotten
};

// Joins them in texts.
class Phrases {
 public:
  // Those among these words that have a blank in them.
  explicit Phrases(std::span<const std::string> vocabulary);

  // The words in order, those that make a phrase as one: from left to right, each word in one
  // phrase at most. Without the empty ones; valid until the next call.
  const std::vector<std::string_view>& Join(std::span<const std::string_view> words);

 private:
  WordTable firsts_;  // words that a phrase begins with
  WordTable phrases_;
  std::string pair_;
  std::vector<std::string_view> joined_;
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_PHRASES_H_
