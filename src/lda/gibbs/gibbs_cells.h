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
  // Those of very long documents, which have weights: of one document, a few for each word.
  const std::vector<GibbsPiece>& long_pieces(size_t document_group, size_t word_group) const {
    return long_pieces_[document_group * groups_ + word_group];
  }
  // body(piece) for all pieces of a cell.
  template <class Body>
  void ForEachPiece(size_t document_group, size_t word_group, const Body& body) const {
    for (const GibbsPiece& piece : pieces(document_group, word_group)) body(piece);
    for (const GibbsPiece& piece : long_pieces(document_group, word_group)) body(piece);
  }
  // Cell after cell, and in a cell by document: number of each token's word. And how many tokens
  // each word has, all tokens of a block counted.
  const std::vector<uint32_t>& words() const { return words_; }
  const std::vector<uint64_t>& word_tokens() const { return word_tokens_; }

 private:
  std::vector<uint32_t> GroupsOfWords(const std::vector<uint64_t>& draws) const;
  std::vector<uint32_t> GroupsOfDocuments(const Documents& documents, uint64_t draws) const;
  void PlaceTokens(const Documents& documents, const WordIndex& index,
                   const std::vector<uint32_t>& document_group,
                   const std::vector<uint32_t>& word_group);

  size_t groups_ = 1;
  std::vector<uint64_t> block_tokens_;  // of each document
  std::vector<uint64_t> word_tokens_;
  std::vector<uint32_t> words_;
  std::vector<std::vector<GibbsPiece>> pieces_, long_pieces_;
};

}  // namespace sda::lda

#endif  // SDA_LDA_GIBBS_GIBBS_CELLS_H_
