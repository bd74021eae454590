#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "sda/model_report.h"

namespace sda {
namespace {

using nlohmann::ordered_json;

// Few digits, so that a report of millions of numbers is small.
double Rounded(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

ordered_json ToJson(const ReportedShare& share, int digits = 4) {
  return {Rounded(share.mean, digits), Rounded(share.lower, digits), Rounded(share.upper, digits)};
}

void Append(const ReportedShare& share, ordered_json* list) {
  for (const double value : {share.mean, share.lower, share.upper}) {
    list->push_back(Rounded(value, 3));
  }
}

// Words of the report by their place in it: those that can be looked up first.
class WordPlaces {
 public:
  explicit WordPlaces(const ModelReport& report) : report_(report) {
    for (const ReportedEntry& entry : report.entries) Place(entry.word, entry.frequency);
  }
  size_t Place(uint64_t word, double frequency) {
    const auto [at, is_new] = places_.emplace(word, names_.size());
    if (is_new) {
      names_.push_back(report_.words[word]);
      frequencies_.push_back(Rounded(frequency, 4));
    }
    return at->second;
  }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<double>& frequencies() const { return frequencies_; }

 private:
  const ModelReport& report_;
  std::unordered_map<uint64_t, size_t> places_;
  std::vector<std::string> names_;
  std::vector<double> frequencies_;
};

ordered_json ToJson(const ReportedDocument& document) {
  ordered_json out = {{"number", document.number}};
  if (!document.id.empty()) out["id"] = document.id;
  if (document.time) out["time"] = *document.time;
  out["tokens"] = document.tokens;
  out["topic"] = document.topic;
  out["share"] = ToJson(document.share);
  out["gain"] = Rounded(document.gain, 4);
  if (!document.text.empty()) out["text"] = document.text;
  return out;
}

ordered_json ToJson(const std::vector<ReportedDocument>& documents) {
  ordered_json list = ordered_json::array();
  for (const ReportedDocument& document : documents) list.push_back(ToJson(document));
  return list;
}

ordered_json ToJson(const ReportedTopic& topic, WordPlaces* places) {
  ordered_json words = ordered_json::array();
  for (const ReportedWord& word : topic.words) {
    words.push_back(places->Place(word.word, word.frequency));
    Append(word.probability, &words);
  }
  ordered_json out = {{"topic", topic.topic},
                      {"share", ToJson(topic.share, 6)},  // as sda topics has it
                      {"x", Rounded(topic.x, 5)},
                      {"y", Rounded(topic.y, 5)},
                      {"words", words}};
  if (topic.coherence) out["coherence"] = Rounded(*topic.coherence, 6);
  if (topic.stability) {
    out["stability"] = {{"found_by", topic.stability->found_by},
                        {"runs", topic.stability->runs},
                        {"cosine", Rounded(topic.stability->cosine, 4)}};
  }
  if (!topic.documents.empty()) out["documents"] = ToJson(topic.documents);
  return out;
}

ordered_json ToJson(const std::vector<ReportedPeriod>& periods) {
  ordered_json list = ordered_json::array();
  for (const ReportedPeriod& period : periods) {
    ordered_json shares = ordered_json::array();
    for (const ReportedShare& share : period.shares) Append(share, &shares);
    list.push_back({{"begin", period.begin},
                    {"end", period.end},
                    {"documents", period.documents},
                    {"shares", shares}});
  }
  return list;
}

ordered_json ToJson(const ReportedOverTime& over_time) {
  return {{"unit", over_time.unit},
          {"late", over_time.late},
          {"undated", over_time.undated},
          {"periods", ToJson(over_time.periods)}};
}

ordered_json ToJson(const ReportedDocuments& input) {
  return {{"documents", input.documents},
          {"skipped", input.skipped},
          {"undated", input.undated},
          {"outside", input.outside},
          {"median_gain", Rounded(input.median_gain, 4)},
          {"unit", input.unit},
          {"periods", ToJson(input.periods)},
          {"misfits", ToJson(input.misfits)},
          {"misfits_of", input.misfits_of}};
}

}  // namespace

std::string ModelReport::ToJson() const {
  WordPlaces places(*this);
  ordered_json list = ordered_json::array();
  for (const ReportedTopic& topic : topics) list.push_back(sda::ToJson(topic, &places));
  ordered_json word_topics = ordered_json::array();
  for (const ReportedEntry& entry : entries) {
    ordered_json row = ordered_json::array();
    for (const auto& topic : entry.topics) {
      row.push_back(topic.topic);
      Append(topic.probability, &row);
    }
    word_topics.push_back(std::move(row));
  }
  ordered_json out = {{"format", 1},
                      {"title", title},
                      {"documents", documents},
                      {"tokens", tokens},
                      {"vocabulary", vocabulary},
                      {"primitive", primitive},
                      {"approximate", approximate},
                      {"program", "sda " SDA_VERSION},
                      {"map", {{"shown", Rounded(map_shown, 4)}, {"words", map_words}}},
                      {"top", options.words},
                      {"relevances", relevances},
                      {"topics", std::move(list)},
                      {"words", places.names()},
                      {"frequencies", places.frequencies()},
                      {"word_topics", std::move(word_topics)},
                      {"notes", notes}};
  if (input) out["input"] = sda::ToJson(*input);
  if (over_time) out["over_time"] = sda::ToJson(*over_time);
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace sda
