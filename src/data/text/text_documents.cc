#include "data/text/text_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/text/vocabulary_choice.h"
#include "data/text/word_file.h"

namespace sda {

TextDocuments::TextDocuments(const CorpusOptions& options, DocumentStream* stream)
    : options_(options), stream_(*stream), counter_(options), position_(stream_.position()) {
  if (!options.vocabulary.empty()) {
    counter_.UseVocabulary(options.vocabulary, "the given vocabulary");
  } else if (!options.vocabulary_file.empty()) {
    counter_.UseVocabulary(ReadWordFile(options.vocabulary_file), options.vocabulary_file);
  } else {
    LearnVocabulary();
  }
}

bool TextDocuments::IsHeldOut(uint64_t number) const {
  return std::binary_search(options_.held_out.begin(), options_.held_out.end(), number);
}

void TextDocuments::LearnVocabulary() {
  choice_.emplace(counter_.stop_words(), options_);
  Record record;
  while (kept_.size() < options_.vocabulary_documents && stream_.Read(&record)) Learn(&record);
  if (kept_.empty() && stream_.stopped()) return;
  if (kept_.empty()) throw InputError(stream_.name() + ": no document, expected some");
  try {
    counter_.UseVocabulary(choice_->Choose(), stream_.name());
  } catch (const InputError&) {
    // More would have come.
    if (!options_.follow || !stream_.stopped()) throw;
  }
}

void TextDocuments::Learn(Record* record) {
  const auto numbers =
      choice_->Add(counter_.tokenizer().Split(record->text), !IsHeldOut(record->number));
  for (size_t i = 0; i < numbers.size();) {
    const size_t begin = i;
    while (i < numbers.size() && numbers[i] == numbers[begin]) ++i;
    record->Add(numbers[begin], i - begin);
  }
  first_.words.insert(first_.words.end(), record->words.begin(), record->words.end());
  first_.counts.insert(first_.counts.end(), record->counts.begin(), record->counts.end());
  first_.offsets.push_back(first_.words.size());
  kept_.push_back({record->number, record->replaced, stream_.position()});
}

bool TextDocuments::Read(Record* record) {
  if (replayed_ < kept_.size()) {
    Replay(record);
    return true;
  }
  if (!kept_.empty()) {
    kept_ = {};
    first_ = {};
    choice_.reset();
    replayed_ = 0;
  }
  if (!stream_.Read(record)) {
    position_ = stream_.position();
    return false;
  }
  if (!pass_over_others_ || IsHeldOut(record->number)) counter_.Count(record);
  position_ = stream_.position();
  return true;
}

void TextDocuments::Replay(Record* record) {
  const Kept& kept = kept_[replayed_];
  record->Clear();
  record->number = kept.number;
  record->replaced = kept.replaced;
  for (uint64_t i = first_.offsets[replayed_]; i < first_.offsets[replayed_ + 1]; ++i) {
    const uint32_t id = counter_.Find(choice_->words().word(first_.words[i]));
    if (id == WordTable::kNone) {
      record->unknown += first_.counts[i];
    } else {
      record->Add(id, first_.counts[i]);
    }
  }
  position_ = kept.position;
  ++replayed_;
}

void TextDocuments::Seek(const StreamPosition& position) {
  stream_.Seek(position);
  replayed_ = kept_.size();
  position_ = position;
}

}  // namespace sda
