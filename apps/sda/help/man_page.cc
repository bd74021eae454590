#include "help/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "ui/command.h"

namespace sda {
namespace {

// Text that troff shows as it is: no requests, escapes or typographic hyphens.
std::string Plain(const std::string& text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    line_start = c == '\n';
    if (c == '\\') {
      out += "\\(rs";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '~') {
      out += "\\(ti";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '`') {
      out += "\\(ga";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Bold(const std::string& text) { return "\\fB" + Plain(text) + "\\fR"; }
std::string Italic(const std::string& text) { return "\\fI" + Plain(text) + "\\fR"; }

// Lines of help are broken for the terminal; here troff fills them.
std::string Filled(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return Plain(text);
}

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string PositionalText(const OptionEntry& option) {
  const std::string name = Italic(option.label) + (option.many ? " ..." : "");
  return option.required ? name : "[" + name + "]";
}

std::string Synopsis(const CommandEntry& command) {
  std::string text = Bold(command.Name());
  if (!command.commands.empty()) return text + " " + Italic("COMMAND") + " ...\n";
  for (const OptionEntry& option : command.options) {
    if (option.positional()) text += " " + PositionalText(option);
  }
  return text + " [" + Italic("OPTION") + " ...]\n";
}

std::string OptionText(const OptionEntry& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + Bold(name);
  if (option.positional()) names = Italic(option.label);
  if (!option.positional() && !option.flag()) names += " " + Italic(option.label);
  std::string help = Filled(option.help);
  if (!option.choices.empty()) {
    std::string list;
    for (const std::string& name : option.choices) list += (list.empty() ? "" : ", ") + name;
    help += fmt::format("{}One of {}.", help.empty() ? "" : ". ", Plain(list));
  }
  if (!option.usual.empty()) help += fmt::format(" (default {})", Plain(option.usual));
  return fmt::format(".TP\n{}\n{}\n", names, help.empty() ? "\\&" : help);
}

std::string Options(const CommandEntry& command) {
  std::string text;
  std::string group = "";
  for (const bool positional : {true, false}) {
    for (const OptionEntry& option : command.options) {
      if (option.positional() != positional) continue;
      const std::string heading = positional ? "Arguments" : option.group;
      if (heading != group) {
        text +=
            heading == "Options" || heading == "Arguments"
                ? fmt::format(".SH {}\n", Upper(heading))
                : fmt::format("{}.SS {}\n",
                              text.find(".SH OPTIONS") == std::string::npos ? ".SH OPTIONS\n" : "",
                              Plain(heading));
      }
      group = heading;
      text += OptionText(option);
    }
  }
  return text;
}

std::string Commands(const CommandEntry& command, const std::vector<CommandEntry>& table) {
  if (command.commands.empty()) return "";
  std::string text = ".SH COMMANDS\n";
  for (const std::string& name : command.commands) {
    std::vector<std::string> path = command.path;
    path.push_back(name);
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const CommandEntry& e) { return e.path == path; });
    text += fmt::format(".TP\n{}\n{}; see {}(1)\n", Bold(name), Filled(found->summary),
                        Bold(found->Name("-")));
  }
  return text;
}

// As it is printed, line by line.
std::string Footer(const CommandEntry& command) {
  if (command.footer.empty()) return "";
  return fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", Plain(command.footer));
}

std::string SeeAlso(const CommandEntry& command, const std::vector<CommandEntry>& table) {
  std::vector<std::string> pages;
  for (const CommandEntry& other : table) {
    const bool parent = !command.path.empty() && other.path.size() + 1 == command.path.size() &&
                        std::equal(other.path.begin(), other.path.end(), command.path.begin());
    const bool sibling = !command.path.empty() && other.path.size() == command.path.size() &&
                         other.path != command.path &&
                         std::equal(other.path.begin(), other.path.end() - 1, command.path.begin());
    if (parent || sibling) pages.push_back(Bold(other.Name("-")) + "(1)");
  }
  if (pages.empty()) return "";
  std::string text = ".SH SEE ALSO\n";
  for (size_t i = 0; i < pages.size(); ++i)
    text += pages[i] + (i + 1 < pages.size() ? ",\n" : "\n");
  return text;
}

constexpr const char* kStatusAndEnvironment = R"(.SH EXIT STATUS
.TP
0
Done, also after a stop by Ctrl\-C or SIGTERM.
.TP
1
Bad data, or a failure of the environment (disk, memory, network).
.TP
2
Bad usage: an unknown option, a value out of range, or options that conflict.
.SH ENVIRONMENT
.TP
.B NO_COLOR
If set to anything, output has no colours. They are only used on a terminal.
.TP
.B SDA_BROKERS
The Kafka brokers of
.B sda cluster
if no option names them.
.TP
.B SDA_KAFKA_PROPERTIES
File of properties for the Kafka client of
.BR "sda cluster" .
)";

}  // namespace

std::string ManPage(const CommandEntry& command, const std::vector<CommandEntry>& table) {
  const std::string name = command.Name("-");
  return fmt::format(".TH {} 1 \"\" \"sda {}\" \"sda manual\"\n", Plain(Upper(name)), SDA_VERSION) +
         fmt::format(".SH NAME\n{} \\- {}\n", Plain(name), Filled(command.summary)) +
         ".SH SYNOPSIS\n" + Synopsis(command) + Commands(command, table) + Options(command) +
         Footer(command) + kStatusAndEnvironment + SeeAlso(command, table);
}

void WriteManPages(const std::vector<CommandEntry>& table, const std::string& folder) {
  for (const CommandEntry& command : table) {
    const std::string path = folder + "/" + command.Name("-") + ".1";
    CheckWritable(path);
    WriteTextFile(path, ManPage(command, table));
  }
}

}  // namespace sda
