#include <fmt/format.h>

#include <charconv>

#include "data/document_reader.h"
#include "data/io/numbers.h"

namespace sda {
namespace {

bool IsReal(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

// svmlight: a document a line, `label word:count word:count ... # comment`, ids from 1. The label
// and a pair qid:N are ignored.
class SvmlightReader : public LineDocumentReader {
 public:
  SvmlightReader(std::unique_ptr<LineReader> lines, IdLimit ids)
      : LineDocumentReader(std::move(lines)), ids_(ids) {}

  bool Read(Record* record) override {
    record->Clear();
    std::string_view line;
    do {
      if (!lines_->Next(&line)) return false;
      line = line.substr(0, line.find('#'));
    } while (NumberScanner(line).AtEnd());
    record->number = ++document_;

    NumberScanner scanner(line);
    SkipLabel(&scanner);
    while (!scanner.AtEnd()) ReadPair(&scanner, record);
    return true;
  }

 private:
  void SkipLabel(NumberScanner* scanner) {
    scanner->SkipBlanks();
    const std::string_view label = scanner->word();
    if (!IsReal(label)) {
      lines_->Fail(fmt::format("found {}, expected a label, a number", Quoted(label)));
    }
    *scanner = NumberScanner(scanner->rest().substr(label.size()));
  }

  void ReadPair(NumberScanner* scanner, Record* record) {
    const std::string_view pair = scanner->word();
    if (pair.starts_with("qid:")) {
      *scanner = NumberScanner(scanner->rest().substr(pair.size()));
      return;
    }
    const uint64_t word = ExpectNumber(*lines_, scanner, "a pair word:count");
    if (word == 0) {
      lines_->Fail(
          "word id 0, but svmlight counts from 1: write the file so (in scikit-learn, "
          "zero_based=False)");
    }
    ExpectRange(*lines_, "word id", word, 1, ids_.words, ids_.advice);
    if (!scanner->Take(':')) {
      lines_->Fail(fmt::format("found {}, expected a pair word:count", Quoted(pair)));
    }
    record->Add(word - 1, ExpectCount(*lines_, scanner));
  }

  const IdLimit ids_;
};

}  // namespace

std::unique_ptr<DocumentReader> NewSvmlightReader(std::unique_ptr<LineReader> lines, IdLimit ids) {
  return std::make_unique<SvmlightReader>(std::move(lines), ids);
}

}  // namespace sda
