#include "cluster/job_settings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/job.h"
#include "cluster/log/note_json.h"
#include "cluster/stored_job.h"
#include "sda/errors.h"
#include "tests/cluster/mock_cluster.h"

namespace sda::cluster {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(JobSettingsTest, ComeBackFromJson) {
  const JobSettings settings = SmallSettings();
  const JobSettings back = JobSettings::FromJson(settings.ToJson());
  EXPECT_EQ(back.ToJson(), settings.ToJson());
  EXPECT_EQ(back.options.topics, 3);
  EXPECT_EQ(back.vocabulary, settings.vocabulary);
  EXPECT_EQ(back.transport, Transport::kDouble);
}

TEST(JobSettingsTest, HaveNamesOfTheirOwnAndNoFlags) {
  const std::string json = SmallSettings().ToJson();
  EXPECT_THAT(json, HasSubstr("\"topics\":3"));
  EXPECT_EQ(json.find("--"), std::string::npos) << json;
}

TEST(JobSettingsTest, AreSettled) {
  JobSettings settings;
  settings.options.topics = 10;
  settings = settings.Settled();
  EXPECT_EQ(settings.options.primitive, "gibbs");
  EXPECT_EQ(settings.options.format, "text");
  EXPECT_TRUE(settings.options.eta && settings.options.minibatch &&
              settings.options.first_minibatch);
}

TEST(JobSettingsTest, WhatAJobCannotHaveIsRefused) {
  auto refused = [](const std::function<void(TopicOptions*)>& change) {
    JobSettings settings;
    change(&settings.options);
    EXPECT_THROW(settings.Settled(), UsageError);
  };
  refused([](auto* o) { o->format = "uci"; });
  refused([](auto* o) { o->format = "ldac"; });  // without words
  refused([](auto* o) { o->stop_words = "file"; });
  refused([](auto* o) { o->primitive = "ep"; });
  refused([](auto* o) { o->algorithm = "svi"; });
  refused([](auto* o) { o->worker_prior = WorkerPrior::kFixedPrior; });  // by sampling
  refused([](auto* o) { o->half_life = -1; });
  refused([](auto* o) { o->topics = 0; });
  JobSettings fixed;
  fixed.options.primitive = "vb";
  fixed.options.worker_prior = WorkerPrior::kFixedPrior;
  EXPECT_NO_THROW(fixed.Settled());
}

TEST(JobSettingsTest, DamagedJsonIsRefused) {
  const std::string good = SmallSettings().ToJson();
  for (size_t i = 0; i < good.size(); i += 7) {
    EXPECT_THROW(JobSettings::FromJson(good.substr(0, i)), InputError);
  }
  EXPECT_THROW(JobSettings::FromJson("{}"), InputError);
  std::string bad = good;
  bad.replace(bad.find("\"topics\":3"), 10, "\"topics\":0");
  EXPECT_THROW(JobSettings::FromJson(bad), InputError);
}

Job SomeJob() {
  Job job{.id = "0123", .documents = "documents", .owns_documents = false};
  job.settings = SmallSettings().ToJson();
  return job;
}

TEST(StoredJobTest, ComesBackWithItsVersion) {
  const std::string stored = ToStored(SomeJob());
  EXPECT_THAT(stored, HasSubstr(fmt::format("\"version\":{}", kLogVersion)));
  const Job back = ParseStored(stored);
  EXPECT_EQ(back.id, "0123");
  EXPECT_EQ(back.documents, "documents");
  EXPECT_FALSE(back.owns_documents);
  EXPECT_EQ(back.settings, SomeJob().settings);
}

TEST(StoredJobTest, AnotherVersionIsRefusedWithWhatToDo) {
  auto why = [](const std::string& text) -> std::string {
    try {
      ParseStored(text);
      return "";
    } catch (const InputError& e) {
      return e.what();
    }
  };
  EXPECT_THAT(why(R"({"version":2,"id":"x","documents":"d","owns_documents":true,"settings":{}})"),
              AllOf(HasSubstr(fmt::format("has version 2, this sda reads version {}", kLogVersion)),
                    HasSubstr("delete the job and create it again")));
  EXPECT_THAT(why(fmt::format(R"({{"version":{}}})", kLogVersion + 1)),
              HasSubstr("install that one"));
  EXPECT_THAT(why(fmt::format(R"({{"version":{}}})", kLogVersion)), HasSubstr("has no field id"));
}

TEST(StoredJobTest, SettingsThatAreNestedDeeplyAreRefused) {
  constexpr size_t kDepth = 400'000;  // what fits into a message
  std::string stored = ToStored(SomeJob());
  stored.insert(1, "\"x\":" + std::string(kDepth, '[') + std::string(kDepth, ']') + ",");
  EXPECT_THROW(ParseStored(stored), InputError);
}

TEST(OpenJobTest, AJobIsOpenedWithItsSettings) {
  MockCluster brokers;
  const Job made = brokers.NewJob(SmallSettings(), 1);
  const Job job = OpenJob("job", brokers.client());
  EXPECT_EQ(job.id, made.id);
  EXPECT_EQ(job.settings, made.settings);
  EXPECT_NO_THROW(ExpectSameJob(job));
}

// The settings' topic of a job that is only this.
std::string WhyNotOpened(const std::vector<MockCluster::Sent>& messages) {
  MockCluster brokers;
  brokers.NewTopics("job", 1);
  brokers.Send("sda.job.log.settings", 0, messages);
  try {
    OpenJob("job", brokers.client());
    return "";
  } catch (const InputError& e) {
    return e.what();
  }
}

constexpr char kOneChunk[] = R"({"id":"7","chunk":0,"chunks":1})";

TEST(OpenJobTest, AJobOfVersion2IsRefusedWithWhatToDo) {
  EXPECT_THAT(
      WhyNotOpened({{R"({"version":2,"id":"7","documents":"d","owns_documents":true})", "settings",
                     kOneChunk}}),
      AllOf(HasSubstr("job job has version 2"), HasSubstr("delete the job and create it again")));
}

TEST(OpenJobTest, SettingsThatCannotBeUsedAreNamedByTopicAndOffset) {
  EXPECT_THAT(WhyNotOpened({{"{}", "settings", kOneChunk}}),
              AllOf(HasSubstr("topic sda.job.log.settings, partition 0, offset 0"),
                    HasSubstr("delete the job")));
}

// What anyone who may write there could send, before the settings and after them.
std::vector<MockCluster::Sent> NotSettings(const Job& job) {
  Job other = job;
  other.id = "forged";
  const std::string good = ToStored(other);
  auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return MockCluster::Sent{text, "settings", kOneChunk};
  };
  return {{"", "settings", ""},
          {"", "settings", kOneChunk},
          {"{}", "settings", kOneChunk},
          {"null", "settings", kOneChunk},
          {good, "settings", ""},
          {good, "settings", "not JSON"},
          {good, "settings", R"({"id":"7","chunk":0,"chunks":1000000})"},
          {good, "settings", R"({"id":"7","chunk":5,"chunks":2})"},
          {good, "settings", R"({"id":7,"chunk":"a","chunks":[]})"},
          with("\"topics\":3", "\"topics\":\"3\""),
          with("\"topics\":3", "\"topics\":-3"),
          with("\"format\":\"text\"", "\"format\":\"uci\""),
          with("\"vocab\":\"\"", "\"vocab\":\"/etc/passwd\""),
          with("\"owns_documents\":true", "\"owns_documents\":\"yes\""),
          with("\"id\":\"forged\"", "\"id\":{}"),
          with("\"snapshot_every\":0", "\"snapshot_every\":-1")};
}

TEST(OpenJobTest, TheFirstSettingsThatCanBeUsedCount) {
  MockCluster brokers;
  const Job job = brokers.NewTopics("job", 1, SmallSettings());
  const std::vector<MockCluster::Sent> not_settings = NotSettings(job);
  brokers.Send(job.settings_topic(), 0, not_settings);
  brokers.Send(job.settings_topic(), 0,
               {{ToStored(job), "settings", ToHeader(ChunkNote{.id = job.id})}});
  Job other = job;
  other.id = "forged";
  brokers.Send(job.settings_topic(), 0, not_settings);
  brokers.Send(job.settings_topic(), 0,
               {{ToStored(other), "settings", ToHeader(ChunkNote{.id = other.id})}});
  EXPECT_EQ(OpenJob("job", brokers.client()).id, job.id);
  EXPECT_NO_THROW(ExpectSameJob(job));

  const StoredJob stored = ReadStoredJob(job, job.settings_topic(), ReadSettings::kToEnd);
  ASSERT_TRUE(stored.job);
  EXPECT_EQ(stored.job->settings, job.settings);
  // And the whole settings that come later.
  EXPECT_EQ(stored.set_aside.size(), 2 * not_settings.size() + 1);
  for (const SetAside& letter : stored.set_aside) {
    EXPECT_EQ(letter.topic, job.settings_topic());
    EXPECT_FALSE(letter.reason.empty());
  }
  EXPECT_EQ(stored.set_aside.back().offset, static_cast<int64_t>(2 * not_settings.size() + 1));
}

TEST(StoredJobTest, AnOlderJobIsKnownByItsVersionAndId) {
  MockCluster brokers;
  const Job named{.name = "old", .client = brokers.client()};
  brokers.NewTopic("sda.old.settings", 1);
  brokers.Send(
      "sda.old.settings", 0,
      {{R"({"version":3,"id":"7","documents":"d","owns_documents":true})", "settings", kOneChunk}});
  const StoredJob stored = ReadStoredJob(named, "sda.old.settings", ReadSettings::kUntilFirst);
  EXPECT_FALSE(stored.job);
  EXPECT_EQ(stored.id, "7");
  EXPECT_THAT(stored.other_version, AllOf(HasSubstr("has version 3"), HasSubstr("use that one")));
}

}  // namespace
}  // namespace sda::cluster
