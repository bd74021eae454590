#include "service/request_host.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace sda {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string_view WithoutBlanks(std::string_view text) {
  constexpr char kBlanks[] = " \t\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Takes a line, without its end, off the front of the text.
std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end == text->npos ? text->size() : end + 1);
  return WithoutBlanks(line);
}

bool IsLocal(std::string_view host) {
  for (const std::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
    if (!host.starts_with(name)) continue;
    const std::string_view port = host.substr(name.size());
    if (port.empty()) return true;
    return port[0] == ':' && std::all_of(port.begin() + 1, port.end(),
                                         [](unsigned char c) { return std::isdigit(c) != 0; });
  }
  return false;
}

}  // namespace

RequestHost HostOf(std::string_view request) {
  const std::string_view first = TakeLine(&request);
  std::optional<std::string> host;
  while (!request.empty()) {
    const std::string_view line = TakeLine(&request);
    if (line.empty()) break;  // the end of the headers
    const size_t colon = line.find(':');
    if (colon == line.npos || Lower(WithoutBlanks(line.substr(0, colon))) != "host") continue;
    if (host) return RequestHost::kMissing;
    host = Lower(WithoutBlanks(line.substr(colon + 1)));
  }
  if (!host) return first.ends_with(" HTTP/1.0") ? RequestHost::kLocal : RequestHost::kMissing;
  return IsLocal(*host) ? RequestHost::kLocal : RequestHost::kOther;
}

}  // namespace sda
