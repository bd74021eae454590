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

namespace sda {

// Each adds one subcommand to the program; the callback it sets runs it and throws what goes wrong:
// UsageError for bad usage (exit status 2), any other exception otherwise (1).
void AddFit(CLI::App* app);
void AddShow(CLI::App* app);
void AddPredict(CLI::App* app);
void AddTopics(CLI::App* app);
void AddInfer(CLI::App* app);
void AddEval(CLI::App* app);
void AddExport(CLI::App* app);
void AddCompare(CLI::App* app);
void AddCluster(CLI::App* app);
void AddDemo(CLI::App* app);

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

// A line on standard error. If nobody can read it, nothing is lost.
void Say(const std::string& line);

// Throws if no file can be made at path, so that a long run does not end in it, or if it would
// overwrite something that is no ordinary file or is one of these other files.
void CheckWritable(const std::string& path, const std::vector<std::string>& others = {});
// Throws if a stop was requested: for commands whose output would not be complete.
void CheckNotStopped(const Context& context);
void WriteTextFile(const std::string& path, const std::string& text);

}  // namespace sda

#endif  // SDA_APPS_UI_COMMAND_H_
