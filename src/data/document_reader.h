#ifndef SDA_DATA_DOCUMENT_READER_H_
#define SDA_DATA_DOCUMENT_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/io/line_reader.h"
#include "data/io/numbers.h"
#include "sda/corpus.h"

namespace sda {

// What a document is called and when it was written, where its reader looks for that.
struct DocumentLabel {
  std::string id;          // empty: it has none
  int64_t time = kNoTime;  // in milliseconds since 1970
  std::string time_fault;  // of the first documents without a time: what was found, and where

  void Clear() {
    id.clear();
    time = kNoTime;
    time_fault.clear();
  }
};

// One document as its file has it.
struct Record {
  uint64_t number = 0;           // in its file, from 1; may skip documents without words
  std::vector<uint32_t> words;   // bag of words: ids from 0, in any order, perhaps repeated
  std::vector<uint32_t> counts;  //   at least 1
  std::string_view text;         // text formats: valid UTF-8, until the next document is read
  uint64_t replaced = 0;         //   invalid sequences of bytes that U+FFFD stands for in it
  uint64_t unknown = 0;          // tokens that are not in the vocabulary
  DocumentLabel label;

  void Clear() {
    words.clear();
    counts.clear();
    text = {};
    replaced = 0;
    unknown = 0;
    label.Clear();
  }
  void Add(uint64_t word, uint64_t count) {
    if (count == 0) return;
    words.push_back(static_cast<uint32_t>(word));
    counts.push_back(static_cast<uint32_t>(count));
  }
};

// The ids of words are below this.
struct IdLimit {
  uint64_t words = 0;
  // Not empty: no list says how many words there are, so that the file is believed up to here. What
  // to do if there are more, for messages.
  const char* advice = "";

  // What a header may say.
  uint64_t header_words() const { return *advice == '\0' ? kMaxWords : words; }
};

// Between which two documents of its file a reader stands.
struct ReaderPosition {
  uint64_t offset = 0;    // of the first unread line, in decompressed bytes
  uint64_t line = 0;      // lines before it
  uint64_t document = 0;  // number of the last document read
  uint64_t entries = 0;   // lines of entries read, where the header promises how many there are
};

// The documents of one file. Everything is checked: a file that is not as it should be is an
// InputError, never a shorter or a different corpus.
class DocumentReader {
 public:
  explicit DocumentReader(std::unique_ptr<LineReader> lines) : lines_(std::move(lines)) {}
  virtual ~DocumentReader() = default;

  // Overwrites *record with the next document. False at the end of the file, or when the stream was
  // stopped: a document truncated by that is left out.
  virtual bool Read(Record* record) = 0;

  virtual ReaderPosition position() const = 0;
  // Goes to a position that the reader of the same file had, or one of a later document.
  virtual void Seek(const ReaderPosition& position) = 0;

  // Words and documents that the header promises; 0: there is no header.
  virtual uint64_t header_words() const { return 0; }
  virtual uint64_t header_documents() const { return 0; }

  const LineReader& lines() const { return *lines_; }
  // For documents of one line each: waits until Read() need not wait; false if that takes longer.
  bool WaitForLine(std::chrono::steady_clock::time_point until) {
    return lines_->WaitForLine(until);
  }

 protected:
  std::unique_ptr<LineReader> lines_;
};

// A reader of a format with one document a line.
class LineDocumentReader : public DocumentReader {
 public:
  using DocumentReader::DocumentReader;
  ReaderPosition position() const override {
    return {lines_->offset(), lines_->line(), document_, 0};
  }
  void Seek(const ReaderPosition& position) override {
    lines_->SkipTo(position.offset, position.line);
    document_ = position.document;
  }

 protected:
  uint64_t document_ = 0;
};

// A reader of that format (not kAuto, and not kFiles, which has no lines). Of options: which fields
// hold what.
std::unique_ptr<DocumentReader> NewDocumentReader(CorpusFormat format,
                                                  std::unique_ptr<LineReader> lines, IdLimit ids,
                                                  const CorpusOptions& options);

// Each makes a reader of one format.
std::unique_ptr<DocumentReader> NewUciReader(std::unique_ptr<LineReader> lines, IdLimit ids);
std::unique_ptr<DocumentReader> NewMatrixMarketReader(std::unique_ptr<LineReader> lines,
                                                      IdLimit ids);
std::unique_ptr<DocumentReader> NewLdacReader(std::unique_ptr<LineReader> lines, IdLimit ids);
std::unique_ptr<DocumentReader> NewSvmlightReader(std::unique_ptr<LineReader> lines, IdLimit ids);
std::unique_ptr<DocumentReader> NewTextReader(std::unique_ptr<LineReader> lines);
std::unique_ptr<DocumentReader> NewJsonLinesReader(std::unique_ptr<LineReader> lines,
                                                   const CorpusOptions& options);
std::unique_ptr<DocumentReader> NewCsvTextReader(std::unique_ptr<LineReader> lines,
                                                 const CorpusOptions& options);
// A document for each file in a folder and below it, in the order of their names, which are their
// ids. Those whose names begin with a dot are left out, and so is what is in such folders.
std::unique_ptr<DocumentReader> NewFilesReader(const std::string& folder, const Context& context);

}  // namespace sda

#endif  // SDA_DATA_DOCUMENT_READER_H_
