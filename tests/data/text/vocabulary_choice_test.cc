#include "data/text/vocabulary_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sda/errors.h"

namespace sda {
namespace {

using ::testing::ElementsAre;

using Words = std::vector<std::string_view>;

std::vector<std::string> NamesOf(const VocabularyChoice& choice,
                                 std::span<const uint32_t> numbers) {
  std::vector<std::string> names;
  for (const uint32_t number : numbers) names.emplace_back(choice.words().word(number));
  return names;
}

TEST(VocabularyChoice, ADocumentsWordsAreNumberedWithoutStopWords) {
  const std::vector<std::string> stop_words = {"the"};
  const CorpusOptions options;
  VocabularyChoice choice(stop_words, options);
  EXPECT_THAT(NamesOf(choice, choice.Add(Words{"sea", "the", "fish", "sea"})),
              ElementsAre("sea", "sea", "fish"));
  EXPECT_THAT(NamesOf(choice, choice.Add(Words{"ship", "fish"})), ElementsAre("fish", "ship"));
  EXPECT_EQ(choice.documents(), 2u);
}

TEST(VocabularyChoice, TheWordsOfMostDocumentsWinInAlphabeticalOrder) {
  CorpusOptions options;
  options.maximum_vocabulary = 2;
  VocabularyChoice choice({}, options);
  choice.Add(Words{"sea", "fish", "ship", "ship", "ship"});
  choice.Add(Words{"sea", "fish"});
  choice.Add(Words{"sea"});
  EXPECT_THAT(choice.Choose(), ElementsAre("fish", "sea")) << "documents count, not tokens";
}

TEST(VocabularyChoice, ADocumentThatDoesNotCountHasNoSay) {
  const CorpusOptions options;
  VocabularyChoice choice({}, options);
  choice.Add(Words{"sea"});
  EXPECT_THAT(NamesOf(choice, choice.Add(Words{"ship", "sea"}, false)), ElementsAre("sea", "ship"));
  EXPECT_EQ(choice.documents(), 1u);
  EXPECT_THAT(choice.Choose(), ElementsAre("sea"));
}

TEST(VocabularyChoice, WhatIsTooLongIsNoWord) {
  const CorpusOptions options;
  VocabularyChoice choice({}, options);
  const std::string longest(kMaxWordBytes, 'x');
  choice.Add(Words{"sea", longest, longest + "x"});
  EXPECT_THAT(choice.Choose(), ElementsAre("sea", longest));
}

TEST(VocabularyChoice, NoWordAtAllIsAnErrorOfInput) {
  const std::vector<std::string> stop_words = {"the"};
  const CorpusOptions options;
  VocabularyChoice choice(stop_words, options);
  choice.Add(Words{"the", "the"});
  EXPECT_THROW(choice.Choose(), InputError);
}

}  // namespace
}  // namespace sda
