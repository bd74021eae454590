#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "data/io/numbers.h"
#include "data/text/markup.h"
#include "data/text/stemmer.h"
#include "sda/corpus.h"

namespace sda {
namespace {

constexpr std::array<std::pair<CorpusFormat, const char*>, 9> kFormats = {{
    {CorpusFormat::kAuto, "auto"},
    {CorpusFormat::kUci, "uci"},
    {CorpusFormat::kLdac, "ldac"},
    {CorpusFormat::kMatrixMarket, "mm"},
    {CorpusFormat::kSvmlight, "svmlight"},
    {CorpusFormat::kJsonLines, "jsonl"},
    {CorpusFormat::kText, "text"},
    {CorpusFormat::kCsv, "csv"},
    {CorpusFormat::kFiles, "files"},
}};

template <class T>
void CheckAtLeast(const char* field, T value, T least) {
  if (value < least) {
    throw UsageError(fmt::format("{} is {}, must be at least {}", field, value, least));
  }
}

}  // namespace

CorpusFormat CorpusFormatFromName(std::string_view name) {
  for (const auto& [format, its_name] : kFormats) {
    if (name == its_name) return format;
  }
  if (name == "tsv") return CorpusFormat::kCsv;  // what is between the columns is found
  throw UsageError(fmt::format(
      "format is {}, must be one of auto, uci, ldac, mm, svmlight, jsonl, text, csv, tsv, files",
      name));
}

const char* CorpusFormatName(CorpusFormat format) {
  for (const auto& [known, name] : kFormats) {
    if (format == known) return name;
  }
  throw std::logic_error("a format without a name");
}

void CorpusOptions::Validate() const {
  if (inputs.empty()) throw UsageError("inputs is empty, must name at least one file");
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    throw UsageError("inputs has - twice, but standard input can be read only once");
  }
  if (!(minibatch_seconds > 0)) {
    throw UsageError(fmt::format("minibatch_seconds is {}, must be above 0", minibatch_seconds));
  }
  CheckAtLeast<uint64_t>("minibatch", minibatch, 1);
  CheckAtLeast<uint64_t>("vocabulary_documents", vocabulary_documents, 1);
  CheckAtLeast<uint64_t>("maximum_vocabulary", maximum_vocabulary, 1);
  CheckAtLeast("minimum_word_length", minimum_word_length, 1);
  for (const uint64_t number : held_out) CheckAtLeast<uint64_t>("held_out", number, 1);
  if (text_field.empty()) throw UsageError("text_field is empty, must be a name");
  if (stop_words.empty()) {
    throw UsageError(
        "stop_words is empty, must be english, none, a file or languages such as de,fr");
  }
  Markup::FromNames(strip);
  if (!stemmer.empty()) static_cast<void>(Stemmer(stemmer));
  if (!(maximum_document_share > 0 && maximum_document_share <= 1)) {
    throw UsageError(fmt::format("maximum_document_share is {}, must be above 0 and at most 1",
                                 maximum_document_share));
  }
  if (grow && !vocabulary_file.empty()) {
    throw UsageError("a vocabulary that is a file stays as it is: --vocab and --grow-vocab");
  }
  if (grow && phrases) {
    throw UsageError(
        "--phrases does not go with --grow-vocab: phrases are chosen from the first documents");
  }
  for (const auto& [field, value] : {std::pair("maximum_vocabulary", maximum_vocabulary),
                                     std::pair("vocabulary_size", vocabulary_size)}) {
    if (value > kMaxWords) {
      throw UsageError(fmt::format("{} is {}, must be at most {}", field, value, kMaxWords));
    }
  }
}

}  // namespace sda
