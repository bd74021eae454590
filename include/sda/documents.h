#ifndef SDA_DOCUMENTS_H_
#define SDA_DOCUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// Documents as bags of words, one after the other (compressed rows).
struct Documents {
  std::vector<uint64_t> offsets = {0};  // document d has the entries [offsets[d], offsets[d + 1])
  std::vector<uint32_t> words;          // ids from 0; distinct and ascending within a document
  std::vector<uint32_t> counts;         // at least 1
  std::vector<uint64_t> numbers;        // of each document in the stream, from 1
  uint64_t minibatch = 0;               // number of this minibatch in the stream, from 0

  size_t size() const { return offsets.size() - 1; }
};

}  // namespace sda

#endif  // SDA_DOCUMENTS_H_
