#include "help/suggestions.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "ui/flags.h"

namespace sda {
namespace {

// Options of gensim, scikit-learn, MALLET, Vowpal Wabbit, Spark, pandas and tools like them.
struct ForeignName {
  const char* theirs;  // without dashes in front, _ as -
  const char* ours;
};
constexpr ForeignName kForeign[] = {
    {"n-components", "--topics"},
    {"n-components", "--components"},
    {"num-topics", "--topics"},
    {"n-topics", "--topics"},
    {"number-of-topics", "--topics"},
    {"k", "--topics"},
    {"k", "--components"},
    {"lda", "--topics"},
    {"n-clusters", "--components"},
    {"clusters", "--components"},
    {"doc-topic-prior", "--alpha"},
    {"lda-alpha", "--alpha"},
    {"topic-word-prior", "--eta"},
    {"beta", "--eta"},
    {"lda-rho", "--eta"},
    {"topic-concentration", "--eta"},
    {"doc-concentration", "--alpha"},
    {"chunksize", "--minibatch"},
    {"chunk-size", "--minibatch"},
    {"batch-size", "--minibatch"},
    {"random-state", "--seed"},
    {"random-seed", "--seed"},
    {"iterations", "--sweeps"},
    {"num-iterations", "--sweeps"},
    {"max-iter", "--sweeps"},
    {"iter", "--sweeps"},
    {"epochs", "--passes"},
    {"n-jobs", "--threads"},
    {"num-threads", "--threads"},
    {"jobs", "--threads"},
    {"cores", "--threads"},
    {"cpus", "--threads"},
    {"stopwords", "--stop-words"},
    {"no-below", "--min-df"},
    {"min-count", "--min-df"},
    {"min-doc-freq", "--min-df"},
    {"max-df", "--max-share"},
    {"no-above", "--max-share"},
    {"max-features", "--max-vocab"},
    {"keep-n", "--max-vocab"},
    {"prune-at", "--max-vocab"},
    {"offset", "--tau0"},
    {"learning-offset", "--tau0"},
    {"decay", "--kappa"},
    {"learning-decay", "--kappa"},
    {"total-samples", "--total-documents"},
    {"lda-d", "--total-documents"},
    {"out", "--output"},
    {"output-model", "--output"},
    {"save", "--output"},
    {"output-state", "--output"},
    {"final-regressor", "--output"},
    {"initial-model", "--from"},
    {"init-model", "--from"},
    {"initial-regressor", "--from"},
    {"load", "--from"},
    {"topn", "--words"},
    {"top-n", "--words"},
    {"num-words", "--words"},
    {"num-top-words", "--words"},
    {"test", "--holdout"},
    {"held-out", "--holdout"},
    {"validation", "--holdout"},
    {"label", "--target"},
    {"response", "--target"},
    {"y", "--target"},
    {"sep", "--delimiter"},
    {"separator", "--delimiter"},
    {"field-separator", "--delimiter"},
    {"na", "--missing"},
    {"dropna", "--missing"},
    {"na-action", "--missing"},
    {"dummies", "--one-hot"},
    {"categorical", "--one-hot"},
    {"categories", "--one-hot"},
    {"silent", "--quiet"},
    {"bootstrap-server", "--brokers"},
    {"bootstrap-servers", "--brokers"},
};

std::string WithoutDashes(std::string name) {
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  name = name.substr(0, name.find('='));
  for (char& c : name) c = c == '_' ? '-' : static_cast<char>(std::tolower(c));
  return name;
}

// Letters that must be inserted, deleted, replaced, or swapped with the next, to make the one of
// the other.
size_t Distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

std::vector<std::string> LongNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : AllOptions(command)) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

bool HasOption(const CLI::App& command, const std::string& name) {
  const std::vector<std::string> names = LongNames(command);
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Of an option that stands before its command: that command, or of the commands that may come the
// first that has it; else empty.
std::string OwnerOf(const std::string& option, const CLI::App& command) {
  if (!HasOption(command, option)) return "";
  for (const CLI::App* part : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!part->get_name().empty() && HasOption(*part, option)) return OwnerOf(option, *part);
  }
  return command.get_name();
}

}  // namespace

std::string MostLike(const std::string& name, const std::vector<std::string>& names) {
  constexpr size_t kLongestName = 40;  // what is longer is no slip of the finger
  const std::string wanted = WithoutDashes(name);
  if (wanted.empty() || wanted.size() > kLongestName) return "";
  const size_t most = wanted.size() < 4 ? 1 : wanted.size() < 8 ? 2 : 3;
  std::string best;
  size_t best_distance = most + 1;
  for (const std::string& candidate : names) {
    const std::string plain = WithoutDashes(candidate);
    const size_t distance = Distance(wanted, plain);
    if (distance < best_distance && distance < plain.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (!best.empty()) return best;
  for (const std::string& candidate : names) {
    if (wanted.size() >= 3 && WithoutDashes(candidate).starts_with(wanted)) return candidate;
  }
  for (const std::string& candidate : names) {  // --vocabulary is --vocab
    const std::string plain = WithoutDashes(candidate);
    if (plain.size() >= 4 && wanted.starts_with(plain)) return candidate;
  }
  return "";
}

std::string SuggestedOption(const CLI::App& command, const std::string& name) {
  const std::vector<std::string> names = LongNames(command);
  const std::string wanted = WithoutDashes(name);
  for (const ForeignName& foreign : kForeign) {
    if (wanted == foreign.theirs &&
        std::find(names.begin(), names.end(), foreign.ours) != names.end()) {
      return foreign.ours;
    }
  }
  return MostLike(name, names);
}

std::string SuggestedCommand(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_name().empty()) names.push_back(command->get_name());
  }
  return MostLike(name, names);
}

std::string DidYouMean(const std::string& suggestion) {
  return suggestion.empty() ? "" : "; did you mean " + suggestion + "?";
}

std::string UnknownArgument(const CLI::App& app) {
  const auto unknown = app.remaining(true);
  if (unknown.empty()) return "";
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands()[0];
  const auto option = std::find_if(unknown.begin(), unknown.end(), [](const std::string& argument) {
    return argument.size() > 1 && argument[0] == '-';
  });
  const bool expects_command =
      !command->get_subcommands([](const CLI::App* c) { return !c->get_name().empty(); }).empty();
  if (expects_command && unknown.front()[0] != '-') {
    return "no command \"" + unknown.front() + "\"" +
           DidYouMean(SuggestedCommand(*command, unknown.front()));
  }
  if (option != unknown.end()) {
    const std::string name = option->substr(0, option->find('='));
    const std::string owner = OwnerOf(name, *command);
    if (!owner.empty()) return name + " goes after the command, as in " + owner + " " + name;
    return "no option " + name + DidYouMean(SuggestedOption(*command, name));
  }
  return "\"" + unknown.front() + "\" is one argument too many";
}

}  // namespace sda
