#include "data/text/phrases.h"

#include <algorithm>
#include <cmath>

namespace sda {
namespace {

constexpr size_t kMostPairs = size_t{1} << 22;

uint64_t PairOf(uint32_t first, uint32_t second) { return uint64_t{first} << 32 | second; }

}  // namespace

PhraseChoice::PhraseChoice() : most_pairs_(kMostPairs) {}

void PhraseChoice::Add(std::span<const std::string_view> document) {
  ++documents_;
  uint32_t before = WordTable::kNone;
  for (const std::string_view word : document) {
    if (word.empty()) {
      before = WordTable::kNone;
      continue;
    }
    const uint32_t number = words_.Add(word);
    if (number == count_.size()) count_.push_back(0);
    ++count_[number];
    ++tokens_;
    if (before != WordTable::kNone) ++pairs_[PairOf(before, number)];
    before = number;
  }
  if (pairs_.size() > most_pairs_) {
    std::erase_if(pairs_, [](const auto& pair) { return pair.second == 1; });
    most_pairs_ = std::max(kMostPairs, 2 * pairs_.size());
  }
}

std::vector<std::string> PhraseChoice::Choose() const {
  const uint64_t least = std::clamp<uint64_t>(documents_ / 100, 2, 10);
  const double tokens = static_cast<double>(tokens_);
  std::vector<std::string> chosen;
  for (const auto& [pair, together] : pairs_) {
    const uint32_t first = static_cast<uint32_t>(pair >> 32);
    const uint32_t second = static_cast<uint32_t>(pair);
    if (together < least || first == second) continue;
    const double p = together / tokens;
    const double apart = count_[first] / tokens * (count_[second] / tokens);
    if (std::log(p / apart) < kLeastAssociation * -std::log(p)) continue;
    chosen.push_back(std::string(words_.word(first)) + ' ' + std::string(words_.word(second)));
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Phrases::Phrases(std::span<const std::string> vocabulary) {
  for (const std::string& word : vocabulary) {
    const size_t blank = word.find(' ');
    if (blank == std::string::npos) continue;
    firsts_.Add(std::string_view(word).substr(0, blank));
    phrases_.Add(word);
  }
}

const std::vector<std::string_view>& Phrases::Join(std::span<const std::string_view> words) {
  joined_.clear();
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].empty()) continue;
    const bool has_next = i + 1 < words.size() && !words[i + 1].empty();
    if (has_next && firsts_.Find(words[i]) != WordTable::kNone) {
      pair_.assign(words[i]).append(" ").append(words[i + 1]);
      const uint32_t found = phrases_.Find(pair_);
      if (found != WordTable::kNone) {
        joined_.push_back(phrases_.word(found));
        ++i;
        continue;
      }
    }
    joined_.push_back(words[i]);
  }
  return joined_;
}

}  // namespace sda
