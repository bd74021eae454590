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

// The end of the JSON number that begins at text[at]; `at` if none does.
size_t EndOfNumber(std::string_view text, size_t at) {
  const auto is = [&](size_t i, std::string_view characters) {
    return i < text.size() && characters.find(text[i]) != std::string_view::npos;
  };
  constexpr std::string_view kDigits = "0123456789";
  const auto digits = [&](size_t i) {
    while (is(i, kDigits)) ++i;
    return i;
  };
  const size_t first = at + is(at, "-");
  size_t end = is(first, "0") ? first + 1 : digits(first);
  if (end == first) return at;
  if (is(end, ".") && is(end + 1, kDigits)) end = digits(end + 1);
  if (is(end, "eE")) {
    const size_t exponent = end + 1 + is(end + 1, "+-");
    if (is(exponent, kDigits)) end = digits(exponent);
  }
  return end;
}

// The line with its numbers as strings: JSON's may have any size, the parser's may not.
void QuoteNumbers(std::string_view line, std::string* out) {
  out->clear();
  bool in_string = false;
  for (size_t i = 0; i < line.size();) {
    const size_t end = in_string ? i : EndOfNumber(line, i);
    if (end > i) {
      out->append("\"").append(line.substr(i, end - i)).append("\"");
      i = end;
      continue;
    }
    if (line[i] == '"') in_string = !in_string;
    const size_t length = in_string && line[i] == '\\' ? 2 : 1;  // an escaped character
    out->append(line.substr(i, length));
    i += length;
  }
}

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
      line = repaired_;
      error = parser_.parse(repaired_).get(object);
    }
    if (error == simdjson::NUMBER_ERROR) {
      QuoteNumbers(line, &quoted_);
      error = parser_.parse(quoted_).get(object);
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
  std::string quoted_;
};

}  // namespace

std::unique_ptr<DocumentReader> NewJsonLinesReader(std::unique_ptr<LineReader> lines,
                                                   const CorpusOptions& options) {
  return std::make_unique<JsonLinesReader>(std::move(lines), options);
}

}  // namespace sda
