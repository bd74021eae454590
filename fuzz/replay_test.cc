// Every file of the corpora, and every prefix of it, through its target: a regression test for the
// fuzzers' findings, with any compiler.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "targets.h"

namespace sda {
namespace {

namespace fs = std::filesystem;

class Replay : public ::testing::TestWithParam<FuzzTarget> {};

TEST_P(Replay, EveryFileOfTheCorpusAndEveryBeginningOfItIsReadOrRefused) {
  const fs::path folder = fs::path(SDA_SOURCE_ROOT) / "fuzz/corpora" / GetParam().name;
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const size_t step = bytes.size() / 40 + 1;
    for (size_t n = 0; n < bytes.size(); n += step) {
      EXPECT_NO_THROW(GetParam().run(bytes.substr(0, n))) << entry.path() << ", " << n << " bytes";
    }
    EXPECT_NO_THROW(GetParam().run(bytes)) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0u);
}

INSTANTIATE_TEST_SUITE_P(Corpora, Replay, ::testing::ValuesIn(FuzzTargets()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace sda
