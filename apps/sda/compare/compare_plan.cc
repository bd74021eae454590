#include "compare/compare_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "sda/errors.h"

namespace sda {
namespace {

constexpr double kPaperEta = 0.01;

// The experiments of the paper's section 4, with what they have in common.
class Planner {
 public:
  explicit Planner(const PlanOptions& options) : options_(options) {}

  std::vector<PlannedRun> Plan() {
    if (!options_.try_topics.empty()) {
      for (int seed = 1; seed <= options_.seeds; ++seed) NumbersOfTopics(seed);
      return std::move(plan_);
    }
    for (int seed = 1; seed <= options_.seeds; ++seed) Table(seed);
    if (Knows("ep")) ExpectationPropagation();
    AnyTime();
    Workers();
    Minibatches();
    TotalDocuments();
    Steps();
    return std::move(plan_);
  }

 private:
  bool Knows(const std::string& primitive) const {
    return std::count(options_.primitives.begin(), options_.primitives.end(), primitive) > 0;
  }

  RunSettings Sda(const std::string& primitive) const {
    RunSettings run;
    run.topics = options_.topics;
    run.primitive = primitive;
    run.minibatch = UsualMinibatch(options_.documents);
    run.first_minibatch = FirstMinibatchOf(options_.documents);
    return run;
  }

  RunSettings Other(const std::string& algorithm) const {
    RunSettings run = Sda("");
    run.algorithm = algorithm;
    run.first_minibatch = 0;
    if (algorithm == "svi") run.total_documents = static_cast<double>(options_.documents);
    return run;
  }

  RunSettings WithWorkers(RunSettings run, const std::string& schedule, int workers) const {
    run.schedule = schedule;
    run.workers = workers;
    return run;
  }

  void Add(const std::string& experiment, const std::string& series, double x,
           const RunSettings& run) {
    plan_.push_back({experiment, series, x, run});
  }

  // As `sda fit` without other options.
  void NumbersOfTopics(int seed) {
    for (const int topics : options_.try_topics) {
      RunSettings run;
      run.topics = topics;
      run.seed = seed;
      Add("topics", "sda fit", topics, run);
    }
  }

  // Table 1. As the program does it by default, and with the paper's eta.
  void Table(int seed) {
    const auto sync = WithWorkers(Sda("vb"), "sync", options_.workers);
    const std::vector<std::pair<std::string, RunSettings>> rows = {
        {fmt::format("SDA, VB, {} workers", options_.workers), sync},
        {"SDA, VB, 1 worker", Sda("vb")},
        {"SVI, told D", Other("svi")},
        {"SSU", Other("ssu")},
        {"SDA, Gibbs, 1 worker", Sda("gibbs")},
    };
    for (const bool paper : {false, true}) {
      for (auto [row, run] : rows) {
        run.seed = seed;
        if (paper) run.eta = kPaperEta;
        Add("table1", row + (paper ? ", eta 0.01" : ""), paper ? kPaperEta : 0, run);
      }
    }
    RunSettings fit;  // as `sda fit` without options
    fit.topics = options_.topics;
    fit.seed = seed;
    Add("table1", "sda fit, no options", 0, fit);
  }

  // On a part of the documents: it takes too long on all of them. With VB on the same part.
  void ExpectationPropagation() {
    const std::string part = fmt::format(" ({} documents)", Grouped(options_.part_documents));
    for (const std::string primitive : {"ep", "vb"}) {
      RunSettings run = Sda(primitive);
      run.corpus = "part";
      run.minibatch = UsualMinibatch(options_.part_documents);
      run.first_minibatch = FirstMinibatchOf(options_.part_documents);
      Add("table1", "SDA, " + std::string(primitive == "ep" ? "EP" : "VB") + part, 0, run);
    }
  }

  // The runs of the table know their curves; two more do not wait for a large first minibatch.
  void AnyTime() {
    for (int seed = 1; seed <= options_.seeds; ++seed) {
      for (auto [series, run] : {std::pair<std::string, RunSettings>{"SDA, VB", Sda("vb")},
                                 {"SDA, Gibbs", Sda("gibbs")},
                                 {"SVI, told D", Other("svi")},
                                 {"SSU", Other("ssu")},
                                 {"SDA, VB, early start", Early("vb")},
                                 {"SDA, Gibbs, early start", Early("gibbs")}}) {
        run.seed = seed;
        Add("anytime", series, 0, run);
      }
    }
  }

  RunSettings Early(const std::string& primitive) const {
    RunSettings run = Sda(primitive);
    run.first_minibatch = run.minibatch;
    return run;
  }

  void Workers() {
    for (int seed = 1; seed <= options_.seeds; ++seed) {
      for (int workers = 1; workers <= 32; workers *= options_.quick ? 4 : 2) {
        for (const std::string schedule : {"sync", "async"}) {
          auto run = WithWorkers(Sda("vb"), workers == 1 ? "serial" : schedule, workers);
          run.threads = std::min(workers, options_.cores);  // a thread for each worker
          run.seed = seed;
          Add("workers", schedule == "sync" ? "synchronous" : "asynchronous", workers, run);
        }
      }
    }
  }

  // Minibatches of all sizes, the first one too, from half of the documents to a thousandth.
  void Minibatches() {
    constexpr uint64_t kLeast = 8;
    for (uint64_t size = PowerOfTwo(static_cast<double>(options_.documents) / 2);
         size >= std::max(kLeast, options_.documents / 1024); size /= 4) {
      for (const double eta : {kPaperEta, 1.0}) {
        for (const std::string algorithm : {"SVI", "SDA, VB"}) {
          RunSettings run = algorithm == "SVI" ? Other("svi") : Sda("vb");
          run.minibatch = size;
          if (run.algorithm == "sda") run.first_minibatch = size;
          run.eta = eta;
          Add("minibatch", fmt::format("{}, eta {:g}", algorithm, eta), static_cast<double>(size),
              run);
        }
      }
    }
  }

  void TotalDocuments() {
    for (const double factor : {0.01, 0.1, 1.0, 10.0, 100.0}) {
      RunSettings run = Other("svi");
      run.total_documents =
          factor == 1 ? run.total_documents : std::max(1.0, factor * run.total_documents);
      Add("svi_documents", factor == 1 ? "D" : fmt::format("{:g} D", factor), factor, run);
    }
  }

  void Steps() {
    for (const double tau0 : {1.0, 64.0, 1024.0}) {
      for (const double kappa : {0.5, 0.6, 0.7, 0.8, 0.9, 1.0}) {
        if (options_.quick && (kappa == 0.6 || kappa == 0.8 || kappa == 1.0)) continue;
        RunSettings run = Other("svi");
        run.tau0 = tau0;
        run.kappa = kappa;
        Add("svi_steps", fmt::format("tau0 {:g}", tau0), kappa, run);
      }
    }
  }

  const PlanOptions& options_;
  std::vector<PlannedRun> plan_;
};

}  // namespace

std::vector<std::string> RunSettings::Arguments() const {
  std::vector<std::string> out = {corpus + ".ldac",
                                  "--format",
                                  "ldac",
                                  "--vocab",
                                  corpus + ".vocab.txt",
                                  "--holdout",
                                  corpus + ".holdout.txt",
                                  "--topics",
                                  std::to_string(topics)};
  auto add = [&out](const char* option, const std::string& value) {
    out.insert(out.end(), {option, value});
  };
  if (algorithm != "sda") add("--algorithm", algorithm);
  if (!primitive.empty()) add("--primitive", primitive);
  if (total_documents > 0) add("--total-documents", fmt::format("{}", total_documents));
  if (tau0) add("--tau0", fmt::format("{}", *tau0));
  if (kappa) add("--kappa", fmt::format("{}", *kappa));
  if (eta) add("--eta", fmt::format("{}", *eta));
  if (minibatch > 0) add("--minibatch", std::to_string(minibatch));
  if (first_minibatch > 0) add("--first-minibatch", std::to_string(first_minibatch));
  if (workers > 1) {
    add("--schedule", schedule);
    add("--workers", std::to_string(workers));
  }
  if (threads > 0) add("--threads", std::to_string(threads));
  add("--seed", std::to_string(seed));
  return out;
}

std::string RunSettings::Name() const {
  std::string name = corpus == "corpus" ? "" : corpus + "_";
  const std::vector<std::string> arguments = Arguments();
  for (size_t i = 7; i < arguments.size(); i += 2) {  // past the corpus: option, value, ...
    name += (i == 7 ? "" : "_") + arguments[i].substr(2) + "-" + arguments[i + 1];
  }
  return name;
}

void PlanOptions::Validate() const {
  auto check = [](const char* option, int value, int least, int most) {
    if (value < least || value > most) {
      throw UsageError(
          fmt::format("{} is {}, must be at least {} and at most {}", option, value, least, most));
    }
  };
  check("--topics", topics, 1, 1'000'000);
  for (size_t i = 0; i < try_topics.size(); ++i) {
    check("--topics", try_topics[i], i == 0 ? 1 : try_topics[i - 1] + 1, 1'000'000);
  }
  check("--seeds", seeds, 1, 100);
  check("--workers", workers, 2, 1024);
}

const std::vector<Experiment>& Experiments() {
  static const std::vector<Experiment> experiments = {
      {"table1", "Algorithms: score and time", "eta", false},
      {"anytime", "Any time: score against documents seen", "", true},
      {"workers", "Workers, synchronous and asynchronous", "workers", false},
      {"minibatch", "Sensitivity to the minibatch size", "minibatch", false},
      {"svi_documents", "SVI's sensitivity to D, the number of documents it is told",
       "times_true_d", true},
      {"svi_steps", "SVI's sensitivity to its learning rate", "kappa", false},
      {"topics", "How many topics: score against their number", "topics", false},
  };
  return experiments;
}

uint64_t PowerOfTwo(double n) { return n < 2 ? 1 : std::bit_floor(static_cast<uint64_t>(n)); }

// A stream of 16 to 32 minibatches, or more where there are many documents. Of one size for all
// algorithms, so that they compare.
uint64_t UsualMinibatch(uint64_t documents) {
  return std::min<uint64_t>(4096, PowerOfTwo(static_cast<double>(documents) / 16));
}
uint64_t FirstMinibatchOf(uint64_t documents) {
  return std::min<uint64_t>(32768, PowerOfTwo(static_cast<double>(documents) / 4));
}

std::vector<PlannedRun> MakePlan(const PlanOptions& options) {
  options.Validate();
  return Planner(options).Plan();
}

}  // namespace sda
