#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/model_file.h"
#include "base/text.h"
#include "commands/document_flags.h"
#include "commands/eval_table.h"
#include "commands/table_reading_flags.h"
#include "data/format.h"
#include "sda/corpus.h"
#include "sda/errors.h"
#include "sda/lda_score.h"
#include "sda/lda_topics.h"
#include "sda/topic_model.h"
#include "topics/infer_writer.h"
#include "ui/command.h"
#include "ui/flags.h"
#include "ui/watched_corpus.h"

namespace sda {
namespace {

struct InferFlags {
  DocumentFlags documents;
  InferOutputOptions output;
  size_t most = 10;
  std::string intervals = "sampled";
};

// Few at a time, since sampling takes a millisecond each: results come, and Ctrl-C counts, soon.
constexpr uint64_t kInferredAtOnce = 512;

void Infer(const InferFlags& flags) {
  const Context context = ProgramContext(flags.documents.threads);
  const auto intervals = ProportionIntervalsNamed(flags.intervals);
  const TopicModel model = LoadTopicModel(flags.documents.model);
  const InferOptions how = {.intervals = intervals,
                            .approximate_topics = model.options.ApproximateTopics()};
  InferWriter writer(flags.output, model);
  CorpusOptions options = flags.documents.Corpus(model);
  options.keep_wordless = true;
  options.minibatch = kInferredAtOnce;
  // On a terminal the results are progress enough.
  const bool shown = isatty(STDOUT_FILENO) != 0;
  WatchedCorpus source(options, context, shown ? Observer() : RunProgress("documents"));
  flags.documents.CheckFields(source.format());
  bool approximate = false;
  while (auto minibatch = source.Next()) {
    CheckNotStopped(context);
    const auto topics =
        InferTopics(model.posterior, minibatch->data, model.Spec(), context, flags.most, how);
    fmt::print("{}", writer.Write(minibatch->data, topics));
    for (const DocumentTopics& document : topics) approximate |= document.approximate();
  }
  CheckNotStopped(context);
  const CorpusCounts counts = source.counts();
  fmt::print("{}", writer.Finish(counts.documents));
  if (approximate && flags.output.format != "jsonl") SayApproximate();
  if (writer.wordless() > 0) {
    Say(fmt::format("{} of {} without a known word: no topics", Grouped(writer.wordless()),
                    Plural(counts.documents, "document", "documents")));
  }
  if (counts.without_id > 0) {
    Say(Plural(counts.without_id, "document", "documents") + " without an id");
  }
  if (counts.without_time > 0) {
    Say(Plural(counts.without_time, "document", "documents") + " without a time");
  }
}

struct EvalFlags {
  DocumentFlags documents;
  std::string holdout;
  std::string split = "half-types";
  ReadingChanges reading;  // of models on tables
  bool json = false;
};

Documents ReadAll(const CorpusOptions& options, const Context& context) {
  CorpusOptions whole = options;
  whole.minibatch = kWholeStream;
  CorpusSource source(whole, context);
  auto all = source.Next();
  CheckNotStopped(context);
  return all ? std::move(all->data) : Documents();
}

void Eval(const EvalFlags& flags) {
  const Context context = ProgramContext(flags.documents.threads);
  const TopicModel model = LoadTopicModel(flags.documents.model);
  CorpusOptions options = flags.documents.Corpus(model);
  options.id_field = options.time_field = "";  // a score names no document
  const Documents documents =
      flags.holdout.empty() ? ReadAll(options, context)
                            : ReadDocuments(options, ReadDocumentNumbers(flags.holdout), context);
  const auto rule = flags.split == "alternate" ? SplitRule::kAlternate : SplitRule::kHalfTypes;
  const LdaScore score =
      LogPredictive(model.posterior, SplitHeldOut(documents, rule), model.Spec(), context);
  if (score.test_tokens == 0) {
    throw InputError("no document has two distinct known words: nothing to score");
  }
  if (flags.json) {
    const nlohmann::ordered_json out = {{"log_predictive_probability", score.log_predictive},
                                        {"test_tokens", score.test_tokens},
                                        {"documents", score.documents},
                                        {"unconverged_documents", score.unconverged_documents},
                                        {"split", flags.split}};
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("held-out log predictive probability {:.6f} per token, on {} of {}\n",
               score.log_predictive, Plural(score.test_tokens, "token", "tokens"),
               Plural(score.documents, "document", "documents"));
  }
}

}  // namespace

void AddInfer(CLI::App* app) {
  CLI::App* command = app->add_subcommand(
      "infer", "Topic proportions of documents with 95% intervals, as JSON lines, CSV or TSV");
  auto flags = std::make_shared<InferFlags>();
  flags->documents.AddTo(command);
  flags->documents.AddNamesTo(command);
  command->add_option("--most", flags->most, "Largest topics of a document to print; 0: all")
      ->capture_default_str();
  command
      ->add_option("--intervals", flags->intervals,
                   "sampled (default): the document's tokens are sampled, with the topics known;\n"
                   "linear-response: 2 to 4 times faster; too narrow for short documents")
      ->check(Choices({"sampled", "linear-response"}))
      ->type_name("NAME");
  command->add_option("--output-format", flags->output.format, "jsonl, csv or tsv")
      ->capture_default_str();
  command->add_option("--words", flags->output.words, "Top words to print with each topic")
      ->capture_default_str();
  command->callback([flags] { Infer(*flags); });
}

void AddEval(CLI::App* app) {
  CLI::App* command = app->add_subcommand(
      "eval",
      "How well a model predicts: of a topic model half of each document's words the other\n"
      "half; of a model on tables each row, with its target");
  auto flags = std::make_shared<EvalFlags>();
  flags->documents.AddTo(command)->description(
      "Documents; of models on tables, CSV; - is standard input");
  command->get_option("MODEL")->description("A model saved by sda fit");
  command->add_option("--holdout", flags->holdout,
                      "File of document or row numbers, from 1, to score on; all if not given");
  command->add_option("--split", flags->split, "half-types (default) or alternate")
      ->check(Choices({"half-types", "alternate"}))
      ->type_name("NAME");
  command->add_flag("--json", flags->json, "Print JSON");
  AddTableReading(command, &flags->reading.delimiter, &flags->reading.header,
                  &flags->reading.missing, "as in the fit", "as in the fit");
  command->callback([flags, command] {
    const std::string& model = flags->documents.model;
    const std::string claimed = ClaimedModel(model);
    const bool topics = claimed.empty() || claimed == "lda";
    auto refuse = [&](const char* option) {
      if (command->count(option) == 0) return;
      throw UsageError(
          fmt::format("{} is not for {}", option, topics ? "a topic model" : "a model on tables"));
    };
    if (topics) {
      for (const char* option : {"--delimiter", "--header", "--missing"}) refuse(option);
      return Eval(*flags);
    }
    for (const char* option : {"--format", "--text-field", "--vocab", "--threads", "--split"}) {
      refuse(option);
    }
    EvalTable({model, flags->documents.inputs, flags->reading, flags->holdout, flags->json});
  });
}

}  // namespace sda
