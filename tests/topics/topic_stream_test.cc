#include "sda/topic_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "sda/cut_source.h"
#include "sda/errors.h"
#include "sda/loop.h"
#include "tests/base/temporary_file.h"
#include "tests/topics/topic_test_util.h"

namespace sda {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kWords = 60;
constexpr int kTopics = 4;

TopicOptions Options(int64_t first, int64_t minibatch = 30) {
  TopicOptions options;
  options.topics = kTopics;
  options.first_minibatch = first;
  options.minibatch = minibatch;
  return options;
}

std::string BytesOf(const TopicSession& session) {
  return session.Snapshot().posterior.Serialize();
}

std::string BytesOfOneMinibatch(const Documents& documents) {
  TopicSession session(Options(1), WordNames(kWords), Context(1));
  session.Update(documents);
  return BytesOf(session);
}

TEST(TopicStream, IsTheSessionFromTheFirstMinibatchOn) {
  const auto minibatches = MakeMinibatches(4, 30, kWords);
  TopicStream stream(Options(30), WordNames(kWords), Context(1));
  TopicSession session(Options(30), WordNames(kWords), Context(1));
  for (const Documents& documents : minibatches) {
    stream.Update(documents);
    session.Update(documents);
    EXPECT_EQ(BytesOf(*stream.session()), BytesOf(session));
    EXPECT_EQ(stream.kept().size(), 0u);
  }
  EXPECT_EQ(stream.session()->next_minibatch(), 4u);
}

TEST(TopicStream, SmallPiecesFormTheTopicsOfOneMinibatchWithAllOfTheirDocuments) {
  const Documents all = MakeDocuments(120, kWords, 1);
  TopicStream stream(Options(120), WordNames(kWords), Context(1));
  for (size_t first = 0; first < 120; first += 10) {
    const Summary summary = stream.Update(Slice(all, first, first + 10));
    EXPECT_EQ(summary.counts, (Counts{.items = first + 10, .tokens = 30 * (first + 10)}));
    EXPECT_EQ(stream.kept().size(), first + 10 < 120 ? first + 10 : 0);
  }
  EXPECT_EQ(BytesOf(*stream.session()), BytesOfOneMinibatch(all));
  stream.Update(MakeDocuments(10, kWords, 2));
  EXPECT_EQ(stream.session()->next_minibatch(), 2u);
}

TEST(TopicStream, FormsTopicsAnewWhenThereAreHalfAsManyDocumentsMore) {
  const Documents all = MakeDocuments(100, kWords, 1);
  TopicStream stream(Options(1000), WordNames(kWords), Context(1));
  int formed = 0;
  for (size_t d = 0; d < 100; ++d) {
    const auto before = stream.formed();
    stream.Update(Slice(all, d, d + 1));
    if (stream.formed() == before) continue;
    ++formed;
    EXPECT_EQ(stream.formed(), d + 1);
    EXPECT_EQ(stream.session()->next_minibatch(), 1u);
    EXPECT_EQ(BytesOf(*stream.session()), BytesOfOneMinibatch(Slice(all, 0, d + 1)));
  }
  EXPECT_GT(formed, 5);
  EXPECT_LT(formed, 20);
}

TEST(TopicStream, APieceThatFailsChangesNothing) {
  TopicStream stream(Options(100), WordNames(kWords), Context(1));
  stream.Update(MakeDocuments(20, kWords, 1));
  const std::string before = BytesOf(*stream.session());
  Documents bad = MakeDocuments(20, kWords, 2);
  bad.words.back() = kWords + 7;
  EXPECT_THROW(stream.Update(bad), RunError);
  EXPECT_EQ(BytesOf(*stream.session()), before);
  EXPECT_EQ(stream.kept().size(), 20u);
  stream.Update(MakeDocuments(80, kWords, 2));
  EXPECT_EQ(stream.kept().size(), 0u);
}

TEST(TopicStream, ContinuesWithWhatItHadKept) {
  const TemporaryFile file("", ".safetensors");
  TopicStream stream(Options(100), WordNames(kWords), Context(1));
  stream.Update(MakeDocuments(60, kWords, 1));
  stream.session()->Save(file.path());
  TopicStream again(LoadTopicModel(file.path()), Context(1), stream.kept(), stream.formed());
  const Documents rest = MakeDocuments(40, kWords, 2);
  stream.Update(rest);
  again.Update(rest);
  EXPECT_EQ(BytesOf(*again.session()), BytesOf(*stream.session()));
}

TopicOptions AutoOptions(int64_t first) {
  TopicOptions options = Options(first);
  options.topics = kAutoTopics;
  options.try_topics = {{2, 4}};
  return options;
}

TEST(TopicStream, TheFirstPieceChoosesTheNumberOfTopicsAsInTheSession) {
  const auto minibatches = MakeMinibatches(3, 60, kWords);
  TopicStream stream(AutoOptions(60), WordNames(kWords), Context(1));
  TopicSession session(AutoOptions(60), WordNames(kWords), Context(1));
  for (const Documents& documents : minibatches) {
    stream.Update(documents);
    session.Update(documents);
    EXPECT_EQ(BytesOf(*stream.session()), BytesOf(session));
  }
  EXPECT_EQ(stream.session()->search()->topics, session.search()->topics);
  EXPECT_EQ(stream.session()->search()->candidates.size(), 2u);
}

TEST(TopicStream, AFirstPieceThatIsTooSmallToChooseTheNumberOfTopicsIsRefused) {
  TopicStream stream(AutoOptions(60), WordNames(kWords), Context(1));
  EXPECT_THAT(MessageOf<UsageError>([&] { stream.Update(MakeDocuments(59, kWords, 1)); }),
              HasSubstr("has 59 documents, and must have --first-minibatch (60) or more"));
  EXPECT_EQ(stream.kept().size(), 0u);
  EXPECT_EQ(stream.Update(MakeDocuments(60, kWords, 1)).counts.items, 60u);
}

TEST(TopicStream, InterruptionEndsAMinibatchWithoutAResult) {
  for (TopicOptions options : LearnersOf(kTopics)) {
    if (options.algorithm == "svi") continue;  // one pass
    const Context context(1);
    TopicStream stream(options, WordNames(kWords), context);
    context.Interrupt();
    EXPECT_THROW(stream.Update(MakeDocuments(20, kWords, 1)), RunError) << options.primitive;
    EXPECT_EQ(stream.session()->summary().minibatches, 0u);
    context.ClearInterrupt();
    EXPECT_EQ(stream.Update(MakeDocuments(20, kWords, 1)).minibatches, 1u) << options.primitive;
  }
}

TEST(TopicStream, InterruptionFromAnotherThreadEndsALongMinibatchSoon) {
  const Context context(1);
  TopicStream stream(Options(1), WordNames(kWords), context);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    context.Interrupt();
  });
  // Some minutes, unless it is interrupted.
  EXPECT_THROW(stream.Update(MakeDocuments(200'000, kWords, 1)), RunError);
  other.join();
  EXPECT_EQ(stream.session()->summary().minibatches, 0u);
}

// Documents that are read from memory.

CutSource::Read ReadFrom(const Documents& documents, size_t* next) {
  return [&documents, next](Documents* batch, uint64_t* skipped) {
    if (*next == documents.size()) return false;
    const Documents one = Slice(documents, *next, *next + 1);
    ++*next;
    if (one.words.empty()) {
      ++*skipped;
    } else {
      AppendDocuments(one, batch);
    }
    return true;
  };
}

TEST(CutSource, CutsAsTheOptionsSayAndCountsDocumentsWithoutWords) {
  Documents documents = MakeDocuments(100, kWords, 1);
  documents.offsets.insert(documents.offsets.begin() + 5, documents.offsets[5]);  // an empty one
  documents.numbers.push_back(101);
  size_t next = 0;
  CutSource source(Options(40, 25).Settled().Corpus(), ReadFrom(documents, &next));
  std::vector<uint64_t> items;
  uint64_t skipped = 0;
  while (auto minibatch = source.Next()) {
    EXPECT_EQ(minibatch->id, items.size());
    items.push_back(minibatch->counts.items);
    skipped += minibatch->counts.skipped;
    EXPECT_EQ(minibatch->counts.tokens, Tokens(minibatch->data));
  }
  EXPECT_EQ(items, (std::vector<uint64_t>{40, 25, 25, 10}));
  EXPECT_EQ(skipped, 1u);
}

TEST(CutSource, EndsAMinibatchWithTheDocumentThatBringsItToTheMostDraws) {
  Documents documents;
  for (uint32_t d = 0; d < 200; ++d) {
    documents.words.push_back(d % 60);
    documents.counts.push_back(uint32_t{1} << 30);
    documents.offsets.push_back(documents.words.size());
    documents.numbers.push_back(d + 1);
  }
  size_t next = 0;
  CutSource source(Options(100'000).Settled().Corpus(), ReadFrom(documents, &next));
  uint64_t draws = 0;
  const auto minibatch = source.Next();
  ASSERT_TRUE(minibatch);
  for (size_t d = 0; d < minibatch->data.size(); ++d) draws += Draws(minibatch->data, d);
  EXPECT_LE(draws, kMaxMinibatchDraws + Draws(minibatch->data, 0));
}

TEST(Proportions, OfADocumentDoNotDependOnTheOthers) {
  TopicSession session(Options(1), WordNames(kWords), Context(2));
  session.Update(MakeDocuments(200, kWords, 1));
  Documents documents = MakeDocuments(100, kWords, 2);
  documents.offsets.insert(documents.offsets.begin() + 50, documents.offsets[50]);
  documents.numbers.push_back(101);
  const std::vector<double> together = session.Proportions(documents);
  for (size_t d = 0; d < documents.size(); ++d) {
    const std::vector<double> alone = session.Proportions(Slice(documents, d, d + 1));
    EXPECT_EQ(alone, std::vector<double>(together.begin() + d * kTopics,
                                         together.begin() + (d + 1) * kTopics));
  }
  const std::vector<double> alpha = session.spec().Alpha();
  EXPECT_EQ(session.Proportions(Slice(documents, 50, 51)), alpha);
}

}  // namespace
}  // namespace sda
