#include "sda/topic_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "sda/errors.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

// No field has its default.
TopicOptions Unusual() {
  TopicOptions o;
  o.topics = 7;
  o.alpha = {0.1, 1.0 / 3};
  o.eta = 0.07;
  o.algorithm = "svi";
  o.primitive = "ep";
  o.seed = ~uint64_t{0};
  o.sweeps = 3;
  o.precision = "double";
  o.ep_updates = "token";
  o.ep_matching = "log";
  o.ep_start = "noise";
  o.ep_damping = 0.25;
  o.ep_tolerance = 1e-3;
  o.ep_sweeps = 4;
  o.ep_memory = 0.5;
  o.passes = 9;
  o.total_documents = 1e12;
  o.tau0 = 1;
  o.kappa = 0.9;
  o.schedule = Schedule::kAsynchronous;
  o.workers = 3;
  o.worker_prior = WorkerPrior::kFixedPrior;
  o.half_life = 1234.5;
  o.minibatch = 55;
  o.first_minibatch = 66;
  o.minibatch_seconds = 2.5;
  o.format = "jsonl";
  o.text_field = "body \"of\" it";
  o.vocab = "words.txt";
  o.vocab_from = 11;
  o.min_df = 2;
  o.max_share = 0.75;
  o.max_vocab = 12;
  o.stop_words = "none";
  o.min_word_length = 1;
  o.follow = true;
  return o;
}

TEST(TopicOptionsJson, KeepsEveryField) {
  const TopicOptions a = Unusual();
  const TopicOptions b = TopicOptions::FromJson(a.ToJson());
  EXPECT_EQ(b.topics, a.topics);
  EXPECT_EQ(b.alpha, a.alpha);
  EXPECT_EQ(b.eta, a.eta);
  EXPECT_EQ(b.algorithm, a.algorithm);
  EXPECT_EQ(b.primitive, a.primitive);
  EXPECT_EQ(b.seed, a.seed);
  EXPECT_EQ(b.sweeps, a.sweeps);
  EXPECT_EQ(b.precision, a.precision);
  EXPECT_EQ(b.ep_updates, a.ep_updates);
  EXPECT_EQ(b.ep_matching, a.ep_matching);
  EXPECT_EQ(b.ep_start, a.ep_start);
  EXPECT_EQ(b.ep_damping, a.ep_damping);
  EXPECT_EQ(b.ep_tolerance, a.ep_tolerance);
  EXPECT_EQ(b.ep_sweeps, a.ep_sweeps);
  EXPECT_EQ(b.ep_memory, a.ep_memory);
  EXPECT_EQ(b.passes, a.passes);
  EXPECT_EQ(b.total_documents, a.total_documents);
  EXPECT_EQ(b.tau0, a.tau0);
  EXPECT_EQ(b.kappa, a.kappa);
  EXPECT_EQ(b.schedule, a.schedule);
  EXPECT_EQ(b.workers, a.workers);
  EXPECT_EQ(b.worker_prior, a.worker_prior);
  EXPECT_EQ(b.half_life, a.half_life);
  EXPECT_EQ(b.minibatch, a.minibatch);
  EXPECT_EQ(b.first_minibatch, a.first_minibatch);
  EXPECT_EQ(b.minibatch_seconds, a.minibatch_seconds);
  EXPECT_EQ(b.format, a.format);
  EXPECT_EQ(b.text_field, a.text_field);
  EXPECT_EQ(b.vocab, a.vocab);
  EXPECT_EQ(b.vocab_from, a.vocab_from);
  EXPECT_EQ(b.min_df, a.min_df);
  EXPECT_EQ(b.max_share, a.max_share);
  EXPECT_EQ(b.max_vocab, a.max_vocab);
  EXPECT_EQ(b.stop_words, a.stop_words);
  EXPECT_EQ(b.min_word_length, a.min_word_length);
  EXPECT_EQ(b.follow, a.follow);
  EXPECT_EQ(json::parse(a.ToJson()).size(), 36u) << "a new field belongs into this test";
  EXPECT_EQ(b.ToJson(), a.ToJson());
}

TEST(TopicOptionsJson, WhatIsNotThereIsNotSet) {
  const TopicOptions none = TopicOptions::FromJson("{}");
  EXPECT_EQ(none.ToJson(), TopicOptions().ToJson());
  EXPECT_FALSE(none.eta.has_value());
  EXPECT_FALSE(json::parse(none.ToJson()).contains("eta"));
}

TEST(TopicOptionsJson, AnUnknownKeyIsRefusedByName) {
  EXPECT_THAT(MessageOf<InputError>([] { TopicOptions::FromJson(R"({"topics":3,"spin":1})"); }),
              HasSubstr("spin"));
}

TEST(TopicOptionsJson, AValueOfAnotherTypeIsRefusedByName) {
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"topics", "\"many\""},
                                                        {"topics", "2.5"},
                                                        {"topics", "1e30"},
                                                        {"topics", "-1"},
                                                        {"seed", "-1"},
                                                        {"minibatch", "1.5"},
                                                        {"max_vocab", "-7"},
                                                        {"alpha", "0.1"},
                                                        {"alpha", "[\"x\"]"},
                                                        {"eta", "\"0.1\""},
                                                        {"eta", "null"},
                                                        {"follow", "1"},
                                                        {"schedule", "\"sometimes\""},
                                                        {"worker_prior", "7"},
                                                        {"text_field", "[]"}}) {
    EXPECT_THAT(
        MessageOf<InputError>([&] { TopicOptions::FromJson("{\"" + key + "\":" + value + "}"); }),
        HasSubstr(key))
        << value;
  }
}

TEST(TopicOptionsJson, WhatIsNoObjectIsRefused) {
  for (const char* text : {"", "{", "[]", "7", "\"topics\""}) {
    EXPECT_THROW(TopicOptions::FromJson(text), InputError) << text;
  }
}

std::string Refusal(const std::function<void(TopicOptions*)>& change) {
  TopicOptions options;
  change(&options);
  return MessageOf<UsageError>([&] { options.Validate(); });
}

TEST(TopicOptions, ABadValueIsRefusedWithOptionAndValue) {
  using O = TopicOptions;
  EXPECT_EQ(Refusal([](O*) {}), "");
  EXPECT_THAT(Refusal([](O* o) { o->topics = 0; }), AllOf(HasSubstr("topics"), HasSubstr("0")));
  EXPECT_THAT(Refusal([](O* o) { o->alpha = {-0.5}; }),
              AllOf(HasSubstr("alpha"), HasSubstr("-0.5")));
  EXPECT_THAT(Refusal([](O* o) { o->alpha = {0.5, 0.5}; }), HasSubstr("alpha"));
  EXPECT_THAT(Refusal([](O* o) { o->eta = -2; }), AllOf(HasSubstr("eta"), HasSubstr("-2")));
  EXPECT_EQ(Refusal([](O* o) { o->algorithm = "magic"; }),
            "--algorithm is magic, must be one of sda, svi, ssu, batch");
  EXPECT_EQ(Refusal([](O* o) { o->primitive = "magic"; }),
            "--primitive is magic, must be one of gibbs, vb, ep");
  EXPECT_EQ(Refusal([](O* o) {
              o->primitive = "vb";
              o->precision = "half";
            }),
            "--precision is half, must be one of float, double");
  for (const char* option : {"updates", "matching", "start"}) {
    const std::string message = Refusal([&](O* o) {
      o->primitive = "ep";
      (*option == 'u' ? o->ep_updates : *option == 'm' ? o->ep_matching : o->ep_start) = "odd";
    });
    EXPECT_THAT(message, HasSubstr(std::string("--ep-") + option + " is odd, must be one of"));
  }
  EXPECT_EQ(Refusal([](O* o) { o->minibatch = 0; }),
            "--minibatch is 0, must be at least 1 and at most 1,000,000,000");
  EXPECT_EQ(Refusal([](O* o) { o->first_minibatch = -3; }),
            "--first-minibatch is -3, must be at least 1 and at most 1,000,000,000");
  EXPECT_EQ(Refusal([](O* o) {
              o->half_life = 100;
              o->minibatch = 51;
            }),
            "--minibatch is 51, must be at most half of the --half-life of 100");
  EXPECT_EQ(Refusal([](O* o) {
              o->half_life = 100;
              o->first_minibatch = 60;
            }),
            "--first-minibatch is 60, must be at most half of the --half-life of 100");
  EXPECT_THAT(Refusal([](O* o) { o->half_life = -2; }), HasSubstr("-2"));
  EXPECT_THAT(Refusal([](O* o) { o->workers = 0; }), HasSubstr("workers is 0"));
  EXPECT_THAT(Refusal([](O* o) { o->workers = 2; }), HasSubstr("workers is 2"));
  EXPECT_THAT(Refusal([](O* o) { o->format = "docx"; }), HasSubstr("docx"));
  EXPECT_THAT(Refusal([](O* o) { o->max_share = 1.5; }), HasSubstr("1.5"));
}

TEST(TopicOptions, OptionsThatConflictAreRefusedByName) {
  using O = TopicOptions;
  const auto svi = [](O* o) {
    o->algorithm = "svi";
    o->total_documents = 100;
  };
  EXPECT_THAT(Refusal([](O* o) { o->algorithm = "svi"; }), HasSubstr("needs --total-documents"));
  EXPECT_EQ(Refusal(svi), "");
  EXPECT_EQ(Refusal([&](O* o) {
              svi(o);
              o->half_life = 1000;
            }),
            "--algorithm svi has the serial schedule and no --half-life");
  EXPECT_THAT(Refusal([](O* o) {
                o->algorithm = "batch";
                o->follow = true;
              }),
              HasSubstr("--algorithm batch does not go with --follow"));
  EXPECT_EQ(Refusal([&](O* o) {
              svi(o);
              o->first_minibatch = 5;
            }),
            "--first-minibatch is for --algorithm sda alone");
  EXPECT_EQ(Refusal([](O* o) { o->passes = 3; }), "--passes is for --algorithm batch alone");
  EXPECT_EQ(Refusal([](O* o) { o->total_documents = 3; }),
            "--total-documents is for --algorithm svi alone");
  EXPECT_EQ(Refusal([](O* o) { o->tau0 = 3; }), "--tau0 is for --algorithm svi alone");
  EXPECT_EQ(Refusal([](O* o) { o->kappa = 0.6; }), "--kappa is for --algorithm svi alone");
  EXPECT_EQ(Refusal([](O* o) { o->worker_prior = WorkerPrior::kFixedPrior; }),
            "--worker-prior is for --schedule async alone");
}

TEST(TopicOptions, WhatDoesNotGoWithThePrimitiveIsRefusedByName) {
  using O = TopicOptions;
  const auto with = [](const char* primitive, const std::function<void(O*)>& change) {
    return Refusal([&](O* o) {
      o->primitive = primitive;
      change(o);
    });
  };
  const auto fixed = [](O* o) {
    o->schedule = Schedule::kAsynchronous;
    o->workers = 2;
    o->worker_prior = WorkerPrior::kFixedPrior;
  };
  for (const char* primitive : {"vb", "ep"}) {
    EXPECT_EQ(with(primitive, [](O* o) { o->sweeps = 3; }), "--sweeps goes with --primitive gibbs");
  }
  for (const char* primitive : {"gibbs", "vb"}) {
    EXPECT_EQ(with(primitive, [](O* o) { o->ep_sweeps = 3; }),
              "--ep-sweeps goes with --primitive ep");
    EXPECT_EQ(with(primitive, [](O* o) { o->ep_updates = "type"; }),
              "--ep-updates goes with --primitive ep");
  }
  for (const char* primitive : {"gibbs", "ep"}) {
    EXPECT_THAT(with(primitive, [](O* o) { o->precision = "float"; }),
                HasSubstr("--precision goes with --primitive vb"));
    EXPECT_THAT(with(primitive, [](O* o) { o->algorithm = "ssu"; }),
                HasSubstr("--algorithm ssu goes with --primitive vb"));
  }
  EXPECT_THAT(with("gibbs", fixed), HasSubstr("--worker-prior fixed goes with --primitive vb"));
  EXPECT_EQ(with("vb", fixed), "");
  EXPECT_THAT(with("ep",
                   [&](O* o) {
                     fixed(o);
                     o->ep_start = "sampled";
                   }),
              HasSubstr("--worker-prior fixed goes with --ep-start noise"));
  EXPECT_THAT(with("ep", [](O* o) { o->ep_memory = 0; }), HasSubstr("--ep-memory"));
}

TEST(TopicOptions, SettledOptionsStayAsTheyAre) {
  std::vector<TopicOptions> all(9);
  all[1].primitive = "vb";
  all[2].primitive = "ep";
  all[3].algorithm = "ssu";
  all[4].algorithm = "batch";
  all[5].algorithm = "svi";
  all[5].total_documents = 1e6;
  all[6].half_life = 5000;
  all[7].topics = 1000;
  all[7].schedule = Schedule::kSynchronous;
  all[7].workers = 8;
  all[8].follow = true;
  for (const TopicOptions& options : all) {
    const TopicOptions settled = options.Settled();
    EXPECT_EQ(settled.Settled().ToJson(), settled.ToJson());
    EXPECT_FALSE(settled.primitive.empty());
    EXPECT_TRUE(settled.minibatch.has_value());
    EXPECT_EQ(settled.alpha.size(), 1u);
    EXPECT_NO_THROW(settled.Spec(1000).Validate());
    EXPECT_EQ(TopicOptions::FromJson(settled.ToJson()).ToJson(), settled.ToJson());
  }
}

TEST(TopicOptions, TheDefaultsOfThePriorAreThoseOfThePrimitive) {
  TopicOptions options;
  options.topics = 50;
  EXPECT_EQ(options.Settled().alpha, (std::vector<double>{0.04}));
  EXPECT_EQ(options.Settled().eta, 0.15);
  options.primitive = "vb";
  EXPECT_EQ(options.Settled().alpha, (std::vector<double>{0.02}));
  EXPECT_EQ(options.Settled().eta, 0.3);
  options.primitive = "ep";
  EXPECT_EQ(options.Settled().eta, 1);
  options.eta = 0.5;
  EXPECT_EQ(options.Settled().eta, 0.5);
}

}  // namespace
}  // namespace sda
