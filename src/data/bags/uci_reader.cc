#include "data/bags/triplet_reader.h"
#include "data/io/numbers.h"

namespace sda {
namespace {

// One of the three numbers that a docword file begins with, each on a line of its own.
uint64_t ReadHeaderLine(LineReader* lines, const char* what) {
  std::string_view line;
  do {
    if (!lines->Next(&line)) {
      lines->FailWhole(std::string("ends within the header, expected ") + what);
    }
  } while (NumberScanner(line).AtEnd());
  NumberScanner scanner(line);
  const uint64_t value = ExpectNumber(*lines, &scanner, what);
  ExpectEnd(*lines, &scanner);
  return value;
}

}  // namespace

std::unique_ptr<DocumentReader> NewUciReader(std::unique_ptr<LineReader> lines, IdLimit ids) {
  TripletHeader header;
  header.documents = ReadHeaderLine(lines.get(), "the number of documents");
  header.words = ReadHeaderLine(lines.get(), "the number of words");
  header.entries = ReadHeaderLine(lines.get(), "the number of entries");
  header.order_advice = ": sort the lines after the header with sort -n -k1,1 -k2,2";
  return NewTripletReader(std::move(lines), header, ids);
}

}  // namespace sda
