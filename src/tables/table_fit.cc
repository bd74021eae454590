#include "tables/table_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "data/tables/class_name.h"
#include "sda/errors.h"
#include "tables/table_fit_of.h"

namespace sda {

std::unique_ptr<TableFit> TableFit::Make(const TableSpec& spec, const Context& context,
                                         const TableModelList& models) {
  const TableModel& model = models.Find(spec.model);
  for (const auto& [name, value] : spec.prior) {
    const bool known = std::any_of(model.prior.begin(), model.prior.end(),
                                   [&, &n = name](const PriorNumber& p) { return p.name == n; });
    if (!known) {
      throw UsageError(fmt::format("the prior of model {} has no \"{}\"; it has {}", spec.model,
                                   name, model.PriorText()));
    }
  }
  return model.make({spec, model, context});
}

std::vector<std::string> FeaturesOf(const TableSpec& spec) {
  if (spec.columns.empty()) throw UsageError("a regression needs a target column");
  return {spec.columns.begin(), spec.columns.end() - 1};
}

bool TableFit::HasCategories() const {
  return model_.kind == ColumnKind::kCategory || model_.classifies;
}

namespace {

// A distribution may have no mean or standard deviation; but its interval has ends, unless all of
// it is at infinity: the precision of rows that are all equal.
bool CanBeShown(const Estimate& e) {
  if (std::isnan(e.mean) || std::isnan(e.sd) || std::isnan(e.lower) || std::isnan(e.upper)) {
    return false;
  }
  return (std::isfinite(e.lower) && std::isfinite(e.upper)) ||
         (e.mean == HUGE_VAL && e.lower == HUGE_VAL && e.upper == HUGE_VAL);
}

}  // namespace

std::vector<Estimate> Shown(std::vector<Estimate> estimates) {
  for (const Estimate& e : estimates) {
    if (CanBeShown(e)) continue;
    throw std::domain_error(
        fmt::format("{} cannot be computed: mean {:g}, sd {:g}, interval {:g} to {:g}; there are "
                    "too few rows, or numbers that are far too large or small",
                    e.name, e.mean, e.sd, e.lower, e.upper));
  }
  return estimates;
}

Predictions ToPredictions(const std::string& mean, std::vector<Estimate> estimates) {
  for (size_t i = 0; i < estimates.size(); ++i) {
    if (estimates[i].name.empty())
      estimates[i].name = fmt::format("the prediction of row {}", i + 1);
  }
  Predictions predictions{{mean, "sd", "lower", "upper"}, {}};
  for (const Estimate& e : Shown(std::move(estimates))) {
    predictions.rows.push_back({e.mean, e.sd, e.lower, e.upper});
    predictions.approximate |= e.approximate;
  }
  return predictions;
}

Predictions ToPredictions(const Table& responsibilities) {
  Predictions predictions{{"component"}, {}};
  for (size_t k = 1; k <= responsibilities.columns; ++k) {
    predictions.names.push_back("probability_" + std::to_string(k));
  }
  for (size_t i = 0; i < responsibilities.size(); ++i) {
    const auto row = responsibilities.row(i);
    if (!std::isfinite(std::accumulate(row.begin(), row.end(), 0.0))) {
      throw std::domain_error(fmt::format(
          "the prediction of row {} cannot be computed: it is too far from all components", i + 1));
    }
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    predictions.rows.push_back({static_cast<double>(best + 1)});
    predictions.rows.back().insert(predictions.rows.back().end(), row.begin(), row.end());
  }
  return predictions;
}

std::optional<ForgettingHistory> TableFit::forgetting() const {
  const auto rates = Rates();
  return rates ? std::optional(rates->history()) : std::nullopt;
}

void TableFit::Restore(const Checkpoint& checkpoint) {
  SetPosterior(checkpoint);
  spec_.rows = checkpoint.progress.total().items;
}

Summary TableFit::Fit(TableSource& source, const RunOptions& options, const Observer& observer,
                      const Context& context, Source<Table>* stream) {
  const Summary summary = RunLoop(stream == nullptr ? source : *stream, options, observer, context);
  Keep(summary, source.categories());
  return summary;
}

Summary TableFit::Fit(Source<Table>& rows, const std::vector<Dictionary>& categories,
                      const RunOptions& options, const Context& context) {
  try {
    const Summary summary = RunLoop(rows, options, {}, context);
    Keep(summary, categories);
    return summary;
  } catch (const RunError& e) {
    Keep(e.summary(), categories);  // of whole minibatches, which stay in the posterior
    throw;
  }
}

Summary TableFit::Fit(SvmlightSource& source, const RunOptions& options, const Observer& observer,
                      const Context& context, Source<SparseRows>* stream) {
  const Summary summary = RunLoop(stream == nullptr ? source : *stream, options, observer, context);
  Keep(summary, {source.classes()});
  return summary;
}

void TableFit::Keep(const Summary& summary, const std::vector<Dictionary>& categories) {
  spec_.rows += summary.counts.items;
  if (!HasCategories()) return;
  SetCategories(categories);
  spec_.categories.clear();
  for (const Dictionary& names : categories) spec_.categories.push_back(names.names());
}

std::vector<std::string> TableFit::Notes() const {
  std::vector<std::string> notes = ClassNotes();
  for (const OneHotColumn& text : spec_.reading.one_hot) {
    if (text.all_levels) continue;  // nothing is relative
    notes.push_back(fmt::format("coefficients of {} are differences from {}={}, the reference",
                                text.column, text.column, text.levels[0]));
  }
  return notes;
}

std::vector<std::string> TableFit::ClassNotes() const {
  if (!model_.classifies || spec_.categories.empty()) return {};
  std::vector<std::string> notes;
  const auto& classes = spec_.categories.back();
  const std::string positive = PositiveClass(classes);
  const std::string& target = spec_.columns.back();
  if (classes.size() == 1) {
    notes.push_back(
        fmt::format("probabilities are of {} = {}; only {} was seen, so how likely "
                    "the other class is rests on the prior",
                    target, positive, classes[0]));
  } else {
    notes.push_back(fmt::format("probabilities are of {} = {}, not {}", target, positive,
                                positive == classes[0] ? classes[1] : classes[0]));
  }
  if (spec_.diagonal) {
    notes.push_back(
        fmt::format("diagonal covariance: correlations of coefficients are left out, so the "
                    "intervals are too narrow where features go together{}",
                    spec_.sparse ? ", or where their means are not 0" : ""));
  }
  const std::vector<std::string> undecided = Undecided();
  if (!undecided.empty()) {
    constexpr size_t kShown = 5;
    std::string list;
    for (size_t i = 0; i < std::min(kShown, undecided.size()); ++i) {
      list += (i > 0 ? ", " : "") + undecided[i];
    }
    if (undecided.size() > kShown) list += fmt::format(" and {} more", undecided.size() - kShown);
    notes.push_back("the prior decides much of " + list +
                    ": few rows, constant or collinear columns, or separable classes");
  }
  if (const uint64_t count = UnconvergedMinibatches(); count > 0) {
    notes.push_back(
        fmt::format("{} minibatch{} did not converge: the numbers may be far off; likely causes "
                    "are outliers and strong effects{}",
                    count, count == 1 ? "" : "es",
                    std::get<std::string>(model_.Option(spec_.options, "primitive")) == "vb"
                        ? ", less so with --primitive ep"
                        : ""));
  }
  return notes;
}

}  // namespace sda
