#include "data/text_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/stop_words.h"
#include "data/vocabulary_choice.h"
#include "data/word_file.h"

namespace sda {
namespace {

// The word as it comes out of a text: a vocabulary may be written in upper case.
std::string Folded(const std::string& word, Tokenizer* tokenizer) {
  const auto& words = tokenizer->Split(word);
  if (words.size() == 1 && words[0].size() == word.size()) return std::string(words[0]);
  return word;
}

}  // namespace

TextDocuments::TextDocuments(const CorpusOptions& options, DocumentStream* stream)
    : options_(options),
      stream_(*stream),
      tokenizer_(options.minimum_word_length),
      stop_words_(StopWords(options.stop_words)),
      position_(stream_.position()) {
  if (!options.vocabulary.empty()) {
    UseVocabulary(options.vocabulary, "the given vocabulary");
  } else if (!options.vocabulary_file.empty()) {
    UseVocabulary(ReadWordFile(options.vocabulary_file), options.vocabulary_file);
  } else {
    LearnVocabulary();
  }
}

bool TextDocuments::IsHeldOut(uint64_t number) const {
  return std::binary_search(options_.held_out.begin(), options_.held_out.end(), number);
}

void TextDocuments::UseVocabulary(std::vector<std::string> words, const std::string& from) {
  Tokenizer tokenizer(1);
  vocabulary_ = std::move(words);
  for (uint32_t id = 0; id < vocabulary_.size(); ++id) {
    const uint32_t found = table_.Add(Folded(vocabulary_[id], &tokenizer));
    if (found == id) continue;
    throw InputError(fmt::format("{}:{}: found {}, which is also word {}, expected another word",
                                 from, id + 1, Quoted(vocabulary_[id]), found + 1));
  }
  for (const std::string& word : stop_words_) table_.Add(word);
  count_.assign(vocabulary_.size(), 0);
}

void TextDocuments::LearnVocabulary() {
  for (const std::string& word : stop_words_) seen_.Add(word);
  stop_words_seen_ = seen_.size();
  std::vector<uint64_t> document_frequency;
  uint64_t documents = 0;
  Record record;
  while (kept_.size() < options_.vocabulary_documents && stream_.Read(&record)) {
    const bool held_out = IsHeldOut(record.number);
    Learn(&record, held_out ? nullptr : &document_frequency);
    documents += !held_out;
  }
  if (kept_.empty() && stream_.stopped()) return;
  if (kept_.empty()) throw InputError(stream_.name() + ": no document, expected some");
  document_frequency.resize(seen_.size());
  UseVocabulary(ChooseVocabulary(seen_, document_frequency, documents, options_), stream_.name());
}

void TextDocuments::Learn(Record* record, std::vector<uint64_t>* document_frequency) {
  for (const std::string_view word : tokenizer_.Split(record->text)) {
    const uint32_t number = seen_.Add(word);
    if (number < stop_words_seen_) continue;
    if (number >= count_.size()) count_.resize(2 * number + 1);
    if (count_[number]++ == 0) counted_.push_back(number);
  }
  AddCounted(record);
  first_.words.insert(first_.words.end(), record->words.begin(), record->words.end());
  first_.counts.insert(first_.counts.end(), record->counts.begin(), record->counts.end());
  first_.offsets.push_back(first_.words.size());
  kept_.push_back({record->number, record->replaced, stream_.position()});
  if (document_frequency == nullptr) return;
  document_frequency->resize(seen_.size());
  for (const uint32_t number : record->words) ++(*document_frequency)[number];
}

bool TextDocuments::Read(Record* record) {
  if (replayed_ < kept_.size()) {
    Replay(record);
    return true;
  }
  if (!kept_.empty()) {
    kept_ = {};
    first_ = {};
    seen_ = {};
    replayed_ = 0;
  }
  if (!stream_.Read(record)) {
    position_ = stream_.position();
    return false;
  }
  if (!pass_over_others_ || IsHeldOut(record->number)) Count(record);
  position_ = stream_.position();
  return true;
}

void TextDocuments::Replay(Record* record) {
  const Kept& kept = kept_[replayed_];
  record->Clear();
  record->number = kept.number;
  record->replaced = kept.replaced;
  for (uint64_t i = first_.offsets[replayed_]; i < first_.offsets[replayed_ + 1]; ++i) {
    const uint32_t id = table_.Find(seen_.word(first_.words[i]));
    if (id == WordTable::kNone) {
      record->unknown += first_.counts[i];
    } else {
      record->Add(id, first_.counts[i]);
    }
  }
  position_ = kept.position;
  ++replayed_;
}

void TextDocuments::Count(Record* record) {
  const uint32_t words = static_cast<uint32_t>(vocabulary_.size());
  for (const std::string_view word : tokenizer_.Split(record->text)) {
    const uint32_t id = table_.Find(word);
    if (id < words) {
      if (count_[id]++ == 0) counted_.push_back(id);
    } else if (id == WordTable::kNone) {
      ++record->unknown;
    }
  }
  AddCounted(record);
}

void TextDocuments::AddCounted(Record* record) {
  std::sort(counted_.begin(), counted_.end());
  for (const uint32_t word : counted_) {
    record->Add(word, count_[word]);
    count_[word] = 0;
  }
  counted_.clear();
}

void TextDocuments::Seek(const StreamPosition& position) {
  stream_.Seek(position);
  replayed_ = kept_.size();
  position_ = position;
}

}  // namespace sda
