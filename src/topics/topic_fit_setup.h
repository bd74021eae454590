#ifndef SDA_TOPICS_TOPIC_FIT_SETUP_H_
#define SDA_TOPICS_TOPIC_FIT_SETUP_H_

#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/run_checkpoints.h"
#include "sda/corpus.h"
#include "sda/topic_fit.h"

namespace sda {

// What a TopicFit is made from.

// The options as given; if there is a model to continue from, its options and those given, and
// *model is that model. What it lacks is logged. Validates them.
TopicFitOptions WithModel(TopicFitOptions options, const Context& context,
                          std::optional<TopicModel>* model);

// first_minibatch: that of the model to continue from, or 0.
CheckpointPlan CheckpointPlanOf(const TopicFitOptions& options, uint64_t first_minibatch,
                                const Context& context);

// How the documents are read. The words are those with which the run began, also if the input has
// grown since, or those of the model to continue from. The checkpoints must outlive the corpus.
CorpusOptions CorpusOf(const TopicFitOptions& fit, const TopicOptions& settled,
                       const std::optional<TopicModel>& model, RunCheckpoints* checkpoints);

// What checkpoints say of a corpus that stays, for CorpusOf() to read it in the same way. The words
// are those with which the run began.
nlohmann::json WhatStays(const CorpusSource& source, const std::vector<std::string>& vocabulary);

// Calls save. If that throws, too, the failure before it is logged first.
void SaveInSpiteOf(const std::exception_ptr& failure, const Context& context,
                   const std::function<void()>& save);

// Documents of some formats have no fields, or no texts: throws UsageError if something was asked
// for that is about these.
void CheckFields(const TopicFitOptions& fit, CorpusFormat format);

std::optional<OverTimeReport> OverTimeOf(const TopicModel& model);

}  // namespace sda

#endif  // SDA_TOPICS_TOPIC_FIT_SETUP_H_
