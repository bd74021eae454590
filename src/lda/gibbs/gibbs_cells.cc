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
  std::vector<uint64_t> word_draws(index.size(), 0);
  block_tokens_.reserve(documents.size());
  for (size_t d = 0; d < documents.size(); ++d) {
    const uint64_t block = BlockTokens(documents, d);
    block_tokens_.push_back(block);
    for (uint64_t entry = documents.offsets[d]; entry < documents.offsets[d + 1]; ++entry) {
      const uint32_t count = documents.counts[entry];
      word_tokens_[index.numbers[entry]] += count;
      word_draws[index.numbers[entry]] += block == 1 ? count : (count + block - 1) / block;
    }
  }
  const uint64_t draws = std::accumulate(word_draws.begin(), word_draws.end(), uint64_t{0});
  if (draws >= std::numeric_limits<uint32_t>::max()) {
    throw UsageError("minibatch has " + std::to_string(draws) +
                     " tokens to draw, must be below 2^32 - 1: it needs fewer documents");
  }
  while (groups_ < most_groups && (groups_ + 1) * (groups_ + 1) * kTokensPerCell <= draws) {
    ++groups_;
  }
  words_.resize(draws);
  PlaceTokens(documents, index, GroupsOfDocuments(documents, draws), GroupsOfWords(word_draws));
}

// The heaviest words first, each to the group that is lightest so far.
std::vector<uint32_t> GibbsCells::GroupsOfWords(const std::vector<uint64_t>& draws) const {
  std::vector<uint32_t> order(draws.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return draws[a] > draws[b]; });
  std::vector<uint64_t> load(groups_, 0);
  std::vector<uint32_t> group(order.size());
  for (const uint32_t word : order) {
    const auto lightest = std::min_element(load.begin(), load.end());
    group[word] = static_cast<uint32_t>(lightest - load.begin());
    *lightest += draws[word];
  }
  return group;
}

std::vector<uint32_t> GibbsCells::GroupsOfDocuments(const Documents& documents,
                                                    uint64_t draws) const {
  std::vector<uint32_t> group(documents.size());
  uint64_t before = 0;
  for (size_t d = 0; d < documents.size(); ++d) {
    group[d] = static_cast<uint32_t>(before * groups_ / std::max<uint64_t>(draws, 1));
    before += Draws(documents, d);
    group[d] = std::min(group[d], static_cast<uint32_t>(groups_ - 1));
  }
  return group;
}

void GibbsCells::PlaceTokens(const Documents& documents, const WordIndex& index,
                             const std::vector<uint32_t>& document_group,
                             const std::vector<uint32_t>& word_group) {
  std::vector<uint32_t> next(groups_ * groups_ + 1, 0);
  // body(document, word, blocks, tokens in each of them, cell)
  auto for_each_run = [&](auto&& body) {
    for (size_t d = 0; d < documents.size(); ++d) {
      const uint64_t block = block_tokens_[d];
      for (uint64_t entry = documents.offsets[d]; entry < documents.offsets[d + 1]; ++entry) {
        const uint32_t word = index.numbers[entry];
        const size_t cell = document_group[d] * groups_ + word_group[word];
        const auto blocks = static_cast<uint32_t>(documents.counts[entry] / block);
        const auto rest = static_cast<uint32_t>(documents.counts[entry] % block);
        const auto document = static_cast<uint32_t>(d);
        if (blocks > 0) body(document, word, blocks, static_cast<uint32_t>(block), cell);
        if (rest > 0) body(document, word, 1U, rest, cell);
      }
    }
  };
  for_each_run(
      [&](uint32_t, uint32_t, uint32_t count, uint32_t, size_t cell) { next[cell + 1] += count; });
  std::partial_sum(next.begin(), next.end(), next.begin());

  pieces_.resize(groups_ * groups_);
  long_pieces_.resize(groups_ * groups_);
  for_each_run([&](uint32_t d, uint32_t word, uint32_t count, uint32_t weight, size_t cell) {
    const bool is_long = block_tokens_[d] > 1;
    std::vector<GibbsPiece>& pieces = (is_long ? long_pieces_ : pieces_)[cell];
    if (is_long || pieces.empty() || pieces.back().document != d) {
      pieces.push_back({d, next[cell], 0, weight});
    }
    std::fill_n(words_.begin() + next[cell], count, word);
    next[cell] += count;
    pieces.back().end = next[cell];
  });
}

}  // namespace sda::lda
