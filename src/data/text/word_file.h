#ifndef SDA_DATA_TEXT_WORD_FILE_H_
#define SDA_DATA_TEXT_WORD_FILE_H_

#include <string>
#include <vector>

namespace sda {

// A word a line, the line number is the id (from 1). No line but the last may be blank.
std::vector<std::string> ReadWordFile(const std::string& path);

// vocab.NAME.txt beside docword.NAME.txt[.gz|.zst|.xz|.bz2], itself perhaps compressed; empty if
// there is none.
std::string VocabularyBeside(const std::string& docword_path);

}  // namespace sda

#endif  // SDA_DATA_TEXT_WORD_FILE_H_
