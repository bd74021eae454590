#include "data/text/message_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "data/bags/append_record.h"
#include "data/document_reader.h"
#include "data/format.h"
#include "data/text/first_texts.h"
#include "data/text/word_counter.h"
#include "data/text/word_file.h"

namespace sda {
namespace {

constexpr char kName[] = "message";

// One message at a time, as a file of one line.
class MessageInput : public Input {
 public:
  void Set(std::string_view message) {
    line_.assign(message);
    for (char& c : line_) {
      if (c == '\n' || c == '\r') c = ' ';
    }
    line_ += '\n';
    read_ = 0;
  }

  size_t Read(std::span<char> buffer) override {
    const size_t size = std::min(buffer.size(), line_.size() - read_);
    std::memcpy(buffer.data(), line_.data() + read_, size);
    read_ += size;
    return size;
  }
  bool WaitForBytes(std::chrono::steady_clock::time_point) override { return true; }
  bool stopped() const override { return false; }
  const std::string& name() const override { return name_; }
  uint64_t bytes_read() const override { return 0; }
  uint64_t bytes_total() const override { return 0; }

 private:
  const std::string name_ = kName;
  std::string line_;
  size_t read_ = 0;
};

}  // namespace

class MessageDocuments::Parser {
 public:
  Parser(const CorpusOptions& options, uint64_t words) : text_(IsText(options.format)) {
    auto input = std::make_unique<MessageInput>();
    input_ = input.get();
    reader_ = NewDocumentReader(options.format, std::make_unique<LineReader>(std::move(input)),
                                IdLimit{words}, options);
  }

  // What is wrong with the message; empty if it is a document.
  std::string Read(std::string_view message) {
    // The reader would give up in the middle of it, and take the rest for the next message.
    if (message.size() >= LineReader::kMaxLineBytes) {
      return fmt::format("has {} bytes, expected fewer than {}", message.size(),
                         LineReader::kMaxLineBytes);
    }
    input_->Set(message);
    try {
      return reader_->Read(&record) ? "" : "is empty";
    } catch (const InputError& e) {
      const std::string_view what = e.what();  // message:17: what is wrong
      const size_t colon = what.find(": ");
      return std::string(colon == std::string_view::npos ? what : what.substr(colon + 2));
    }
  }

  bool text() const { return text_; }

  Record record;

 private:
  const bool text_;
  MessageInput* input_;
  std::unique_ptr<DocumentReader> reader_;
};

MessageDocuments::MessageDocuments(CorpusOptions options) : options_(std::move(options)) {
  if (options_.format != CorpusFormat::kText && options_.format != CorpusFormat::kJsonLines &&
      options_.format != CorpusFormat::kLdac) {
    throw UsageError(std::string("the format of a message is ") +
                     CorpusFormatName(options_.format) + ", must be text, jsonl or ldac");
  }
  counter_ = std::make_unique<WordCounter>(options_);
  parser_ = std::make_unique<Parser>(options_, 0);
  if (!options_.vocabulary.empty()) {
    SetVocabulary(options_.vocabulary);
  } else if (!options_.vocabulary_file.empty()) {
    SetVocabulary(ReadWordFile(options_.vocabulary_file));
  }
}

MessageDocuments::~MessageDocuments() = default;

void MessageDocuments::SetVocabulary(std::vector<std::string> words, Repeats repeats) {
  vocabulary_ = std::move(words);
  if (parser_->text()) {
    counter_->UseVocabulary(vocabulary_, "the vocabulary", repeats);
  } else {
    parser_ = std::make_unique<Parser>(options_, vocabulary_.size());
  }
}

bool MessageDocuments::AnyReadable(std::span<const std::string_view> messages) {
  return std::any_of(messages.begin(), messages.end(),
                     [this](std::string_view message) { return parser_->Read(message).empty(); });
}

void MessageDocuments::ChooseVocabulary(std::span<const std::string_view> messages) {
  if (!parser_->text()) {
    throw InputError("word ids without a vocabulary, expected one to be given");
  }
  FirstTexts first(counter_->stop_words(), options_);
  for (const std::string_view message : messages) {
    if (first.size() == options_.vocabulary_documents) break;
    if (!parser_->Read(message).empty()) continue;
    first.Add(counter_->texts().Split(parser_->record.text));
  }
  SetVocabulary(first.Choose());
}

MessageDocuments::Outcome MessageDocuments::Add(std::string_view message, uint64_t number,
                                                Documents* documents, std::string* error) {
  Record& record = parser_->record;
  *error = parser_->Read(message);
  if (!error->empty()) return Outcome::kBad;
  record.number = number;
  if (parser_->text()) counter_->Count(&record);
  try {
    SortAndMerge(kName, &record);
  } catch (const InputError& e) {
    *error = e.what();
    return Outcome::kBad;
  }
  if (record.words.empty()) return Outcome::kNoKnownWord;
  AppendRecord(record, documents);
  return Outcome::kAdded;
}

}  // namespace sda
