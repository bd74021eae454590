#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/export_folder.h"
#include "base/model_file.h"
#include "sda/errors.h"
#include "sda/topic_export.h"
#include "sda/topic_model.h"
#include "tables/table_export.h"
#include "tables/table_fit.h"
#include "ui/command.h"
#include "ui/watched_corpus.h"

namespace sda {
namespace {

struct ExportFlags {
  std::string model;
  std::vector<std::string> inputs;
  std::string folder;
  bool force = false;
  TopicExport files;
  std::string parameters;  // of a model on tables

  // How INPUT is read.
  std::string format;
  std::string text_field;
  std::string text_column;
  std::optional<std::string> id_field;
  std::string vocabulary;
  std::optional<int> threads;

  bool ReadsDifferently() const {
    return threads.has_value() || id_field.has_value() ||
           !(format + text_field + text_column + vocabulary).empty();
  }
};

void Refuse(bool refused, const std::string& what) {
  if (refused) throw UsageError(what);
}

void CheckFlags(const ExportFlags& flags, bool topics) {
  const bool single = !flags.files.Files().empty() || !flags.parameters.empty();
  Refuse(flags.folder.empty() && !single,
         "nothing is to be exported: name a folder with -o, or a file, as in --lambda FILE.npy");
  Refuse(!flags.folder.empty() && single,
         "-o exports everything into a folder: leave it out to write single files");
  Refuse(flags.folder.empty() && flags.force, "--force is about a folder, and there is no -o");
  if (!topics) {
    Refuse(!flags.files.Files().empty() || !flags.inputs.empty(),
           flags.model +
               ": is a model on tables, which has no topics; export its parameters with -o FOLDER "
               "or --parameters FILE.csv");
    return;
  }
  Refuse(!flags.parameters.empty(),
         flags.model +
             ": is a topic model, and --parameters is for models on tables; use "
             "--topic-words FILE.csv");
  const bool needs = flags.files.NeedsDocuments();
  Refuse(needs && flags.inputs.empty(),
         "--document-topics and --pyldavis need documents: name INPUT after the model");
  Refuse(!needs && flags.folder.empty() && !flags.inputs.empty(),
         "INPUT is not needed for these files: leave it out, or add --document-topics or "
         "--pyldavis");
  Refuse(
      flags.ReadsDifferently() && flags.inputs.empty(),
      "--format, --text-field, --text-column, --id-field, --vocab and --threads are about INPUT, "
      "and there is none (the words of the model are written with --vocabulary)");
}

// Neither the model nor an input may be overwritten, and no two outputs be one file.
void CheckOutputs(const std::vector<std::string>& outputs, const ExportFlags& flags) {
  std::vector<std::string> others = flags.inputs;
  others.push_back(flags.model);
  others.push_back(flags.vocabulary);
  for (const std::string& output : outputs) {
    CheckWritable(output, others);
    others.push_back(output);
  }
}

void ExportTopics(const TopicExport& files, const ExportFlags& flags) {
  const Context context = ProgramContext(flags.threads.value_or(0));
  const TopicModel model = LoadTopicModel(flags.model);
  std::optional<WatchedCorpus> documents;
  if (files.NeedsDocuments()) {
    CorpusOptions options = model.Corpus(flags.inputs);
    if (!flags.format.empty()) options.format = CorpusFormatFromName(flags.format);
    if (!flags.text_field.empty()) options.text_field = flags.text_field;
    if (!flags.text_column.empty()) options.text_column = flags.text_column;
    if (flags.id_field) options.id_field = *flags.id_field;
    options.time_field = "";       // no file has times
    options.keep_wordless = true;  // they have ids, too
    options.vocabulary_file = flags.vocabulary;
    documents.emplace(options, context);
  }
  ExportTopicModel(model, files, documents ? &*documents : nullptr, context);
  if (!files.topic_words.empty() && model.ApproximateIntervals()) SayApproximate();
}

void ExportParametersTo(const std::vector<std::string>& paths, const std::string& model) {
  const auto fit = TableFit::Load(model);
  for (const std::string& path : paths) ExportParameters(*fit, path);
  const std::vector<Estimate> estimates = fit->Describe();
  const auto approximate = [](const Estimate& e) { return e.approximate; };
  if (std::any_of(estimates.begin(), estimates.end(), approximate)) SayApproximate();
}

std::vector<std::string> ParametersIn(const std::string& folder) {
  return {folder + "/parameters.csv", folder + "/parameters.json"};
}

std::vector<std::string> NamesOf(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    names.push_back(std::filesystem::path(path).filename().string());
  }
  return names;
}

void ExportFolderOf(const ExportFlags& flags, bool topics) {
  const ExportFolder folder(flags.folder, flags.force);
  TopicExport files = TopicExport::InFolder(folder.path(), !flags.inputs.empty());
  files.words = flags.files.words;
  const std::vector<std::string> outputs = topics ? files.Files() : ParametersIn(folder.path());
  if (std::filesystem::exists(folder.path())) CheckOutputs(outputs, flags);
  folder.Begin();
  if (topics) {
    ExportTopics(files, flags);
  } else {
    ExportParametersTo(outputs, flags.model);
  }
  std::vector<std::string> all = TopicExport::InFolder(folder.path(), true).Files();
  for (const std::string& path : ParametersIn(folder.path())) all.push_back(path);
  folder.Finish(NamesOf(outputs), NamesOf(all));
  for (const std::string& output : outputs) fmt::print("{}\n", output);
}

void Export(const ExportFlags& flags) {
  const bool topics = ModelFile(flags.model).metadata("model") == "lda";
  CheckFlags(flags, topics);
  if (!flags.folder.empty()) return ExportFolderOf(flags, topics);
  if (!topics) {
    CheckOutputs({flags.parameters}, flags);
    return ExportParametersTo({flags.parameters}, flags.model);
  }
  flags.files.Validate();
  CheckOutputs(flags.files.Files(), flags);
  ExportTopics(flags.files, flags);
}

}  // namespace

void AddExport(CLI::App* app) {
  CLI::App* command = app->add_subcommand(
      "export", "Write a model for other programs: NumPy, spreadsheets, pyLDAvis");
  auto flags = std::make_shared<ExportFlags>();
  command->add_option("MODEL", flags->model, "A model saved by sda fit")->required();
  command->add_option("INPUT", flags->inputs,
                      "Documents, for their topics and pyLDAvis; - is standard input");
  command->add_option("-o,--output", flags->folder, "Folder for everything, with a list of it");
  command->add_flag("--force", flags->force, "Also into a folder that has other files");
  command->add_option("--lambda", flags->files.lambda,
                      "File.npy for the topics x words matrix of Dirichlet parameters (float64)");
  command->add_option("--vocabulary", flags->files.vocabulary,
                      "File.txt for the words, one a line");
  command->add_option("--topic-words", flags->files.topic_words,
                      "File.csv for the words of each topic, with 95% intervals");
  command->add_option("--words", flags->files.words, "Words of each topic in that table; 0: all")
      ->capture_default_str();
  command->add_option(
      "--document-topics", flags->files.document_topics,
      "File.npy for the documents x topics matrix, or File.csv with numbers and ids");
  command->add_option("--pyldavis", flags->files.pyldavis,
                      "File.json with the arguments of pyLDAvis.prepare()");
  command->add_option("--parameters", flags->parameters,
                      "File.csv or File.json for the parameters of a model on tables");
  command->add_option("--format", flags->format,
                      "Of INPUT: auto, uci, ldac, mm, svmlight, jsonl, text, csv or files");
  command->add_option("--text-field", flags->text_field,
                      "Of JSON lines; default: that of the documents it was learnt from");
  command->add_option("--text-column", flags->text_column, "Of CSV, likewise");
  command->add_option("--id-field", flags->id_field,
                      "JSON field or CSV column with the ids of documents, likewise");
  command->add_option("--vocab", flags->vocabulary,
                      "Words of bag-of-words INPUT, if not those of the model");
  command->add_option("--threads", flags->threads, "Threads to compute with; 0: all cores");
  command->callback([flags] { Export(*flags); });
}

}  // namespace sda
