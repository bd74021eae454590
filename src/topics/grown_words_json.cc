#include "topics/grown_words_json.h"

#include <utility>

#include "base/strict_json.h"
#include "sda/errors.h"

namespace sda {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

// visit(key, number) for each.
template <class Accounts, class Visit>
void ForEachAccount(Accounts& accounts, const Visit& visit) {
  visit("learnt_tokens", accounts.tokens.learnt);
  visit("waiting_tokens", accounts.tokens.waiting);
  visit("left_tokens", accounts.tokens.left);
  visit("words_left", accounts.words_left);
  visit("collisions", accounts.collisions);
}

}  // namespace

ordered_json AccountsToJson(const WordLedger::Accounts& accounts) {
  ordered_json out;
  ForEachAccount(accounts, [&](const char* key, uint64_t number) { out[key] = number; });
  return out;
}

json GrownWordsToJson(const GrownWords& words) {
  json out;
  ForEachAccount(words.accounts, [&](const char* key, uint64_t number) { out[key] = number; });
  out["bar"] = words.accounts.bar;
  out["admitted"] = words.accounts.next;
  out["frequent"] = words.frequent;
  json numbers = json::array(), tokens = json::array(), waited = json::array();
  for (const WordLedger::Word& word : words.words) {
    numbers.push_back(word.number);
    tokens.push_back(word.tokens);
    waited.push_back(word.waited);
  }
  out["numbers"] = std::move(numbers);
  out["tokens"] = std::move(tokens);
  out["waited"] = std::move(waited);
  return out;
}

GrownWords GrownWordsFromJson(const json& in, const std::vector<std::string>& vocabulary) {
  GrownWords words;
  std::vector<uint32_t> numbers;
  std::vector<uint64_t> tokens, waited;
  ForEachAccount(words.accounts,
                 [&](const char* key, uint64_t& number) { ReadStrictly(in.at(key), &number); });
  ReadStrictly(in.at("bar"), &words.accounts.bar);
  ReadStrictly(in.at("admitted"), &words.accounts.next);
  words.frequent = in.at("frequent").get<std::vector<std::string>>();
  ReadStrictly(in.at("numbers"), &numbers);
  ReadStrictly(in.at("tokens"), &tokens);
  ReadStrictly(in.at("waited"), &waited);
  if (numbers.size() != vocabulary.size() || tokens.size() != vocabulary.size() ||
      waited.size() != vocabulary.size()) {
    throw InputError("its words and its vocabulary do not go together");
  }
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    words.words.push_back(
        {WordKey(vocabulary[i]), vocabulary[i], numbers[i], tokens[i], waited[i]});
  }
  // Is there such a ledger?
  static_cast<void>(WordLedger({.documents = 1, .words = 1}, words.accounts, words.words));
  return words;
}

}  // namespace sda
