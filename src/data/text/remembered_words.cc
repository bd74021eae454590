#include "data/text/remembered_words.h"

namespace sda {
namespace {

// Bounds on the memory, some megabytes. When it is full everything is forgotten: the frequent
// stretches are soon back.
constexpr size_t kLongestStretch = 64;
constexpr size_t kMostStretches = size_t{1} << 15;

}  // namespace

const std::vector<std::string>& RememberedWords::Split(std::string_view stretch) {
  if (stretch.size() > kLongestStretch) {
    not_remembered_ = Ask(stretch);
    return not_remembered_;
  }
  const uint32_t known = stretches_.Find(stretch);
  if (known != WordTable::kNone) return words_[known];
  if (words_.size() == kMostStretches) {
    stretches_ = WordTable();
    words_.clear();
  }
  stretches_.Add(stretch);
  words_.push_back(Ask(stretch));
  return words_.back();
}

std::vector<std::string> RememberedWords::Ask(std::string_view stretch) {
  std::vector<std::string> words;
  icu_.Split(stretch, minimum_length_, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

}  // namespace sda
