#include "data/text/stemmer.h"

#include <libstemmer.h>

#include "sda/errors.h"

namespace sda {
namespace {

constexpr uint32_t kMostWords = uint32_t{1} << 18;
constexpr size_t kLongestWord = 64;

std::string Languages() {
  std::string list;
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) {
    list += (list.empty() ? "" : ", ") + std::string(*name);
  }
  return list;
}

}  // namespace

void Stemmer::Delete::operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }

Stemmer::Stemmer(const std::string& language)
    : stemmer_(sb_stemmer_new(language.c_str(), "UTF_8")) {
  if (stemmer_ == nullptr) {
    throw UsageError("stemmer is " + language + ", must be one of " + Languages());
  }
}

Stemmer::~Stemmer() = default;

std::string_view Stemmer::Stem(std::string_view word) {
  const auto stem = [&] {
    const sb_symbol* found =
        sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                        static_cast<int>(word.size()));
    if (found == nullptr) throw IoError("out of memory for the stem of a word");
    const std::string_view left(reinterpret_cast<const char*>(found),
                                sb_stemmer_length(stemmer_.get()));
    return std::string(left.empty() ? word : left);
  };
  if (word.size() > kLongestWord) return not_remembered_ = stem();
  const uint32_t known = words_.Find(word);
  if (known != WordTable::kNone) return stems_[known];
  if (words_.size() == kMostWords) {
    words_ = WordTable();
    stems_.clear();
  }
  words_.Add(word);
  return stems_.emplace_back(stem());
}

}  // namespace sda
