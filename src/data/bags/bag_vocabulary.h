#ifndef SDA_DATA_BAGS_BAG_VOCABULARY_H_
#define SDA_DATA_BAGS_BAG_VOCABULARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "data/document_reader.h"
#include "sda/corpus.h"

namespace sda {

// The vocabulary of bags of words. It is what the options give; else what the files bring with them
// or their headers promise, which must agree.
class BagVocabulary {
 public:
  explicit BagVocabulary(const CorpusOptions& options);

  // 0: not known yet.
  uint64_t size() const { return size_; }
  // Empty: words are named by their ids.
  const std::vector<std::string>& names() const { return names_; }

  // What bounds the ids of a file.
  IdLimit LimitOf(const std::string& path);

  // Adopts the vocabulary of a file, or checks that it agrees. Returns our id for
  // each id of the file (kNone: we do not have the word); empty if they are the same.
  std::vector<uint32_t> Reconcile(const std::string& path, uint64_t header_words);

  // For files that do not give the size: it was found to be this.
  void SetSize(uint64_t size) { size_ = size; }

 private:
  // The names that come with a file; empty if none do.
  const std::vector<std::string>& NamesOf(const std::string& path);

  const uint64_t most_believed_;  // words, where nothing but the files says how many there are
  const std::string names_file_;  // one for all files; empty: each may have its own
  const bool given_;              // in words, by the options
  std::vector<std::string> names_;
  uint64_t size_ = 0;
  std::string from_;  // where names_ or size_ come from, for messages
  std::string read_path_;
  std::vector<std::string> read_names_;  // what is in read_path_
};

}  // namespace sda

#endif  // SDA_DATA_BAGS_BAG_VOCABULARY_H_
