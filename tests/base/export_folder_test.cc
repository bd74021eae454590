// A folder of exported files, and NumPy's files in it.

#include "base/export_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/npy_file.h"
#include "sda/errors.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ExportFolderTest : public ::testing::Test {
 protected:
  ~ExportFolderTest() override { fs::remove_all(folder_); }

  void Export(const std::vector<std::string>& names, bool force = false) const {
    const ExportFolder folder(folder_, force);
    folder.Begin();
    for (const std::string& name : names) Make(name, "new");
    folder.Finish(names, {"a.csv", "b.csv"});
  }
  void Make(const std::string& name, const std::string& content) const {
    std::ofstream(Path(name)) << content;
  }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  const std::string folder_ =
      (fs::path(::testing::TempDir()) / ("sda_export_" + std::to_string(getpid()))).string();
};

TEST_F(ExportFolderTest, WritesAgainOverAnEarlierExportAndRemovesWhatIsNotOfTheNewOne) {
  Export({"a.csv", "b.csv"});
  Export({"b.csv"});
  EXPECT_FALSE(fs::exists(Path("a.csv")));
  EXPECT_TRUE(fs::exists(Path("b.csv")));
  EXPECT_THAT(Content(Path("export.json")), HasSubstr("\"complete\": true"));
}

TEST_F(ExportFolderTest, RefusesAFolderOfOtherFiles) {
  fs::create_directory(folder_);
  Make("thesis.txt", "mine");
  EXPECT_THAT(MessageOf<UsageError>([&] { Export({"a.csv"}); }),
              HasSubstr("is neither empty nor an earlier export"));
  Make("export.json", "{\"files\": []}");  // of another program
  EXPECT_THAT(MessageOf<UsageError>([&] { Export({"a.csv"}); }),
              HasSubstr("is neither empty nor an earlier export"));
  EXPECT_FALSE(fs::exists(Path("a.csv")));
  Export({"a.csv"}, true);
  EXPECT_EQ(Content(Path("thesis.txt")), "mine");
}

TEST_F(ExportFolderTest, RemovesOnlyFilesThatAnExportCanHave) {
  fs::create_directory(folder_);
  Make("thesis.txt", "mine");
  std::ofstream(folder_ + ".other") << "mine";
  Make("export.json", R"({"made_by": "sda export", "files": ["thesis.txt", "../)" +
                          fs::path(folder_).filename().string() + R"(.other", 7]})");
  Export({"a.csv"});
  EXPECT_TRUE(fs::exists(Path("thesis.txt")));
  EXPECT_TRUE(fs::remove(folder_ + ".other"));
}

TEST_F(ExportFolderTest, AnExportThatWasCutShortCanBeRepeated) {
  ExportFolder(folder_, false).Begin();
  Make("a.csv", "half");
  EXPECT_THAT(Content(Path("export.json")), HasSubstr("\"complete\": false"));
  Export({"a.csv"});
  EXPECT_EQ(Content(Path("a.csv")), "new");
}

TEST_F(ExportFolderTest, AListThatIsNestedDeeplyIsNoList) {
  constexpr size_t kDepth = 2'000'000;
  fs::create_directory(folder_);
  Make("export.json", R"({"made_by": "sda export", "files": [)" + std::string(kDepth, '[') +
                          std::string(kDepth, ']') + "]}");
  EXPECT_THAT(MessageOf<UsageError>([&] { ExportFolder(folder_, false); }),
              HasSubstr("is neither empty nor an earlier export"));
}

TEST_F(ExportFolderTest, RefusesWhatIsNoFolder) {
  const TemporaryFile file("mine");
  EXPECT_THAT(MessageOf<UsageError>([&] { ExportFolder(file.path(), true); }),
              HasSubstr("is not a folder"));
  EXPECT_THAT(MessageOf<UsageError>([&] { ExportFolder("", true); }), HasSubstr("--output"));
}

TEST_F(ExportFolderTest, TellsWhyAFolderCannotBeLookedAt) {
  EXPECT_THAT(MessageOf<IoError>([] { ExportFolder(std::string(300, 'x'), false); }),
              HasSubstr("cannot look at it: File name too long"));
  fs::create_directory(folder_);
  fs::create_symlink("export.json", Path("export.json"));
  EXPECT_THAT(MessageOf<IoError>([&] { ExportFolder(folder_, false); }),
              HasSubstr("export.json: cannot look at it: Too many levels of symbolic links"));
}

// It would be taken for one of the new model.
TEST_F(ExportFolderTest, AFileOfTheEarlierExportThatCannotBeRemovedIsAnError) {
  Export({"a.csv", "b.csv"});
  fs::remove(Path("b.csv"));
  fs::create_directory(Path("b.csv"));
  Make("b.csv/mine", "mine");
  EXPECT_THAT(MessageOf<IoError>([&] { Export({"a.csv"}); }),
              HasSubstr("b.csv: cannot remove this file of an earlier export"));
  EXPECT_THAT(Content(Path("export.json")), HasSubstr("\"complete\": false"));
}

TEST(NpyFileTest, HasTheHeaderOfTheRowsThatWereWritten) {
  const TemporaryFile file("");
  NpyFile npy(file.path(), 2);
  for (int i = 0; i < 3; ++i) npy.WriteRow(std::vector<double>{1.0 * i, 0.5});
  npy.Commit();
  const std::string bytes = Content(file.path());
  EXPECT_THAT(bytes, StartsWith(std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                                "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }"));
  EXPECT_EQ(bytes.size(), 128 + 3 * 2 * sizeof(double));
  EXPECT_EQ(bytes[127], '\n');
  EXPECT_THROW(npy.WriteRow(std::vector<double>{1}), std::logic_error);
}

TEST(NpyFileTest, WritesATransposedMatrixInFortransOrder) {
  const TemporaryFile file("");
  NpyFile npy(file.path(), 2, NpyFile::Order::kFortran);
  npy.WriteRow(std::vector<double>{1, 2});
  npy.Commit();
  EXPECT_THAT(Content(file.path()), HasSubstr("'fortran_order': True, 'shape': (2, 1), }"));
}

}  // namespace
}  // namespace sda
