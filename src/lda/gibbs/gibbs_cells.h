#ifndef SDA_LDA_GIBBS_GIBBS_CELLS_H_
#define SDA_LDA_GIBBS_GIBBS_CELLS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lda/gibbs/gibbs_kernels.h"
#include "lda/minibatch.h"
#include "sda/documents.h"

namespace sda::lda {

// The tokens of a minibatch, divided into groups of documents x groups of words with about the same
// number of tokens in every group. A group has consecutive documents; words are distributed freely.
// The division depends only on the minibatch and on the largest number of groups.
class GibbsCells {
 public:
  GibbsCells(const Documents& documents, const WordIndex& index, size_t most_groups);

  size_t groups() const { return groups_; }
  const std::vector<GibbsPiece>& pieces(size_t document_group, size_t word_group) const {
    return pieces_[document_group * groups_ + word_group];
  }
  // Cell after cell, and in a cell by document: number of each token's word, and tokens a word.
  const std::vector<uint32_t>& words() const { return words_; }
  const std::vector<uint64_t>& word_tokens() const { return word_tokens_; }

 private:
  void CheckCounts(const Documents& documents) const;
  std::vector<uint32_t> GroupsOfWords() const;
  std::vector<uint32_t> GroupsOfDocuments(const Documents& documents) const;
  void PlaceTokens(const Documents& documents, const WordIndex& index);

  size_t groups_ = 1;
  uint64_t tokens_ = 0;
  std::vector<uint64_t> word_tokens_;
  std::vector<uint32_t> words_;
  std::vector<std::vector<GibbsPiece>> pieces_;
};

}  // namespace sda::lda

#endif  // SDA_LDA_GIBBS_GIBBS_CELLS_H_
