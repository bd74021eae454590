#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "base/base64.h"
#include "base/hash.h"
#include "sda/coherence.h"
#include "sda/errors.h"

namespace sda {
namespace {

constexpr uint64_t kSeed = 0x636f686572656e63;  // the same for every run, so that samples continue

// Whole numbers, 7 bits a byte, the low ones first.
void Put(uint64_t number, std::string* bytes) {
  for (; number > 127; number >>= 7) *bytes += static_cast<char>((number & 127) | 128);
  *bytes += static_cast<char>(number);
}

class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}
  bool at_end() const { return next_ == bytes_.size(); }
  uint64_t Take() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_end()) break;
      const auto byte = static_cast<uint8_t>(bytes_[next_++]);
      number |= uint64_t{byte & 127u} << shift;
      if (byte < 128) return number;
    }
    throw InputError("a sample of documents is damaged: it is cut off");
  }

 private:
  const std::string_view bytes_;
  size_t next_ = 0;
};

uint32_t In32Bits(uint64_t number) {
  const auto fits = static_cast<uint32_t>(number);
  if (fits != number) throw InputError("a sample of documents is damaged: a number is too large");
  return fits;
}

}  // namespace

DocumentSample::Place DocumentSample::PlaceOf(uint64_t minibatch, uint64_t index) {
  return {Key(kSeed, minibatch, index), minibatch, index};
}

void DocumentSample::Offer(uint64_t minibatch, const Documents& documents) {
  for (uint64_t d = 0; d < documents.size(); ++d) {
    const Place place = PlaceOf(minibatch, d);
    if (std::get<0>(place) >= below_) continue;
    const uint64_t first = documents.offsets[d];
    const uint64_t last = documents.offsets[d + 1];
    if (last - first > kMaxWordsOfDocument) continue;
    Words words;
    const auto part = [&](const std::vector<uint32_t>& of_all) {
      return std::vector<uint32_t>(of_all.data() + first, of_all.data() + last);
    };
    words.ids = part(documents.words);
    if (limits_.counts) words.counts = part(documents.counts);
    Insert(place, std::move(words));
  }
}

// What is kept is always the longest beginning, in the order of the random numbers, that fits.
void DocumentSample::Insert(const Place& place, Words words) {
  const auto [at, inserted] = documents_.emplace(place, std::move(words));
  if (!inserted) return;
  words_ += at->second.ids.size();
  while (documents_.size() > limits_.documents || words_ > limits_.words) {
    const auto largest = std::prev(documents_.end());
    below_ = std::get<0>(largest->first);
    words_ -= largest->second.ids.size();
    documents_.erase(largest);
  }
}

void DocumentSample::KeepOnly(const IdSet& minibatches) {
  std::erase_if(documents_, [&](const auto& document) {
    if (minibatches.Contains(std::get<1>(document.first))) return false;
    words_ -= document.second.ids.size();
    return true;
  });
}

void DocumentSample::ForEach(
    const std::function<void(std::span<const uint32_t> words)>& visit) const {
  for (const auto& [place, words] : documents_) visit(words.ids);
}

Documents DocumentSample::InOrder() const {
  std::vector<std::pair<Place, const Words*>> order;
  for (const auto& [place, words] : documents_) order.emplace_back(place, &words);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    const auto& [hash_a, minibatch_a, index_a] = a.first;
    const auto& [hash_b, minibatch_b, index_b] = b.first;
    return std::tie(minibatch_a, index_a) < std::tie(minibatch_b, index_b);
  });
  Documents documents;
  for (const auto& [place, words] : order) {
    documents.words.insert(documents.words.end(), words->ids.begin(), words->ids.end());
    documents.counts.insert(documents.counts.end(), words->counts.begin(), words->counts.end());
    documents.offsets.push_back(documents.words.size());
  }
  return documents;
}

std::string DocumentSample::Serialize() const {
  std::string bytes;
  Put(below_, &bytes);
  for (const auto& [place, words] : documents_) {
    Put(std::get<1>(place), &bytes);
    Put(std::get<2>(place), &bytes);
    Put(words.ids.size(), &bytes);
    uint32_t before = 0;
    for (const uint32_t word : words.ids) Put(word - std::exchange(before, word), &bytes);
    for (const uint32_t count : words.counts) Put(count, &bytes);
  }
  return ToBase64(bytes);
}

DocumentSample DocumentSample::Deserialize(std::string_view text, Limits limits) {
  const std::optional<std::string> bytes = FromBase64(text);
  if (!bytes) throw InputError("a sample of documents is damaged: it is not base64");
  Numbers numbers(*bytes);
  DocumentSample sample(limits);
  const uint64_t below = numbers.Take();
  while (!numbers.at_end()) {
    const uint64_t minibatch = numbers.Take();
    const uint64_t index = numbers.Take();
    const uint64_t size = numbers.Take();
    if (size > kMaxWordsOfDocument) {
      throw InputError("a sample of documents is damaged: a document is too long");
    }
    Words words;
    words.ids.resize(size);
    uint64_t word = 0;
    for (uint32_t& w : words.ids) w = In32Bits(word += numbers.Take());
    words.counts.resize(limits.counts ? size : 0);
    for (uint32_t& count : words.counts) count = In32Bits(numbers.Take());
    sample.Insert(PlaceOf(minibatch, index), std::move(words));
  }
  sample.below_ = std::min(sample.below_, below);
  return sample;
}

}  // namespace sda
