#ifndef SDA_DATA_TEXT_STOP_WORDS_H_
#define SDA_DATA_TEXT_STOP_WORDS_H_

#include <string>
#include <vector>

namespace sda {

// "english": the built-in list; "none": nothing; else the words of that file.
std::vector<std::string> StopWords(const std::string& choice);

}  // namespace sda

#endif  // SDA_DATA_TEXT_STOP_WORDS_H_
