#include "cluster/worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sda/errors.h"
#include "tests/cluster/mock_cluster.h"

namespace sda::cluster {
namespace {

using testing::HasSubstr;

class WorkerTest : public testing::Test {
 protected:
  void SendDocuments(int count) {
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) {
      texts.emplace_back(i % 2 == 0 ? "apple banana cherry" : "dog elephant fox dog");
    }
    for (int partition = 0; partition < 2; ++partition) {
      brokers_.SendTexts(job_.documents, partition, texts);
    }
  }
  // Sum of the posterior beyond the prior, which must be the tokens learnt from.
  double Mass() const {
    LogView view(job_, SmallSettings().Prior());
    view.CatchUp();
    const LogView::Copy now = view.CopyAll();
    double sum = 0;
    for (const double total : now.posterior.totals()) sum += total;
    return sum;
  }

  MockCluster brokers_;
  CollectedLog log_;
  const Job job_ = brokers_.NewJob(SmallSettings(), 2);
};

TEST_F(WorkerTest, LearnsEveryDocumentOnce) {
  SendDocuments(20);
  Worker worker(job_, {.name = "w", .until_caught_up = true}, log_.context());
  worker.Run();
  EXPECT_EQ(worker.summary().counts.items, 40);
  EXPECT_EQ(worker.summary().counts.tokens, 140);
  EXPECT_NEAR(Mass(), 140, 1e-6);
  const WorkerNumbers numbers = worker.Numbers();
  EXPECT_EQ(numbers.documents, 40);
  EXPECT_GT(numbers.minibatches, 3);
  EXPECT_GT(numbers.computing_seconds, 0);
  EXPECT_EQ(numbers.lost, 0);
}

TEST_F(WorkerTest, ScoresDocumentsBeforeTheyAreLearnt) {
  SendDocuments(20);
  Worker worker(job_, {.name = "w", .until_caught_up = true}, log_.context());
  worker.Run();
  std::vector<DeltaNote> deltas;
  for (const std::string& note : brokers_.Notes(job_.deltas_topic())) {
    deltas.push_back(ParseDeltaHeader(note));
  }
  ASSERT_GT(deltas.size(), 2);
  EXPECT_EQ(deltas[0].score_tokens, 0);  // nothing was learnt that could predict
  EXPECT_GT(deltas[1].score_tokens, 0);
  EXPECT_LT(deltas[1].score_sum, 0);
  EXPECT_GT(deltas[1].seconds, 0);
}

TEST_F(WorkerTest, MessagesThatNoWorkerWroteDoNotStopIt) {
  SendDocuments(4);
  DeltaNote forged = GoodNote(job_, 0, 1);
  forged.tokens = 4;
  brokers_.Send(job_.deltas_topic(), 0,
                {{"of the future", "id", R"({"version":99,"id":"x","chunk":0,"chunks":1})"},
                 SentDelta(job_, forged, OneRow(1, -1e6)),
                 {"", "x", "{}"}});
  Worker worker(job_, {.name = "w", .until_caught_up = true}, log_.context());
  worker.Run();
  EXPECT_EQ(worker.summary().counts.items, 8);
  EXPECT_NEAR(Mass(), 2 * (2 * 3 + 2 * 4), 1e-6);
  EXPECT_THAT(log_.text(), HasSubstr("offset 0: the delta has version 99"));
  EXPECT_THAT(log_.text(), HasSubstr("offset 1: the delta has a row with a number that is neg"));
}

TEST_F(WorkerTest, ContinuesWhenABrokerWasAway) {
  SendDocuments(4);
  Worker worker(job_, {.name = "w", .until_caught_up = true}, log_.context());
  std::jthread trouble([&] {
    Eventually([&] { return worker.Numbers().minibatches > 0; });
    brokers_.SetDown();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    brokers_.SetUp();
    SendDocuments(4);
  });
  worker.Run();
  trouble.join();
  if (worker.summary().counts.items < 16) {  // it was caught up before the second half came
    Worker(job_, {.name = "w2", .until_caught_up = true}, log_.context()).Run();
  }
  EXPECT_NEAR(Mass(), 4 * (2 * 3 + 2 * 4), 1e-6);
}

TEST_F(WorkerTest, AStopEndsIt) {
  const Context context = log_.context();
  Worker worker(job_, {.name = "w"}, context);
  std::jthread later([&] {
    Eventually([&] { return worker.Numbers().partitions == 2; });
    context.RequestStop();
  });
  worker.Run();
  EXPECT_EQ(worker.summary().counts.items, 0);
}

}  // namespace
}  // namespace sda::cluster
