#include <nlohmann/json.hpp>

#include "base/parse_json.h"
#include "base/strict_json.h"
#include "sda/errors.h"
#include "sda/topic_search.h"

namespace sda {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// visit(key, field) for each.
template <class Candidate, class Visit>
void ForEachField(Candidate& c, const Visit& visit) {
  visit("topics", c.topics);
  visit("log_predictive_probability", c.score);
  visit("lower", c.lower);
  visit("upper", c.upper);
  visit("below_best", c.below_best);
  visit("below_best_error", c.below_best_error);
  visit("seconds", c.seconds);
}

}  // namespace

std::string TopicSearch::ToJson() const {
  ordered_json list = ordered_json::array();
  for (const TopicCandidate& candidate : candidates) {
    ordered_json entry;
    ForEachField(candidate, [&](const char* key, const auto& field) { entry[key] = field; });
    list.push_back(std::move(entry));
  }
  return ordered_json{{"topics", topics},
                      {"candidates", list},
                      {"documents", documents},
                      {"test_tokens", test_tokens},
                      {"learnt_documents", learnt_documents},
                      {"tolerance", tolerance},
                      {"seconds", seconds}}
      .dump();
}

TopicSearch TopicSearch::FromJson(const std::string& text) {
  TopicSearch search;
  try {
    const json in = ParseJson(text);
    ReadStrictly(in, "topics", &search.topics);
    ReadStrictly(in, "documents", &search.documents);
    ReadStrictly(in, "test_tokens", &search.test_tokens);
    ReadStrictly(in, "learnt_documents", &search.learnt_documents);
    ReadStrictly(in, "tolerance", &search.tolerance);
    ReadStrictly(in, "seconds", &search.seconds);
    for (const json& entry : in.at("candidates")) {
      TopicCandidate& candidate = search.candidates.emplace_back();
      ForEachField(candidate,
                   [&](const char* key, auto& field) { ReadStrictly(entry, key, &field); });
    }
    if (search.topics < 1) throw InputError("topics is not positive");
  } catch (const std::exception& e) {
    throw InputError(std::string("the search for the number of topics: ") + e.what());
  }
  return search;
}

}  // namespace sda
