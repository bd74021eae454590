#include "data/bags/ldac_writer.h"

#include <gtest/gtest.h>

namespace sda {
namespace {

TEST(LdacWriterTest, ALineHasTheNumberOfWordsAndEachWordWithItsCount) {
  const Documents documents{
      .offsets = {0, 2, 2, 3}, .words = {3, 17, 0}, .counts = {1, 4, 2}, .numbers = {1, 2, 3}};
  EXPECT_EQ(LdacLine(documents, 0), "2 3:1 17:4");
  EXPECT_EQ(LdacLine(documents, 1), "0");
  EXPECT_EQ(LdacLine(documents, 2), "1 0:2");
}

}  // namespace
}  // namespace sda
