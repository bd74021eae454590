#ifndef SDA_DATA_FORMAT_H_
#define SDA_DATA_FORMAT_H_

#include <string>
#include <string_view>

#include "data/io/line_reader.h"
#include "sda/corpus.h"

namespace sda {

// Detects the format of a file from its first lines; the name decides only between LDA-C and
// svmlight if both are possible. Throws InputError if nothing fits.
CorpusFormat DetectFormat(LineReader* lines);

inline bool IsText(CorpusFormat format) {
  return format == CorpusFormat::kText || format == CorpusFormat::kJsonLines;
}

}  // namespace sda

#endif  // SDA_DATA_FORMAT_H_
