#include "data/text/text_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "data/text/first_texts.h"
#include "data/text/stop_words.h"
#include "sda/errors.h"

namespace sda {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string Stripped(const std::string& text, const std::string& names) {
  std::string buffer;
  return std::string(Strip(text, Markup::FromNames(names), &buffer));
}

std::vector<std::string> WordsOf(const std::string& text, const CorpusOptions& options) {
  TextWords words(options);
  std::vector<std::string> list;
  for (const std::string_view word : words.Split(text)) list.emplace_back(word);
  return list;
}

TEST(Strip, HtmlIsTagsCommentsScriptsAndEntities) {
  EXPECT_EQ(Stripped("<p class=\"a>b\">Salt &amp; pepper</p>", "html"), " Salt & pepper ");
  EXPECT_EQ(Stripped("a<!-- <b> no --><script>var x = '<p>';</script >b", "html"), "a  b");
  EXPECT_EQ(Stripped("Stra&szlig;e caf&eacute; &#233; &#x263a;&nbsp;&bogus;.", "html"),
            "Straße cafe\u0301 é ☺  .");
  EXPECT_EQ(Stripped("AT&T; a < b, 1<2 & <joe@example.org> <http://a.b>", "html"),
            "AT  a < b, 1<2 & <joe@example.org> <http://a.b>");
}

TEST(Strip, WhatIsNotClosedStays) {
  EXPECT_EQ(Stripped("a <b and then nothing", "html"), "a <b and then nothing");
  EXPECT_EQ(Stripped("a <!-- and then nothing", "html"), "a  ");
  EXPECT_EQ(Stripped("<", "html"), "<");
  EXPECT_EQ(Stripped("&", "html"), "&");
  EXPECT_EQ(Stripped("@", "emails"), "@");
}

TEST(Strip, WebAndMailAddresses) {
  EXPECT_EQ(Stripped("see https://a.org/b?c=d, (www.x.net) now", "urls"), "see   ( ) now");
  EXPECT_EQ(Stripped("the HTTP://A.ORG and whttp://no", "urls"), "the   and whttp://no");
  EXPECT_EQ(Stripped("from: joe.b@mail.example.org, to <a-b@c.de>.", "emails"), "from:  , to < >.");
  EXPECT_EQ(Stripped("5 @ 3 and a@b and @home", "emails"), "5 @ 3 and a@b and @home");
  EXPECT_EQ(Stripped("<a href='http://x.y'>x</a> a@b.cd http://u.v w", "html,urls,emails"),
            " x      w");
}

TEST(Strip, OtherNamesAreRefused) {
  EXPECT_THROW(Markup::FromNames("html,tables"), UsageError);
  EXPECT_EQ(Markup::FromNames("emails,html").Names(), "html,emails");
  EXPECT_FALSE(Markup::FromNames("").any());
}

TEST(MarkupIn, FindsWhatCanBeTakenOut) {
  EXPECT_EQ(MarkupIn("<p>Bread").Names(), "html");
  EXPECT_EQ(MarkupIn("a < b, see http://a.org or a@b.org").Names(), "urls,emails");
  EXPECT_EQ(MarkupIn("bread & butter, 3 < 4, @home").Names(), "");
  EXPECT_EQ(MarkupIn("TEXAS COMMERCE BANCSHARES <TCB> FILES PLAN").Names(), "");
  for (const char* html : {"a<BR>b", "</tcb>", "<tcb id=1>", "<!-- a -->", "<br/>", "<h1>"}) {
    EXPECT_EQ(MarkupIn(html).Names(), "html") << html;
  }
}

TEST(Stemmer, TakesEndingsOffAndLeavesStopWordsOut) {
  CorpusOptions options;
  options.stemmer = "english";
  EXPECT_THAT(WordsOf("The connected connections were connecting", options),
              ElementsAre("connect", "connect", "connect"));
  options.stemmer = "de";
  EXPECT_THAT(WordsOf("Häuser", options), ElementsAre("haus"));
  options.stemmer = "klingon";
  EXPECT_THROW(TextWords{options}, UsageError);
  EXPECT_THROW(options.Validate(), UsageError);
}

TEST(StopWords, AreThoseOfLanguagesToo) {
  if (StopWordLanguages().empty()) GTEST_SKIP() << "built without the lists of languages";
  EXPECT_GT(StopWordLanguages().size(), 40u);
  const auto both = StopWords("de,english");
  EXPECT_THAT(both, Contains("nicht"));
  EXPECT_THAT(both, Contains("the"));
  EXPECT_THAT(StopWords("de"), Not(Contains("the")));
  EXPECT_THROW(StopWords("xx"), UsageError);
}

TEST(StopWords, AFileIsNoLanguage) {
  EXPECT_TRUE(AreLanguages("de"));
  EXPECT_TRUE(AreLanguages("en,english"));
  EXPECT_FALSE(AreLanguages("english"));
  EXPECT_FALSE(AreLanguages("words.txt"));
  EXPECT_FALSE(AreLanguages("de,"));
}

// Ten times a phrase, in texts whose other words are many.
std::vector<std::string> Texts() {
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) {
    std::string text = "aa" + std::to_string(i) + "x is city" + std::string(1 + i % 3, 'y');
    if (i % 4 == 0) text += " in New York, today" + std::string(1 + i % 7, 'z');
    if (i % 4 == 1) text += " new york. york; new";
    texts.push_back(text + " word" + std::string(1 + i % 5, 'q'));
  }
  return texts;
}

TEST(Phrases, PairsThatAreOftenTogetherAreOneWord) {
  CorpusOptions options;
  options.phrases = true;
  WordCounter counter(options);
  FirstTexts first(counter.stop_words(), options);
  for (const std::string& text : Texts()) first.Add(counter.texts().Split(text));
  const auto vocabulary = first.Choose();
  EXPECT_THAT(vocabulary, Contains("new york"));
  EXPECT_EQ(
      std::count_if(vocabulary.begin(), vocabulary.end(),
                    [](const std::string& word) { return word.find(' ') != std::string::npos; }),
      1);
  EXPECT_EQ(first.Choose(), vocabulary) << "to choose changes nothing";
}

TEST(Phrases, AreCountedInTheFirstTextsAsInLaterOnes) {
  CorpusOptions options;
  options.phrases = true;
  WordCounter counter(options);
  FirstTexts first(counter.stop_words(), options);
  const auto texts = Texts();
  for (const std::string& text : texts) first.Add(counter.texts().Split(text));
  counter.UseVocabulary(first.Choose(), "");
  for (size_t i = 0; i < texts.size(); ++i) {
    Record kept;
    first.Count(i, &counter, &kept);
    Record later;
    later.text = texts[i];
    counter.Count(&later);
    EXPECT_EQ(kept.words, later.words);
    EXPECT_EQ(kept.counts, later.counts);
    EXPECT_EQ(kept.unknown, later.unknown);
  }
}

TEST(Phrases, NeedNeighbours) {
  CorpusOptions options;
  options.phrases = true;
  WordCounter counter(options);
  counter.UseVocabulary({"New York", "new", "york"}, "");
  const auto counts = [&](const std::string& text) {
    Record record;
    record.text = text;
    counter.Count(&record);
    std::vector<std::pair<uint32_t, uint32_t>> all;
    for (size_t i = 0; i < record.words.size(); ++i) {
      all.emplace_back(record.words[i], record.counts[i]);
    }
    return all;
  };
  using Pair = std::pair<uint32_t, uint32_t>;
  EXPECT_THAT(counts("New York"), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(counts("new\nYORK new-york new york"), ElementsAre(Pair(0, 3)));
  EXPECT_THAT(counts("new, york"), ElementsAre(Pair(1, 1), Pair(2, 1)));
  EXPECT_THAT(counts("new 7 york"), ElementsAre(Pair(1, 1), Pair(2, 1)));
  EXPECT_THAT(counts("new is york"), ElementsAre(Pair(1, 1), Pair(2, 1)));
  EXPECT_THAT(counts("new the york"), ElementsAre(Pair(1, 1), Pair(2, 1)));
  EXPECT_THAT(counts("new"), ElementsAre(Pair(1, 1)));
  EXPECT_THAT(counts(""), IsEmpty());
}

}  // namespace
}  // namespace sda
