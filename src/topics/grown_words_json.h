#ifndef SDA_TOPICS_GROWN_WORDS_JSON_H_
#define SDA_TOPICS_GROWN_WORDS_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sda/topic_model.h"

namespace sda {

// As a model file has it, beside the vocabulary. The latter throws InputError.
nlohmann::json GrownWordsToJson(const GrownWords& words);
GrownWords GrownWordsFromJson(const nlohmann::json& json,
                              const std::vector<std::string>& vocabulary);

// What became of the tokens and the words, as a report has it.
nlohmann::ordered_json AccountsToJson(const WordLedger::Accounts& accounts);

}  // namespace sda

#endif  // SDA_TOPICS_GROWN_WORDS_JSON_H_
