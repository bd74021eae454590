// KeyedRows as bytes, for checkpoints and models.

#include <algorithm>
#include <cstring>

#include "sda/errors.h"
#include "sda/keyed_rows.h"
#include "sda/over_time.h"
#include "sda/word_ledger.h"

namespace sda {
namespace {

// Where rows have their width: before them comes a ledger of words, after its length.
constexpr uint64_t kWithWords = ~uint64_t{0};

// Takes count things of type T off the front of bytes.
template <class T>
std::vector<T> TakeBytes(size_t count, std::string_view* bytes) {
  if (count > bytes->size() / sizeof(T)) throw InputError("keyed rows are cut off");
  std::vector<T> out(count);
  if (count > 0) std::memcpy(out.data(), bytes->data(), count * sizeof(T));
  bytes->remove_prefix(count * sizeof(T));
  return out;
}

}  // namespace

std::string KeyedRows::Serialize() const {
  std::string out;
  out.reserve((2 + rows()) * (sizeof(uint64_t) + width() * sizeof(double)));
  SerializeTo([&out](std::string_view bytes) { out.append(bytes); });
  return out;
}

void KeyedRows::SerializeTo(const std::function<void(std::string_view bytes)>& sink) const {
  if (words_) {
    const std::string words = words_->Serialize();
    const uint64_t sizes[] = {kWithWords, words.size()};
    sink({reinterpret_cast<const char*>(sizes), sizeof(sizes)});
    sink(words);
  }
  SerializeRowsTo(sink);
  variances_.Write(sink);
  if (over_time_) over_time_->SerializeTo(sink);
}

void KeyedRows::SerializeRowsTo(const std::function<void(std::string_view bytes)>& sink) const {
  auto put = [&sink](const void* data, size_t size) {
    sink({static_cast<const char*>(data), size});
  };
  const uint64_t sizes[] = {width(), rows()};
  put(sizes, sizeof(sizes));
  put(default_row_.data(), width() * sizeof(double));
  put(totals_.data(), width() * sizeof(double));
  put(keys_.data(), rows() * sizeof(uint64_t));
  for (size_t r = 0; r < rows(); r += rows_per_block_) {
    put(Data(r), std::min(rows_per_block_, rows() - r) * width() * sizeof(double));
  }
}

KeyedRows KeyedRows::Deserialize(std::string_view bytes) {
  std::shared_ptr<WordLedger> words;
  uint64_t first = 0;
  if (bytes.size() >= sizeof(first)) std::memcpy(&first, bytes.data(), sizeof(first));
  if (first == kWithWords) {
    const auto sizes = TakeBytes<uint64_t>(2, &bytes);
    if (sizes[1] > bytes.size()) throw InputError("keyed rows are cut off");
    words = std::make_shared<WordLedger>(WordLedger::Deserialize(bytes.substr(0, sizes[1])));
    bytes.remove_prefix(sizes[1]);
  }
  KeyedRows result = TakeRows(&bytes);
  result.words_ = std::move(words);
  result.variances_ = RowVariances::Take(&bytes, result.width());
  if (bytes.empty()) return result;
  result.SetOverTime(OverTime::Deserialize(bytes));
  return result;
}

KeyedRows KeyedRows::TakeRows(std::string_view* bytes) {
  const auto sizes = TakeBytes<uint64_t>(2, bytes);
  KeyedRows result(TakeBytes<double>(sizes[0], bytes));
  result.totals_ = TakeBytes<double>(sizes[0], bytes);
  for (const uint64_t key : TakeBytes<uint64_t>(sizes[1], bytes)) {
    const size_t rows_before = result.rows();
    double* row = result.Data(result.FindOrMake(key));
    if (result.rows() == rows_before) throw InputError("keyed rows repeat a key");
    const auto values = TakeBytes<double>(sizes[0], bytes);
    std::copy(values.begin(), values.end(), row);
  }
  return result;
}

}  // namespace sda
