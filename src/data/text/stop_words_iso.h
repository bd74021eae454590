#ifndef SDA_DATA_TEXT_STOP_WORDS_ISO_H_
#define SDA_DATA_TEXT_STOP_WORDS_ISO_H_

#include <string_view>

namespace sda {

// The file of the stopwords-iso collection, as it was when the program was built; empty if it was
// not there then. See cmake/stop_words.cmake.
extern const std::string_view kStopWordsIso;

}  // namespace sda

#endif  // SDA_DATA_TEXT_STOP_WORDS_ISO_H_
