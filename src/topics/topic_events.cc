#include "sda/topic_events.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "data/text/document_time.h"

namespace sda {
namespace {

// The shortest number that is this one with six significant digits.
double Rounded(double value) { return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr); }

}  // namespace

std::string NameOf(TopicEvent::Kind kind) {
  switch (kind) {
    case TopicEvent::Kind::kTopicGrowing:
      return "topic_growing";
    case TopicEvent::Kind::kTopicFading:
      return "topic_fading";
    case TopicEvent::Kind::kUnknownWordsRising:
      return "unknown_words_rising";
    case TopicEvent::Kind::kDocumentFitsNoTopic:
      return "document_fits_no_topic";
  }
  throw std::logic_error("a kind of event without a name");
}

std::string ToJson(const TopicEvent& event) {
  nlohmann::ordered_json out = {{"event", NameOf(event.kind)},
                                {"minibatch", event.minibatch},
                                {"documents", event.documents}};
  if (event.time) out["time"] = FormatTime(*event.time);
  if (event.topic) out["topic"] = *event.topic;
  if (event.gain) {
    out["gain"] = Rounded(*event.gain);
    out["usual_gain"] = Rounded(event.usual_gain.value_or(0));
  } else {
    out["before"] = Rounded(event.before);
    out["now"] = Rounded(event.now);
    out["probability"] = event.probability;
  }
  if (!event.words.empty()) out["words"] = event.words;
  if (!event.examples.empty()) out["examples"] = event.examples;
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace sda
