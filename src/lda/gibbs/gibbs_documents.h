#ifndef SDA_LDA_GIBBS_GIBBS_DOCUMENTS_H_
#define SDA_LDA_GIBBS_GIBBS_DOCUMENTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lda/memory.h"
#include "sda/documents.h"

namespace sda::lda {

// Eight topics of a document and their tokens: a cache line. A place with no tokens is free, and
// its topic means nothing.
struct alignas(64) TopicBlock {
  static constexpr size_t kPlaces = 8;
  int32_t topics[kPlaces];
  float counts[kPlaces];
};

// n_dk of one document: the topics it has, in no order. No topic has two places.
struct DocumentTopics {
  TopicBlock* blocks = nullptr;
  size_t used = 0;  // of the blocks

  float& count(size_t place) {
    return blocks[place / TopicBlock::kPlaces].counts[place % TopicBlock::kPlaces];
  }
  int32_t& topic(size_t place) {
    return blocks[place / TopicBlock::kPlaces].topics[place % TopicBlock::kPlaces];
  }

  // The place of a topic; if it has none, it gets a free one.
  size_t PlaceOf(int32_t k) {
    const size_t places = used * TopicBlock::kPlaces;
    size_t free = places;
    for (size_t place = 0; place < places; ++place) {
      if (count(place) == 0) {
        free = std::min(free, place);
      } else if (topic(place) == k) {
        return place;
      }
    }
    if (free == places) blocks[used++] = {};
    topic(free) = k;
    return free;
  }

  // Gives up the last blocks where the others have room for what is in them.
  void Shrink() {
    if (used <= 1) return;
    size_t topics = 0;
    for (size_t place = 0; place < used * TopicBlock::kPlaces; ++place) topics += count(place) > 0;
    const size_t needed = (topics + TopicBlock::kPlaces - 1) / TopicBlock::kPlaces;
    if (needed == used) return;
    size_t to = 0;
    for (size_t from = 0; from < used * TopicBlock::kPlaces; ++from) {
      if (count(from) == 0) continue;
      std::swap(topic(from), topic(to));
      std::swap(count(from), count(to));
      ++to;
    }
    used = needed;
  }
};

// Room for the topics of all documents of a minibatch.
class GibbsDocuments {
 public:
  GibbsDocuments(const Documents& documents, size_t topics) : documents_(documents.size()) {
    std::vector<size_t> first(documents.size() + 1, 0);
    for (size_t d = 0; d < documents.size(); ++d) {
      // Of weights that are not 1, rounding may leave something where no token is any more.
      const bool blocks = BlockTokens(documents, d) > 1;
      const size_t most = blocks ? topics : std::min<uint64_t>(Tokens(documents, d), topics);
      first[d + 1] = first[d] + (most + TopicBlock::kPlaces - 1) / TopicBlock::kPlaces;
    }
    blocks_.reserve(first.back());
    PreferLargePages(blocks_.data(), first.back() * sizeof(TopicBlock));
    blocks_.resize(first.back());
    for (size_t d = 0; d < documents.size(); ++d) documents_[d].blocks = blocks_.data() + first[d];
  }

  DocumentTopics& operator[](size_t d) { return documents_[d]; }
  size_t size() const { return documents_.size(); }
  DocumentTopics* data() { return documents_.data(); }

 private:
  std::vector<DocumentTopics> documents_;
  std::vector<TopicBlock> blocks_;
};

}  // namespace sda::lda

#endif  // SDA_LDA_GIBBS_GIBBS_DOCUMENTS_H_
