#include "base/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sda/errors.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string ReadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const std::vector<double> kNumbers = {1, 2, 3, 4, 5, 6.5};
const std::vector<int64_t> kIntegers = {-7, 8};

void WriteSample(const std::string& path) {
  WriteModelFile(path, {{"model", "test"}, {"note", "any \"text\"\n"}},
                 {{"matrix", {2, 3}, kNumbers, {}}, {"list", {2}, {}, kIntegers}});
}

TEST(ModelFile, WhatIsWrittenIsRead) {
  const TemporaryFile file("");
  WriteSample(file.path());
  const ModelFile model(file.path());
  EXPECT_EQ(model.metadata("note"), "any \"text\"\n");
  EXPECT_EQ(model.shape("matrix"), (std::vector<uint64_t>{2, 3}));
  const auto doubles = model.doubles("matrix");
  EXPECT_EQ(std::vector<double>(doubles.begin(), doubles.end()), kNumbers);
  const auto integers = model.integers("list");
  EXPECT_EQ(std::vector<int64_t>(integers.begin(), integers.end()), kIntegers);
}

TEST(ModelFile, IsASafetensorsFile) {
  const TemporaryFile file("");
  WriteSample(file.path());
  const std::string bytes = ReadBytes(file.path());
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length * 256 + static_cast<unsigned char>(bytes[i]);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  EXPECT_EQ(header["matrix"]["dtype"], "F64");
  EXPECT_EQ(header["matrix"]["shape"], (std::vector<int>{2, 3}));
  EXPECT_EQ(header["__metadata__"]["model"], "test");
  double last = 0;
  std::memcpy(&last, bytes.data() + 8 + length + header["matrix"]["data_offsets"][1].get<int>() - 8,
              8);
  EXPECT_EQ(last, 6.5);
}

TEST(ModelFile, EveryShorterFileIsRefused) {
  const TemporaryFile file("");
  WriteSample(file.path());
  const std::string bytes = ReadBytes(file.path());
  for (size_t n = 0; n < bytes.size(); ++n) {
    const TemporaryFile part(bytes.substr(0, n));
    EXPECT_THAT(MessageOf<InputError>([&] { ModelFile(part.path()); }), HasSubstr(part.path()))
        << n;
  }
  const TemporaryFile longer(bytes + "more");
  EXPECT_THROW(ModelFile(longer.path()), InputError);
}

TEST(ModelFile, EveryFlippedByteIsRefused) {
  const TemporaryFile file("");
  WriteSample(file.path());
  const std::string bytes = ReadBytes(file.path());
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const char flip : {'\x01', '\x20', '\xff'}) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      const TemporaryFile damaged(bad);
      EXPECT_THAT(MessageOf<InputError>([&] { ModelFile(damaged.path()); }),
                  HasSubstr(damaged.path()))
          << i;
    }
  }
}

TEST(ModelFile, AFileThatIsCutOrChangedAfterItWasOpenedIsNamedAndNoSignal) {
  const TemporaryFile file("");
  const std::vector<double> numbers(1 << 18, 1.5);
  auto write = [&](double first) {
    std::vector<double> changed = numbers;
    changed[0] = first;
    WriteModelFile(file.path(), {}, {{"matrix", {512, 512}, changed, {}}});
  };
  write(1);
  const ModelFile untouched(file.path());
  write(2);  // another file has the name now
  EXPECT_EQ(untouched.doubles("matrix")[0], 1);
  auto use = [](const ModelFile& model) {
    model.ForEachRow("matrix", [](uint64_t, std::span<const double>) {});
  };
  use(untouched);

  const ModelFile changed(file.path());
  std::fstream(file.path(), std::ios::in | std::ios::out | std::ios::binary)
          .seekp(-8, std::ios::end)
      << "12345678";
  const std::string was_changed = file.path() + ": was changed while it was read";
  EXPECT_EQ(MessageOf<InputError>([&] { use(changed); }), was_changed);
  EXPECT_EQ(MessageOf<InputError>([&] { changed.doubles("matrix"); }), was_changed);

  write(3);
  const ModelFile cut(file.path());
  std::filesystem::resize_file(file.path(), 100'000);
  const std::string was_cut = file.path() + ": was cut off while it was read: it had 2097";
  EXPECT_THAT(MessageOf<InputError>([&] { use(cut); }), HasSubstr(was_cut));
  EXPECT_THAT(MessageOf<InputError>([&] { cut.doubles("matrix"); }), HasSubstr(was_cut));
}

TEST(ModelFile, TheRowsAreThoseOfTheMatrix) {
  const TemporaryFile file("");
  WriteSample(file.path());
  std::vector<double> seen;
  ModelFile(file.path()).ForEachRow("matrix", [&](uint64_t i, std::span<const double> row) {
    EXPECT_EQ(row.size(), 3u);
    EXPECT_EQ(seen.size(), i * 3);
    seen.insert(seen.end(), row.begin(), row.end());
  });
  EXPECT_EQ(seen, kNumbers);
}

TEST(ModelFile, ANamedPipeIsRefusedAndNotWaitedFor) {
  const std::string path = TemporaryFile("").path() + ".pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(MessageOf<InputError>([&] { ModelFile{path}; }), path + ": is not a file");
  EXPECT_EQ(MessageOf<IoError>([&] { WriteSample(path); }),
            path + ": is not an ordinary file, and will not be overwritten");
  std::filesystem::remove(path);
}

TEST(ModelFile, MissingEntriesAreNamed) {
  const TemporaryFile file("");
  WriteSample(file.path());
  const ModelFile model(file.path());
  EXPECT_THAT(MessageOf<InputError>([&] { model.metadata("nothing"); }),
              HasSubstr("it has no \"nothing\""));
  EXPECT_THAT(MessageOf<InputError>([&] { model.doubles("nothing"); }),
              HasSubstr("it has no tensor nothing"));
  EXPECT_THAT(MessageOf<InputError>([&] { model.doubles("list"); }),
              HasSubstr("tensor list is I64, expected F64"));
}

TEST(ModelFile, HeadersThatLieAreRefused) {
  auto with_header = [](const std::string& json, const std::string& data) {
    const uint64_t length = json.size();
    return std::string(reinterpret_cast<const char*>(&length), 8) + json + data;
  };
  const std::string data(16, '\0');
  for (const std::string json : {
           R"({"t":{"dtype":"F64","shape":[2],"data_offsets":[0,99]}})",
           R"({"t":{"dtype":"F64","shape":[3],"data_offsets":[0,16]}})",
           R"({"t":{"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,0]}})",
           R"({"t":{"dtype":"F64","shape":[2],"data_offsets":[16,0]}})",
           R"({"t":{"dtype":"F16","shape":[2],"data_offsets":[0,16]}})",
           R"({"t":{"dtype":"F64","shape":[1],"data_offsets":[4,12]}})",
           R"({"t":{"dtype":"F64","shape":"x","data_offsets":[0,16]}})",
           R"({"a":{"dtype":"F64","shape":[2],"data_offsets":[0,16]},
               "b":{"dtype":"F64","shape":[1],"data_offsets":[8,16]}})",
           R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},
               "b":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})",
           R"({"t":7})",
           R"([1,2])",
           R"({"t":)",
       }) {
    const TemporaryFile file(with_header(json, data));
    EXPECT_THAT(MessageOf<InputError>([&] { ModelFile model(file.path()); }),
                AllOf(HasSubstr(file.path()), Not(HasSubstr("checksum"))))
        << json;
  }
}

TEST(ModelFile, AFailedWriteLeavesTheOldFileAndNothingElse) {
  const std::string directory =
      (std::filesystem::path(::testing::TempDir()) / ("sda_dir_" + std::to_string(getpid())))
          .string();
  std::filesystem::create_directory(directory);
  const std::string path = directory + "/model";
  std::filesystem::create_directories(path + "/occupied");
  EXPECT_THAT(MessageOf<IoError>([&] { WriteSample(path); }),
              HasSubstr("model: is not an ordinary file, and will not be overwritten"));
  size_t entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    EXPECT_EQ(entry.path().string(), path);
    ++entries;
  }
  EXPECT_EQ(entries, 1u);
  std::filesystem::remove_all(directory);
  EXPECT_THAT(MessageOf<IoError>([&] { WriteSample(directory + "/gone/model"); }),
              HasSubstr("cannot write: No such file or directory"));
}

}  // namespace
}  // namespace sda
