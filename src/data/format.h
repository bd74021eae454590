#ifndef SDA_DATA_FORMAT_H_
#define SDA_DATA_FORMAT_H_

#include <string>
#include <string_view>

#include "data/io/line_reader.h"
#include "sda/corpus.h"

namespace sda {

// Detects the format of a file from its first lines; the name decides only between LDA-C and
// svmlight if both are possible, and between text and CSV. What is not JSON is CSV if the text is
// said to be in a column. Throws InputError if nothing fits.
CorpusFormat DetectFormat(LineReader* lines, const std::string& text_column = "");

// Whether a text of which these are the first two lines is CSV, as far as one can tell: the first
// is names, each a single word, and the second has as many fields or more.
bool LooksLikeCsv(std::string_view first, std::string_view second);

inline bool IsText(CorpusFormat format) {
  return format == CorpusFormat::kText || format == CorpusFormat::kJsonLines ||
         format == CorpusFormat::kCsv || format == CorpusFormat::kFiles;
}

// Whether a document has fields, which may hold its id and its time.
inline bool HasFields(CorpusFormat format) {
  return format == CorpusFormat::kJsonLines || format == CorpusFormat::kCsv;
}

}  // namespace sda

#endif  // SDA_DATA_FORMAT_H_
