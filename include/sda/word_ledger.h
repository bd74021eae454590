#ifndef SDA_WORD_LEDGER_H_
#define SDA_WORD_LEDGER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sda/export.h"
#include "sda/word_sketch.h"

namespace SDA_EXPORT sda {

// The number by which a word is known, on every machine and without asking anybody: the 64-bit
// FNV-1a hash of the bytes of its text (UTF-8), then the finaliser of splitmix64. docs/math.md says
// it in full; it never changes.
uint64_t WordKey(std::string_view text);

// What the documents of one minibatch say about words, given a ledger of the moment when they were
// learnt from: in order of first occurrence, each key once in either list.
struct WordChanges {
  // A word that was admitted: rows of a delta have what was learnt of it.
  struct Learnt {
    uint64_t key = 0;
    uint32_t number = 0;  // of its admission
    uint64_t tokens = 0;
  };
  // A word that was not.
  struct Waiting {
    std::string text;
    uint64_t documents = 0;  // that have it
    uint64_t tokens = 0;
  };
  std::vector<Learnt> learnt;
  std::vector<Waiting> waiting;
};

struct WordLimits {
  // A word enters when it has been in this number of documents,
  uint64_t documents = 5;
  // and when there are more words than this, those of least expected mass leave, until a tenth of
  // the places is free.
  uint64_t words = 10'000;

  bool operator==(const WordLimits&) const = default;
};

// Tokens of the documents folded, each of them in one of the three.
struct WordTokens {
  uint64_t learnt = 0;   // of words that are in the vocabulary now: the mass of the posterior
  uint64_t waiting = 0;  // of words that were not admitted when the documents came
  uint64_t left = 0;     // of words that left, and of what was learnt of them too late

  uint64_t all() const { return learnt + waiting + left; }
  bool operator==(const WordTokens&) const = default;
};

// The words of a posterior whose vocabulary grows: which there are, in the order in which they were
// admitted, and of those not admitted how many documents have them. The companion of rows that are
// keyed by WordKey(). Everything is decided when a delta is folded, so by the order of the deltas
// alone. Memory depends on the limits, not on how many words there are in the stream.
//
// Two words of one key cannot both be in it. The first to be admitted is; tokens of the other
// count as waiting, and each minibatch that has it as a collision.
class WordLedger {
 public:
  struct Word {
    uint64_t key = 0;
    std::string text;
    uint32_t number = 0;  // of its admission: 0, 1, ...; never given twice
    uint64_t tokens = 0;  // learnt
    uint64_t waited = 0;  // documents that had it before it was admitted
    bool operator==(const Word&) const = default;
  };
  struct Accounts {
    WordTokens tokens;
    uint64_t collisions = 0;
    uint64_t words_left = 0;
    uint64_t bar = 0;   // documents a word must have been in, if more than the limit
    uint64_t next = 0;  // admission
    bool operator==(const Accounts&) const = default;
  };
  static constexpr size_t kNone = ~size_t{0};

  // With these words, which are distinct, to begin with.
  explicit WordLedger(WordLimits limits, const std::vector<std::string>& first = {});
  // As an earlier one was, but for what it knew of words that wait. Throws InputError if there can
  // be no such ledger.
  WordLedger(WordLimits limits, const Accounts& accounts, std::vector<Word> words);

  // V, the words that are admitted. Of a part as well: those of the whole.
  uint64_t size() const { return size_; }
  // By index, in the order of admission; of a part only those that were selected.
  const std::vector<Word>& words() const { return words_; }
  // The index of a word, kNone if it is not admitted. By its key alone: whatever its text is.
  size_t Find(uint64_t key) const;
  size_t Find(uint64_t key, std::string_view text) const;

  // The index of a word in the whole: below size(). And back.
  size_t PlaceOf(size_t index) const { return places_.empty() ? index : places_[index]; }
  size_t IndexOf(size_t place) const;

  const WordLimits& limits() const { return limits_; }
  const Accounts& accounts() const { return accounts_; }
  // Documents that a word must have been in to enter now.
  uint64_t Threshold() const;

  // What a reader of these keys needs: those of them that are admitted, no sketch.
  WordLedger Part(const std::vector<uint64_t>& keys) const;

  // Folds what a minibatch says. Returns the keys of words that left since it was learnt from: what
  // was learnt of them must not be added to the rows.
  std::vector<uint64_t> Fold(const WordChanges& changes);
  // If there are too many words, those of least expected mass leave: of the tokens that mass()
  // says the rows have of it, and the documents it waited for. Returns the keys; their rows must
  // be removed.
  std::vector<uint64_t> Leave(const std::function<double(uint64_t key)>& mass);

  // Not of a part.
  std::string Serialize() const;
  static WordLedger Deserialize(std::string_view bytes);  // throws InputError

  bool operator==(const WordLedger& other) const;

 private:
  // Of the words of these indices, ascending.
  WordLedger(const WordLedger& whole, const std::vector<size_t>& selected);
  void Admit(uint64_t key, const std::string& text, uint64_t documents);
  void IndexWords();

  WordLimits limits_;
  Accounts accounts_;
  uint64_t size_ = 0;
  std::vector<Word> words_;
  struct Hash {
    size_t operator()(uint64_t key) const;
  };
  std::unordered_map<uint64_t, size_t, Hash> index_;  // by key
  std::vector<size_t> places_;                        // of a part
  std::optional<WordSketch> waiting_;                 // documents; not in a part
};

}  // namespace sda

#endif  // SDA_WORD_LEDGER_H_
