// The source and the store of a worker, and the writer that both have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

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

  Member::Offsets FoldedOffsets() const {
    const int64_t end = Client(job.client).EndOffset(job.deltas_topic(), 0);
    Eventually([&] { return view.position() >= end; });
    return view.totals().offsets;
  }

  const Job job;
  const Context context;
  WorkerOptions options;
  LogView view;
  ViewThread reading{&view, context, context};
  Member member{job, "worker", [this](bool) { return FoldedOffsets(); }, context};
  MessageDocuments documents;
  std::vector<LeftOut> left_out;
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
            .change = OneRow(1, static_cast<double>(minibatch.counts.tokens) / 3),
            .counts = minibatch.counts,
            .seconds = 1.5,
            .prediction = {-7.5, 3}};
  }

  // The same job, if it had no words in its settings.
  Job WithoutWords(JobSettings* settings) const {
    settings->vocabulary.clear();
    settings->options.min_df = 1;
    Job job = job_;
    job.settings = settings->ToJson();
    return job;
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
  WorkerStore store(job_, parts.options, &parts.member, &parts.writer, &parts.view, &parts.left_out,
                    parts.context);
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
                     .offsets = {{0, {0, 2}}}};
  EXPECT_EQ(deltas[0], expected);
  store.Read({}, &prior);  // waits for its own
  EXPECT_EQ(prior.folded.size(), 1);
  EXPECT_DOUBLE_EQ(prior.params.At(1)[0], store.prior().At(1)[0] + 1);
  EXPECT_EQ(store.Folded().size(), 0);
}

TEST_F(WorkerPartsTest, IdsAreThoseOfTheJobAndNeverRepeat) {
  brokers_.Send(job_.deltas_topic(), 0, {GoodDelta(job_, 0, 1), GoodDelta(job_, 1, 1)});
  brokers_.SendTexts(job_.documents, 0, {"apple", "dog", "fox", "cherry", "banana", "dog"});
  Parts parts(job_, log_.context());
  ASSERT_TRUE(Eventually([&] { return parts.view.deltas() == 2; }));
  WorkerSource source(job_, parts.options, &parts.member, &parts.view, &parts.documents,
                      &parts.writer, parts.context);
  WorkerStore store(job_, parts.options, &parts.member, &parts.writer, &parts.view, &parts.left_out,
                    parts.context);
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
  EXPECT_EQ(deltas[0].offsets, (Member::Ranges{{0, {0, 2}}}));
}

TEST_F(WorkerPartsTest, WordsThatWereChosenComeWithTheFirstDeltaAlone) {
  JobSettings settings = SmallSettings();
  const Job job = WithoutWords(&settings);
  brokers_.SendTexts(job.documents, 0, {"walnut walnut", "walnut hazel", "hazel", "walnut"});
  Parts parts(job, log_.context(), settings);
  WorkerSource source(job_, parts.options, &parts.member, &parts.view, &parts.documents,
                      &parts.writer, parts.context);
  WorkerStore store(job_, parts.options, &parts.member, &parts.writer, &parts.view, &parts.left_out,
                    parts.context);
  ASSERT_TRUE(source.SettleVocabulary()) << log_.text();
  while (const auto minibatch = source.Next()) ASSERT_TRUE(store.Add(DeltaOf(*minibatch)).folded);
  EXPECT_EQ(Deltas().size(), 2);
  EXPECT_FALSE(source.must_start_over());
  EXPECT_THAT(parts.view.vocabulary(), testing::UnorderedElementsAre("hazel", "walnut"));
}

TEST_F(WorkerPartsTest, WhoChoseOtherWordsThanTheFirstWorkerStartsOver) {
  JobSettings settings = SmallSettings();
  const Job job = WithoutWords(&settings);
  brokers_.SendTexts(job.documents, 0, {"walnut walnut", "walnut hazel", "hazel", "walnut"});
  Parts parts(job, log_.context(), settings);
  WorkerSource source(job_, parts.options, &parts.member, &parts.view, &parts.documents,
                      &parts.writer, parts.context);
  ASSERT_TRUE(source.SettleVocabulary());
  const DeltaNote note = GoodNote(job, 0, 4);
  brokers_.Send(job.deltas_topic(), 0,
                {{PackDelta(OneRow(0, 4), {"hazel", "pecan"}, Transport::kDouble), note.id,
                  ToHeader(note, 0, 1)}});
  ASSERT_TRUE(Eventually([&] { return parts.view.totals().documents == 4; })) << log_.text();
  EXPECT_FALSE(source.Next());
  EXPECT_TRUE(source.must_start_over());
}

TEST_F(WorkerPartsTest, AMinibatchThatWentToAnotherIsNotFolded) {
  brokers_.SendTexts(job_.documents, 0, {"apple", "dog"});
  Parts parts(job_, log_.context());
  WorkerSource source(job_, parts.options, &parts.member, &parts.view, &parts.documents,
                      &parts.writer, parts.context);
  WorkerStore store(job_, parts.options, &parts.member, &parts.writer, &parts.view, &parts.left_out,
                    parts.context);
  const auto minibatch = source.Next();
  ASSERT_TRUE(minibatch);
  brokers_.Answer(Request::kTxnOffsetCommit, {RD_KAFKA_RESP_ERR_PRODUCER_FENCED});
  EXPECT_FALSE(store.Add(DeltaOf(*minibatch)).folded);
  EXPECT_EQ(parts.member.counts().rejoined, 1);
}

TEST_F(WorkerPartsTest, AWorkerWhoseViewHasFailedCommitsNothing) {
  brokers_.SendTexts(job_.documents, 0, {"apple", "dog"});
  Parts parts(job_, log_.context());
  WorkerSource source(job_, parts.options, &parts.member, &parts.view, &parts.documents,
                      &parts.writer, parts.context);
  const auto minibatch = source.Next();
  ASSERT_TRUE(minibatch);
  const Job taken = brokers_.NewTopics("taken", 1, SmallSettings());
  const char* of_the_future = R"({"version":5,"id":"x","chunk":0,"chunks":1})";
  brokers_.Send(taken.settings_topic(), 0, {{R"({"version":5})", "settings", of_the_future}});
  brokers_.Send(taken.deltas_topic(), 0, {{"of the future", "id", of_the_future}});
  LogView view(taken, SmallSettings().Prior());
  EXPECT_THROW(view.CatchUp(), InputError);
  DeltaWriter writer(job_, "worker", Transport::kDouble, &parts.member, &view, parts.context);
  try {
    writer.Write(DeltaOf(*minibatch));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("has version 5, this sda reads version 4"));
  }
  EXPECT_EQ(brokers_.Notes(job_.deltas_topic()).size(), 0);
}

TEST_F(WorkerPartsTest, ADeltaWithNumbersThatCannotBeIsNotWrittenAndTheStreamGoesOn) {
  brokers_.SendTexts(job_.documents, 0, {"apple", "unknown", "dog dog", "fox"});
  Parts parts(job_, log_.context());
  WorkerSource source(job_, parts.options, &parts.member, &parts.view, &parts.documents,
                      &parts.writer, parts.context);
  WorkerStore store(job_, parts.options, &parts.member, &parts.writer, &parts.view, &parts.left_out,
                    parts.context);
  auto minibatch = source.Next();
  ASSERT_TRUE(minibatch);
  Delta<KeyedRows> broken = DeltaOf(*minibatch);
  broken.change = OneRow(1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(store.Add(broken).folded);
  EXPECT_THAT(log_.text(), HasSubstr("the delta of 1 document has a row with a number that is "
                                     "negative or no number; nothing is learnt from them"));
  minibatch = source.Next();
  ASSERT_TRUE(minibatch);
  Delta<KeyedRows> good = DeltaOf(*minibatch);
  good.prediction = {std::numeric_limits<double>::quiet_NaN(), 3};  // is left out
  EXPECT_TRUE(store.Add(good).folded);
  const auto deltas = Deltas();
  ASSERT_EQ(deltas.size(), 2);
  EXPECT_EQ(deltas[0].documents, 0);
  EXPECT_EQ(deltas[0].bad, 1);
  EXPECT_EQ(deltas[0].skipped, 1);
  EXPECT_EQ(deltas[1].documents, 2);
  EXPECT_EQ(deltas[1].score_tokens, 0);
  ASSERT_TRUE(Eventually([&] { return parts.view.deltas() == 2; }));
  EXPECT_EQ(parts.view.set_aside(), 0);
}

}  // namespace
}  // namespace sda::cluster
