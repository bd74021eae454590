#include "cluster/log/feed_note.h"

#include <gtest/gtest.h>

#include "sda/errors.h"

namespace sda::cluster {
namespace {

uint64_t HashOf(const std::vector<std::string>& documents) {
  FeedNote note;
  for (const std::string& document : documents) note.Add(document);
  EXPECT_EQ(note.documents, documents.size());
  return note.hash;
}

TEST(FeedNoteTest, TheHashIsThatOfTheDocumentsAndTheirOrder) {
  EXPECT_EQ(HashOf({"one", "two"}), HashOf({"one", "two"}));
  EXPECT_NE(HashOf({"one", "two"}), HashOf({"two", "one"}));
  EXPECT_NE(HashOf({"ab", "c"}), HashOf({"a", "bc"}));
  EXPECT_NE(HashOf({"1:a"}), HashOf({"a"}));
  EXPECT_NE(HashOf({"one"}), HashOf({"one", ""}));
}

TEST(FeedNoteTest, TheHashIsTheSameForEveryBuildOfTheProgram) {
  EXPECT_EQ(Fnv1a(""), 14695981039346656037ull);
  EXPECT_EQ(Fnv1a("foobar"), 0x85944171f73967e8ull);  // of the authors of FNV
}

TEST(FeedNoteTest, ComesBackFromJson) {
  const FeedNote note{.file = "a file", .documents = 7, .hash = ~uint64_t{0}};
  EXPECT_EQ(ParseFeedNote(ToJson(note)), note);
}

TEST(FeedNoteTest, WhatIsNoNoteOrOfAnotherVersionIsRefused) {
  EXPECT_THROW(ParseFeedNote("no"), InputError);
  EXPECT_THROW(ParseFeedNote(R"({"file":"f","documents":1,"hash":2})"), InputError);
  EXPECT_THROW(ParseFeedNote(R"({"version":5,"file":"f","documents":1,"hash":2})"), InputError);
  EXPECT_THROW(ParseFeedNote(R"({"version":4,"file":"f","documents":-1,"hash":2})"), InputError);
  EXPECT_NO_THROW(ParseFeedNote(R"({"version":4,"file":"f","documents":1,"hash":2})"));
}

}  // namespace
}  // namespace sda::cluster
