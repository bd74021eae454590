#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "base/text.h"
#include "commands/document_flags.h"
#include "sda/errors.h"
#include "sda/model_report.h"
#include "ui/command.h"
#include "ui/watched_corpus.h"

namespace sda {
namespace {

struct ReportFlags {
  DocumentFlags documents;
  ReportOptions options;
  std::string output;
  std::string title;
  bool json = false;
  bool force = false;
};

// Before the work: what is in the way of its result.
void CheckOutput(const ReportFlags& flags) {
  if (flags.json && !flags.output.empty()) {
    throw UsageError("--json prints the data and writes no file: leave out -o, or redirect it");
  }
  if (flags.json) return;
  if (flags.output.empty()) throw UsageError("-o FILE.html or --json is required");
  std::vector<std::string> others = flags.documents.inputs;
  others.push_back(flags.documents.model);
  CheckWritable(flags.output, others);
  std::error_code none;
  if (!flags.force && std::filesystem::file_size(flags.output, none) > 0 && !none &&
      !IsReportPage(flags.output)) {
    throw UsageError(flags.output + ": exists and is not a report of sda; --force overwrites it");
  }
  RequireReportPage();
}

void SayWhatIsMissing(const CorpusCounts& counts) {
  if (counts.without_id > 0) {
    Say(Plural(counts.without_id, "document", "documents") + " without an id");
  }
  if (counts.without_time > 0) {
    Say(Plural(counts.without_time, "document", "documents") + " without a time");
  }
}

void Report(const ReportFlags& flags) {
  flags.options.Validate();
  CheckOutput(flags);
  const Context context = ProgramContext(flags.documents.threads);
  const TopicModel model = LoadTopicModel(flags.documents.model);
  std::optional<WatchedCorpus> source;
  if (!flags.documents.inputs.empty()) {
    CorpusOptions options = flags.documents.Corpus(model);
    options.keep_texts = true;
    options.keep_wordless = true;
    source.emplace(options, context);
    flags.documents.CheckFields(source->format());
  }
  ModelReport report = MakeReport(model, flags.options, context, source ? &*source : nullptr);
  CheckNotStopped(context);
  if (source) SayWhatIsMissing(source->counts());
  report.title = flags.title.empty()
                     ? std::filesystem::path(flags.documents.model).filename().string()
                     : flags.title;
  if (flags.json) {
    fmt::print("{}\n", report.ToJson());
    return;
  }
  WriteTextFile(flags.output, ReportPage(report));
  Say(fmt::format("saved {}: {} of {}{}", flags.output,
                  Plural(report.topics.size(), "topic", "topics"),
                  Plural(report.vocabulary, "word", "words"),
                  report.input ? ", " + Plural(report.input->documents, "document", "documents")
                               : std::string()));
}

}  // namespace

void AddReport(CLI::App* app) {
  CLI::App* command = app->add_subcommand(
      "report", "A topic model as one HTML file: topics, map, words, documents, time");
  auto flags = std::make_shared<ReportFlags>();
  flags->documents.AddTo(command)->required(false);
  flags->documents.AddNamesTo(command);
  command->add_option("-o,--output", flags->output, "File.html; opens without network");
  command->add_option("--title", flags->title, "Of the page; default: the model's file name");
  command->add_option("--words", flags->options.words, "Words of each topic, at each relevance")
      ->capture_default_str();
  command->add_option("--documents", flags->options.documents, "Documents that represent a topic")
      ->capture_default_str();
  command->add_flag("--force", flags->force, "Overwrite an --output that is not a report");
  command->add_flag("--json", flags->json, "Print the data of the page, and write no file");
  command->callback([flags] { Report(*flags); });
}

}  // namespace sda
