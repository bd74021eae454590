#ifndef SDA_DOCUMENTS_H_
#define SDA_DOCUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sda/export.h"
#include "sda/source.h"

namespace SDA_EXPORT sda {

// In place of a time that is not known.
inline constexpr int64_t kNoTime = INT64_MIN;

// Documents as bags of words, one after the other (compressed rows).
struct Documents {
  std::vector<uint64_t> offsets = {0};  // document d has the entries [offsets[d], offsets[d + 1])
  std::vector<uint32_t> words;          // ids from 0; distinct and ascending within a document
  std::vector<uint32_t> counts;         // at least 1
  std::vector<uint64_t> numbers;        // of each document in the stream, from 1

  // The documents' own ids, and when they were written, in milliseconds since 1970 (UTC).
  // Either one for each document, or empty where the source does not know them. Of a document that
  // lacks it: an empty id, kNoTime.
  std::vector<std::string> ids;
  std::vector<int64_t> times;

  // The tokens of each document that are outside the vocabulary, and so not among its words. One
  // for each document, or empty where the source does not count them.
  std::vector<uint64_t> unknown;

  // Weights that are no whole numbers, such as tf-idf. Either one for each entry, which then counts
  // in place of `counts` (there the weight rounded up), or empty. Variational Bayes alone takes
  // them.
  std::vector<float> weights;

  // The documents as they were written, one for each, if the source was asked for them
  // (CorpusOptions::keep_texts) and has texts; else empty.
  std::vector<std::string> texts;

  // The texts of the words, if they come and go (see word_ledger.h): then `words` are places in
  // this list, which is of these documents alone, in order of first occurrence. Else empty.
  std::vector<std::string> dictionary;

  size_t size() const { return offsets.size() - 1; }
  // Of an entry.
  double weight(size_t entry) const { return weights.empty() ? counts[entry] : weights[entry]; }
};

// The documents [first, last), with all that is known of them.
Documents Slice(const Documents& documents, size_t first, size_t last);

// Adds documents to the end of others, with all that is known of both. Their dictionaries, if they
// have any, must be equal.
void AppendDocuments(const Documents& more, Documents* documents);

// Adds up the tokens of all documents, or of document d. Of weights: the sum, rounded.
uint64_t Tokens(const Documents& documents);
uint64_t Tokens(const Documents& documents, size_t d);

// Adds up Documents::unknown.
uint64_t UnknownTokens(const Documents& documents);

Counts CountsOf(const Documents& documents);

// What a document costs. A line of a dozen bytes can count billions of tokens, and all of them are
// learnt from. But sampling draws a topic for each token only up to this number of tokens in a
// document, and for each of its distinct words. In a longer document, the tokens of a word go in
// blocks that have one topic, of BlockTokens() each and a last one of the rest. So a document has
// as many draws, and one for each of its words, at most.
inline constexpr uint64_t kMaxSingleTokens = uint64_t{1} << 20;
inline constexpr uint64_t kMaxSingleTokensPerWord = uint64_t{1} << 14;
uint64_t BlockTokens(const Documents& documents, size_t d);
uint64_t Draws(const Documents& documents, size_t d);

// A source ends a minibatch with the document that brings it to this number of draws, however few
// documents it has then: so a minibatch takes bounded memory and time. Ordinary ones have a tenth.
inline constexpr uint64_t kMaxMinibatchDraws = uint64_t{1} << 26;

}  // namespace sda

#endif  // SDA_DOCUMENTS_H_
