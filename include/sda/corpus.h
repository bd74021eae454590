#ifndef SDA_CORPUS_H_
#define SDA_CORPUS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/errors.h"
#include "sda/export.h"
#include "sda/source.h"

namespace SDA_EXPORT sda {

// What the files look like; docs/formats.md has an example of each.
enum class CorpusFormat { kAuto, kUci, kLdac, kMatrixMarket, kSvmlight, kJsonLines, kText };

// By the names of the command line: auto, uci, ldac, mm, svmlight, jsonl, text. Throws
// UsageError for any other.
CorpusFormat CorpusFormatFromName(std::string_view name);
const char* CorpusFormatName(CorpusFormat format);

struct CorpusOptions {
  // Files, read one after the other as one stream; "-" is standard input. Plain, gzip or zstd.
  std::vector<std::string> inputs;

  // kAuto: detected from the first lines of each file. All files must have the same format.
  CorpusFormat format = CorpusFormat::kAuto;

  // Documents in a minibatch; the last one may have fewer.
  uint64_t minibatch = 4096;
  // The same for the first minibatch; 0: as many as in the others.
  uint64_t first_minibatch = 0;

  // The id of the first minibatch. If it is not 0, the stream continues another, and its first
  // minibatch is like all others.
  uint64_t first_id = 0;

  // Numbers (from 1, over all files) of documents that are kept apart and never handed out.
  std::vector<uint64_t> held_out;

  // Words, a line each; the line number is the id. Empty: a docword.NAME.txt file takes the
  // vocab.NAME.txt beside it; else words are named by their ids, or chosen from the text.
  std::string vocabulary_file;

  // The vocabulary itself, in the order of the ids: that of a model, to read documents for it. A
  // file with a vocabulary of its own is translated word by word.
  std::vector<std::string> vocabulary;

  // LDA-C and svmlight without a vocabulary: how many words there are. 0: the files are read once
  // from end to end to find the number; standard input cannot be, and is refused.
  uint64_t vocabulary_size = 0;

  // JSON lines: the field with the text.
  std::string text_field = "text";

  // The rest is about text without a given vocabulary. It is chosen when the source is made, from
  // the first documents of the stream that are not held out; they are then handed out like all
  // others. Standard input is read up to there, too.
  uint64_t vocabulary_documents = 10'000;

  // Words not to choose: "english" (a built-in list), "none", or a file with a word a line.
  std::string stop_words = "english";

  // Shorter words are left out (Chinese, Japanese and Korean ones never). In code points.
  int minimum_word_length = 3;

  // A word must be in this number of documents. 0: in one of 200, at least 1 and at most 5.
  uint64_t minimum_document_frequency = 0;

  // A word may be in this share of the documents at most. Not applied to fewer than 20 documents.
  double maximum_document_share = 0.5;

  // Most words to choose; those in the most documents win.
  uint64_t maximum_vocabulary = 10'000;

  // The last input, text or JSON lines, never ends: a file is waited for to grow, a line that is
  // not whole to be completed. If it is renamed and another file takes its name, it is read to its
  // end and then the other one; if it is truncated, it is read from its start again. A minibatch
  // other than the first is then handed out this number of seconds after its first document,
  // however small it is: the minibatches depend on the clock.
  bool follow = false;
  double minibatch_seconds = 10;

  // A position of a minibatch, to begin there: needs the vocabulary (and of a file that is followed
  // the format, too), which are not found there. Resume() must still be called.
  std::string resume_from;

  // Throws UsageError naming the field and its value.
  void Validate() const;
};

// What was read so far.
struct CorpusCounts {
  uint64_t documents = 0;       // all of them: handed out, held out and skipped
  uint64_t held_out = 0;        // of them kept apart
  uint64_t skipped = 0;         // of them without a known word
  uint64_t tokens = 0;          // in the documents handed out
  uint64_t unknown_tokens = 0;  // words of texts that are neither in the vocabulary nor stop words
  uint64_t replaced_utf8 = 0;   // invalid sequences of bytes that were read as U+FFFD
  uint64_t bytes = 0;           // of the files as they are on disk
  uint64_t total_bytes = 0;     // 0: not known
};

// Documents of files or standard input as a stream of minibatches 0, 1, 2, ... of consecutive
// documents. Memory does not depend on the length of the stream. Bad input throws InputError,
// which names the file, the line, what was found and what was expected; a corpus in which no
// document has a known word is bad input, too.
class CorpusSource : public Source<Documents> {
 public:
  // Opens and checks the inputs, and settles the vocabulary. When the context is stopped, waiting
  // for more input ends as if the input had ended; what happens to a file that is followed is
  // logged there.
  explicit CorpusSource(CorpusOptions options, const Context& context = Context());
  ~CorpusSource() override;

  std::optional<Minibatch<Documents>> Next() override;

  // Continues exactly there: same documents, same ids, same counts; held_out() is empty again.
  // Standard input and pipes throw InputError, and so does a position that does not fit.
  void Resume(const std::string& position, const std::vector<uint64_t>& cut) override;

  CorpusFormat format() const;
  // Whether the stream ended early, since the context was stopped.
  bool stopped() const;

  // Never changes after construction. Words are named by their ids (as the files have them) where
  // no vocabulary is known.
  uint32_t vocabulary_size() const;
  std::vector<std::string> vocabulary() const;

  // The held-out documents met so far. Use it only while no thread is in Next().
  const Documents& held_out() const;

  // As of the minibatch handed out last. May be called from any thread.
  CorpusCounts counts() const;

 private:
  friend Documents ReadDocuments(CorpusOptions options, std::vector<uint64_t> numbers,
                                 const Context& context);
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The documents with these numbers (from 1, in any order), as CorpusSource would keep them apart: a
// pass over the files before the run. Numbers of documents without a known word are skipped; a
// number beyond the last document throws InputError, and so does standard input.
Documents ReadDocuments(CorpusOptions options, std::vector<uint64_t> numbers,
                        const Context& context = Context());

// The document numbers in a file, one a line, sorted. Throws InputError.
std::vector<uint64_t> ReadDocumentNumbers(const std::string& path);

}  // namespace sda

#endif  // SDA_CORPUS_H_
