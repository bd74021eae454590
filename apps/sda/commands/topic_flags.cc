#include <fmt/format.h>

#include "base/text.h"
#include "commands/fit_topics.h"
#include "sda/errors.h"
#include "ui/flags.h"

namespace sda {
namespace {

void AddEpOptions(CLI::App* group, TopicOptions* options) {
  AddNamed(group, "--ep-updates", &options->ep_updates, {"type", "token"},
           "A message each type (default) or token (ep)");
  AddNamed(group, "--ep-matching", &options->ep_matching, {"moments", "log"},
           "Of moments (default) or log: E[log], for small vocabularies (ep)");
  AddNamed(group, "--ep-start", &options->ep_start, {"sampled", "noise"},
           "Of the first minibatch: sampled topics (default) or noise (ep)");
  group->add_option("--ep-damping", options->ep_damping,
                    "Share of the old message in a new one (ep); default 0");
  group->add_option("--ep-tolerance", options->ep_tolerance,
                    "Change per token at which a minibatch is done (ep); default 0.01");
  group->add_option("--ep-sweeps", options->ep_sweeps,
                    "Over each minibatch at most (ep); default 10");
  group->add_option("--ep-memory", options->ep_memory,
                    "GiB that messages may take, of each worker (ep); default 4");
}

int TopicsFrom(const std::string& text) {
  int topics = 0;
  if (text == "auto") return kAutoTopics;
  if (CLI::detail::lexical_cast(text, topics) && topics >= 1) return topics;
  throw UsageError(
      fmt::format("--topics is {}, must be a number from 1 on, or auto: chosen by the first "
                  "documents",
                  Shown(text)));
}

void AddTopicsOption(CLI::App* group, TopicOptions* options) {
  group
      ->add_option_function<std::string>(
          "--topics", [=](const std::string& text) { options->topics = TopicsFrom(text); },
          "Number of topics, or auto: the best of 25 to 400 for the first documents")
      ->type_name("N|auto")
      ->default_str("100");
}

}  // namespace

void AddLdaOptions(CLI::App* group, TopicOptions* options) {
  AddTopicsOption(group, options);
  group
      ->add_option(
          "--alpha", options->alpha,
          "Prior of a document's topics: one number, or one each with commas between them; "
          "default\n2/K (gibbs), 1/K (vb, ep)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("NUMBER,...");
  group->add_option("--eta", options->eta,
                    "Prior of a topic's words; default 0.15 (gibbs), 0.3 (vb), 1 (ep)");
  group->add_option("--sweeps", options->sweeps,
                    "Over each minibatch but the first (gibbs); default 10");
  AddNamed(group, "--precision", &options->precision, {"float", "double"},
           "Of the kernels: float (default) or double");
}

CLI::Option_group* AddTopicOptions(CLI::App* command, TopicFlags* flags) {
  CLI::Option_group* group = command->add_option_group("Topic models");
  TopicOptions* options = &flags->options;
  group->add_option("--from", flags->from,
                    "Continue from this saved model: topics, priors and words are the model's");
  AddLdaOptions(group, options);
  group
      ->add_option("--try-topics", options->try_topics,
                   "With --topics auto: try each of these, such as 10,20,40")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("N,...");
  group->add_flag_callback(
      "--keep-sample", [options] { options->keep_sample = true; },
      "Keep a sample of the documents in the model (the words of up to 10,000), so\n"
      "that --from continues to measure coherence with it");
  AddNamed(group, "--intervals", &options->intervals, {"quick", "sampled", "off"},
           "Of the topics' words: quick (default; approximate), sampled (documents are kept and\n"
           "fitted together at the end, for 300 sweeps) or off");
  group->add_option("--keep-documents", options->keep_documents,
                    "With --intervals sampled: documents kept at most; default 100000");
  group
      ->add_option("--seeds", flags->seeds,
                   "Fit with this many seeds, from --seed on, and tell of each topic of the first\n"
                   "how many of the runs found it")
      ->type_name("R");
  AddNamed(group, "--algorithm", &options->algorithm, {"sda", "svi", "ssu", "batch"},
           "sda (default), svi, ssu or batch");
  AddEpOptions(group, options);
  group->add_option("--holdout", flags->holdout,
                    "File of document numbers, from 1, to score on and never to learn from");
  AddNamed(group, "--split", &flags->split, {"half-types", "alternate"},
           "Of held-out documents: half-types or alternate");
  group->add_option("--passes", options->passes, "Over the corpus (batch); default 20");
  group->add_option("--total-documents", options->total_documents, "In the whole stream (svi)");
  group->add_option("--tau0", options->tau0, "Delay of the learning rate (svi); default 64");
  group->add_option("--kappa", options->kappa, "Decay of the learning rate (svi); default 0.5");
  return group;
}

CLI::Option_group* AddCorpusOptions(CLI::App* command, TopicOptions* options) {
  CLI::Option_group* group = command->add_option_group("Corpora");
  group->add_option("--vocab", options->vocab, "File of words, a line each");
  group
      ->add_option("--stop-words", options->stop_words,
                   "Words to leave out: english, none, languages such as de,fr, or a file")
      ->capture_default_str();
  group->add_option("--min-word-length", options->min_word_length, "In characters")
      ->capture_default_str();
  group
      ->add_option("--vocab-from", options->vocab_from, "Documents from which the words are chosen")
      ->capture_default_str();
  group->add_option("--min-df", options->min_df,
                    "Documents a word must be in to be chosen; 0: 5, fewer in small corpora");
  group
      ->add_option("--max-share", options->max_share,
                   "Share of documents a word may be in to be chosen")
      ->capture_default_str();
  group
      ->add_option("--max-vocab", options->max_vocab,
                   "Words to choose at most; and to believe, of word ids without --vocab")
      ->capture_default_str();
  group->add_option("--text-field", options->text_field, "Of JSON lines")->capture_default_str();
  group->add_option("--strip", options->strip,
                    "What to take out of texts: of html, urls, emails, with commas between");
  group->add_option("--stemmer", options->stemmer,
                    "Take the endings off words, as in this language: english, german, ...");
  group->add_flag_callback(
      "--phrases", [options] { options->phrases = true; },
      "Frequent pairs of words, such as new york, are one word");
  return group;
}

void AddTextColumn(CLI::Option_group* group, TopicOptions* options) {
  group->add_option("--text-column", options->text_column,
                    "Of CSV or TSV, whose first line names the columns");
}

void AddGrowOption(CLI::Option_group* group, TopicOptions* options) {
  group->add_flag_callback(
      "--grow-vocab", [options] { options->grow_vocab = true; },
      "Of texts: new words enter when they have been in --min-df documents; those with the\n"
      "fewest tokens leave when there are more than --max-vocab");
}

void AddNameOptions(CLI::Option_group* group, TopicOptions* options) {
  AddTextColumn(group, options);
  group->add_option("--id-field", options->id_field,
                    "Field of JSON lines or column of CSV that is the id of a document");
  group->add_option("--time-field", options->time_field,
                    "The same for the time when it was written; keeps topics over time");
  AddNamed(group, "--bucket", &options->bucket, {"off", "day", "week", "month"},
           "Of topics over time: day (default), week, month, or off; longer if they are too many");
  group->add_option("--over-time-memory", options->over_time_memory,
                    "MiB that topics over time may take; default 64");
}

}  // namespace sda
