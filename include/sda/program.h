#ifndef SDA_PROGRAM_H_
#define SDA_PROGRAM_H_

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "sda/loop.h"

namespace sda {

// A primitive of your own as a program of your own, with the options, the progress and the report
// of `sda fit`:
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

  // A minibatch for the source to hand out.
  uint64_t ItemsPerWorker() const { return (minibatch + run.workers - 1) / run.workers; }
};

// Reads --schedule serial|sync|async, --workers, --worker-prior latest|fixed, --threads,
// --minibatch, --half-life and --report, as `--name value` or `--name=value`, in any order; what
// follows `--` is no option. The stop is the one of StopOnInterrupt(). Throws std::invalid_argument
// naming what is wrong; a caller's exit status is then 2, as that of sda.
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

// Run(), with progress on standard error and the report. An observer of your own is told, too.
template <class Data, NaturalParameters Params>
Summary RunProgram(Source<Data>& source, const Primitive<Data, Params>& primitive,
                   Store<Params>& store, const ProgramOptions& options,
                   const std::string& items_name, const Observer& observer = {}) {
  const Summary summary = Run(source, primitive, store, options.run,
                              Observers(ShowProgress(stderr, items_name), observer));
  if (!options.report.empty()) WriteReport(options.report, summary, items_name);
  return summary;
}

}  // namespace sda

#endif  // SDA_PROGRAM_H_
