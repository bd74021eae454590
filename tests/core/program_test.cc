// A program of the user's own: its checkpoints, and the summary of all runs.

#include "sda/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/run_checkpoints.h"
#include "tests/base/temporary_file.h"
#include "tests/core/test_primitives.h"

namespace sda {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class ProgramTest : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  ProgramOptions Options(bool resume) const {
    ProgramOptions options;
    options.run = MakeOptions(Schedule::kAsynchronous, 2);
    options.checkpoint = folder_;
    options.resume = resume;
    options.context = Context(2);
    return options;
  }

  // A run over that many minibatches; minibatch 0, if it is not yet folded, starts from the prior
  // and waits for nine others.
  Summary RunOver(size_t minibatches, bool resume) const {
    std::atomic<uint64_t> folded = 0;
    std::atomic<bool> begun = resume;
    const FunctionPrimitive<Numbers, Dense> primitive([&](const Numbers& data, const Dense& prior) {
      if (data[0] == 1) begun = true;
      while (!begun) std::this_thread::yield();
      while (data[0] == 1 && folded < 9) std::this_thread::yield();
      return AddUp(data, prior);
    });
    MemorySource<Numbers> source(Counting(minibatches));
    MemoryStore<Dense> store(Dense{0, 0});
    return RunProgram(source, primitive, store, Options(resume), "numbers",
                      [&](const Summary& s) { folded = s.minibatches; });
  }

  const std::string folder_ =
      (fs::path(::testing::TempDir()) / ("sda_program_" + std::to_string(getpid()))).string();
};

TEST_F(ProgramTest, TheStalenessOfARunThatIsResumedIsThatOfAllItsMinibatches) {
  const Summary first = RunOver(10, false);
  ASSERT_GE(first.staleness_sum, 9u);
  EXPECT_EQ(first.staleness_max, 9u);
  const Summary both = RunOver(11, true);  // the one more is alone, and not stale
  EXPECT_EQ(both.minibatches, 11u);
  EXPECT_EQ(both.counts.items, 11u);
  EXPECT_EQ(both.staleness_max, 9u);
  EXPECT_EQ(both.staleness_sum, first.staleness_sum);
  EXPECT_DOUBLE_EQ(both.staleness_mean(), static_cast<double>(first.staleness_sum) / 11);
  EXPECT_GT(both.seconds, first.seconds);
}

TEST_F(ProgramTest, ABadOptionIsAnErrorOfUsage) {
  EXPECT_THROW(SaveOptionsOf("often"), UsageError);
  EXPECT_THROW(ParseProgramOptions(3, std::vector<const char*>{"p", "--workers", "x"}.data()),
               UsageError);
}

TEST_F(ProgramTest, AnotherOptionThanTheRunBeganWithIsAnErrorOfUsage) {
  RunOver(10, false);
  ProgramOptions options = Options(true);
  options.values["prior"] = "7";
  EXPECT_THROW(ProgramCheckpoints(options, "numbers"), UsageError);
}

TEST_F(ProgramTest, ADamagedCheckpointIsAnErrorOfInput) {
  RunOver(10, false);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().filename() != "lock") std::ofstream(entry.path()) << "rubbish";
  }
  EXPECT_THROW(ProgramCheckpoints(Options(true), "numbers"), InputError);
}

TEST_F(ProgramTest, AFolderThatCannotBeMadeIsAnErrorOfTheWorld) {
  const TemporaryFile file("no folder");
  ProgramOptions options = Options(false);
  options.checkpoint = file.path();
  EXPECT_THROW(ProgramCheckpoints(options, "numbers"), IoError);
  options.checkpoint = file.path() + "/within";
  EXPECT_THROW(ProgramCheckpoints(options, "numbers"), IoError);
}

}  // namespace
}  // namespace sda
