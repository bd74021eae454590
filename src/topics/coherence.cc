#include "sda/coherence.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace sda {
namespace {

// The word ids with the largest parameters of each topic, of those it has had, in the order of
// SummarizeTopics().
std::vector<std::vector<uint64_t>> TopWords(const KeyedRows& posterior, size_t words) {
  using Ranked = std::pair<double, uint64_t>;
  const auto before = [](const Ranked& a, const Ranked& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  const auto prior = posterior.default_row();
  std::vector<std::vector<Ranked>> best(posterior.width());  // heaps, the last of them first
  for (size_t r = 0; r < posterior.rows(); ++r) {
    const auto row = posterior.row(r);
    for (size_t k = 0; k < row.size(); ++k) {
      const Ranked ranked(row[k], posterior.key(r));
      std::vector<Ranked>& heap = best[k];
      if (!(row[k] > prior[k]) || (heap.size() == words && !before(ranked, heap.front()))) continue;
      if (heap.size() == words) {
        std::pop_heap(heap.begin(), heap.end(), before);
        heap.pop_back();
      }
      heap.push_back(ranked);
      std::push_heap(heap.begin(), heap.end(), before);
    }
  }
  std::vector<std::vector<uint64_t>> top(best.size());
  for (size_t k = 0; k < best.size(); ++k) {
    for (const Ranked& ranked : best[k]) top[k].push_back(ranked.second);
    std::sort(top[k].begin(), top[k].end());
  }
  return top;
}

// Which documents of the sample have a word: a bit each.
using Bits = std::vector<uint64_t>;

std::unordered_map<uint64_t, Bits> BitsOf(const std::vector<std::vector<uint64_t>>& top,
                                          const DocumentSample& sample) {
  const size_t length = (sample.size() + 63) / 64;
  std::unordered_map<uint64_t, Bits> bits;
  for (const auto& words : top) {
    for (const uint64_t word : words) bits.try_emplace(word, length);
  }
  size_t d = 0;
  sample.ForEach([&](std::span<const uint32_t> words) {
    for (const uint32_t word : words) {
      const auto found = bits.find(word);
      if (found != bits.end()) found->second[d / 64] |= uint64_t{1} << (d % 64);
    }
    ++d;
  });
  return bits;
}

double CountBoth(const Bits& a, const Bits& b) {
  uint64_t both = 0;
  for (size_t i = 0; i < a.size(); ++i) both += std::popcount(a[i] & b[i]);
  return static_cast<double>(both);
}

// Of the counts of documents with the one, the other and both.
double Npmi(double a, double b, double both, double documents) {
  if (both == 0) return -1;
  if (both == documents) return 1;
  return std::log(both * documents / (a * b)) / -std::log(both / documents);
}

}  // namespace

TopicCoherence MeasureCoherence(const KeyedRows& posterior, const DocumentSample& sample,
                                size_t words) {
  TopicCoherence coherence{.words = words, .documents = sample.size(), .npmi = {}};
  const std::vector<std::vector<uint64_t>> top = TopWords(posterior, words);
  const std::unordered_map<uint64_t, Bits> bits = BitsOf(top, sample);
  const auto documents = static_cast<double>(sample.size());
  for (const auto& of_topic : top) {
    double sum = 0;
    size_t pairs = 0;
    for (size_t j = 1; j < of_topic.size(); ++j) {
      const Bits& b = bits.at(of_topic[j]);
      const double count = CountBoth(b, b);
      for (size_t i = 0; i < j && count > 0; ++i) {
        const Bits& a = bits.at(of_topic[i]);
        const double other = CountBoth(a, a);
        if (other == 0) continue;
        sum += Npmi(other, count, CountBoth(a, b), documents);
        ++pairs;
      }
    }
    coherence.npmi.push_back(pairs > 0 ? sum / static_cast<double>(pairs)
                                       : std::numeric_limits<double>::quiet_NaN());
  }
  return coherence;
}

}  // namespace sda
