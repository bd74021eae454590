// Topic models and checkpoints with right checksums and absurd numbers: they are refused by a
// message that names the file, or all that is shown of them is finite.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sda/corpus.h"
#include "sda/errors.h"
#include "sda/lda_topics.h"
#include "sda/topics.h"
#include "tests/base/forgery.h"
#include "tests/base/temporary_file.h"
#include "tests/topics/topic_test_util.h"

namespace sda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr uint64_t kWords = 8;

// A model of two topics in a file.
struct Saved {
  explicit Saved(const std::string& intervals = "off") {
    TopicOptions options;
    options.topics = 2;
    options.intervals = intervals;
    TopicSession session(options, WordNames(kWords), Context(1));
    session.Update(MakeDocuments(20, kWords, 1));
    model = session.Snapshot();
    SaveTopicModel(model, file.path());
  }
  TemporaryFile file{"", ".safetensors"};
  TopicModel model;
};

// All that sda topics, infer and eval print.
void ExpectFinite(const TopicModel& model, const std::string& what) {
  for (const TopicSummary& topic : SummarizeTopics(model.posterior, model.Spec(), kWords)) {
    EXPECT_TRUE(std::isfinite(topic.share)) << what;
    for (const TopicWord& word : topic.top_words) {
      const Estimate& p = word.probability;
      EXPECT_TRUE(std::isfinite(p.mean + p.lower + p.upper)) << what;
    }
  }
  const Documents documents = MakeDocuments(3, kWords, 2);
  for (const DocumentTopics& document :
       InferTopics(model.posterior, documents, model.Spec(), Context(1), 0)) {
    for (const TopicShare& topic : document.topics) {
      const Estimate& p = topic.proportion;
      EXPECT_TRUE(std::isfinite(p.mean + p.lower + p.upper)) << what;
    }
  }
  const LdaScore score = LogPredictive(
      model.posterior, SplitHeldOut(documents, SplitRule::kHalfTypes), model.Spec(), Context(1));
  EXPECT_TRUE(std::isfinite(score.log_predictive)) << what;
}

TEST(ForgedTopics, ModelsWithAbsurdNumbersAreRefused) {
  const Saved saved;
  ForgedModel model(saved.file.path());
  const TemporaryFile forged("");
  const std::string bytes = model.tensors;
  ForEachForgery(bytes, [&](const std::string& what, const std::string& tensors) {
    model.tensors = tensors;
    model.Write(forged.path());
    EXPECT_THAT(MessageOf<InputError>([&] { LoadTopicModel(forged.path()); }),
                StartsWith(forged.path() + ": holds no valid model: "))
        << what;
  });
  model.tensors = bytes;
  model.Write(forged.path());
  ExpectFinite(LoadTopicModel(forged.path()), "as it was");
}

TEST(ForgedTopics, VariancesAreNumbersFromZeroOn) {
  const Saved saved("quick");
  ForgedModel model(saved.file.path());
  const TemporaryFile forged("");
  const std::string bytes = model.TensorBytes("lambda_variance");
  for (const double number : {-1.0, -1e-300, std::nan(""), HUGE_VAL, 1e300, 0.0, 1e-300, 1e40}) {
    std::string variances = bytes;
    std::memcpy(variances.data() + 5 * sizeof(number), &number, sizeof(number));
    model.SetTensor("lambda_variance", variances);
    model.Write(forged.path());
    if (number >= 0 && number <= 1e40) {
      ExpectFinite(LoadTopicModel(forged.path()), std::to_string(number));
    } else {
      EXPECT_THAT(MessageOf<InputError>([&] { LoadTopicModel(forged.path()); }),
                  HasSubstr("holds no valid model: variance of word 2 and topic 1"))
          << number;
    }
  }
}

TEST(ForgedTopics, ATopicWhoseSumIsLostInRoundingIsRefused) {
  const Saved saved;
  ForgedModel model(saved.file.path());
  const TemporaryFile forged("");
  std::string lambda = model.TensorBytes("lambda");
  for (const double all : {1e-18, 1e-6}) {
    for (size_t at = 0; at < lambda.size(); at += sizeof(all)) {
      std::memcpy(lambda.data() + at, &all, sizeof(all));
    }
    model.SetTensor("lambda", lambda);
    model.Write(forged.path());
    if (all < 1e-15) {
      EXPECT_THAT(MessageOf<InputError>([&] { LoadTopicModel(forged.path()); }),
                  testing::HasSubstr("too far below eta"));
    } else {
      ExpectFinite(LoadTopicModel(forged.path()), "below eta");
    }
  }
}

TEST(ForgedTopics, TheMessageNamesTheFileTheNumberAndWhatItShouldBe) {
  const Saved saved;
  ForgedModel model(saved.file.path());
  std::string lambda = model.TensorBytes("lambda");
  const double small = 1e-300;
  std::memcpy(lambda.data() + (2 * 3 + 1) * sizeof(small), &small, sizeof(small));
  model.SetTensor("lambda", lambda);
  const TemporaryFile forged("");
  model.Write(forged.path());
  EXPECT_EQ(
      MessageOf<InputError>([&] { LoadTopicModel(forged.path()); }),
      forged.path() +
          ": holds no valid model: lambda of word 3 and topic 1 (both from 0) is 1e-300, must "
          "be a number from 1e-30 to 1e+20");
}

TEST(ForgedTopics, CountsAreWholeNumbersAsTheyAreWritten) {
  const Saved saved;
  const TemporaryFile forged("");
  for (const char* key : {"documents", "tokens", "minibatches", "seed"}) {
    for (const char* text :
         {"-5", "12abc", "", " 5", "+5", "007", "1.5", "1e3", "0x10", "18446744073709551616"}) {
      ForgedModel forgery(saved.file.path());
      forgery.metadata(key) = text;
      forgery.Write(forged.path());
      EXPECT_THAT(MessageOf<InputError>([&] { LoadTopicModel(forged.path()); }),
                  StartsWith(forged.path() + ": " + key + " is \"" + text +
                             "\", must be a whole number from 0 to "));
    }
    ForgedModel forgery(saved.file.path());
    forgery.metadata(key) = "0";
    forgery.Write(forged.path());
    EXPECT_EQ(MessageOf<std::exception>([&] { LoadTopicModel(forged.path()); }), "") << key;
  }
}

TEST(ForgedTopics, AbsurdOptionsInAModelAreAnErrorOfTheFile) {
  const Saved saved;
  const TemporaryFile forged("");
  const std::pair<const char*, nlohmann::json> absurd[] = {
      {"workers", -1}, {"half_life", 1e308}, {"min_word_length", 0},
      {"kappa", 0.5},  {"max_share", -1},    {"vocab_from", 18446744073709551615u}};
  for (const auto& [key, value] : absurd) {
    ForgedModel forgery(saved.file.path());
    auto options = nlohmann::json::parse(forgery.metadata("options").get<std::string>());
    options[key] = value;
    forgery.metadata("options") = options.dump();
    forgery.Write(forged.path());
    EXPECT_THAT(MessageOf<InputError>([&] { LoadTopicModel(forged.path()); }),
                StartsWith(forged.path()))
        << key;
  }
}

TEST(ForgedTopics, AModelThatIsNotValidIsNotSavedAndTheOldOneStays) {
  const Saved saved;
  for (const double number : kAbsurd) {
    TopicModel bad = saved.model;
    bad.posterior.Set(1, std::vector<double>{1, number});
    EXPECT_THAT(MessageOf<InputError>([&] { SaveTopicModel(bad, saved.file.path()); }),
                StartsWith(saved.file.path() +
                           ": the posterior is not valid, so it is not saved, and what was there "
                           "stays: lambda of word 1 and topic 1"));
  }
  EXPECT_EQ(LoadTopicModel(saved.file.path()).posterior.Serialize(),
            saved.model.posterior.Serialize());
}

TEST(ForgedTopics, CountsThatNoModelMaySayAreNotSaved) {
  constexpr uint64_t kMost = uint64_t{1} << 60;
  const Saved saved;
  for (uint64_t TopicModel::*count :
       {&TopicModel::minibatches, &TopicModel::documents, &TopicModel::tokens}) {
    TopicModel model = saved.model;
    model.*count = kMost;
    SaveTopicModel(model, saved.file.path());
    EXPECT_EQ(LoadTopicModel(saved.file.path()).*count, kMost);
    ++(model.*count);
    EXPECT_THAT(MessageOf<InputError>([&] { SaveTopicModel(model, saved.file.path()); }),
                HasSubstr("is 1152921504606846977, must be at most 1152921504606846976"));
    EXPECT_EQ(LoadTopicModel(saved.file.path()).*count, kMost);
  }
}

// Of each primitive: EP's posteriors may hold negative numbers until they are raised.
TEST(ForgedTopics, CheckpointsWithAbsurdNumbersAreRefusedOrLeadToModelsThatLoad) {
  for (TopicOptions options : LearnersOf(2)) {
    auto session = std::make_unique<TopicSession>(options, WordNames(kWords), Context(1));
    session->Update(MakeDocuments(20, kWords, 1));
    const PosteriorCopy copy = session->CopyOfPosterior();
    const std::string bytes =
        static_cast<const Snapshot<KeyedRows>*>(copy.snapshot.get())->params.Serialize();
    const TemporaryFile file("");
    const TemporaryFile model("");
    Checkpoint::Write(
        file.path(), copy.folded, [&](const ByteSink& sink) { sink(bytes); }, {}, "{}");
    const std::string checkpoint = BytesOf(file.path());
    int refused = 0;
    auto resume = [&](const std::string& posterior) {
      WriteBytes(file.path(), ForgedCheckpoint(checkpoint, posterior));
      session->Resume(Checkpoint::Load(file.path()), {});
    };
    ForEachForgery(bytes, [&](const std::string& what, const std::string& forged) {
      try {
        resume(forged);
      } catch (const InputError& e) {
        EXPECT_THAT(e.what(), StartsWith(file.path() + ": ")) << what;
        EXPECT_THAT(e.what(), Not(HasSubstr("damaged"))) << what;
        ++refused;
        return;
      }
      SaveTopicModel(session->Snapshot(), model.path());
      ExpectFinite(LoadTopicModel(model.path()), options.primitive + ": " + what);
    });
    EXPECT_GE(refused, static_cast<int>(bytes.size() / sizeof(double)) * 5) << options.primitive;
    resume(bytes);  // as it was, it is taken
    session->Update(MakeDocuments(20, kWords, 2));
    ExpectFinite(session->Snapshot(), options.primitive);
  }
}

TEST(ForgedTopics, SmallAndLargePriorsThatMakeSenseStillDo) {
  for (const auto& [alpha, eta] :
       {std::pair(1e-3, 1e-3), std::pair(1e-10, 1e-10), std::pair(50.0, 1e6)}) {
    for (TopicOptions options : LearnersOf(2)) {
      options.alpha = {alpha};
      options.eta = eta;
      TopicSession session(options, WordNames(kWords), Context(1));
      session.Update(MakeDocuments(20, kWords, 1));
      const TemporaryFile file("");
      SaveTopicModel(session.Snapshot(), file.path());
      ExpectFinite(LoadTopicModel(file.path()), options.primitive);
    }
  }
}

}  // namespace
}  // namespace sda
