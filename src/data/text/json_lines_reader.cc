#include <fmt/format.h>
#include <simdjson.h>

#include "base/utf8.h"
#include "data/document_reader.h"
#include "data/io/numbers.h"

namespace sda {
namespace {

static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);

// A JSON object a line, the document in one of its fields. Blank lines are not documents.
class JsonLinesReader : public LineDocumentReader {
 public:
  JsonLinesReader(std::unique_ptr<LineReader> lines, std::string field)
      : LineDocumentReader(std::move(lines)), field_(std::move(field)) {}

  bool Read(Record* record) override {
    record->Clear();
    std::string_view line;
    do {
      if (!lines_->Next(&line)) return false;
    } while (NumberScanner(line).AtEnd());
    record->number = ++document_;
    record->text = TextOf(Parse(line, record));
    return true;
  }

 private:
  simdjson::dom::element Parse(std::string_view line, Record* record) {
    constexpr bool kCopyFirst = false;  // the padding is there
    simdjson::dom::element object;
    auto error = parser_.parse(line.data(), line.size(), kCopyFirst).get(object);
    if (error == simdjson::UTF8_ERROR) {
      record->replaced = ReplaceInvalidUtf8(line, &repaired_);
      error = parser_.parse(repaired_).get(object);
    }
    if (error) {
      lines_->Fail(fmt::format("found {}, expected a JSON object: {}", Quoted(line),
                               simdjson::error_message(error)));
    }
    return object;
  }

  std::string_view TextOf(simdjson::dom::element line) const {
    simdjson::dom::object object;
    if (line.get_object().get(object)) {
      lines_->Fail(
          fmt::format("found JSON that is not an object, expected {{\"{}\": ...}}", field_));
    }
    simdjson::dom::element value;
    if (object.at_key(field_).get(value)) {
      lines_->Fail(
          fmt::format("an object without the field \"{}\", expected a text there", field_));
    }
    std::string_view text;
    if (value.get_string().get(text)) {
      lines_->Fail(fmt::format("field \"{}\" is not a string, expected a text", field_));
    }
    return text;
  }

  const std::string field_;
  simdjson::dom::parser parser_;
  std::string repaired_;
};

}  // namespace

std::unique_ptr<DocumentReader> NewJsonLinesReader(std::unique_ptr<LineReader> lines,
                                                   std::string text_field) {
  return std::make_unique<JsonLinesReader>(std::move(lines), std::move(text_field));
}

}  // namespace sda
