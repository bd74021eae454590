// Documents per CPU second and held-out score of the topic model on a real corpus:
//   lda_bench DOCWORD TEST_IDS [name=value ...]
// Names: algorithm=svi|sda|ssu precision=float|double threads minibatch topics eta alpha start=
// prior|mixed|random|sampled workers schedule=serial|sync|async outer_iterations outer_tolerance
// seed noise score=0|1 lambda=FILE (raw K x V doubles). One line of JSON on standard output.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "docword.h"
#include "sda/lda_score.h"
#include "sda/lda_svi.h"
#include "sda/lda_vb.h"
#include "sda/loop.h"
#include "sda/prefetch_source.h"

namespace {

using sda::Documents;
using sda::KeyedRows;

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
         1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

using Settings = std::map<std::string, std::string>;

std::string Get(const Settings& settings, const std::string& name, const std::string& otherwise) {
  const auto found = settings.find(name);
  return found == settings.end() ? otherwise : found->second;
}

double Number(const Settings& settings, const std::string& name, double otherwise) {
  const auto found = settings.find(name);
  return found == settings.end() ? otherwise : std::stod(found->second);
}

sda::LdaSpec Spec(const Settings& settings, uint64_t vocabulary) {
  sda::LdaSpec spec;
  spec.vocabulary = vocabulary;
  spec.topics = static_cast<int>(Number(settings, "topics", 100));
  spec.eta = Number(settings, "eta", 0.01);
  if (settings.contains("alpha")) spec.alpha = {Number(settings, "alpha", 0)};
  return spec;
}

sda::VbOptions Options(const Settings& settings) {
  sda::VbOptions options;
  options.seed = static_cast<uint64_t>(Number(settings, "seed", 1));
  options.noise_scale = Number(settings, "noise", options.noise_scale);
  options.workers = static_cast<int>(Number(settings, "workers", 1));
  options.outer_iterations =
      static_cast<int>(Number(settings, "outer_iterations", options.outer_iterations));
  options.outer_tolerance = Number(settings, "outer_tolerance", options.outer_tolerance);
  options.local.tolerance = Number(settings, "local_tolerance", options.local.tolerance);
  options.local.updates =
      static_cast<int>(Number(settings, "local_updates", options.local.updates));
  if (Get(settings, "precision", "float") == "double") {
    options.local.precision = sda::Precision::kDouble;
  }
  const std::string start = Get(settings, "start", "mixed");
  options.start = start == "prior"     ? sda::LdaStart::kPrior
                  : start == "random"  ? sda::LdaStart::kRandom
                  : start == "sampled" ? sda::LdaStart::kSampled
                                       : sda::LdaStart::kMixed;
  if (Get(settings, "algorithm", "svi") == "ssu") options.outer_iterations = 1;
  return options;
}

sda::SviOptions Svi(const sda::VbOptions& options, uint64_t total_documents) {
  sda::SviOptions svi;
  svi.total_documents = static_cast<double>(total_documents);
  svi.local = options.local;
  svi.noise_scale = options.noise_scale;
  svi.seed = options.seed;
  svi.workers = options.workers;
  return svi;
}

void WriteLambda(const std::string& path, const KeyedRows& posterior, uint64_t vocabulary) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  for (size_t k = 0; k < posterior.width(); ++k) {
    for (uint64_t v = 0; v < vocabulary; ++v) {
      std::fwrite(&posterior.At(v)[k], sizeof(double), 1, file);
    }
  }
  std::fclose(file);
}

void Run(const std::string& docword, const std::string& test_ids, const Settings& settings) {
  auto corpus = sda::bench::ReadCorpus(docword, test_ids,
                                       static_cast<size_t>(Number(settings, "minibatch", 4096)));
  const sda::LdaSpec spec = Spec(settings, corpus.vocabulary);
  const sda::VbOptions options = Options(settings);
  const sda::SviOptions svi_options = Svi(options, corpus.train_documents);
  const sda::Context context(static_cast<int>(Number(settings, "threads", 1)));
  const KeyedRows prior = sda::LdaPrior(spec);
  const bool svi = Get(settings, "algorithm", "svi") == "svi";
  const sda::LdaVb vb(spec, options, context);
  const sda::LdaSvi svi_step(spec, svi_options, context);
  sda::RunOptions run;
  run.workers = options.workers;
  const std::string schedule = Get(settings, "schedule", "serial");
  run.schedule = schedule == "sync"    ? sda::Schedule::kSynchronous
                 : schedule == "async" ? sda::Schedule::kAsynchronous
                                       : sda::Schedule::kSerial;
  run.serial_first = 1;
  if (svi) run.discount = sda::SviDiscount(svi_options);
  sda::MemoryStore<KeyedRows> store(
      prior, {svi ? sda::SviStart(spec, svi_options, prior) : prior, {}}, context);
  sda::MemorySource<Documents> in_memory(std::move(corpus.minibatches));
  sda::PrefetchSource<Documents> source(&in_memory);

  const double cpu = CpuSeconds();
  const auto wall = std::chrono::steady_clock::now();
  const auto& primitive =
      svi ? static_cast<const sda::Primitive<Documents, KeyedRows>&>(svi_step) : vb;
  const sda::Summary summary = sda::Run(source, primitive, store, run, {}, context);
  const double cpu_seconds = CpuSeconds() - cpu;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  const sda::LdaStats stats = svi ? svi_step.stats() : vb.stats();

  const KeyedRows posterior = store.Read().params;
  sda::LdaScore score;
  if (Number(settings, "score", 1) != 0) {
    score = sda::LogPredictive(posterior, sda::SplitHeldOut(corpus.held_out), spec, context);
  }
  if (settings.contains("lambda")) {
    WriteLambda(settings.at("lambda"), posterior, corpus.vocabulary);
  }
  std::printf(
      "{\"documents\": %llu, \"cpu_seconds\": %.3f, \"documents_per_cpu_second\": %.0f, "
      "\"documents_per_second\": %.0f, \"share_in_primitive\": %.3f, "
      "\"outer_iterations_per_minibatch\": %.2f, "
      "\"local_updates_per_document\": %.2f, \"unconverged_documents\": %llu, "
      "\"log_space_words\": %llu, \"log_predictive_probability\": %.6f, \"test_tokens\": %llu}\n",
      static_cast<unsigned long long>(summary.counts.items), cpu_seconds,
      summary.counts.items / cpu_seconds, summary.counts.items / seconds,
      summary.computing_seconds / seconds,
      static_cast<double>(stats.outer_iterations) / stats.minibatches,
      static_cast<double>(stats.local_updates) / stats.documents,
      static_cast<unsigned long long>(stats.unconverged_documents),
      static_cast<unsigned long long>(stats.log_space_words), score.log_predictive,
      static_cast<unsigned long long>(score.test_tokens));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: lda_bench DOCWORD TEST_IDS [name=value ...]\n");
    return 2;
  }
  Settings settings;
  for (int i = 3; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    settings[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  Run(argv[1], argv[2], settings);
  return 0;
}
