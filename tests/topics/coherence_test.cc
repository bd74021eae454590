#include "sda/coherence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sda/errors.h"
#include "sda/topics.h"
#include "tests/base/temporary_file.h"
#include "tests/topics/topic_test_util.h"

namespace sda {
namespace {

Documents DocumentsOf(const std::vector<std::vector<uint32_t>>& words) {
  Documents documents;
  for (const auto& of_one : words) {
    documents.words.insert(documents.words.end(), of_one.begin(), of_one.end());
    documents.counts.resize(documents.words.size(), 1);
    documents.offsets.push_back(documents.words.size());
  }
  return documents;
}

DocumentSample SampleOf(const std::vector<std::vector<uint32_t>>& words) {
  DocumentSample sample;
  sample.Offer(0, DocumentsOf(words));
  return sample;
}

TEST(DocumentSample, DependsNeitherOnTheOrderNorOnWhatIsOfferedTwice) {
  const auto minibatches = MakeMinibatches(4, 4000, 200);
  DocumentSample forward, backward;
  for (size_t i = 0; i < 4; ++i) forward.Offer(i, minibatches[i]);
  for (const size_t i : {3, 1, 2, 1, 0, 3}) backward.Offer(i, minibatches[i]);
  EXPECT_EQ(forward.size(), DocumentSample::kMaxDocuments);
  EXPECT_EQ(forward, backward);
}

TEST(DocumentSample, IsUniform) {
  DocumentSample sample;
  // The word tells the place in the stream.
  for (uint32_t i = 0; i < 40'000; ++i) sample.Offer(i, DocumentsOf({{i}}));
  double sum = 0;
  sample.ForEach([&](std::span<const uint32_t> words) { sum += words[0]; });
  // The deviation of the mean is 40,000 / sqrt(12 * 10,000), less than 116.
  EXPECT_NEAR(sum / 10'000, 20'000, 4 * 116);
}

TEST(DocumentSample, TakesBoundedMemory) {
  std::vector<uint32_t> longest(DocumentSample::kMaxWordsOfDocument);
  for (uint32_t i = 0; i < longest.size(); ++i) longest[i] = i;
  const Documents documents = DocumentsOf({longest});
  DocumentSample sample;
  for (uint64_t i = 0; i < 100; ++i) sample.Offer(i, documents);
  EXPECT_EQ(sample.size(), DocumentSample::kMaxWords / longest.size());
  longest.push_back(longest.back() + 1);
  EXPECT_EQ(SampleOf({longest}).size(), 0);
}

TEST(DocumentSample, ComesBackAsItWasAndGoesOn) {
  const auto minibatches = MakeMinibatches(4, 4000, 200);
  DocumentSample whole, part;
  for (size_t i = 0; i < 4; ++i) whole.Offer(i, minibatches[i]);
  for (size_t i = 0; i < 3; ++i) part.Offer(i, minibatches[i]);
  DocumentSample resumed = DocumentSample::Deserialize(part.Serialize());
  EXPECT_EQ(resumed, part);
  // The last minibatch it saw was not folded, and comes again.
  resumed.KeepOnly(IdSet::FirstOnes(2));
  EXPECT_LT(resumed.size(), part.size());
  for (size_t i = 2; i < 4; ++i) resumed.Offer(i, minibatches[i]);
  EXPECT_EQ(resumed, whole);
}

TEST(DocumentSample, RefusesWhatIsDamaged) {
  const std::string text = SampleOf({{1, 2, 300}, {4}}).Serialize();
  for (const std::string& bad : {text.substr(0, text.size() - 4), text + "=", std::string("!")}) {
    EXPECT_THROW(DocumentSample::Deserialize(bad), InputError) << bad;
  }
}

KeyedRows TopicsOf(const std::vector<std::vector<double>>& rows) {
  KeyedRows posterior(std::vector<double>(rows[0].size(), 0.1));
  for (size_t word = 0; word < rows.size(); ++word) posterior.Set(word, rows[word]);
  return posterior;
}

TEST(Coherence, IsTheMeanOfTheDefinitionOverPairs) {
  // Topic 0 has the words 0, 1; topic 1 the words 2, 3; topic 2 the words 0, 1, 2.
  const KeyedRows posterior = TopicsOf({{5, 0.1, 5}, {5, 0.1, 5}, {0.1, 5, 5}, {0.1, 5, 0.1}});
  const DocumentSample sample = SampleOf({{0, 1}, {0, 1}, {0, 2}, {2}, {2}, {3}, {3}, {5}});
  const TopicCoherence found = MeasureCoherence(posterior, sample);
  EXPECT_EQ(found.documents, 8);
  ASSERT_EQ(found.npmi.size(), 3);
  const double of_01 = std::log(2. / 8 / (3. / 8 * 2. / 8)) / -std::log(2. / 8);
  const double of_02 = std::log(1. / 8 / (3. / 8 * 3. / 8)) / -std::log(1. / 8);
  EXPECT_NEAR(found.npmi[0], of_01, 1e-12);
  EXPECT_EQ(found.npmi[1], -1);  // never together
  EXPECT_NEAR(found.npmi[2], (of_01 + of_02 - 1) / 3, 1e-12);
}

TEST(Coherence, IsUnknownOfWordsThatNoDocumentHas) {
  const KeyedRows posterior = TopicsOf({{5, 0.1}, {5, 5}, {4, 0.1}});
  const TopicCoherence found = MeasureCoherence(posterior, SampleOf({{0}, {7}}));
  EXPECT_TRUE(std::isnan(found.npmi[0]));
  EXPECT_TRUE(std::isnan(found.npmi[1]));  // a single word
}

TEST(Coherence, OnlyTheTopWordsCount) {
  KeyedRows posterior(std::vector<double>{0.1});
  for (uint32_t word = 0; word < 12; ++word) {
    posterior.Set(word, std::vector<double>{20.0 - word});
  }
  // The words 10 and 11 are never with the others.
  std::vector<uint32_t> first(10);
  for (uint32_t i = 0; i < 10; ++i) first[i] = i;
  const DocumentSample sample = SampleOf({first, first, {10}, {11}});
  EXPECT_NEAR(MeasureCoherence(posterior, sample).npmi[0], 1, 1e-12);
  EXPECT_LT(MeasureCoherence(posterior, sample, 12).npmi[0], 0.9);
}

TEST(Coherence, OfASessionIsTheSameForAnyThreadsAndKeptInTheModel) {
  std::vector<TopicModel> models;
  for (const int threads : {1, 3}) {
    TopicOptions options{.topics = 4, .schedule = Schedule::kAsynchronous, .workers = threads};
    options.keep_sample = true;
    TopicSession session(options, WordNames(200), Context(threads));
    MemorySource<Documents> source(MakeMinibatches(6, 50, 200));
    session.Run(source);
    models.push_back(session.Snapshot());
  }
  EXPECT_EQ(models[0].sample, models[1].sample);
  EXPECT_EQ(models[0].sample->size(), 300);
  ASSERT_TRUE(models[0].coherence);
  EXPECT_EQ(models[0].coherence->documents, 300);
  EXPECT_TRUE(models[0].coherence->all_sampled);

  const TemporaryFile file("");
  SaveTopicModel(models[0], file.path());
  TopicModel loaded = LoadTopicModel(file.path());
  EXPECT_EQ(loaded.sample, models[0].sample);
  EXPECT_EQ(loaded.coherence->npmi, models[0].coherence->npmi);

  // A session goes on with the sample of a model; without one it begins anew, and says so.
  TopicSession with(loaded);
  with.Update(MakeDocuments(10, 200, 9));
  EXPECT_EQ(with.Snapshot().coherence->documents, 310);
  EXPECT_TRUE(with.Snapshot().coherence->all_sampled);
  loaded.sample.reset();
  TopicSession without(loaded);
  without.Update(MakeDocuments(10, 200, 9));
  EXPECT_EQ(without.Snapshot().coherence->documents, 10);
  EXPECT_FALSE(without.Snapshot().coherence->all_sampled);
}

TEST(Coherence, ModelsHoldNoDocumentsUnlessAsked) {
  TopicSession session({.topics = 4}, WordNames(200));
  session.Update(MakeDocuments(50, 200, 1));
  EXPECT_FALSE(session.Snapshot().sample);
  EXPECT_EQ(session.Snapshot().coherence->documents, 50);
}

TEST(Coherence, OfAMinibatchThatFailedIsForgotten) {
  TopicSession session({.topics = 4}, WordNames(200));
  session.Update(MakeDocuments(50, 200, 1));
  EXPECT_THROW(session.Update(DocumentsOf({{1, 999}})), std::runtime_error);
  session.Update(MakeDocuments(50, 200, 2));
  EXPECT_EQ(session.Snapshot().coherence->documents, 100);
}

}  // namespace
}  // namespace sda
