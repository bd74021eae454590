#include "sda/documents.h"

#include <numeric>

namespace sda {
namespace {

template <class T>
std::vector<T> Part(const std::vector<T>& all, size_t first, size_t last) {
  if (all.empty()) return {};
  return std::vector<T>(all.begin() + first, all.begin() + last);
}

}  // namespace

Documents Slice(const Documents& documents, size_t first, size_t last) {
  const uint64_t begin = documents.offsets[first];
  const uint64_t end = documents.offsets[last];
  Documents part;
  part.offsets.assign(documents.offsets.begin() + first, documents.offsets.begin() + last + 1);
  for (uint64_t& offset : part.offsets) offset -= begin;
  part.words = Part(documents.words, begin, end);
  part.counts = Part(documents.counts, begin, end);
  part.numbers = Part(documents.numbers, first, last);
  part.ids = Part(documents.ids, first, last);
  part.times = Part(documents.times, first, last);
  return part;
}

uint64_t Tokens(const Documents& documents) {
  return std::accumulate(documents.counts.begin(), documents.counts.end(), uint64_t{0});
}

uint64_t Tokens(const Documents& documents, size_t d) {
  return std::accumulate(documents.counts.begin() + documents.offsets[d],
                         documents.counts.begin() + documents.offsets[d + 1], uint64_t{0});
}

Counts CountsOf(const Documents& documents) {
  return {.items = documents.size(), .tokens = Tokens(documents)};
}

}  // namespace sda
