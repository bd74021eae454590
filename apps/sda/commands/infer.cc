#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "sda/corpus.h"
#include "sda/errors.h"
#include "sda/lda_score.h"
#include "sda/lda_topics.h"
#include "sda/topic_model.h"
#include "ui/command.h"

namespace sda {
namespace {

// What infer and eval have in common: a model, and documents to read for it.
struct DocumentFlags {
  std::string model;
  std::vector<std::string> inputs;
  std::string format = "auto";
  std::string text_field;  // empty: as the model was learnt
  std::string vocabulary;
  int threads = 0;

  void AddTo(CLI::App* command) {
    command->add_option("MODEL", model, "A topic model saved by sda fit")->required();
    command->add_option("INPUT", inputs, "Documents; - is standard input")->required();
    command->add_option("--format", format, "auto, uci, ldac, mm, svmlight, jsonl or text");
    command->add_option("--text-field", text_field,
                        "Of JSON lines; default: that of the documents it was learnt from");
    command->add_option("--vocab", vocabulary,
                        "Words of bag-of-words input, if not those of the model");
    command->add_option("--threads", threads, "Threads to compute with; 0: all cores");
  }

  CorpusOptions Corpus(const TopicModel& loaded) const {
    CorpusOptions options = loaded.Corpus(inputs);
    options.format = CorpusFormatFromName(format);
    if (!text_field.empty()) options.text_field = text_field;
    options.vocabulary_file = vocabulary;
    return options;
  }
};

void PrintDocument(uint64_t number, const std::vector<TopicShare>& topics) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const TopicShare& t : topics) {
    list.push_back({{"topic", t.topic},
                    {"proportion", t.proportion.mean},
                    {"lower", t.proportion.lower},
                    {"upper", t.proportion.upper}});
  }
  fmt::print("{}\n", nlohmann::ordered_json{{"document", number}, {"topics", list}}.dump());
}

void Infer(const DocumentFlags& flags, size_t most) {
  const Context context = ProgramContext(flags.threads);
  const TopicModel model = LoadTopicModel(flags.model);
  CorpusSource source(flags.Corpus(model), context);
  uint64_t next = 1;
  // Documents without a known word are not handed out: they get an empty line of their own.
  auto print_skipped_before = [&](uint64_t number) {
    for (; next < number; ++next) PrintDocument(next, {});
  };
  while (auto minibatch = source.Next()) {
    CheckNotStopped(context);
    for (const DocumentTopics& document :
         InferTopics(model.posterior, minibatch->data, model.Spec(), context, most)) {
      print_skipped_before(document.number);
      PrintDocument(document.number, document.topics);
      next = document.number + 1;
    }
  }
  CheckNotStopped(context);
  print_skipped_before(source.counts().documents + 1);
}

struct EvalFlags {
  DocumentFlags documents;
  std::string holdout;
  std::string split = "half-types";
  bool json = false;
};

Documents ReadAll(const CorpusOptions& options, const Context& context) {
  CorpusOptions whole = options;
  whole.minibatch = uint64_t{1} << 40;
  CorpusSource source(whole, context);
  auto all = source.Next();
  CheckNotStopped(context);
  return all ? std::move(all->data) : Documents();
}

void Eval(const EvalFlags& flags) {
  const Context context = ProgramContext(flags.documents.threads);
  const TopicModel model = LoadTopicModel(flags.documents.model);
  const CorpusOptions options = flags.documents.Corpus(model);
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
    fmt::print(
        "held-out log predictive probability {:.6f} per token, on {} tokens of {} documents\n",
        score.log_predictive, Grouped(score.test_tokens), Grouped(score.documents));
  }
}

}  // namespace

void AddInfer(CLI::App* app) {
  CLI::App* command = app->add_subcommand(
      "infer", "Topic proportions of documents with 95% intervals, a JSON object a line");
  struct Flags {
    DocumentFlags documents;
    size_t most = 10;
  };
  auto flags = std::make_shared<Flags>();
  flags->documents.AddTo(command);
  command->add_option("--most", flags->most, "Largest topics of a document to print; 0: all")
      ->capture_default_str();
  command->callback([flags] { Infer(flags->documents, flags->most); });
}

void AddEval(CLI::App* app) {
  CLI::App* command = app->add_subcommand(
      "eval", "Held-out score: half of each document's words predict the other half");
  auto flags = std::make_shared<EvalFlags>();
  flags->documents.AddTo(command);
  command->add_option("--holdout", flags->holdout,
                      "File of document numbers, from 1, to score on; all if not given");
  command->add_option("--split", flags->split, "half-types (default) or alternate")
      ->check(CLI::IsMember({"half-types", "alternate"}).description(""))
      ->type_name("NAME");
  command->add_flag("--json", flags->json, "Print JSON");
  command->callback([flags] { Eval(*flags); });
}

}  // namespace sda
