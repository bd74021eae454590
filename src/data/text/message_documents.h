#ifndef SDA_DATA_TEXT_MESSAGE_DOCUMENTS_H_
#define SDA_DATA_TEXT_MESSAGE_DOCUMENTS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/word_counter.h"
#include "sda/corpus.h"
#include "sda/documents.h"

namespace sda {

// Documents that come one by one, each as one message: a text, a JSON object with a text in one of
// its fields, or a line of LDA-C. They are read as CorpusSource reads files of these formats,
// except that a bad message is left out and is not an error.
class MessageDocuments {
 public:
  // Of options: format (kText, kJsonLines or kLdac), text_field, and what is about words; the
  // vocabulary (or vocabulary_file) for LDA-C.
  explicit MessageDocuments(CorpusOptions options);
  ~MessageDocuments();

  // Whether the words are settled. If not, they must be chosen before documents can be read.
  bool has_vocabulary() const { return !vocabulary_.empty(); }
  const std::vector<std::string>& vocabulary() const { return vocabulary_; }
  void SetVocabulary(std::vector<std::string> words, Repeats repeats = Repeats::kRefused);
  // Whether there is a document among them.
  bool AnyReadable(std::span<const std::string_view> messages);
  // Chooses the words from the first of these documents by the rules of the options. Throws
  // InputError if there is none to choose.
  void ChooseVocabulary(std::span<const std::string_view> messages);

  enum class Outcome { kAdded, kNoKnownWord, kBad };
  // Appends the document to *documents; the caller numbers it. *error says what is wrong with a bad
  // one.
  Outcome Add(std::string_view message, uint64_t number, Documents* documents, std::string* error);

 private:
  class Parser;
  const CorpusOptions options_;
  std::vector<std::string> vocabulary_;
  std::unique_ptr<WordCounter> counter_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_MESSAGE_DOCUMENTS_H_
