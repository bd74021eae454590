#include "commands/document_flags.h"

#include <fmt/format.h>

#include <utility>

#include "data/format.h"
#include "sda/errors.h"

namespace sda {

CLI::Option* DocumentFlags::AddTo(CLI::App* command) {
  command->add_option("MODEL", model, "A topic model saved by sda fit")->required();
  CLI::Option* input =
      command->add_option("INPUT", inputs, "Documents; - is standard input")->required();
  command->add_option("--format", format,
                      "auto, uci, ldac, mm, svmlight, jsonl, text, csv or files");
  command->add_option("--text-column", text_column,
                      "Of CSV or TSV; default: that of the documents it was learnt from");
  command->add_option("--text-field", text_field,
                      "Of JSON lines; default: that of the documents it was learnt from");
  command->add_option("--vocab", vocabulary,
                      "Words of bag-of-words input, if not those of the model");
  command->add_option("--threads", threads, "Threads to compute with; 0: all cores");
  return input;
}

void DocumentFlags::AddNamesTo(CLI::App* command) {
  command->add_option("--id-field", id_field,
                      "Field of JSON lines or column of CSV that is the id of a document");
  command->add_option("--time-field", time_field, "The same for the time when it was written");
}

void DocumentFlags::CheckFields(CorpusFormat found) const {
  for (const auto& [option, field] :
       {std::pair("--id-field", id_field), std::pair("--time-field", time_field)}) {
    if (field && !field->empty() && !HasFields(found)) {
      throw UsageError(fmt::format(
          "{} is given, but documents of the format {} have no fields, expected jsonl or csv",
          option, CorpusFormatName(found)));
    }
  }
}

CorpusOptions DocumentFlags::Corpus(const TopicModel& loaded) const {
  CorpusOptions options = loaded.Corpus(inputs);
  options.format = CorpusFormatFromName(format);
  if (!text_field.empty()) options.text_field = text_field;
  if (!text_column.empty()) options.text_column = text_column;
  if (id_field) options.id_field = *id_field;
  if (time_field) options.time_field = *time_field;
  options.vocabulary_file = vocabulary;
  return options;
}

}  // namespace sda
