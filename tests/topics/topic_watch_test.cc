// Events of a session: what a stream shows while topics are learnt from it.

#include "topics/topic_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "sda/errors.h"
#include "sda/topics.h"
#include "tests/topics/topic_test_util.h"

namespace sda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr uint64_t kWords = 80;
constexpr int kRanges = 4;

// Documents of 30 tokens, each from one range of words: the first with this probability, the others
// alike.
Documents Make(size_t documents, double first, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::bernoulli_distribution of_first(first);
  Documents made;
  for (size_t d = 0; d < documents; ++d) {
    const uint64_t range = of_first(random) ? 0 : 1 + random() % (kRanges - 1);
    std::map<uint32_t, uint32_t> bag;
    for (int i = 0; i < 30; ++i) {
      ++bag[static_cast<uint32_t>(range * (kWords / kRanges) + random() % (kWords / kRanges))];
    }
    for (const auto& [word, count] : bag) {
      made.words.push_back(word);
      made.counts.push_back(count);
    }
    made.offsets.push_back(made.words.size());
    made.numbers.push_back(d + 1);
    made.ids.push_back("d" + std::to_string(seed) + "." + std::to_string(d));
    made.unknown.push_back(0);
  }
  return made;
}

struct Watched {
  explicit Watched(const std::string& primitive = "gibbs")
      : session(Options(primitive), WordNames(kWords), Context(1),
                {.on_event = [this](const TopicEvent& event) { events.push_back(event); }}) {}

  static TopicOptions Options(const std::string& primitive) {
    TopicOptions options;
    options.topics = kRanges;
    options.primitive = primitive;
    return options;
  }

  std::vector<TopicEvent> events;
  TopicSession session;
};

size_t TopicOfFirstRange(const TopicSession& session) {
  const KeyedRows posterior = session.Snapshot().posterior;
  const auto row = posterior.At(1);
  return std::max_element(row.begin(), row.end()) - row.begin();
}

TEST(TopicWatchTest, AStreamThatStaysAsItIsHasNoEvents) {
  for (const char* primitive : {"gibbs", "vb"}) {
    Watched watched(primitive);
    for (uint64_t m = 0; m < 80; ++m) watched.session.Update(Make(60, 0.25, m));
    EXPECT_THAT(watched.events, IsEmpty()) << primitive;
  }
}

TEST(TopicWatchTest, ATopicFadesAndGrowsAgain) {
  for (const char* primitive : {"gibbs", "vb"}) {
    Watched watched(primitive);
    for (uint64_t m = 0; m < 90; ++m) {
      watched.session.Update(Make(60, m >= 30 && m < 60 ? 0 : 0.25, m));
    }
    const size_t topic = TopicOfFirstRange(watched.session);
    std::vector<TopicEvent> of_topic;
    for (const TopicEvent& event : watched.events) {
      if (event.topic == topic) of_topic.push_back(event);
    }
    ASSERT_THAT(of_topic, SizeIs(2)) << primitive;
    EXPECT_EQ(of_topic[0].kind, TopicEvent::Kind::kTopicFading);
    EXPECT_LE(of_topic[0].minibatch, 34u);
    EXPECT_EQ(of_topic[0].documents, 60 * (of_topic[0].minibatch + 1));
    EXPECT_NEAR(of_topic[0].before, 0.25, 0.05);
    EXPECT_LT(of_topic[0].now, 0.05);
    EXPECT_EQ(of_topic[1].kind, TopicEvent::Kind::kTopicGrowing);
    EXPECT_THAT(of_topic[1].words, SizeIs(MinibatchView::kWords));
    for (const std::string& word : of_topic[1].words) {
      EXPECT_LT(std::stoul(word.substr(4)), kWords / kRanges) << "a word of the topic";
    }
    ASSERT_THAT(of_topic[1].examples, SizeIs(MinibatchView::kExamples));
    EXPECT_THAT(of_topic[1].examples[0],
                StartsWith("d" + std::to_string(of_topic[1].minibatch) + "."));
  }
}

TEST(TopicWatchTest, MoreUnknownWordsAreNoticed) {
  Watched watched;
  for (uint64_t m = 0; m < 40; ++m) {
    Documents documents = Make(60, 0.25, m);
    for (uint64_t& unknown : documents.unknown) unknown = m < 30 ? 3 : 15;
    watched.session.Update(std::move(documents));
  }
  ASSERT_THAT(watched.events, SizeIs(1));
  EXPECT_EQ(watched.events[0].kind, TopicEvent::Kind::kUnknownWordsRising);
  EXPECT_NEAR(watched.events[0].before, 3.0 / 33, 1e-9);
  EXPECT_NEAR(watched.events[0].now, 15.0 / 45, 1e-9);
}

TEST(TopicWatchTest, ADocumentOfAllTopicsFitsNone) {
  Watched watched;
  for (uint64_t m = 0; m < 20; ++m) {
    Documents documents = Make(60, 0.25, m);
    if (m == 15) {  // the first document has every word once
      Documents odd;
      for (uint32_t w = 0; w < kWords; ++w) odd.words.push_back(w);
      odd.counts.assign(kWords, 1);
      odd.offsets.push_back(kWords);
      odd.numbers = {1};
      odd.ids = {"odd"};
      odd.unknown = {0};
      AppendDocuments(documents, &odd);
      documents = std::move(odd);
    }
    watched.session.Update(std::move(documents));
  }
  ASSERT_THAT(watched.events, SizeIs(1));
  EXPECT_EQ(watched.events[0].kind, TopicEvent::Kind::kDocumentFitsNoTopic);
  EXPECT_EQ(watched.events[0].minibatch, 15u);
  EXPECT_THAT(watched.events[0].examples, ElementsAre("odd"));
  EXPECT_LT(watched.events[0].gain, 0.1);
  EXPECT_GT(watched.events[0].usual_gain, 1);
}

TEST(TopicWatchTest, ASessionThatResumesHasTheSameEvents) {
  auto stream = [](uint64_t m) { return Make(60, m < 30 ? 0.25 : 0.6, m); };
  Watched whole;
  for (uint64_t m = 0; m < 50; ++m) whole.session.Update(stream(m));
  ASSERT_FALSE(whole.events.empty());

  Watched first, second;
  for (uint64_t m = 0; m < 31; ++m) first.session.Update(stream(m));
  const PosteriorCopy copy = first.session.CopyOfPosterior();
  TopicModel model = first.session.ModelOf(copy);
  TopicSession resumed(std::move(model), Context(1),
                       {.on_event = [&](const TopicEvent& e) { second.events.push_back(e); }});
  resumed.ResumeEvents(first.session.EventNotes());
  for (uint64_t m = 31; m < 50; ++m) resumed.Update(stream(m));
  std::vector<std::string> expected, found;
  for (const TopicEvent& event : whole.events) expected.push_back(ToJson(event));
  for (const auto* events : {&first.events, &second.events}) {
    for (const TopicEvent& event : *events) found.push_back(ToJson(event));
  }
  EXPECT_EQ(found, expected);
  EXPECT_THROW(resumed.ResumeEvents("{\"topics\": [1]}"), InputError);
}

TEST(TopicWatchTest, EventsAreLinesOfJson) {
  TopicEvent event;
  event.minibatch = 3;
  event.documents = 1200;
  event.time = 1'767'225'600'000;
  event.topic = 7;
  event.before = 0.0123456789;
  event.now = 0.05;
  event.probability = 0.99999999;
  event.words = {"a\"b\n", "\xff"};
  event.examples = {"x"};
  EXPECT_EQ(
      ToJson(event),
      R"({"event":"topic_growing","minibatch":3,"documents":1200,"time":"2026-01-01T00:00:00Z",)"
      R"("topic":7,"before":0.0123457,"now":0.05,"probability":0.99999999,)"
      "\"words\":[\"a\\\"b\\n\",\"\xEF\xBF\xBD\"],\"examples\":[\"x\"]}");
}

}  // namespace
}  // namespace sda
