#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "commands/fit.h"
#include "commands/fit_checkpoint.h"
#include "sda/classifier.h"
#include "tables/column_scales.h"
#include "tables/table_fit.h"
#include "ui/command.h"

namespace sda {
namespace {

constexpr int64_t kMinibatch = 1000;
constexpr int64_t kFirstMinibatch = 10'000;  // of models that have to find clusters
constexpr uint64_t kScaleRows = 200;         // that tell what one unit of a column is

std::map<std::string, double> ParsePrior(const std::vector<std::string>& items) {
  std::map<std::string, double> prior;
  for (const std::string& item : items) {
    const size_t equals = item.find('=');
    double value = 0;
    if (equals == std::string::npos || !CLI::detail::lexical_cast(item.substr(equals + 1), value)) {
      throw std::invalid_argument(
          fmt::format("--prior is \"{}\", must be NAME=NUMBER, such as weight=2", item));
    }
    prior[item.substr(0, equals)] = value;
  }
  return prior;
}

TableOptions TableOptionsOf(const FitFlags& flags, const TableModel& model) {
  if (model.has_target && flags.target.empty()) {
    throw std::invalid_argument(fmt::format("model {} needs --target COLUMN", model.name));
  }
  if (!model.has_target && !flags.target.empty()) {
    throw std::invalid_argument(
        fmt::format("--target is {}, but model {} has no target", flags.target, model.name));
  }
  TableOptions options;
  options.inputs = flags.inputs;
  options.kind = model.kind;
  options.columns = flags.columns;
  options.target = flags.target;
  options.classes = model.classifies;
  options.minibatch = ItemsPerWorker(flags, kMinibatch);
  // Before the workers share a round, one minibatch of a whole round tells the columns' scales.
  if (model.classifies) {
    const uint64_t enough = flags.half_life > 0 ? 1 : kScaleRows;
    options.first_minibatch =
        flags.follow ? enough : std::max<uint64_t>(ItemsPerRound(flags, kMinibatch), enough);
  }
  if (model.clusters) {
    // Items of one minibatch are not discounted against each other.
    const int64_t usual =
        flags.half_life > 0 ? static_cast<int64_t>(options.minibatch) : kFirstMinibatch;
    const int64_t first = flags.first_minibatch.value_or(usual);
    CheckMinibatch("--first-minibatch", first);
    if (flags.half_life > 0 && static_cast<double>(first) > flags.half_life / 2) {
      throw std::invalid_argument(
          fmt::format("--first-minibatch is {}, must be at most half of the --half-life of {:g}",
                      first, flags.half_life));
    }
    options.first_minibatch = first;
  }
  options.follow = flags.follow;
  options.minibatch_seconds = flags.minibatch_seconds;
  options.on_notice = Say;
  return options;
}

RunOptions RunOptionsOf(const FitFlags& flags, const TableModel& model) {
  RunOptions options = RunOptionsOf(flags);
  if (!model.clusters && !model.classifies) return options;
  if (model.clusters && flags.worker_prior == WorkerPrior::kFixedPrior) {
    throw std::invalid_argument(
        fmt::format("--worker-prior fixed is not for --model {}: each worker would number the "
                    "components in its own way",
                    model.name));
  }
  if (flags.schedule != Schedule::kSerial) options.serial_first = 1;
  return options;
}

// Of the first minibatch. One value that is not like the others is not to set a classifier's prior.
ColumnScales ScalesFor(const TableModel& model, const Table& first,
                       const std::vector<std::string>& columns) {
  if (!model.classifies) return ScalesOfAll(first);
  ColumnScales scales = ScalesWithoutOutliers(first);
  for (const size_t c : scales.with_outliers) {
    Say(fmt::format(
        "column \"{}\": outliers in the first minibatch, further than {:g} times the spread of "
        "the rest, do not count for its scale",
        columns[c], kOutlier));
  }
  return scales;
}

constexpr const char* kTooMuchForVb = ": --primitive vb cannot take more, --primitive ep can";

// VB cannot take any number; see classifier.h.
void LimitForVb(const TableSpec& spec, TableSource* source) {
  std::vector<double> centre = spec.origin;
  if (!spec.intercept) centre.assign(centre.size(), 0.0);
  std::vector<double> reach = spec.scale;
  for (double& r : reach) r *= kMostForVb;
  source->Limit(centre, reach,
                fmt::format("a number within {:g} times the spread of the first rows{}", kMostForVb,
                            kTooMuchForVb));
}

bool IsSvmlight(const FitFlags& flags) {
  if (flags.format != "auto" && flags.format != "csv" && flags.format != "svmlight") {
    throw std::invalid_argument(
        fmt::format("--format is {}, must be auto, csv or svmlight for tables", flags.format));
  }
  const std::string& name = flags.inputs[0];
  return flags.format == "svmlight" ||
         (flags.format == "auto" &&
          (name.find(".svm") != std::string::npos || name.find(".libsvm") != std::string::npos));
}

// With this many features, if they are known.
bool IsDiagonal(const FitFlags& flags, std::optional<uint64_t> features) {
  if (flags.covariance != "auto") return flags.covariance == "diagonal";
  if (!features || *features <= kMostDenseFeatures) return false;
  if (flags.primitive == "vb") {
    throw std::invalid_argument(
        fmt::format("{} features are too many for the dense covariance that --primitive vb needs; "
                    "--covariance dense insists",
                    *features));
  }
  Say(fmt::format(
      "{} features: diagonal covariance, too sure of itself where features go together; "
      "--covariance dense keeps all correlations",
      Grouped(*features)));
  return true;
}

void WriteTableReport(const FitFlags& flags, const TableFit& fit, const Summary& summary) {
  auto report = nlohmann::ordered_json::parse(ToJson(summary, "rows"));
  report["peak_rss_bytes"] = PeakMemoryBytes();
  report["model"] = flags.model;
  report["inputs"] = flags.inputs;
  if (FindTableModel(flags.model).classifies) {
    report["unconverged_minibatches"] = fit.UnconvergedMinibatches();
  }
  WriteTextFile(flags.report, Dump(report) + "\n");
}

TableSpec SpecOf(const FitFlags& flags, const TableModel& model) {
  TableSpec spec;
  spec.model = flags.model;
  spec.intercept = !flags.no_intercept;
  spec.prior = ParsePrior(flags.prior);
  spec.components = flags.components;
  spec.seed = flags.seed;
  if (model.classifies) spec.primitive = flags.primitive.empty() ? "ep" : flags.primitive;
  if (spec.primitive == "gibbs") {
    throw std::invalid_argument("--primitive gibbs is for --model lda alone");
  }
  spec.diagonal = flags.covariance == "diagonal";
  spec.columns = {"x", "y"};  // any: a bad prior is to be found before the input is read
  TableFit::Make(spec);
  return spec;
}

// Of the categories that were noted in a checkpoint.
std::vector<Dictionary> Dictionaries(const nlohmann::json& notes) {
  std::vector<Dictionary> dictionaries;
  for (const auto& names : notes.at("categories")) {
    Dictionary& dictionary = dictionaries.emplace_back();
    for (const auto& name : names) dictionary.NumberOf(name.get<std::string>());
  }
  return dictionaries;
}

struct FitResult {
  std::unique_ptr<TableFit> fit;
  Summary summary;
  std::exception_ptr checkpoint_failure;
};

// Runs the loop, from the last checkpoint if there is one, and writes checkpoints.
template <class Data, class DataSource>
FitResult FitFrom(const FitFlags& flags, DataSource& source, TableSpec spec,
                  const RunOptions& run_options, FitCheckpoints* checkpoints) {
  if (checkpoints->last() != nullptr) {
    spec.unconverged_minibatches =
        checkpoints->state().value("unconverged_minibatches", uint64_t{0});
  }
  FitResult result{TableFit::Make(spec), {}, {}};
  TableFit& fit = *result.fit;
  Summary& summary = result.summary;
  TrackedSource<Data> tracked(&source);
  const Checkpoint* last = checkpoints->last();
  double seconds_before = 0;
  if (last != nullptr) {
    fit.Restore(*last);
    tracked.Resume(last->progress);
    seconds_before = checkpoints->state().at("seconds").get<double>();
  }
  double seconds = seconds_before;
  const auto saver = checkpoints->SaverOf(
      {.copy = [&] { return fit.CopyOfPosterior(); },
       .progress = [&](const IdSet& folded) { return tracked.At(folded); },
       .fixed =
           [&] {
             return nlohmann::json{{"origin", spec.origin},
                                   {"scale", spec.scale},
                                   {"columns", spec.columns.size()},
                                   {"diagonal", spec.diagonal},
                                   {"categories", source.CategoryNames()}};
           },
       .state =
           [&] {
             return nlohmann::json{{"seconds", seconds},
                                   {"unconverged_minibatches", fit.UnconvergedMinibatches()}};
           },
       .save_model =
           [&](const PosteriorCopy& copy, const Progress& progress) {
             TableSpec then = spec;
             then.rows = progress.total().items;
             then.categories = source.CategoryNames();
             then.unconverged_minibatches = fit.UnconvergedMinibatches();
             fit.SaveCopy(copy, std::move(then), flags.output);
           }});
  std::optional<HangUpWatcher> watcher;
  if (flags.follow) {
    Say("waiting for further rows; SIGTERM ends, SIGHUP saves now");
    watcher.emplace([&] { saver->SaveNow(); });
  }
  const Observer save = [&](const Summary& s) {
    seconds = seconds_before + s.seconds;
    if (saver) saver->Observe(s);
  };
  summary = fit.Fit(source, run_options, Observers(ShowProgress(stderr, "rows"), save),
                    saver ? &tracked : nullptr);
  if (last != nullptr) {
    summary.items += last->progress.total().items;
    summary.minibatches += last->folded.size();
    summary.seconds = seconds;
  }
  if (saver && summary.minibatches > 0) result.checkpoint_failure = FailureOfLast(saver.get());
  return result;
}

FitResult FitCsv(const FitFlags& flags, const TableModel& model, TableSpec spec,
                 const RunOptions& run_options, FitCheckpoints* checkpoints) {
  if (flags.features > 0) throw std::invalid_argument("--features is for svmlight files alone");
  TableOptions options = TableOptionsOf(flags, model);
  options.stop = run_options.stop == nullptr || flags.follow ? StopFlag() : nullptr;
  const bool goes_on = checkpoints->last() != nullptr;
  if (goes_on) options.categories = Dictionaries(checkpoints->fixed());
  if (goes_on && flags.follow) options.resume_from = checkpoints->last()->progress.position;
  TableSource source(options);
  spec.columns = source.columns();
  if (goes_on) {
    const nlohmann::json& fixed = checkpoints->fixed();
    spec.diagonal = fixed.at("diagonal").get<bool>();
    spec.origin = fixed.at("origin").get<std::vector<double>>();
    spec.scale = fixed.at("scale").get<std::vector<double>>();
  } else {
    if (model.classifies) spec.diagonal = IsDiagonal(flags, spec.columns.size() - 1);
    const Table& first = source.Peek();
    if (model.kind == ColumnKind::kNumber) {
      const ColumnScales scales = ScalesFor(model, first, spec.columns);
      spec.origin = scales.origin;
      if (model.classifies || model.clusters) spec.scale = scales.scale;
    }
  }
  if (spec.primitive == "vb") LimitForVb(spec, &source);
  // Independent coefficients, each as free as one alone, would add up to scores that are sure of
  // anything: together they get the freedom of one.
  if (spec.diagonal && !spec.prior.contains("sd")) {
    spec.prior["sd"] =
        ClassifierOptions().sd / std::sqrt(std::max<size_t>(2, spec.columns.size()) - 1);
  }
  return FitFrom<Table>(flags, source, spec, run_options, checkpoints);
}

FitResult FitSvmlight(const FitFlags& flags, TableSpec spec, const RunOptions& run_options,
                      FitCheckpoints* checkpoints) {
  if (!flags.target.empty() || !flags.columns.empty()) {
    throw std::invalid_argument("--target and --columns are not for svmlight files");
  }
  SvmlightOptions options;
  options.inputs = flags.inputs;
  options.features = flags.features;
  options.minibatch = ItemsPerWorker(flags, kMinibatch);
  options.stop = run_options.stop == nullptr ? StopFlag() : nullptr;
  if (spec.primitive == "vb") options.largest = kMostForVb;
  options.largest_why = kTooMuchForVb;
  spec.sparse = true;
  if (checkpoints->last() != nullptr) {
    const nlohmann::json& fixed = checkpoints->fixed();
    options.classes = Dictionaries(fixed).at(0);
    spec.diagonal = fixed.at("diagonal").get<bool>();
    if (!spec.diagonal) options.features = fixed.at("columns").get<uint64_t>() - 1;
  } else if (flags.covariance != "diagonal") {
    if (options.features == 0) options.features = CountFeatures(options);
    spec.diagonal = IsDiagonal(flags, options.features);
  }
  spec.columns.clear();
  for (uint64_t f = 1; !spec.diagonal && f <= options.features; ++f) {
    spec.columns.push_back(std::to_string(f));
  }
  spec.columns.emplace_back("label");
  SvmlightSource source(options);
  return FitFrom<SparseRows>(flags, source, spec, run_options, checkpoints);
}

}  // namespace

void FitTable(const FitFlags& flags, FitCheckpoints* checkpoints) {
  const TableModel& model = FindTableModel(flags.model);
  RunOptions run_options = RunOptionsOf(flags, model);
  // A run that is to go on later ends behind a whole minibatch. On any other it is the source that
  // ends the stream, after the rows it has in hand.
  if (!checkpoints->on()) run_options.stop = nullptr;
  const bool svmlight = IsSvmlight(flags) && model.classifies;
  if (svmlight && flags.follow) {
    throw std::invalid_argument(
        "--follow is for text, JSON lines and CSV; svmlight rows cannot be followed");
  }
  if (flags.follow) BlockHangUp();
  if (!svmlight) TableOptionsOf(flags, model);  // a missing target is found before all else
  const TableSpec spec = SpecOf(flags, model);
  auto [fit, summary, checkpoint_failure] =
      svmlight ? FitSvmlight(flags, spec, run_options, checkpoints)
               : FitCsv(flags, model, spec, run_options, checkpoints);
  summary.stopped = StopFlag()->load();
  const std::string shown = flags.json ? FitJson(*fit) : FitText(*fit);
  SaveInSpiteOf(checkpoint_failure, [&, &fit = fit] { fit->Save(flags.output); });
  if (!flags.report.empty()) WriteTableReport(flags, *fit, summary);
  fmt::print("{}", shown);
  Say((summary.stopped ? "stopped early; saved " : "saved ") + flags.output);
  if (checkpoint_failure) std::rethrow_exception(checkpoint_failure);
}

}  // namespace sda
