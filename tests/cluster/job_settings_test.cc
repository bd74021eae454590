#include "cluster/job_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/job.h"
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

Job StoredJob() {
  Job job{.id = "0123", .documents = "documents", .owns_documents = false};
  job.settings = SmallSettings().ToJson();
  return job;
}

TEST(StoredJobTest, ComesBackWithItsVersion) {
  const std::string stored = ToStored(StoredJob());
  EXPECT_THAT(stored, HasSubstr("\"version\":3"));
  const Job back = ParseStored(stored);
  EXPECT_EQ(back.id, "0123");
  EXPECT_EQ(back.documents, "documents");
  EXPECT_FALSE(back.owns_documents);
  EXPECT_EQ(back.settings, StoredJob().settings);
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
              AllOf(HasSubstr("has version 2, this sda reads version 3"),
                    HasSubstr("delete the job and create it again")));
  EXPECT_THAT(why(R"({"version":4})"), HasSubstr("install that one"));
  EXPECT_THAT(why(R"({"version":3})"), HasSubstr("has no field id"));
}

TEST(OpenJobTest, AJobIsOpenedWithItsSettings) {
  MockCluster brokers;
  const Job made = brokers.NewJob(SmallSettings(), 1);
  const Job job = OpenJob("job", brokers.client());
  EXPECT_EQ(job.id, made.id);
  EXPECT_EQ(job.settings, made.settings);
  EXPECT_NO_THROW(ExpectSameJob(job));
}

TEST(OpenJobTest, AJobOfVersion2IsRefusedWithWhatToDo) {
  MockCluster brokers;
  const Job job = brokers.NewJob(SmallSettings(), 1);
  brokers.Send(job.settings_topic(), 0,
               {{R"({"version":2,"id":"7","documents":"d","owns_documents":true,"settings":{}})",
                 "settings", R"({"id":"7","chunk":0,"chunks":1})"}});
  try {
    OpenJob("job", brokers.client());
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("job job has version 2"),
                                HasSubstr("delete the job and create it again")));
  }
}

}  // namespace
}  // namespace sda::cluster
