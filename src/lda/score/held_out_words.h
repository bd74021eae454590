#ifndef SDA_LDA_SCORE_HELD_OUT_WORDS_H_
#define SDA_LDA_SCORE_HELD_OUT_WORDS_H_

#include <algorithm>

#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda_score.h"

namespace sda::lda {

// The part of the parameters that the score of these documents reads.
inline KeyedRows::Selection WordsOf(const HeldOutSplit& split) {
  KeyedRows::Selection selection;
  selection.everything = false;
  for (const Documents* part : {&split.observed, &split.tested}) {
    selection.keys.insert(selection.keys.end(), part->words.begin(), part->words.end());
  }
  std::sort(selection.keys.begin(), selection.keys.end());
  selection.keys.erase(std::unique(selection.keys.begin(), selection.keys.end()),
                       selection.keys.end());
  return selection;
}

}  // namespace sda::lda

#endif  // SDA_LDA_SCORE_HELD_OUT_WORDS_H_
