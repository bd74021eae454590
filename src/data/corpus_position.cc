#include "data/corpus_position.h"

#include <fmt/format.h>

#include <array>

#include "data/io/numbers.h"

namespace sda {
namespace {

constexpr std::string_view kMark = "corpus-1 ";

// The numbers of a position in the order in which they are written.
template <class Position>
auto NumbersOf(Position& p) {
  return std::array{&p.stream.input,        &p.stream.documents_before, &p.stream.reader.offset,
                    &p.stream.reader.line,  &p.stream.reader.document,  &p.stream.reader.entries,
                    &p.next_minibatch,      &p.counts.documents,        &p.counts.held_out,
                    &p.counts.skipped,      &p.counts.tokens,           &p.counts.unknown_tokens,
                    &p.counts.replaced_utf8};
}

}  // namespace

std::string CorpusPosition::ToString() const {
  std::string out(kMark);
  for (const uint64_t* number : NumbersOf(*this)) out += fmt::format("{} ", *number);
  if (stream.file.inode != 0) {
    for (const uint64_t number : stream.file.ToNumbers()) out += fmt::format("{} ", number);
  }
  out.pop_back();
  return out;
}

CorpusPosition CorpusPosition::FromString(const std::string& position) {
  CorpusPosition result;
  bool good = position.starts_with(kMark);
  NumberScanner scanner(std::string_view(position).substr(good ? kMark.size() : 0));
  for (uint64_t* number : NumbersOf(result)) {
    scanner.SkipBlanks();
    good = good && scanner.Number(number);
  }
  if (good && !scanner.AtEnd()) {
    std::array<uint64_t, FileIdentity::kNumbers> file = {};
    for (size_t i = 0; i < file.size(); ++i) {
      if (i >= FileIdentity::kLeastNumbers && scanner.AtEnd()) break;
      scanner.SkipBlanks();
      good = good && scanner.Number(&file[i]);
    }
    result.stream.file = FileIdentity::FromNumbers(file);
  }
  if (!good || !scanner.AtEnd()) {
    throw InputError(
        fmt::format("found the position {}, expected one of a corpus", Quoted(position)));
  }
  return result;
}

std::string StartOfCorpus(FileIdentity followed, uint64_t first_minibatch) {
  followed.size = 0;  // whatever was read of it is not learnt from
  return CorpusPosition{{0, 0, {}, followed}, first_minibatch, {}}.ToString();
}

}  // namespace sda
