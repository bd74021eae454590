#ifndef SDA_DATA_CORPUS_POSITION_H_
#define SDA_DATA_CORPUS_POSITION_H_

#include <cstdint>
#include <string>

#include "data/document_stream.h"
#include "sda/corpus.h"

namespace sda {

// Everything that a corpus source needs to resume after a minibatch, as Minibatch::position.
struct CorpusPosition {
  StreamPosition stream;
  uint64_t next_minibatch = 0;
  CorpusCounts counts;  // less the bytes

  std::string ToString() const;
  // Throws InputError if the string is not what ToString() returns.
  static CorpusPosition FromString(const std::string& position);
};

// The position of the start of a corpus whose last input is followed and is this file.
std::string StartOfCorpus(FileIdentity followed, uint64_t first_minibatch);

}  // namespace sda

#endif  // SDA_DATA_CORPUS_POSITION_H_
