#include "data/tables/class_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "data/io/line_reader.h"

namespace sda {
namespace {

std::optional<double> NumberIn(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::string ClassName(std::string_view label) {
  const auto number = NumberIn(label);
  return number ? fmt::format("{}", *number == 0 ? 0 : *number) : std::string(label);
}

size_t ClassNumber(std::string_view label, Dictionary* classes) {
  const std::string name = ClassName(label);
  const auto& names = classes->names();
  if (names.size() == 2 && std::find(names.begin(), names.end(), name) == names.end()) return 2;
  return classes->NumberOf(name);
}

std::string ExpectedClasses(const Dictionary& classes) {
  return fmt::format("one of two classes, {} or {}", Quoted(classes.names()[0]),
                     Quoted(classes.names()[1]));
}

std::string PositiveClass(const std::vector<std::string>& classes) {
  if (classes.empty()) return "";
  if (classes.size() == 1) {
    const std::string& seen = classes[0];
    if (seen == "0" || seen == "-1") return "1";
    return seen == "false" ? "true" : seen;
  }
  const auto first = NumberIn(classes[0]);
  const auto second = NumberIn(classes[1]);
  if (first && second) return *first > *second ? classes[0] : classes[1];
  return std::max(classes[0], classes[1]);
}

std::optional<std::string> FaultInClasses(const std::vector<std::string>& classes) {
  if (classes.size() == 1 || (classes.size() == 2 && classes[0] != classes[1])) return std::nullopt;
  return fmt::format("the target has {} classes, must have one or two that differ", classes.size());
}

}  // namespace sda
