// Topics over time for other programs.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "data/text/document_time.h"
#include "sda/topics_over_time.h"

namespace sda {
namespace {

using nlohmann::ordered_json;

ordered_json ToJson(const TopicOverTime& topic) {
  ordered_json words = ordered_json::array();
  for (const WordOverTime& word : topic.words) {
    words.push_back({{"word", word.word}, {"tokens", word.tokens}});
  }
  ordered_json out = {{"topic", topic.topic},
                      {"tokens", topic.tokens},
                      {"share", topic.share.mean},
                      {"lower", topic.share.lower},
                      {"upper", topic.share.upper}};
  if (topic.change) {
    out["change"] = topic.change->mean;
    out["change_lower"] = topic.change->lower;
    out["change_upper"] = topic.change->upper;
  }
  out["words"] = std::move(words);
  return out;
}

ordered_json Head(const PeriodOverTime& period) {
  return {{"begin", FormatTime(period.begin)},
          {"end", FormatTime(period.end)},
          {"documents", period.documents},
          {"tokens", period.tokens}};
}

std::string WordsOf(const TopicOverTime& topic) {
  std::string words;
  for (const WordOverTime& word : topic.words) words += (words.empty() ? "" : " ") + word.word;
  return CsvField(words);
}

}  // namespace

std::string TopicsOverTime::ToJson() const {
  ordered_json list = ordered_json::array();
  for (const PeriodOverTime& period : periods) {
    ordered_json topics = ordered_json::array();
    for (const TopicOverTime& topic : period.topics) topics.push_back(sda::ToJson(topic));
    list.push_back(Head(period));
    list.back()["topics"] = std::move(topics);
  }
  ordered_json out = {{"unit", unit},
                      {"bucket", bucket},
                      {"memory", memory},
                      {"tokens", tokens},
                      {"cut_tokens", cut_tokens},
                      {"late_documents", late_documents},
                      {"undated_documents", undated_documents},
                      {"undated_tokens", undated_tokens},
                      {"interval", 0.95},
                      {"approximate", approximate},
                      {"periods", std::move(list)}};
  if (versus) out["versus"] = Head(*versus);
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string TopicsOverTime::ToCsv() const {
  std::string text = "begin,end,documents,tokens,topic,topic_tokens,share,lower,upper";
  if (versus) text += ",change,change_lower,change_upper";
  text += ",words\n";
  for (const PeriodOverTime& period : periods) {
    for (const TopicOverTime& topic : period.topics) {
      text += fmt::format("{},{},{},{},{},{:.10g},{:.6g},{:.6g},{:.6g}", FormatTime(period.begin),
                          FormatTime(period.end), period.documents, period.tokens, topic.topic,
                          topic.tokens, topic.share.mean, topic.share.lower, topic.share.upper);
      if (topic.change) {
        text += fmt::format(",{:.6g},{:.6g},{:.6g}", topic.change->mean, topic.change->lower,
                            topic.change->upper);
      }
      text += "," + WordsOf(topic) + "\n";
    }
  }
  return text;
}

}  // namespace sda
