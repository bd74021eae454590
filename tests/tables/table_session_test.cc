#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "sda/errors.h"
#include "sda/tables.h"
#include "tables/table_fit.h"
#include "tests/base/forgery.h"
#include "tests/base/memory_in_use.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

std::string Bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string Rows(int rows) {
  std::string text = "u,v,y\n";
  for (int i = 0; i < rows; ++i) {
    const int u = i * 37 % 101;
    const int v = i * 53 % 97;
    text += std::to_string(u) + "," + std::to_string(v) + "," + (u + i % 40 > v ? "1" : "0") + "\n";
  }
  return text;
}

TableFitOptions OptionsFor(const std::string& model, const TemporaryFile& file) {
  TableFitOptions options;
  options.model = model;
  options.inputs = {file.path()};
  const bool has_target = FindTableModel(model).has_target;
  if (has_target) options.target = "y";
  if (model == "coin") options.columns = {"y"};
  options.minibatch = 50;
  return options;
}

std::string Saved(const TableSession& session) {
  const TemporaryFile file("");
  session.Save(file.path());
  return Bytes(file.path());
}

class Folder {
 public:
  Folder() : file_("") { std::filesystem::remove(file_.path()); }
  ~Folder() { std::filesystem::remove_all(file_.path()); }
  std::string path() const { return file_.path(); }

 private:
  TemporaryFile file_;
};

// Fits until this number of minibatches is folded.
Summary FitUntil(const TableFitOptions& options, const TableSaving& saving, uint64_t minibatches,
                 std::string* saved = nullptr) {
  const Context context;
  TableSession session(options, saving, context);
  const Summary summary = session.Run([&](const Summary& s) {
    if (s.minibatches >= minibatches) context.RequestStop();
  });
  if (saved != nullptr) *saved = Saved(session);
  EXPECT_FALSE(session.checkpoint_failure());
  return summary;
}

TEST(TableSession, AStoppedRunOfEveryModelResumesToTheSameBytes) {
  const TemporaryFile file(Rows(600));
  for (const TableModel& model : TableModels()) {
    for (const Schedule schedule : {Schedule::kSerial, Schedule::kSynchronous}) {
      TableFitOptions options = OptionsFor(model.name, file);
      if (model.clusters) options.first_minibatch = 100;
      options.schedule = schedule;
      options.workers = schedule == Schedule::kSerial ? 1 : 2;
      TableSession whole(options);
      const Summary at_once = whole.Run();
      EXPECT_EQ(at_once.counts.items, 600u);
      const Folder folder;
      TableSaving saving{.checkpoint = folder.path(), .checkpoint_every = "1"};
      const Summary first = FitUntil(options, saving, 3);
      EXPECT_TRUE(first.stopped);
      EXPECT_LT(first.counts.items, 600u);
      saving.resume = true;
      std::string resumed;
      const Summary all = FitUntil(options, saving, 1000, &resumed);
      EXPECT_EQ(all.counts.items, 600u) << model.name;
      EXPECT_EQ(all.minibatches, at_once.minibatches) << model.name;
      EXPECT_EQ(all.staleness_sum, at_once.staleness_sum) << model.name;
      EXPECT_DOUBLE_EQ(all.staleness_mean(), at_once.staleness_mean()) << model.name;
      EXPECT_FALSE(all.stopped);
      EXPECT_EQ(resumed, Saved(whole)) << model.name;
    }
  }
}

TEST(TableSession, ARunResumesOnlyWithItsOptions) {
  const TemporaryFile file(Rows(600));
  const Folder folder;
  TableFitOptions options = OptionsFor("linear", file);
  TableSaving saving{.checkpoint = folder.path(), .checkpoint_every = "1"};
  FitUntil(options, saving, 3);
  saving.resume = true;
  options.minibatch = 60;
  EXPECT_THAT(MessageOf<UsageError>([&] { TableSession(options, saving); }),
              testing::HasSubstr("--minibatch was 50, now 60"));
}

TEST(TableSession, SvmlightRowsAreResumedToo) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += (i * 37 % 101 > 50 ? "+1 1:" : "-1 1:") + std::to_string(i * 37 % 101) + " " +
            std::to_string(2 + i % 5) + ":1\n";
  }
  const TemporaryFile file(text);
  for (const char* covariance : {"dense", "diagonal"}) {
    TableFitOptions options;
    options.model = "probit";
    options.format = "svmlight";
    options.inputs = {file.path()};
    options.minibatch = 50;
    options.model_options["covariance"] = covariance;
    TableSession whole(options);
    whole.Run();
    const Folder folder;
    TableSaving saving{.checkpoint = folder.path(), .checkpoint_every = "1"};
    FitUntil(options, saving, 2);
    saving.resume = true;
    std::string resumed;
    FitUntil(options, saving, 1000, &resumed);
    EXPECT_EQ(resumed, Saved(whole)) << covariance;
  }
}

TEST(TableSession, ACheckpointWithoutTheClassesOfItsTargetIsRefused) {
  const TemporaryFile file(Rows(600));
  const TableFitOptions options = OptionsFor("probit", file);
  for (const std::string classes : {"[]", "[{}]"}) {
    const Folder folder;
    TableSaving saving{.checkpoint = folder.path(), .checkpoint_every = "1"};
    FitUntil(options, saving, 3);
    saving.resume = true;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      std::string bytes = BytesOf(entry.path());
      const std::string before = R"(\"categories\":[[],[],)";
      const size_t place = bytes.find(before);
      if (place == bytes.npos) continue;  // the lock
      std::string forged = classes;
      forged.resize(std::string_view(R"([\"1\",\"0\"])").size(), ' ');
      bytes.replace(place + before.size(), forged.size(), forged);
      WriteBytes(entry.path(), WithChecksum(bytes));
    }
    EXPECT_THAT(MessageOf<InputError>([&] { TableSession(options, saving); }),
                testing::AllOf(testing::StartsWith(folder.path() + "/checkpoint-"),
                               testing::HasSubstr(": cannot be resumed from: ")))
        << classes;
  }
}

TEST(TableSession, WithoutCheckpointsAStopKeepsTheRowsInHand) {
  const TemporaryFile file(Rows(600));
  const Summary summary = FitUntil(OptionsFor("normal", file), {}, 3);
  EXPECT_TRUE(summary.stopped);
  EXPECT_LT(summary.counts.items, 600u);
  EXPECT_GE(summary.counts.items, 150u);
}

TEST(TableSession, MemoryIsBackWhenSessionsAreGone) {
  const TemporaryFile file(Rows(600));
  auto fit_some = [&](int times) {
    for (int i = 0; i < times; ++i) {
      for (const char* model : {"linear", "logistic", "mixture"}) {
        TableSession session(OptionsFor(model, file), {}, Context(2));
        session.Run();
      }
    }
  };
  auto fit_in_two_threads = [&](int times) {
    std::jthread other([&] { fit_some(times); });
    fit_some(times);
  };
  fit_in_two_threads(2);  // what is made once is made now
  const int64_t before = MemoryInUse();
  fit_in_two_threads(17);  // 102 models
  EXPECT_LT(MemoryInUse(), before + 200'000);
}

}  // namespace
}  // namespace sda
