#include "sda/word_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "sda/errors.h"
#include "sda/keyed_rows.h"
#include "sda/word_sketch.h"

namespace sda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

std::vector<std::string> TextsOf(const WordLedger& ledger) {
  std::vector<std::string> texts;
  for (const WordLedger::Word& word : ledger.words()) texts.push_back(word.text);
  return texts;
}

WordChanges Waiting(std::vector<WordChanges::Waiting> words) { return {{}, std::move(words)}; }

WordChanges::Learnt Learnt(const WordLedger& ledger, const std::string& text, uint64_t tokens) {
  const uint64_t key = WordKey(text);
  return {key, ledger.words()[ledger.Find(key, text)].number, tokens};
}

// Two words that FNV-1a, and so WordKey(), cannot tell apart.
constexpr const char* kOne = "8yn0iYCKYHlIj4-BwPqk";
constexpr const char* kOther = "GReLUrM4wMqfg9yzV3KQ";

TEST(WordKey, IsTheSameEverywhereAndForEver) {
  EXPECT_EQ(WordKey(""), 0xf52a15e9a9b5e89bu);
  EXPECT_EQ(WordKey("topic"), 0x140f79ea5f113a49u);
  EXPECT_EQ(WordKey("\xc3\xbc"
                    "ber"),
            0x3cff78364355f1a2u);
  EXPECT_EQ(WordKey(kOne), WordKey(kOther));
}

TEST(WordSketch, CountsFewKeysExactlyAndNoneTooLow) {
  WordSketch sketch;
  std::vector<uint64_t> counts(20'000);
  std::mt19937_64 random(1);
  for (int i = 0; i < 60'000; ++i) {
    const uint64_t key = random() % counts.size();
    ++counts[key];
    sketch.Add(key, 1);
  }
  uint64_t above = 0;
  for (uint64_t key = 0; key < counts.size(); ++key) {
    ASSERT_GE(sketch.Count(key), counts[key]);
    above += sketch.Count(key) - counts[key];
  }
  EXPECT_GT(above, 0u);  // 20,000 keys do not fit
  // The bound is that of a plain sketch; updates that are conservative are far better.
  EXPECT_LT(above / counts.size(), 60'000 / sketch.width());

  WordSketch few;
  for (uint64_t key = 0; key < 100; ++key) EXPECT_EQ(few.Add(key, key + 1), key + 1);
}

TEST(WordSketch, DoesNotOverflow) {
  WordSketch sketch;
  EXPECT_EQ(sketch.Add(7, uint64_t{1} << 40), UINT32_MAX);
  EXPECT_EQ(sketch.Add(7, 1), UINT32_MAX);
}

TEST(WordSketch, IsReadAsItWasWritten) {
  WordSketch sketch(1 << 13);
  for (uint64_t key = 0; key < 5000; ++key) sketch.Add(key * key, key % 300);
  std::string bytes;
  sketch.AppendTo(&bytes);
  std::string_view rest = bytes;
  EXPECT_EQ(WordSketch::Take(&rest), sketch);
  EXPECT_THAT(rest, IsEmpty());
}

TEST(WordLedger, AWordEntersWithTheDocumentThatCompletesItsNumber) {
  WordLedger ledger({.documents = 3, .words = 10}, {"alpha", "beta"});
  ledger.Fold(Waiting({{"new", 2, 5}, {"rare", 1, 1}}));
  EXPECT_THAT(TextsOf(ledger), ElementsAre("alpha", "beta"));
  ledger.Fold(Waiting({{"rare", 1, 1}, {"new", 1, 2}}));
  EXPECT_THAT(TextsOf(ledger), ElementsAre("alpha", "beta", "new"));
  EXPECT_EQ(ledger.words()[2].number, 2u);
  EXPECT_EQ(ledger.words()[2].waited, 3u);
  EXPECT_EQ(ledger.accounts().tokens, (WordTokens{.learnt = 0, .waiting = 9, .left = 0}));
}

TEST(WordLedger, WordsEnterInTheOrderOfTheirFirstOccurrence) {
  WordLedger ledger({.documents = 1, .words = 10});
  ledger.Fold(Waiting({{"zebra", 1, 1}, {"apple", 9, 9}, {"mango", 2, 3}}));
  EXPECT_THAT(TextsOf(ledger), ElementsAre("zebra", "apple", "mango"));
}

TEST(WordLedger, TwoWorkersThatMeetOneNewWordAdmitItOnce) {
  WordLedger ledger({.documents = 2, .words = 10});
  const WordChanges both = Waiting({{"new", 2, 4}});
  ledger.Fold(both);
  ledger.Fold(both);  // of a worker that did not know yet
  EXPECT_THAT(TextsOf(ledger), ElementsAre("new"));
  EXPECT_EQ(ledger.accounts().tokens.waiting, 8u);
  EXPECT_EQ(ledger.accounts().collisions, 0u);
}

TEST(WordLedger, OfTwoWordsWithOneKeyTheFirstIsAdmittedAndTheOtherCounted) {
  WordLedger ledger({.documents = 1, .words = 10});
  ledger.Fold(Waiting({{kOne, 1, 2}, {kOther, 1, 3}}));
  EXPECT_THAT(TextsOf(ledger), ElementsAre(kOne));
  EXPECT_EQ(ledger.accounts().collisions, 1u);
  ledger.Fold(Waiting({{kOther, 5, 7}}));
  EXPECT_THAT(TextsOf(ledger), ElementsAre(kOne));
  EXPECT_EQ(ledger.accounts().collisions, 2u);
  EXPECT_EQ(ledger.accounts().tokens.waiting, 12u);
  EXPECT_EQ(ledger.Find(WordKey(kOther), kOther), WordLedger::kNone);
}

TEST(WordLedger, TheWordsOfLeastExpectedMassLeave) {
  WordLedger ledger({.documents = 2, .words = 10});
  std::vector<WordChanges::Waiting> words;
  for (char c = 'a'; c <= 'k'; ++c) words.push_back({std::string(1, c), 2, 2});
  ledger.Fold(Waiting(words));
  const WordChanges learnt{{Learnt(ledger, "a", 1), Learnt(ledger, "d", 30)}, {}};
  ledger.Fold(learnt);
  // All have waited for 2 documents, and the first ones stay of those that have learnt nothing.
  const auto mass = [&](uint64_t key) { return key == WordKey("d") ? 30 : key == WordKey("a"); };
  const auto left = ledger.Leave(mass);
  EXPECT_THAT(left, ElementsAre(WordKey("j"), WordKey("k")));
  EXPECT_EQ(ledger.size(), 9u);
  EXPECT_EQ(ledger.accounts().words_left, 2u);
  EXPECT_EQ(ledger.Threshold(), 2u);
  EXPECT_THAT(ledger.Leave(mass), IsEmpty());
}

TEST(WordLedger, WhatIsLearntOfAWordThatLeftMeanwhileCountsAsLeft) {
  WordLedger ledger({.documents = 1, .words = 1}, {"old"});
  const WordChanges of_old{{Learnt(ledger, "old", 4)}, {}};
  EXPECT_THAT(ledger.Fold(of_old), IsEmpty());
  ledger.Fold(Waiting({{"new", 50, 60}}));
  EXPECT_THAT(ledger.Leave([](uint64_t key) { return key == WordKey("old") ? 4.0 : 0.0; }),
              ElementsAre(WordKey("old")));
  EXPECT_EQ(ledger.accounts().tokens, (WordTokens{.learnt = 0, .waiting = 60, .left = 4}));
  EXPECT_THAT(ledger.Fold(of_old), ElementsAre(WordKey("old")));
  EXPECT_EQ(ledger.accounts().tokens, (WordTokens{.learnt = 0, .waiting = 60, .left = 8}));
}

TEST(WordLedger, AWordThatCameBackIsAnotherOne) {
  WordLedger ledger({.documents = 1, .words = 1}, {"old"});
  const WordChanges of_old{{Learnt(ledger, "old", 4)}, {}};
  ledger.Fold(Waiting({{"new", 9, 9}}));
  ledger.Leave([](uint64_t) { return 0.0; });
  ledger.Fold(Waiting({{"old", 90, 90}}));
  ledger.Leave([](uint64_t) { return 0.0; });
  ASSERT_THAT(TextsOf(ledger), ElementsAre("old"));
  EXPECT_EQ(ledger.words()[0].number, 2u);
  EXPECT_THAT(ledger.Fold(of_old), ElementsAre(WordKey("old")));
  EXPECT_EQ(ledger.accounts().tokens, (WordTokens{.learnt = 0, .waiting = 99, .left = 4}));
}

TEST(WordLedger, APartKnowsTheSizeOfTheWhole) {
  const WordLedger ledger({.documents = 1, .words = 10}, {"a", "b", "c", "d"});
  const WordLedger part = ledger.Part({WordKey("d"), WordKey("x"), WordKey("b"), WordKey("d")});
  EXPECT_EQ(part.size(), 4u);
  EXPECT_THAT(TextsOf(part), ElementsAre("b", "d"));
  EXPECT_EQ(part.Find(WordKey("d"), "d"), 1u);
  EXPECT_EQ(part.Find(WordKey("a")), WordLedger::kNone);
  EXPECT_EQ(part.PlaceOf(1), 3u);
  EXPECT_EQ(part.IndexOf(3), 1u);
  EXPECT_EQ(part.Part({WordKey("d")}).PlaceOf(0), 3u);
  EXPECT_THROW(static_cast<void>(part.Serialize()), std::logic_error);
}

// A posterior over a Zipf stream, folded with changes that are some snapshots old.
struct Stream {
  explicit Stream(WordLimits limits) : rows({0.5, 0.5}) { rows.SetWords(WordLedger(limits)); }

  WordChanges Minibatch(const WordLedger& words) {
    std::map<uint64_t, uint64_t> bag;
    for (int i = 0; i < 400; ++i) {
      const double u = std::uniform_real_distribution<>(0, 1)(random);
      ++bag[static_cast<uint64_t>(std::pow(20'000.0, u)) - 1];
    }
    WordChanges changes;
    for (const auto& [word, tokens] : bag) {
      const std::string text = "w" + std::to_string(word);
      const size_t place = words.Find(WordKey(text), text);
      folded += tokens;
      if (place == WordLedger::kNone) {
        changes.waiting.push_back({text, 1, tokens});
      } else {
        changes.learnt.push_back({WordKey(text), words.words()[place].number, tokens});
      }
    }
    return changes;
  }
  KeyedRows Change(WordChanges words) const {
    KeyedRows change({0, 0});
    for (const auto& word : words.learnt) {
      const auto tokens = static_cast<double>(word.tokens);
      change.Set(word.key, std::vector<double>{0.3 * tokens, 0.7 * tokens});
    }
    change.SetWordChanges(std::move(words));
    return change;
  }
  double Mass() const { return rows.totals()[0] + rows.totals()[1]; }

  KeyedRows rows;
  std::mt19937_64 random{3};
  uint64_t folded = 0;
};

TEST(WordLedger, TokensAddUpExactlyAndTheMassIsWhatIsLearnt) {
  Stream stream({.documents = 3, .words = 200});
  std::vector<KeyedRows> pending;
  for (int i = 0; i < 2000; ++i) {
    pending.push_back(stream.Change(stream.Minibatch(*stream.rows.words())));
    if (pending.size() < 4) continue;  // late: words left since
    for (const KeyedRows& change : pending) stream.rows += change;
    pending.clear();
    const WordLedger::Accounts& accounts = stream.rows.words()->accounts();
    ASSERT_EQ(accounts.tokens.all(), stream.folded);
    ASSERT_NEAR(stream.Mass(), accounts.tokens.learnt, 1e-9 * accounts.tokens.all());
    ASSERT_LE(stream.rows.words()->size(), 200u);
    ASSERT_LE(stream.rows.rows(), 200u);
  }
  const WordLedger& words = *stream.rows.words();
  EXPECT_GT(words.accounts().words_left, 20u);
  EXPECT_GT(words.accounts().tokens.left, 0u);
  // Those that are there are the most frequent ones, nearly.
  uint64_t frequent = 0;
  for (const WordLedger::Word& word : words.words())
    frequent += std::stoi(word.text.substr(1)) < 250;
  EXPECT_GT(frequent, 0.95 * words.size());
}

TEST(WordLedger, ResumesFromBytesToTheLastBit) {
  Stream stream({.documents = 2, .words = 100});
  for (int i = 0; i < 100; ++i) {
    stream.rows += stream.Change(stream.Minibatch(*stream.rows.words()));
  }
  KeyedRows resumed = KeyedRows::Deserialize(stream.rows.Serialize());
  ASSERT_NE(resumed.words(), nullptr);
  EXPECT_EQ(*resumed.words(), *stream.rows.words());
  for (int i = 0; i < 100; ++i) {
    const KeyedRows change = stream.Change(stream.Minibatch(*stream.rows.words()));
    stream.rows += change;
    resumed += change;
  }
  EXPECT_TRUE(resumed.Serialize() == stream.rows.Serialize());
}

TEST(WordLedger, TheRowsOfOneThatLeavesAreRemovedWithTheirVariances) {
  KeyedRows rows({1.0});
  rows.SetWords(WordLedger({.documents = 1, .words = 1}, {"old"}));
  KeyedRows change({0.0});
  change.Set(WordKey("old"), std::vector<double>{2});
  KeyedRows variances({0.0});
  variances.Set(WordKey("old"), std::vector<double>{0.5});
  change.SetVariances(RowVariances(variances));
  change.SetWordChanges({{{WordKey("old"), 0, 2}}, {{"new", 9, 9}}});
  rows += change;
  EXPECT_EQ(rows.rows(), 0u);
  EXPECT_THAT(rows.At(WordKey("old")), ElementsAre(1.0));
  EXPECT_THAT(rows.totals(), ElementsAre(0.0));
  EXPECT_THAT(rows.variances().At(WordKey("old")), IsEmpty());
  EXPECT_THAT(TextsOf(*rows.words()), ElementsAre("new"));
}

TEST(WordLedger, BytesThatAreNoLedgerAreRefused) {
  Stream stream({.documents = 2, .words = 30});
  for (int i = 0; i < 30; ++i) {
    stream.rows += stream.Change(stream.Minibatch(*stream.rows.words()));
  }
  const std::string bytes = stream.rows.words()->Serialize();
  ASSERT_EQ(WordLedger::Deserialize(bytes), *stream.rows.words());
  for (size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_THROW(WordLedger::Deserialize(bytes.substr(0, size)), InputError) << size;
  }
  EXPECT_THAT([&] { WordLedger::Deserialize(bytes + "x"); },
              ThrowsMessage<InputError>(HasSubstr("bytes to spare")));
  // Damaged bytes are refused, or are a ledger that can be: never anything else.
  std::mt19937_64 random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = bytes;
    damaged[random() % std::min<size_t>(damaged.size(), 600)] ^= 1 << random() % 8;
    try {
      const WordLedger ledger = WordLedger::Deserialize(damaged);
      uint64_t tokens = 0;
      for (const auto& word : ledger.words()) tokens += word.tokens;
      EXPECT_EQ(tokens, ledger.accounts().tokens.learnt);
    } catch (const InputError&) {
    }
  }
}

TEST(WordLedger, AccountsThatDoNotAddUpAreRefused) {
  const std::vector<WordLedger::Word> words = {{WordKey("a"), "a", 0, 3, 0},
                                               {WordKey("b"), "b", 2, 4, 0}};
  const auto make = [&](const WordLedger::Accounts& accounts) { WordLedger({}, accounts, words); };
  WordLedger::Accounts right{.tokens = {.learnt = 7}, .words_left = 1, .next = 3};
  EXPECT_NO_THROW(make(right));
  WordLedger::Accounts wrong = right;
  wrong.tokens.learnt = 8;
  EXPECT_THAT([&] { make(wrong); }, ThrowsMessage<InputError>(HasSubstr("do not add up")));
  wrong = right;
  wrong.next = 2;
  EXPECT_THROW(make(wrong), InputError);
  wrong = right;
  wrong.words_left = 0;
  EXPECT_THROW(make(wrong), InputError);
}

}  // namespace
}  // namespace sda
