#include "data/document_reader.h"

#include <stdexcept>

namespace sda {

std::unique_ptr<DocumentReader> NewDocumentReader(CorpusFormat format,
                                                  std::unique_ptr<LineReader> lines, uint64_t words,
                                                  const std::string& text_field) {
  switch (format) {
    case CorpusFormat::kUci:
      return NewUciReader(std::move(lines));
    case CorpusFormat::kMatrixMarket:
      return NewMatrixMarketReader(std::move(lines));
    case CorpusFormat::kLdac:
      return NewLdacReader(std::move(lines), words);
    case CorpusFormat::kSvmlight:
      return NewSvmlightReader(std::move(lines), words);
    case CorpusFormat::kJsonLines:
      return NewJsonLinesReader(std::move(lines), text_field);
    case CorpusFormat::kText:
      return NewTextReader(std::move(lines));
    case CorpusFormat::kAuto:
      break;
  }
  throw std::logic_error("a format without a reader");
}

}  // namespace sda
