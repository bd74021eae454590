#ifndef SDA_APPS_COMMANDS_DEMO_CORPUS_H_
#define SDA_APPS_COMMANDS_DEMO_CORPUS_H_

#include <string>
#include <vector>

#include "sda/documents.h"

namespace sda {

// A corpus whose topics are known: themes with word lists of their own, and words that all of them
// share. Documents are drawn from a few themes each.
struct DemoCorpus {
  std::vector<std::string> vocabulary;
  std::vector<std::string> themes;          // their names
  std::vector<std::vector<double>> topics;  // of each theme, the probability of each word
  Documents documents;
};

DemoCorpus MakeDemoCorpus(size_t documents, uint64_t seed);

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_DEMO_CORPUS_H_
