#include "data/bags/bag_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/io/numbers.h"
#include "data/text/word_file.h"
#include "data/text/word_table.h"

namespace sda {
namespace {

[[noreturn]] void FailSizes(const std::string& path, uint64_t found, const std::string& other,
                            uint64_t expected) {
  throw InputError(fmt::format("{}: {} words, expected {} as in {}", path, found, expected, other));
}

std::vector<uint32_t> Translation(const std::vector<std::string>& from,
                                  const std::vector<std::string>& to) {
  WordTable table;
  for (const std::string& word : to) {
    const uint32_t before = table.size();
    if (table.Add(word) != before) {
      throw InputError(fmt::format("the vocabulary has {} twice, expected it once", Quoted(word)));
    }
  }
  std::vector<uint32_t> translation;
  translation.reserve(from.size());
  for (const std::string& word : from) translation.push_back(table.Find(word));
  return translation;
}

}  // namespace

BagVocabulary::BagVocabulary(const CorpusOptions& options)
    : names_file_(options.vocabulary_file),
      given_(!options.vocabulary.empty()),
      names_(options.vocabulary),
      size_(given_ ? names_.size() : options.vocabulary_size),
      from_(given_ ? "the given vocabulary" : "vocabulary_size") {}

const std::vector<std::string>& BagVocabulary::NamesOf(const std::string& path) {
  const std::string names_path = names_file_.empty() ? VocabularyBeside(path) : names_file_;
  if (names_path != read_path_) {
    read_names_.clear();
    if (!names_path.empty()) read_names_ = ReadWordFile(names_path);
    read_path_ = names_path;
  }
  return read_names_;
}

uint64_t BagVocabulary::IdLimit(const std::string& path) {
  const uint64_t named = NamesOf(path).size();
  if (named > 0) return named;
  return size_ > 0 ? size_ : kMaxWords;
}

std::vector<uint32_t> BagVocabulary::Reconcile(const std::string& path, uint64_t header_words) {
  const std::vector<std::string>& names = NamesOf(path);
  if (!names.empty() && header_words != 0 && names.size() != header_words) {
    FailSizes(path, header_words, read_path_, names.size());
  }
  if (given_ && !names.empty()) {
    if (names == names_) return {};
    return Translation(names, names_);
  }
  const uint64_t words = names.empty() ? header_words : names.size();
  const std::string& from = names.empty() ? path : read_path_;
  if (words != 0 && size_ != 0 && words != size_) FailSizes(from, words, from_, size_);
  if (words != 0 && size_ == 0) {
    size_ = words;
    from_ = from;
  }
  if (names.empty()) return {};
  if (names_.empty()) {
    names_ = names;
    from_ = from;
  } else if (names != names_) {
    const auto differ = std::mismatch(names.begin(), names.end(), names_.begin());
    throw InputError(
        fmt::format("{}:{}: found {}, expected {} as in {}: all files must have one "
                    "vocabulary",
                    from, differ.first - names.begin() + 1, Quoted(*differ.first),
                    Quoted(*differ.second), from_));
  }
  return {};
}

}  // namespace sda
