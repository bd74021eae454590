#ifndef SDA_DATA_DOCUMENT_STREAM_H_
#define SDA_DATA_DOCUMENT_STREAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/bags/bag_vocabulary.h"
#include "data/document_reader.h"
#include "sda/corpus.h"

namespace sda {

// Between which two documents of the stream a reader stands.
struct StreamPosition {
  uint64_t input = 0;             // index of the file
  uint64_t documents_before = 0;  // in the files before it
  ReaderPosition reader;
  FileIdentity file;  // that is followed, also if its turn has not come
};

// The documents of all inputs, one file after the other, and the vocabulary of bags of words. All
// files are opened and checked at the start, so that the last of them does not fail after hours.
class DocumentStream {
 public:
  // The options must outlive the stream.
  DocumentStream(const CorpusOptions& options, const Context& context);

  // Overwrites *record with the next document, numbered over all inputs. False at the end.
  bool Read(Record* record);

  // Text and JSON lines: waits until Read() need not wait; false if that takes longer.
  bool WaitForDocument(std::chrono::steady_clock::time_point until) {
    return at_end_ || current_.reader->WaitForLine(until);
  }

  StreamPosition position() const;
  void Seek(const StreamPosition& position);

  // Seek() has found that the file was truncated since it was read.
  bool from_start() const { return from_start_; }

  CorpusFormat format() const { return format_; }
  const BagVocabulary& vocabulary() const { return vocabulary_; }
  // At the end of the stream: all documents, including those that have no words.
  uint64_t documents() const;
  bool stopped() const { return current_.reader->lines().stopped(); }
  uint64_t bytes() const { return bytes_before_ + current_.reader->lines().input().bytes_read(); }
  uint64_t total_bytes() const { return total_bytes_; }

  // The inputs, for messages.
  std::string name() const;

  // Throws InputError if an input can be read only once; `purpose` needs it twice.
  void ExpectFiles(const std::string& purpose) const;

 private:
  struct OpenInput {
    std::unique_ptr<DocumentReader> reader;
    std::vector<uint32_t> translation;  // of the ids of the file to ours; empty: the same
  };

  OpenInput Open(size_t input);
  OpenInput OpenReader(const std::string& path, std::unique_ptr<Input> input);
  OpenInput OpenFolder(const std::string& path);
  // The format of an input was detected.
  void UseFormat(CorpusFormat found, const LineReader& lines);
  // Holds the file of the last input open from the start on: another may have its name when its
  // turn comes. modified: as that of its identity.
  void HoldFollowed(const std::string& path, uint64_t modified = 0);
  // Only the last one is.
  bool IsFollowed(size_t input) const {
    return options_.follow && input + 1 == options_.inputs.size();
  }
  void CheckFiles();
  uint64_t FindLargestId();

  const CorpusOptions& options_;
  const Context context_;
  CorpusFormat format_;
  BagVocabulary vocabulary_;
  size_t input_ = 0;
  bool at_end_ = false;
  bool from_start_ = false;
  OpenInput current_;                // inputs[input_]
  std::unique_ptr<Input> followed_;  // the last input, until its turn comes
  uint64_t documents_before_ = 0;
  uint64_t bytes_before_ = 0;
  uint64_t total_bytes_ = 0;
};

}  // namespace sda

#endif  // SDA_DATA_DOCUMENT_STREAM_H_
