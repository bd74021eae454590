#include "cluster/worker/careful_primitive.h"

#include <utility>

#include "sda/errors.h"

namespace sda::cluster {
namespace {

// So that a minibatch of nothing but such documents takes bounded time. What is not divided any
// further by then is left out.
constexpr int kMostTries = 200;

void Append(const Documents& part, Documents* all) {
  const uint64_t entries = all->words.size();
  all->words.insert(all->words.end(), part.words.begin(), part.words.end());
  all->counts.insert(all->counts.end(), part.counts.begin(), part.counts.end());
  all->numbers.insert(all->numbers.end(), part.numbers.begin(), part.numbers.end());
  all->ids.insert(all->ids.end(), part.ids.begin(), part.ids.end());
  all->times.insert(all->times.end(), part.times.begin(), part.times.end());
  all->texts.insert(all->texts.end(), part.texts.begin(), part.texts.end());
  for (size_t d = 0; d < part.size(); ++d) all->offsets.push_back(entries + part.offsets[d + 1]);
}

}  // namespace

// Which documents are refused, and what comes of the others if each half of what was divided starts
// from the same prior, as the minibatches of two workers do.
struct CarefulPrimitive::Search {
  const CarefulPrimitive& primitive;
  const Documents& documents;
  const KeyedRows& prior;
  const uint64_t key;
  int tries = 0;
  Documents good;
  KeyedRows sum;

  void Divide(size_t first, size_t last) {
    const Documents part = Slice(documents, first, last);
    std::string why = "is in a minibatch with too many documents like it";
    try {
      if (++tries <= kMostTries) {
        sum += primitive.ChangeOfPart(part, prior, key);
        return Append(part, &good);
      }
    } catch (const InputError& e) {
      why = e.what();
    }
    if (last - first > 1 && tries < kMostTries) {
      const size_t middle = first + (last - first) / 2;
      Divide(first, middle);
      return Divide(middle, last);
    }
    for (size_t d = first; d < last; ++d) {
      primitive.left_out_.push_back({documents.numbers[d], Tokens(documents, d), why});
    }
  }
};

KeyedRows CarefulPrimitive::ChangeOfPart(const Documents& part, const KeyedRows& prior,
                                         uint64_t key) const {
  KeyedRows of_part = prior;
  prior.CopyTo(primitive_.Touches(part), &of_part, context_.pool());
  return primitive_.Change(part, of_part, key);
}

KeyedRows CarefulPrimitive::Change(const Documents& documents, const KeyedRows& prior,
                                   uint64_t key) const {
  left_out_.clear();
  try {
    return primitive_.Change(documents, prior, key);
  } catch (const InputError&) {
    if (context_.StopRequested()) throw;
  }
  Search search{*this, documents, prior, key, 0, {}, KeyedRows(std::vector<double>(prior.width()))};
  search.Divide(0, documents.size());
  if (search.good.size() == 0 || left_out_.empty()) return std::move(search.sum);
  try {
    return ChangeOfPart(search.good, prior, key);  // as if the others had never been
  } catch (const InputError&) {
    return std::move(search.sum);
  }
}

KeyedRows CarefulPrimitive::operator()(const Documents& documents, const KeyedRows& prior,
                                       uint64_t key) const {
  KeyedRows posterior = prior;
  posterior += Change(documents, prior, key);
  return posterior;
}

Scorer<Documents, KeyedRows> CarefulScorer(Scorer<Documents, KeyedRows> scorer) {
  return [scorer = std::move(scorer)](const Minibatch<Documents>& minibatch,
                                      const KeyedRows& prior) -> Prediction {
    try {
      return scorer(minibatch, prior);
    } catch (const InputError&) {
      return {};
    }
  };
}

}  // namespace sda::cluster
