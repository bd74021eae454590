#ifndef SDA_TOPICS_TOPIC_FIT_SETUP_H_
#define SDA_TOPICS_TOPIC_FIT_SETUP_H_

#include <optional>

#include "core/run_checkpoints.h"
#include "sda/topic_fit.h"

namespace sda {

// What a TopicFit is made from.

// The options as given; if there is a model to continue from, its options and those given, and
// *model is that model. What it lacks is logged. Validates them.
TopicFitOptions WithModel(TopicFitOptions options, const Context& context,
                          std::optional<TopicModel>* model);

CheckpointPlan CheckpointPlanOf(const TopicFitOptions& options, const Context& context);

// How the documents are read. The words are those with which the run began, also if the input has
// grown since, or those of the model to continue from.
CorpusOptions CorpusOf(const TopicFitOptions& fit, const TopicOptions& settled,
                       const std::optional<TopicModel>& model, const RunCheckpoints& checkpoints);

}  // namespace sda

#endif  // SDA_TOPICS_TOPIC_FIT_SETUP_H_
