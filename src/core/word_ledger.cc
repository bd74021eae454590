#include "sda/word_ledger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/hash.h"
#include "base/seeded_hash.h"
#include "sda/errors.h"

namespace sda {
namespace {

constexpr uint64_t kMostAdmissions = std::numeric_limits<uint32_t>::max();

// Words that stay when some leave.
uint64_t Kept(const WordLimits& limits) { return limits.words - limits.words / 10; }

// Checks the words of another ledger, and says what is wrong with them.
void ExpectWords(const std::vector<WordLedger::Word>& words, const WordLedger::Accounts& accounts) {
  uint64_t next = 0;
  uint64_t tokens = 0;
  for (const WordLedger::Word& word : words) {
    if (word.key != WordKey(word.text)) throw InputError("a ledger of words has a wrong key");
    if (word.number < next) throw InputError("the words of a ledger are not in order");
    next = uint64_t{word.number} + 1;
    if (word.tokens > accounts.tokens.learnt - tokens) {
      throw InputError("the tokens of a ledger of words do not add up");
    }
    tokens += word.tokens;
  }
  if (tokens != accounts.tokens.learnt) {
    throw InputError("the tokens of a ledger of words do not add up");
  }
  if (next > accounts.next || accounts.next > kMostAdmissions ||
      accounts.words_left != accounts.next - words.size()) {
    throw InputError("the words of a ledger are not those admitted");
  }
}

}  // namespace

uint64_t WordKey(std::string_view text) { return SpreadBits(Fnv1a(text)); }

size_t WordLedger::Hash::operator()(uint64_t key) const {
  static const SeededHash hash;
  return hash(key);
}

WordLedger::WordLedger(WordLimits limits, const std::vector<std::string>& first)
    : limits_(limits), waiting_(WordSketch::For(limits.words)) {
  for (const std::string& text : first) {
    const uint64_t key = WordKey(text);
    if (index_.contains(key)) {
      ++accounts_.collisions;  // the later one waits for ever
      continue;
    }
    Admit(key, text, 0);
  }
}

WordLedger::WordLedger(WordLimits limits, const Accounts& accounts, std::vector<Word> words)
    : limits_(limits),
      accounts_(accounts),
      size_(words.size()),
      words_(std::move(words)),
      waiting_(WordSketch::For(limits.words)) {
  ExpectWords(words_, accounts_);
  IndexWords();
}

void WordLedger::IndexWords() {
  index_.clear();
  index_.reserve(words_.size());
  for (size_t i = 0; i < words_.size(); ++i) {
    if (!index_.emplace(words_[i].key, i).second) {
      throw InputError("a ledger of words has a word twice");
    }
  }
}

size_t WordLedger::Find(uint64_t key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? kNone : found->second;
}

size_t WordLedger::Find(uint64_t key, std::string_view text) const {
  const size_t found = Find(key);
  return found != kNone && words_[found].text == text ? found : kNone;
}

size_t WordLedger::IndexOf(size_t place) const {
  if (places_.empty()) return place;
  return std::lower_bound(places_.begin(), places_.end(), place) - places_.begin();
}

uint64_t WordLedger::Threshold() const { return std::max(limits_.documents, accounts_.bar); }

WordLedger WordLedger::Part(const std::vector<uint64_t>& keys) const {
  std::vector<size_t> found;
  for (const uint64_t key : keys) {
    const size_t index = Find(key);
    if (index != kNone) found.push_back(index);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return WordLedger(*this, found);
}

WordLedger::WordLedger(const WordLedger& whole, const std::vector<size_t>& selected)
    : limits_(whole.limits_), accounts_(whole.accounts_), size_(whole.size_) {
  for (const size_t index : selected) places_.push_back(whole.PlaceOf(index));
  words_.reserve(selected.size());
  for (const size_t index : selected) words_.push_back(whole.words_[index]);
  IndexWords();
}

void WordLedger::Admit(uint64_t key, const std::string& text, uint64_t documents) {
  index_.emplace(key, words_.size());
  words_.push_back({key, text, static_cast<uint32_t>(accounts_.next++), 0, documents});
  size_ = words_.size();
}

std::vector<uint64_t> WordLedger::Fold(const WordChanges& changes) {
  if (!waiting_) throw std::logic_error("a part of a ledger of words folds nothing");
  std::vector<uint64_t> left;
  for (const WordChanges::Learnt& word : changes.learnt) {
    const size_t index = Find(word.key);
    if (index != kNone && words_[index].number == word.number) {
      words_[index].tokens += word.tokens;
      accounts_.tokens.learnt += word.tokens;
    } else {
      left.push_back(word.key);
      accounts_.tokens.left += word.tokens;
    }
  }
  for (const WordChanges::Waiting& word : changes.waiting) {
    accounts_.tokens.waiting += word.tokens;
    const uint64_t key = WordKey(word.text);
    const size_t index = Find(key);
    if (index != kNone) {  // since; or another word has its key
      accounts_.collisions += words_[index].text != word.text;
      continue;
    }
    const uint64_t documents = waiting_->Add(key, word.documents);
    if (documents >= Threshold() && accounts_.next < kMostAdmissions) {
      Admit(key, word.text, documents);
    }
  }
  return left;
}

std::vector<uint64_t> WordLedger::Leave(const std::function<double(uint64_t key)>& mass) {
  if (words_.size() <= limits_.words) return {};
  std::vector<std::pair<double, size_t>> order;  // minus the mass; then the earlier ones stay
  order.reserve(words_.size());
  for (size_t i = 0; i < words_.size(); ++i) {
    order.emplace_back(-(mass(words_[i].key) + static_cast<double>(words_[i].waited)), i);
  }
  const auto first = order.begin() + static_cast<ptrdiff_t>(Kept(limits_));
  std::nth_element(order.begin(), first, order.end());
  const double heaviest = -first->first;
  accounts_.bar = heaviest > 0 ? static_cast<uint64_t>(std::ceil(std::min(heaviest, 0x1p32))) : 0;
  std::vector<bool> leaves(words_.size());
  for (auto i = first; i != order.end(); ++i) leaves[i->second] = true;
  std::vector<uint64_t> keys;
  std::vector<Word> kept;
  for (size_t i = 0; i < words_.size(); ++i) {
    if (!leaves[i]) {
      kept.push_back(std::move(words_[i]));
      continue;
    }
    keys.push_back(words_[i].key);
    accounts_.tokens.learnt -= words_[i].tokens;
    accounts_.tokens.left += words_[i].tokens;
    ++accounts_.words_left;
  }
  words_ = std::move(kept);
  size_ = words_.size();
  IndexWords();
  return keys;
}

bool WordLedger::operator==(const WordLedger& other) const {
  return limits_ == other.limits_ && accounts_ == other.accounts_ && size_ == other.size_ &&
         words_ == other.words_ && waiting_ == other.waiting_;
}

}  // namespace sda
