#include "data/text/unicode_words.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <string>

#include "sda/errors.h"

namespace sda {
namespace {

void Check(UErrorCode status, const char* what) {
  if (U_FAILURE(status)) {
    throw IoError(std::string("ICU: ") + what + ": " + u_errorName(status));
  }
}

// Scripts in which one or two characters are a word.
bool IsDense(UChar32 code_point) {
  UErrorCode status = U_ZERO_ERROR;
  switch (uscript_getScript(code_point, &status)) {
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_HANGUL:
      return true;
    default:
      return false;
  }
}

template <class Predicate>
bool AnyCodePoint(const char16_t* text, int32_t begin, int32_t end, Predicate predicate) {
  for (int32_t at = begin; at < end;) {
    UChar32 code_point = 0;
    U16_NEXT(text, at, end, code_point);
    if (predicate(code_point)) return true;
  }
  return false;
}

}  // namespace

UnicodeWords::UnicodeWords() {
  UErrorCode status = U_ZERO_ERROR;
  boundaries_ = ubrk_open(UBRK_WORD, "", nullptr, 0, &status);
  Check(status, "no word boundaries");
  folding_ = unorm2_getNFKCCasefoldInstance(&status);
  Check(status, "no case folding");
}

UnicodeWords::~UnicodeWords() { ubrk_close(boundaries_); }

void UnicodeWords::SetText(std::string_view text) {
  text_.resize(text.size());  // never fewer bytes than code units
  int32_t size = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strFromUTF8(text_.data(), static_cast<int32_t>(text_.size()), &size, text.data(),
                static_cast<int32_t>(text.size()), &status);
  if (status == U_STRING_NOT_TERMINATED_WARNING) status = U_ZERO_ERROR;
  Check(status, "not UTF-8");
  text_.resize(size);
  ubrk_setText(boundaries_, text_.data(), size, &status);
  Check(status, "cannot find words");
}

void UnicodeWords::Split(std::string_view text, size_t minimum_length,
                         const std::function<void(std::string_view)>& keep) {
  SetText(text);
  int32_t begin = ubrk_first(boundaries_);
  for (int32_t end = ubrk_next(boundaries_); end != UBRK_DONE; end = ubrk_next(boundaries_)) {
    const std::string_view word = Fold(begin, end, minimum_length);
    if (!word.empty()) keep(word);
    begin = end;
  }
}

std::string_view UnicodeWords::Fold(int32_t begin, int32_t end, size_t minimum_length) {
  if (!AnyCodePoint(text_.data(), begin, end, [](UChar32 c) { return u_isalpha(c); })) return {};

  UErrorCode status = U_ZERO_ERROR;
  folded_.resize(size_t{4} * static_cast<size_t>(end - begin));
  int32_t size = unorm2_normalize(folding_, text_.data() + begin, end - begin, folded_.data(),
                                  static_cast<int32_t>(folded_.size()), &status);
  if (status == U_BUFFER_OVERFLOW_ERROR) {
    status = U_ZERO_ERROR;
    folded_.resize(size);
    size = unorm2_normalize(folding_, text_.data() + begin, end - begin, folded_.data(), size,
                            &status);
  }
  Check(status, "cannot fold a word");
  folded_.resize(size);
  std::replace(folded_.begin(), folded_.end(), u'\u2019', u'\'');
  folded_.resize(folded_.find_last_not_of(u"_@") + 1);
  folded_.erase(0, folded_.find_first_not_of(u"_@"));

  size = static_cast<int32_t>(folded_.size());
  if (static_cast<size_t>(u_countChar32(folded_.data(), size)) < minimum_length &&
      !AnyCodePoint(folded_.data(), 0, size, IsDense)) {
    return {};
  }
  constexpr int kUtf8PerUnit = 3;
  word_.resize(kUtf8PerUnit * folded_.size());
  int32_t bytes = 0;
  u_strToUTF8(word_.data(), static_cast<int32_t>(word_.size()), &bytes, folded_.data(), size,
              &status);
  return std::string_view(word_).substr(0, bytes);
}

bool UnicodeWords::IsOneSegment(std::string_view text) {
  SetText(text);
  ubrk_first(boundaries_);
  return ubrk_next(boundaries_) == static_cast<int32_t>(text_.size());
}

}  // namespace sda
