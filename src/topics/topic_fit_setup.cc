#include "topics/topic_fit_setup.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "data/corpus_position.h"
#include "data/format.h"
#include "data/io/followed_file.h"
#include "sda/errors.h"
#include "sda/over_time.h"
#include "topics/topic_options_json.h"

namespace sda {

TopicFitOptions WithModel(TopicFitOptions options, const Context& context,
                          std::optional<TopicModel>* model) {
  options.Validate();
  if (!options.from.empty()) {
    *model = LoadTopicModel(options.from);
    for (const std::string& line : (*model)->assumed) context.Log(options.from + ": " + line);
    options.topics = ContinueOptions(**model, options.given);
    options.Validate();
  }
  return options;
}

CheckpointPlan CheckpointPlanOf(const TopicFitOptions& options, uint64_t first_minibatch,
                                const Context& context) {
  CheckpointPlan plan;
  plan.kind = "topics";
  plan.folder = options.checkpoint;
  plan.every = options.checkpoint_every;
  plan.resume = options.resume;
  plan.asynchronous = options.topics.schedule == Schedule::kAsynchronous;
  plan.saves_models = options.topics.follow;
  if (!options.checkpoint.empty()) {
    TopicFitOptions settled = options;
    settled.topics = options.topics.Settled();
    plan.options = TopicFitOptionsToJson(settled);
    plan.settings = nlohmann::json::parse(options.settings);
    plan.settings["given"] = options.given;
  }
  plan.inputs = options.inputs;
  for (const std::string& file :
       {options.holdout, options.topics.vocab, options.topics.stop_words, options.from}) {
    if (!file.empty() && std::filesystem::is_regular_file(file)) plan.other_files.push_back(file);
  }
  if (options.topics.follow) {
    plan.start = [followed = options.inputs.back(), first_minibatch] {
      return StartOfCorpus(FirstLook(followed), first_minibatch);
    };
  }
  plan.items_name = "documents";
  plan.context = context;
  return plan;
}

CorpusOptions CorpusOf(const TopicFitOptions& fit, const TopicOptions& settled,
                       const std::optional<TopicModel>& model, RunCheckpoints* checkpoints) {
  CorpusOptions options = settled.Corpus();
  options.inputs = fit.inputs;
  if (!fit.holdout.empty()) options.held_out = ReadDocumentNumbers(fit.holdout);
  if (model) {
    const CorpusOptions of_model = model->Corpus(fit.inputs);
    options.first_id = model->minibatches;
    options.vocabulary = of_model.vocabulary;
    options.stop_words = of_model.stop_words;
    options.stop_word_list = of_model.stop_word_list;
    if (model->words) options.frequent_words = model->words->frequent;
  }
  if (checkpoints->on()) {
    options.on_start = [checkpoints](const std::string& start) { checkpoints->KeepStart(start); };
  }
  if (checkpoints->last() == nullptr) {
    options.resume_from = checkpoints->start();
    return options;
  }
  const std::string format = checkpoints->fixed().at("format").get<std::string>();
  if (fit.topics.follow) {  // another file may have the name now, or there may be none
    options.format = CorpusFormatFromName(format);
    options.resume_from = checkpoints->last()->progress.position;
  }
  if (!options.vocabulary_file.empty() || model) return options;
  const auto& words = checkpoints->fixed().at("vocabulary");
  if (IsText(CorpusFormatFromName(format))) {
    options.vocabulary = words.get<std::vector<std::string>>();
    if (options.grow) {
      options.frequent_words =
          checkpoints->fixed().value("frequent_words", std::vector<std::string>());
    }
  } else if (format == "ldac" || format == "svmlight") {
    options.vocabulary_size = words.size();
  }
  return options;
}

nlohmann::json WhatStays(const CorpusSource& source, const std::vector<std::string>& vocabulary) {
  nlohmann::json fixed = {{"format", CorpusFormatName(source.format())},
                          {"vocabulary", vocabulary}};
  const std::vector<std::string> frequent = source.frequent_words();
  if (!frequent.empty()) fixed["frequent_words"] = frequent;
  return fixed;
}

void SaveInSpiteOf(const std::exception_ptr& failure, const Context& context,
                   const std::function<void()>& save) {
  try {
    save();
  } catch (...) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const std::exception& e) {
      context.Log(e.what());
    }
    throw;
  }
}

void CheckFields(const TopicFitOptions& fit, CorpusFormat format) {
  for (const auto& [option, field] : {std::pair("--id-field", fit.topics.id_field),
                                      std::pair("--time-field", fit.topics.time_field)}) {
    if (!field || field->empty() || HasFields(format) || !fit.from.empty()) continue;
    throw UsageError(std::string(option) + " is given, but documents of the format " +
                     CorpusFormatName(format) + " have no fields, expected jsonl or csv");
  }
  const bool over_time = fit.topics.bucket.value_or("off") != "off";
  if ((over_time || fit.topics.over_time_memory) && fit.topics.time_field.value_or("").empty()) {
    throw UsageError(std::string(over_time ? "--bucket" : "--over-time-memory") +
                     " is given without --time-field, which the times of documents come from");
  }
  if (IsText(format) || !fit.from.empty()) return;
  for (const auto& [option, given] :
       {std::pair("--strip", !fit.topics.strip.value_or("").empty()),
        std::pair("--stemmer", !fit.topics.stemmer.value_or("").empty()),
        std::pair("--phrases", fit.topics.phrases.value_or(false))}) {
    if (!given) continue;
    throw UsageError(std::string(option) + " is given, but documents of the format " +
                     CorpusFormatName(format) + " are counts of words, expected texts");
  }
}

std::optional<OverTimeReport> OverTimeOf(const TopicModel& model) {
  const OverTime* const sums = model.posterior.over_time();
  if (sums == nullptr) return std::nullopt;
  OverTimeReport report{.unit = sums->unit(),
                        .bucket = sums->options().bucket,
                        .buckets = sums->Buckets().size(),
                        .memory = sums->options().memory,
                        .late_documents = sums->late_documents(),
                        .undated_documents = sums->undated_documents()};
  const auto draws = static_cast<double>(sums->tokens() * OverTime::kDraws);
  if (draws > 0) report.cut_share = sums->CutDraws() / draws;
  return report;
}

}  // namespace sda
