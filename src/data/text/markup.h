#ifndef SDA_DATA_TEXT_MARKUP_H_
#define SDA_DATA_TEXT_MARKUP_H_

#include <string>
#include <string_view>

namespace sda {

// What may be in a text without being part of what it says.
struct Markup {
  bool html = false;    // tags, comments, scripts and styles; entities become characters
  bool urls = false;    // http://..., https://..., ftp://..., www....
  bool emails = false;  // name@example.org

  bool any() const { return html || urls || emails; }

  // Of html, urls and emails, with commas between. Throws UsageError.
  static Markup FromNames(const std::string& names);
  std::string Names() const;
};

// The text with a blank in place of what is chosen. *buffer holds it, if it is not the text itself.
std::string_view Strip(std::string_view text, const Markup& chosen, std::string* buffer);

// What a text has.
Markup MarkupIn(std::string_view text);

}  // namespace sda

#endif  // SDA_DATA_TEXT_MARKUP_H_
