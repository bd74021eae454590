#ifndef SDA_TOPICS_GROWING_WORDS_H_
#define SDA_TOPICS_GROWING_WORDS_H_

#include <string>
#include <vector>

#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/topic_model.h"
#include "sda/topic_options.h"
#include "sda/word_ledger.h"

namespace sda {

// Between a vocabulary that grows and what computes with it. Documents name their words by their
// texts, the rows of a posterior by WordKey(), and the kernels by their places among the words
// of the moment: 0, 1, ... in the order of admission.

WordLimits WordLimitsOf(const TopicOptions& options);

// The rows of these documents' words.
KeyedRows::Selection KeysOf(const Documents& documents);

// The documents with the words that are admitted alone, which are their places now.
// Throws std::logic_error if they have words, but no dictionary.
Documents AmongWords(const Documents& documents, const WordLedger& ledger);
// And these rows, keyed by places instead of WordKey(); without the ledger.
void KeyByPlace(KeyedRows* rows);
// The same of rows that are keyed by the numbers of admission of these words.
void KeyByPlace(const std::vector<WordLedger::Word>& words, KeyedRows* rows);

// What documents say about words, of which those in the ledger are learnt from.
WordChanges WordChangesOf(const Documents& documents, const WordLedger& ledger);

// Words that are places become the numbers of their admission, which never change.
void NumberByAdmission(const WordLedger& ledger, Documents* documents);

// How the words of a ledger came, as models have it; and back, for a model with this vocabulary. A
// model whose words were fixed until now has learnt from each what its rows have of it.
GrownWords GrownWordsOf(const WordLedger& ledger);
WordLedger LedgerOf(const TopicModel& model);
std::vector<std::string> TextsOf(const std::vector<WordLedger::Word>& words);

}  // namespace sda

#endif  // SDA_TOPICS_GROWING_WORDS_H_
