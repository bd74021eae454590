#ifndef SDA_DOCUMENTS_H_
#define SDA_DOCUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sda/export.h"
#include "sda/source.h"

namespace SDA_EXPORT sda {

// Documents as bags of words, one after the other (compressed rows).
struct Documents {
  std::vector<uint64_t> offsets = {0};  // document d has the entries [offsets[d], offsets[d + 1])
  std::vector<uint32_t> words;          // ids from 0; distinct and ascending within a document
  std::vector<uint32_t> counts;         // at least 1
  std::vector<uint64_t> numbers;        // of each document in the stream, from 1

  // The documents' own ids, and when they were written, in milliseconds since 1970 (UTC).
  // Either one for each document, or empty where the source does not know them.
  std::vector<std::string> ids;
  std::vector<int64_t> times;

  size_t size() const { return offsets.size() - 1; }
};

// The documents [first, last), with all that is known of them.
Documents Slice(const Documents& documents, size_t first, size_t last);

// Adds up the tokens of all documents, or of document d.
uint64_t Tokens(const Documents& documents);
uint64_t Tokens(const Documents& documents, size_t d);

Counts CountsOf(const Documents& documents);

}  // namespace sda

#endif  // SDA_DOCUMENTS_H_
