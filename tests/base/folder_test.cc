#include "base/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sda/errors.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    fs::create_directories(folder_ / "b/c");
    fs::create_directory(folder_ / ".hidden");
    for (const char* name : {"z", "b/y", "b/c/x", ".no", ".hidden/no"}) {
      std::ofstream(folder_ / name) << name;
    }
  }
  ~FolderTest() override { fs::remove_all(folder_); }

  const fs::path folder_ =
      fs::path(::testing::TempDir()) / ("sda_folder_" + std::to_string(getpid()));
};

TEST_F(FolderTest, FilesAreFoundBelowItInOrder) {
  EXPECT_THAT(FilesBelow(folder_.string()), ElementsAre("b/c/x", "b/y", "z"));
  EXPECT_THAT(FilesBelow(folder_.string() + "/"), ElementsAre("b/c/x", "b/y", "z"));
}

TEST_F(FolderTest, LinksToFilesAreFollowedAndLinksToFoldersAreNot) {
  fs::create_symlink("z", folder_ / "link");
  fs::create_directory_symlink("..", folder_ / "b/up");
  EXPECT_THAT(FilesBelow(folder_.string()), ElementsAre("b/c/x", "b/y", "link", "z"));
}

// Or the corpus would be shorter, and nobody would know.
TEST_F(FolderTest, AFileThatCannotBeLookedAtIsAnError) {
  fs::create_symlink("gone", folder_ / "b/link");
  EXPECT_THAT(MessageOf<IoError>([&] { FilesBelow(folder_.string()); }),
              HasSubstr("b/link: cannot look at it: No such file or directory"));
  fs::remove(folder_ / "b/link");
  fs::create_symlink("link", folder_ / "b/link");
  EXPECT_THAT(MessageOf<IoError>([&] { FilesBelow(folder_.string()); }),
              HasSubstr("b/link: cannot look at it: Too many levels of symbolic links"));
}

}  // namespace
}  // namespace sda
