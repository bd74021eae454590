#ifndef SDA_PROGRAM_H_
#define SDA_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "sda/checkpoint.h"
#include "sda/export.h"
#include "sda/loop.h"
#include "sda/tracked_source.h"

namespace SDA_EXPORT sda {

// A primitive of your own as a program of your own, with the options, the progress, the checkpoints
// and the report of `sda fit`:
//
//   const auto options = sda::ParseProgramOptions(argc, argv);
//   MySource source(options.arguments, options.ItemsPerWorker());
//   sda::MemoryStore<sda::Dense> store(primitive.Prior());
//   sda::RunProgram(source, primitive, store, options, "rows");

// The first Ctrl-C or SIGTERM requests a stop; the second one ends the program at once. Signals
// belong to the process: main() makes one of these, and gives its token to a Context. When it is
// gone, the signals do what they did before.
class StopOnSignals {
 public:
  StopOnSignals();
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

  std::stop_token token() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What the command line of such a program says.
struct ProgramOptions {
  RunOptions run;
  uint64_t minibatch = 1000;           // items per round, over all workers
  std::string report;                  // a file for RunProgram to write; empty: none
  std::vector<std::string> arguments;  // all that is no option: inputs, say

  std::string checkpoint;        // folder of the checkpoints; empty: none
  std::string checkpoint_every;  // 30s, or a number of minibatches; empty: the default
  bool resume = false;

  // A run resumes only with the values it began with. The options and arguments are among them; add
  // what else the result of your program depends on, such as a prior.
  std::map<std::string, std::string> values;

  // With the threads asked for, the stop of Ctrl-C and SIGTERM, and notices on standard error. A
  // source that waits for input takes its token.
  Context context;

  // The number of items of a minibatch for the source to hand out.
  uint64_t ItemsPerWorker() const { return (minibatch + run.workers - 1) / run.workers; }
};

// Reads --schedule serial|sync|async, --workers, --worker-prior latest|fixed, --threads,
// --minibatch, --half-life, --report, --checkpoint, --checkpoint-every and --resume. Given
// --checkpoint and --resume alone, the other options and the arguments are those that the run began
// with. Throws UsageError naming what is wrong.
ProgramOptions ParseProgramOptions(int argc, const char* const* argv);

// A line for each of these options, for --help.
std::string ProgramOptionsHelp();

// The peak of the memory that this process held.
uint64_t PeakMemoryBytes();

// The report of `sda fit --report`: the summary and the peak of memory, as JSON. Written to a
// temporary file and renamed. Throws IoError.
void WriteReport(const std::string& path, const Summary& summary, const std::string& items_name);

// What RunProgram does about checkpoints; does nothing without --checkpoint.
class ProgramCheckpoints {
 public:
  // Opens the folder. Throws as RunProgram.
  ProgramCheckpoints(const ProgramOptions& options, const std::string& items_name);
  ~ProgramCheckpoints();

  bool on() const;
  // Where to resume; null: at the beginning.
  const Checkpoint* last() const;
  void Begin(std::function<PosteriorCopy()> copy,
             std::function<Progress(const IdSet& folded)> progress);
  // The summary of all runs together, from that of this one.
  Summary Whole(const Summary& summary) const;
  void Observe(const Summary& summary);
  // Saves once more.
  void Finish(const Summary& summary);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Run(), with progress on standard error, checkpoints, and the report. An observer of your own is
// called, too; what it sees and what is returned includes what was done before a checkpoint.
//
// With --checkpoint the ids of the source must be 0, 1, 2, ...; with --resume its Resume() is
// called, and must lead to the minibatches that came before, cut in the same way. Those of the
// arguments that are files must not have changed (the last may have grown). Serial and synchronous
// runs that are killed and resumed end with the posterior of a run that was not, bit for bit.
//
// Throws UsageError for options that conflict or are not those with which the run began; InputError
// if a checkpoint cannot be read, or inputs have changed; IoError if one cannot be written.
template <class Data, NaturalParameters Params>
Summary RunProgram(Source<Data>& source, const Primitive<Data, Params>& primitive,
                   Store<Params>& store, const ProgramOptions& options,
                   const std::string& items_name, const Observer& observer = {}) {
  TrackedSource<Data> tracked(&source);
  ProgramCheckpoints checkpoints(options, items_name);
  if (const Checkpoint* last = checkpoints.last()) {
    store.Restore(last->Posterior<Params>());
    tracked.Resume(last->progress);
  }
  checkpoints.Begin([&] { return CopyPosterior(store); },
                    [&](const IdSet& folded) { return tracked.At(folded); });
  const Observer told = Observers(ShowProgress(stderr, items_name), observer);
  Source<Data>& stream = checkpoints.on() ? static_cast<Source<Data>&>(tracked) : source;
  const Observer observe = [&](const Summary& s) {
    told(checkpoints.Whole(s));
    checkpoints.Observe(s);
  };
  const Summary summary =
      checkpoints.Whole(Run(stream, primitive, store, options.run, observe, options.context));
  checkpoints.Finish(summary);
  if (!options.report.empty()) WriteReport(options.report, summary, items_name);
  return summary;
}

}  // namespace sda

#endif  // SDA_PROGRAM_H_
