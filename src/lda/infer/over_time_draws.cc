#include "lda/infer/over_time_draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "lda/infer/over_time_sampler.h"

namespace sda::lda {
namespace {

constexpr uint64_t kDirections = 18;  // what the random numbers are for
// Sweeps before the first draw, and from one draw to the next.
constexpr int kBefore = 3;
constexpr int kBetween = 1;
// Of the logarithm of a word's probability in a topic: 1 / its parameter, at most this.
constexpr double kMostVariance = 1;
// Documents that a thread goes through at once, at least, and parts of a minibatch, at most.
constexpr size_t kDocuments = 256;
constexpr size_t kMostGroups = 16;

// The tokens of a document in one topic.
struct Part {
  uint32_t topic = 0;
  std::array<double, OverTime::kDraws> draws{};
  double difference() const { return draws.back() - draws.front(); }
};

// Of a topic and a word.
struct WordOf {
  uint32_t bucket = 0;
  OverTime::WordDraws draws;
};

bool Before(const WordOf& a, const WordOf& b) {
  if (a.bucket != b.bucket) return a.bucket < b.bucket;
  if (a.draws.topic != b.draws.topic) return a.draws.topic < b.draws.topic;
  return a.draws.word < b.draws.word;
}

// Sorts them; those of the same word and topic become one.
void AddUpEqual(std::vector<WordOf>* words) {
  std::sort(words->begin(), words->end(), Before);
  size_t last = 0;
  for (size_t i = 1; i < words->size(); ++i) {
    if (Before((*words)[last], (*words)[i])) {
      (*words)[++last] = (*words)[i];
    } else {
      (*words)[last].draws.draws += (*words)[i].draws.draws;
    }
  }
  if (!words->empty()) words->resize(last + 1);
}

// What the draws say of one document.
struct DocumentDraws {
  uint32_t document = 0;
  size_t first = 0;  // of its parts
  size_t last = 0;
  // How its log likelihood differs between the draws, if the topics were wrong in a direction.
  std::array<double, OverTime::kShifts> of_directions{};
};

// Of some documents, which one thread goes through.
class Group {
 public:
  using Draws = std::vector<std::vector<uint32_t>>;
  Group(const OverTimeSampler& sampler, const Draws& draws, std::span<const uint32_t> buckets,
        size_t topics)
      : sampler_(sampler), draws_(draws), buckets_(buckets), place_(topics, kNone) {}

  void Visit(size_t first, size_t last) {
    for (size_t d = first; d < last; ++d) {
      if (buckets_[d] == OverTimeSampler::kNoBucket) continue;
      documents.push_back({.document = static_cast<uint32_t>(d), .first = parts.size()});
      for (size_t t = sampler_.first(d); t < sampler_.first(d + 1); ++t) Visit(t, buckets_[d]);
      documents.back().last = parts.size();
      for (size_t p = documents.back().first; p < parts.size(); ++p) place_[parts[p].topic] = kNone;
    }
    AddUpEqual(&words);
  }

  std::vector<DocumentDraws> documents;
  std::vector<Part> parts;
  std::vector<WordOf> words;

 private:
  static constexpr size_t kNone = ~size_t{0};

  void Visit(size_t t, uint32_t bucket) {
    const OverTimeSampler::Token& token = sampler_.tokens()[t];
    const uint64_t id = sampler_.id(token.word);
    for (size_t i = 0; i < draws_.size(); ++i) {
      const uint32_t topic = draws_[i][t];
      PartOf(topic).draws[i] += token.tokens;
      if (!words.empty() && words.back().draws.word == id && words.back().draws.topic == topic &&
          words.back().bucket == bucket) {
        words.back().draws.draws += token.tokens;
      } else {
        words.push_back({bucket, {id, topic, token.tokens}});
      }
    }
    const uint32_t before = draws_.front()[t];
    const uint32_t after = draws_.back()[t];
    if (before == after) return;
    AddDirections(token.word, before, -1.0 * token.tokens);
    AddDirections(token.word, after, token.tokens);
  }

  Part& PartOf(uint32_t topic) {
    if (place_[topic] == kNone) {
      place_[topic] = parts.size();
      parts.push_back({.topic = topic});
    }
    return parts[place_[topic]];
  }

  // Random signs are as good as random numbers: what they are summed up to is what matters.
  void AddDirections(uint32_t word, uint32_t topic, double tokens) {
    const double variance = std::min(kMostVariance, 1 / sampler_.parameter(word, topic));
    const double size = tokens * std::sqrt(variance);
    const uint64_t signs = Key(kDirections, sampler_.id(word), topic);
    auto& sums = documents.back().of_directions;
    for (size_t r = 0; r < sums.size(); ++r) sums[r] += (signs >> r & 1) != 0 ? size : -size;
  }

  const OverTimeSampler& sampler_;
  const Draws& draws_;
  const std::span<const uint32_t> buckets_;
  std::vector<size_t> place_;  // of a topic's part
};

void AddDocument(const DocumentDraws& document, const std::vector<Part>& parts,
                 OverTime::Sums* bucket) {
  for (size_t p = document.first; p < document.last; ++p) {
    const Part& part = parts[p];
    bucket->draws[part.topic] += std::accumulate(part.draws.begin(), part.draws.end(), 0.0);
    const double difference = part.difference();
    if (difference == 0) continue;
    bucket->variances[part.topic] += difference * difference / 2;
    double* const shifts = bucket->shifts.data() + part.topic * OverTime::kShifts;
    for (size_t r = 0; r < OverTime::kShifts; ++r) {
      shifts[r] += difference * document.of_directions[r] / 2;
    }
  }
}

// Draws that are near each other are alike. The squares of the differences of adjacent draws, and
// of the first and the last one, show how much, if that dies out by the same factor from draw to
// draw.
class Correlation {
 public:
  void Add(const std::vector<Part>& parts) {
    for (const Part& part : parts) {
      for (size_t i = 1; i < part.draws.size(); ++i) {
        const double difference = part.draws[i] - part.draws[i - 1];
        near_ += difference * difference / (part.draws.size() - 1);
      }
      far_ += part.difference() * part.difference();
    }
  }
  double of_adjacent() const { return near_ > 0 ? std::clamp(far_ / near_ - 1, 0.0, kMost) : 0; }
  // What the far differences miss, as a factor.
  double Missing() const { return 1 / (1 - of_adjacent() * of_adjacent()); }
  // The variance of a draw plus that of the mean of three, in units of the former.
  double OfMean() const {
    const double r = of_adjacent();
    return 1 + (3 + 4 * r + 2 * r * r) / 9;
  }

 private:
  static constexpr double kMost = 0.9;
  double near_ = 0, far_ = 0;
};

// The buckets of documents as numbers from 0 on, and what they are numbers of.
struct Places {
  std::vector<uint32_t> of_document;
  std::vector<OverTime::Sums*> sums;
};

Places Place(const Documents& documents, OverTime* sums) {
  const std::vector<int64_t> numbers = sums->Place(documents.times);
  std::vector<int64_t> distinct = numbers;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::erase(distinct, OverTime::kNoBucket);
  Places places;
  for (const int64_t number : distinct) places.sums.push_back(&sums->At(number));
  for (size_t d = 0; d < documents.size(); ++d) {
    const uint64_t tokens = Tokens(documents, d);
    if (numbers[d] == OverTime::kNoBucket) {
      places.of_document.push_back(OverTimeSampler::kNoBucket);
      sums->AddUndated(1, tokens);
      continue;
    }
    const auto at = std::lower_bound(distinct.begin(), distinct.end(), numbers[d]);
    places.of_document.push_back(static_cast<uint32_t>(at - distinct.begin()));
    OverTime::Sums& bucket = *places.sums[places.of_document.back()];
    ++bucket.documents;
    bucket.tokens += tokens;
  }
  return places;
}

// Adds what the draws say to the sums of the buckets. The groups depend on the minibatch alone.
void AddDraws(const OverTimeSampler& sampler, const Group::Draws& draws, const Places& places,
              size_t topics, ThreadPool* pool) {
  const size_t count = places.of_document.size();
  std::vector<Group> groups(std::clamp<size_t>(count / kDocuments, 1, kMostGroups),
                            Group(sampler, draws, places.of_document, topics));
  pool->ParallelFor(groups.size(), [&](size_t g) {
    groups[g].Visit(g * count / groups.size(), (g + 1) * count / groups.size());
  });
  Correlation correlation;
  for (Group& group : groups) {
    for (const DocumentDraws& document : group.documents) {
      AddDocument(document, group.parts, places.sums[places.of_document[document.document]]);
    }
    correlation.Add(group.parts);
    OverTime::Sums words;
    for (size_t i = 0; i < group.words.size(); ++i) {
      words.words.push_back(group.words[i].draws);
      if (i + 1 < group.words.size() && group.words[i + 1].bucket == group.words[i].bucket)
        continue;
      places.sums[group.words[i].bucket]->Add(words);
      words.words.clear();
    }
    group.words = {};
  }
  for (OverTime::Sums* const bucket : places.sums) {
    for (double& x : bucket->variances) x *= correlation.Missing() * correlation.OfMean();
    for (double& x : bucket->shifts) x *= correlation.Missing();
  }
}

}  // namespace

OverTime DrawOverTime(const LdaSpec& spec, const OverTimeOptions& options,
                      const Documents& documents, const KeyedRows& topics, uint64_t seed,
                      const Context& context) {
  OverTime sums(topics.width(), options);
  const Places places = Place(documents, &sums);
  OverTimeSampler sampler({documents, topics, spec, places.of_document, seed}, context.pool());
  const auto sweep = [&](int sweeps) {
    for (; sweeps > 0; --sweeps) {
      context.ThrowIfInterrupted();
      sampler.Sweep();
    }
  };
  sweep(kBefore);
  Group::Draws draws;
  for (int draw = 0; draw < OverTime::kDraws; ++draw) {
    sweep(kBetween);
    draws.push_back(sampler.token_topics());
  }
  AddDraws(sampler, draws, places, topics.width(), context.pool());
  sums.Fit();
  return sums;
}

}  // namespace sda::lda
