#ifndef SDA_BENCH_DOCWORD_H_
#define SDA_BENCH_DOCWORD_H_

#include <zlib.h>

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "sda/documents.h"

namespace sda::bench {

// A small reader for benchmarks and tests of the topic model: trusts its input.
struct Corpus {
  uint64_t vocabulary = 0;
  std::vector<Documents> minibatches;
  Documents held_out;
  uint64_t train_documents = 0;
};

inline void Append(const Documents& from, Documents* to) {
  to->words.insert(to->words.end(), from.words.begin(), from.words.end());
  to->counts.insert(to->counts.end(), from.counts.begin(), from.counts.end());
  to->numbers.push_back(from.numbers[0]);
  to->offsets.push_back(to->words.size());
}

// Reads a UCI docword file, plain or gzip, and a file of held-out document numbers (may be empty).
inline Corpus ReadCorpus(const std::string& docword, const std::string& test_ids,
                         size_t minibatch) {
  std::unordered_set<uint64_t> held_out;
  std::ifstream ids(test_ids);
  for (uint64_t id; ids >> id;) held_out.insert(id);

  gzFile file = gzopen(docword.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("cannot open " + docword);
  gzbuffer(file, 1 << 20);
  std::string text;
  std::vector<char> buffer(1 << 20);
  for (int n; (n = gzread(file, buffer.data(), buffer.size())) > 0;) text.append(buffer.data(), n);
  gzclose(file);

  const char* at = text.c_str();
  const char* const end = at + text.size();
  auto number = [&] {
    while (at < end && (*at < '0' || *at > '9')) ++at;
    uint64_t value = 0;
    while (at < end && *at >= '0' && *at <= '9') value = value * 10 + (*at++ - '0');
    return value;
  };
  Corpus corpus;
  number();
  corpus.vocabulary = number();
  const uint64_t entries = number();
  Documents document;
  auto finish = [&] {
    if (document.words.empty()) return;
    if (held_out.contains(document.numbers[0])) {
      Append(document, &corpus.held_out);
    } else {
      if (corpus.minibatches.empty() || corpus.minibatches.back().size() == minibatch) {
        corpus.minibatches.emplace_back();
      }
      Append(document, &corpus.minibatches.back());
      ++corpus.train_documents;
    }
    document = {};
  };
  for (uint64_t i = 0; i < entries; ++i) {
    const uint64_t id = number();
    if (document.numbers.empty() || document.numbers[0] != id) {
      finish();
      document.numbers = {id};
    }
    document.words.push_back(static_cast<uint32_t>(number() - 1));
    document.counts.push_back(static_cast<uint32_t>(number()));
  }
  finish();
  return corpus;
}

}  // namespace sda::bench

#endif  // SDA_BENCH_DOCWORD_H_
