#include "base/utf8.h"
#include "data/document_reader.h"

namespace sda {
namespace {

// A document a line; a blank line is a document without words, so that line i is document i.
class TextReader : public LineDocumentReader {
 public:
  using LineDocumentReader::LineDocumentReader;

  bool Read(Record* record) override {
    record->Clear();
    if (!lines_->Next(&record->text)) return false;
    record->number = ++document_;
    if (record->text.find('\0') != std::string_view::npos) {
      lines_->Fail("found a NUL byte, expected text (UTF-8)");
    }
    if (!IsValidUtf8(record->text)) {
      record->replaced = ReplaceInvalidUtf8(record->text, &repaired_);
      record->text = repaired_;
    }
    return true;
  }

 private:
  std::string repaired_;
};

}  // namespace

std::unique_ptr<DocumentReader> NewTextReader(std::unique_ptr<LineReader> lines) {
  return std::make_unique<TextReader>(std::move(lines));
}

}  // namespace sda
