#include "sda/checkpoint.h"

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/safe_file.h"
#include "sda/corpus.h"
#include "sda/dense.h"
#include "sda/keyed_rows.h"
#include "tests/base/forgery.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace fs = std::filesystem;

Snapshot<KeyedRows> Sample() {
  Snapshot<KeyedRows> sample{KeyedRows({0.1, 0.2}), {}, {}};
  for (const uint64_t key : {9, 3, 40000}) sample.params.Add(key, std::vector<double>{1.0 / 3, 2});
  for (const uint64_t id : {0, 1, 2, 4, 7}) sample.folded.Insert(id);
  return sample;
}

Progress SampleProgress() {
  return {"corpus-1 0", 3, {31, 300, 2, 1}, {{4, {10, 90, 1, 0}}, {7, {12, 110, 0, 4}}}, {10, 9}};
}

class CheckpointTest : public ::testing::Test {
 protected:
  void TearDown() override {
    SafeFile::InjectFaults({});
    fs::remove_all(folder_);
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name != "lock") names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  const std::string folder_ =
      (fs::path(::testing::TempDir()) / ("sda_checkpoint_" + std::to_string(getpid()))).string();
};

TEST_F(CheckpointTest, WhatIsWrittenIsReadBitForBit) {
  CheckpointFolder folder(folder_);
  folder.Write(Sample(), SampleProgress(), "any \"notes\"");
  std::vector<std::string> damage;
  const auto read = folder.LoadLast(&damage);
  ASSERT_TRUE(read);
  EXPECT_THAT(damage, IsEmpty());
  EXPECT_EQ(read->notes, "any \"notes\"");
  EXPECT_EQ(read->folded, Sample().folded);
  EXPECT_EQ(read->progress.position, "corpus-1 0");
  EXPECT_EQ(read->progress.next, 3u);
  EXPECT_EQ(read->progress.after, SampleProgress().after);
  EXPECT_EQ(read->progress.cut, SampleProgress().cut);
  EXPECT_EQ(read->progress.total(), (Counts{53, 500, 3, 5}));
  const auto posterior = read->Posterior<KeyedRows>();
  EXPECT_EQ(posterior.params.Serialize(), Sample().params.Serialize());
  EXPECT_EQ(posterior.folded, Sample().folded);
  EXPECT_EQ(posterior.counts, (Counts{53, 500, 3, 5}));
}

TEST_F(CheckpointTest, ParametersOfAnotherKindAreRefused) {
  CheckpointFolder folder(folder_);
  folder.Write(Snapshot<Dense>{Dense({1, 2, 3}), {}, {}}, {}, "");
  std::vector<std::string> damage;
  const auto read = folder.LoadLast(&damage);
  EXPECT_EQ(read->Posterior<Dense>().params, Dense({1, 2, 3}));
  EXPECT_THAT(MessageOf<InputError>([&] { read->Posterior<KeyedRows>(); }), HasSubstr(read->path));
}

TEST_F(CheckpointTest, TheLastTwoAreKept) {
  CheckpointFolder folder(folder_);
  for (int i = 1; i <= 5; ++i) folder.Write(Sample(), {}, std::to_string(i));
  EXPECT_EQ(Files(), (std::vector<std::string>{"checkpoint-000004", "checkpoint-000005"}));
}

TEST_F(CheckpointTest, EveryFlippedByteAndEveryShorterFileIsFoundAndNamed) {
  CheckpointFolder(folder_).Write(Sample(), SampleProgress(), "notes");
  const std::string path = folder_ + "/checkpoint-000001";
  const std::string bytes = BytesOf(path);
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      WriteBytes(path, bad);
      EXPECT_THAT(MessageOf<InputError>([&] { Checkpoint::Load(path); }),
                  HasSubstr(path + ": is damaged"))
          << i;
    }
    WriteBytes(path, bytes.substr(0, i));
    EXPECT_THAT(MessageOf<InputError>([&] { Checkpoint::Load(path); }),
                HasSubstr(path + ": is damaged"))
        << i;
  }
  WriteBytes(path, bytes + "x");
  EXPECT_THROW(Checkpoint::Load(path), InputError);
  WriteBytes(path, bytes);
  EXPECT_EQ(Checkpoint::Load(path).notes, "notes");
}

TEST_F(CheckpointTest, TheOneBeforeADamagedOneIsUsedAndThisIsSaid) {
  CheckpointFolder folder(folder_);
  folder.Write(Sample(), {}, "first");
  folder.Write(Sample(), {}, "second");
  WriteBytes(folder_ + "/checkpoint-000002", "rubbish, but as long as a checkpoint is at least");
  std::vector<std::string> damage;
  EXPECT_EQ(folder.LoadLast(&damage)->notes, "first");
  ASSERT_THAT(damage, SizeIs(1));
  EXPECT_THAT(damage[0], HasSubstr("checkpoint-000002: is damaged"));
  WriteBytes(folder_ + "/checkpoint-000001", "");
  damage.clear();
  EXPECT_THAT(MessageOf<InputError>([&] { folder.LoadLast(&damage); }),
              HasSubstr("there is no other checkpoint"));
}

TEST_F(CheckpointTest, ADamagedOneIsNotCountedAndGoesOnlyWhenThereIsABetterOne) {
  {
    CheckpointFolder folder(folder_);
    folder.Write(Sample(), {}, "first");
    folder.Write(Sample(), {}, "second");
  }
  fs::resize_file(folder_ + "/checkpoint-000002", 100);
  CheckpointFolder folder(folder_);
  std::vector<std::string> damage;
  EXPECT_EQ(folder.LoadLast(&damage)->notes, "first");
  SafeFile::InjectFaults([](SaveStep step, size_t*) { return step == SaveStep::kSync ? EIO : 0; });
  EXPECT_THROW(folder.Write(Sample(), {}, "third"), IoError);
  EXPECT_EQ(Files(), (std::vector<std::string>{"checkpoint-000001", "checkpoint-000002"}));
  SafeFile::InjectFaults({});
  folder.Write(Sample(), {}, "third");
  EXPECT_EQ(Files(), (std::vector<std::string>{"checkpoint-000001", "checkpoint-000003"}));
  folder.Write(Sample(), {}, "fourth");
  EXPECT_EQ(Files(), (std::vector<std::string>{"checkpoint-000003", "checkpoint-000004"}));
}

TEST_F(CheckpointTest, AFailedWriteLeavesTheLastGoodOnes) {
  CheckpointFolder folder(folder_);
  folder.Write(Sample(), {}, "first");
  folder.Write(Sample(), {}, "second");
  for (const SaveStep bad :
       {SaveStep::kOpen, SaveStep::kWrite, SaveStep::kSync, SaveStep::kClose, SaveStep::kRename}) {
    SafeFile::InjectFaults([bad](SaveStep step, size_t*) { return step == bad ? ENOSPC : 0; });
    EXPECT_THAT(MessageOf<IoError>([&] { folder.Write(Sample(), {}, "third"); }),
                HasSubstr("No space left on device"));
    EXPECT_EQ(Files(), (std::vector<std::string>{"checkpoint-000001", "checkpoint-000002"}));
  }
  std::vector<std::string> damage;
  EXPECT_EQ(folder.LoadLast(&damage)->notes, "second");
}

TEST_F(CheckpointTest, AFolderIsForOneRunAtATime) {
  {
    const CheckpointFolder folder(folder_);
    EXPECT_EQ(MessageOf<std::runtime_error>([&] { CheckpointFolder second(folder_); }),
              folder_ + ": is in use by another run");
  }
  const CheckpointFolder free_again(folder_);
}

TEST(GrownFile, IsReadOnButNotWithinItsLastLine) {
  for (const bool ended : {true, false}) {
    const TemporaryFile file(std::string("cat dog\nfish sea") + (ended ? "\n" : ""));
    CorpusOptions options;
    options.inputs = {file.path()};
    options.format = CorpusFormat::kText;
    options.vocabulary = {"cat", "dog", "fish", "sea"};
    const std::string position = CorpusSource(options).Next()->position;
    CorpusSource same(options);
    same.Resume(position, {});
    EXPECT_FALSE(same.Next());
    std::ofstream(file.path(), std::ios::app) << " cat\n";
    CorpusSource grown(options);
    if (ended) {
      grown.Resume(position, {});
      EXPECT_EQ(grown.Next()->counts.items, 1u);
    } else {
      EXPECT_THAT(MessageOf<InputError>([&] { grown.Resume(position, {}); }),
                  HasSubstr("the line that was its last has grown since"));
    }
  }
}

TEST_F(CheckpointTest, OneThatIsCutOrChangedAfterItWasLoadedIsNamedAndNoSignal) {
  CheckpointFolder(folder_).Write(Sample(), SampleProgress(), "notes");
  const std::string path = folder_ + "/checkpoint-000001";
  const std::string bytes = BytesOf(path);
  const Checkpoint loaded = Checkpoint::Load(path);
  EXPECT_EQ(loaded.Posterior<KeyedRows>().params.rows(), 3u);
  std::string changed = bytes;
  changed[bytes.size() - 10] ^= 1;
  WriteBytes(path, changed);
  EXPECT_EQ(MessageOf<InputError>([&] { loaded.Posterior<KeyedRows>(); }),
            path + ": was changed while it was read");
  WriteBytes(path, bytes.substr(0, bytes.size() - 10));
  EXPECT_THAT(MessageOf<InputError>([&] { loaded.Posterior<KeyedRows>(); }),
              HasSubstr(path + ": was cut off while it was read"));
}

TEST_F(CheckpointTest, ALockThatIsALinkIsNotFollowed) {
  fs::create_directory(folder_);
  fs::create_symlink("elsewhere", folder_ + "/lock");
  EXPECT_THAT(MessageOf<IoError>([&] { CheckpointFolder{folder_}; }),
              HasSubstr(folder_ + "/lock: cannot write"));
  EXPECT_FALSE(fs::exists(folder_ + "/elsewhere"));
}

TEST_F(CheckpointTest, WhatAKilledSaveLeftIsRemoved) {
  { CheckpointFolder folder(folder_); }
  WriteBytes(folder_ + "/checkpoint-000001.tmp.0123456789abcdef", "half");
  const CheckpointFolder folder(folder_);
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_TRUE(folder.empty());
}

TEST_F(CheckpointTest, CountsBelowZeroAreRefused) {
  CheckpointFolder folder(folder_);
  folder.Write(Sample(), SampleProgress(), "notes");
  const std::string path = folder_ + "/checkpoint-000001";
  const std::string bytes = BytesOf(path);
  for (const std::string number : {"31,300", "12,110"}) {
    const size_t at = bytes.find(number);
    ASSERT_NE(at, bytes.npos) << number;
    std::string forged = bytes;
    forged[at] = '-';
    WriteBytes(path, WithChecksum(forged));
    EXPECT_THAT(MessageOf<InputError>([&] { Checkpoint::Load(path); }),
                HasSubstr("not a count: -"));
    forged[at] = '4';
    WriteBytes(path, WithChecksum(forged));
    EXPECT_NO_THROW(Checkpoint::Load(path));
  }
}

TEST_F(CheckpointTest, CountsThatNoModelCouldSayAreRefused) {
  constexpr uint64_t kMost = uint64_t{1} << 59;
  auto message = [&](const IdSet& folded, const Progress& progress) {
    const std::string path = folder_ + "/checkpoint-000001";
    Checkpoint::Write(
        path, folded, [](const ByteSink&) {}, progress, "");
    return MessageOf<InputError>([&] { Checkpoint::Load(path); });
  };
  const CheckpointFolder folder(folder_);
  const IdSet one = IdSet::FirstOnes(1);
  EXPECT_EQ(message(one, {"", 1, {kMost, kMost, 0, 0}, {}, {}}), "");
  EXPECT_THAT(message(one, {"", 1, {1, kMost + 1, 0, 0}, {}, {}}),
              HasSubstr("the number of tokens is 576460752303423489, must be at most"));
  EXPECT_THAT(message(one, {"", 1, {kMost, 1, 0, 0}, {{2, {1, 1, 0, 0}}}, {}}),
              HasSubstr("the number of items is"));
  EXPECT_THAT(message(one, {"", 1, {1, 1, 0, 0}, {{2, {uint64_t{1} << 63, 1, 0, 0}}}, {}}),
              HasSubstr("the number of items is"));
  EXPECT_THAT(message(IdSet::FirstOnes(kMost + 1), {"", 1, {1, 1, 0, 0}, {}, {}}),
              HasSubstr("the number of minibatches is"));
}

TEST_F(CheckpointTest, OneOfAnOlderFormatIsRefusedWithWhatToDo) {
  CheckpointFolder folder(folder_);
  folder.Write(Sample(), SampleProgress(), "first");
  folder.Write(Sample(), SampleProgress(), "second");
  const std::string path = folder_ + "/checkpoint-000002";
  std::string bytes = BytesOf(path);
  const std::string mark = "sda checkpoint 2";
  ASSERT_TRUE(bytes.starts_with(mark));
  bytes[mark.size() - 1] = '1';
  WriteBytes(path, bytes);
  const std::string advice = path +
                             ": was written by an earlier version of sda; finish the run with "
                             "that version, or remove the folder to start again";
  EXPECT_EQ(MessageOf<InputError>([&] { Checkpoint::Load(path); }), advice);
  std::vector<std::string> damage;
  EXPECT_EQ(MessageOf<InputError>([&] { folder.LoadLast(&damage); }), advice);
  EXPECT_THAT(damage, IsEmpty()) << "it is not damaged";
}

}  // namespace
}  // namespace sda
