#ifndef SDA_DATA_BAGS_TRIPLET_READER_H_
#define SDA_DATA_BAGS_TRIPLET_READER_H_

#include <memory>

#include "data/document_reader.h"

namespace sda {

// What a header of UCI docword or Matrix Market promises.
struct TripletHeader {
  uint64_t documents = 0;
  uint64_t words = 0;
  uint64_t entries = 0;
  const char* order_advice = "";  // ends the message about documents that are not in order
};

// Lines `document word count`, ids from 1, one document after the other: what follows the header in
// UCI docword and in Matrix Market files. `lines` is positioned after the header.
std::unique_ptr<DocumentReader> NewTripletReader(std::unique_ptr<LineReader> lines,
                                                 const TripletHeader& header, IdLimit ids);

}  // namespace sda

#endif  // SDA_DATA_BAGS_TRIPLET_READER_H_
