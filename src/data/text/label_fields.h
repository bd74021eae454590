#ifndef SDA_DATA_TEXT_LABEL_FIELDS_H_
#define SDA_DATA_TEXT_LABEL_FIELDS_H_

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "data/document_reader.h"
#include "data/text/document_time.h"

namespace sda {

// Makes times of what the fields of documents have. The first that is none is described.
class TimeField {
 public:
  explicit TimeField(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  // Nothing: the document does not have the field.
  void Set(const LineReader& lines, const std::optional<std::string_view>& text,
           DocumentLabel* label) {
    const auto time = text ? ParseTime(*text) : std::nullopt;
    label->time = time.value_or(kNoTime);
    if (time || std::exchange(told_, true)) return;
    label->time_fault = fmt::format(
        "{}:{}: found {} in \"{}\", expected a time such as 2026-01-31, 2026-01-31T12:30:00Z, "
        "seconds since 1970 or Sat, 31 Jan 2026 12:30:00 +0000",
        lines.input().name(), lines.line(), text ? Quoted(*text) : "nothing", name_);
  }

 private:
  const std::string name_;
  bool told_ = false;
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_LABEL_FIELDS_H_
