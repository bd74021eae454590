#ifndef SDA_TEXTS_H_
#define SDA_TEXTS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sda/context.h"
#include "sda/corpus.h"
#include "sda/documents.h"
#include "sda/export.h"

namespace SDA_EXPORT sda {

// Texts in memory as bags of words: the same words and counts as `sda fit` has of a file with these
// texts. Used by one thread at a time.
class Texts {
 public:
  // Of the options: how texts are cut into words, and how these are chosen. Throws UsageError, and
  // InputError if a word of the vocabulary comes twice.
  explicit Texts(CorpusOptions options, std::vector<std::string> vocabulary = {});
  ~Texts();
  Texts(Texts&&) noexcept;
  Texts& operator=(Texts&&) noexcept;

  // Chooses the words, from the first options.vocabulary_documents of these texts. Throws
  // InputError if none is left, and InterruptedError.
  void ChooseVocabulary(std::span<const std::string_view> texts,
                        const Context& context = Context());
  // Empty until they are chosen.
  const std::vector<std::string>& vocabulary() const;

  // Appends the document, which may have no known word and then has no entries. Text must be
  // UTF-8.
  void Add(std::string_view text, uint64_t number, Documents* documents);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sda

#endif  // SDA_TEXTS_H_
