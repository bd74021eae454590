#ifndef SDA_PROGRAM_H_
#define SDA_PROGRAM_H_

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
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

// What the command line of such a program says.
struct ProgramOptions {
  RunOptions run;
  uint64_t minibatch = 1000;           // items per round, over all workers
  std::string report;                  // a file for RunProgram to write; empty: none
  std::vector<std::string> arguments;  // all that is no option: inputs, say

  std::string checkpoint;        // folder of the checkpoints; empty: none
  std::string checkpoint_every;  // 30s, or a number of minibatches; empty: the default
  bool resume = false;

  // A run goes on only with the values it began with. Here are the options as they were given and
  // all arguments; add what else the result of your program depends on, such as a prior.
  std::map<std::string, std::string> values;

  // A minibatch for the source to hand out.
  uint64_t ItemsPerWorker() const { return (minibatch + run.workers - 1) / run.workers; }
};

// Reads --schedule serial|sync|async, --workers, --worker-prior latest|fixed, --threads,
// --minibatch, --half-life, --report, --checkpoint and --checkpoint-every, as `--name value` or
// `--name=value`, and --resume, in any order; what follows `--` is no option. Given --checkpoint
// and --resume alone, the other options and the arguments are those that the run began with. The
// stop is the one of StopOnInterrupt(). Throws std::invalid_argument naming what is wrong; a
// caller's exit status is then 2, as that of sda.
ProgramOptions ParseProgramOptions(int argc, const char* const* argv);

// A line for each of these options, for --help.
const char* ProgramOptionsHelp();

// Becomes true at the first Ctrl-C or SIGTERM; the second one ends the program at once. Installs
// the signal handlers when it is first called.
const std::atomic<bool>* StopOnInterrupt();

// As Ctrl-C does.
void RequestStop();

// The most memory that this process held.
uint64_t PeakMemoryBytes();

// The report of `sda fit --report`: the summary and the peak of memory, as JSON. Written to a
// temporary file and renamed. Throws std::runtime_error.
void WriteReport(const std::string& path, const Summary& summary, const std::string& items_name);

// What RunProgram does about checkpoints; does nothing without --checkpoint.
class ProgramCheckpoints {
 public:
  // Opens the folder. Throws as RunProgram.
  ProgramCheckpoints(const ProgramOptions& options, const std::string& items_name);
  ~ProgramCheckpoints();

  bool on() const;
  // Where to go on; null: at the beginning.
  const Checkpoint* last() const;
  void Begin(std::function<PosteriorCopy()> copy,
             std::function<Progress(const IdSet& folded)> progress);
  // The summary of all runs together, from that of this one.
  Summary Whole(Summary summary) const;
  void Observe(const Summary& summary);
  // Saves once more.
  void Finish(const Summary& summary);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Run(), with progress on standard error, checkpoints, and the report. An observer of your own is
// told, too; what it is told and what is returned counts what was done before a checkpoint, too.
//
// With --checkpoint the ids of the source must be 0, 1, 2, ...; with --resume its Resume() is
// called, and must lead to the minibatches that came before, cut in the same way. Those of the
// arguments that are files must not have changed (the last may have grown). Serial and synchronous
// runs that are killed and go on end with the posterior of a run that was not, bit for bit.
//
// Throws std::invalid_argument for options that do not go together or are not those with which the
// run began; std::runtime_error if a checkpoint cannot be read or written, or inputs have changed.
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
  const Summary summary =
      checkpoints.Whole(Run(stream, primitive, store, options.run, [&](const Summary& s) {
        told(checkpoints.Whole(s));
        checkpoints.Observe(s);
      }));
  checkpoints.Finish(summary);
  if (!options.report.empty()) WriteReport(options.report, summary, items_name);
  return summary;
}

}  // namespace sda

#endif  // SDA_PROGRAM_H_
