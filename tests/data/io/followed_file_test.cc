#include "data/io/followed_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "data/tables/table_source.h"
#include "sda/corpus.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class FollowedFile : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directory(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  std::string In(const std::string& name) const { return folder_ + "/" + name; }
  void Append(const std::string& name, const std::string& text) const {
    std::ofstream(In(name), std::ios::app) << text;
  }
  FileIdentity IdentityOf(const std::string& name, uint64_t bytes) const {
    const int fd = open(In(name).c_str(), O_RDONLY);
    const FileIdentity identity = FileIdentity::Of(fd, bytes);
    close(fd);
    return identity;
  }
  std::string Refusal(const FileIdentity& identity) const {
    return MessageOf<InputError>([&] { FindFollowed(In("log"), identity); });
  }

  const std::string folder_ =
      (fs::path(::testing::TempDir()) / ("sda_followed_" + std::to_string(getpid()))).string();
  // Not "x..." + "\n": GCC 12 sees a string of 16 bytes there when it is instrumented.
  static std::string LongText() {
    std::string text(3000, 'x');
    text.push_back('\n');
    return text;
  }
  const std::string long_text_ = LongText();
};

TEST_F(FollowedFile, IsFoundUnderItsNameThoughItHasGrown) {
  Append("log", "one\n");
  const FileIdentity identity = IdentityOf("log", 4);
  Append("log", long_text_);
  const FollowedPlace place = FindFollowed(In("log"), identity);
  EXPECT_EQ(place.path, In("log"));
  EXPECT_FALSE(place.from_start);
}

TEST_F(FollowedFile, IsFoundUnderAnotherNameEvenIfItIsShort) {
  Append("log", "one\n");
  const FileIdentity identity = IdentityOf("log", 4);
  fs::rename(In("log"), In("log.1"));
  EXPECT_EQ(FindFollowed(In("log"), identity).path, In("log.1"));
  Append("log", "one\n");  // begins like the other, but is not it
  EXPECT_EQ(FindFollowed(In("log"), identity).path, In("log.1"));
}

TEST_F(FollowedFile, IsFoundAsACopyIfItsBeginningIsLongEnoughToTell) {
  Append("log", long_text_);
  const FileIdentity identity = IdentityOf("log", long_text_.size());
  fs::copy_file(In("log"), In("log-20260131"));
  fs::resize_file(In("log"), 0);
  EXPECT_EQ(FindFollowed(In("log"), identity).path, In("log-20260131"));
}

TEST_F(FollowedFile, ThatWasCutAndWrittenAnewIsReadFromItsStart) {
  Append("log", "one\ntwo\n");
  const FileIdentity identity = IdentityOf("log", 8);
  fs::resize_file(In("log"), 0);
  EXPECT_TRUE(FindFollowed(In("log"), identity).from_start);
  Append("log", "other words than those\n");
  EXPECT_TRUE(FindFollowed(In("log"), identity).from_start);
}

TEST_F(FollowedFile, ThatHasShrunkButBeginsAsBeforeIsRefused) {
  Append("log", long_text_);
  const FileIdentity identity = IdentityOf("log", long_text_.size());
  fs::resize_file(In("log"), 2000);
  EXPECT_THAT(Refusal(identity), HasSubstr("has 2000 bytes, but 3001 were read before, and begins "
                                           "as it did"));
  fs::resize_file(In("log"), 100);  // too little of it to be sure
  EXPECT_TRUE(FindFollowed(In("log"), identity).from_start);
}

TEST_F(FollowedFile, IsTheSameFromItsNumbers) {
  const FileIdentity identity{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(FileIdentity::FromNumbers(identity.ToNumbers()).ToNumbers(), identity.ToNumbers());
}

TEST_F(FollowedFile, ThatHasTheInodeOfAnotherWasNotCut) {
  Append("log", "one\ntwo\n");
  FileIdentity identity = IdentityOf("log", 8);
  if (identity.birth == 0)
    GTEST_SKIP() << "the file system does not record when a file was created";
  fs::resize_file(In("log"), 0);
  Append("log", "others\nthan before\n");
  EXPECT_TRUE(FindFollowed(In("log"), identity).from_start);
  --identity.birth;
  EXPECT_THAT(Refusal(identity), HasSubstr("is another file than the one that was followed"));
  identity.birth = 0;  // not known
  EXPECT_TRUE(FindFollowed(In("log"), identity).from_start);
}

TEST_F(FollowedFile, ThatIsGoneIsAnError) {
  Append("log", "one\ntwo\n");
  const FileIdentity identity = IdentityOf("log", 8);
  Append("new", "others\nthan before\n");
  fs::rename(In("new"), In("log"));
  EXPECT_THAT(Refusal(identity), HasSubstr("is another file than the one that was followed, of "
                                           "which 8 bytes are read"));
  fs::remove(In("log"));
  EXPECT_THAT(Refusal(identity), HasSubstr("log"));
}

// Minibatches that were divided by the clock are divided in the same way again, with or without
// rotated files.
TEST_F(FollowedFile, IsCutAsBeforeWhateverTheClockSays) {
  CorpusOptions options;
  options.inputs = {In("log")};
  options.format = CorpusFormat::kText;
  options.vocabulary = {"cat", "dog"};
  options.follow = true;
  options.minibatch = 10;
  options.minibatch_seconds = 1e-3;
  Append("log", "cat\ndog\ncat\n");
  const Context context(1);
  CorpusSource source(options, context);
  source.Resume("", {2, 1, 3});
  EXPECT_EQ(source.Next()->counts.items, 2u);
  const std::string position = source.Next()->position;
  fs::rename(In("log"), In("log.1"));
  Append("log", "dog\ncat\ncat\ndog\n");
  const auto third = source.Next();
  EXPECT_EQ(third->counts.items, 3u);
  EXPECT_EQ(third->data.numbers, (std::vector<uint64_t>{4, 5, 6}));
  const auto fourth = source.Next();
  EXPECT_EQ(fourth->counts.items, 1u);

  options.resume_from = position;
  CorpusSource again(options, context);
  again.Resume(position, {1, 2, 2});
  EXPECT_EQ(again.Next()->data.numbers, (std::vector<uint64_t>{4}));
  EXPECT_EQ(again.Next()->data.numbers, (std::vector<uint64_t>{5, 6}));
  context.RequestStop();  // there is one more alone, which is not the minibatch that had two
  EXPECT_FALSE(again.Next());
}

// Minibatches that came later, and are in the posterior, would hide those of the new content.
TEST_F(FollowedFile, ThatWasCutIsRefusedIfLaterMinibatchesAreFolded) {
  CorpusOptions texts;
  texts.inputs = {In("log")};
  texts.format = CorpusFormat::kText;
  texts.vocabulary = {"cat", "dog"};
  texts.follow = true;
  texts.minibatch = 2;
  Append("log", "cat\ndog\ncat\ndog\n");
  texts.resume_from = CorpusSource(texts).Next()->position;
  fs::resize_file(In("log"), 0);
  Append("log", "dog\ndog\ncat\ndog\n");
  CorpusSource corpus(texts);
  EXPECT_NO_THROW(corpus.Resume(texts.resume_from, {}));
  EXPECT_THAT(
      MessageOf<InputError>([&] {
        CorpusSource(texts).Resume(texts.resume_from, {2, 2});
      }),
      HasSubstr("log: was truncated since the checkpoint, which holds some of the data after"));

  TableOptions options;
  options.inputs = {In("table")};
  options.follow = true;
  options.minibatch = 2;
  Append("table", "a\n1\n2\n3\n4\n");
  options.resume_from = TableSource(options).Next()->position;
  fs::resize_file(In("table"), 0);
  Append("table", "a\n5\n6\n7\n8\n9\n");
  TableSource table(options);
  EXPECT_NO_THROW(table.Resume(options.resume_from, {}));
  EXPECT_THAT(MessageOf<InputError>([&] {
                TableSource(options).Resume(options.resume_from, {2, 2});
              }),
              HasSubstr("table: was truncated since the checkpoint"));
}

}  // namespace
}  // namespace sda
