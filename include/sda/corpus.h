#ifndef SDA_CORPUS_H_
#define SDA_CORPUS_H_

#include <cstdint>
#include <functional>
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

// What the files look like; docs/formats.md has an example of each. kFiles is a folder, each of its
// files a text.
enum class CorpusFormat {
  kAuto,
  kUci,
  kLdac,
  kMatrixMarket,
  kSvmlight,
  kJsonLines,
  kText,
  kCsv,
  kFiles
};

// By the names of the command line: auto, uci, ldac, mm, svmlight, jsonl, text, csv (also tsv),
// files. Throws UsageError for any other.
CorpusFormat CorpusFormatFromName(std::string_view name);
const char* CorpusFormatName(CorpusFormat format);

// As CorpusOptions::minibatch: the whole stream, whatever its size, is one minibatch.
inline constexpr uint64_t kWholeStream = uint64_t{1} << 40;

struct CorpusOptions {
  // Files, read one after the other as one stream; "-" is standard input. Plain, gzip, zstd, xz or
  // bzip2. A folder stands for the files in it and below it, each of which is a document.
  std::vector<std::string> inputs;

  // kAuto: detected from the first lines of each file. All files must have the same format.
  CorpusFormat format = CorpusFormat::kAuto;

  // Documents in a minibatch; the last one may have fewer, and so have minibatches of very long
  // documents (kMaxMinibatchDraws).
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
  // CSV and TSV, whose first line names the columns: the one with the text. Empty: a file is CSV
  // only if its name or the format says so, and its text is in the column of the name text_field.
  std::string text_column;

  // JSON lines and CSV: the fields or columns with the id of a document and with the time when it
  // was written; they become Documents::ids and Documents::times. A JSON field whose name begins
  // with / is a JSON Pointer. Empty: none. The id of a file in a folder is its name; other
  // documents have neither.
  std::string id_field;
  std::string time_field;

  // Fill Documents::texts: the documents as they were written.
  bool keep_texts = false;
  // Hand out documents without a known word, too, with no words.
  bool keep_wordless = false;

  // Texts: what to take out before they are cut into words, of html, urls and emails, with commas
  // between. Empty: nothing.
  std::string strip;
  // The language whose endings are taken off words, as libstemmer calls it: english, de, ... Empty:
  // none.
  std::string stemmer;
  // Pairs of words that are often together are one word, with a blank in it: chosen with the
  // vocabulary, or given with it.
  bool phrases = false;

  // The rest is about text without a given vocabulary. It is chosen when the source is made, from
  // the first documents of the stream that are not held out; they are then handed out like all
  // others. Standard input is read up to there, too.
  uint64_t vocabulary_documents = 10'000;

  // Words not to choose: "english" (a built-in list), "none", a file with a word a line, or
  // languages by their ISO 639-1 codes, with commas between: "de" or "en,fr".
  std::string stop_words = "english";
  // The words themselves, in place of these: those of a model. Not set: stop_words says them.
  std::optional<std::vector<std::string>> stop_word_list;

  // Shorter words are left out (Chinese, Japanese and Korean ones never). In code points.
  int minimum_word_length = 3;

  // A word must be in this number of documents. 0: in one of 200, at least 1 and at most 5.
  uint64_t minimum_document_frequency = 0;

  // A word may be in this share of the documents at most. Not applied to fewer than 20 documents.
  double maximum_document_share = 0.5;

  // Most words to choose; those in the most documents win. And of bags of words without a list of
  // them, how many words the ids or the header may claim, if that is more than a million and more
  // than the files have bytes.
  uint64_t maximum_vocabulary = 10'000;

  // The last input, text or JSON lines, never ends: a file is waited for to grow, a line that is
  // not whole to be completed. If it is renamed and another file takes its name, it is read to its
  // end and then the other one; if it is truncated, it is read from its start again. A minibatch
  // other than the first is then handed out this number of seconds after its first document,
  // however small it is: the minibatches depend on the clock.
  bool follow = false;
  double minibatch_seconds = 10;

  // Texts: hand out every word that is no stop word, with its text (Documents::dictionary), instead
  // of those of a vocabulary alone. That is given or chosen as above, to begin with; words that are
  // in too many of the documents that it is chosen from are left out for ever: they are
  // frequent_words(), to be given again where the vocabulary is.
  bool grow = false;
  std::vector<std::string> frequent_words;

  // A position of a minibatch, to begin there: needs the vocabulary (and of a file that is followed
  // the format, too), which are not found there. Resume() must still be called.
  std::string resume_from;

  // Told the position of the start of a stream that is followed: when the file is opened, and
  // whenever more of its beginning is known. A run that has not learnt anything yet resumes from
  // there, whatever became of the file's name; it needs no vocabulary for that.
  std::function<void(const std::string& position)> on_start;

  // Called while a text stream that is followed has not yet brought the documents from which the
  // vocabulary is chosen, or the first minibatch, after provisional_seconds of waiting, and when
  // the stream is stopped before the vocabulary is chosen: with the words, so far, and these
  // documents. Not if only few came since the last call.
  std::function<void(const std::vector<std::string>& vocabulary, const Documents& documents)>
      on_first_documents;
  double provisional_seconds = 3;

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
  uint64_t without_id = 0;      // documents without the id_field
  uint64_t without_time = 0;    // documents whose time_field is not there, or no time
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

  // The words that texts are read without, as stop_words says. Empty for bags of words.
  std::vector<std::string> stop_words() const;

  // The words that are left out of a vocabulary that grows, since too many documents have them.
  std::vector<std::string> frequent_words() const;

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
