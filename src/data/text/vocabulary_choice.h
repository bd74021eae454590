#ifndef SDA_DATA_TEXT_VOCABULARY_CHOICE_H_
#define SDA_DATA_TEXT_VOCABULARY_CHOICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "data/text/word_table.h"
#include "sda/corpus.h"

namespace sda {

// The words to use, in alphabetical order (of their bytes). document_frequency[i] is that of word i
// of the table, 0 for words that must not be chosen, out of so many documents. Throws InputError if
// no word is left.
std::vector<std::string> ChooseVocabulary(const WordTable& words,
                                          const std::vector<uint64_t>& document_frequency,
                                          uint64_t documents, const CorpusOptions& options);

}  // namespace sda

#endif  // SDA_DATA_TEXT_VOCABULARY_CHOICE_H_
