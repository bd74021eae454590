#ifndef SDA_APPS_COMPARE_COMPARE_CORPUS_H_
#define SDA_APPS_COMPARE_COMPARE_CORPUS_H_

#include <cstdint>
#include <string>

#include "sda/corpus.h"

namespace sda {

// Which documents of the input a comparison uses. 0: no limit.
struct CorpusLimits {
  uint64_t documents = 0;  // to learn from: a random sample of this size, in stream order
  uint64_t tokens = 0;     // in all of these
  uint64_t held_out = 0;   // documents to score on
  uint64_t held_out_tokens = 0;

  bool Sampled() const { return documents > 0 || tokens > 0; }
};

// Documents that all runs of a comparison share.
struct CorpusCopy {
  uint64_t documents = 0;  // to learn from
  uint64_t tokens = 0;     // of these
  uint64_t held_out = 0;   // documents to score on
  uint64_t words = 0;      // in the vocabulary
  uint64_t read = 0;       // documents in the input
  std::string hash;        // of the files' whole content: equal only for equal data
};

// Reads the input once and writes, in the folder (created if needed), NAME.ldac (LDA-C),
// NAME.vocab.txt and NAME.holdout.txt. Without held-out documents in the options a tenth, chosen by
// a hash of the document's number, is held out; words are then not chosen from it. Documents keep
// their numbers unless sampled. Throws InputError if the input is bad or leaves nothing to learn
// from or to score on, and IoError if a stop was requested.
CorpusCopy CopyCorpus(CorpusOptions options, const CorpusLimits& limits, const std::string& folder,
                      const std::string& name, const Context& context = Context());

}  // namespace sda

#endif  // SDA_APPS_COMPARE_COMPARE_CORPUS_H_
