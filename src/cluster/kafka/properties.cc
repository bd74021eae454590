#include "cluster/kafka/properties.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "base/settings_text.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

std::string Trimmed(const std::string& text) {
  constexpr char kBlanks[] = " \t\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

bool IsOurs(const std::string& property) {
  static const std::set<std::string> names = {
      "auto.offset.reset",  "enable.auto.commit",   "enable.auto.offset.store",
      "enable.idempotence", "enable.partition.eof", "group.id",
      "group.instance.id",  "isolation.level",      "partition.assignment.strategy",
      "transactional.id"};
  return names.count(property) > 0;
}

}  // namespace

Properties ClientProperties(const std::string& brokers, const std::string& properties_file) {
  Properties properties;
  if (!properties_file.empty()) {
    std::istringstream in(ReadSettingsText(properties_file));
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      line = Trimmed(line);
      if (line.empty() || line[0] == '#' || line[0] == '!') continue;
      const size_t equals = line.find('=');
      if (equals == std::string::npos) {
        throw InputError(fmt::format("{}:{}: expected NAME=VALUE", properties_file, number));
      }
      const std::string name = Trimmed(line.substr(0, equals));
      if (IsOurs(name)) {
        throw InputError(
            fmt::format("{}:{}: {} is set by sda itself, since counting each document once depends "
                        "on it; remove it",
                        properties_file, number, name));
      }
      properties[name] = Trimmed(line.substr(equals + 1));
    }
  }
  if (!brokers.empty()) properties["bootstrap.servers"] = brokers;
  return properties;
}

}  // namespace sda::cluster
