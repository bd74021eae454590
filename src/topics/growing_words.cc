#include "topics/growing_words.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "sda/errors.h"

namespace sda {
namespace {

constexpr uint64_t kDocuments = 5;  // as words of a large corpus are chosen

// The place in the ledger of each word of the dictionary, or kNone.
std::vector<size_t> PlacesOf(const std::vector<std::string>& dictionary, const WordLedger& ledger) {
  std::vector<size_t> places;
  places.reserve(dictionary.size());
  for (const std::string& text : dictionary) {
    const size_t index = ledger.Find(WordKey(text), text);
    places.push_back(index == WordLedger::kNone ? index : ledger.PlaceOf(index));
  }
  return places;
}

void ExpectDictionary(const Documents& documents) {
  for (const uint32_t word : documents.words) {
    if (word >= documents.dictionary.size()) {
      throw std::logic_error("documents of a vocabulary that grows do not have their words");
    }
  }
}

}  // namespace

WordLimits WordLimitsOf(const TopicOptions& options) {
  return {.documents = options.min_df > 0 ? options.min_df : kDocuments,
          .words = options.max_vocab};
}

KeyedRows::Selection KeysOf(const Documents& documents) {
  KeyedRows::Selection selection;
  selection.everything = false;
  for (const std::string& text : documents.dictionary) selection.keys.push_back(WordKey(text));
  std::sort(selection.keys.begin(), selection.keys.end());
  selection.keys.erase(std::unique(selection.keys.begin(), selection.keys.end()),
                       selection.keys.end());
  return selection;
}

Documents AmongWords(const Documents& documents, const WordLedger& ledger) {
  ExpectDictionary(documents);
  const std::vector<size_t> places = PlacesOf(documents.dictionary, ledger);
  Documents known;
  known.numbers = documents.numbers;
  known.ids = documents.ids;
  known.times = documents.times;
  std::vector<std::pair<uint32_t, uint32_t>> entries;
  for (size_t d = 0; d < documents.size(); ++d) {
    entries.clear();
    for (uint64_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
      const size_t place = places[documents.words[i]];
      if (place == WordLedger::kNone) continue;
      entries.emplace_back(static_cast<uint32_t>(place), documents.counts[i]);
    }
    std::sort(entries.begin(), entries.end());
    for (const auto& [word, count] : entries) {
      known.words.push_back(word);
      known.counts.push_back(count);
    }
    known.offsets.push_back(known.words.size());
  }
  return known;
}

void KeyByPlace(KeyedRows* rows) {
  const WordLedger& ledger = *rows->words();
  rows->MapKeys([&](uint64_t key) { return ledger.PlaceOf(ledger.Find(key)); });
  rows->ForgetWords();
}

void KeyByPlace(const std::vector<WordLedger::Word>& words, KeyedRows* rows) {
  rows->MapKeys([&](uint64_t number) {
    const auto found = std::lower_bound(
        words.begin(), words.end(), number,
        [](const WordLedger::Word& word, uint64_t other) { return word.number < other; });
    return static_cast<uint64_t>(found - words.begin());
  });
  rows->ForgetWords();
}

WordChanges WordChangesOf(const Documents& documents, const WordLedger& ledger) {
  ExpectDictionary(documents);
  const size_t words = documents.dictionary.size();
  std::vector<uint64_t> tokens(words);
  std::vector<uint64_t> having(words);
  for (size_t i = 0; i < documents.words.size(); ++i) {
    tokens[documents.words[i]] += documents.counts[i];
    ++having[documents.words[i]];
  }
  WordChanges changes;
  for (size_t w = 0; w < words; ++w) {
    if (tokens[w] == 0) continue;  // of a document that is held out
    const std::string& text = documents.dictionary[w];
    const uint64_t key = WordKey(text);
    const size_t place = ledger.Find(key, text);
    if (place == WordLedger::kNone) {
      changes.waiting.push_back({text, having[w], tokens[w]});
    } else {
      changes.learnt.push_back({key, ledger.words()[place].number, tokens[w]});
    }
  }
  return changes;
}

void NumberByAdmission(const WordLedger& ledger, Documents* documents) {
  std::vector<uint32_t> numbers(ledger.size());
  for (size_t i = 0; i < ledger.words().size(); ++i) {
    numbers[ledger.PlaceOf(i)] = ledger.words()[i].number;
  }
  for (uint32_t& word : documents->words) word = numbers[word];
}

GrownWords GrownWordsOf(const WordLedger& ledger) {
  GrownWords words;
  words.accounts = ledger.accounts();
  words.words = ledger.words();
  return words;
}

WordLedger LedgerOf(const TopicModel& model) {
  const WordLimits limits = WordLimitsOf(model.options);
  if (model.words) {
    if (TextsOf(model.words->words) != model.vocabulary) {
      throw InputError("the words of the model and its vocabulary do not go together");
    }
    return WordLedger(limits, model.words->accounts, model.words->words);
  }
  WordLedger::Accounts accounts;
  std::vector<WordLedger::Word> words;
  for (const std::string& text : model.vocabulary) {
    const auto row = model.posterior.At(words.size());
    double mass = 0;
    for (size_t k = 0; k < row.size(); ++k) mass += row[k] - model.posterior.default_row()[k];
    const auto tokens = static_cast<uint64_t>(std::llround(std::max(0.0, mass)));
    words.push_back({WordKey(text), text, static_cast<uint32_t>(words.size()), tokens, 0});
    accounts.tokens.learnt += tokens;
    ++accounts.next;
  }
  accounts.tokens.left = model.tokens - std::min(model.tokens, accounts.tokens.learnt);
  return WordLedger(limits, accounts, std::move(words));
}

std::vector<std::string> TextsOf(const std::vector<WordLedger::Word>& words) {
  std::vector<std::string> texts;
  texts.reserve(words.size());
  for (const WordLedger::Word& word : words) texts.push_back(word.text);
  return texts;
}

}  // namespace sda
