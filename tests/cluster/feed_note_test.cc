#include "cluster/log/feed_note.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace sda::cluster
