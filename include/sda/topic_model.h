#ifndef SDA_TOPIC_MODEL_H_
#define SDA_TOPIC_MODEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sda/coherence.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/topic_options.h"
#include "sda/topic_search.h"
#include "sda/topic_stability.h"
#include "sda/word_ledger.h"

namespace SDA_EXPORT sda {

// How the words of a model came whose vocabulary grows, in the order of its rows.
struct GrownWords {
  WordLedger::Accounts accounts;
  std::vector<WordLedger::Word> words;
  std::vector<std::string> frequent;  // CorpusOptions::frequent_words
};

// A fitted topic model, as it is saved: one .safetensors file with the tensors lambda (V x K, a row
// for each word), alpha and eta (K each), the rest in its metadata.
struct TopicModel {
  TopicOptions options;                 // settled: how it was learnt, and how documents are read
  std::vector<std::string> vocabulary;  // by word id
  // Words that were left out, if they cannot be told from the options alone: those of a file or of
  // a language.
  std::optional<std::vector<std::string>> stop_words;
  std::optional<GrownWords> words;  // if the vocabulary grows
  KeyedRows posterior;
  uint64_t minibatches = 0;  // folded
  uint64_t documents = 0;
  uint64_t tokens = 0;

  std::optional<TopicSearch> search;        // how the number of topics was chosen, if it was
  std::optional<TopicCoherence> coherence;  // of its topics; models of sda 0.1 have none
  std::optional<TopicStability> stability;  // if several seeds were compared: see seed_runs.h
  // The documents from which the coherence was measured: see TopicOptions::keep_sample.
  std::optional<DocumentSample> sample;

  // The share of the tokens whose documents were fitted together at the end, by
  // TopicSession::Refit(); 0 if none were.
  double refitted_share = 0;
  // Whether the 95% intervals of the topics' words are only approximate: they are not if all
  // documents were fitted together, for long enough.
  bool ApproximateIntervals() const { return refitted_share < 1 || !posterior.variances().known(); }

  // What the file did not say, since an earlier version wrote it, and what is assumed instead, a
  // sentence each. Empty after a save by this version.
  std::vector<std::string> assumed;
  // The keys of the options among them: others may be given in their place.
  std::vector<std::string> assumed_options;

  LdaSpec Spec() const { return options.Spec(vocabulary.size()); }
  // How documents are read for this model: with its words, cut into words as those it learnt from.
  CorpusOptions Corpus(std::vector<std::string> inputs) const;
};

// Throws IoError naming the file, and InputError if the model is not valid: options that do not go
// together, Dirichlet parameters that are not from 1e-30 to 1e20. An old file at path then stays as
// it was.
void SaveTopicModel(const TopicModel& model, const std::string& path);

// Reads every format that was ever released. Throws InputError naming the file and what is wrong
// with it.
TopicModel LoadTopicModel(const std::string& path);

}  // namespace sda

#endif  // SDA_TOPIC_MODEL_H_
