// Models of every released format load for ever. tests/fixtures/models has some of each.

#include "sda/topic_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <numeric>

#include "base/model_file.h"
#include "sda/corpus.h"
#include "sda/errors.h"
#include "sda/topics.h"
#include "tests/base/temporary_file.h"
#include "tests/topics/topic_test_util.h"

namespace sda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Fixture(const std::string& name) {
  return std::string(SDA_SOURCE_ROOT "/tests/fixtures/models/0.1/") + name;
}

struct Old {
  std::string name;
  std::string algorithm;
  std::string primitive;
  double eta;
  std::vector<double> first_row;
  double sum;
};

const std::vector<Old> kOld = {
    {"gibbs",
     "sda",
     "gibbs",
     0.15,
     {0x1.2f6c97b47b802p+1, 0x1.0f99199a816eep+6, 0x1.709ce94f03f79p-3},
     968.1},
    {"vb",
     "sda",
     "vb",
     0.3,
     {0x1.33d7119933333p-2, 0x1.38d4053333333p+2, 0x1.06d8813333333p+6},
     976.2},
    {"ep",
     "sda",
     "ep",
     1,
     {0x1.52dc9735f7302p+2, 0x1.de17d0c8a8af0p+5, 0x1.128fdf8f1f712p+0},
     931.1429897},
    {"vocab",
     "sda",
     "gibbs",
     0.05,
     {0x1.fc2be26125f2ep+5, 0x1.a48427e0f4529p+2, 0x1.db2f57bad7caap-5},
     962.7},
    {"svi",
     "svi",
     "vb",
     0.3,
     {0x1.dd60ce4c10060p+6, 0x1.3aeae82581ac5p+7, 0x1.8897f705f73b5p+6},
     5252.468932},
};

class OldModels : public ::testing::TestWithParam<Old> {
 protected:
  const std::string path_ = Fixture("lda_" + GetParam().name + ".safetensors");
};

TEST_P(OldModels, AreReadToTheLastBit) {
  const TopicModel model = LoadTopicModel(path_);
  const Old& old = GetParam();
  EXPECT_EQ(model.options.algorithm, old.algorithm);
  EXPECT_EQ(model.options.primitive, old.primitive);
  EXPECT_EQ(model.options.topics, 3);
  EXPECT_EQ(model.options.eta, old.eta);
  EXPECT_EQ(model.options.seed, 1u);
  EXPECT_EQ(model.documents, 60u);
  EXPECT_EQ(model.tokens, 960u);
  ASSERT_EQ(model.vocabulary.size(), 18u);
  EXPECT_EQ(model.vocabulary[0], "apple");
  EXPECT_EQ(model.vocabulary[17], "wheel");
  const auto row = model.posterior.At(0);
  EXPECT_EQ(std::vector<double>(row.begin(), row.end()), old.first_row);
  double sum = 0;
  for (uint64_t word = 0; word < 18; ++word) {
    const auto all = model.posterior.At(word);
    sum = std::accumulate(all.begin(), all.end(), sum);
  }
  EXPECT_NEAR(sum, old.sum, 1e-4);
}

TEST_P(OldModels, SayWhatIsAssumed) {
  const TopicModel model = LoadTopicModel(path_);
  std::string assumed;
  for (const std::string& line : model.assumed) assumed += line + "\n";
  EXPECT_THAT(assumed, HasSubstr("assuming --stop-words english, --min-word-length 3 and "
                                 "--text-field text"));
  EXPECT_THAT(assumed, HasSubstr("the number of minibatches is not saved in it; assuming 1"));
  EXPECT_EQ(model.minibatches, 1u);
  std::vector<std::string> log;
  const Context context(1, {}, [&](const std::string& line) { log.push_back(line); });
  TopicSession::Load(path_, context);
  ASSERT_EQ(log.size(), model.assumed.size());
  EXPECT_EQ(log[0], path_ + ": " + model.assumed[0]);
}

TEST_P(OldModels, InferScoreAndLearnOn) {
  TopicSession session = TopicSession::Load(path_, Context(1));
  CorpusOptions corpus = LoadTopicModel(path_).Corpus({Fixture("corpus.txt")});
  corpus.minibatch = 60;
  const Documents documents = CorpusSource(corpus).Next()->data;
  ASSERT_EQ(documents.size(), 60u);
  // Documents 1, 4, 7, ... are of one group, 2, 5, 8, ... of another.
  const auto topics = session.Infer(documents, 1);
  if (GetParam().algorithm == "sda") {
    EXPECT_EQ(topics[0].topics[0].topic, topics[3].topics[0].topic);
    EXPECT_NE(topics[0].topics[0].topic, topics[1].topics[0].topic);
  }
  EXPECT_GT(session.Score(documents).log_predictive, -2.8);
  session.Update(documents);
  EXPECT_EQ(session.summary().counts, (Counts{.items = 120, .tokens = 1920}));
  EXPECT_EQ(session.summary().minibatches, 2u);
}

TEST_P(OldModels, AreAsCompleteAsNewOnesAfterASave) {
  const TemporaryFile file("", ".safetensors");
  const TopicModel old = LoadTopicModel(path_);
  SaveTopicModel(old, file.path());
  const TopicModel now = LoadTopicModel(file.path());
  EXPECT_TRUE(now.assumed.empty());
  EXPECT_EQ(now.posterior.Serialize(), old.posterior.Serialize());
  EXPECT_EQ(now.Spec().Alpha(), old.Spec().Alpha());
  EXPECT_EQ(now.options.ToJson(), old.options.ToJson());
}

INSTANTIATE_TEST_SUITE_P(All, OldModels, ::testing::ValuesIn(kOld),
                         [](const auto& old) { return old.param.name; });

TEST(TopicModel, AnAsymmetricPriorOfAnOldModelIsKept) {
  EXPECT_THAT(LoadTopicModel(Fixture("lda_vocab.safetensors")).Spec().Alpha(),
              ElementsAre(0.1, 0.2, 0.3));
}

TEST(TopicModel, OptionsAreSavedUnderNamesOfTheirOwnWithoutWhereTheStreamWas) {
  TopicOptions options;
  options.topics = 2;
  options.text_field = "body";
  options.stop_words = "none";
  options.format = "jsonl";
  options.vocab = "words.txt";
  options.half_life = 1e6;
  TopicModel model;
  model.options = options.Settled();
  model.vocabulary = WordNames(3);
  model.posterior = LdaPrior(model.Spec());
  const TemporaryFile file("", ".safetensors");
  SaveTopicModel(model, file.path());
  const TopicModel loaded = LoadTopicModel(file.path());
  EXPECT_EQ(loaded.options.text_field, "body");
  EXPECT_EQ(loaded.options.stop_words, "none");
  EXPECT_EQ(loaded.options.half_life, 1e6);
  EXPECT_EQ(loaded.options.format, "auto");
  EXPECT_EQ(loaded.options.vocab, "");
  const CorpusOptions corpus = loaded.Corpus({"-"});
  EXPECT_EQ(corpus.text_field, "body");
  EXPECT_EQ(corpus.stop_words, "none");
  EXPECT_EQ(corpus.vocabulary, WordNames(3));
}

TEST(TopicModel, WhatIsNoTopicModelIsAnErrorOfInputThatNamesTheFile) {
  const TemporaryFile file("", ".safetensors");
  WriteModelFile(file.path(), {{"model", "coin"}, {"format_version", "1"}}, {});
  EXPECT_THAT(MessageOf<InputError>([&] { LoadTopicModel(file.path()); }),
              HasSubstr(file.path() + ": is a coin model, which has no topics"));
  WriteModelFile(file.path(), {{"model", "lda"}, {"format_version", "99"}}, {});
  EXPECT_THAT(MessageOf<InputError>([&] { LoadTopicModel(file.path()); }),
              HasSubstr(file.path() + ": is of format version 99"));
  EXPECT_THROW(LoadTopicModel("/no/such/model"), std::runtime_error);
}

TEST(TopicModel, DamageIsFound) {
  std::ifstream in(Fixture("lda_gibbs.safetensors"), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  bytes[bytes.size() - 3] ^= 4;
  const TemporaryFile file(bytes, ".safetensors");
  EXPECT_THAT(MessageOf<InputError>([&] { LoadTopicModel(file.path()); }), HasSubstr(file.path()));
}

TEST(TopicModel, OneThatCannotBeWrittenIsAnErrorOfTheWorld) {
  const TopicModel model = LoadTopicModel(Fixture("lda_vb.safetensors"));
  EXPECT_THROW(SaveTopicModel(model, "/no/such/folder/model"), IoError);
}

}  // namespace
}  // namespace sda
