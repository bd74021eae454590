#ifndef SDA_APPS_UI_TOPIC_TEXT_H_
#define SDA_APPS_UI_TOPIC_TEXT_H_

#include <string>

#include "sda/coherence.h"
#include "sda/topic_search.h"
#include "sda/topic_stability.h"

namespace sda {

// For people, whole lines: what was tried to choose the number of topics, a candidate a line.
std::string TopicSearchText(const TopicSearch& search);
// Two digits.
std::string CoherenceNumber(double npmi);
// One line about all topics: the median of their coherence, and how it was measured.
std::string CoherenceText(const TopicCoherence& coherence);
// One line about all topics: how many of them the other runs found again.
std::string StabilityText(const TopicStability& stability);

}  // namespace sda

#endif  // SDA_APPS_UI_TOPIC_TEXT_H_
