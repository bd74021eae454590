#include "data/document_reader.h"

#include <stdexcept>

namespace sda {

std::unique_ptr<DocumentReader> NewDocumentReader(CorpusFormat format,
                                                  std::unique_ptr<LineReader> lines, IdLimit ids,
                                                  const CorpusOptions& options) {
  switch (format) {
    case CorpusFormat::kUci:
      return NewUciReader(std::move(lines), ids);
    case CorpusFormat::kMatrixMarket:
      return NewMatrixMarketReader(std::move(lines), ids);
    case CorpusFormat::kLdac:
      return NewLdacReader(std::move(lines), ids);
    case CorpusFormat::kSvmlight:
      return NewSvmlightReader(std::move(lines), ids);
    case CorpusFormat::kJsonLines:
      return NewJsonLinesReader(std::move(lines), options);
    case CorpusFormat::kText:
      return NewTextReader(std::move(lines));
    case CorpusFormat::kCsv:
      return NewCsvTextReader(std::move(lines), options);
    case CorpusFormat::kAuto:
    case CorpusFormat::kFiles:
      break;
  }
  throw std::logic_error("a format without a reader");
}

}  // namespace sda
