#include "cluster/worker/careful_primitive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sda/errors.h"

namespace sda::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint32_t kRefused = 9;  // a word

// Adds each word's count to its row; refuses documents with one word.
class Counting : public Primitive<Documents, KeyedRows> {
 public:
  explicit Counting(uint64_t most_tokens = 1'000'000) : most_tokens_(most_tokens) {}

  KeyedRows operator()(const Documents& documents, const KeyedRows& prior,
                       uint64_t key) const override {
    KeyedRows posterior = prior;
    posterior += Change(documents, prior, key);
    return posterior;
  }
  KeyedRows Change(const Documents& documents, const KeyedRows&, uint64_t) const override {
    ++calls;
    if (Tokens(documents) > most_tokens_) throw InputError("too many tokens");
    KeyedRows change(std::vector<double>(1));
    for (size_t i = 0; i < documents.words.size(); ++i) {
      if (documents.words[i] == kRefused) throw InputError("that word");
      change.Add(documents.words[i], std::vector<double>{double(documents.counts[i])});
    }
    return change;
  }

  mutable int calls = 0;

 private:
  const uint64_t most_tokens_;
};

// Documents of one word each.
Documents WithWords(const std::vector<uint32_t>& words) {
  Documents documents;
  for (const uint32_t word : words) {
    documents.words.push_back(word);
    documents.counts.push_back(1);
    documents.offsets.push_back(documents.words.size());
    documents.numbers.push_back(100 + documents.size());
  }
  return documents;
}

class CarefulPrimitiveTest : public testing::Test {
 protected:
  double Learnt(const Counting& counting, const std::vector<uint32_t>& words) {
    const KeyedRows prior(std::vector<double>{0.5});
    const CarefulPrimitive careful(&counting, &left_out_, Context(1));
    return careful.Change(WithWords(words), prior, 7).totals()[0];
  }
  std::vector<uint64_t> Numbers() const {
    std::vector<uint64_t> numbers;
    for (const LeftOut& document : left_out_) numbers.push_back(document.number);
    return numbers;
  }

  std::vector<LeftOut> left_out_;
};

TEST_F(CarefulPrimitiveTest, WhatIsNotRefusedIsLearntAsBefore) {
  const Counting counting;
  EXPECT_EQ(Learnt(counting, {1, 2, 3}), 3);
  EXPECT_EQ(counting.calls, 1);
  EXPECT_THAT(left_out_, IsEmpty());
}

TEST_F(CarefulPrimitiveTest, OnlyWhatIsRefusedIsLeftOut) {
  const Counting counting;
  EXPECT_EQ(Learnt(counting, {1, 2, kRefused, 3, 4, 5, kRefused, 1}), 6);
  EXPECT_THAT(Numbers(), ElementsAre(103, 107));
  EXPECT_EQ(left_out_[0].reason, "that word");
  EXPECT_EQ(left_out_[0].tokens, 1);
  EXPECT_EQ(Learnt(counting, {1, 2}), 2);  // the next minibatch begins anew
  EXPECT_THAT(left_out_, IsEmpty());
}

TEST_F(CarefulPrimitiveTest, WhatIsTooMuchTogetherIsLearntInParts) {
  const Counting counting(3);
  EXPECT_EQ(Learnt(counting, {1, 2, 3, 4, 5, 6, 7, 8}), 8);
  EXPECT_THAT(left_out_, IsEmpty());
}

TEST_F(CarefulPrimitiveTest, NothingButRefusedDocumentsTakeBoundedTime) {
  const Counting counting;
  const std::vector<uint32_t> words(5000, kRefused);
  EXPECT_EQ(Learnt(counting, words), 0);
  EXPECT_THAT(left_out_, SizeIs(5000));
  EXPECT_LT(counting.calls, 300);
}

TEST_F(CarefulPrimitiveTest, AScorerThatRefusesScoresNothing) {
  const KeyedRows prior(std::vector<double>{0.5});
  const auto scorer = CarefulScorer(
      [](const Minibatch<Documents>&, const KeyedRows&) -> Prediction { throw InputError("no"); });
  EXPECT_EQ(scorer({}, prior).tested, 0);
}

}  // namespace
}  // namespace sda::cluster
