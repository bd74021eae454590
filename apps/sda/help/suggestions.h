#ifndef SDA_APPS_HELP_SUGGESTIONS_H_
#define SDA_APPS_HELP_SUGGESTIONS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sda {

// The name most like this one: with a few letters changed, swapped, missing or too many, or one
// that it begins. Empty if none is like it.
std::string MostLike(const std::string& name, const std::vector<std::string>& names);

// The option of the command that somebody who wrote `name` (with or without dashes and value)
// may have meant: one that is like it, or does what an option of this name does in other programs.
// Empty: none.
std::string SuggestedOption(const CLI::App& command, const std::string& name);
std::string SuggestedCommand(const CLI::App& app, const std::string& name);

// "; did you mean --topics?", or nothing.
std::string DidYouMean(const std::string& suggestion);

// What to say of an argument that the parsed program does not know; empty if all are known.
std::string UnknownArgument(const CLI::App& app);

}  // namespace sda

#endif  // SDA_APPS_HELP_SUGGESTIONS_H_
