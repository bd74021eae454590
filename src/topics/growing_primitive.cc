#include "topics/growing_primitive.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "topics/growing_words.h"

namespace sda {
namespace {

// Nothing is learnt from them.
void RemoveWordless(Documents* documents) {
  std::vector<uint64_t> offsets = {0};
  std::vector<uint64_t> numbers;
  for (size_t d = 0; d < documents->size(); ++d) {
    if (documents->offsets[d + 1] == documents->offsets[d]) continue;
    offsets.push_back(documents->offsets[d + 1]);
    if (!documents->numbers.empty()) numbers.push_back(documents->numbers[d]);
  }
  documents->offsets = std::move(offsets);
  documents->numbers = std::move(numbers);
}

}  // namespace

KeyedRows GrowingPrimitive::operator()(const Documents& documents, const KeyedRows& prior,
                                       uint64_t key) const {
  KeyedRows posterior = prior;
  posterior += Change(documents, prior, key);
  return posterior;
}

KeyedRows GrowingPrimitive::Change(const Documents& documents, const KeyedRows& prior,
                                   uint64_t key) const {
  if (prior.words() == nullptr) throw std::logic_error("the prior does not say its words");
  const WordLedger& words = *prior.words();
  Documents known = AmongWords(documents, words);
  RemoveWordless(&known);
  KeyedRows change(std::vector<double>(prior.width(), 0.0));
  if (known.size() > 0) {
    KeyedRows local = prior;
    KeyByPlace(&local);
    change = primitive_.among(words.size(), known, local, key);
    change.MapKeys([&](uint64_t place) { return words.words()[words.IndexOf(place)].key; });
  }
  change.SetWordChanges(WordChangesOf(documents, words));
  NumberByAdmission(words, &known);
  sample_.Offer(key, known);
  return change;
}

KeyedRows::Selection GrowingPrimitive::Touches(const Documents& documents) const {
  return KeysOf(documents);
}

}  // namespace sda
