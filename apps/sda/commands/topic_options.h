#ifndef SDA_APPS_COMMANDS_TOPIC_OPTIONS_H_
#define SDA_APPS_COMMANDS_TOPIC_OPTIONS_H_

#include "commands/fit.h"
#include "sda/corpus.h"
#include "sda/lda.h"
#include "sda/lda_ep.h"
#include "sda/lda_gibbs.h"

namespace sda {

// The options of `sda fit` on documents, for each part of the library. All throw
// std::invalid_argument naming what is wrong.
CorpusOptions CorpusOptionsOf(const FitFlags& flags);
LdaOptions LdaOptionsOf(const FitFlags& flags, uint64_t vocabulary);
LdaGibbsOptions GibbsOptionsOf(const FitFlags& flags, uint64_t vocabulary);
LdaEpOptions EpOptionsOf(const FitFlags& flags, uint64_t vocabulary);

// Threads to compute with, over all workers.
int Cores(const FitFlags& flags);

// Options that do not go together.
void CheckAlgorithm(const FitFlags& flags);

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_TOPIC_OPTIONS_H_
