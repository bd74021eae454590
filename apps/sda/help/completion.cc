#include "help/completion.h"

#include <fmt/format.h>

#include <algorithm>

namespace sda {
namespace {

std::string Joined(const std::vector<std::string>& parts, const std::string& separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

std::string Replaced(const std::string& text, const std::string& special,
                     const std::string& before) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string::npos) out += before;
    out += c;
  }
  return out;
}

// In a shell's single quotes.
std::string Quote(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The first line of a help text, which a list of options has place for.
std::string Brief(const std::string& help) {
  constexpr size_t kMost = 70;
  std::string text = help;
  std::replace(text.begin(), text.end(), '\n', ' ');
  text = text.substr(0, text.find(". "));
  if (text.size() <= kMost) return text;
  const size_t space = text.rfind(' ', kMost);
  return text.substr(0, space == std::string::npos ? kMost : space) + " ...";
}

// A pattern of `case` that stands for any of these commands, one word after the other.
std::string AnyPath(const std::vector<CommandEntry>& table, const std::string& separator) {
  std::vector<std::string> patterns;
  for (const CommandEntry& command : table) {
    if (command.path.empty()) continue;
    const std::string path = Joined(command.path, " ");
    patterns.push_back(Quote(command.path.size() == 1 ? " " + path : path));
  }
  return Joined(patterns, separator);
}

std::string BashOptions(const CommandEntry& command) {
  std::string values;
  std::vector<std::string> nothing;  // options whose values cannot be completed
  std::vector<std::string> words = command.commands;
  for (const OptionEntry& option : command.options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
    if (option.positional() || option.flag() || option.is_file) continue;
    if (option.choices.empty()) {
      nothing.insert(nothing.end(), option.names.begin(), option.names.end());
    } else {
      values += fmt::format("        {}) values={} ;;\n", Joined(option.names, "|"),
                            Quote(Joined(option.choices, " ")));
    }
  }
  if (!nothing.empty()) values += fmt::format("        {}) return ;;\n", Joined(nothing, "|"));
  std::string text = fmt::format("    {})\n      words={}\n", Quote(Joined(command.path, " ")),
                                 Quote(Joined(words, " ")));
  if (!values.empty()) {
    text += fmt::format("      case \"$previous\" in\n{}      esac\n", values);
  }
  return text + "      ;;\n";
}

std::string ZshFunction(const CommandEntry& command) { return "_" + command.Name("_"); }

std::string ZshText(const std::string& help) { return Replaced(Brief(help), "[]:\\", "\\"); }

std::string ZshArgument(const OptionEntry& option) {
  const std::string value = option.choices.empty() ? (option.is_file ? "_files" : " ")
                                                   : "(" + Joined(option.choices, " ") + ")";
  if (option.positional()) {
    return fmt::format("    {}",
                       Quote(fmt::format("{}:{}:{}", option.many ? "*" : "", option.label, value)));
  }
  std::vector<std::string> lines;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    const std::string spec =
        fmt::format("{}{}[{}]{}", name,
                    option.flag() ? ""
                    : is_long     ? "="
                                  : "+",
                    ZshText(option.help),
                    option.flag() ? "" : ":" + Replaced(option.label, ":", "\\") + ":" + value);
    lines.push_back("    " + Quote(spec));
  }
  return Joined(lines, " \\\n");
}

std::string ZshCommand(const CommandEntry& command, const std::vector<CommandEntry>& table) {
  std::string text = ZshFunction(command) + "() {\n";
  if (command.commands.empty()) {
    text += "  _arguments -s";
    for (const OptionEntry& option : command.options) text += " \\\n" + ZshArgument(option);
    return text + "\n}\n\n";
  }
  text += "  local context state state_descr line\n  typeset -A opt_args\n  local -a commands=(\n";
  std::string cases;
  for (const CommandEntry& other : table) {
    if (other.path.size() != command.path.size() + 1 ||
        !std::equal(command.path.begin(), command.path.end(), other.path.begin())) {
      continue;
    }
    text += fmt::format("    {}\n",
                        Quote(Replaced(other.path.back() + ":" + Brief(other.summary), "", "")));
    cases += fmt::format("        {}) {} ;;\n", other.path.back(), ZshFunction(other));
  }
  text += "  )\n  _arguments -C";
  for (const OptionEntry& option : command.options) text += " \\\n" + ZshArgument(option);
  text +=
      " \\\n    '1: :->command' \\\n    '*:: :->arguments'\n"
      "  case $state in\n"
      "    command) _describe -t commands 'command' commands ;;\n"
      "    arguments)\n      case $line[1] in\n" +
      cases + "      esac ;;\n  esac\n}\n\n";
  return text;
}

std::string FishOption(const CommandEntry& command, const OptionEntry& option) {
  std::string text = fmt::format("complete -c sda -n {}",
                                 Quote(Joined({"__sda_at", Joined(command.path, " ")}, " ")));
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.flag()) {
    text += option.is_file ? " -r -F" : " -x";
    if (!option.choices.empty()) text += " -a " + Quote(Joined(option.choices, " "));
  }
  // Quotes are escaped in another way than in other shells.
  return text + " -d '" + Replaced(Brief(option.help), "'\\", "\\") + "'\n";
}

}  // namespace

std::string BashCompletion(const std::vector<CommandEntry>& table) {
  std::string cases;
  for (const CommandEntry& command : table) cases += BashOptions(command);
  return fmt::format(R"(# bash completion for sda. To use it now: source <(sda completion bash)
_sda() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command='' words='' values='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in
      {}) command="${{command:+$command }}${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$command" in
{}  esac
  if [[ -n $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
  elif [[ $word == -* || -z $command || $command == cluster ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  elif [[ $command == help* ]]; then
    mapfile -t COMPREPLY < <(compgen -W {} -- "$word")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -F _sda sda
)",
                     AnyPath(table, "|"), cases, Quote(Joined(table.front().commands, " ")));
}

std::string ZshCompletion(const std::vector<CommandEntry>& table) {
  std::string text =
      "#compdef sda\n# zsh completion for sda: a file _sda in a folder of $fpath, or\n"
      "# source <(sda completion zsh)\n\n";
  for (const CommandEntry& command : table) text += ZshCommand(command, table);
  return text +
         "if [[ ${funcstack[1]} == _sda ]]; then\n  _sda \"$@\"\nelse\n  compdef _sda sda\nfi\n";
}

std::string FishCompletion(const std::vector<CommandEntry>& table) {
  std::string text =
      fmt::format(R"(# fish completion for sda: ~/.config/fish/completions/sda.fish, or
# sda completion fish | source

# The commands on the line so far.
function __sda_command
    set -l words (commandline -opc)
    set -e words[1]
    set -l command ''
    for word in $words
        switch "$command $word"
            case {}
                set command (string trim -- "$command $word")
        end
    end
    echo $command
end

function __sda_at
    set -l command (__sda_command)
    test "$command" = "$argv"
end

)",
                  AnyPath(table, " "));
  for (const CommandEntry& command : table) {
    for (const CommandEntry& other : table) {
      if (other.path.size() != command.path.size() + 1 ||
          !std::equal(command.path.begin(), command.path.end(), other.path.begin())) {
        continue;
      }
      text += fmt::format("complete -c sda -n {} -f -a {} -d '{}'\n",
                          Quote(Joined({"__sda_at", Joined(command.path, " ")}, " ")),
                          other.path.back(), Replaced(Brief(other.summary), "'\\", "\\"));
    }
    for (const OptionEntry& option : command.options) {
      if (!option.positional()) text += FishOption(command, option);
    }
  }
  return text;
}

}  // namespace sda
