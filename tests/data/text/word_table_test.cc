#include "data/text/word_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <ctime>

#include "data/text/phrases.h"
#include "sda/table.h"
#include "tests/base/prepared_keys.h"

namespace sda {
namespace {

// The hash that the table had before it was given a key, and the word of 8 letters that it maps to
// a number: anybody could compute words for the same slot.
constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
constexpr uint64_t kInverse = 0xf1de83e19937733d;  // modulo 2^64
static_assert(kFactor * kInverse == 1);

std::string WordWithUnkeyedHash(uint64_t hash) {
  for (int i = 0; i < 3; ++i) hash = (hash ^ (hash >> 32)) * kInverse;
  hash ^= 8;  // the length
  std::string word(8, '\0');
  std::memcpy(word.data(), &hash, 8);
  return word;
}

std::vector<std::string> HostileWords(size_t count) {
  std::vector<std::string> words;
  for (size_t i = 0; i < count; ++i) words.push_back(WordWithUnkeyedHash(uint64_t{i} << 32));
  return words;
}

double Seconds(const std::vector<std::string>& words) {
  const std::clock_t begin = std::clock();
  WordTable table;
  for (const std::string& word : words) table.Add(word);
  EXPECT_EQ(table.size(), words.size());
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(WordTable, WordsPreparedForOneSlotTakeNoLongerThanOthers) {
  constexpr size_t kWords = 40000;
  std::vector<std::string> ordinary;
  for (size_t i = 0; i < kWords; ++i) ordinary.push_back("word" + std::to_string(10000 + i));
  // They took 1,000 times as long.
  EXPECT_LT(Seconds(HostileWords(kWords)), 20 * Seconds(ordinary) + 0.1);
}

// Seconds to count so many pairs of words: of words with these numbers, as they came first.
double SecondsOfPairs(size_t words, const std::vector<std::pair<uint32_t, uint32_t>>& pairs) {
  std::vector<std::string> names;
  for (size_t i = 0; i < words; ++i) names.push_back("w" + std::to_string(i));
  std::vector<std::string_view> text;
  for (const std::string& name : names) text.insert(text.end(), {name, ""});
  PhraseChoice choice;
  choice.Add(text);
  text.clear();
  for (const auto& [a, b] : pairs) text.insert(text.end(), {names[a], names[b], ""});
  return SecondsOf([&] { choice.Add(text); });
}

TEST(PhraseChoice, PairsPreparedForOneSlotTakeNoLongerThanOthers) {
  constexpr size_t kPairs = 30000;
  constexpr uint32_t kWords = 80000;
  const uint64_t buckets = BucketsOf(kPairs);
  std::vector<std::pair<uint32_t, uint32_t>> prepared, ordinary;
  for (uint64_t a = 1; prepared.size() < kPairs && a < kWords; ++a) {
    // With a in the upper 32 bits, all pairs have the remainder 0.
    const uint64_t b = buckets - (a << 32) % buckets;
    if (b < kWords) prepared.emplace_back(a, b);
  }
  ASSERT_EQ(prepared.size(), kPairs);
  for (uint32_t a = 0; a < kPairs; ++a) ordinary.emplace_back(a, (a * 7919u) % kWords);
  EXPECT_LT(SecondsOfPairs(kWords, prepared), 20 * SecondsOfPairs(kWords, ordinary) + 0.1);
}

TEST(WordTable, NumbersDoNotDependOnTheKey) {
  std::vector<std::string> words = HostileWords(1000);
  for (size_t i = 0; i < 5000; ++i)
    words.push_back(std::string(i % 40, 'a') + std::to_string(i % 3000));
  WordTable one(SeededHash({1, 2, 3})), other(SeededHash({7, 0, ~uint64_t{0}})), usual;
  for (const std::string& word : words) {
    const uint32_t number = one.Add(word);
    EXPECT_EQ(other.Add(word), number);
    EXPECT_EQ(usual.Add(word), number);
    EXPECT_EQ(one.word(number), word);
  }
  EXPECT_EQ(one.Find("not there"), WordTable::kNone);
}

TEST(SeededHash, FollowsFromTheKeyAndEveryByte) {
  const SeededHash hash({1, 2, 3}), other({1, 2, 4});
  for (size_t size = 0; size < 40; ++size) {
    std::string text(size, 'x');
    EXPECT_EQ(hash(text), SeededHash({1, 2, 3})(text));
    EXPECT_NE(hash(text), other(text));
    EXPECT_NE(hash(text), hash(text + 'x'));
    for (size_t i = 0; i < size; ++i) {
      const uint64_t before = hash(text);
      text[i] = 'y';
      EXPECT_NE(hash(text), before) << i << " of " << size;
      text[i] = 'x';
    }
  }
}

TEST(SeededHash, OfANumberFollowsFromTheKeyAndEveryBit) {
  const SeededHash hash({1, 2, 3}), other({1, 2, 4});
  for (const uint64_t number : {uint64_t{0}, uint64_t{1}, uint64_t{12345}, ~uint64_t{0}}) {
    EXPECT_EQ(hash(number), SeededHash({1, 2, 3})(number));
    EXPECT_NE(hash(number), other(number));
    for (int bit = 0; bit < 64; ++bit) EXPECT_NE(hash(number), hash(number ^ uint64_t{1} << bit));
  }
}

TEST(Dictionary, NumbersNamesInTheOrderOfTheirArrival) {
  Dictionary dictionary;
  for (size_t i = 0; i < 1000; ++i) EXPECT_EQ(dictionary.NumberOf(std::to_string(i)), i);
  for (size_t i = 0; i < 1000; ++i) EXPECT_EQ(dictionary.NumberOf(std::to_string(i)), i);
}

}  // namespace
}  // namespace sda
