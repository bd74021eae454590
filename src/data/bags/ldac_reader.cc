#include <fmt/format.h>

#include "data/document_reader.h"
#include "data/io/numbers.h"

namespace sda {
namespace {

// LDA-C: a document a line, `N word:count word:count ...` with N pairs, ids from 0.
class LdacReader : public LineDocumentReader {
 public:
  LdacReader(std::unique_ptr<LineReader> lines, IdLimit ids)
      : LineDocumentReader(std::move(lines)), ids_(ids) {}

  bool Read(Record* record) override {
    record->Clear();
    std::string_view line;
    do {
      if (!lines_->Next(&line)) return false;
    } while (NumberScanner(line).AtEnd());
    record->number = ++document_;

    NumberScanner scanner(line);
    const uint64_t promised = ExpectNumber(*lines_, &scanner, "the number of distinct words");
    uint64_t pairs = 0;
    for (; !scanner.AtEnd(); ++pairs) ReadPair(&scanner, record);
    if (pairs != promised) {
      lines_->Fail(fmt::format("{} pairs word:count, expected the {} that the line promises", pairs,
                               promised));
    }
    return true;
  }

 private:
  void ReadPair(NumberScanner* scanner, Record* record) {
    const NumberScanner pair = *scanner;
    const uint64_t word = ExpectNumber(*lines_, scanner, "a pair word:count");
    ExpectRange(*lines_, "word id", word, 0, ids_.words - 1, ids_.advice);
    if (!scanner->Take(':')) {
      lines_->Fail(fmt::format("found {}, expected a pair word:count", Quoted(pair.word())));
    }
    record->Add(word, ExpectCount(*lines_, scanner));
  }

  const IdLimit ids_;
};

}  // namespace

std::unique_ptr<DocumentReader> NewLdacReader(std::unique_ptr<LineReader> lines, IdLimit ids) {
  return std::make_unique<LdacReader>(std::move(lines), ids);
}

}  // namespace sda
