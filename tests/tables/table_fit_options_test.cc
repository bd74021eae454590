#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sda/errors.h"
#include "sda/tables.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using ::testing::HasSubstr;

TableFitOptions For(const std::string& model, const std::string& target = "") {
  TableFitOptions options;
  options.model = model;
  options.inputs = {"rows.csv"};
  options.target = target;
  return options;
}

std::string Refusal(const TableFitOptions& options) {
  return MessageOf<UsageError>([&] { options.Validate(); });
}

TEST(TableFitOptions, DefaultsOfEveryModelAreValid) {
  for (const char* model : {"coin", "categorical", "normal", "poisson", "mixture"}) {
    EXPECT_EQ(Refusal(For(model)), "") << model;
  }
  for (const char* model : {"linear", "probit", "logistic"}) {
    EXPECT_EQ(Refusal(For(model, "y")), "") << model;
  }
}

TEST(TableFitOptions, WhatAModelDoesNotHaveIsNamed) {
  TableFitOptions options = For("linear", "y");
  options.model_options["components"] = uint64_t{3};
  EXPECT_EQ(Refusal(options), "--components is not for --model linear");
  options = For("linear", "y");
  options.first_minibatch = 10;
  EXPECT_EQ(Refusal(options), "--first-minibatch is not for --model linear");
  options = For("linear", "y");
  options.format = "svmlight";
  EXPECT_EQ(Refusal(options), "--format is not for --model linear");
  EXPECT_EQ(Refusal(For("linear")), "model linear needs --target COLUMN");
  EXPECT_EQ(Refusal(For("normal", "y")), "--target is y, but model normal has no target");
  EXPECT_THAT(Refusal(For("coyn")), HasSubstr("no model \"coyn\"; the models are lda, coin,"));
}

TEST(TableFitOptions, BadValuesAreNamed) {
  TableFitOptions options = For("probit", "y");
  options.model_options["covariance"] = "round";
  EXPECT_EQ(Refusal(options), "--covariance is round, must be auto, dense or diagonal");
  options = For("probit", "y");
  options.model_options["features"] = uint64_t{7};
  EXPECT_EQ(Refusal(options), "--features is for svmlight files alone");
  options = For("normal");
  options.minibatch = 0;
  EXPECT_THAT(Refusal(options), HasSubstr("--minibatch is 0, must be at least 1"));
  options.minibatch = 90;
  options.half_life = 100;
  EXPECT_THAT(Refusal(options), HasSubstr("--minibatch is 90, must be at most half of"));
  options = For("mixture");
  options.schedule = Schedule::kAsynchronous;
  options.worker_prior = WorkerPrior::kFixedPrior;
  EXPECT_THAT(Refusal(options), HasSubstr("--worker-prior fixed is not for --model mixture"));
  options = For("normal");
  options.prior = {{"weight", -1}};
  EXPECT_THAT(Refusal(options), HasSubstr("prior weight is -1"));
  options = For("probit");
  options.inputs = {"rows.svm"};
  options.follow = true;
  EXPECT_THAT(Refusal(options), HasSubstr("svmlight rows cannot be followed"));
}

TEST(TableFitOptions, SurviveJson) {
  TableFitOptions options = For("mixture");
  options.columns = {"a", "b"};
  options.prior = {{"spread", 0.25}};
  options.model_options = {{"components", uint64_t{3}}, {"seed", ~uint64_t{0}}};
  options.schedule = Schedule::kAsynchronous;
  options.workers = 4;
  options.minibatch = 500;
  options.first_minibatch = 100;
  options.half_life = 1e4;
  options.follow = true;
  options.minibatch_seconds = 0.5;
  const TableFitOptions same = TableFitOptions::FromJson(options.ToJson());
  EXPECT_EQ(same.ToJson(), options.ToJson());
  EXPECT_EQ(same.model_options, options.model_options);
  EXPECT_EQ(same.workers, 4);
  EXPECT_EQ(same.minibatch, 500);
  EXPECT_EQ(same.schedule, Schedule::kAsynchronous);
  options = For("probit", "y");
  options.intercept = false;
  options.worker_prior = WorkerPrior::kFixedPrior;
  EXPECT_THAT(options.ToJson(), HasSubstr("\"no_intercept\":true"));
  EXPECT_FALSE(TableFitOptions::FromJson(options.ToJson()).intercept);
  EXPECT_EQ(TableFitOptions::FromJson(options.ToJson()).worker_prior, WorkerPrior::kFixedPrior);
}

TEST(TableFitOptions, OtherJsonIsRefused) {
  for (const char* json :
       {"", "[]", "{\"model\":\"coin\",\"colour\":1}", "{\"model\":\"mixture\",\"components\":-1}",
        "{\"model\":\"coin\",\"workers\":\"two\"}",
        "{\"model\":\"coin\",\"schedule\":\"sometimes\"}"}) {
    EXPECT_THROW(TableFitOptions::FromJson(json), InputError) << json;
  }
}

}  // namespace
}  // namespace sda
