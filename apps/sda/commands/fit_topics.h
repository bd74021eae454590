#ifndef SDA_APPS_COMMANDS_FIT_TOPICS_H_
#define SDA_APPS_COMMANDS_FIT_TOPICS_H_

#include <CLI/CLI.hpp>
#include <string>

#include "commands/fit.h"
#include "core/run_checkpoints.h"
#include "sda/context.h"
#include "sda/topic_fit.h"

namespace sda {

// The options that only topic models have.
struct TopicFlags {
  TopicOptions options;
  std::string from;
  std::string holdout;
  std::string split = "half-types";
  int seeds = 1;
};

CLI::Option_group* AddTopicOptions(CLI::App* command, TopicFlags* flags);
// Those of the model and of the primitives that a cluster has too.
void AddLdaOptions(CLI::App* group, TopicOptions* options);
// Those about documents, for every command that reads some.
CLI::Option_group* AddCorpusOptions(CLI::App* command, TopicOptions* options);
// Whether the vocabulary grows.
void AddGrowOption(CLI::Option_group* group, TopicOptions* options);
// The columns and fields of files, which messages of a cluster do not have.
void AddTextColumn(CLI::Option_group* group, TopicOptions* options);
void AddNameOptions(CLI::Option_group* group, TopicOptions* options);

// `command` tells which options were given.
void FitTopics(const FitFlags& common, const TopicFlags& flags, const CLI::App& command,
               const Context& context);
// With the options that the run began with.
void ResumeTopics(const StoredOptions& stored, const FitFlags& common, const Context& context);

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_FIT_TOPICS_H_
