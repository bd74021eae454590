#include "data/bags/triplet_reader.h"

#include <fmt/format.h>

#include "data/io/numbers.h"

namespace sda {
namespace {

class TripletReader : public DocumentReader {
 public:
  TripletReader(std::unique_ptr<LineReader> lines, const TripletHeader& header, IdLimit ids)
      : DocumentReader(std::move(lines)), header_(header) {
    next_.position = {lines_->offset(), lines_->line(), 0, 0};
    ExpectRange(*lines_, "number of words", header_.words, 1, ids.header_words(), ids.advice);
  }

  bool Read(Record* record) override {
    record->Clear();
    if (!in_hand_ && !ReadEntry()) return false;
    in_hand_ = false;
    record->number = next_.document;
    do {
      record->Add(next_.word - 1, next_.count);
      ++next_.position.entries;
      if (!ReadEntry()) {
        if (lines_->stopped()) return false;
        next_.position.document = record->number;
        return true;
      }
    } while (next_.document == record->number);
    next_.position.document = record->number;
    in_hand_ = true;
    return true;
  }

  ReaderPosition position() const override { return next_.position; }

  void Seek(const ReaderPosition& position) override {
    lines_->SkipTo(position.offset, position.line);
    next_ = {position, position.document, 0, 0};
    in_hand_ = false;
  }

  uint64_t header_words() const override { return header_.words; }
  uint64_t header_documents() const override { return header_.documents; }

 private:
  struct Entry {
    ReaderPosition position;  // before this entry
    uint64_t document = 0;
    uint64_t word = 0;
    uint64_t count = 0;
  };

  // Reads the next line into next_. False at the end, which must be where the header puts it.
  bool ReadEntry() {
    const uint64_t before = next_.document;
    std::string_view line;
    do {
      next_.position.offset = lines_->offset();
      next_.position.line = lines_->line();
      if (!lines_->Next(&line)) {
        CheckEnd();
        return false;
      }
    } while (!Parse(line));
    if (next_.document < before || next_.position.entries == header_.entries) FailEntry(before);
    return true;
  }

  // False if the line is blank.
  bool Parse(std::string_view line) {
    NumberScanner scanner(line);
    const bool read = scanner.Number(&next_.document) && scanner.Take(' ') &&
                      scanner.Number(&next_.word) && scanner.Take(' ') &&
                      scanner.Number(&next_.count) && scanner.AtEnd();
    if (!read || next_.document - 1 >= header_.documents || next_.word - 1 >= header_.words ||
        next_.count > kMaxCount) {
      return ParseSlowly(line);
    }
    return true;
  }

  // The same with all variants that the formats allow, and with messages.
  bool ParseSlowly(std::string_view line) {
    NumberScanner scanner(line);
    if (scanner.AtEnd()) return false;
    next_.document = ExpectNumber(*lines_, &scanner, "a document id");
    next_.word = ExpectNumber(*lines_, &scanner, "a word id");
    next_.count = ExpectCount(*lines_, &scanner);
    ExpectEnd(*lines_, &scanner);
    ExpectRange(*lines_, "document id", next_.document, 1, header_.documents);
    ExpectRange(*lines_, "word id", next_.word, 1, header_.words);
    return true;
  }

  [[noreturn]] void FailEntry(uint64_t before) const {
    if (next_.document < before) {
      lines_->Fail(fmt::format("document {} after document {}, expected the documents in order{}",
                               next_.document, before, header_.order_advice));
    }
    lines_->Fail(
        fmt::format("one entry more than the {} that the header promises", header_.entries));
  }

  void CheckEnd() const {
    if (lines_->stopped() || next_.position.entries == header_.entries) return;
    lines_->FailWhole(
        fmt::format("{} entries, expected the {} that the header promises: is the file truncated?",
                    next_.position.entries, header_.entries));
  }

  const TripletHeader header_;
  Entry next_;
  bool in_hand_ = false;  // next_ is read but not handed out
};

}  // namespace

std::unique_ptr<DocumentReader> NewTripletReader(std::unique_ptr<LineReader> lines,
                                                 const TripletHeader& header, IdLimit ids) {
  return std::make_unique<TripletReader>(std::move(lines), header, ids);
}

}  // namespace sda
