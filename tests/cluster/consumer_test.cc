#include "cluster/kafka/consumer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/cluster/mock_cluster.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;

Properties InGroup(const MockCluster& brokers) {
  Properties properties = brokers.client();
  properties["group.id"] = "group";
  return properties;
}

// Polls until it throws; what it says then.
std::string PollUntilItThrows(Consumer* consumer) {
  std::string what;
  Eventually([&] {
    try {
      consumer->PollGroup(milliseconds(50));
      return false;
    } catch (const std::exception& e) {
      what = e.what();
      return true;
    }
  });
  return what;
}

TEST(ConsumerOnBrokersTest, WhatACallbackThrowsWhenPartitionsComeComesOutOfThePoll) {
  MockCluster brokers;
  const Job job = brokers.NewJob(SmallSettings(), 2);
  Consumer consumer(InGroup(brokers));
  consumer.Subscribe(job.documents, {[](const auto&) -> std::map<int32_t, int64_t> {
                                       throw std::runtime_error("cannot begin");
                                     },
                                     [](const auto&, bool) {}});
  EXPECT_EQ(PollUntilItThrows(&consumer), "cannot begin");
  EXPECT_THROW(consumer.Poll(milliseconds(0)), std::runtime_error);  // and out of every later one
}

TEST(ConsumerOnBrokersTest, WhatACallbackThrowsWhenPartitionsGoDoesNotEndTheProgram) {
  MockCluster brokers;
  const Job job = brokers.NewJob(SmallSettings(), 2);
  bool assigned = false;
  Consumer consumer(InGroup(brokers));
  consumer.Subscribe(job.documents,
                     {[&](const auto&) {
                        assigned = true;
                        return std::map<int32_t, int64_t>{};
                      },
                      [](const auto&, bool) { throw std::runtime_error("cannot give them up"); }});
  ASSERT_TRUE(Eventually([&] {
    consumer.PollGroup(milliseconds(50));
    return assigned;
  }));
  consumer.Close();  // calls it
}

TEST(ConsumerOnBrokersTest, MessagesHaveKeyTimeAndOffset) {
  MockCluster brokers;
  const Job job = brokers.NewJob(SmallSettings(), 1);
  brokers.Send(job.documents, 0, {{.value = "one", .key = "a"}, {.value = "two"}});
  Consumer consumer(InGroup(brokers));
  consumer.Assign(job.documents, 0, kFromBeginning);
  std::vector<std::string> seen;
  ASSERT_TRUE(Eventually([&] {
    const auto message = consumer.Poll(milliseconds(50));
    if (!message || message->at_end()) return message.has_value();
    EXPECT_GT(message->milliseconds(), 1'500'000'000'000);
    seen.push_back(std::string(message->key()) + ":" + std::string(message->value()) + "@" +
                   std::to_string(message->offset()));
    return false;
  }));
  EXPECT_THAT(seen, testing::ElementsAre("a:one@0", ":two@1"));
}

TEST(ConsumerOnBrokersTest, OffsetsOfAPartition) {
  MockCluster brokers;
  const Job job = brokers.NewJob(SmallSettings(), 2);
  brokers.SendTexts(job.documents, 1, {"one", "two", "three"});
  const Client client(brokers.client());
  EXPECT_EQ(client.Offsets(job.documents, 0).end, 0);
  EXPECT_EQ(client.BeginOffset(job.documents, 1), 0);
  EXPECT_EQ(client.EndOffset(job.documents, 1), 3);
  EXPECT_THROW(client.EndOffset(job.documents, 2), KafkaError);
}

// A worker that is told to stop then must not wait for the brokers to come back.
TEST(ConsumerOnBrokersTest, AQuestionForOffsetsEndsWhileTheBrokersAreAway) {
  MockCluster brokers;
  const Job job = brokers.NewJob(SmallSettings(), 1);
  Client client(brokers.client());
  client.set_timeout(milliseconds(500));
  ASSERT_EQ(client.EndOffset(job.documents, 0), 0);  // it knows where the partition is
  brokers.SetDown();
  auto asked = std::async(std::launch::async, [&] { return client.EndOffset(job.documents, 0); });
  const bool ended = asked.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  brokers.SetUp();
  EXPECT_TRUE(ended);
  EXPECT_THROW(asked.get(), KafkaError);
}

}  // namespace
}  // namespace sda::cluster
