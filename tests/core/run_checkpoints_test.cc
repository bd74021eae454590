// The place at which a run begins that follows its input: kept before anything is learnt.

#include "core/run_checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/safe_file.h"
#include "sda/dense.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class StartOfRun : public ::testing::Test {
 protected:
  void TearDown() override {
    SafeFile::InjectFaults({});
    fs::remove_all(folder_);
  }

  CheckpointPlan Plan(const std::string& start) const {
    CheckpointPlan plan;
    plan.kind = "table";
    plan.folder = folder_;
    plan.resume = true;
    plan.options = {{"topics", 5}};
    plan.settings = nlohmann::json::object();
    plan.inputs = {log_.path()};
    plan.start = [start] { return start; };
    return plan;
  }

  // Of a run that has learnt from one minibatch.
  static void Learn(RunCheckpoints* checkpoints) {
    MemoryStore<Dense> store(Dense{0});
    Delta<Dense> delta;
    delta.change = Dense{1};
    delta.counts.items = 1;
    store.Add(std::move(delta));
    const auto saver = checkpoints->SaverOf({.copy = [&] { return CopyPosterior(store); },
                                             .progress =
                                                 [](const IdSet&) {
                                                   Progress progress;
                                                   progress.position = "after one";
                                                   progress.next = 1;
                                                   return progress;
                                                 },
                                             .fixed = {},
                                             .state = {},
                                             .minibatches_before = 0,
                                             .save_model = {}});
    Summary summary;
    summary.minibatches = 1;
    saver->Observe(summary);
    saver->Finish();
  }

  const TemporaryFile log_{"some text\n"};
  const std::string folder_ =
      (fs::path(::testing::TempDir()) / ("sda_start_" + std::to_string(getpid()))).string();
};

TEST_F(StartOfRun, IsKeptBeforeAnythingIsLearnt) {
  { RunCheckpoints first(Plan("file 1")); }  // and is killed
  const RunCheckpoints second(Plan("file 2"));
  EXPECT_EQ(second.last(), nullptr);
  EXPECT_EQ(second.start(), "file 1");
}

TEST_F(StartOfRun, IsKeptAgainWhenMoreIsKnownUntilSomethingIsLearnt) {
  {
    RunCheckpoints first(Plan("file 1"));
    first.KeepStart("file 1, of 2000 bytes");
  }
  {
    RunCheckpoints second(Plan("file 2"));
    EXPECT_EQ(second.start(), "file 1, of 2000 bytes");
    Learn(&second);
    second.KeepStart("file 1, of 4000 bytes");
  }
  const RunCheckpoints third(Plan("file 2"));
  ASSERT_NE(third.last(), nullptr);
  EXPECT_EQ(third.last()->progress.position, "after one");
}

TEST_F(StartOfRun, IsACheckpointForOptionsAndDamage) {
  { RunCheckpoints first(Plan("file 1")); }
  CheckpointPlan plan = Plan("file 2");
  plan.options["topics"] = 6;
  EXPECT_THAT(MessageOf<UsageError>([&] { RunCheckpoints again(plan); }),
              HasSubstr("--topics was 5, now 6"));
  plan = Plan("file 2");
  plan.resume = false;
  EXPECT_THAT(MessageOf<UsageError>([&] { RunCheckpoints again(plan); }),
              HasSubstr("holds checkpoints of an earlier run"));
  EXPECT_EQ(ReadStoredOptions(folder_, Context())->options.at("topics"), 5);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().filename() != "lock") std::ofstream(entry.path(), std::ios::app) << "x";
  }
  EXPECT_THROW(RunCheckpoints(Plan("file 2")), InputError);
}

// With a right checksum.
TEST_F(StartOfRun, NotesThatNoRunWroteAreAnErrorOfTheFile) {
  constexpr size_t kDepth = 2'000'000;
  const std::string nested = std::string(kDepth, '[') + std::string(kDepth, ']');
  const std::string good =
      R"({"version": 1, "kind": "table", "options": {"topics": 5}, "settings": "", )"
      R"("directory": "/", "inputs": [], "fixed": null, "state": null})";
  const auto with = [&](const std::string& was, const std::string& is) {
    std::string text = good;
    return text.replace(text.find(was), was.size(), is);
  };
  const std::string path = folder_ + "/checkpoint-000001";
  for (const std::string& text :
       {with("[]", "[7]"), with("\"state\": null", "\"state\": " + nested)}) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    Checkpoint::Write(
        path, IdSet(), [](const ByteSink&) {}, {}, text);
    EXPECT_THAT(MessageOf<InputError>([&] { RunCheckpoints again(Plan("file 2")); }),
                HasSubstr(path + ": is not a checkpoint of such a run: "));
  }
}

TEST_F(StartOfRun, ThatCannotBeKeptIsNoStart) {
  SafeFile::InjectFaults(
      [](SaveStep step, size_t*) { return step == SaveStep::kSync ? ENOSPC : 0; });
  EXPECT_THROW(RunCheckpoints(Plan("file 1")), IoError);
  SafeFile::InjectFaults({});
  EXPECT_EQ(RunCheckpoints(Plan("file 2")).start(), "file 2");
}

TEST_F(StartOfRun, IsNotNeededForInputsThatKeepTheirNames) {
  CheckpointPlan plan = Plan("");
  plan.start = {};
  { RunCheckpoints first(plan); }
  plan.options["topics"] = 6;  // nothing was learnt with the other
  EXPECT_EQ(RunCheckpoints(plan).last(), nullptr);
}

}  // namespace
}  // namespace sda
