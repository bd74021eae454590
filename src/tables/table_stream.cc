#include "sda/table_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "data/tables/class_name.h"
#include "sda/errors.h"
#include "tables/classifier_choices.h"
#include "tables/table_fit.h"
#include "tables/table_fit_options.h"
#include "tables/table_rows.h"

namespace sda {
namespace {

// What a value of a column of this kind must be; empty if it is.
const char* ExpectedOf(ColumnKind kind, double value, size_t names) {
  constexpr double kExact = 9007199254740992;  // 2^53: beyond it whole numbers have gaps
  if (!std::isfinite(value)) return "a finite number";
  switch (kind) {
    case ColumnKind::kBinary:
      return value == 0 || value == 1 ? "" : "0 or 1";
    case ColumnKind::kCount:
      return value >= 0 && value <= kExact && value == std::floor(value)
                 ? ""
                 : "a whole number of at least 0";
    case ColumnKind::kCategory:
      return value >= 0 && value < static_cast<double>(names) && value == std::floor(value)
                 ? ""
                 : "the number of a category";
    case ColumnKind::kNumber:
      return value == 0 || (std::abs(value) <= kLargestNumber && std::abs(value) >= kLeastNumber)
                 ? ""
                 : "0 or a number between 1e-150 and 1e150";
  }
  throw std::logic_error("unknown kind of column");
}

// Minibatches of some rows, whose ids continue those before.
class RowsInMemory : public Source<Table> {
 public:
  RowsInMemory(const Table& rows, uint64_t next, size_t first, size_t others,
               const Context& context)
      : rows_(rows), next_(next), first_(first), others_(others), context_(context) {}

  std::optional<Minibatch<Table>> Next() override {
    context_.ThrowIfInterrupted();
    if (row_ == rows_.size()) return std::nullopt;
    const size_t size = std::min(row_ == 0 ? first_ : others_, rows_.size() - row_);
    const auto begin = rows_.values.begin() + row_ * rows_.columns;
    row_ += size;
    Table part{rows_.columns, {begin, begin + size * rows_.columns}};
    return Minibatch<Table>{next_++, {.items = size}, "", std::move(part)};
  }
  void Resume(const std::string&, const std::vector<uint64_t>&) override {
    throw InputError("rows in memory have no position to resume from");
  }

 private:
  const Table& rows_;
  uint64_t next_;
  const size_t first_;
  const size_t others_;
  const Context& context_;
  size_t row_ = 0;
};

}  // namespace

struct TableStream::State {
  TableFitOptions options;
  std::vector<std::string> columns;
  Context context;
  std::unique_ptr<TableFit> fit;  // null before the first rows
  uint64_t next = 0;              // minibatch

  const TableModel& model() const { return FindTableModel(options.model); }

  void Check(const Table& rows, const std::vector<Dictionary>& names, size_t expected) const {
    if (rows.columns != expected) {
      throw InputError(
          fmt::format("the rows have {} columns, must have {}", rows.columns, expected));
    }
    const TableModel& table_model = model();  // it is looked up by its name, so not for each value
    const bool target = table_model.classifies && expected == columns.size();
    for (size_t i = 0; i < rows.size(); ++i) {
      for (size_t c = 0; c < rows.columns; ++c) {
        const bool is_class = target && c + 1 == rows.columns;
        const char* expected_value =
            ExpectedOf(is_class ? ColumnKind::kBinary : table_model.kind, rows.row(i)[c],
                       c < names.size() ? names[c].names().size() : 0);
        if (*expected_value == '\0') continue;
        throw InputError(fmt::format("row {}, column \"{}\" is {:g}, must be {}", i + 1, columns[c],
                                     rows.row(i)[c], expected_value));
      }
    }
  }

  // What the first rows decide.
  void Start(const Table& first) {
    TableSpec spec = SpecOf(options, model());
    spec.columns = columns;
    if (model().classifies)
      spec.diagonal = IsDiagonal(options, model(), columns.size() - 1, context);
    SetScales(model(), first, context, &spec);
    NarrowPriorIfDiagonal(&spec);
    fit = TableFit::Make(spec, context);
    if (const auto rates = RatesOf(options)) fit->LearnForgetting(*rates, context);
  }

  void Learn(const Table& rows, const std::vector<Dictionary>& names, size_t first, size_t others,
             const RunOptions& run) {
    Check(rows, names, columns.size());
    if (rows.size() == 0) return;
    if (fit == nullptr) {
      Start(first < rows.size() ? Split(rows, first).front() : rows);
    }
    RowsInMemory source(rows, next, first, others, context);
    next += 1 + (rows.size() - std::min(first, rows.size()) + others - 1) / others;
    fit->Fit(source, names, run, context);
  }

  const TableFit& Fitted() const {
    if (fit == nullptr) throw UsageError("the model has learnt nothing yet");
    return *fit;
  }
};

TableStream::TableStream(std::unique_ptr<State> state) : state_(std::move(state)) {}

TableStream::TableStream(TableFitOptions options, std::vector<std::string> columns, Context context)
    : state_(new State{std::move(options), std::move(columns), std::move(context), nullptr, 0}) {
  TableFitOptions& given = state_->options;
  const std::vector<std::string>& names = state_->columns;
  if (names.empty()) throw UsageError("the table has no columns");
  given.inputs = {"-"};  // any
  given.format = "csv";
  given.target = state_->model().has_target ? names.back() : "";
  given.columns.assign(names.begin(), names.end() - (given.target.empty() ? 0 : 1));
  given.Validate();
}

TableStream TableStream::Load(const std::string& path, Context context,
                              const TableFitOptions& run) {
  auto state = std::make_unique<State>();
  state->context = std::move(context);
  state->fit = TableFit::Load(path, state->context);
  const TableSpec& spec = state->fit->spec();
  state->columns = spec.columns;
  state->options = run;
  state->options.model = spec.model;
  state->options.intercept = spec.intercept;
  state->options.prior = spec.prior;
  state->options.model_options = spec.options;
  if (const auto rates = RatesOf(run)) state->fit->LearnForgetting(*rates, state->context);
  return TableStream(std::move(state));
}

TableStream::~TableStream() = default;
TableStream::TableStream(TableStream&&) noexcept = default;
TableStream& TableStream::operator=(TableStream&&) noexcept = default;

void TableStream::Update(const Table& rows, const std::vector<Dictionary>& names) {
  RunOptions run;  // one minibatch is serial
  run.discount = state_->options.Run().discount;
  state_->Learn(rows, names, std::max<size_t>(1, rows.size()), 1, run);
}

void TableStream::Fit(const Table& rows, const std::vector<Dictionary>& names) {
  const TableOptions cut = TableOptionsOf(state_->options, state_->model());
  state_->Learn(rows, names, cut.first_minibatch > 0 ? cut.first_minibatch : cut.minibatch,
                cut.minibatch, state_->options.Run());
}

const TableFitOptions& TableStream::options() const { return state_->options; }
const std::vector<std::string>& TableStream::columns() const { return state_->columns; }
std::vector<std::vector<std::string>> TableStream::categories() const {
  if (state_->fit == nullptr) return {};
  return state_->fit->spec().categories;
}
std::string TableStream::positive_class() const {
  const auto all = categories();
  return all.empty() || !state_->model().classifies ? "" : PositiveClass(all.back());
}
uint64_t TableStream::rows() const { return state_->fit ? state_->fit->spec().rows : 0; }
std::vector<Estimate> TableStream::Describe() const { return state_->Fitted().Describe(); }
std::vector<std::string> TableStream::Notes() const { return state_->Fitted().Notes(); }

TableStream::Predicted TableStream::Predict(const Table& features) const {
  const TableFit& fit = state_->Fitted();
  state_->Check(features, {}, state_->columns.size() - (fit.model().has_target ? 1 : 0));
  Predictions predictions = fit.Predict(features);
  return {std::move(predictions.names), std::move(predictions.rows)};
}

void TableStream::Save(const std::string& path) const { state_->Fitted().Save(path); }

}  // namespace sda
