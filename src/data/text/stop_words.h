#ifndef SDA_DATA_TEXT_STOP_WORDS_H_
#define SDA_DATA_TEXT_STOP_WORDS_H_

#include <string>
#include <vector>

namespace sda {

// "english": a list of our own; "none": nothing; languages by their ISO 639-1 codes, with commas
// between: those of the stopwords-iso collection; else the words of that file. Throws UsageError.
std::vector<std::string> StopWords(const std::string& choice);

// Whether these are languages and not a file.
bool AreLanguages(const std::string& choice);

// The codes of the languages that there are lists for. Empty: the program was built without them.
std::vector<std::string> StopWordLanguages();

}  // namespace sda

#endif  // SDA_DATA_TEXT_STOP_WORDS_H_
