#ifndef SDA_DATA_TEXT_TEXT_DOCUMENTS_H_
#define SDA_DATA_TEXT_TEXT_DOCUMENTS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/document_stream.h"
#include "data/text/first_texts.h"
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
  const std::vector<std::string>& stop_words() const { return counter_.stop_words(); }
  // Of the dictionary of the words read, if the vocabulary grows.
  WordCounter& counter() { return counter_; }
  const WordCounter& counter() const { return counter_; }

  // What the first documents have that is better taken out, as a sentence that names the option;
  // empty: nothing, or they were not looked at.
  std::string Advice() const;

  // As DocumentStream's.
  bool Read(Record* record);
  bool WaitForDocument(std::chrono::steady_clock::time_point until) {
    return (replays_ && replayed_ < kept_.size()) || stream_.WaitForDocument(until);
  }
  // Before the first minibatch, if options.on_first_documents is to be told of what comes: waits
  // for the next document, and calls `tell` if that takes long. Again only when a quarter more
  // documents have come than the last time.
  void WaitAndTell(uint64_t documents, const std::function<void()>& tell);
  // Likewise, if the stream is stopped. Then these documents are no minibatch.
  bool TellIfStopped(uint64_t documents, const std::function<void()>& tell);
  StreamPosition position() const { return position_; }
  void Seek(const StreamPosition& position);

  // From now on only held-out documents are read in full; the others come without words.
  void PassOverOthers() { pass_over_others_ = true; }

 private:
  bool Tells() const { return options_.follow && options_.on_first_documents != nullptr; }
  // What is kept of one of the first documents, beside its words.
  struct Kept {
    uint64_t number;
    uint64_t replaced;
    DocumentLabel label;
    std::string text;         // if texts are kept
    StreamPosition position;  // after it
  };

  bool IsHeldOut(uint64_t number) const;
  void LearnVocabulary();
  void UseChosen();
  void Learn(Record* record);
  // Tells options_.on_first_documents which of the first documents came.
  void TellFirst();
  void Notice(std::string_view text);
  void Replay(Record* record);

  const CorpusOptions& options_;
  DocumentStream& stream_;
  WordCounter counter_;
  StreamPosition position_;
  bool pass_over_others_ = false;
  uint64_t noticed_ = 0;                       // texts that were looked at
  std::string first_line_;                     // of a text with a document a line
  bool may_be_csv_ = false;                    // the same
  uint64_t html_ = 0, urls_ = 0, emails_ = 0;  // those of them that have it

  std::optional<FirstTexts> first_;  // while the first documents are kept
  std::vector<Kept> kept_;
  uint64_t told_ = 0;     // documents, options_.on_first_documents
  bool replays_ = false;  // the vocabulary is chosen
  size_t replayed_ = 0;
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_TEXT_DOCUMENTS_H_
