#include "commands/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>

#include "commands/fit_checkpoint.h"
#include "data/io/stopped_at_start.h"
#include "tables/table_fit.h"
#include "ui/command.h"

namespace sda {

void CheckMinibatch(const char* option, int64_t minibatch) {
  if (minibatch < 1 || minibatch > 1'000'000'000) {
    throw std::invalid_argument(
        fmt::format("{} is {}, must be at least 1 and at most 1,000,000,000", option, minibatch));
  }
}

uint64_t ItemsPerRound(const FitFlags& flags, int64_t default_minibatch) {
  // Items of one minibatch are not discounted against each other.
  constexpr double kMinibatchesPerHalfLife = 20;
  const double forgetting = std::max(1.0, std::ceil(flags.half_life / kMinibatchesPerHalfLife));
  if (flags.half_life > 0 && forgetting < static_cast<double>(default_minibatch)) {
    default_minibatch = static_cast<int64_t>(forgetting);
  }
  const int64_t minibatch = flags.minibatch.value_or(default_minibatch);
  CheckMinibatch("--minibatch", minibatch);
  if (flags.half_life > 0 && static_cast<double>(minibatch) > flags.half_life / 2) {
    throw std::invalid_argument(
        fmt::format("--minibatch is {}, must be at most half of the --half-life of {:g}", minibatch,
                    flags.half_life));
  }
  return minibatch;
}

uint64_t ItemsPerWorker(const FitFlags& flags, int64_t default_minibatch) {
  return (ItemsPerRound(flags, default_minibatch) + flags.workers - 1) / flags.workers;
}

RunOptions RunOptionsOf(const FitFlags& flags) {
  if (flags.worker_prior == WorkerPrior::kFixedPrior && flags.schedule != Schedule::kAsynchronous) {
    throw std::invalid_argument("--worker-prior is for --schedule async alone");
  }
  RunOptions options;
  options.schedule = flags.schedule;
  options.worker_prior = flags.worker_prior;
  options.workers = flags.workers;
  options.threads = flags.threads;
  if (flags.half_life != 0) options.discount = HalfLife(flags.half_life);
  options.stop = StopFlag();
  options.on_failure = RequestStop;
  options.Validate();
  return options;
}

namespace {

std::string ModelsHelp() {
  std::string text = "Models:\n";
  text += fmt::format("  {:<12} {}\n", "lda", "topics of documents (the default)");
  for (const TableModel& model : TableModels()) {
    text += fmt::format("  {:<12} {}\n  {:<12}   --prior {}\n", model.name, model.summary, "",
                        model.prior);
  }
  return text;
}

void AddRunOptions(CLI::App* command, FitFlags* flags) {
  const std::map<std::string, Schedule> schedules = {{"serial", Schedule::kSerial},
                                                     {"sync", Schedule::kSynchronous},
                                                     {"async", Schedule::kAsynchronous}};
  AddChoice(command, "--schedule", schedules, &flags->schedule, "serial (default), sync or async");
  const std::map<std::string, WorkerPrior> priors = {{"latest", WorkerPrior::kLatestPosterior},
                                                     {"fixed", WorkerPrior::kFixedPrior}};
  AddChoice(command, "--worker-prior", priors, &flags->worker_prior,
            "What async workers start from: latest (default) or fixed");
  command->add_option("--workers", flags->workers, "Minibatches in work at once (sync, async)");
  command->add_option("--threads", flags->threads,
                      "Threads to compute with; changes nothing but the time; 0: all cores");
  command->add_option(
      "--minibatch", flags->minibatch,
      "Documents (default 4096; sda with vb 16384; ep 1024) or rows (1000) per round over all\n"
      "workers");
  command->add_option("--half-life", flags->half_life,
                      "Forget: items after which what was learnt counts half");
  command
      ->add_option(
          "--primitive", flags->primitive,
          "lda: gibbs (default), vb: faster, a little worse, or ep: slow, for comparison;\n"
          "probit, logistic: ep (default) or vb")
      ->check(CLI::IsMember(Primitives()).description(""))
      ->type_name("NAME");
  command->add_option(
      "--first-minibatch", flags->first_minibatch,
      "Documents or rows that go first, as one minibatch, for topics or clusters\n"
      "to form; default 32768, fewer with more than 100 topics, a round with ep; 10000\nrows");
  command->add_option("--seed", flags->seed, "Of the random numbers");
  command->add_option("--format", flags->format,
                      "auto, uci, ldac, mm, svmlight, jsonl or text; of tables csv or svmlight");
  command->add_option("--report", flags->report, "Write what the run did to this file, as JSON");
  command->add_flag("--json", flags->json, "Print the result as JSON");
  command->add_option("--checkpoint", flags->checkpoint,
                      "Folder to save the run to as it goes, to survive any end of it");
  command->add_option("--checkpoint-every", flags->checkpoint_every,
                      "Seconds (default 30s) or minibatches (such as 10) between checkpoints, and\n"
                      "with --follow between saves of the model");
  command->add_flag(
      "--resume", flags->resume,
      "Go on from the last checkpoint, or begin if there is none. Without INPUT: with "
      "the\noptions that the run began with");
}

CLI::Option_group* AddTableOptions(CLI::App* command, FitFlags* flags) {
  CLI::Option_group* group = command->add_option_group("Models on tables");
  group->add_option("--target", flags->target, "Column to predict (linear, probit, logistic)");
  group->add_option("--columns", flags->columns, "Columns to use; all if not given")
      ->delimiter(',')
      ->allow_extra_args(false);
  group->add_flag("--no-intercept", flags->no_intercept, "Regression through zero");
  group
      ->add_option("--covariance", flags->covariance,
                   "Of the coefficients (probit, logistic): auto, dense or diagonal")
      ->check(CLI::IsMember({"auto", "dense", "diagonal"}).description(""))
      ->type_name("NAME");
  group->add_option("--features", flags->features,
                    "Largest feature number in svmlight files; else they are read twice");
  group->add_option("--components", flags->components, "Number of clusters (mixture)")
      ->capture_default_str();
  group->add_option("--prior", flags->prior, "NAME=NUMBER,... other than the model's default")
      ->delimiter(',')
      ->allow_extra_args(false);
  return group;
}

void AddEpOptions(CLI::Option_group* group, FitFlags* flags) {
  group
      ->add_option("--ep-updates", flags->ep_updates, "A message each type (default) or token (ep)")
      ->check(CLI::IsMember({"type", "token"}).description(""))
      ->type_name("NAME");
  group
      ->add_option("--ep-matching", flags->ep_matching,
                   "Of moments (default) or log: E[log], for small vocabularies (ep)")
      ->check(CLI::IsMember({"moments", "log"}).description(""))
      ->type_name("NAME");
  group
      ->add_option("--ep-start", flags->ep_start,
                   "Of the first minibatch: sampled topics (default) or noise (ep)")
      ->check(CLI::IsMember({"sampled", "noise"}).description(""))
      ->type_name("NAME");
  group->add_option("--ep-damping", flags->ep_damping,
                    "Share of the old message in a new one (ep); default 0");
  group->add_option("--ep-tolerance", flags->ep_tolerance,
                    "Change per token at which a minibatch is done (ep); default 0.01");
  group->add_option("--ep-sweeps", flags->ep_sweeps,
                    "Over each minibatch at most (ep); default 10");
  group->add_option("--ep-memory", flags->ep_memory,
                    "GiB that messages may take, of each worker (ep); default 4");
}

CLI::Option_group* AddTopicOptions(CLI::App* command, FitFlags* flags) {
  CLI::Option_group* group = command->add_option_group("Topic models");
  group->add_option("--topics", flags->topics, "Number of topics")->capture_default_str();
  group
      ->add_option("--alpha", flags->alpha,
                   "Prior of a document's topics: one number, or one each; default 2/K (gibbs), "
                   "1/K (vb, ep)")
      ->delimiter(',')
      ->allow_extra_args(false);
  group->add_option("--eta", flags->eta,
                    "Prior of a topic's words; default 0.15 (gibbs), 0.3 (vb), 1 (ep)");
  group->add_option("--algorithm", flags->algorithm, "sda (default), svi, ssu or batch")
      ->check(CLI::IsMember({"sda", "svi", "ssu", "batch"}).description(""))
      ->type_name("NAME");
  group->add_option("--sweeps", flags->sweeps,
                    "Over each minibatch but the first (gibbs); default 10");
  group->add_option("--precision", flags->precision, "Of the kernels: float (default) or double")
      ->check(CLI::IsMember({"float", "double"}).description(""))
      ->type_name("NAME");
  AddEpOptions(group, flags);
  group->add_option("--holdout", flags->holdout,
                    "File of document numbers, from 1, to score on and never to learn from");
  group->add_option("--split", flags->split, "Of held-out documents: half-types or alternate")
      ->check(CLI::IsMember({"half-types", "alternate"}).description(""))
      ->type_name("NAME");
  group->add_option("--passes", flags->passes, "Over the corpus (batch); default 20");
  group->add_option("--total-documents", flags->total_documents, "In the whole stream (svi)");
  group->add_option("--tau0", flags->tau0, "Delay of the learning rate (svi); default 64");
  group->add_option("--kappa", flags->kappa, "Decay of the learning rate (svi); default 0.5");
  return group;
}

// Options of another kind of model are a mistake, not to be passed over.
void CheckUnused(const CLI::Option_group& group, const std::string& model) {
  for (const CLI::Option* option : group.get_options()) {
    if (option->count() > 0) {
      throw std::invalid_argument(
          fmt::format("{} is not for --model {}", option->get_name(), model));
    }
  }
}

// The same for options that some models of either kind have.
void CheckFor(const CLI::App& command, const std::string& option, bool applies,
              const std::string& model) {
  if (command.count(option) > 0 && !applies) {
    throw std::invalid_argument(fmt::format("{} is not for --model {}", option, model));
  }
}

void CheckTableFlags(const CLI::App& command, const FitFlags& flags) {
  const TableModel& model = FindTableModel(flags.model);
  CheckFor(command, "--primitive", model.classifies, flags.model);
  CheckFor(command, "--format", model.classifies || flags.format == "csv", flags.model);
  CheckFor(command, "--covariance", model.classifies, flags.model);
  CheckFor(command, "--features", model.classifies, flags.model);
  CheckFor(command, "--seed", model.clusters, flags.model);
  CheckFor(command, "--first-minibatch", model.clusters, flags.model);
  CheckFor(command, "--components", model.clusters, flags.model);
}

// `sda fit` with these arguments.
void FitAgain(std::vector<std::string> arguments) {
  CLI::App app("", "sda");
  AddFit(&app);
  arguments.insert(arguments.begin(), "fit");
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  app.parse(std::move(arguments));
}

void AddFollow(CLI::App* command, FitFlags* flags) {
  command->add_flag(
      "--follow", flags->follow,
      "The (last) input never ends: wait for the file to grow, or for another of its\n"
      "name, as tail -F does; save the model now and then");
  command
      ->add_option("--minibatch-seconds", flags->minibatch_seconds,
                   "With --follow: what has come in so many seconds is learnt from")
      ->capture_default_str();
}

}  // namespace

const std::vector<std::string>& Primitives() {
  static const std::vector<std::string> names = {"vb", "gibbs", "ep"};
  return names;
}

CLI::Option_group* AddCorpusOptions(CLI::App* command, FitFlags* flags) {
  CLI::Option_group* group = command->add_option_group("Corpora");
  group->add_option("--vocab", flags->vocabulary, "File of words, a line each");
  group
      ->add_option("--stop-words", flags->stop_words, "Words to leave out: english, none or a file")
      ->capture_default_str();
  group->add_option("--min-word-length", flags->minimum_word_length, "In characters")
      ->capture_default_str();
  group
      ->add_option("--vocab-from", flags->vocabulary_from,
                   "Documents from which the words are chosen")
      ->capture_default_str();
  group->add_option("--min-df", flags->minimum_documents,
                    "Documents a word must be in to be chosen; 0: 5, fewer in small corpora");
  group
      ->add_option("--max-share", flags->maximum_share,
                   "Share of documents a word may be in to be chosen")
      ->capture_default_str();
  group->add_option("--max-vocab", flags->maximum_vocabulary, "Words to choose at most")
      ->capture_default_str();
  group->add_option("--text-field", flags->text_field, "Of JSON lines")->capture_default_str();
  return group;
}

namespace {

// One that is followed may be stopped when nothing has come yet.
void Fit(const FitFlags& flags, FitCheckpoints* checkpoints) try {
  flags.model == "lda" ? FitTopics(flags, checkpoints) : FitTable(flags, checkpoints);
} catch (const StoppedAtStart& e) {
  if (!flags.follow) throw;
  Say(e.what());
}

}  // namespace

void AddFit(CLI::App* app) {
  CLI::App* command = app->add_subcommand("fit", "Learn a model from data, in one pass");
  auto flags = std::make_shared<FitFlags>();
  command->add_option("INPUT", flags->inputs,
                      "Documents, or CSV with a header line for models on tables; - is standard "
                      "input");
  command->add_option("-o,--output", flags->output, "Where the model is saved");
  command->add_option("--model", flags->model, "Which model, see below")->capture_default_str();
  AddRunOptions(command, flags.get());
  AddFollow(command, flags.get());
  const auto* topics = AddTopicOptions(command, flags.get());
  const auto* corpora = AddCorpusOptions(command, flags.get());
  const auto* tables = AddTableOptions(command, flags.get());
  command->footer(ModelsHelp());
  command->callback([=] {
    if (flags->inputs.empty() && flags->resume && !flags->checkpoint.empty()) {
      return FitAgain(ArgumentsToGoOn(*flags, *command));
    }
    if (flags->inputs.empty()) throw CLI::RequiredError("INPUT");
    if (flags->output.empty()) throw CLI::RequiredError("--output");
    std::vector<std::string> others = flags->inputs;
    others.insert(others.end(), {flags->holdout, flags->vocabulary});
    CheckWritable(flags->output, others);
    others.push_back(flags->output);
    if (!flags->report.empty()) CheckWritable(flags->report, others);
    if (flags->model == "lda") {
      CheckUnused(*tables, flags->model);
      FitCheckpoints checkpoints(*flags, *command);
      Fit(*flags, &checkpoints);
    } else {
      FindTableModel(flags->model);
      CheckUnused(*topics, flags->model);
      CheckUnused(*corpora, flags->model);
      CheckTableFlags(*command, *flags);
      FitCheckpoints checkpoints(*flags, *command);
      Fit(*flags, &checkpoints);
    }
  });
}

}  // namespace sda
