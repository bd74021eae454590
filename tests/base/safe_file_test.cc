#include "base/safe_file.h"

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
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

  static mode_t ModeOf(const std::string& path) {
    struct stat info = {};
    EXPECT_EQ(stat(path.c_str(), &info), 0);
    return info.st_mode & 0777;
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
  std::ofstream(path_ + ".tmp.0123456789abcdef") << "half";
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

TEST_F(SafeFileTest, WhatOthersHavePutThereIsNeitherOpenedNorRemoved) {
  const std::string victim = folder_ + "/victim";
  std::ofstream(victim) << "victim";
  const std::string digits(16, 'a');
  fs::create_symlink(victim, path_ + ".tmp." + std::to_string(getpid()));  // the name of old
  fs::create_symlink(victim, path_ + ".tmp." + digits);
  ASSERT_EQ(mkfifo((path_ + ".tmp.bbbbbbbbbbbbbbbb").c_str(), 0600), 0);
  std::ofstream(path_ + ".tmp.7") << "of the user";
  std::ofstream(path_ + ".tmp.keep") << "of the user";
  const size_t before = FilesInFolder();
  Save("new");
  EXPECT_EQ(ReadBytes(path_), "new");
  EXPECT_EQ(ReadBytes(victim), "victim");
  EXPECT_EQ(FilesInFolder(), before);
}

TEST_F(SafeFileTest, ManyWhoSaveTheSameFileAtOnceAllSucceedAndTheFileIsOneOfThem) {
  constexpr int kSavers = 4;
  std::vector<pid_t> savers;
  for (int i = 0; i < kSavers; ++i) {
    savers.push_back(fork());
    if (savers.back() != 0) continue;
    try {
      for (int n = 0; n < 25; ++n) Save(std::string(100'000, static_cast<char>('0' + i)));
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
      _exit(1);
    }
    _exit(0);
  }
  for (const pid_t saver : savers) {
    int status = -1;
    EXPECT_EQ(waitpid(saver, &status, 0), saver);
    EXPECT_EQ(status, 0);
  }
  const std::string content = ReadBytes(path_);
  EXPECT_EQ(content, std::string(100'000, content[0]));
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(SafeFileTest, WhatIsReplacedKeepsItsPermissionsAndWhatIsNewHasTheUsualOnes) {
  for (const mode_t mode : {0600, 0640, 0644, 0666, 0444}) {
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
    Save("new");
    EXPECT_EQ(ModeOf(path_), mode);
  }
  const mode_t before = umask(027);
  fs::remove(path_);
  Save("new");
  umask(before);
  EXPECT_EQ(ModeOf(path_), 0640u);
}

TEST_F(SafeFileTest, TheOwnerStaysWhereThatIsPermitted) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  ASSERT_EQ(chown(path_.c_str(), 1234, 1235), 0);
  Save("new");
  struct stat info;
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 1234u);
  EXPECT_EQ(info.st_gid, 1235u);
}

TEST_F(SafeFileTest, ALinkStaysAndWhatItPointsToIsReplacedOrMade) {
  const std::string link = folder_ + "/link", dangling = folder_ + "/dangling";
  fs::create_symlink("saved", link);
  fs::create_symlink("made", dangling);
  for (const std::string& path : {link, dangling}) {
    SafeFile file(path);
    file.Write("through " + path);
    file.Commit();
    EXPECT_TRUE(fs::is_symlink(path));
    EXPECT_EQ(ReadBytes(path), "through " + path);
  }
  EXPECT_EQ(ReadBytes(path_), "through " + link);
  EXPECT_EQ(FilesInFolder(), 4u);
}

// As in /tmp, where anyone can make a link under the name of another's output.
TEST_F(SafeFileTest, ALinkThatAnotherUserMadeInASharedFolderIsNotFollowed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make what belongs to another user";
  const std::string shared = folder_ + "/shared", link = shared + "/link";
  fs::create_directory(shared);
  fs::create_symlink(path_, link);
  constexpr uid_t kOther = 1234;
  ASSERT_EQ(lchown(link.c_str(), kOther, kOther), 0);
  const auto save = [&] {
    SafeFile file(link);
    file.Write("new");
    file.Commit();
  };
  ASSERT_EQ(chmod(shared.c_str(), 01777), 0);
  EXPECT_THAT(MessageOf<IoError>(save), HasSubstr(link + ": is a link that another user made"));
  EXPECT_EQ(ReadBytes(path_), "old");

  ASSERT_EQ(chmod(shared.c_str(), 0777), 0);  // anyone could replace anything there
  EXPECT_EQ(MessageOf<IoError>(save), "");
  ASSERT_EQ(chmod(shared.c_str(), 01777), 0);
  ASSERT_EQ(chown(shared.c_str(), kOther, kOther), 0);  // of whose folder it is
  EXPECT_EQ(MessageOf<IoError>(save), "");
  ASSERT_EQ(chown(shared.c_str(), 0, 0), 0);
  ASSERT_EQ(lchown(link.c_str(), 0, 0), 0);  // or one's own
  EXPECT_EQ(MessageOf<IoError>(save), "");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(ReadBytes(path_), "new");
}

TEST_F(SafeFileTest, WhatIsNotAnOrdinaryFileIsRefused) {
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, folder_, std::string("/dev/null")}) {
    EXPECT_EQ(MessageOf<IoError>([&] { const SafeFile file(path); }),
              path + ": is not an ordinary file, and will not be overwritten");
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
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
