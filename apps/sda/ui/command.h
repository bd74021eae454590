#ifndef SDA_APPS_UI_COMMAND_H_
#define SDA_APPS_UI_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "sda/context.h"
#include "sda/estimate.h"
#include "sda/observer.h"

namespace sda {

// Each adds one subcommand to the program; the callback it sets runs it and throws what goes wrong:
// UsageError for bad usage (exit status 2), any other exception otherwise (1).
void AddFit(CLI::App* app);
void AddShow(CLI::App* app);
void AddPredict(CLI::App* app);
void AddTopics(CLI::App* app);
void AddInfer(CLI::App* app);
void AddEval(CLI::App* app);
void AddReport(CLI::App* app);
void AddExport(CLI::App* app);
void AddCompare(CLI::App* app);
void AddCluster(CLI::App* app);
void AddDemo(CLI::App* app);
void AddHelp(CLI::App* app);  // also completion

// The context of this program's runs: the first Ctrl-C or SIGTERM requests a stop, the second one
// ends the program at once; notices go to standard error.
Context ProgramContext(int threads = 0);

// SIGHUP is for a HangUpWatcher, and no longer ends the program. Before any thread is started.
void BlockHangUp();

// Calls a function, on a thread of its own, at each SIGHUP.
class HangUpWatcher {
 public:
  explicit HangUpWatcher(std::function<void()> on_hang_up);

 private:
  std::jthread thread_;
};

// A table of estimates for people.
std::string EstimatesTable(const std::vector<Estimate>& estimates);
// What a model on tables knows, for people and as JSON.
std::string FitText(const class TableFit& fit);
std::string FitJson(const class TableFit& fit);

// JSON for people and machines; bytes that are not UTF-8 are replaced.
std::string Dump(const nlohmann::ordered_json& json);

// A notice: a line on standard error, as Shown(), nothing with --quiet. If nobody can read it,
// nothing is lost. Progress that stands in the line is overwritten and comes again below.
void Say(const std::string& line);
// The notice that 95% intervals are approximate, for output that has no place for a mark: CSV.
void SayApproximate();
// The same for an error, which is always said.
void SayError(const std::string& message);
void SetQuiet(bool quiet);  // of the whole program
bool Quiet();
// Progress on standard error, as ShowProgress(), unless the program is quiet.
Observer RunProgress(const std::string& items_name,
                     std::function<std::string(const Summary&)> details = {});

// Throws if no file can be made at path, so that a long run does not end in it, or if it would
// overwrite something that is no ordinary file or is one of these other files.
void CheckWritable(const std::string& path, const std::vector<std::string>& others = {});
// Throws UsageError if what is at path is neither empty nor a model of sda, which a new one may
// replace, unless forced.
void CheckReplaceable(const std::string& path, bool force);
// Throws if a stop was requested: for commands whose output would not be complete.
void CheckNotStopped(const Context& context);
void WriteTextFile(const std::string& path, const std::string& text);

}  // namespace sda

#endif  // SDA_APPS_UI_COMMAND_H_
