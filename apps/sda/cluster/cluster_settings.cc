#include <fmt/format.h>

#include "cluster/cluster.h"
#include "commands/fit_topics.h"
#include "data/text/word_file.h"
#include "sda/errors.h"
#include "ui/flags.h"
#include "ui/half_life_flag.h"

namespace sda {
void AddJobOptions(CLI::App* command, cluster::JobSettings* settings) {
  TopicOptions* options = &settings->options;
  AddLdaOptions(command, options);
  // Not auto: workers need the number at the start.
  command->get_option("--topics")->description("Number of topics")->type_name("N");
  AddNamed(command, "--primitive", &options->primitive, {"gibbs", "vb"}, "gibbs (default) or vb");
  AddChoice(command, "--worker-prior", WorkerPriorNames(), &options->worker_prior,
            "What a minibatch starts from: latest (default) or fixed");
  command->add_option("--minibatch", options->minibatch,
                      "Documents of one delta; default 4096 (gibbs), 16384 (vb)");
  command->add_option("--first-minibatch", options->first_minibatch,
                      "Documents in the first minibatch, which forms the topics; default 32768");
  command
      ->add_option("--minibatch-seconds", options->minibatch_seconds,
                   "Seconds after which a minibatch may be smaller")
      ->capture_default_str();
  command
      ->add_option_function<std::string>(
          "--half-life",
          [=](const std::string& text) { options->half_life = HalfLifeOf(text, "documents"); },
          "Forget: documents after which what was learnt counts half")
      ->type_name("FLOAT");
  command->add_option("--seed", options->seed, "Of the random numbers");
  command->add_option("--format", options->format,
                      "Of a message: text (default), jsonl: a JSON object, or ldac: word counts");
  AddCorpusOptions(command, options);
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
  cluster::JobSettings settings = cluster::JobSettings::FromJson(job.settings);
  CLI::App again;
  AddJobOptions(&again, &settings);
  std::vector<std::string> arguments;
  for (const CLI::Option* option : AllOptions(settings_given)) {
    const std::string name = option->get_name();
    if (option->count() == 0 || again.get_option_no_throw(name) == nullptr) continue;
    for (const std::string& value : option->results()) {
      arguments.insert(arguments.begin(), {value, name});  // as CLI11 wants them
    }
  }
  if (arguments.empty()) return;
  again.parse(std::move(arguments));
  TopicOptions& options = settings.options;
  if (!options.vocab.empty()) settings.vocabulary = ReadWordFile(options.vocab);
  options.vocab.clear();
  if (options.format == "auto") options.format = "text";
  const std::string other = cluster::SettingsDifference(job.settings, settings.ToJson());
  if (!other.empty()) {
    throw UsageError(fmt::format("job {} has other settings: {}", job.name, other));
  }
}

}  // namespace sda
