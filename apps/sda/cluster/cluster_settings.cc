#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cluster/cluster.h"
#include "commands/topic_options.h"
#include "data/text/word_file.h"
#include "sda/lda_ep.h"
#include "sda/lda_gibbs.h"

namespace sda {
namespace {

using nlohmann::json;

void CheckFormat(const std::string& format) {
  if (format == "text" || format == "jsonl" || format == "ldac") return;
  throw std::invalid_argument(fmt::format(
      "--format is {}, must be text, jsonl or ldac: what one message of the topic holds", format));
}

// JSON has no other numbers.
void CheckFinite(const char* option, double value) {
  if (std::isfinite(value)) return;
  throw std::invalid_argument(fmt::format("{} is {}, must be a finite number", option, value));
}

// Those of groups, too.
std::vector<const CLI::Option*> AllOptions(const CLI::App& app) {
  std::vector<const CLI::Option*> options = app.get_options();
  for (const CLI::App* group : app.get_subcommands([](const CLI::App*) { return true; })) {
    const auto further = AllOptions(*group);
    options.insert(options.end(), further.begin(), further.end());
  }
  return options;
}

}  // namespace

void JobSettings::Settle() {
  if (fit.format == "auto") fit.format = "text";
  CheckFormat(fit.format);
  if (fit.stop_words != "english" && fit.stop_words != "none") {
    throw std::invalid_argument(
        "--stop-words must be english or none: workers do not have the file; give --vocab instead");
  }
  if (fit.primitive.empty()) fit.primitive = "gibbs";
  if (fit.worker_prior == WorkerPrior::kFixedPrior && fit.primitive == "gibbs") {
    throw std::invalid_argument(
        "--worker-prior fixed goes with --primitive vb: by sampling, every worker would find "
        "topics "
        "of its own");
  }
  if (!fit.vocabulary.empty()) vocabulary = ReadWordFile(fit.vocabulary);
  if (fit.format == "ldac" && vocabulary.empty()) {
    throw std::invalid_argument(
        "--format ldac needs --vocab FILE: the words that the ids of the documents stand for");
  }
  if (fit.half_life != 0) HalfLife(fit.half_life);  // throws if it is none
  CheckFinite("--half-life", fit.half_life);
  CheckFinite("--minibatch-seconds", fit.minibatch_seconds);
  CorpusOptions corpus = CorpusOptionsOf(fit);
  corpus.inputs = {"messages"};  // they come from a topic; the rest is checked
  corpus.Validate();
  const LdaOptions model = LdaOptionsOf(fit, std::max<size_t>(1, vocabulary.size()));
  fit.minibatch = static_cast<int64_t>(corpus.minibatch);
  fit.first_minibatch = static_cast<int64_t>(corpus.first_minibatch);
  fit.eta = model.eta;
  fit.alpha = model.Alpha();
  fit.vocabulary.clear();
}

std::string JobSettings::ToJson() const {
  json j = {{"--topics", fit.topics},
            {"--alpha", fit.alpha},
            {"--eta", *fit.eta},
            {"--primitive", fit.primitive},
            {"--worker-prior", fit.worker_prior == WorkerPrior::kFixedPrior ? "fixed" : "latest"},
            {"--seed", fit.seed},
            {"--minibatch", *fit.minibatch},
            {"--first-minibatch", *fit.first_minibatch},
            {"--minibatch-seconds", fit.minibatch_seconds},
            {"--half-life", fit.half_life},
            {"--format", fit.format},
            {"--text-field", fit.text_field},
            {"--vocab", vocabulary},
            {"--vocab-from", fit.vocabulary_from},
            {"--min-df", fit.minimum_documents},
            {"--max-share", fit.maximum_share},
            {"--max-vocab", fit.maximum_vocabulary},
            {"--stop-words", fit.stop_words},
            {"--min-word-length", fit.minimum_word_length},
            {"--transport", transport == cluster::Transport::kDouble ? "double" : "float"},
            {"--snapshot-every", snapshot_every}};
  if (fit.sweeps) j["--sweeps"] = *fit.sweeps;
  if (fit.precision) j["--precision"] = *fit.precision;
  return j.dump();
}

JobSettings JobSettings::FromJson(const std::string& text) {
  JobSettings s;
  try {
    const json j = json::parse(text);
    s.fit.topics = j.at("--topics");
    s.fit.alpha = j.at("--alpha").get<std::vector<double>>();
    s.fit.eta = j.at("--eta").get<double>();
    s.fit.primitive = j.at("--primitive");
    s.fit.worker_prior = j.at("--worker-prior") == "fixed" ? WorkerPrior::kFixedPrior
                                                           : WorkerPrior::kLatestPosterior;
    s.fit.seed = j.at("--seed");
    s.fit.minibatch = j.at("--minibatch").get<int64_t>();
    s.fit.first_minibatch = j.at("--first-minibatch").get<int64_t>();
    s.fit.minibatch_seconds = j.at("--minibatch-seconds");
    s.fit.half_life = j.at("--half-life");
    s.fit.format = j.at("--format");
    s.fit.text_field = j.at("--text-field");
    s.vocabulary = j.at("--vocab").get<std::vector<std::string>>();
    s.fit.vocabulary_from = j.at("--vocab-from");
    s.fit.minimum_documents = j.at("--min-df");
    s.fit.maximum_share = j.at("--max-share");
    s.fit.maximum_vocabulary = j.at("--max-vocab");
    s.fit.stop_words = j.at("--stop-words");
    s.fit.minimum_word_length = j.at("--min-word-length");
    s.transport =
        j.at("--transport") == "double" ? cluster::Transport::kDouble : cluster::Transport::kFloat;
    s.snapshot_every = j.at("--snapshot-every");
    if (j.contains("--sweeps")) s.fit.sweeps = j.at("--sweeps").get<int>();
    if (j.contains("--precision")) s.fit.precision = j.at("--precision").get<std::string>();
  } catch (const json::exception& e) {
    throw std::runtime_error(std::string("the job's settings cannot be understood: ") + e.what());
  }
  return s;
}

CorpusOptions JobSettings::Corpus() const {
  CorpusOptions options = CorpusOptionsOf(fit);
  options.vocabulary = vocabulary;
  return options;
}

LdaOptions JobSettings::Model(uint64_t words) const { return LdaOptionsOf(fit, words); }

KeyedRows JobSettings::Prior() const { return LdaPrior(Model(1)); }

cluster::WorkerOptions JobSettings::Worker() const {
  return {.minibatch = static_cast<uint64_t>(*fit.minibatch),
          .first_minibatch = static_cast<uint64_t>(*fit.first_minibatch),
          .vocabulary_from = fit.vocabulary_from,
          .minibatch_seconds = fit.minibatch_seconds,
          .fixed_prior = fit.worker_prior == WorkerPrior::kFixedPrior};
}

void AddJobOptions(CLI::App* command, JobSettings* settings) {
  FitFlags* fit = &settings->fit;
  command->add_option("--topics", fit->topics, "Number of topics")->capture_default_str();
  command
      ->add_option("--alpha", fit->alpha,
                   "Prior of a document's topics: one number, or one each; default 2/K (gibbs), "
                   "1/K (vb)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--eta", fit->eta,
                      "Prior of a topic's words; default 0.15 (gibbs), 0.3 (vb)");
  command->add_option("--primitive", fit->primitive, "gibbs (default) or vb")
      ->check(CLI::IsMember({"gibbs", "vb"}).description(""))
      ->type_name("NAME");
  command->add_option("--sweeps", fit->sweeps, "Over each minibatch but the first (gibbs)");
  command->add_option("--precision", fit->precision, "Of the kernels: float (default) or double")
      ->check(CLI::IsMember({"float", "double"}).description(""))
      ->type_name("NAME");
  AddChoice<WorkerPrior>(
      command, "--worker-prior",
      {{"latest", WorkerPrior::kLatestPosterior}, {"fixed", WorkerPrior::kFixedPrior}},
      &fit->worker_prior, "What a minibatch starts from: latest (default) or fixed");
  command->add_option("--minibatch", fit->minibatch,
                      "Documents of one delta; default 4096 (gibbs), 16384 (vb)");
  command->add_option("--first-minibatch", fit->first_minibatch,
                      "Documents that go first, for topics to form; default 32768");
  command
      ->add_option("--minibatch-seconds", fit->minibatch_seconds,
                   "After so long a minibatch may be smaller")
      ->capture_default_str();
  command->add_option("--half-life", fit->half_life,
                      "Forget: documents after which what was learnt counts half");
  command->add_option("--seed", fit->seed, "Of the random numbers");
  command->add_option("--format", fit->format,
                      "Of a message: text (default), jsonl: a JSON object, or ldac: word counts");
  AddCorpusOptions(command, fit);
  AddChoice<cluster::Transport>(
      command, "--transport",
      {{"float", cluster::Transport::kFloat}, {"double", cluster::Transport::kDouble}},
      &settings->transport, "Of the numbers in the log: float (default), or double");
  command
      ->add_option("--snapshot-every", settings->snapshot_every,
                   "Deltas; 0: 64 MiB of them, or twice a snapshot, whichever is more")
      ->check(CLI::Range(0, 1'000'000'000).description(""));
}

void CheckSameSettings(const CLI::App& settings_given, const cluster::Job& job) {
  JobSettings settings = JobSettings::FromJson(job.settings);
  CLI::App again;
  AddJobOptions(&again, &settings);
  std::vector<std::string> arguments;
  json old;
  for (const CLI::Option* option : AllOptions(settings_given)) {
    const std::string name = option->get_name();
    if (option->count() == 0 || again.get_option_no_throw(name) == nullptr) continue;
    old[name] = json::parse(job.settings).value(name, json());
    for (const std::string& value : option->results()) {
      arguments.insert(arguments.begin(), {value, name});  // as CLI11 wants them
    }
  }
  if (arguments.empty()) return;
  again.parse(std::move(arguments));
  if (!settings.fit.vocabulary.empty()) settings.vocabulary = ReadWordFile(settings.fit.vocabulary);
  if (settings.fit.alpha.size() == 1)
    settings.fit.alpha.resize(settings.fit.topics, settings.fit.alpha[0]);
  json now;
  for (const auto& [name, value] : old.items())
    now[name] = json::parse(settings.ToJson()).value(name, json());
  const std::string other = cluster::SettingsDifference(old.dump(), now.dump());
  if (!other.empty()) {
    throw std::invalid_argument(fmt::format("job {} has other settings: {}", job.name, other));
  }
}

}  // namespace sda
