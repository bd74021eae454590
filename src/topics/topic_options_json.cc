#include "topics/topic_options_json.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>

#include "base/parse_json.h"
#include "base/strict_json.h"
#include "core/schedule_json.h"
#include "sda/errors.h"
#include "sda/forgetting.h"
#include "sda/topic_options.h"

namespace sda {

using nlohmann::json;

namespace {

constexpr const char* kAuto = "auto";

// visit(key, field) for each.
template <class Options, class Visit>
void ForEachField(Options& o, const Visit& visit) {
  visit("topics", o.topics);
  visit("alpha", o.alpha);
  visit("eta", o.eta);
  visit("try_topics", o.try_topics);
  visit("algorithm", o.algorithm);
  visit("primitive", o.primitive);
  visit("seed", o.seed);
  visit("sweeps", o.sweeps);
  visit("precision", o.precision);
  visit("ep_updates", o.ep_updates);
  visit("ep_matching", o.ep_matching);
  visit("ep_start", o.ep_start);
  visit("ep_damping", o.ep_damping);
  visit("ep_tolerance", o.ep_tolerance);
  visit("ep_sweeps", o.ep_sweeps);
  visit("ep_memory", o.ep_memory);
  visit("passes", o.passes);
  visit("total_documents", o.total_documents);
  visit("tau0", o.tau0);
  visit("kappa", o.kappa);
  visit("schedule", o.schedule);
  visit("workers", o.workers);
  visit("worker_prior", o.worker_prior);
  visit("half_life", o.half_life);
  visit("minibatch", o.minibatch);
  visit("first_minibatch", o.first_minibatch);
  visit("minibatch_seconds", o.minibatch_seconds);
  visit("format", o.format);
  visit("text_field", o.text_field);
  visit("vocab", o.vocab);
  visit("vocab_from", o.vocab_from);
  visit("min_df", o.min_df);
  visit("max_share", o.max_share);
  visit("max_vocab", o.max_vocab);
  visit("stop_words", o.stop_words);
  visit("min_word_length", o.min_word_length);
  visit("follow", o.follow);
  visit("text_column", o.text_column);
  visit("id_field", o.id_field);
  visit("time_field", o.time_field);
  visit("strip", o.strip);
  visit("stemmer", o.stemmer);
  visit("phrases", o.phrases);
  visit("grow_vocab", o.grow_vocab);
  visit("keep_sample", o.keep_sample);
  visit("intervals", o.intervals);
  visit("keep_documents", o.keep_documents);
  visit("bucket", o.bucket);
  visit("over_time_memory", o.over_time_memory);
}

}  // namespace

json TopicOptionsToJson(const TopicOptions& options) {
  json out = json::object();
  ForEachField(options, [&](const char* key, const auto& field) {
    if constexpr (kIsOptional<std::decay_t<decltype(field)>>) {
      if (field) out[key] = *field;
    } else {
      out[key] = field;
    }
  });
  if (options.topics == kAutoTopics) out["topics"] = kAuto;
  if (options.half_life == kAutoHalfLife) out["half_life"] = kAuto;
  return out;
}

TopicOptions TopicOptionsFromJson(const json& in) {
  if (!in.is_object()) throw InputError("options are not a JSON object");
  TopicOptions options;
  size_t known = 0;
  ForEachField(options, [&](const char* key, auto& field) {
    const auto found = in.find(key);
    if (found == in.end()) return;
    ++known;
    try {
      if (std::string_view(key) == "topics") {
        if (*found == kAuto) {
          options.topics = kAutoTopics;
          return;
        }
        if (*found == kAutoTopics) throw InputError("-1 is not a number of topics");
      }
      if (std::string_view(key) == "half_life") {
        if (*found == kAuto) {
          options.half_life = kAutoHalfLife;
          return;
        }
        if (*found == kAutoHalfLife) throw InputError("-1 is not a number of documents");
      }
      ReadStrictly(*found, &field);
    } catch (const std::exception& e) {
      throw InputError(std::string("option ") + key + ": " + e.what());
    }
  });
  if (known == in.size()) return options;
  for (const auto& [key, value] : in.items()) {
    bool is_field = false;
    ForEachField(options, [&, &name = key](const char* k, auto&) { is_field |= name == k; });
    if (!is_field) {
      throw InputError("option " + key + " is not known to this version of sda");
    }
  }
  return options;
}

std::string TopicOptions::ToJson() const {
  return TopicOptionsToJson(*this).dump(-1, ' ', false, json::error_handler_t::replace);
}

TopicOptions TopicOptions::FromJson(const std::string& text) {
  const json parsed = ParseJson(text, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) throw InputError("options are not JSON");
  return TopicOptionsFromJson(parsed);
}

}  // namespace sda
