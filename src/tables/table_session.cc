#include <fmt/format.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/run_checkpoints.h"
#include "data/io/followed_file.h"
#include "sda/errors.h"
#include "sda/tables.h"
#include "tables/table_fit_options.h"
#include "tables/table_rows.h"

namespace sda {
namespace {

using nlohmann::json;

CheckpointPlan PlanOf(const TableFitOptions& options, const TableSaving& saving,
                      const Context& context) {
  CheckpointPlan plan;
  plan.kind = "table";
  plan.folder = saving.checkpoint;
  plan.every = saving.checkpoint_every;
  plan.resume = saving.resume;
  plan.asynchronous = options.schedule == Schedule::kAsynchronous;
  plan.saves_models = options.follow && !saving.output.empty();
  plan.options = ToJsonObject(options);
  plan.settings = json::parse(saving.settings);
  plan.inputs = options.inputs;
  if (options.follow) {
    plan.start = [followed = options.inputs.back()] {
      return TableSource::StartOf(FirstLook(followed));
    };
  }
  plan.items_name = "rows";
  plan.context = context;
  return plan;
}

// The same log, but no request to stop.
Context Unstopped(const Context& context) {
  return Context(context.threads(), {}, [context](const std::string& line) { context.Log(line); });
}

}  // namespace

struct TableSession::State {
  State(TableFitOptions options_given, TableSaving saving_given, Context context_given,
        const TableModelList& models)
      : options((options_given.Validate(models), std::move(options_given))),
        saving(std::move(saving_given)),
        context(std::move(context_given)),
        run(options.Run(models)),
        checkpoints(PlanOf(options, saving, context)) {
    // A run that can be resumed ends after a whole minibatch. In any other run the source ends the
    // stream, after the rows it has already read.
    const bool source_stops = !checkpoints.on() || options.follow;
    OpenedRows opened = OpenRows(options, models.Find(options.model), &checkpoints,
                                 source_stops ? context : Unstopped(context));
    rows = std::move(opened.rows);
    spec = std::move(opened.spec);
    if (const Checkpoint* last = checkpoints.last()) Restore(*last, models);
    if (fit == nullptr) fit = TableFit::Make(spec, context, models);
    if (const auto rates = RatesOf(options)) fit->LearnForgetting(*rates, context);
  }

  void Restore(const Checkpoint& last, const TableModelList& models) {
    spec.unconverged_minibatches =
        checkpoints.state().value("unconverged_minibatches", uint64_t{0});
    fit = TableFit::Make(spec, context, models);
    fit->Restore(last);
    before = DeserializeSummary(checkpoints.state().at("summary").get<std::string>());
    // What is in the posterior; a summary may be of a moment before.
    before.counts = last.progress.total();
    before.minibatches = last.folded.size();
    whole = before;
  }

  // What is saved while the run is under way.
  RunCheckpoints::Run Saved() {
    return {.copy = [this] { return fit->CopyOfPosterior(); },
            .progress = [this](const IdSet& folded) { return rows->At(folded); },
            .fixed = [this] { return FixedOf(spec, *rows); },
            .state =
                [this] {
                  return json{{"summary", SerializeSummary(whole)},
                              {"unconverged_minibatches", fit->UnconvergedMinibatches()}};
                },
            .save_model =
                [this](const PosteriorCopy& copy, const Progress& progress) {
                  TableSpec then = spec;
                  then.rows = progress.total().items;
                  then.categories = rows->CategoryNames();
                  then.unconverged_minibatches = fit->UnconvergedMinibatches();
                  fit->SaveCopy(copy, std::move(then), saving.output);
                }};
  }

  const TableFitOptions options;
  const TableSaving saving;
  const Context context;
  const RunOptions run;
  RunCheckpoints checkpoints;
  std::unique_ptr<TableRows> rows;
  TableSpec spec;
  std::unique_ptr<TableFit> fit;
  Summary before;  // the checkpoint from which this run resumes
  Summary whole;   // of all runs, as of the last fold
  std::exception_ptr failure;
  std::mutex mutex;
  std::unique_ptr<BackgroundSaver> saver;  // set and used with the lock held
};

TableSession::TableSession(TableFitOptions options, TableSaving saving, Context context,
                           const TableModelList& models)
    : state_(std::make_unique<State>(std::move(options), std::move(saving), std::move(context),
                                     models)) {}

TableSession::~TableSession() = default;

std::optional<ForgettingHistory> TableSession::forgetting() const {
  return state_->fit->forgetting();
}

Summary TableSession::Run(const Observer& observer) {
  State& s = *state_;
  BackgroundSaver* saver = nullptr;
  {
    std::lock_guard lock(s.mutex);
    s.saver = s.checkpoints.SaverOf(s.Saved());
    saver = s.saver.get();
  }
  // Without checkpoints the run does not see the request to stop: see State. If it fails, its
  // source must not wait any longer.
  const Context context = s.checkpoints.on() ? s.context : Unstopped(s.context);
  std::stop_callback failed(context.token(), [&s] { s.context.RequestStop(); });
  const Observer observe = [&](const Summary& summary) {
    s.whole = s.before;
    s.whole += summary;
    if (observer) observer(s.whole);
    if (saver != nullptr) saver->Observe(s.whole);
  };
  Summary summary = s.before;
  summary += s.rows->Fit(s.fit.get(), s.run, observe, context, saver != nullptr);
  summary.stopped = s.context.StopRequested();
  s.rows->LogNotes(s.spec, s.context);
  if (summary.stopped && summary.minibatches == 0) {
    throw StoppedAtStart("stopped before the first minibatch; nothing was learnt yet");
  }
  if (saver != nullptr && summary.minibatches > 0) {
    try {
      saver->Finish();
    } catch (...) {
      s.failure = std::current_exception();
    }
  }
  return summary;
}

std::exception_ptr TableSession::checkpoint_failure() const { return state_->failure; }

void TableSession::SaveNow() {
  std::lock_guard lock(state_->mutex);
  if (state_->saver) state_->saver->SaveNow();
}

std::vector<Estimate> TableSession::Describe() const { return state_->fit->Describe(); }

std::vector<std::string> TableSession::Notes() const { return state_->fit->Notes(); }

const TableFit& TableSession::fit() const { return *state_->fit; }

void TableSession::Save(const std::string& path) const try {
  state_->fit->Save(path);
} catch (...) {
  // Both failures are reported: this one is thrown, the other is logged.
  try {
    if (state_->failure) std::rethrow_exception(state_->failure);
  } catch (const std::exception& e) {
    state_->context.Log(e.what());
  }
  throw;
}

}  // namespace sda
