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
  std::vector<size_t> kept;
  for (size_t d = 0; d < documents->size(); ++d) {
    if (documents->offsets[d + 1] == documents->offsets[d]) continue;
    offsets.push_back(documents->offsets[d + 1]);
    kept.push_back(d);
  }
  documents->offsets = std::move(offsets);
  const auto keep = [&](auto* known) {
    if (known->empty()) return;
    for (size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] != i) (*known)[i] = std::move((*known)[kept[i]]);
    }
    known->resize(kept.size());
  };
  keep(&documents->numbers);
  keep(&documents->ids);
  keep(&documents->times);
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
    change = learner_.among(words.size(), known, local, key);
    if (watch_ != nullptr) {
      LdaSpec spec = learner_.spec;
      spec.vocabulary = words.size();
      const uint64_t unknown = UnknownTokens(documents) + Tokens(documents) - Tokens(known);
      watch_->Offer(key, {known, local, change, spec, unknown, [&](uint64_t place) {
                            return words.words()[words.IndexOf(place)].text;
                          }});
    }
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
