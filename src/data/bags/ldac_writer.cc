#include "data/bags/ldac_writer.h"

#include <fmt/format.h>

#include <iterator>

namespace sda {

std::string LdacLine(const Documents& documents, size_t d) {
  const uint64_t begin = documents.offsets[d], end = documents.offsets[d + 1];
  std::string line = std::to_string(end - begin);
  for (uint64_t i = begin; i < end; ++i) {
    fmt::format_to(std::back_inserter(line), " {}:{}", documents.words[i], documents.counts[i]);
  }
  return line;
}

}  // namespace sda
