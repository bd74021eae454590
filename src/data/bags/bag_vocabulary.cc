#include "data/bags/bag_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "data/io/numbers.h"
#include "data/text/word_file.h"
#include "data/text/word_table.h"

namespace sda {
namespace {

[[noreturn]] void FailSizes(const std::string& path, uint64_t found, const std::string& other,
                            uint64_t expected) {
  throw InputError(fmt::format("{}: {} words, expected {} as in {}", path, found, expected, other));
}

// The model has a row for every word. So that a few bytes do not make a model of gigabytes, a file
// is believed to have more than a million words only if it has a byte for each of them, or if the
// options say so.
uint64_t MostBelieved(const CorpusOptions& options) {
  constexpr uint64_t kAlways = uint64_t{1} << 20;
  uint64_t bytes = 0;
  for (const std::string& input : options.inputs) {
    std::error_code not_a_file;
    const uintmax_t size = std::filesystem::file_size(input, not_a_file);
    if (!not_a_file) bytes += size;
  }
  return std::min(kMaxWords, std::max({kAlways, bytes, options.maximum_vocabulary}));
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
    : most_believed_(MostBelieved(options)),
      names_file_(options.vocabulary_file),
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

IdLimit BagVocabulary::LimitOf(const std::string& path) {
  const uint64_t named = NamesOf(path).size();
  if (named > 0) return {named};
  if (size_ > 0) return {size_};
  return {most_believed_,
          ": without a list of words (--vocab), more need a larger file or --max-vocab"};
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
