#ifndef SDA_DATA_TEXT_TEXT_DOCUMENTS_H_
#define SDA_DATA_TEXT_TEXT_DOCUMENTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/document_stream.h"
#include "data/text/vocabulary_choice.h"
#include "data/text/word_counter.h"
#include "sda/documents.h"

namespace sda {

// Texts of a stream as bags of words. If no vocabulary is given, the first documents are kept (as
// words, not as text) until it is chosen from them; they are the first to be handed out after that.
class TextDocuments {
 public:
  // Both must outlive this. options.held_out must be sorted.
  TextDocuments(const CorpusOptions& options, DocumentStream* stream);

  const std::vector<std::string>& vocabulary() const { return counter_.vocabulary(); }

  // As DocumentStream's.
  bool Read(Record* record);
  bool WaitForDocument(std::chrono::steady_clock::time_point until) {
    return replayed_ < kept_.size() || stream_.WaitForDocument(until);
  }
  StreamPosition position() const { return position_; }
  void Seek(const StreamPosition& position);

  // From now on only held-out documents are read in full; the others come without words.
  void PassOverOthers() { pass_over_others_ = true; }

 private:
  // What is kept of one of the first documents; its words are in first_.
  struct Kept {
    uint64_t number;
    uint64_t replaced;
    StreamPosition position;  // after it
  };

  bool IsHeldOut(uint64_t number) const;
  void LearnVocabulary();
  void Learn(Record* record);
  void Replay(Record* record);

  const CorpusOptions& options_;
  DocumentStream& stream_;
  WordCounter counter_;
  StreamPosition position_;
  bool pass_over_others_ = false;

  std::optional<VocabularyChoice> choice_;  // while the first documents are kept
  Documents first_;
  std::vector<Kept> kept_;
  size_t replayed_ = 0;
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_TEXT_DOCUMENTS_H_
