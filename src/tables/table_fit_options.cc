#include "tables/table_fit_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "core/minibatch_size.h"
#include "sda/errors.h"
#include "sda/forgetting.h"
#include "tables/table_fit.h"

namespace sda {
namespace {

constexpr int64_t kMinibatch = 1000;
constexpr int64_t kFirstMinibatch = 10'000;  // of models that have to find clusters
constexpr uint64_t kScaleRows = 200;         // from which the unit of a column is estimated

// Those with declared levels as well. Without an intercept the first one stands in for it.
std::vector<OneHotColumn> OneHotOf(const TableFitOptions& options) {
  std::vector<OneHotColumn> columns;
  std::vector<std::string> names = options.one_hot;
  for (const auto& [name, levels] : options.levels) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  for (const std::string& name : names) {
    const auto found = options.levels.find(name);
    OneHotColumn column{name, {}, !options.intercept && columns.empty()};
    if (found != options.levels.end()) column.levels = found->second;
    columns.push_back(std::move(column));
  }
  return columns;
}

void CheckModelOptions(const TableFitOptions& options, const TableModel& model) {
  for (const auto& [name, value] : options.model_options) {
    const ModelOption* option = model.FindOption(name);
    if (option == nullptr) {
      throw UsageError(fmt::format("{} is not for --model {}", OptionFlag(name), model.name));
    }
    if (value.index() != option->usual.index()) {
      throw UsageError(fmt::format("{} is {}, which is of another type than the default, {}",
                                   OptionFlag(name), ToText(value), ToText(option->usual)));
    }
    const auto& choices = option->choices;
    if (!choices.empty() &&
        std::find(choices.begin(), choices.end(), ToText(value)) == choices.end()) {
      throw UsageError(fmt::format("{} is {}, must be {}", OptionFlag(name), ToText(value),
                                   ListOfChoices(choices)));
    }
  }
}

// Options that all models share the names of, but not the use.
void CheckUse(const TableFitOptions& options, const TableModel& model) {
  auto refuse = [&](const char* option) {
    throw UsageError(fmt::format("{} is not for --model {}", option, model.name));
  };
  if (!model.classifies && options.format != "auto" && options.format != "csv") refuse("--format");
  if (!model.clusters && options.first_minibatch) refuse("--first-minibatch");
  if (options.format != "auto" && options.format != "csv" && options.format != "svmlight") {
    throw UsageError(
        fmt::format("--format is {}, must be auto, csv or svmlight for tables", options.format));
  }
}

void CheckSvmlight(const TableFitOptions& options) {
  if (options.delimiter != "," || options.header || options.missing != "refuse") {
    throw UsageError("--delimiter, --header, --no-header and --missing are not for svmlight files");
  }
  if (options.follow) {
    throw UsageError("--follow is for text, JSON lines and CSV; svmlight rows cannot be followed");
  }
  if (!options.target.empty() || !options.columns.empty()) {
    throw UsageError("--target and --columns are not for svmlight files");
  }
  if (!options.one_hot.empty() || !options.levels.empty()) {
    throw UsageError("--one-hot and --levels are not for svmlight files");
  }
}

void CheckCsv(const TableFitOptions& options, const TableModel& model) {
  if (model.has_target && options.target.empty()) {
    throw UsageError(fmt::format("model {} needs --target COLUMN", model.name));
  }
  if (!model.has_target && !options.target.empty()) {
    throw UsageError(
        fmt::format("--target is {}, but model {} has no target", options.target, model.name));
  }
  if (!model.has_target && (!options.one_hot.empty() || !options.levels.empty())) {
    throw UsageError(fmt::format("--one-hot is for regressions, not for --model {}", model.name));
  }
  for (const OneHotColumn& text : OneHotOf(options)) {
    std::vector<std::string> sorted = text.levels;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
      throw UsageError(fmt::format("--levels {} has {} twice", text.column, Quoted(*twice)));
    }
    if (sorted.size() == 1) {
      throw UsageError(
          fmt::format("--levels {} has one level, must have at least two", text.column));
    }
  }
  TableOptionsOf(options, model).Validate();
}

}  // namespace

void TableFitOptions::Validate(const TableModelList& models) const {
  const TableModel& m = models.Find(model);
  if (inputs.empty()) throw UsageError("no input was given");
  if (!(minibatch_seconds > 0 && minibatch_seconds <= 1e15)) {
    throw UsageError(fmt::format("--minibatch-seconds is {:g}, must be above 0 and at most 1e15",
                                 minibatch_seconds));
  }
  CheckModelOptions(*this, m);
  CheckUse(*this, m);
  Run(models);
  RowsPerWorker(*this);
  const bool svmlight = IsSvmlight(*this, m);
  svmlight ? CheckSvmlight(*this) : CheckCsv(*this, m);
  TableSpec spec = SpecOf(*this, m);
  spec.columns = {"x", "y"};  // any: a bad prior must be found before the input is read
  TableFit::Make(spec, Context(), models);
  if (!svmlight && m.FindOption("features") != nullptr &&
      m.Option(model_options, "features") != OptionValue(uint64_t{0})) {
    throw UsageError("--features is for svmlight files alone");
  }
}

RunOptions TableFitOptions::Run(const TableModelList& models) const {
  if (worker_prior == WorkerPrior::kFixedPrior && schedule != Schedule::kAsynchronous) {
    throw UsageError("--worker-prior is for --schedule async alone");
  }
  RunOptions options;
  options.schedule = schedule;
  options.worker_prior = worker_prior;
  options.workers = workers;
  if (half_life != 0 && half_life != kAutoHalfLife) options.discount = HalfLife(half_life);
  options.Validate();
  const TableModel& m = models.Find(model);
  if (!m.clusters && !m.classifies) return options;
  if (m.clusters && worker_prior == WorkerPrior::kFixedPrior) {
    throw UsageError(
        fmt::format("--worker-prior fixed is not for --model {}: each worker would number the "
                    "components in its own way",
                    m.name));
  }
  if (schedule != Schedule::kSerial) options.serial_first = 1;
  return options;
}

bool IsSvmlight(const TableFitOptions& options, const TableModel& model) {
  if (!model.classifies) return false;
  const std::string& name = options.inputs.at(0);
  return options.format == "svmlight" ||
         (options.format == "auto" &&
          (name.find(".svm") != std::string::npos || name.find(".libsvm") != std::string::npos));
}

std::optional<ForgettingRates> RatesOf(const TableFitOptions& options) {
  if (options.half_life != kAutoHalfLife) return std::nullopt;
  return ForgettingRates(
      static_cast<double>(ItemsPerRound(options.minibatch, options.half_life, kMinibatch)));
}

uint64_t RowsPerWorker(const TableFitOptions& options) {
  const uint64_t rows = ItemsPerRound(options.minibatch, options.half_life, kMinibatch);
  return (rows + options.workers - 1) / options.workers;
}

TableOptions TableOptionsOf(const TableFitOptions& options, const TableModel& model) {
  const double half_life = options.half_life;
  TableOptions table;
  table.inputs = options.inputs;
  table.kind = model.kind;
  table.columns = options.columns;
  table.target = options.target;
  table.classes = model.classifies;
  table.minibatch = RowsPerWorker(options);
  // Before the workers share a round, one minibatch of a whole round determines the columns'
  // scales.
  if (model.classifies) {
    const uint64_t enough = half_life > 0 ? 1 : kScaleRows;
    const uint64_t round = ItemsPerRound(options.minibatch, half_life, kMinibatch);
    table.first_minibatch = options.follow ? enough : std::max(round, enough);
  }
  if (model.clusters) {
    // Items of one minibatch are not discounted against each other.
    const int64_t usual = half_life > 0 ? static_cast<int64_t>(table.minibatch) : kFirstMinibatch;
    const int64_t first = options.first_minibatch.value_or(usual);
    CheckMinibatch("--first-minibatch", first, half_life);
    table.first_minibatch = first;
  }
  table.delimiter = DelimiterOf(options.delimiter);
  table.header = options.header;
  table.skip_missing = SkipsMissing(options.missing);
  table.one_hot = OneHotOf(options);
  table.follow = options.follow;
  table.minibatch_seconds = options.minibatch_seconds;
  return table;
}

char DelimiterOf(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  const bool usable = text.size() == 1 && text != "\"" && text != "\n" && text != "\r" &&
                      text != "." && text != "-" && text != "+" &&
                      std::isalnum(static_cast<unsigned char>(text[0])) == 0;
  if (usable) return text[0];
  throw UsageError(
      fmt::format("--delimiter is {}, must be one character such as ; or tab, and no "
                  "letter, digit, quote, point or sign",
                  Quoted(text)));
}

bool SkipsMissing(const std::string& missing) {
  if (missing == "skip" || missing == "refuse") return missing == "skip";
  throw UsageError(fmt::format("--missing is {}, must be skip or refuse", Quoted(missing)));
}

TableOptions OptionsToRead(const TableSpec& spec, const TableModel& model,
                           std::vector<std::string> inputs, bool with_target,
                           const ReadingChanges& changes) {
  TableOptions options;
  options.inputs = std::move(inputs);
  options.kind = model.kind;
  options.columns = spec.reading.one_hot.empty() ? spec.columns : spec.reading.columns;
  if (model.has_target) {
    if (with_target) options.target = options.columns.back();
    options.columns.pop_back();
    options.classes = with_target && model.classifies;
  }
  options.no_columns = options.columns.empty();  // a model of the intercept alone
  options.one_hot = spec.reading.one_hot;
  options.delimiter =
      changes.delimiter.empty() ? spec.reading.delimiter : DelimiterOf(changes.delimiter);
  options.header = changes.header ? changes.header : spec.reading.header;
  options.skip_missing =
      changes.missing.empty() ? spec.reading.skip_missing : SkipsMissing(changes.missing);
  return options;
}

TableSpec SpecOf(const TableFitOptions& options, const TableModel& model) {
  TableSpec spec;
  spec.reading.delimiter = DelimiterOf(options.delimiter);
  spec.reading.header = options.header;
  spec.reading.skip_missing = SkipsMissing(options.missing);
  spec.model = model.name;
  spec.intercept = options.intercept;
  spec.prior = options.prior;
  spec.options = options.model_options;
  if (model.FindOption("covariance") != nullptr) {
    spec.diagonal =
        model.Option(options.model_options, "covariance") == OptionValue(std::string("diagonal"));
  }
  return spec;
}

}  // namespace sda
