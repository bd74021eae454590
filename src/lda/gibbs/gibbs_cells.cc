#include "lda/gibbs/gibbs_cells.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "sda/errors.h"

namespace sda::lda {
namespace {

// A cell that is smaller costs more in set-up than its tokens do.
constexpr uint64_t kTokensPerCell = 5000;

}  // namespace

GibbsCells::GibbsCells(const Documents& documents, const WordIndex& index, size_t most_groups) {
  word_tokens_.assign(index.size(), 0);
  for (size_t entry = 0; entry < documents.words.size(); ++entry) {
    word_tokens_[index.numbers[entry]] += documents.counts[entry];
  }
  tokens_ = std::accumulate(word_tokens_.begin(), word_tokens_.end(), uint64_t{0});
  if (tokens_ >= std::numeric_limits<uint32_t>::max()) {
    throw UsageError("minibatch has " + std::to_string(tokens_) +
                     " tokens, must be below 2^32 - 1: it needs fewer documents");
  }
  CheckCounts(documents);
  while (groups_ < most_groups && (groups_ + 1) * (groups_ + 1) * kTokensPerCell <= tokens_) {
    ++groups_;
  }
  PlaceTokens(documents, index);
}

// Counts are kept in floats, which hold whole numbers up to 2^24.
void GibbsCells::CheckCounts(const Documents& documents) const {
  constexpr uint64_t kMost = 1 << 24;
  auto refuse = [](uint64_t tokens, const std::string& of_what) {
    throw UsageError("minibatch has " + std::to_string(tokens) + " tokens of " + of_what +
                     ", must be at most 2^24 for Gibbs sampling");
  };
  for (const uint64_t tokens : word_tokens_) {
    if (tokens > kMost) refuse(tokens, "one word");
  }
  for (size_t d = 0; d < documents.size(); ++d) {
    const uint64_t tokens = Tokens(documents, d);
    if (tokens > kMost) refuse(tokens, "one document");
  }
}

// The heaviest words first, each to the group that is lightest so far.
std::vector<uint32_t> GibbsCells::GroupsOfWords() const {
  std::vector<uint32_t> order(word_tokens_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return word_tokens_[a] > word_tokens_[b]; });
  std::vector<uint64_t> load(groups_, 0);
  std::vector<uint32_t> group(order.size());
  for (const uint32_t word : order) {
    const auto lightest = std::min_element(load.begin(), load.end());
    group[word] = static_cast<uint32_t>(lightest - load.begin());
    *lightest += word_tokens_[word];
  }
  return group;
}

std::vector<uint32_t> GibbsCells::GroupsOfDocuments(const Documents& documents) const {
  std::vector<uint32_t> group(documents.size());
  uint64_t before = 0;
  for (size_t d = 0; d < documents.size(); ++d) {
    group[d] = static_cast<uint32_t>(before * groups_ / std::max<uint64_t>(tokens_, 1));
    before += Tokens(documents, d);
    group[d] = std::min(group[d], static_cast<uint32_t>(groups_ - 1));
  }
  return group;
}

void GibbsCells::PlaceTokens(const Documents& documents, const WordIndex& index) {
  const std::vector<uint32_t> word_group = GroupsOfWords();
  const std::vector<uint32_t> document_group = GroupsOfDocuments(documents);
  std::vector<uint32_t> next(groups_ * groups_ + 1, 0);
  auto for_each_entry = [&](auto&& body) {
    for (size_t d = 0; d < documents.size(); ++d) {
      for (uint64_t entry = documents.offsets[d]; entry < documents.offsets[d + 1]; ++entry) {
        const uint32_t word = index.numbers[entry];
        body(static_cast<uint32_t>(d), word, documents.counts[entry],
             document_group[d] * groups_ + word_group[word]);
      }
    }
  };
  for_each_entry([&](uint32_t, uint32_t, uint32_t count, size_t cell) { next[cell + 1] += count; });
  std::partial_sum(next.begin(), next.end(), next.begin());

  words_.resize(tokens_);
  pieces_.resize(groups_ * groups_);
  for_each_entry([&](uint32_t d, uint32_t word, uint32_t count, size_t cell) {
    if (count == 0) return;
    std::vector<GibbsPiece>& pieces = pieces_[cell];
    if (pieces.empty() || pieces.back().document != d) pieces.push_back({d, next[cell], 0});
    std::fill_n(words_.begin() + next[cell], count, word);
    next[cell] += count;
    pieces.back().end = next[cell];
  });
}

}  // namespace sda::lda
