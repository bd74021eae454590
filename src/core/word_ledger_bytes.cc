// A ledger of words as bytes, for checkpoints: whole numbers as varints, texts after their lengths.

#include <stdexcept>
#include <utility>

#include "base/varint.h"
#include "sda/errors.h"
#include "sda/word_ledger.h"

namespace sda {
namespace {

uint64_t TakeNumber(std::string_view* bytes, uint64_t most = UINT64_MAX) {
  const auto number = TakeVarint(bytes);
  if (!number) throw InputError("a ledger of words is cut off");
  if (*number > most) throw InputError("a ledger of words has a number that cannot be");
  return *number;
}

// What follows one another in either direction.
template <class Accounts, class Visit>
void ForEachAccount(Accounts& accounts, const Visit& visit) {
  visit(accounts.tokens.learnt);
  visit(accounts.tokens.waiting);
  visit(accounts.tokens.left);
  visit(accounts.collisions);
  visit(accounts.words_left);
  visit(accounts.bar);
  visit(accounts.next);
}

constexpr uint64_t kMostWords = UINT32_MAX;

}  // namespace

std::string WordLedger::Serialize() const {
  if (!waiting_) throw std::logic_error("a part of a ledger of words is not stored");
  std::string bytes;
  const auto put = [&bytes](uint64_t number) { PutVarint(number, &bytes); };
  put(limits_.documents);
  put(limits_.words);
  ForEachAccount(accounts_, put);
  put(words_.size());
  for (const Word& word : words_) {
    put(word.text.size());
    bytes += word.text;
    put(word.number);
    put(word.tokens);
    put(word.waited);
  }
  waiting_->AppendTo(&bytes);
  return bytes;
}

WordLedger WordLedger::Deserialize(std::string_view bytes) {
  const auto take = [&bytes](uint64_t most = UINT64_MAX) { return TakeNumber(&bytes, most); };
  WordLimits limits;
  limits.documents = take();
  limits.words = take(kMostWords);
  Accounts accounts;
  ForEachAccount(accounts, [&](uint64_t& account) { account = take(); });
  const uint64_t count = take();
  constexpr uint64_t kLeastBytes = 4;  // of a word
  if (count > bytes.size() / kLeastBytes) throw InputError("a ledger of words is cut off");
  std::vector<Word> words;
  words.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    Word word;
    const uint64_t length = take();
    if (length > bytes.size()) throw InputError("a ledger of words is cut off");
    word.text = bytes.substr(0, length);
    bytes.remove_prefix(length);
    word.key = WordKey(word.text);
    word.number = static_cast<uint32_t>(take(kMostWords));
    word.tokens = take();
    word.waited = take();
    words.push_back(std::move(word));
  }
  WordSketch waiting = WordSketch::Take(&bytes);
  if (!bytes.empty()) throw InputError("a ledger of words has bytes to spare");
  // Not made for its limits, which are those of a ledger that may be damaged.
  WordLedger ledger(WordLimits{.documents = limits.documents, .words = 0}, accounts,
                    std::move(words));
  ledger.limits_ = limits;
  ledger.waiting_ = std::move(waiting);
  return ledger;
}

}  // namespace sda
