#include "topics/infer_writer.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "data/text/document_time.h"
#include "sda/errors.h"

namespace sda {
namespace {

using nlohmann::ordered_json;

std::string Rounded(double value) { return fmt::format("{:.6g}", value); }

// As JSON writes it: the shortest number that is the rounded one.
double RoundedNumber(double value) { return std::strtod(Rounded(value).c_str(), nullptr); }

std::vector<std::vector<std::string>> TopWords(const TopicModel& model, uint64_t words) {
  if (words == 0) return {};
  std::vector<std::vector<std::string>> of_topics(model.options.topics);
  for (const TopicSummary& topic : SummarizeTopics(model.posterior, model.Spec(), words)) {
    for (const TopicWord& word : topic.top_words) {
      of_topics[topic.topic].push_back(model.vocabulary[word.word]);
    }
  }
  return of_topics;
}

}  // namespace

void InferOutputOptions::Validate() const {
  if (format != "jsonl" && format != "csv" && format != "tsv") {
    throw UsageError("--output-format is " + format + ", must be one of jsonl, csv, tsv");
  }
}

InferWriter::InferWriter(const InferOutputOptions& options, const TopicModel& model)
    : options_(options),
      delimiter_(options.format == "tsv" ? '\t' : ','),
      words_(TopWords(model, options.words)) {
  options_.Validate();
}

std::string InferWriter::Write(const Documents& documents,
                               const std::vector<DocumentTopics>& topics) {
  std::string out;
  if (!begun_) {
    has_ids_ = !documents.ids.empty();
    has_times_ = !documents.times.empty();
  }
  for (size_t d = 0; d < documents.size(); ++d) {
    out += Finish(documents.numbers[d] - 1);
    const bool empty = documents.offsets[d] == documents.offsets[d + 1];
    Append({documents.numbers[d], has_ids_ ? &documents.ids[d] : nullptr,
            has_times_ ? &documents.times[d] : nullptr},
           empty ? DocumentTopics() : topics[d], &out);
  }
  return out;
}

std::string InferWriter::Finish(uint64_t documents) {
  std::string out;
  while (next_ <= documents) Append({next_, nullptr, nullptr}, {}, &out);
  return out;
}

void InferWriter::Append(const Label& label, const DocumentTopics& found, std::string* out) {
  if (!begun_ && options_.format != "jsonl") {
    std::string names = "document";
    if (has_ids_) names += ",id";
    if (has_times_) names += ",time";
    names += ",topic,proportion,lower,upper";
    if (!words_.empty()) names += ",words";
    names += ",intervals";
    for (char& c : names) c = c == ',' ? delimiter_ : c;
    *out += names + '\n';
  }
  begun_ = true;
  if (found.topics.empty()) ++wordless_;
  next_ = label.number + 1;
  options_.format == "jsonl" ? AppendJson(label, found, out) : AppendRows(label, found, out);
}

void InferWriter::AppendJson(const Label& label, const DocumentTopics& found,
                             std::string* out) const {
  ordered_json document = {{"document", label.number}};
  if (label.id != nullptr && !label.id->empty()) document["id"] = *label.id;
  if (label.time != nullptr && *label.time != kNoTime) document["time"] = FormatTime(*label.time);
  ordered_json list = ordered_json::array();
  for (const TopicShare& t : found.topics) {
    list.push_back({{"topic", t.topic},
                    {"proportion", RoundedNumber(t.proportion.mean)},
                    {"lower", RoundedNumber(t.proportion.lower)},
                    {"upper", RoundedNumber(t.proportion.upper)}});
    if (!words_.empty()) list.back()["words"] = words_[t.topic];
  }
  document["topics"] = std::move(list);
  if (!found.topics.empty()) {
    document["intervals"] = NameOf(found.intervals);
    if (found.approximate()) document["approximate"] = true;
  }
  *out += document.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

void InferWriter::AppendRows(const Label& label, const DocumentTopics& found,
                             std::string* out) const {
  const std::string d(1, delimiter_);
  std::string begin = std::to_string(label.number) + d;
  if (has_ids_) begin += (label.id == nullptr ? "" : Field(*label.id)) + d;
  if (has_times_) {
    const bool known = label.time != nullptr && *label.time != kNoTime;
    begin += (known ? FormatTime(*label.time) : "") + d;
  }
  if (found.topics.empty()) *out += begin + d + d + d + d + (words_.empty() ? "" : d) + '\n';
  for (const TopicShare& t : found.topics) {
    *out += begin + std::to_string(t.topic) + d + Rounded(t.proportion.mean) + d +
            Rounded(t.proportion.lower) + d + Rounded(t.proportion.upper);
    if (!words_.empty()) {
      std::string list;
      for (const std::string& word : words_[t.topic]) list += (list.empty() ? "" : " ") + word;
      *out += d + Field(list);
    }
    *out += d + NameOf(found.intervals) + '\n';
  }
}

// In quotes where it has to be (RFC 4180).
std::string InferWriter::Field(const std::string& text) const {
  if (text.find_first_of(std::string("\"\r\n") + delimiter_) == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace sda
