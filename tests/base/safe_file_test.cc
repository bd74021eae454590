#include "base/safe_file.h"

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "sda/errors.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string ReadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A folder of its own with a file "saved" in it.
class SafeFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_);
    Save("old");
  }
  void TearDown() override {
    SafeFile::InjectFaults({});
    fs::remove_all(folder_);
  }

  void Save(const std::string& content) {
    SafeFile file(path_);
    file.Write(content);
    file.Commit();
  }
  size_t FilesInFolder() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  const std::string folder_ =
      (fs::path(::testing::TempDir()) / ("sda_safe_" + std::to_string(getpid()))).string();
  const std::string path_ = folder_ + "/saved";
};

TEST_F(SafeFileTest, AFailureOfAnyStepLeavesTheOldFileAndIsNamed) {
  const std::vector<std::pair<SaveStep, std::string>> steps = {
      {SaveStep::kOpen, "cannot write: No space left on device"},
      {SaveStep::kWrite, "cannot write: No space left on device"},
      {SaveStep::kSync, "cannot sync: No space left on device"},
      {SaveStep::kClose, "cannot close: No space left on device"},
      {SaveStep::kRename, "cannot rename the new file to it: No space left on device"}};
  for (const auto& [bad, message] : steps) {
    SafeFile::InjectFaults(
        [bad = bad](SaveStep step, size_t*) { return step == bad ? ENOSPC : 0; });
    EXPECT_EQ(MessageOf<IoError>([&] { Save("new"); }), path_ + ": " + message);
    EXPECT_EQ(ReadBytes(path_), "old");
    EXPECT_EQ(FilesInFolder(), 1u);
  }
}

TEST_F(SafeFileTest, AFailureOfAnyWriteLeavesTheOldFile) {
  const std::string content(5 << 20, 'x');  // more than the buffer: several writes
  for (int bad = 0; bad < 5; ++bad) {
    int writes = 0;
    SafeFile::InjectFaults([&](SaveStep step, size_t* bytes) {
      if (step != SaveStep::kWrite) return 0;
      *bytes = std::min<size_t>(*bytes, 1 << 20);
      return writes++ == bad ? EIO : 0;
    });
    EXPECT_THAT(MessageOf<IoError>([&] { Save(content); }), HasSubstr("cannot write"));
    EXPECT_EQ(writes, bad + 1);
    EXPECT_EQ(ReadBytes(path_), "old");
    EXPECT_EQ(FilesInFolder(), 1u);
  }
}

TEST_F(SafeFileTest, ShortWritesAreContinued) {
  SafeFile::InjectFaults([](SaveStep step, size_t* bytes) {
    if (step == SaveStep::kWrite) *bytes = (*bytes + 2) / 3;
    return 0;
  });
  std::string content;
  for (int i = 0; i < 5000; ++i) content += std::to_string(i);
  Save(content);
  EXPECT_EQ(ReadBytes(path_), content);
}

TEST_F(SafeFileTest, ADirectoryThatCannotBeSyncedIsSaidAndTheNewFileIsWhole) {
  SafeFile::InjectFaults(
      [](SaveStep step, size_t*) { return step == SaveStep::kSyncDirectory ? EIO : 0; });
  EXPECT_THAT(MessageOf<IoError>([&] { Save("new"); }),
              HasSubstr("cannot sync its directory: Input/output error"));
  EXPECT_EQ(ReadBytes(path_), "new");
}

TEST_F(SafeFileTest, WhatAKilledSaveLeftIsRemovedAndALiveOneIsNot) {
  std::ofstream(path_ + ".tmp.1") << "half";
  SafeFile alive(path_);
  alive.Write("alive");
  EXPECT_EQ(FilesInFolder(), 2u);  // the old file and that of `alive`
  {
    const SafeFile other(path_ + "2");
    EXPECT_EQ(FilesInFolder(), 3u);
  }
  alive.Commit();
  EXPECT_EQ(ReadBytes(path_), "alive");
}

TEST_F(SafeFileTest, TheChecksumIsThatOfAllBytesAlsoOfNone) {
  SafeFile file(path_);
  file.Write("123456");
  file.Write(nullptr, 0);
  file.Write("789");
  EXPECT_EQ(file.checksum(), 0xCBF43926u);  // CRC-32's own example
}

}  // namespace
}  // namespace sda
