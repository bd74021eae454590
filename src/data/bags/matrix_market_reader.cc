#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "data/bags/triplet_reader.h"
#include "data/io/numbers.h"

namespace sda {
namespace {

std::string LowerCase(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// The words of the line, one blank between each and the next.
std::string Squeezed(std::string_view line) {
  std::string out;
  for (const char c : LowerCase(line)) {
    if (c != ' ' && c != '\t') {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

void CheckBanner(LineReader* lines) {
  std::string_view line;
  if (!lines->Next(&line)) lines->FailWhole("is empty, expected %%MatrixMarket");
  const std::string banner = Squeezed(line);
  if (banner != "%%matrixmarket matrix coordinate integer general" &&
      banner != "%%matrixmarket matrix coordinate real general") {
    lines->Fail(
        fmt::format("found {}, expected \"%%MatrixMarket matrix coordinate integer "
                    "general\" (or real, with whole numbers)",
                    Quoted(line)));
  }
}

}  // namespace

std::unique_ptr<DocumentReader> NewMatrixMarketReader(std::unique_ptr<LineReader> lines,
                                                      IdLimit ids) {
  CheckBanner(lines.get());
  std::string_view line;
  do {
    if (!lines->Next(&line)) lines->FailWhole("ends within the header, expected the sizes");
  } while (line.starts_with('%') || NumberScanner(line).AtEnd());
  NumberScanner scanner(line);
  TripletHeader header;
  header.documents = ExpectNumber(*lines, &scanner, "the number of rows (documents)");
  header.words = ExpectNumber(*lines, &scanner, "the number of columns (words)");
  header.entries = ExpectNumber(*lines, &scanner, "the number of entries");
  ExpectEnd(*lines, &scanner);
  header.order_advice =
      ": rows are documents, and a stream needs the entries sorted by row; from Python, "
      "scipy.io.mmwrite(file, matrix.tocsr().tocoo())";
  return NewTripletReader(std::move(lines), header, ids);
}

}  // namespace sda
