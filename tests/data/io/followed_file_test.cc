#include "data/io/followed_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "data/io/input.h"
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
    FileIdentity identity = FileIdentity::Of(fd);
    identity.Update(fd, bytes);
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

TEST_F(FollowedFile, IsFoundCompressed) {
  Append("log", long_text_);
  const FileIdentity identity = IdentityOf("log", long_text_.size());
  Append("log", "more\n");
  ASSERT_EQ(std::system(("gzip " + In("log")).c_str()), 0);
  fs::rename(In("log.gz"), In("log.1.gz"));
  Append("log", "others\n");
  EXPECT_EQ(FindFollowed(In("log"), identity).path, In("log.1.gz"));
  Append("log.1.gz", "x");  // which is none of gzip's
  FileIdentity longer = identity;
  longer.size = 5000;
  EXPECT_THAT(Refusal(longer), HasSubstr("is missing, also as"));
}

// The place is known before a byte is there, and is not that of a file that takes its name.
TEST_F(FollowedFile, IsFoundByItsInodeWhenNothingWasInIt) {
  Append("log", "");
  const FileIdentity identity = IdentityOf("log", 0);
  fs::rename(In("log"), In("log.1"));
  Append("log.1", long_text_);
  Append("log", "others\n");
  EXPECT_EQ(FindFollowed(In("log"), identity).path, In("log.1"));
  EXPECT_FALSE(FindFollowed(In("log"), identity).from_start);
}

TEST_F(FollowedFile, ThatWasCutAndThenRenamedIsReadFromItsStart) {
  Append("log", "one\ntwo\n");
  const FileIdentity identity = IdentityOf("log", 8);
  fs::resize_file(In("log"), 0);
  Append("log", "others\n");
  fs::rename(In("log"), In("log.1"));
  Append("log", "and others\n");
  const FollowedPlace place = FindFollowed(In("log"), identity);
  EXPECT_EQ(place.path, In("log.1"));
  EXPECT_TRUE(place.from_start);
}

// Too little of it was seen to know its copy, which has more than that.
TEST_F(FollowedFile, ThatWasCopiedAndCutIsRefusedIfTheCopyMayHoldMore) {
  Append("log", "one\n");
  const FileIdentity identity = IdentityOf("log", 4);
  Append("log", "two\n");
  fs::copy_file(In("log"), In("log.1"));
  const auto written = fs::last_write_time(In("log"));
  fs::last_write_time(In("log.1"), written + std::chrono::seconds(1));
  fs::resize_file(In("log"), 0);
  fs::last_write_time(In("log"), written + std::chrono::seconds(2));
  EXPECT_THAT(Refusal(identity), HasSubstr("log.1 seems to be a copy of what was in it"));
  fs::resize_file(In("log.1"), 4);  // no more than what was read
  fs::last_write_time(In("log.1"), written + std::chrono::seconds(1));
  EXPECT_TRUE(FindFollowed(In("log"), identity).from_start);
}

// It was empty, and filled, copied and cut while its reader did not look.
TEST_F(FollowedFile, ThatWasCopiedAndCutBeforeItsFirstBytesWereReadIsRefused) {
  Append("log.2", "the file before\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the file system's clock has ticks
  Append("log", "");
  const Context context(1);
  const auto made = fs::last_write_time(In("log"));
  const auto open = [&] { return Input::OpenRaw(In("log"), context, ""); };
  const auto write = [&](const std::string& text, int second) {
    Append("log", text);
    fs::last_write_time(In("log"), made + std::chrono::seconds(second));
  };
  std::string buffer(100, ' ');
  if (FileIdentity::Of(In("log")).birth != 0) {
    const auto input = open();
    fs::last_write_time(In("log.2"), made + std::chrono::seconds(1));  // late lines: no copy of log
    write("one\n", 2);
    EXPECT_EQ(input->Read(buffer), 4u);
    fs::resize_file(In("log"), 0);
  }
  const auto input = open();
  write("two\n", 3);
  fs::copy_file(In("log"), In("log.1"));
  fs::last_write_time(In("log.1"), made + std::chrono::seconds(4));
  fs::resize_file(In("log"), 0);
  write("three\n", 5);
  EXPECT_THAT(MessageOf<InputError>([&] { input->Read(buffer); }),
              HasSubstr("log.1 seems to be a copy of what was in it"));
}

// Many files may begin with the same long line.
TEST_F(FollowedFile, IsNotFoundInOneThatWasRotatedBefore) {
  Append("log.1", long_text_ + "of before\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the file system's clock has ticks
  Append("log", long_text_);
  const FileIdentity identity = FirstLook(In("log"));
  if (identity.birth == 0) GTEST_SKIP() << "the file system does not record when files are made";
  EXPECT_EQ(FindCopy(In("log"), identity), "");
  fs::copy_file(In("log"), In("log.2"));
  EXPECT_EQ(FindCopy(In("log"), identity), In("log.2"));
  fs::remove(In("log"));
  EXPECT_EQ(FindFollowed(In("log"), identity).path, In("log.2"));
  fs::remove(In("log.2"));
  EXPECT_THAT(Refusal(identity), HasSubstr("is another file than the one that was followed"));
}

// Who had the file before open when it was rotated wrote its last lines then.
TEST_F(FollowedFile, OneThatWasRotatedBeforeDoesNotComeBetween) {
  const auto now = fs::file_time_type::clock::now();
  Append("log.1", "of before\n");
  Append("log", "one\n");
  fs::last_write_time(In("log"), now - std::chrono::seconds(9));
  fs::last_write_time(In("log.1"), now - std::chrono::seconds(5));
  const FileIdentity first = FirstLook(In("log"));
  Append("log", "two\n");
  fs::rename(In("log.1"), In("log.2"));
  fs::rename(In("log"), In("log.1"));
  Append("log", "three\n");
  const int fd = open(In("log.1").c_str(), O_RDONLY);
  EXPECT_NO_THROW(ExpectNoneBetween(In("log"), fd, first));
  close(fd);
  EXPECT_NO_THROW(ExpectNoneCopied(In("log"), In("log.1"), FileIdentity::Of(In("log.1")), first));
}

// A copy is read whose original, made before it, was truncated, written to and renamed.
TEST_F(FollowedFile, AnOriginalComesBetweenItsCopyAndTheFileOfNow) {
  Append("log", "one\n");
  fs::copy_file(In("log"), In("log.2"));
  const FileIdentity identity = FirstLook(In("log.2"));
  fs::resize_file(In("log"), 0);
  Append("log", "two\n");
  fs::last_write_time(In("log"), fs::last_write_time(In("log.2")) + std::chrono::seconds(1));
  fs::rename(In("log"), In("log.1"));
  Append("log", "three\n");
  const int fd = open(In("log.2").c_str(), O_RDONLY);
  EXPECT_THAT(MessageOf<InputError>([&] { ExpectNoneBetween(In("log"), fd, identity); }),
              HasSubstr("log.1 seems to come between"));
  close(fd);
}

// Joined with the one before it, each of them is read, whatever they are called.
TEST_F(FollowedFile, OfSeveralThatComeBetweenTheNewestIsNamed) {
  const auto now = fs::file_time_type::clock::now();
  int age = 4;
  for (const char* name : {"log-20260129", "log-20260130", "log-20260131", "log"}) {
    Append(name, std::string(name) + "\n");
    fs::last_write_time(In(name), now - std::chrono::seconds(age--));
  }
  const int fd = open(In("log-20260129").c_str(), O_RDONLY);
  EXPECT_THAT(MessageOf<InputError>(
                  [&] { ExpectNoneBetween(In("log"), fd, IdentityOf("log-20260129", 13)); }),
              HasSubstr("log-20260131 seems to come between"));
  close(fd);
}

// The one that is followed is held from the start on, though its turn comes late.
TEST_F(FollowedFile, IsTheOneThatHadTheNameAtTheStart) {
  CorpusOptions options;
  options.inputs = {In("first"), In("log")};
  options.format = CorpusFormat::kText;
  options.vocabulary = {"cat", "dog"};
  options.follow = true;
  options.minibatch = 2;
  std::string start;
  options.on_start = [&start](const std::string& position) { start = position; };
  Append("first", "cat\ndog\n");
  Append("log", "cat\ncat\n");
  const Context context(1);
  CorpusSource source(options, context);
  EXPECT_NE(start, "");
  const std::string first = source.Next()->position;
  fs::rename(In("log"), In("log.1"));
  Append("log", "dog\ndog\n");
  EXPECT_EQ(source.Next()->data.words, (std::vector<uint32_t>{0, 0}));

  options.resume_from = first;
  CorpusSource resumed(options, context);
  resumed.Resume(first, {});
  EXPECT_EQ(resumed.Next()->data.words, (std::vector<uint32_t>{0, 0}));
  options.resume_from = start;
  EXPECT_EQ(CorpusSource(options, context).Next()->data.words, (std::vector<uint32_t>{0, 1}));
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
  const FileIdentity identity{1, 2, 3, 4, 5, 6, 7, 8, 9};
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
