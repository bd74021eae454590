#ifndef SDA_APPS_COMMANDS_DOCUMENT_FLAGS_H_
#define SDA_APPS_COMMANDS_DOCUMENT_FLAGS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sda/corpus.h"
#include "sda/topic_model.h"

namespace sda {

// What infer, eval and report have in common: a model, and documents to read for it.
struct DocumentFlags {
  std::string model;
  std::vector<std::string> inputs;
  std::string format = "auto";
  std::string text_field;  // empty: as the model was learnt
  std::string text_column;
  std::optional<std::string> id_field;  // not set: as the model was learnt
  std::optional<std::string> time_field;
  std::string vocabulary;
  int threads = 0;

  // MODEL and INPUT, which is returned and required, and how documents are read.
  CLI::Option* AddTo(CLI::App* command);
  // For commands that show ids or times.
  void AddNamesTo(CLI::App* command);

  // Documents of some formats have no fields: throws UsageError if one was asked for.
  void CheckFields(CorpusFormat found) const;

  CorpusOptions Corpus(const TopicModel& loaded) const;
};

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_DOCUMENT_FLAGS_H_
