#include <fmt/format.h>
#include <simdjson.h>

#include <optional>

#include "base/utf8.h"
#include "data/document_reader.h"
#include "data/io/numbers.h"
#include "data/text/label_fields.h"

namespace sda {
namespace {

static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);

// A JSON object a line, the document in one of its fields. Blank lines are not documents.
class JsonLinesReader : public LineDocumentReader {
 public:
  JsonLinesReader(std::unique_ptr<LineReader> lines, const CorpusOptions& options)
      : LineDocumentReader(std::move(lines)),
        field_(options.text_field),
        id_field_(options.id_field),
        time_(options.time_field) {}

  bool Read(Record* record) override {
    record->Clear();
    std::string_view line;
    do {
      if (!lines_->Next(&line)) return false;
    } while (NumberScanner(line).AtEnd());
    record->number = ++document_;
    const simdjson::dom::element object = Parse(line, record);
    record->text = TextOf(object);
    if (!id_field_.empty()) record->label.id = ValueOf(object, id_field_).value_or("");
    if (!time_.name().empty()) {
      const auto value = ValueOf(object, time_.name());
      time_.Set(*lines_, value, &record->label);
    }
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

  // A string, or any other value that is no list and no object, as text; nothing if it is not
  // there.
  static std::optional<std::string> ValueOf(simdjson::dom::element object,
                                            const std::string& field) {
    simdjson::dom::element value;
    const auto error = field.starts_with('/') ? object.at_pointer(field).get(value)
                                              : object.at_key(field).get(value);
    if (error || value.is_null() || value.is_array() || value.is_object()) return std::nullopt;
    std::string_view text;
    if (!value.get_string().get(text)) return std::string(text);
    return simdjson::minify(value);
  }

  const std::string field_;
  const std::string id_field_;
  TimeField time_;
  simdjson::dom::parser parser_;
  std::string repaired_;
};

}  // namespace

std::unique_ptr<DocumentReader> NewJsonLinesReader(std::unique_ptr<LineReader> lines,
                                                   const CorpusOptions& options) {
  return std::make_unique<JsonLinesReader>(std::move(lines), options);
}

}  // namespace sda
