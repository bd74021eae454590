#ifndef SDA_APPS_COMMANDS_TOPICS_OVER_TIME_H_
#define SDA_APPS_COMMANDS_TOPICS_OVER_TIME_H_

#include <CLI/CLI.hpp>
#include <string>

#include "sda/topic_model.h"

namespace sda {

// Of sda topics: its topics over time, and in a period.
struct OverTimeFlags {
  bool over_time = false;
  std::string since;
  std::string until;
  std::string versus;
  bool csv = false;

  void AddTo(CLI::App* command);
  bool any() const { return over_time || !since.empty() || !until.empty() || !versus.empty(); }
  // Throws UsageError for options that do not go together.
  void Check() const;
};

void ShowTopicsOverTime(const TopicModel& model, const OverTimeFlags& flags, int words, bool json);

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_TOPICS_OVER_TIME_H_
