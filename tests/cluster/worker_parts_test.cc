// The source and the store of a worker, and the writer that both have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/worker/delta_writer.h"
#include "cluster/worker/view_thread.h"
#include "cluster/worker/worker_source.h"
#include "cluster/worker/worker_store.h"
#include "data/text/message_documents.h"
#include "sda/errors.h"
#include "tests/cluster/mock_cluster.h"

namespace sda::cluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// All parts of a worker but the loop.
struct Parts {
  Parts(const Job& of, const Context& with, const JobSettings& settings = SmallSettings())
      : job(of), context(with), view(of, settings.Prior()), documents(settings.Corpus()) {
    options.minibatch = 2;
    options.first_minibatch = 2;
    options.minibatch_seconds = 0.1;
    options.until_caught_up = true;
  }

  const Job job;
  const Context context;
  WorkerOptions options;
  LogView view;
  ViewThread reading{&view, context, context};
  Member member{job, "worker", [this](bool) { return view.totals().offsets; }, context};
  MessageDocuments documents;
  DeltaWriter writer{job, "worker", Transport::kDouble, &member, &view, context};
};

class WorkerPartsTest : public testing::Test {
 protected:
  std::vector<DeltaNote> Deltas() const {
    std::vector<DeltaNote> deltas;
    for (const std::string& note : brokers_.Notes(job_.deltas_topic())) {
      deltas.push_back(ParseDeltaHeader(note));
    }
    return deltas;
  }
  static Delta<KeyedRows> DeltaOf(const Minibatch<Documents>& minibatch) {
    return {.minibatch = minibatch.id,
            .change = OneRow(1, 2),
            .counts = minibatch.counts,
            .seconds = 1.5,
            .prediction = {-7.5, 3}};
  }

  MockCluster brokers_;
  CollectedLog log_;
  const Job job_ = brokers_.NewJob(SmallSettings(), 1);
};

TEST_F(WorkerPartsTest, AMinibatchHasItsCountsKeysAndTimes) {
  brokers_.Send(job_.documents, 0,
                {{.value = "apple apple dog", .key = "first"}, {.value = "banana"}});
  Parts parts(job_, log_.context());
  WorkerSource source(job_, parts.options, &parts.member, &parts.view, &parts.documents,
                      &parts.writer, parts.context);
  ASSERT_TRUE(source.SettleVocabulary());
  const auto minibatch = source.Next();
  ASSERT_TRUE(minibatch);
  EXPECT_EQ(minibatch->id, 0);
  EXPECT_EQ(minibatch->counts, (Counts{.items = 2, .tokens = 4}));
  EXPECT_THAT(minibatch->data.ids, ElementsAre("first", ""));
  ASSERT_EQ(minibatch->data.times.size(), 2);
  EXPECT_GT(minibatch->data.times[0], 1'500'000'000'000);
  EXPECT_THAT(minibatch->data.words, ElementsAre(0, 3, 1));
}

TEST_F(WorkerPartsTest, ADeltaIsWrittenWithWhatItsMinibatchCounted) {
  brokers_.SendTexts(job_.documents, 0, {"apple apple dog", "nothing known"});
  Parts parts(job_, log_.context());
  WorkerSource source(job_, parts.options, &parts.member, &parts.view, &parts.documents,
                      &parts.writer, parts.context);
  WorkerStore store(job_, parts.options, &parts.writer, &parts.view, parts.context);
  const auto minibatch = source.Next();
  ASSERT_TRUE(minibatch);
  Snapshot<KeyedRows> prior;
  store.Read({}, &prior);
  EXPECT_EQ(prior.folded.size(), 0);
  const AddResult added = store.Add(DeltaOf(*minibatch));
  EXPECT_TRUE(added.folded);
  EXPECT_EQ(added.staleness, 0);
  const auto deltas = Deltas();
  ASSERT_EQ(deltas.size(), 1);
  DeltaNote expected{.job = job_.id,
                     .id = deltas[0].id,
                     .worker = "worker",
                     .documents = 1,
                     .tokens = 3,
                     .skipped = 1,
                     .seconds = 1.5,
                     .score_sum = -7.5,
                     .score_tokens = 3,
                     .offsets = {{0, 2}}};
  EXPECT_EQ(deltas[0], expected);
  store.Read({}, &prior);  // waits for its own
  EXPECT_EQ(prior.folded.size(), 1);
  EXPECT_DOUBLE_EQ(prior.params.At(1)[0], store.prior().At(1)[0] + 2);
  EXPECT_EQ(store.Folded().size(), 0);
}

TEST_F(WorkerPartsTest, IdsAreThoseOfTheJobAndNeverRepeat) {
  brokers_.Send(job_.deltas_topic(), 0,
                {SentDelta(job_, {.documents = 1}, OneRow(1, 1)),
                 SentDelta(job_, {.documents = 1}, OneRow(1, 1))});
  brokers_.SendTexts(job_.documents, 0, {"apple", "dog", "fox", "cherry"});
  Parts parts(job_, log_.context());
  ASSERT_TRUE(Eventually([&] { return parts.view.deltas() == 2; }));
  WorkerSource source(job_, parts.options, &parts.member, &parts.view, &parts.documents,
                      &parts.writer, parts.context);
  WorkerStore store(job_, parts.options, &parts.writer, &parts.view, parts.context);
  const auto first = source.Next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->id, 2);
  ASSERT_TRUE(store.Add(DeltaOf(*first)).folded);
  const auto second = source.Next();  // the view may have yet to hear of the first
  ASSERT_TRUE(second);
  EXPECT_EQ(second->id, 3);
}

TEST_F(WorkerPartsTest, MessagesWithoutADocumentAreCommittedWithANote) {
  brokers_.SendTexts(job_.documents, 0, {"nothing known", "nor here"});
  Parts parts(job_, log_.context());
  WorkerSource source(job_, parts.options, &parts.member, &parts.view, &parts.documents,
                      &parts.writer, parts.context);
  EXPECT_FALSE(source.Next());  // all is read
  const auto deltas = Deltas();
  ASSERT_EQ(deltas.size(), 1);
  EXPECT_EQ(deltas[0].documents, 0);
  EXPECT_EQ(deltas[0].skipped, 2);
  EXPECT_EQ(deltas[0].offsets, (std::map<int32_t, int64_t>{{0, 2}}));
}

TEST_F(WorkerPartsTest, WordsThatWereChosenComeWithTheFirstDeltaAlone) {
  JobSettings settings = SmallSettings();
  settings.vocabulary.clear();
  settings.options.min_df = 1;
  brokers_.SendTexts(job_.documents, 0, {"walnut walnut", "walnut hazel", "hazel", "walnut"});
  Parts parts(job_, log_.context(), settings);
  WorkerSource source(job_, parts.options, &parts.member, &parts.view, &parts.documents,
                      &parts.writer, parts.context);
  WorkerStore store(job_, parts.options, &parts.writer, &parts.view, parts.context);
  ASSERT_TRUE(source.SettleVocabulary()) << log_.text();
  while (const auto minibatch = source.Next()) ASSERT_TRUE(store.Add(DeltaOf(*minibatch)).folded);
  EXPECT_EQ(Deltas().size(), 2);
  EXPECT_FALSE(source.must_start_over());
  EXPECT_THAT(parts.view.vocabulary(), testing::UnorderedElementsAre("hazel", "walnut"));
}

TEST_F(WorkerPartsTest, WhoChoseOtherWordsThanTheFirstWorkerStartsOver) {
  JobSettings settings = SmallSettings();
  settings.vocabulary.clear();
  settings.options.min_df = 1;
  brokers_.SendTexts(job_.documents, 0, {"walnut walnut", "walnut hazel", "hazel", "walnut"});
  Parts parts(job_, log_.context(), settings);
  WorkerSource source(job_, parts.options, &parts.member, &parts.view, &parts.documents,
                      &parts.writer, parts.context);
  ASSERT_TRUE(source.SettleVocabulary());
  brokers_.Send(job_.deltas_topic(), 0, {SentDelta(job_, {.documents = 5}, OneRow(0, 1))});
  ASSERT_TRUE(Eventually([&] { return parts.view.totals().documents == 5; }));
  EXPECT_FALSE(source.Next());
  EXPECT_TRUE(source.must_start_over());
}

TEST_F(WorkerPartsTest, AMinibatchThatWentToAnotherIsNotFolded) {
  brokers_.SendTexts(job_.documents, 0, {"apple", "dog"});
  Parts parts(job_, log_.context());
  WorkerSource source(job_, parts.options, &parts.member, &parts.view, &parts.documents,
                      &parts.writer, parts.context);
  WorkerStore store(job_, parts.options, &parts.writer, &parts.view, parts.context);
  const auto minibatch = source.Next();
  ASSERT_TRUE(minibatch);
  brokers_.Answer(Request::kTxnOffsetCommit, {RD_KAFKA_RESP_ERR_PRODUCER_FENCED});
  EXPECT_FALSE(store.Add(DeltaOf(*minibatch)).folded);
  EXPECT_EQ(parts.member.counts().rejoined, 1);
}

TEST_F(WorkerPartsTest, AWorkerThatReadsANewerVersionCommitsNothing) {
  brokers_.SendTexts(job_.documents, 0, {"apple", "dog"});
  Parts parts(job_, log_.context());
  WorkerSource source(job_, parts.options, &parts.member, &parts.view, &parts.documents,
                      &parts.writer, parts.context);
  WorkerStore store(job_, parts.options, &parts.writer, &parts.view, parts.context);
  const auto minibatch = source.Next();
  ASSERT_TRUE(minibatch);
  brokers_.Send(job_.deltas_topic(), 0,
                {{"of the future", "id", R"({"version":4,"id":"x","chunk":0,"chunks":1})"}});
  ASSERT_TRUE(Eventually([&] { return parts.context.StopRequested(); }));
  try {
    store.Add(DeltaOf(*minibatch));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("offset 0: the delta has version 4, this sda reads version 3"));
  }
  EXPECT_EQ(brokers_.Notes(job_.deltas_topic()).size(), 1);  // that of the future
}

}  // namespace
}  // namespace sda::cluster
