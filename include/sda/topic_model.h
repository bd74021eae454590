#ifndef SDA_TOPIC_MODEL_H_
#define SDA_TOPIC_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/topic_options.h"

namespace SDA_EXPORT sda {

// A fitted topic model, as it is saved: one .safetensors file with the tensors lambda (V x K, a row
// for each word), alpha and eta (K each), the rest in its metadata.
struct TopicModel {
  TopicOptions options;                 // settled: how it was learnt, and how documents are read
  std::vector<std::string> vocabulary;  // by word id
  KeyedRows posterior;
  uint64_t minibatches = 0;  // folded
  uint64_t documents = 0;
  uint64_t tokens = 0;

  // What the file did not say, since an earlier version wrote it, and what is assumed instead, a
  // sentence each. Empty after a save by this version.
  std::vector<std::string> assumed;
  // The keys of the options among them: others may be given in their place.
  std::vector<std::string> assumed_options;

  LdaSpec Spec() const { return options.Spec(vocabulary.size()); }
  // How documents are read for this model: with its words, cut into words as those it learnt from.
  CorpusOptions Corpus(std::vector<std::string> inputs) const;
};

// Throws IoError naming the file; an old file at path stays as it was.
void SaveTopicModel(const TopicModel& model, const std::string& path);

// Reads every format that was ever released. Throws InputError naming the file and what is wrong
// with it.
TopicModel LoadTopicModel(const std::string& path);

}  // namespace sda

#endif  // SDA_TOPIC_MODEL_H_
